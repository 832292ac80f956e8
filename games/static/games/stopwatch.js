/** Played time in milliseconds: it runs from the first action while the page is looked at, and goes on after a reload. */
export class Stopwatch {
  #now;
  #kept;
  /** @type {number | null} */
  #since = null;

  /**
   * @param {number} [kept] milliseconds played before
   * @param {() => number} [now] a clock that never goes back
   */
  constructor(kept = 0, now = () => performance.now()) {
    this.#kept = kept;
    this.#now = now;
  }

  get isRunning() {
    return this.#since !== null;
  }

  start() {
    this.#since ??= this.#now();
  }

  stop() {
    this.#kept = this.read();
    this.#since = null;
  }

  /** @returns {number} whole milliseconds */
  read() {
    return Math.round(this.#kept + (this.#since === null ? 0 : this.#now() - this.#since));
  }
}
