/**
 * One game of a replay page: the table, the list of its actions with the current one marked, the score's curve, and
 * what is remarked on at an action. The words are the server's, in the list.
 *
 * @typedef {object} Game what the server says of a game
 * @property {import("./deals.js").DealJson} deal
 * @property {string} log
 * @property {number[]} times
 */

import { ActionList } from "./action_list.js";
import { Board } from "./board.js";
import { dealFromJson } from "./deals.js";
import { Playback } from "./playback.js";
import { Renderer } from "./render.js";
import { part } from "./transport.js";
import { say } from "./words.js";

/** Actions that follow each other faster than this, in milliseconds, are not waited for by travelling cards. */
export const QUICK = 150;

export class Viewer {
  /** @type {((step: number) => void)[]} */
  #chosen = [];

  /**
   * @param {HTMLElement} root
   * @param {Game} game
   * @param {import("./settings.js").Settings} settings
   * @param {Record<string, string>} pictures addresses of the court cards by their text
   * @param {() => number} height that the table may take
   */
  constructor(root, game, settings, pictures, height) {
    this.root = root;
    const deal = dealFromJson(game.deal);
    this.playback = new Playback(deal, game.log);
    this.playback.go(0);
    this.times = game.times;
    this.board = new Board(deal);
    this.board.close();
    this.actions = new ActionList(part(root, "[data-actions]"));
    this.said = part(root, "[data-words]");
    this.remark = root.querySelector("[data-remark]");
    this.curve = root.querySelector("[data-curve]");
    this.cursor = root.querySelector("[data-cursor]");
    this.table = part(root, "[data-table]");
    this.renderer = new Renderer(this.table, this.board, settings, pictures, height);
    this.actions.list.addEventListener("click", (event) => this.#choose(event));
    this.curve?.addEventListener("click", (event) => this.#point(/** @type {MouseEvent} */ (event)));
    new ResizeObserver(() => this.renderer.resize()).observe(this.table);
    this.show(0, false);
  }

  get length() {
    return this.playback.length;
  }

  /** @param {(step: number) => void} listener hears which action somebody pointed at */
  listen(listener) {
    this.#chosen.push(listener);
  }

  /**
   * Show the table after so many actions.
   *
   * @param {number} step
   * @param {boolean} isQuick whether the next one comes at once
   */
  show(step, isQuick) {
    const isNext = Math.abs(step - this.playback.at) <= 1;
    this.actions.mark(step);
    this.playback.go(step);
    this.board.table = this.playback.table;
    this.table.classList.toggle("quick", isQuick);
    if (isNext) {
      this.renderer.update();
    } else {
      this.renderer.resize();
    }
    this.cursor?.setAttribute("x1", String(step));
    this.cursor?.setAttribute("x2", String(step));
    this.said.textContent = this.words(step);
    this.#showRemark(step);
  }

  /**
   * What was done last, in words, with the score after it.
   *
   * @param {number} step
   */
  words(step) {
    const line = this.actions.lines[step];
    return `${text(line, ".what")}. ${say("said.score", { score: text(line, ".score") })}`;
  }

  /** @param {number} step */
  #showRemark(step) {
    if (this.remark) {
      const remark = this.actions.lines[step].querySelector(".remark");
      this.remark.replaceChildren(...(remark ? [...remark.cloneNode(true).childNodes] : []));
    }
  }

  /** @param {Event} event */
  #choose(event) {
    const line = event.target instanceof Element ? event.target.closest("li") : null;
    if (line) {
      this.#tell(this.actions.lines.indexOf(line));
    }
  }

  /** @param {MouseEvent} event */
  #point(event) {
    const box = /** @type {Element} */ (this.curve).getBoundingClientRect();
    this.#tell(Math.round(((event.clientX - box.left) / box.width) * this.#span()));
  }

  /** How many actions the curve is wide: those of the longer game where two lie side by side. */
  #span() {
    return /** @type {SVGSVGElement} */ (this.curve).viewBox.baseVal.width;
  }

  /** @param {number} step */
  #tell(step) {
    for (const listener of this.#chosen) {
      listener(Math.min(step, this.length));
    }
  }
}

/**
 * @param {Element} root
 * @param {string} selector
 */
function text(root, selector) {
  return root.querySelector(selector)?.textContent?.trim() ?? "";
}
