/**
 * Playing by keyboard. A cursor moves over the piles with the arrows; a pile's letter goes straight to it, and puts
 * held cards there. It knows keys and the board, not the document.
 */

import { STOCK, WASTE, isColumn } from "./movelog.js";

export class Keyboard {
  /** The pile that the keys act on. */
  cursor = "a";

  /**
   * @param {import("./board.js").Board} board
   * @param {{isLeftHanded: () => boolean, isPlacedAnyway: () => boolean}} options
   */
  constructor(board, options) {
    this.board = board;
    this.options = options;
  }

  /**
   * @param {string} key as `KeyboardEvent.key`
   * @param {{isCommand?: boolean, isShifted?: boolean}} [modifiers] Ctrl or Cmd, Shift
   * @returns {boolean} whether the key meant something
   */
  press(key, { isCommand = false, isShifted = false } = {}) {
    const name = key.length === 1 ? key.toLowerCase() : key;
    if (isCommand) {
      return name === "z" && !isShifted && this.#do(() => this.board.undo());
    }
    if (name.startsWith("Arrow")) {
      return this.#do(() => this.#arrow(name));
    }
    if (name.length === 1 && Object.hasOwn(this.board.table.piles, name)) {
      return this.#do(() => this.#goTo(name));
    }
    switch (name) {
      case "Enter":
      case " ":
        return this.#do(() => this.activate(this.cursor));
      case "Escape":
        return this.board.held !== null && this.#do(() => this.board.release());
      case "Backspace":
      case "u":
        return this.#do(() => this.board.undo());
      case "m":
        return this.#do(() => this.#placeBest());
      default:
        return false;
    }
  }

  /**
   * What Enter does on a pile: draw from the stock, put held cards down, else lift the top card.
   *
   * @param {string} pile
   */
  activate(pile) {
    this.cursor = pile;
    if (this.board.held?.by === "keys") {
      this.board.drop(pile, this.options.isPlacedAnyway());
    } else if (pile === STOCK) {
      this.board.turnStock();
    } else if (!this.board.lift(pile, 1, "keys") && !this.board.isOver) {
      this.board.refuse({ reason: "pile_empty", pile });
    }
  }

  /**
   * @param {() => unknown} action
   * @returns {true}
   */
  #do(action) {
    action();
    return true;
  }

  /** @param {string} pile */
  #goTo(pile) {
    this.cursor = pile;
    if (pile === STOCK || this.board.held) {
      this.activate(pile);
    }
  }

  #placeBest() {
    const held = this.board.held ?? { from: this.cursor, count: 1 };
    if (this.board.canLift(held.from, held.count)) {
      this.board.place(held.from, held.count);
    }
  }

  /** @param {string} name */
  #arrow(name) {
    const held = this.board.held;
    if (held && held.from === this.cursor && isColumn(held.from) && (name === "ArrowUp" || name === "ArrowDown")) {
      const count = held.count + (name === "ArrowUp" ? 1 : -1);
      if (this.board.canLift(held.from, count)) {
        this.board.lift(held.from, count, "keys");
        return;
      }
    }
    this.#step(name);
  }

  /** @param {string} name */
  #step(name) {
    const { table } = this.board;
    const stock = this.options.isLeftHanded() ? [STOCK, WASTE] : [WASTE, STOCK];
    const upper = this.options.isLeftHanded() ? [...stock, ...table.foundations] : [...table.foundations, ...stock];
    const rows = [upper, [...table.columns]];
    const row = isColumn(this.cursor) ? 1 : 0;
    const place = rows[row].indexOf(this.cursor);
    if (name === "ArrowLeft" || name === "ArrowRight") {
      const step = name === "ArrowLeft" ? -1 : 1;
      this.cursor = rows[row][(place + step + rows[row].length) % rows[row].length];
      return;
    }
    const other = rows[name === "ArrowUp" ? 0 : 1];
    if (other !== rows[row]) {
      this.cursor = other[Math.round((place / (rows[row].length - 1)) * (other.length - 1))];
    }
  }
}
