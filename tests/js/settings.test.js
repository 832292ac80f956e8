/** What is chosen here, and what the account has. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULTS, Settings } from "../../games/static/games/settings.js";

/** A store like `localStorage`. */
function storeOf(text) {
  return {
    text,
    getItem() {
      return this.text;
    },
    setItem(_, value) {
      this.text = value;
    },
  };
}

test("without a word of anybody the defaults hold", () => {
  assert.deepEqual(new Settings(storeOf(null)).choices, DEFAULTS);
});

test("the account's choices come before those kept here", () => {
  const store = storeOf(JSON.stringify({ largeCards: true, cardBack: "red" }));
  const { choices } = new Settings(store, { cardBack: "green" });
  assert.deepEqual([choices.largeCards, choices.cardBack], [true, "green"]);
});

test("a choice that the account hasn't got yet is not taken back", () => {
  const store = storeOf(null);
  new Settings(store, { cardBack: "green" }).change({ cardBack: "red" });
  const later = new Settings(store, { cardBack: "green" });
  assert.equal(later.choices.cardBack, "red");
  assert.equal(later.isUnsent, true);
  later.sent(later.choices);
  assert.equal(new Settings(store, { cardBack: "green" }).choices.cardBack, "green");
});

test("what makes no sense is left out, wherever it comes from", () => {
  for (const text of ["null", "7", "{", '{"cardBack": "plaid", "largeCards": "yes"}']) {
    assert.deepEqual(new Settings(storeOf(text), null).choices, DEFAULTS, text);
  }
});
