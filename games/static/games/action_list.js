/**
 * The list of a game's actions, as the server wrote it. Of a long game only the part around what is looked at is kept
 * in the page: laying out 10,000 lines at every step would take longer than the step.
 */

/** How many lines are in the page at once. */
const SHOWN = 400;
/** Nearer to an end than so many lines, the part moves on. */
const EDGE = 60;

export class ActionList {
  #from = 0;
  #current = 0;

  /** @param {HTMLElement} list the deal first, then a line for each action */
  constructor(list) {
    this.list = list;
    this.lines = [...list.children].map((line) => /** @type {HTMLElement} */ (line));
    if (this.lines.length > SHOWN) {
      this.#showFrom(0);
      list.addEventListener("scroll", () => this.#scrolled());
    }
  }

  /** The steps at which something is remarked on. */
  get remarks() {
    return this.lines.flatMap((line, step) => (line.querySelector(".remark") ? [step] : []));
  }

  /**
   * Mark a line as the current one, and bring it into the middle.
   *
   * @param {number} step
   */
  mark(step) {
    this.lines[this.#current].removeAttribute("aria-current");
    this.#current = step;
    const line = this.lines[step];
    line.setAttribute("aria-current", "step");
    if (this.#isNearEdge(step)) {
      this.#showFrom(step - SHOWN / 2);
    }
    this.list.scrollTop = line.offsetTop - (this.list.clientHeight - line.clientHeight) / 2;
  }

  /**
   * Whether a step lies outside the part, or so near to an end of it that lines are missing around it.
   *
   * @param {number} step
   */
  #isNearEdge(step) {
    const to = this.#from + SHOWN;
    return (step < this.#from + EDGE && this.#from > 0) || (step >= to - EDGE && to < this.lines.length);
  }

  /** @param {number} step */
  #showFrom(step) {
    this.#from = Math.max(0, Math.min(Math.round(step), this.lines.length - SHOWN));
    this.list.style.counterReset = `action ${this.#from - 1}`;
    this.list.replaceChildren(...this.lines.slice(this.#from, this.#from + SHOWN));
  }

  /** Somebody scrolls: what is in sight stays where it is while the part moves on. */
  #scrolled() {
    const { scrollTop } = this.list;
    const seen = this.lines.findIndex((line) => line.isConnected && line.offsetTop + line.clientHeight > scrollTop);
    if (seen >= 0 && this.#isNearEdge(seen)) {
      const before = this.lines[seen].offsetTop;
      this.#showFrom(seen - SHOWN / 2);
      this.list.scrollTop = scrollTop + this.lines[seen].offsetTop - before;
    }
  }
}
