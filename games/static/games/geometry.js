/**
 * Where everything lies on the table, in pixels: pure arithmetic.
 *
 * @typedef {object} Frame
 * @property {number} width of the table
 * @property {number} height that can be seen at once
 * @property {boolean} isLeftHanded stock and waste on the left
 * @property {boolean} isLarge large cards
 *
 * @typedef {object} Place
 * @property {number} x
 * @property {number} y
 *
 * @typedef {object} Layout
 * @property {number} cardWidth
 * @property {number} cardHeight
 * @property {boolean} isCompact whether cards are too small for anything but a large index
 * @property {number} height of the whole table
 * @property {Record<string, Place>} piles where the first card of each pile lies
 * @property {(pile: string, index: number) => Place} cardAt where a card of a pile lies, counted from the bottom
 */

import { STOCK, WASTE, isColumn } from "./movelog.js";

const ASPECT = 1.4;
const MAX_CARD_WIDTH = 128;
/** Below this a whole face can't be read. */
const COMPACT_BELOW = 84;
const MIN_STEP = 11;

/**
 * @param {import("./table.js").Table} table
 * @param {Frame} frame
 * @returns {Layout}
 */
export function layOut(table, frame) {
  const columns = table.columns.length;
  const gap = Math.max(2, Math.min(14, Math.round(frame.width * 0.011)));
  const byWidth = (frame.width - gap * (columns + 1)) / columns;
  const byHeight = (frame.height * (frame.isLarge ? 0.34 : 0.25)) / ASPECT;
  const cardWidth = Math.floor(Math.min(byWidth, Math.max(byHeight, 30), MAX_CARD_WIDTH));
  const cardHeight = Math.round(cardWidth * ASPECT);
  const isCompact = frame.isLarge || cardWidth < COMPACT_BELOW;
  const left = Math.round((frame.width - columns * cardWidth - (columns - 1) * gap) / 2);
  const slotX = (/** @type {number} */ slot) => left + slot * (cardWidth + gap);
  const columnsY = gap + cardHeight + Math.max(gap, 8);

  /** @type {Record<string, Place>} */
  const piles = {};
  table.columns.forEach((column, i) => {
    piles[column] = { x: slotX(i), y: columnsY };
  });
  const { stock, waste, foundations } = topRow(columns, table.foundations.length, frame.isLeftHanded);
  piles[STOCK] = { x: slotX(stock), y: gap };
  piles[WASTE] = { x: slotX(waste), y: gap };
  table.foundations.forEach((foundation, i) => {
    piles[foundation] = { x: slotX(foundations + i), y: gap };
  });

  const steps = columnSteps(table, cardHeight, isCompact, frame.height - columnsY - gap);
  // The three cards of a draw are fanned over the room of one more card, the playable one on the right: the index of
  // each is on its left.
  const fanStep = Math.floor((cardWidth + gap) / 2);
  const fanX = frame.isLeftHanded ? piles[WASTE].x : piles[WASTE].x - 2 * fanStep;

  /** @type {Layout["cardAt"]} */
  const cardAt = (pile, index) => {
    const { x, y } = piles[pile];
    if (isColumn(pile)) {
      const down = Math.min(index, table.faceDown[pile]);
      return { x, y: Math.round(y + down * steps.down + (index - down) * steps.up) };
    }
    if (pile === WASTE && table.rules.drawSize > 1) {
      const size = table.piles[WASTE].length;
      const shown = Math.min(table.rules.drawSize, size);
      const step = Math.max(index - (size - shown), 0) + (frame.isLeftHanded ? 0 : table.rules.drawSize - shown);
      return { x: fanX + step * fanStep, y };
    }
    return { x, y };
  };
  const bottoms = table.columns.map((column) => cardAt(column, Math.max(table.piles[column].length - 1, 0)).y);
  return { cardWidth, cardHeight, isCompact, height: Math.max(...bottoms) + cardHeight + gap, piles, cardAt };
}

/**
 * The slots of the upper row, of which there are as many as columns.
 *
 * @param {number} columns
 * @param {number} foundations
 * @param {boolean} isLeftHanded
 * @returns {{stock: number, waste: number, foundations: number}}
 */
function topRow(columns, foundations, isLeftHanded) {
  if (isLeftHanded) {
    return { stock: 0, waste: 1, foundations: columns - foundations };
  }
  return { stock: columns - 1, waste: columns - 2, foundations: 0 };
}

/**
 * How far apart the cards of a column lie: less where the longest column wouldn't fit otherwise, but never so close
 * that an index is hidden.
 *
 * @param {import("./table.js").Table} table
 * @param {number} cardHeight
 * @param {boolean} isCompact
 * @param {number} room
 * @returns {{up: number, down: number}}
 */
function columnSteps(table, cardHeight, isCompact, room) {
  const up = cardHeight * (isCompact ? 0.42 : 0.3);
  const down = cardHeight * 0.13;
  const least = Math.max(cardHeight * (isCompact ? 0.3 : 0.15), MIN_STEP) / up;
  const needed = table.columns.map((column) => {
    const faceDown = table.faceDown[column];
    return faceDown * down + Math.max(table.piles[column].length - faceDown - 1, 0) * up;
  });
  const share = Math.max(Math.min(1, (room - cardHeight) / Math.max(...needed, 1)), least);
  return { up: up * share, down: down * share };
}

/**
 * The piles that a dragged card lies over, the one it covers most first. A column reaches down to the end of the
 * table, and every pile takes what is dropped a little beside it.
 *
 * @param {import("./table.js").Table} table
 * @param {Layout} layout
 * @param {Place} card the upper left corner of the dragged card
 * @returns {string[]}
 */
export function pilesUnder(table, layout, card) {
  const { cardWidth, cardHeight, piles } = layout;
  const margin = cardWidth * 0.25;
  const overlaps = [...table.columns, ...table.foundations, WASTE, STOCK].map((pile) => {
    const { x, y } = piles[pile];
    const bottom = isColumn(pile) ? Math.max(layout.height, y + cardHeight) + cardHeight : y + cardHeight;
    const across = Math.min(card.x + cardWidth, x + cardWidth + margin) - Math.max(card.x, x - margin);
    const down = Math.min(card.y + cardHeight, bottom + margin) - Math.max(card.y, y - margin);
    return { pile, area: across > 0 && down > 0 ? across * down : 0 };
  });
  return overlaps
    .filter(({ area }) => area > 0)
    .sort((one, other) => other.area - one.area)
    .map(({ pile }) => pile);
}

/**
 * What lies at a point once everything has arrived: input follows the state, not the cards that still travel.
 *
 * @param {import("./table.js").Table} table
 * @param {Layout} layout
 * @param {Place} point
 * @returns {{pile: string, index: number | null} | null} the uppermost card there, no index on an empty pile
 */
export function spotAt(table, layout, point) {
  const { cardWidth, cardHeight, piles, cardAt } = layout;
  const isOn = (/** @type {Place} */ { x, y }) =>
    point.x >= x && point.x < x + cardWidth && point.y >= y && point.y < y + cardHeight;
  for (const [pile, cards] of Object.entries(table.piles)) {
    for (let index = cards.length - 1; index >= 0; index -= 1) {
      if (isOn(cardAt(pile, index))) {
        return { pile, index };
      }
    }
    if (!cards.length && isOn(piles[pile])) {
      return { pile, index: null };
    }
  }
  return null;
}
