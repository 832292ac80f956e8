/** The rules of the browser against the verdicts of `tests/vectors/`, which something else gave. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { cardText } from "../../games/static/games/cards.js";
import { codeText, dealFromJson, dealOf, parseCode } from "../../games/static/games/deals.js";
import { verify } from "../../games/static/games/replay.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf-8"));

for (const name of ["hand", "codes", "replays"]) {
  test(`every vector of ${name} gets its verdict`, () => {
    const entries = read(name);
    assert.ok(entries.length > 10);
    for (const entry of entries) {
      const { code, ...verdict } = verify(dealFromJson(entry.deal), entry.log);
      assert.deepEqual(verdict, entry.verdict, entry.note);
    }
  });
}

test("a code deals exactly these cards", () => {
  for (const entry of read("codes")) {
    const deal = dealOf(parseCode(entry.code));
    assert.equal(deal.code, entry.code);
    assert.deepEqual(
      { mode: deal.mode, columns: deal.columns.map((cards) => cards.map(cardText)), stock: deal.stock.map(cardText) },
      entry.deal,
    );
    assert.equal(codeText(parseCode(entry.code)), entry.code);
  }
});
