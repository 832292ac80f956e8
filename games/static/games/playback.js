/**
 * A game to look through: the table after any of its actions. Going on plays the next actions; going back starts from
 * the nearest copy of the table that is kept, so that a log of 10,000 actions can be leafed through at will.
 */

import { parseLog } from "./movelog.js";
import { modeOf } from "./registry.js";
import { Table } from "./table.js";

/** A copy of the table is kept after so many actions each. */
export const COPY_EVERY = 200;

export class Playback {
  /** @type {Table[]} the table before the game, after `COPY_EVERY` actions, after twice as many ... */
  #copies = [];
  /** How many actions have been played on `table`. */
  at = 0;

  /**
   * @param {import("./deals.js").Deal} deal
   * @param {string} log
   * @throws {import("./errors.js").BadLog | import("./errors.js").IllegalAction} where the log can't be played
   */
  constructor(deal, log) {
    this.actions = parseLog(log);
    this.table = new Table(modeOf(deal.mode).rules, deal);
    for (const [index, action] of this.actions.entries()) {
      if (index % COPY_EVERY === 0) {
        this.#copies.push(this.table.copy());
      }
      this.table.play(action);
    }
    this.at = this.actions.length;
  }

  get length() {
    return this.actions.length;
  }

  /**
   * Make `table` what it was after so many actions.
   *
   * @param {number} step from 0 (the deal) to `length`
   */
  go(step) {
    const kept = Math.min(Math.floor(step / COPY_EVERY), this.#copies.length - 1) * COPY_EVERY;
    if (step < this.at || kept > this.at) {
      this.table = this.#copies[kept / COPY_EVERY].copy();
      this.at = kept;
    }
    while (this.at < step) {
      this.table.play(this.actions[this.at]);
      this.at += 1;
    }
  }
}
