/**
 * The table of one game in progress: its piles, the moves between them, the score and the undo window. What differs
 * between games is in their `Rules`.
 *
 * @typedef {object} Rules
 * @property {number} packs
 * @property {readonly number[]} columnSizes
 * @property {number} foundationCount
 * @property {number} shuffleSequence what the generator of the shuffle is seeded with beside the code's number
 * @property {boolean} hidesCards whether all but the last card of each column are dealt face down
 * @property {boolean} movesRuns whether cards move together
 * @property {number} drawSize
 * @property {boolean} canRedeal
 * @property {number} startScore points; Vegas: dollars, like all of these
 * @property {number} homePoints for a card placed on a foundation
 * @property {number} wasteToColumnPoints
 * @property {number} turnUpPoints
 * @property {number} takeBackPoints
 * @property {number} redealPoints
 * @property {boolean} earnsHomePointsOnce whether a card that was taken back earns nothing in the ranked score again
 * @property {boolean} isVegas whether points are dollars
 * @property {(card: number, top: number | undefined) => string | null} misfit why a card can't go on a column's top
 *   card, or on the empty column (undefined); null where it can
 *
 * @typedef {object} Layout
 * @property {readonly (readonly number[])[]} columns left to right, the last card of each on top
 * @property {readonly number[]} stock the first is drawn first
 *
 * @typedef {object} Figures
 * @property {number} score
 * @property {number} rankedScore
 * @property {number} moves every action but undos, those later undone too
 * @property {number} undos
 * @property {number} draws
 * @property {number} recycles
 * @property {number} wasteToColumn
 * @property {number} takenBack
 *
 * @typedef {object} Remembered
 * @property {import("./movelog.js").Action} action
 * @property {Figures} figures those before the action
 * @property {number} drawn how many cards a draw turned
 * @property {boolean} turnedUp whether a move turned a card up
 * @property {[string, number] | null} highest a foundation and what stood in `highest` for it before
 */

import { KING, rankOf, suitOf } from "./cards.js";
import { IllegalAction } from "./errors.js";
import { COLUMNS, FOUNDATIONS, STOCK, WASTE, isColumn, isFoundation } from "./movelog.js";

/** Undo takes back this many actions; what lies further back is forgotten for good. */
export const UNDO_LIMIT = 100;

/** One game being played. `play` is the only way to change it. */
export class Table {
  /** @type {Record<string, number[]>} by letter; the last card of each is on top, of the stock the next to be drawn */
  piles = {};
  /** @type {Record<string, number>} by column, how many of its cards lie face down */
  faceDown = {};
  /** @type {Record<string, number>} by foundation, the highest rank that has earned its points */
  #highest = {};
  /** @type {Remembered[]} */
  #history = [];
  /** @type {Figures} */
  figures;

  /**
   * @param {Rules} rules
   * @param {Layout} layout
   */
  constructor(rules, layout) {
    this.rules = rules;
    /** @type {readonly string[]} */
    this.columns = COLUMNS.slice(0, rules.columnSizes.length).split("");
    /** @type {readonly string[]} */
    this.foundations = FOUNDATIONS.slice(0, rules.foundationCount).split("");
    this.columns.forEach((column, i) => {
      this.piles[column] = [...layout.columns[i]];
      this.faceDown[column] = rules.hidesCards ? layout.columns[i].length - 1 : 0;
    });
    for (const foundation of this.foundations) {
      this.piles[foundation] = [];
      this.#highest[foundation] = 0;
    }
    this.piles[STOCK] = [...layout.stock].reverse();
    this.piles[WASTE] = [];
    this.figures = {
      score: rules.startScore,
      rankedScore: rules.startScore,
      moves: 0,
      undos: 0,
      draws: 0,
      recycles: 0,
      wasteToColumn: 0,
      takenBack: 0,
    };
  }

  /** The same game apart: what is played on one isn't on the other. */
  copy() {
    const copy = new Table(this.rules, { columns: this.columns.map(() => []), stock: [] });
    for (const [pile, cards] of Object.entries(this.piles)) {
      copy.piles[pile] = [...cards];
    }
    copy.faceDown = { ...this.faceDown };
    copy.figures = { ...this.figures };
    copy.#highest = { ...this.#highest };
    copy.#history = [...this.#history];
    return copy;
  }

  /** How many cards lie on the foundations. */
  get foundationCards() {
    return this.foundations.reduce((sum, foundation) => sum + this.piles[foundation].length, 0);
  }

  /** Whether every card is on the foundations. */
  get isWon() {
    return this.foundationCards === 52 * this.rules.packs;
  }

  /** How many actions undo can take back now. */
  get undoable() {
    return this.isWon ? 0 : this.#history.length;
  }

  /**
   * The card that a foundation takes next, of rank 14 where it is complete.
   *
   * @param {string} foundation
   * @returns {number}
   */
  wanted(foundation) {
    return (this.foundations.indexOf(foundation) % 4) * 16 + this.piles[foundation].length + 1;
  }

  /**
   * How many cards of a column lie face up.
   *
   * @param {string} column
   * @returns {number}
   */
  faceUp(column) {
    return this.piles[column].length - this.faceDown[column];
  }

  /**
   * Why the rules refuse an action, with the first reason of the notation; null where it can be played.
   *
   * @param {import("./movelog.js").Action} action
   * @returns {import("./errors.js").Refusal | null}
   */
  refusal(action) {
    if (this.isWon) {
      return { reason: "game_over" };
    }
    switch (action.kind) {
      case "undo":
        return this.#history.length ? null : { reason: "nothing_to_undo" };
      case "draw":
        return this.piles[STOCK].length ? null : { reason: "stock_empty" };
      case "redeal":
        return this.#redealRefusal();
      default:
        return this.#moveRefusal(action);
    }
  }

  /**
   * Play an action.
   *
   * @param {import("./movelog.js").Action} action
   * @throws {IllegalAction} and then nothing has changed
   */
  play(action) {
    const refusal = this.refusal(action);
    if (refusal) {
      throw new IllegalAction(refusal);
    }
    if (action.kind === "undo") {
      this.#undo();
      return;
    }
    /** @type {Remembered} */
    const remembered = { action, figures: { ...this.figures }, drawn: 0, turnedUp: false, highest: null };
    this.figures.moves += 1;
    if (action.kind === "draw") {
      this.#draw(remembered);
    } else if (action.kind === "redeal") {
      this.#redeal();
    } else {
      this.#move(remembered);
    }
    this.#history.push(remembered);
    if (this.#history.length > UNDO_LIMIT) {
      this.#history.shift();
    }
  }

  /** @returns {import("./errors.js").Refusal | null} */
  #redealRefusal() {
    if (!this.rules.canRedeal) {
      return { reason: "no_recycle" };
    }
    if (this.piles[STOCK].length) {
      return { reason: "stock_not_empty", available: this.piles[STOCK].length };
    }
    return this.piles[WASTE].length ? null : { reason: "waste_empty" };
  }

  /**
   * @param {import("./movelog.js").Action} action
   * @returns {import("./errors.js").Refusal | null}
   */
  #moveRefusal({ from, to, count }) {
    const missing = [from, to].find((pile) => !Object.hasOwn(this.piles, pile));
    if (missing) {
      return { reason: "no_such_pile", pile: missing };
    }
    if (from === to) {
      return { reason: "same_pile", pile: from };
    }
    if (count > 1 && !this.rules.movesRuns) {
      return { reason: "one_card_at_a_time", count };
    }
    const source = this.piles[from];
    if (!source.length) {
      return { reason: "pile_empty", pile: from };
    }
    if (count > 1 && count > this.faceUp(from)) {
      return { reason: "not_enough_cards", pile: from, count, available: this.faceUp(from) };
    }
    const card = source[source.length - count];
    return isFoundation(to) ? this.#homeRefusal(card, to) : this.#columnRefusal(card, to);
  }

  /**
   * @param {number} card
   * @param {string} foundation
   * @returns {import("./errors.js").Refusal | null}
   */
  #homeRefusal(card, foundation) {
    const wanted = this.wanted(foundation);
    if (suitOf(card) !== suitOf(wanted)) {
      return { reason: "wrong_foundation", card, wanted, pile: foundation };
    }
    return rankOf(card) === rankOf(wanted) ? null : { reason: "wrong_rank", card, wanted, pile: foundation };
  }

  /**
   * @param {number} card
   * @param {string} column
   * @returns {import("./errors.js").Refusal | null}
   */
  #columnRefusal(card, column) {
    const onto = this.piles[column].at(-1);
    const reason = this.rules.misfit(card, onto);
    return reason ? { reason, card, onto, pile: column } : null;
  }

  /** @param {Remembered} remembered */
  #draw(remembered) {
    remembered.drawn = Math.min(this.rules.drawSize, this.piles[STOCK].length);
    this.piles[WASTE].push(...this.piles[STOCK].splice(-remembered.drawn).reverse());
    this.figures.draws += 1;
  }

  #redeal() {
    this.#turnOver(WASTE, STOCK);
    this.figures.recycles += 1;
    this.#charge(this.rules.redealPoints);
  }

  /** @param {Remembered} remembered */
  #move(remembered) {
    const { from, to, count } = remembered.action;
    this.#shift(from, to, count);
    if (isFoundation(to)) {
      this.#earnHome(to, remembered);
    } else if (from === WASTE) {
      this.figures.wasteToColumn += 1;
      this.#earn(this.rules.wasteToColumnPoints);
    } else if (isFoundation(from)) {
      this.#payForTakingBack(from, remembered);
    }
    if (isColumn(from) && this.faceDown[from] && !this.faceUp(from)) {
      remembered.turnedUp = true;
      this.faceDown[from] -= 1;
      this.#earn(this.rules.turnUpPoints);
    }
  }

  /**
   * @param {string} foundation
   * @param {Remembered} remembered
   */
  #earnHome(foundation, remembered) {
    this.figures.score += this.rules.homePoints;
    const rank = this.piles[foundation].length;
    if (rank > this.#highest[foundation]) {
      remembered.highest = [foundation, this.#highest[foundation]];
      this.#highest[foundation] = rank;
      this.figures.rankedScore += this.rules.homePoints;
    }
  }

  /**
   * @param {string} foundation
   * @param {Remembered} remembered
   */
  #payForTakingBack(foundation, remembered) {
    if (!this.rules.earnsHomePointsOnce) {
      remembered.highest = [foundation, this.#highest[foundation]];
      this.#highest[foundation] = this.piles[foundation].length;
    }
    this.figures.takenBack += 1;
    this.#charge(this.rules.takeBackPoints);
  }

  #undo() {
    const remembered = this.#history.pop();
    if (!remembered) {
      return;
    }
    const { action, figures, drawn, turnedUp, highest } = remembered;
    const { moves, undos } = this.figures;
    this.figures = { ...figures, moves, undos: undos + 1 };
    if (action.kind === "draw") {
      this.piles[STOCK].push(...this.piles[WASTE].splice(-drawn).reverse());
    } else if (action.kind === "redeal") {
      this.#turnOver(STOCK, WASTE);
    } else {
      if (turnedUp) {
        this.faceDown[action.from] += 1;
      }
      this.#shift(action.to, action.from, action.count);
    }
    if (highest) {
      this.#highest[highest[0]] = highest[1];
    }
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {number} count
   */
  #shift(from, to, count) {
    this.piles[to].push(...this.piles[from].splice(-count));
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  #turnOver(from, to) {
    this.piles[to] = this.piles[from].reverse();
    this.piles[from] = [];
  }

  /** @param {number} points */
  #earn(points) {
    this.figures.score += points;
    this.figures.rankedScore += points;
  }

  /**
   * Subtract what an action costs, down to 0 and not below.
   *
   * @param {number} points 0 or negative
   */
  #charge(points) {
    if (points) {
      this.figures.score = Math.max(0, this.figures.score + points);
      this.figures.rankedScore = Math.max(0, this.figures.rankedScore + points);
    }
  }
}

/**
 * Whether a foundation's next card, as `Table.wanted` gives it, stands for a complete foundation.
 *
 * @param {number} wanted
 * @returns {boolean}
 */
export function isComplete(wanted) {
  return rankOf(wanted) > KING;
}
