import assert from "node:assert/strict";
import { test } from "node:test";

import { COPY, PACK, cardText, parseCard } from "../../games/static/games/cards.js";
import { Pcg32, codeText, dealFromJson, dealOf, parseCode } from "../../games/static/games/deals.js";
import { BadCode } from "../../games/static/games/errors.js";

test("the generator gives the numbers of its reference", () => {
  const generator = new Pcg32(42n, 54n);
  const numbers = Array.from({ length: 6 }, () => generator.next());
  assert.deepEqual(numbers, [0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e]);
});

test("reading a code forgives case, blanks and look-alikes", () => {
  assert.deepEqual(parseCode(" kl1-d1n-aaaaaa6\n"), { mode: "kl-d1n", number: 30 });
  assert.deepEqual(parseCode("FT1-N-018AAAA"), parseCode("FT1-N-OIBAAAA"));
  assert.equal(codeText(parseCode("FT1-N-7777777")), "FT1-N-7777777");
});

test("a bad code is refused with the part that is wrong", () => {
  const problems = {
    "": "prefix",
    "FT1-N": "prefix",
    AAAAAAV: "prefix",
    "FT2-N-AAAAAAV": "prefix",
    "FT1-N-AAAAAA": "length",
    "FT1-N-AAAAAAAA": "length",
    "FT1-N-AAAAAA9": "digit",
    "FT1-N-AAAAAÄV": "letters",
    "\ufeffFT1-N-AAAAAAV": "letters",
  };
  for (const [text, problem] of Object.entries(problems)) {
    assert.throws(() => parseCode(text), (error) => error instanceof BadCode && error.problem === problem, text);
  }
});

test("two equal cards can be told apart, and every card is there", () => {
  const deal = dealOf(parseCode("FT1-N-AAAAAAV"));
  const cards = [...deal.columns.flat(), ...deal.stock];
  assert.deepEqual([...cards].sort((a, b) => a - b), [...PACK, ...PACK.map((card) => card + COPY)]);
  assert.equal(cardText(parseCard("TD") + COPY), "TD");
});

test("cards that are no deal are refused", () => {
  const { columns, stock } = dealOf(parseCode("KL1-D1N-AAAAAAG"));
  const json = { mode: "kl-d1n", columns: columns.map((pile) => pile.map(cardText)), stock: stock.map(cardText) };
  assert.equal(dealFromJson(json).stock.length, 24);
  assert.throws(() => dealFromJson({ ...json, stock: json.stock.slice(1) }), RangeError);
  assert.throws(() => dealFromJson({ ...json, stock: [json.stock[1], ...json.stock.slice(1)] }), RangeError);
  assert.throws(() => dealFromJson({ ...json, stock: ["1S", ...json.stock.slice(1)] }), RangeError);
});
