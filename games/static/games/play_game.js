/** One game on the page: its table, figures, messages and keys. */

import { announcement } from "./announce.js";
import { Drag } from "./drag.js";
import { Keyboard } from "./keyboard.js";
import { STOCK } from "./movelog.js";
import { find, part, show } from "./play_page.js";
import { Renderer } from "./render.js";
import { Taps } from "./tap.js";
import { clockText, number, refusalText, say, scoreText } from "./words.js";

const MESSAGE_MS = 6000;

export class Game {
  #ended = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #message;

  /**
   * @param {import("./board.js").Board} board
   * @param {import("./settings.js").Settings} settings
   * @param {Record<string, string>} pictures
   */
  constructor(board, settings, pictures) {
    this.board = board;
    this.settings = settings;
    const root = part("#table");
    this.renderer = new Renderer(root, board, settings, pictures);
    const isPlacedAnyway = () => settings.choices.automaticPlacement;
    const taps = new Taps(board, { isDoubleTapOn: () => settings.choices.doubleTap });
    this.drag = new Drag(this.renderer, taps, { isPlacedAnyway });
    this.keyboard = new Keyboard(board, { isLeftHanded: () => settings.choices.leftHanded, isPlacedAnyway });
    board.listen((change) => this.#changed(change));
    this.#listen(root);
    this.resize();
    this.#showFigures();
  }

  /** Take the game off the page. */
  end() {
    this.drag.end();
    this.#ended.abort();
    clearInterval(this.ticking);
    clearTimeout(this.#message);
    show(part("#message"), "");
    this.board.stopwatch.stop();
  }

  resize() {
    this.renderer.resize();
  }

  /** @param {HTMLElement} root */
  #listen(root) {
    const { signal } = this.#ended;
    let width = root.clientWidth;
    const observer = new ResizeObserver(() => {
      // The height follows the cards; only a new width lays them out anew.
      if (root.clientWidth !== width) {
        width = root.clientWidth;
        this.resize();
      }
    });
    observer.observe(root);
    signal.addEventListener("abort", () => observer.disconnect());
    window.addEventListener("resize", () => this.resize(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event, root), { signal });
    root.addEventListener("focusin", (event) => this.#focused(event), { signal });
    // A screen reader's click comes without a pointer.
    root.addEventListener("click", (event) => event.detail === 0 && this.#activate(event.target), { signal });
    document.addEventListener("visibilitychange", () => this.#keepTime(), { signal });
    part("#undo").addEventListener("click", () => this.board.undo(), { signal });
    this.ticking = setInterval(() => this.#showTime(), 500);
  }

  /** @param {import("./board.js").Change} change */
  #changed(change) {
    this.renderer.update();
    this.#showFigures();
    part("#announcer").textContent = announcement(this.board, change);
    if (change.kind === "refused" && change.refusal && this.settings.choices.interactiveRules) {
      this.#say(refusalText(change.refusal));
    } else if (change.kind === "played") {
      this.#say("");
    }
  }

  /** @param {string} text */
  #say(text) {
    clearTimeout(this.#message);
    show(part("#message"), text);
    if (text) {
      this.#message = setTimeout(() => show(part("#message"), ""), MESSAGE_MS);
    }
  }

  #showFigures() {
    const { table, mode } = this.board;
    part("#score").textContent = scoreText(table.figures.score, mode.rules.isVegas);
    part("#moves").textContent = number(table.figures.moves);
    part("#stock-count").textContent = number(table.piles[STOCK].length);
    const undo = find("#undo", HTMLButtonElement);
    // Not disabled: a disabled button would lose the focus.
    undo.setAttribute("aria-disabled", String(table.undoable === 0 || this.board.isOver));
    show(part("#room"), this.board.room <= 500 ? say("said.room", { count: this.board.room }) : "");
    this.#showTime();
  }

  #showTime() {
    part("#time").textContent = clockText(this.board.stopwatch.read());
  }

  /** Time runs only while the page is looked at. */
  #keepTime() {
    const isPlaying = this.board.actionCount > 0 && !this.board.isOver;
    if (document.visibilityState === "hidden") {
      this.board.stopwatch.stop();
    } else if (isPlaying) {
      this.board.stopwatch.start();
    }
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} root
   */
  #key(event, root) {
    const isCommand = event.ctrlKey || event.metaKey;
    const isOnTable = root.contains(document.activeElement);
    const focused = document.activeElement;
    const isFree = !focused || focused === document.body || focused.closest(".tools") !== null;
    const isUndo = isCommand && event.key.toLowerCase() === "z";
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.altKey || isTyping || document.querySelector("dialog[open]") || !(isOnTable || isFree || isUndo)) {
      return;
    }
    // With the focus nowhere or on a button, keys that scroll or press it keep their meaning.
    if (isFree && !isUndo && (event.key === " " || event.key.startsWith("Arrow") || event.key === "Enter")) {
      return;
    }
    if (isCommand && !isUndo) {
      return;
    }
    if (this.keyboard.press(event.key, { isCommand, isShifted: event.shiftKey })) {
      event.preventDefault();
      if (isOnTable || isFree) {
        this.renderer.focus(this.keyboard.cursor);
      }
    }
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    if (event.target instanceof HTMLElement && event.target.dataset.pile) {
      this.keyboard.cursor = event.target.dataset.pile;
    }
  }

  /** @param {EventTarget | null} target */
  #activate(target) {
    if (target instanceof HTMLElement && target.dataset.pile) {
      this.keyboard.activate(target.dataset.pile);
    }
  }
}
