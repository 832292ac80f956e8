import assert from "node:assert/strict";
import { test } from "node:test";

import { dealOf, parseCode } from "../../games/static/games/deals.js";
import { layOut, pilesUnder, spotAt } from "../../games/static/games/geometry.js";
import { parseAction } from "../../games/static/games/movelog.js";
import { modeOf } from "../../games/static/games/registry.js";
import { Table } from "../../games/static/games/table.js";

function tableOf(code, log = "") {
  const deal = dealOf(parseCode(code));
  const table = new Table(modeOf(deal.mode).rules, deal);
  log.split(" ").filter(Boolean).forEach((text) => table.play(parseAction(text)));
  return table;
}

const TABLES = {
  "Forty Thieves": tableOf("FT1-N-AAAAAAV", "d d d"),
  "draw 1": tableOf("KL1-D1N-AAAAAAG", "d"),
  "draw 3": tableOf("KL1-D3V-AAAAABA", "d d"),
};
const SIZES = [[360, 560], [390, 700], [568, 220], [740, 260], [768, 900], [1280, 660], [2560, 1300]];

function* frames() {
  for (const [name, table] of Object.entries(TABLES)) {
    for (const [width, height] of SIZES) {
      for (const isLeftHanded of [false, true]) {
        for (const isLarge of [false, true]) {
          yield { name, table, frame: { width, height, isLeftHanded, isLarge } };
        }
      }
    }
  }
}

test("every card lies within the width, at every size and setting", () => {
  for (const { name, table, frame } of frames()) {
    const layout = layOut(table, frame);
    for (const [pile, cards] of Object.entries(table.piles)) {
      for (let index = 0; index < Math.max(cards.length, 1); index += 1) {
        const { x, y } = layout.cardAt(pile, index);
        const where = `${name} ${JSON.stringify(frame)} ${pile}${index}`;
        assert.ok(x >= 0 && x + layout.cardWidth <= frame.width, where);
        assert.ok(y >= 0 && y + layout.cardHeight <= layout.height, where);
      }
    }
  }
});

test("no two piles overlap, the fan of a draw included", () => {
  for (const { name, table, frame } of frames()) {
    const layout = layOut(table, frame);
    const upper = ["s", "w", ...table.foundations].flatMap((pile) => {
      const { length } = table.piles[pile];
      const xs = [layout.piles[pile].x, ...Array.from({ length }, (_, index) => layout.cardAt(pile, index).x)];
      return [[Math.min(...xs), Math.max(...xs) + layout.cardWidth, pile]];
    });
    upper.sort(([one], [other]) => one - other);
    for (let i = 1; i < upper.length; i += 1) {
      assert.ok(upper[i - 1][1] <= upper[i][0], `${name} ${JSON.stringify(frame)} ${upper[i - 1]} ${upper[i]}`);
    }
  }
});

test("what is at a point is the card that shows there", () => {
  for (const { table, frame } of frames()) {
    const layout = layOut(table, frame);
    for (const column of table.columns) {
      table.piles[column].forEach((_, index) => {
        const { x, y } = layout.cardAt(column, index);
        assert.deepEqual(spotAt(table, layout, { x: x + 3, y: y + 3 }), { pile: column, index });
      });
    }
    const top = table.piles.w.length - 1;
    const { x, y } = layout.cardAt("w", top);
    assert.deepEqual(spotAt(table, layout, { x: x + 3, y: y + 3 }), { pile: "w", index: top });
    const { x: empty, y: row } = layout.piles["1"];
    assert.deepEqual(spotAt(table, layout, { x: empty + 3, y: row + 3 }), { pile: "1", index: null });
    assert.equal(spotAt(table, layout, { x: -1, y: 5 }), null);
  }
});

test("a drop a little beside a pile is still over it, the most covered first", () => {
  const table = TABLES["draw 1"];
  const layout = layOut(table, { width: 1280, height: 660, isLeftHanded: false, isLarge: false });
  const { x, y } = layout.cardAt("d", 3);
  assert.equal(pilesUnder(table, layout, { x: x + layout.cardWidth * 0.4, y: y + 400 })[0], "d");
  assert.equal(pilesUnder(table, layout, { x: x - layout.cardWidth * 0.4, y })[0], "d");
  const { x: home, y: row } = layout.piles["2"];
  assert.equal(pilesUnder(table, layout, { x: home + 10, y: row - layout.cardHeight * 0.5 })[0], "2");
  assert.deepEqual(pilesUnder(table, layout, { x: 5000, y: 5000 }), []);
});
