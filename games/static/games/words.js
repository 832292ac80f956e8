/**
 * What the board says, in the language of the page: sentences with `{names}` to fill in, handed over by the page. This
 * is the only module that makes text for people.
 */

import { rankOf, suitOf } from "./cards.js";
import { STOCK, WASTE, isColumn } from "./movelog.js";
import { isComplete } from "./table.js";

/** @type {Record<string, string>} */
let sentences = {};
let locale = "en";

/**
 * @param {Record<string, string>} found
 * @param {string} language
 */
export function useWords(found, language) {
  sentences = found;
  locale = language;
}

/**
 * The sentence of a key. With `count` among the values, the form for that number: `key.one`, `key.other`.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function say(key, values = {}) {
  const form = "count" in values ? `${key}.${new Intl.PluralRules(locale).select(Number(values.count))}` : key;
  const sentence = sentences[form] ?? sentences[`${key}.other`] ?? sentences[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (hole, name) => {
    const value = values[name];
    return value === undefined ? hole : typeof value === "number" ? number(value) : value;
  });
}

/**
 * What the server refuses, by the code of its answer.
 *
 * @param {{code: string, message: string}} error
 */
export function problemText({ code, message }) {
  return sentences[`problem.${code}`] ?? say("problem.other", { message });
}

/**
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export function number(value, options) {
  return new Intl.NumberFormat(locale, options).format(value);
}

/**
 * @param {number} hundredths
 * @returns {string} as the language writes it: `97.5%`, `97,5 %`
 */
export function percentText(hundredths) {
  return number(hundredths / 100, { style: "percent", maximumFractionDigits: 1 });
}

/**
 * A score; Vegas in dollars: `+$208`, `$0`, `-$52`.
 *
 * @param {number} value
 * @param {boolean} isVegas
 */
export function scoreText(value, isVegas) {
  if (!isVegas) {
    return number(value);
  }
  return `${value > 0 ? "+" : value < 0 ? "-" : ""}$${number(Math.abs(value))}`;
}

/**
 * @param {number} milliseconds
 * @returns {string} `1:02:03`, `4:05`
 */
export function clockText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, i) => (i ? String(part).padStart(2, "0") : String(part))).join(":");
}

/** @param {number} card */
export function cardName(card) {
  return say(`card.${rankOf(card)}`, { suit: suitName(card) });
}

/** @param {number} card */
export function suitName(card) {
  return say(`suit.${suitOf(card)}`);
}

/** @param {string} pile */
export function pileName(pile) {
  if (pile === STOCK || pile === WASTE) {
    return say(`pile.${pile}`);
  }
  return say(isColumn(pile) ? "pile.column" : "pile.foundation", { name: pile });
}

/**
 * Which rule refused an action, with the cards.
 *
 * @param {import("./errors.js").Refusal} refusal
 */
export function refusalText({ reason, card, onto, wanted, pile, count, available }) {
  const key = `refused.${reason}`;
  /** @type {Record<string, string | number>} */
  const values = {};
  if (card !== undefined) {
    values.card = cardName(card);
  }
  if (onto !== undefined) {
    values.onto = cardName(onto);
  }
  if (pile !== undefined) {
    values.pile = pileName(pile);
  }
  if (count !== undefined) {
    values.cards = count;
  }
  if (available !== undefined) {
    values.count = available;
  }
  if (wanted === undefined) {
    return say(key, values);
  }
  values.suit = suitName(wanted);
  if (reason === "wrong_foundation") {
    return say(key, values);
  }
  return isComplete(wanted)
    ? say("refused.complete", values)
    : say("refused.wrong_rank_home", { ...values, wanted: cardName(wanted) });
}
