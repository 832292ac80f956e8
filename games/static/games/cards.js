/**
 * Cards as small numbers: `suit * 16 + rank`, ace = 1 to king = 13, suits S H D C = 0 to 3; the second of two equal
 * cards has `COPY` added, so that a board can tell the two apart. No rule looks at it.
 */

export const SUITS = "SHDC";
export const RANKS = "A23456789TJQK";
export const KING = 13;
export const COPY = 64;

/** One pack in the order that the shuffle starts from: spades, hearts, diamonds, clubs, each ace to king. */
export const PACK = [0, 1, 2, 3].flatMap((suit) => Array.from({ length: KING }, (_, i) => suit * 16 + i + 1));

const CARD_OF_TEXT = new Map(PACK.map((card) => [cardText(card), card]));

/**
 * @param {number} card
 * @returns {number} ace = 1 to king = 13
 */
export function rankOf(card) {
  return card & 15;
}

/**
 * @param {number} card
 * @returns {number} S H D C = 0 to 3
 */
export function suitOf(card) {
  return (card >> 4) & 3;
}

/**
 * @param {number} card
 * @returns {boolean} whether it is a heart or a diamond
 */
export function isRed(card) {
  return suitOf(card) === 1 || suitOf(card) === 2;
}

/**
 * @param {number} card
 * @returns {string} two characters: `TD`
 */
export function cardText(card) {
  return RANKS[rankOf(card) - 1] + SUITS[suitOf(card)];
}

/**
 * The card that a text names, the inverse of `cardText` but for the copy.
 *
 * @param {string} text
 * @returns {number}
 * @throws {RangeError} where it names none
 */
export function parseCard(text) {
  const card = CARD_OF_TEXT.get(text);
  if (card === undefined) {
    throw new RangeError(`${JSON.stringify(text)} is no card: a rank of ${RANKS} and a suit of ${SUITS}, like TD`);
  }
  return card;
}
