/**
 * Shows a board: one button for each pile, which keyboard and screen reader act on, and one element for each card over
 * them. The state is shown at once; cards travel behind it, and no input waits for them. A table to look at only, as of
 * a replay, has pictures of piles instead of buttons.
 */

import { pileLabel } from "./announce.js";
import { SUITS, rankOf, suitOf } from "./cards.js";
import { drawFace, drawSuit } from "./faces.js";
import { layOut, pilesUnder, spotAt } from "./geometry.js";
import { STOCK, WASTE, isColumn, isFoundation } from "./movelog.js";
import { isComplete } from "./table.js";

/** Below this width a court card is drawn without its picture. */
const TINY_BELOW = 54;
const TRAVELLING_Z = 500;
/** Longer than any animation. */
const TRAVEL_MS_MAX = 700;
const DRAGGED_Z = 1000;

export class Renderer {
  /** @type {Map<string, HTMLElement>} */
  #piles = new Map();
  /** @type {Map<number, HTMLElement>} */
  #cards = new Map();
  /** @type {WeakMap<HTMLElement, AbortController>} the latest travel of each card */
  #travels = new WeakMap();
  /** @type {import("./geometry.js").Layout} */
  #layout;
  /** @type {{cards: readonly number[], x: number, y: number} | null} */
  #dragged = null;

  /**
   * @param {HTMLElement} root an empty element
   * @param {import("./board.js").Board} board
   * @param {import("./settings.js").Settings} settings
   * @param {Record<string, string>} pictures addresses of the court cards by their text
   * @param {(() => number) | null} [lookAt] of a table to look at only: the height that it may take
   */
  constructor(root, board, settings, pictures, lookAt = null) {
    this.root = root;
    this.board = board;
    this.settings = settings;
    this.pictures = pictures;
    this.lookAt = lookAt;
    const piles = document.createElement("div");
    const cards = document.createElement("div");
    cards.className = "cards";
    cards.setAttribute("aria-hidden", "true");
    for (const pile of this.#readingOrder()) {
      const button = this.#makePile(pile);
      this.#piles.set(pile, button);
      piles.append(button);
    }
    for (const card of Object.values(board.table.piles).flat()) {
      const element = makeCard(card);
      this.#cards.set(card, element);
      cards.append(element);
    }
    root.replaceChildren(piles, cards);
    this.#layout = this.#measure();
    this.update();
  }

  /** Lay everything out anew: the window or a setting changed. */
  resize() {
    this.root.classList.add("still");
    this.#layout = this.#measure();
    this.update();
    // Reading a size makes the browser place everything before cards travel again.
    void this.root.offsetWidth;
    this.root.classList.remove("still");
  }

  /** Show the board as it is. */
  update() {
    this.#layout = this.#measure();
    const { cardWidth, cardHeight, height, isCompact } = this.#layout;
    this.root.style.setProperty("--card-width", `${cardWidth}px`);
    this.root.style.setProperty("--card-height", `${cardHeight}px`);
    this.root.style.height = `${height}px`;
    this.root.classList.toggle("compact", isCompact);
    this.root.classList.toggle("over", this.board.isOver);
    const lit = this.settings.choices.placementHelp ? new Set(this.board.targets) : new Set();
    for (const [pile, button] of this.#piles) {
      this.#showPile(pile, button, lit.has(pile));
    }
    for (const [pile, cards] of Object.entries(this.board.table.piles)) {
      cards.forEach((card, index) => this.#showCard(card, pile, index, lit.has(pile) && index === cards.length - 1));
    }
    this.#showDragged();
  }

  /**
   * Move the held cards with the pointer.
   *
   * @param {number} x of the upper left corner of the first, from that of the table
   * @param {number} y
   */
  drag(x, y) {
    this.#dragged = { cards: this.board.heldCards, x, y };
    this.#showDragged();
  }

  /** Let dragged cards travel to where they belong. */
  endDrag() {
    for (const card of this.#dragged?.cards ?? []) {
      const element = this.#cards.get(card);
      element?.classList.remove("dragged");
      // It lies nowhere until it is shown again, and then travels there, over the others.
      element?.setAttribute("data-pile", "");
    }
    this.#dragged = null;
  }

  /**
   * The piles that the dragged cards lie over, the most covered first.
   *
   * @returns {string[]}
   */
  pilesUnderDrag() {
    return this.#dragged ? pilesUnder(this.board.table, this.#layout, this.#dragged) : [];
  }

  /**
   * Where a card lies once it has arrived, from the corner of the table.
   *
   * @param {number} card
   */
  placeOf(card) {
    const { pile, count } = this.board.spotOf(card);
    return this.#layout.cardAt(pile, this.board.table.piles[pile].length - count);
  }

  /**
   * The pile and card at a point, from the corner of the table.
   *
   * @param {import("./geometry.js").Place} point
   * @returns {{pile: string, count: number, card: number | null} | null} `count`: how many cards would be lifted
   */
  spotAt(point) {
    const spot = spotAt(this.board.table, this.#layout, point);
    if (spot === null || spot.index === null) {
      return spot && { pile: spot.pile, count: 0, card: null };
    }
    const cards = this.board.table.piles[spot.pile];
    return { pile: spot.pile, count: cards.length - spot.index, card: cards[spot.index] };
  }

  /** @param {string} pile */
  focus(pile) {
    for (const [other, button] of this.#piles) {
      button.tabIndex = other === pile ? 0 : -1;
    }
    this.#piles.get(pile)?.focus({ preventScroll: false });
  }

  #measure() {
    const { leftHanded, largeCards } = this.settings.choices;
    const room = this.#room();
    const layout = layOut(this.board.table, { ...room, isLeftHanded: leftHanded, isLarge: largeCards });
    // All the room there is: a card that is dragged down must not leave the table.
    return this.lookAt ? layout : { ...layout, height: Math.max(layout.height, room.height) };
  }

  /** What can be seen of the table at once. */
  #room() {
    const width = this.root.clientWidth;
    if (this.lookAt) {
      return { width, height: this.lookAt() };
    }
    const table = this.root.getBoundingClientRect();
    const top = table.top + window.scrollY;
    const tools = document.querySelector(".tools")?.getBoundingClientRect();
    // They may stand beside the table.
    const below = tools && tools.left < table.right ? tools.height : 0;
    return { width, height: Math.max(window.innerHeight - top - below, 200) };
  }

  /** The order in which a screen reader meets the piles. */
  #readingOrder() {
    const { columns, foundations } = this.board.table;
    return [STOCK, WASTE, ...foundations, ...columns];
  }

  /** @param {string} pile */
  #makePile(pile) {
    const element = this.lookAt ? makePicture() : makeButton(pile === "a");
    element.className = `pile ${isColumn(pile) ? "column" : isFoundation(pile) ? "foundation" : pile === STOCK ? "stock" : "waste"}`;
    element.dataset.pile = pile;
    if (isFoundation(pile)) {
      element.append(drawSuit(this.board.table.foundations.indexOf(pile) % SUITS.length));
    }
    return element;
  }

  /**
   * @param {string} pile
   * @param {HTMLElement} button
   * @param {boolean} isLit
   */
  #showPile(pile, button, isLit) {
    const { table, held } = this.board;
    const { cardHeight, piles, cardAt } = this.#layout;
    const size = table.piles[pile].length;
    const { x, y } = piles[pile];
    const height = isColumn(pile) && size ? cardAt(pile, size - 1).y - y + cardHeight : cardHeight;
    button.style.transform = `translate(${x}px, ${y}px)`;
    button.style.height = `${height}px`;
    button.classList.toggle("lit", isLit);
    button.classList.toggle("empty", size === 0);
    button.classList.toggle("source", held?.from === pile && held.by === "keys");
    setAttribute(button, "aria-label", pileLabel(this.board, pile));
    if (pile === STOCK) {
      const canRedeal = table.rules.canRedeal && table.piles[WASTE].length > 0;
      button.classList.toggle("redeal", size === 0 && canRedeal);
      button.classList.toggle("no-redeal", size === 0 && !canRedeal);
    }
  }

  /**
   * @param {number} card
   * @param {string} pile
   * @param {number} index
   * @param {boolean} isLit
   */
  #showCard(card, pile, index, isLit) {
    const element = this.#cards.get(card);
    if (!element) {
      return;
    }
    const { table, held } = this.board;
    const size = table.piles[pile].length;
    const isDown = pile === STOCK || (isColumn(pile) && index < table.faceDown[pile]);
    // Of piles where cards lie exactly over each other only the topmost few are drawn; a travelling card needs the
    // ones beneath it.
    const isBuried = !isColumn(pile) && size - index > table.rules.drawSize + 2;
    const { x, y } = this.#layout.cardAt(pile, index);
    const transform = `translate(${x}px, ${y}px)`;
    const isStill = this.root.classList.contains("still");
    if (element.dataset.pile !== undefined && element.dataset.pile !== pile && !isDragged(element) && !isStill) {
      this.#travel(element, index);
    } else if (isStill || !element.classList.contains("travelling")) {
      element.style.zIndex = String(index + 1);
      element.classList.remove("travelling");
    }
    element.dataset.pile = pile;
    element.dataset.index = String(index);
    if (!isDragged(element)) {
      element.style.transform = transform;
    }
    element.classList.toggle("down", isDown);
    element.classList.toggle("buried", isBuried);
    element.classList.toggle("lit", isLit);
    element.classList.toggle("complete", isFoundation(pile) && isComplete(table.wanted(pile)));
    element.classList.toggle("held", held?.by === "keys" && held.from === pile && size - index <= held.count);
    element.classList.toggle("covered", isColumn(pile) && index < size - 1);
    element.classList.toggle("fanned", pile === WASTE && index < size - 1);
    this.#showFace(element, card, isDown);
  }

  /**
   * @param {HTMLElement} element
   * @param {number} card
   * @param {boolean} isDown
   */
  #showFace(element, card, isDown) {
    const size = this.#layout.isCompact ? (this.#layout.cardWidth < TINY_BELOW ? "tiny" : "large") : "full";
    const shown = isDown ? "down" : size;
    if (element.dataset.face === shown) {
      return;
    }
    element.dataset.face = shown;
    element.replaceChildren(...(isDown ? [] : [drawFace(card, size, this.pictures)]));
  }

  /**
   * Lift a card over the others until it has arrived.
   *
   * @param {HTMLElement} element
   * @param {number} index
   */
  #travel(element, index) {
    this.#travels.get(element)?.abort();
    if (!this.#hasMotion()) {
      element.style.zIndex = String(index + 1);
      return;
    }
    const travel = new AbortController();
    const { signal } = travel;
    this.#travels.set(element, travel);
    element.style.zIndex = String(TRAVELLING_Z + index);
    element.classList.add("travelling");
    const arrive = () => {
      // A card that was sent elsewhere meanwhile is still on its way.
      if (!signal.aborted) {
        travel.abort();
        this.#arrived(element);
      }
    };
    element.addEventListener("transitionend", arrive, { signal });
    // Where the way is no distance at all, no transition ends.
    setTimeout(arrive, TRAVEL_MS_MAX);
  }

  /** @param {HTMLElement} element */
  #arrived(element) {
    element.classList.remove("travelling");
    if (!isDragged(element)) {
      const pile = this.board.table.piles[element.dataset.pile ?? ""] ?? [];
      element.style.zIndex = String(pile.indexOf(Number(element.dataset.card)) + 1);
    }
  }

  #hasMotion() {
    return this.settings.choices.animation !== "off" && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  #showDragged() {
    if (!this.#dragged) {
      return;
    }
    const { cards, x, y } = this.#dragged;
    const first = cards.length ? this.placeOf(cards[0]) : { x: 0, y: 0 };
    cards.forEach((card, i) => {
      const element = this.#cards.get(card);
      const place = this.placeOf(card);
      if (element) {
        element.classList.add("dragged");
        element.style.zIndex = String(DRAGGED_Z + i);
        element.style.transform = `translate(${x + place.x - first.x}px, ${y + place.y - first.y}px)`;
      }
    });
  }
}

/** @param {boolean} isFirst whether the tab key comes to it first */
function makeButton(isFirst) {
  const button = document.createElement("button");
  button.type = "button";
  button.tabIndex = isFirst ? 0 : -1;
  return button;
}

function makePicture() {
  const picture = document.createElement("div");
  picture.setAttribute("role", "img");
  return picture;
}

/**
 * @param {number} card
 * @returns {HTMLElement}
 */
function makeCard(card) {
  const element = document.createElement("div");
  element.className = `card suit-${SUITS[suitOf(card)]}`;
  element.dataset.card = String(card);
  element.dataset.rank = String(rankOf(card));
  return element;
}

/** @param {HTMLElement} element */
function isDragged(element) {
  return element.classList.contains("dragged");
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}
