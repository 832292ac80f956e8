/**
 * What the rules refuse, as data: a reason for machines and the cards and piles that it is about. `words.js` makes the
 * sentence for people, in their language.
 *
 * @typedef {object} Refusal
 * @property {string} reason a word of the notation: `wrong_rank`
 * @property {number} [card] the card that was to move
 * @property {number} [onto] the card that it was to lie on
 * @property {number} [wanted] the card that the foundation takes next; rank 14 where it is complete
 * @property {string} [pile] the pile that is to blame
 * @property {number} [count] how many cards were to move
 * @property {number} [available] how many there are
 */

/** An action that the rules refuse. The table is as it was before. */
export class IllegalAction extends Error {
  /** @param {Refusal} refusal */
  constructor(refusal) {
    super(refusal.reason);
    this.name = "IllegalAction";
    this.refusal = refusal;
  }
}

/** A move log that can't be read: `bad_notation`, `log_too_large` or `too_many_actions`. Nothing of it is played. */
export class BadLog extends Error {
  /**
   * @param {string} reason
   * @param {number | null} [index] the place of the action to blame, from 0
   * @param {string | null} [action] as it was written
   */
  constructor(reason, index = null, action = null) {
    super(reason);
    this.name = "BadLog";
    this.reason = reason;
    this.index = index;
    this.action = action;
  }
}

/** A deal code that names no deal. `problem` says which part is wrong: `letters`, `prefix`, `length` or `digit`. */
export class BadCode extends Error {
  /**
   * @param {"letters" | "prefix" | "length" | "digit"} problem
   * @param {string} [found] what stands there instead
   */
  constructor(problem, found = "") {
    super(`bad_code: ${problem} ${found}`.trim());
    this.name = "BadCode";
    this.problem = problem;
    this.found = found;
  }
}
