/**
 * The pointer on the table, whichever it is: mouse, finger or pen. A press that stays in place is a tap; one that moves
 * lifts the cards under it, which keep their place under the pointer until they are dropped.
 */

const STILL_PX = { mouse: 4, pen: 6, touch: 9 };

/**
 * @typedef {object} Press
 * @property {number} pointer
 * @property {number} x where it began, in the window
 * @property {number} y
 * @property {number} still how far it may move and still be a tap
 * @property {{pile: string, count: number, card: number | null}} spot
 * @property {import("./geometry.js").Place | null} grip from the corner of the lifted card to the pointer, once it drags
 */

export class Drag {
  /** @type {Press | null} */
  #press = null;
  #ended = new AbortController();

  /**
   * @param {import("./render.js").Renderer} renderer
   * @param {import("./tap.js").Taps} taps
   * @param {{isPlacedAnyway: () => boolean}} options
   */
  constructor(renderer, taps, options) {
    this.renderer = renderer;
    this.board = renderer.board;
    this.taps = taps;
    this.options = options;
    const { root } = renderer;
    const { signal } = this.#ended;
    root.addEventListener("pointerdown", (event) => this.#begin(event), { signal });
    root.addEventListener("pointermove", (event) => this.#move(event), { signal });
    root.addEventListener("pointerup", (event) => this.#end(event), { signal });
    root.addEventListener("pointercancel", () => this.cancel(), { signal });
    root.addEventListener("contextmenu", (event) => this.#press && event.preventDefault(), { signal });
    root.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
    // Whatever else changes the board while cards are dragged, such as an undo, ends the drag.
    this.board.listen((change) => change.kind !== "held" && this.#forget());
  }

  /** Stop listening. */
  end() {
    this.#ended.abort();
  }

  /** Let dragged cards fall back. */
  cancel() {
    const wasDragging = this.#press?.grip;
    this.#forget();
    if (wasDragging) {
      this.board.release();
    }
  }

  #forget() {
    this.#press = null;
    this.renderer.endDrag();
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    if (this.#press || !event.isPrimary || event.button !== 0) {
      return;
    }
    const table = this.renderer.root.getBoundingClientRect();
    const spot = this.renderer.spotAt({ x: event.clientX - table.left, y: event.clientY - table.top });
    if (!spot) {
      return;
    }
    const still = STILL_PX[/** @type {keyof typeof STILL_PX} */ (event.pointerType)] ?? STILL_PX.touch;
    this.#press = { pointer: event.pointerId, x: event.clientX, y: event.clientY, still, spot, grip: null };
    this.renderer.root.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const press = this.#press;
    if (press?.pointer !== event.pointerId) {
      return;
    }
    if (!press.grip && !this.#lift(press, event)) {
      return;
    }
    this.#follow(event);
  }

  /**
   * @param {Press} press
   * @param {PointerEvent} event
   * @returns {boolean} whether the cards are lifted now
   */
  #lift(press, event) {
    const { card, pile, count } = press.spot;
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) <= press.still || card === null) {
      return false;
    }
    const table = this.renderer.root.getBoundingClientRect();
    const place = this.renderer.placeOf(card);
    if (!this.board.lift(pile, count, "drag")) {
      return false;
    }
    press.grip = { x: press.x - table.left - place.x, y: press.y - table.top - place.y };
    return true;
  }

  /** @param {PointerEvent} event */
  #follow(event) {
    const grip = this.#press?.grip;
    if (grip) {
      const table = this.renderer.root.getBoundingClientRect();
      this.renderer.drag(event.clientX - table.left - grip.x, event.clientY - table.top - grip.y);
    }
  }

  /** @param {PointerEvent} event */
  #end(event) {
    const press = this.#press;
    if (press?.pointer !== event.pointerId) {
      return;
    }
    if (press.grip) {
      this.#follow(event);
      const onto = this.board.meant(this.renderer.pilesUnderDrag());
      this.#forget();
      this.board.drop(onto, this.options.isPlacedAnyway());
      return;
    }
    this.#press = null;
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) <= press.still * 2) {
      this.board.release();
      this.taps.tap(press.spot, event.timeStamp);
    }
  }
}
