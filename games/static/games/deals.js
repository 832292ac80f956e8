/**
 * Deal codes, the shuffle (version 1, for ever) and layouts.
 *
 * @typedef {object} Code
 * @property {string} mode
 * @property {number} number from 0 to 2**35 - 1
 *
 * @typedef {object} Deal
 * @property {string} mode
 * @property {string | null} code canonical; null for a deal that was given by its cards
 * @property {readonly (readonly number[])[]} columns left to right, the last card of each on top
 * @property {readonly number[]} stock the first is drawn first
 *
 * @typedef {object} DealJson
 * @property {string} mode
 * @property {string | null} [code]
 * @property {string[][]} columns
 * @property {string[]} stock
 */

import { COPY, PACK, parseCard } from "./cards.js";
import { BadCode } from "./errors.js";
import { MODES, modeOf } from "./registry.js";

export const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
export const DIGITS = 7;
export const DEALS_PER_GAME = 32 ** DIGITS;

// What counts as a blank around a code: the white space of Unicode and the ASCII separators.
const BLANKS = "[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const AROUND = new RegExp(`^${BLANKS}|${BLANKS}$`, "g");
/** @type {Record<string, string>} */
const FORGIVEN = { 0: "O", 1: "I", 8: "B" };

/**
 * Read a code, forgiving case, surrounding blanks, and 0, 1, 8 for O, I, B in its last seven characters.
 *
 * @param {string} text
 * @returns {Code}
 * @throws {BadCode}
 */
export function parseCode(text) {
  const stripped = text.replace(AROUND, "");
  if (!/^[\x00-\x7f]*$/.test(stripped)) {
    throw new BadCode("letters");
  }
  const upper = stripped.toUpperCase();
  const hyphen = upper.lastIndexOf("-");
  const mode = MODES.find(({ prefix }) => prefix === upper.slice(0, Math.max(hyphen, 0)));
  if (!mode) {
    throw new BadCode("prefix");
  }
  const digits = upper.slice(hyphen + 1).replace(/[018]/g, (digit) => FORGIVEN[digit]);
  if (digits.length !== DIGITS) {
    throw new BadCode("length", String(digits.length));
  }
  let number = 0;
  for (const digit of digits) {
    if (!ALPHABET.includes(digit)) {
      throw new BadCode("digit", digit);
    }
    number = number * 32 + ALPHABET.indexOf(digit);
  }
  return { mode: mode.key, number };
}

/**
 * The canonical text of a code, the inverse of `parseCode`.
 *
 * @param {Code} code
 * @returns {string}
 */
export function codeText({ mode, number }) {
  let digits = "";
  let rest = number;
  for (let i = 0; i < DIGITS; i += 1) {
    digits = ALPHABET[rest % 32] + digits;
    rest = Math.floor(rest / 32);
  }
  return `${modeOf(mode).prefix}-${digits}`;
}

/**
 * The deal that a code names.
 *
 * @param {Code} code
 * @returns {Deal}
 */
export function dealOf(code) {
  const { rules } = modeOf(code.mode);
  const cards = tellApart(shuffle(code.number, rules.packs, rules.shuffleSequence));
  let start = 0;
  const columns = rules.columnSizes.map((size) => {
    start += size;
    return cards.slice(start - size, start);
  });
  return { mode: code.mode, code: codeText(code), columns, stock: cards.slice(start) };
}

/**
 * A deal by its cards, in text form, as the server hands it out.
 *
 * @param {DealJson} json
 * @returns {Deal}
 * @throws {RangeError} where they aren't a deal of the mode
 */
export function dealFromJson({ mode, code = null, columns, stock }) {
  const { rules } = modeOf(mode);
  const sizes = columns.map((column) => column.length);
  const cards = tellApart([...columns.flat(), ...stock].map(parseCard));
  const isWhole = cards.length === 52 * rules.packs && new Set(cards).size === cards.length;
  if (String(sizes) !== String(rules.columnSizes) || !isWhole || cards.some((card) => card >= COPY * rules.packs)) {
    throw new RangeError(`These cards are no deal of ${mode}.`);
  }
  let start = 0;
  const piles = sizes.map((size) => {
    start += size;
    return cards.slice(start - size, start);
  });
  return { mode, code, columns: piles, stock: cards.slice(start) };
}

/**
 * Mark the second of two equal cards.
 *
 * @param {readonly number[]} cards
 * @returns {number[]}
 */
function tellApart(cards) {
  /** @type {Set<number>} */
  const seen = new Set();
  return cards.map((card) => {
    const isSecond = seen.has(card);
    seen.add(card);
    return isSecond ? card + COPY : card;
  });
}

/**
 * The shuffled pack, version 1: Fisher-Yates from the end, driven by PCG32 seeded with (number, sequence).
 *
 * @param {number} number
 * @param {number} packs
 * @param {number} sequence
 * @returns {number[]}
 */
export function shuffle(number, packs, sequence) {
  const cards = Array(packs).fill(PACK).flat();
  const generator = new Pcg32(BigInt(number), BigInt(sequence));
  for (let i = cards.length - 1; i > 0; i -= 1) {
    const j = generator.below(i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  }
  return cards;
}

const MULTIPLIER = 6364136223846793005n;

/** The generator PCG-XSH-RR with 64 bits of state and 32 of output (O'Neill 2014, pcg32_srandom). */
export class Pcg32 {
  #state = 0n;
  #increment;

  /**
   * @param {bigint} initstate
   * @param {bigint} initseq
   */
  constructor(initstate, initseq) {
    this.#increment = BigInt.asUintN(64, (initseq << 1n) | 1n);
    this.next();
    this.#state = BigInt.asUintN(64, this.#state + initstate);
    this.next();
  }

  /**
   * The next number of 32 bits.
   *
   * @returns {number}
   */
  next() {
    const old = this.#state;
    this.#state = BigInt.asUintN(64, old * MULTIPLIER + this.#increment);
    const xorshifted = Number(BigInt.asUintN(32, ((old >> 18n) ^ old) >> 27n));
    const rotation = Number(old >> 59n);
    return ((xorshifted >>> rotation) | (xorshifted << (-rotation & 31))) >>> 0;
  }

  /**
   * The next number from 0 to bound - 1, without bias (pcg32_boundedrand).
   *
   * @param {number} bound
   * @returns {number}
   */
  below(bound) {
    const threshold = 2 ** 32 % bound;
    for (;;) {
      const number = this.next();
      if (number >= threshold) {
        return number % bound;
      }
    }
  }
}
