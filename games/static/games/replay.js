/**
 * Replaying a log against a deal. The server's own replay is the only source of a score; this one is for boards.
 *
 * @typedef {object} Verdict
 * @property {string | null} code
 * @property {boolean} valid
 * @property {{index: number | null, action: string | null, reason: string} | null} error
 * @property {boolean} won
 * @property {number} score
 * @property {number} ranked_score
 * @property {number} moves
 * @property {number} draws
 * @property {number} undos
 * @property {number} recycles
 * @property {number} foundation_cards
 * @property {number} waste_to_column
 * @property {number} taken_back
 */

import { BadLog } from "./errors.js";
import { parseLog } from "./movelog.js";
import { modeOf } from "./registry.js";
import { Table } from "./table.js";

/**
 * Replay a log and judge it; the message for people is left to `words.js`.
 *
 * @param {import("./deals.js").Deal} deal
 * @param {string} log
 * @returns {Verdict}
 */
export function verify(deal, log) {
  const table = new Table(modeOf(deal.mode).rules, deal);
  return verdictOn(deal, table, playLog(table, log));
}

/**
 * @param {Table} table
 * @param {string} log
 * @returns {Verdict["error"]}
 */
function playLog(table, log) {
  let actions;
  try {
    actions = parseLog(log);
  } catch (error) {
    if (error instanceof BadLog) {
      return { index: error.index, action: error.action, reason: error.reason };
    }
    throw error;
  }
  for (const [index, action] of actions.entries()) {
    const refusal = table.refusal(action);
    if (refusal) {
      return { index, action: action.text, reason: refusal.reason };
    }
    table.play(action);
  }
  return null;
}

/**
 * @param {import("./deals.js").Deal} deal
 * @param {Table} table
 * @param {Verdict["error"]} error
 * @returns {Verdict}
 */
function verdictOn(deal, table, error) {
  const { figures } = table;
  return {
    code: deal.code,
    valid: error === null,
    error,
    won: table.isWon,
    score: figures.score,
    ranked_score: figures.rankedScore,
    moves: figures.moves,
    draws: figures.draws,
    undos: figures.undos,
    recycles: figures.recycles,
    foundation_cards: table.foundationCards,
    waste_to_column: figures.wasteToColumn,
    taken_back: figures.takenBack,
  };
}
