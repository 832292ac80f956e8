import assert from "node:assert/strict";
import { test } from "node:test";

import { dealOf, parseCode } from "../../games/static/games/deals.js";
import { IllegalAction } from "../../games/static/games/errors.js";
import { formatLog, moveOf, parseAction, parseLog } from "../../games/static/games/movelog.js";
import { modeOf } from "../../games/static/games/registry.js";
import { Table } from "../../games/static/games/table.js";

const tableOf = (code) => {
  const deal = dealOf(parseCode(code));
  return new Table(modeOf(deal.mode).rules, deal);
};
const stateOf = (table) => JSON.stringify([table.piles, table.faceDown, { ...table.figures, moves: 0, undos: 0 }]);

test("parse and format are inverse", () => {
  assert.equal(formatLog(parseLog(" d\twa  ab3\r\n1a w8 a1 u r ")), "d wa ab3 1a w8 a1 u r");
  assert.deepEqual(moveOf("a", "b", 3), parseAction("ab3"));
  assert.deepEqual(moveOf("w", "1"), parseAction("w1"));
});

test("a refused action changes nothing", () => {
  const table = tableOf("KL1-D1N-AAAAAAG");
  const before = stateOf(table);
  for (const text of ["u", "r", "wa", "aa", "ab2", "a1", "1a", "ha", "a8"]) {
    assert.throws(() => table.play(parseAction(text)), IllegalAction, text);
  }
  assert.equal(stateOf(table), before);
  assert.equal(table.figures.moves, 0);
});

test("undo takes back the last 100 actions and no more", () => {
  const table = tableOf("KL1-D1N-AAAAAAG");
  const states = [stateOf(table)];
  for (let i = 0; i < 5; i += 1) {
    for (const text of [...Array(24).fill("d"), "r"]) {
      table.play(parseAction(text));
      states.push(stateOf(table));
    }
  }
  assert.equal(table.undoable, 100);
  states.pop();
  for (let i = 0; i < 100; i += 1) {
    table.play(parseAction("u"));
    assert.equal(stateOf(table), states.pop());
  }
  assert.equal(table.refusal(parseAction("u"))?.reason, "nothing_to_undo");
  assert.equal(table.figures.moves, 125);
  assert.equal(table.figures.undos, 100);
});
