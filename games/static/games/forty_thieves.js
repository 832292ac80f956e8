/** Forty Thieves, "Quarante Voleurs": two packs, ten columns, one card at a time, in suit, one pass of the stock. */

import { rankOf, suitOf } from "./cards.js";

/** @type {import("./table.js").Rules} */
export const fortyThieves = {
  packs: 2,
  columnSizes: Array(10).fill(4),
  foundationCount: 8,
  shuffleSequence: 104,
  hidesCards: false,
  movesRuns: false,
  drawSize: 1,
  canRedeal: false,
  startScore: 0,
  homePoints: 10,
  wasteToColumnPoints: 5,
  turnUpPoints: 0,
  takeBackPoints: -15,
  redealPoints: 0,
  // A card taken back costs more than it earns when it is placed again, so it may earn again: both scores are equal.
  earnsHomePointsOnce: false,
  isVegas: false,
  misfit(card, top) {
    if (top === undefined) {
      return null;
    }
    if (rankOf(top) !== rankOf(card) + 1) {
      return "wrong_rank";
    }
    return suitOf(top) === suitOf(card) ? null : "wrong_suit";
  },
};
