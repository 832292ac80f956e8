/** Klondike in its four modes: draw 1 or 3, Normal or Vegas scoring. */

import { KING, isRed, rankOf } from "./cards.js";

/** @type {import("./table.js").Rules} */
export const klondike = {
  packs: 1,
  columnSizes: [1, 2, 3, 4, 5, 6, 7],
  foundationCount: 4,
  shuffleSequence: 52,
  hidesCards: true,
  movesRuns: true,
  drawSize: 1,
  canRedeal: true,
  startScore: 0,
  homePoints: 10,
  wasteToColumnPoints: 5,
  turnUpPoints: 5,
  takeBackPoints: 0,
  redealPoints: -100,
  // Taking back is free, so placing the card again must not earn again.
  earnsHomePointsOnce: true,
  isVegas: false,
  misfit(card, top) {
    if (top === undefined) {
      return rankOf(card) === KING ? null : "not_a_king";
    }
    if (rankOf(top) !== rankOf(card) + 1) {
      return "wrong_rank";
    }
    return isRed(top) === isRed(card) ? "wrong_colour" : null;
  },
};

/** @type {import("./table.js").Rules} */
export const klondikeDraw3 = { ...klondike, drawSize: 3 };

/**
 * $52 for the pack, $5 back for each card home, one pass.
 *
 * @type {import("./table.js").Rules}
 */
export const klondikeVegas = {
  ...klondike,
  canRedeal: false,
  startScore: -52,
  homePoints: 5,
  wasteToColumnPoints: 0,
  turnUpPoints: 0,
  redealPoints: 0,
  isVegas: true,
};

/** @type {import("./table.js").Rules} */
export const klondikeDraw3Vegas = { ...klondikeVegas, drawSize: 3 };
