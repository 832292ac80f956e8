/**
 * The controls under a replay: play, pause, step, jump, speed, by buttons, slider and keys. It knows positions only;
 * whoever listens shows what belongs to one.
 *
 * @typedef {object} Passage where the controls are now
 * @property {number} position
 * @property {boolean} isPlaying whether it goes on by itself
 */

/** Playing faster than a screen can show, several positions are passed at once. */
const FRAME = 16;

/** How fast a replay can run, beside real time. */
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 64];

export class Transport {
  #position = 0;
  #timer = 0;
  #isPlaying = false;
  /** @type {((passage: Passage) => void)[]} */
  #listeners = [];

  /**
   * @param {HTMLElement} root the server's controls
   * @param {import("./timeline.js").Timeline} timeline
   * @param {ReadonlySet<number>} [stops] positions at which playing pauses
   */
  constructor(root, timeline, stops = new Set()) {
    this.root = root;
    this.timeline = timeline;
    this.stops = stops;
    this.slider = /** @type {HTMLInputElement} */ (part(root, "[data-slider]"));
    this.speed = /** @type {HTMLSelectElement} */ (part(root, "[data-speed]"));
    this.slider.addEventListener("input", () => this.jump(Number(this.slider.value)));
    for (const button of root.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.#press(button.getAttribute("data-go") ?? ""));
    }
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#show();
    root.hidden = false;
  }

  get position() {
    return this.#position;
  }

  get last() {
    return this.timeline.places.length - 1;
  }

  /** @param {(passage: Passage) => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
    listener({ position: this.#position, isPlaying: this.#isPlaying });
  }

  /**
   * Go by another timeline, to that position of it.
   *
   * @param {import("./timeline.js").Timeline} timeline
   * @param {number} position
   */
  follow(timeline, position) {
    this.timeline = timeline;
    this.jump(position);
  }

  /**
   * Show a position, and stay there.
   *
   * @param {number} position
   */
  jump(position) {
    this.pause();
    this.#go(position);
  }

  play() {
    if (this.#position === this.last) {
      this.#go(0);
    }
    this.#isPlaying = true;
    this.#show();
    this.#wait(0);
  }

  pause() {
    clearTimeout(this.#timer);
    this.#isPlaying = false;
    this.#show();
  }

  /** @param {number} owed milliseconds that have passed already */
  #wait(owed) {
    let next = this.#position;
    let due = -owed;
    do {
      next += 1;
      due += this.timeline.waits[next] / Number(this.speed.value);
    } while (due < FRAME && next < this.last && !this.stops.has(next));
    const start = performance.now();
    this.#timer = window.setTimeout(() => this.#arrive(next, performance.now() - start - due), Math.max(due, 0));
  }

  /**
   * @param {number} position
   * @param {number} late milliseconds
   */
  #arrive(position, late) {
    if (position === this.last || this.stops.has(position)) {
      this.#isPlaying = false;
    }
    this.#go(position);
    if (this.#isPlaying) {
      this.#wait(Math.min(late, FRAME));
    }
  }

  /** @param {number} position */
  #go(position) {
    this.#position = Math.max(0, Math.min(this.last, position));
    this.#show();
    for (const listener of this.#listeners) {
      listener({ position: this.#position, isPlaying: this.#isPlaying });
    }
  }

  #show() {
    this.slider.max = String(this.last);
    this.slider.value = String(this.#position);
    const button = part(this.root, "[data-go=play]");
    button.classList.toggle("playing", this.#isPlaying);
    button.setAttribute("aria-label", button.dataset[this.#isPlaying ? "pause" : "play"] ?? "");
  }

  /** @param {string} way */
  #press(way) {
    if (way === "play") {
      (this.#isPlaying ? this.pause : this.play).call(this);
      return;
    }
    const targets = { first: 0, back: this.#position - 1, on: this.#position + 1, last: this.last };
    this.jump(targets[/** @type {keyof typeof targets} */ (way)]);
  }

  /** @param {number} step how much faster (1) or slower (-1) */
  #change(step) {
    const index = SPEEDS.indexOf(Number(this.speed.value)) + step;
    this.speed.value = String(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index))]);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("select, textarea")) {
      return;
    }
    const isPressed = event.key === " " && target.closest("button, a, summary, [type=checkbox]");
    const isSlid = target === this.slider && event.key !== " " && event.key !== "+" && event.key !== "-";
    const act = isPressed || isSlid ? undefined : this.#keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  /** @type {Record<string, () => void>} */
  #keys = {
    " ": () => this.#press("play"),
    ArrowLeft: () => this.#press("back"),
    ArrowRight: () => this.#press("on"),
    Home: () => this.#press("first"),
    End: () => this.#press("last"),
    "+": () => this.#change(1),
    "-": () => this.#change(-1),
  };
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(root, selector) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) {
    throw new TypeError(`the page has no ${selector}`);
  }
  return found;
}
