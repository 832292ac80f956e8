/**
 * Taps and clicks, told apart by time: the first acts at once, a second one within 300 ms on a card that the first
 * didn't move is a double tap. Any further tap on the same pile within that time is one too many and does nothing, so
 * that a double or triple click never plays the card beneath.
 */

import { STOCK, WASTE, isColumn } from "./movelog.js";

export const DOUBLE_MS = 300;

export class Taps {
  /** @type {{pile: string, card: number | null, time: number, isSpent: boolean} | null} */
  #last = null;

  /**
   * @param {import("./board.js").Board} board
   * @param {{isDoubleTapOn: () => boolean}} options
   */
  constructor(board, options) {
    this.board = board;
    this.options = options;
  }

  /**
   * @param {{pile: string, count: number, card: number | null}} spot where the tap went: the pile, the card and how
   *   many cards of the pile it would take along
   * @param {number} time milliseconds
   */
  tap(spot, time) {
    if (spot.pile === STOCK) {
      this.#last = null;
      this.board.turnStock();
      return;
    }
    const isAgain = this.#last !== null && this.#last.pile === spot.pile && time - this.#last.time <= DOUBLE_MS;
    const isDouble = isAgain && !this.#last?.isSpent && this.#last?.card === spot.card;
    if (isAgain && !isDouble) {
      this.#last = { ...spot, time, isSpent: true };
      return;
    }
    const isSpent = isDouble ? this.#double(spot) : this.#single(spot);
    this.#last = { ...spot, time, isSpent: isSpent || isDouble };
  }

  /** @param {{pile: string, count: number, card: number | null}} spot */
  #single({ pile, count, card }) {
    return card !== null && count === 1 && this.board.tap(pile);
  }

  /** @param {{pile: string, count: number, card: number | null}} spot */
  #double({ pile, count, card }) {
    const isMovable = card !== null && this.board.canLift(pile, count) && (isColumn(pile) || pile === WASTE);
    return this.options.isDoubleTapOn() && isMovable && this.board.place(pile, count);
  }
}
