/**
 * The modes: each names the rules of a game, and its deals carry a code prefix.
 *
 * @typedef {object} Mode
 * @property {string} key `kl-d1n`
 * @property {string} prefix `KL1-D1N`
 * @property {import("./table.js").Rules} rules
 * @property {boolean} tapsWasteToColumn whether a tap takes a card of the waste to a column where no foundation does
 */

import { fortyThieves } from "./forty_thieves.js";
import { klondike, klondikeDraw3, klondikeDraw3Vegas, klondikeVegas } from "./klondike.js";

/** @type {readonly Mode[]} */
export const MODES = [
  { key: "ft-n", prefix: "FT1-N", rules: fortyThieves, tapsWasteToColumn: true },
  { key: "kl-d1n", prefix: "KL1-D1N", rules: klondike, tapsWasteToColumn: false },
  { key: "kl-d3n", prefix: "KL1-D3N", rules: klondikeDraw3, tapsWasteToColumn: false },
  { key: "kl-d1v", prefix: "KL1-D1V", rules: klondikeVegas, tapsWasteToColumn: false },
  { key: "kl-d3v", prefix: "KL1-D3V", rules: klondikeDraw3Vegas, tapsWasteToColumn: false },
];

/**
 * @param {string} key
 * @returns {Mode}
 * @throws {RangeError} where there is no such mode
 */
export function modeOf(key) {
  const mode = MODES.find((candidate) => candidate.key === key);
  if (!mode) {
    throw new RangeError(`${JSON.stringify(key)} is no mode`);
  }
  return mode;
}
