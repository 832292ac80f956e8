/** Card faces, drawn from the marks in the page and the pictures of the court cards. */

import { RANKS, SUITS, rankOf, suitOf } from "./cards.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 336;
const JACK = 11;

/** Where the pips of a rank lie, as on common packs: [x, y] of their middles; those below the middle stand on end. */
const LEFT = 67.5;
const MIDDLE = 120;
const RIGHT = 172.5;
const TOP = 67.5;
const CENTRE = 168;
/** @type {Record<number, readonly (readonly [number, number])[]>} */
const UPPER_PIPS = {
  1: [],
  2: [[MIDDLE, TOP]],
  3: [[MIDDLE, TOP]],
  4: [[LEFT, TOP], [RIGHT, TOP]],
  5: [[LEFT, TOP], [RIGHT, TOP]],
  6: [[LEFT, TOP], [RIGHT, TOP]],
  7: [[LEFT, TOP], [RIGHT, TOP]],
  8: [[LEFT, TOP], [RIGHT, TOP], [MIDDLE, 117.7]],
  9: [[LEFT, TOP], [RIGHT, TOP], [LEFT, 134.5], [RIGHT, 134.5]],
  10: [[LEFT, TOP], [RIGHT, TOP], [LEFT, 134.5], [RIGHT, 134.5], [MIDDLE, 101]],
};
/** @type {Record<number, readonly (readonly [number, number])[]>} */
const UPRIGHT_PIPS = {
  1: [[MIDDLE, CENTRE]],
  3: [[MIDDLE, CENTRE]],
  5: [[MIDDLE, CENTRE]],
  6: [[LEFT, CENTRE], [RIGHT, CENTRE]],
  7: [[LEFT, CENTRE], [RIGHT, CENTRE], [MIDDLE, 117.7]],
  9: [[MIDDLE, CENTRE]],
};

/**
 * @param {number} card
 * @param {"full" | "large" | "tiny"} size `large`: a large index over a small picture; `tiny`: without picture
 * @param {Record<string, string>} pictures addresses of the court cards by their text
 * @returns {SVGElement}
 */
export function drawFace(card, size, pictures) {
  const face = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: `face ${size}` });
  face.append(...(size === "full" ? fullFace(card, pictures) : largeFace(card, size === "large", pictures)));
  return face;
}

/**
 * @param {number} card
 * @param {Record<string, string>} pictures
 */
function fullFace(card, pictures) {
  const rank = rankOf(card);
  const isCourt = rank >= JACK;
  const half = [mark(card, "rank", 25, 34, 44), mark(card, "suit", 25, 76, 36, "index")];
  half.push(...(isCourt ? [mark(card, "suit", 60, 62, 44, "pip")] : UPPER_PIPS[rank].map(([x, y]) => mark(card, "suit", x, y, 70, "pip"))));
  const upper = element("g", {});
  upper.append(...half);
  const lower = element("g", { transform: `rotate(180 ${MIDDLE} ${CENTRE})` });
  lower.append(...half.map((part) => part.cloneNode(true)));
  if (isCourt) {
    return [picture(card, pictures, 37.6, 37.6, 164.8, 260.8), frame(37.6, 37.6, 164.8, 260.8), upper, lower];
  }
  const size = rank === 1 ? 110 : 70;
  return [upper, lower, ...(UPRIGHT_PIPS[rank] ?? []).map(([x, y]) => mark(card, "suit", x, y, size, "pip"))];
}

/**
 * @param {number} card
 * @param {boolean} hasPicture
 * @param {Record<string, string>} pictures
 */
function largeFace(card, hasPicture, pictures) {
  const index = [mark(card, "rank", 68, 60, 104), mark(card, "suit", 172, 60, 112, "index")];
  if (!hasPicture || rankOf(card) < JACK) {
    return [...index, mark(card, "suit", MIDDLE, 228, 180, "centre")];
  }
  const window_ = element("svg", { x: 38, y: 122, width: 164, height: 200, viewBox: "0 0 164 200", class: "centre" });
  window_.append(picture(card, pictures, 0, 0, 164, 260));
  return [...index, window_, frame(38, 122, 164, 200)];
}

/**
 * @param {number} card
 * @param {"rank" | "suit"} kind
 * @param {number} x of its middle
 * @param {number} y of its middle
 * @param {number} size
 * @param {string} [use] what it is used for, where the style sheet has to know
 */
function mark(card, kind, x, y, size, use = "") {
  const name = kind === "rank" ? RANKS[rankOf(card) - 1] : SUITS[suitOf(card)];
  return element("use", {
    href: `#${kind}-${name}`,
    class: `${kind} ${use}`.trim(),
    x: x - size / 2,
    y: y - size / 2,
    width: size,
    height: size,
  });
}

/**
 * @param {number} card
 * @param {Record<string, string>} pictures
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function picture(card, pictures, x, y, width, height) {
  const href = pictures[RANKS[rankOf(card) - 1] + SUITS[suitOf(card)]];
  return element("image", { href, x, y, width, height, preserveAspectRatio: "none" });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function frame(x, y, width, height) {
  return element("rect", { x, y, width, height, class: "frame" });
}

/**
 * The mark of a suit alone, for the foundation that it belongs on.
 *
 * @param {number} suit
 * @returns {SVGElement}
 */
export function drawSuit(suit) {
  const drawing = element("svg", { viewBox: "0 0 100 100", class: "suit-mark" });
  drawing.append(element("use", { href: `#suit-${SUITS[suit]}`, width: 100, height: 100 }));
  return drawing;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElement}
 */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  return made;
}
