/**
 * Plays games for a test in another language: reads {deal, actions} from each line, writes the table after every
 * action as [state, score, ranked score, reason of the refusal or null]. See `tests/engine/test_browser_rules.py`.
 */

import { createInterface } from "node:readline";

import { cardText } from "../../games/static/games/cards.js";
import { dealFromJson, dealOf, parseCode } from "../../games/static/games/deals.js";
import { IllegalAction } from "../../games/static/games/errors.js";
import { parseAction } from "../../games/static/games/movelog.js";
import { modeOf } from "../../games/static/games/registry.js";
import { Table } from "../../games/static/games/table.js";

function stateOf(table) {
  const { figures, piles } = table;
  const shown = (pile) => piles[pile].map(cardText).join("");
  return [
    ...table.columns.map((column) => `${table.faceDown[column]}${shown(column)}`),
    shown("w"),
    shown("s"),
    ...table.foundations.map(shown),
    Object.values(figures).slice(2).join(),
    table.undoable,
    table.isWon,
  ].join(" ");
}

function reasonOf(table, text) {
  try {
    table.play(parseAction(text));
    return null;
  } catch (error) {
    if (error instanceof IllegalAction) {
      return error.refusal.reason;
    }
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { deal: json, actions } = JSON.parse(line);
  const deal = json.code ? dealOf(parseCode(json.code)) : dealFromJson(json);
  const table = new Table(modeOf(deal.mode).rules, deal);
  const steps = actions.map((text) => {
    const reason = reasonOf(table, text);
    return [stateOf(table), table.figures.score, table.figures.rankedScore, reason];
  });
  process.stdout.write(`${JSON.stringify(steps)}\n`);
}
