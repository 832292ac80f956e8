/**
 * The state of one game on the board: the table, the log that led to it, and the cards that are held. It knows no rule
 * and no document: the table says what is allowed, listeners show what happened.
 *
 * @typedef {object} Held cards lifted but not yet put down
 * @property {string} from
 * @property {number} count
 * @property {"drag" | "keys"} by
 *
 * @typedef {object} Change what listeners hear
 * @property {"played" | "refused" | "held" | "closed"} kind
 * @property {import("./movelog.js").Action | null} action
 * @property {import("./errors.js").Refusal | null} refusal
 * @property {readonly number[]} moved the cards that changed their pile, the last one on top
 * @property {number | null} turnedUp the card that turned up
 * @property {number} points what the action did to the score
 */

import { MAX_ACTIONS, STOCK, WASTE, formatLog, isColumn, isFoundation, parseAction, parseLog } from "./movelog.js";
import { bestPlace, dropPlace, tapPlace, targetsOf } from "./placement.js";
import { modeOf } from "./registry.js";
import { Stopwatch } from "./stopwatch.js";
import { Table } from "./table.js";

/** So many actions before the limit, the board says that it comes. */
export const NEARLY_FULL = 500;

export class Board {
  /** @type {import("./movelog.js").Action[]} */
  #actions = [];
  /** @type {number[]} */
  #times = [];
  /** @type {((change: Change) => void)[]} */
  #listeners = [];
  /** @type {Held | null} */
  held = null;
  /** Whether the game was handed in: nothing can be played any more. */
  isClosed = false;

  /**
   * @param {import("./deals.js").Deal} deal
   * @param {{log?: string, times?: readonly number[], elapsed?: number}} [kept] what was played before
   */
  constructor(deal, { log = "", times = [], elapsed = 0 } = {}) {
    this.deal = deal;
    this.mode = modeOf(deal.mode);
    this.table = new Table(this.mode.rules, deal);
    this.stopwatch = new Stopwatch(elapsed);
    for (const action of parseLog(log)) {
      this.table.play(action);
      this.#actions.push(action);
    }
    this.#times = this.#actions.map((_, i) => times[i] ?? times.at(-1) ?? 0);
  }

  get log() {
    return formatLog(this.#actions);
  }

  /** Milliseconds since the first action, one for each action. */
  get times() {
    return [...this.#times];
  }

  get actionCount() {
    return this.#actions.length;
  }

  /** How many more actions the log takes. */
  get room() {
    return MAX_ACTIONS - this.#actions.length;
  }

  get isOver() {
    return this.isClosed || this.table.isWon;
  }

  /** @param {(change: Change) => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** Nothing more can be played: the game was given up or handed in. */
  close() {
    this.isClosed = true;
    this.held = null;
    this.stopwatch.stop();
    this.#tell({ kind: "closed" });
  }

  /**
   * Play an action, or tell why not.
   *
   * @param {import("./movelog.js").Action} action
   * @returns {boolean}
   */
  play(action) {
    const refusal = this.#refusal(action);
    if (refusal) {
      this.refuse(refusal, action);
      return false;
    }
    this.stopwatch.start();
    const score = this.table.figures.score;
    const before = this.#snapshot();
    this.table.play(action);
    this.#actions.push(action);
    this.#times.push(this.stopwatch.read());
    this.held = null;
    if (this.table.isWon) {
      this.stopwatch.stop();
    }
    this.#tell({ kind: "played", action, points: this.table.figures.score - score, ...this.#changes(before, action) });
    return true;
  }

  /**
   * @param {import("./errors.js").Refusal} refusal
   * @param {import("./movelog.js").Action | null} [action]
   */
  refuse(refusal, action = null) {
    this.held = null;
    this.#tell({ kind: "refused", action, refusal });
  }

  undo() {
    return this.play(parseAction("u"));
  }

  /** What a tap on the stock does: draw, or turn the waste over where the stock is empty. */
  turnStock() {
    const { canRedeal } = this.mode.rules;
    const isTurnedOver = canRedeal && this.table.piles[STOCK].length === 0;
    return this.play(parseAction(isTurnedOver ? "r" : "d"));
  }

  /** @param {string} pile */
  tap(pile) {
    return this.#playOr(tapPlace(this.table, pile, this.mode.tapsWasteToColumn), pile, 1);
  }

  /**
   * Take cards to the best place there is.
   *
   * @param {string} pile
   * @param {number} count
   */
  place(pile, count) {
    return this.#playOr(bestPlace(this.table, pile, count), pile, count);
  }

  /**
   * Whether so many cards can be lifted off a pile together.
   *
   * @param {string} pile
   * @param {number} count
   */
  canLift(pile, count) {
    if (this.isOver || pile === STOCK || count < 1 || count > (this.table.piles[pile]?.length ?? 0)) {
      return false;
    }
    return count === 1 || (isColumn(pile) && this.mode.rules.movesRuns && count <= this.table.faceUp(pile));
  }

  /**
   * Hold cards, to put them down somewhere.
   *
   * @param {string} from
   * @param {number} count
   * @param {"drag" | "keys"} by
   * @returns {boolean}
   */
  lift(from, count, by) {
    if (!this.canLift(from, count)) {
      return false;
    }
    this.held = { from, count, by };
    this.#tell({ kind: "held" });
    return true;
  }

  /** Let the held cards fall back. */
  release() {
    if (this.held) {
      this.held = null;
      this.#tell({ kind: "held" });
    }
  }

  /** The cards that are held, the last one on top. */
  get heldCards() {
    return this.held ? this.table.piles[this.held.from].slice(-this.held.count) : [];
  }

  /** The piles that take the held cards. */
  get targets() {
    return this.held ? targetsOf(this.table, this.held.from, this.held.count) : [];
  }

  /**
   * The pile that is meant by one of several that dragged cards lie over: the first that takes them, else the first.
   *
   * @param {readonly string[]} piles
   * @returns {string | null}
   */
  meant(piles) {
    const targets = this.targets;
    const takesHome = targets.some(isFoundation);
    const taking = piles.find((pile) => targets.includes(pile) || (takesHome && isFoundation(pile)));
    return taking ?? piles[0] ?? null;
  }

  /**
   * Put the held cards on a pile.
   *
   * @param {string | null} onto null for nowhere in particular
   * @param {boolean} [isPlacedAnyway] whether they go to the best place where this one doesn't take them
   * @returns {boolean}
   */
  drop(onto, isPlacedAnyway = false) {
    if (!this.held || onto === this.held.from) {
      this.release();
      return false;
    }
    const { from, count } = this.held;
    const action = onto === null ? null : dropPlace(this.table, from, count, onto);
    if (action && (!isPlacedAnyway || this.table.refusal(action) === null)) {
      return this.play(action);
    }
    const best = isPlacedAnyway ? bestPlace(this.table, from, count) : null;
    if (best) {
      return this.play(best);
    }
    if (action) {
      return this.play(action);
    }
    if (onto === null) {
      this.release();
      return false;
    }
    this.refuse(this.#unnamedRefusal(from, count, onto));
    return false;
  }

  /**
   * Where a card lies: its pile and how many cards would be lifted with it.
   *
   * @param {number} card
   * @returns {{pile: string, count: number, card: number}}
   */
  spotOf(card) {
    for (const [pile, cards] of Object.entries(this.table.piles)) {
      const place = cards.lastIndexOf(card);
      if (place >= 0) {
        return { pile, count: cards.length - place, card };
      }
    }
    throw new RangeError(`card ${card} is not on the table`);
  }

  /**
   * @param {import("./movelog.js").Action} action
   * @returns {import("./errors.js").Refusal | null}
   */
  #refusal(action) {
    if (this.isClosed) {
      return { reason: "closed" };
    }
    return this.table.refusal(action) ?? (this.room > 0 ? null : { reason: "log_full" });
  }

  /**
   * @param {import("./movelog.js").Action | null} action
   * @param {string} pile
   * @param {number} count
   * @returns {boolean}
   */
  #playOr(action, pile, count) {
    if (action) {
      return this.play(action);
    }
    const cards = this.table.piles[pile];
    if (cards.length && !this.isOver && !isFoundation(pile)) {
      this.refuse({ reason: "no_place", card: cards[cards.length - count], count });
    }
    return false;
  }

  /**
   * Why cards can't be put on a pile that no log can name for them.
   *
   * @param {string} from
   * @param {number} count
   * @param {string} onto
   * @returns {import("./errors.js").Refusal}
   */
  #unnamedRefusal(from, count, onto) {
    if (!isFoundation(onto)) {
      return { reason: "stock_takes_none", pile: onto };
    }
    return isFoundation(from) ? { reason: "between_foundations" } : { reason: "run_home", count };
  }

  #snapshot() {
    const { piles, faceDown } = this.table;
    return { waste: [...piles[WASTE]], stock: [...piles[STOCK]], faceDown: { ...faceDown } };
  }

  /**
   * @param {{waste: number[], stock: number[], faceDown: Record<string, number>}} before
   * @param {import("./movelog.js").Action} action
   * @returns {{moved: readonly number[], turnedUp: number | null}}
   */
  #changes(before, action) {
    const { piles, faceDown } = this.table;
    if (action.kind === "draw") {
      return { moved: piles[WASTE].slice(before.waste.length), turnedUp: null };
    }
    if (action.kind !== "move") {
      return { moved: [], turnedUp: null };
    }
    const isTurned = faceDown[action.from] < before.faceDown[action.from];
    return {
      moved: piles[action.to].slice(-action.count),
      turnedUp: isTurned ? (piles[action.from].at(-1) ?? null) : null,
    };
  }

  /** @param {Partial<Change> & Pick<Change, "kind">} change */
  #tell(change) {
    const whole = { action: null, refusal: null, moved: [], turnedUp: null, points: 0, ...change };
    for (const listener of this.#listeners) {
      listener(whole);
    }
  }
}

/**
 * The log to go on with, of the one kept here and the one kept by the server: the longer one that can be played, the
 * one kept here where they are equal.
 *
 * @param {import("./deals.js").Deal} deal
 * @param {readonly string[]} logs those that may be gone on with, the preferred one first
 * @returns {string}
 */
export function longestLog(deal, logs) {
  let best = { log: "", count: -1 };
  for (const log of logs) {
    const count = playableLength(deal, log);
    if (count > best.count) {
      best = { log, count };
    }
  }
  return best.log;
}

/**
 * @param {import("./deals.js").Deal} deal
 * @param {string} log
 * @returns {number} how many actions it has, -1 where it can't be played
 */
function playableLength(deal, log) {
  try {
    return new Board(deal, { log }).actionCount;
  } catch {
    return -1;
  }
}
