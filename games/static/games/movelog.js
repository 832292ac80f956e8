/**
 * Move logs: text to actions and back. Piles go by their letters: columns `a` to `j`, foundations `1` to `8`, the
 * waste `w`; the stock, which no log names, is `s`.
 *
 * @typedef {object} Action
 * @property {string} text as a log has it
 * @property {"draw" | "redeal" | "undo" | "move"} kind
 * @property {string} from the pile that a move takes from, "" where it is no move
 * @property {string} to the pile that a move puts on, "" where it is no move
 * @property {number} count how many cards a move moves
 */

import { BadLog } from "./errors.js";

export const MAX_BYTES = 64 * 1024;
export const MAX_ACTIONS = 10000;

export const COLUMNS = "abcdefghij";
export const FOUNDATIONS = "12345678";
export const WASTE = "w";
export const STOCK = "s";

const MOVE = /^(?:w[a-j1-8]|[a-j][a-j](?:[2-9]|[1-9][0-9])?|[a-j][1-8]|[1-8][a-j])$/;

/** @type {Record<string, "draw" | "redeal" | "undo">} */
const WITHOUT_PILES = { d: "draw", r: "redeal", u: "undo" };

/**
 * @param {string} pile
 * @returns {boolean} whether the letter is a column's
 */
export function isColumn(pile) {
  return pile.length === 1 && COLUMNS.includes(pile);
}

/**
 * @param {string} pile
 * @returns {boolean} whether the letter is a foundation's
 */
export function isFoundation(pile) {
  return pile.length === 1 && FOUNDATIONS.includes(pile);
}

/**
 * The action that a text names.
 *
 * @param {string} text
 * @param {number} [index] its place in the log, for the error
 * @returns {Action}
 * @throws {BadLog} where it names none
 */
export function parseAction(text, index = 0) {
  if (Object.hasOwn(WITHOUT_PILES, text)) {
    return { text, kind: WITHOUT_PILES[text], from: "", to: "", count: 1 };
  }
  if (!MOVE.test(text)) {
    throw new BadLog("bad_notation", index, text);
  }
  return { text, kind: "move", from: text[0], to: text[1], count: text.length > 2 ? Number(text.slice(2)) : 1 };
}

/**
 * The action that moves cards from pile to pile.
 *
 * @param {string} from
 * @param {string} to
 * @param {number} [count]
 * @returns {Action}
 */
export function moveOf(from, to, count = 1) {
  return parseAction(from + to + (count > 1 ? count : ""));
}

/**
 * The actions of a whole log, before any is played.
 *
 * @param {string} text
 * @returns {Action[]}
 * @throws {BadLog} for its size first, then its length, then the first action that the notation doesn't name
 */
export function parseLog(text) {
  if (text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES) {
    throw new BadLog("log_too_large");
  }
  const words = text.split(/[ \t\r\n]+/).filter((word) => word !== "");
  if (words.length > MAX_ACTIONS) {
    throw new BadLog("too_many_actions");
  }
  return words.map((word, index) => parseAction(word, index));
}

/**
 * The canonical text of a log, the inverse of `parseLog`.
 *
 * @param {readonly Action[]} actions
 * @returns {string}
 */
export function formatLog(actions) {
  return actions.map((action) => action.text).join(" ");
}
