/** What a screen reader hears: what moved, what turned up, what the score is, what was refused, what a pile holds. */

import { NEARLY_FULL } from "./board.js";
import { STOCK, WASTE, isColumn } from "./movelog.js";
import { cardName, pileName, refusalText, say, scoreText } from "./words.js";

/**
 * @param {import("./board.js").Board} board
 * @param {import("./board.js").Change} change
 * @returns {string} "" where there is nothing to say
 */
export function announcement(board, change) {
  switch (change.kind) {
    case "refused":
      return change.refusal ? refusalText(change.refusal) : "";
    case "held":
      return heldText(board);
    case "played":
      return [playedText(board, change), ...milestones(board)].join(" ");
    default:
      return "";
  }
}

/** @param {import("./board.js").Board} board */
function heldText(board) {
  const cards = board.heldCards;
  if (!cards.length) {
    return say("said.released");
  }
  const text = say("said.held", { card: cardName(cards[0]), count: cards.length });
  const targets = board.targets.map(pileName).join(", ");
  return `${text} ${targets ? say("said.targets", { piles: targets }) : say("said.no_target")}`;
}

/**
 * @param {import("./board.js").Board} board
 * @param {import("./board.js").Change} change
 */
function playedText(board, { action, moved, turnedUp }) {
  const score = scoreText(board.table.figures.score, board.mode.rules.isVegas);
  const sentences = [];
  if (action?.kind === "draw") {
    sentences.push(say("said.drawn", { cards: moved.map(cardName).join(", ") }));
    sentences.push(say("said.stock", { count: board.table.piles[STOCK].length }));
  } else if (action?.kind === "redeal") {
    sentences.push(say("said.redealt"));
  } else if (action?.kind === "undo") {
    sentences.push(say("said.undone"));
  } else if (action) {
    const key = moved.length > 1 ? "said.moved_run" : "said.moved";
    sentences.push(say(key, { card: cardName(moved[0]), pile: pileName(action.to), cards: moved.length }));
  }
  if (turnedUp !== null) {
    sentences.push(say("said.turned", { card: cardName(turnedUp) }));
  }
  sentences.push(say("said.score", { score }));
  return sentences.join(" ");
}

/** @param {import("./board.js").Board} board */
function milestones(board) {
  const sentences = [];
  if (board.table.isWon) {
    sentences.push(say("said.won"));
  }
  if (board.room === NEARLY_FULL || (board.room < NEARLY_FULL && board.room % 100 === 0)) {
    sentences.push(say("said.room", { count: board.room }));
  }
  return sentences;
}

/**
 * What a pile is called and holds, the top card last.
 *
 * @param {import("./board.js").Board} board
 * @param {string} pile
 * @returns {string}
 */
export function pileLabel(board, pile) {
  const cards = board.table.piles[pile];
  const name = pileName(pile);
  if (pile === STOCK) {
    return stockLabel(board, name);
  }
  if (!cards.length) {
    return say("label.empty", { pile: name });
  }
  if (pile === WASTE) {
    return say("label.top", { pile: name, card: cardName(cards[cards.length - 1]), count: cards.length });
  }
  if (!isColumn(pile)) {
    return say("label.top", { pile: name, card: cardName(cards[cards.length - 1]), count: cards.length });
  }
  const down = board.table.faceDown[pile];
  const open = cards.slice(down).map(cardName).join(", ");
  const text = say("label.column", { pile: name, cards: open });
  return down ? `${text} ${say("label.face_down", { count: down })}` : text;
}

/**
 * @param {import("./board.js").Board} board
 * @param {string} name
 */
function stockLabel(board, name) {
  const { piles, rules } = board.table;
  if (piles[STOCK].length) {
    return say("label.stock", { pile: name, count: piles[STOCK].length });
  }
  const key = rules.canRedeal && piles[WASTE].length ? "label.redeal" : "label.no_redeal";
  return say(key, { pile: name });
}
