import assert from "node:assert/strict";
import { test } from "node:test";

import { Board, longestLog } from "../../games/static/games/board.js";
import { dealOf, parseCode } from "../../games/static/games/deals.js";
import { Keyboard } from "../../games/static/games/keyboard.js";
import { parseAction } from "../../games/static/games/movelog.js";
import { bestPlace, dropPlace, tapPlace, targetsOf } from "../../games/static/games/placement.js";
import { Settings } from "../../games/static/games/settings.js";
import { Stopwatch } from "../../games/static/games/stopwatch.js";
import { Taps } from "../../games/static/games/tap.js";

const EASY = dealOf(parseCode("KL1-D1N-AAAAABR"));
const FORTY = dealOf(parseCode("FT1-N-AAAAAAV"));

function boardWith(deal, log = "") {
  const board = new Board(deal, { log });
  const changes = [];
  board.listen((change) => changes.push(change));
  return { board, changes };
}

const spot = (board, pile, fromTop = 1) => ({ pile, count: fromTop, card: board.table.piles[pile].at(-fromTop) ?? null });

test("a tap brings home, and in Forty Thieves takes the waste to a column", () => {
  const easy = new Board(EASY, { log: "eb" });
  assert.equal(tapPlace(easy.table, "e", false)?.text, "e3");
  assert.equal(tapPlace(easy.table, "b", false), null);
  const forty = new Board(FORTY, { log: "d d d" });
  const columns = targetsOf(forty.table, "w");
  assert.deepEqual(tapPlace(forty.table, "w", true)?.to ?? null, columns[0] ?? null);
});

test("the best place is a foundation, else the longest column, the leftmost of equals", () => {
  const { table } = new Board(EASY, { log: "eb e3" });
  const targets = targetsOf(table, "e");
  assert.equal(bestPlace(table, "e")?.text, `e${targets.reduce((a, b) => (table.piles[b].length > table.piles[a].length ? b : a))}`);
});

test("a whole column isn't moved to an empty one", () => {
  const stub = {
    piles: { a: [13], b: [], c: [1, 13], 1: [] },
    columns: ["a", "b", "c"],
    foundations: ["1"],
    refusal: ({ to }) => (to === "b" ? null : { reason: "wrong_rank" }),
  };
  assert.equal(bestPlace(stub, "a"), null);
  assert.equal(bestPlace(stub, "c")?.text, "cb");
});

test("a card dropped on any foundation is meant for the one that takes it", () => {
  const { table } = new Board(EASY, { log: "eb" });
  assert.equal(dropPlace(table, "e", 1, "1")?.text, "e3");
  assert.equal(dropPlace(table, "e", 2, "1"), null);
  assert.equal(dropPlace(table, "1", 1, "2"), null);
  assert.equal(dropPlace(table, "e", 1, "s"), null);
});

test("a second tap within 300 ms is a double tap, later ones are spent", () => {
  const { board } = boardWith(EASY, "eb e3");
  const taps = new Taps(board, { isDoubleTapOn: () => true });
  taps.tap(spot(board, "e"), 1000);
  assert.equal(board.actionCount, 2);
  taps.tap(spot(board, "e"), 1299);
  assert.equal(board.actionCount, 3);
  taps.tap(spot(board, "e"), 1400);
  taps.tap(spot(board, "e"), 1600);
  assert.equal(board.actionCount, 3);
});

test("a double click on a card that a single one brings home spares the card beneath", () => {
  const { board } = boardWith(EASY, "eb");
  const taps = new Taps(board, { isDoubleTapOn: () => true });
  taps.tap(spot(board, "e"), 1000);
  taps.tap(spot(board, "e"), 1150);
  taps.tap(spot(board, "e"), 1300);
  assert.equal(board.log, "eb e3");
  taps.tap(spot(board, "e"), 2000);
  taps.tap(spot(board, "e"), 2301);
  assert.equal(board.log, "eb e3");
});

test("every tap on the stock draws", () => {
  const { board } = boardWith(EASY);
  const taps = new Taps(board, { isDoubleTapOn: () => true });
  for (let i = 0; i < 26; i += 1) {
    taps.tap({ pile: "s", count: 1, card: null }, 1000 + i * 20);
  }
  assert.equal(board.log, `${"d ".repeat(24)}r d`);
});

test("what is refused changes nothing and says why", () => {
  const { board, changes } = boardWith(EASY);
  board.lift("a", 1, "drag");
  board.drop("b");
  assert.equal(board.actionCount, 0);
  assert.deepEqual(changes.map(({ kind }) => kind), ["held", "refused"]);
  assert.ok(["wrong_rank", "wrong_colour"].includes(changes[1].refusal.reason));
  board.lift("1", 1, "drag");
  assert.equal(board.held, null);
});

test("a closed board takes nothing, and a full one neither", () => {
  const { board, changes } = boardWith(EASY, "d u ".repeat(4999) + "d");
  assert.equal(board.room, 1);
  assert.ok(board.turnStock());
  assert.equal(board.turnStock(), false);
  assert.equal(changes.at(-1).refusal.reason, "log_full");
  assert.equal(board.undo(), false);
  board.close();
  board.turnStock();
  assert.equal(changes.at(-1).refusal.reason, "closed");
});

test("changes name the cards that moved and the one that turned up", () => {
  const { board, changes } = boardWith(EASY);
  const moving = board.table.piles.e.at(-1);
  board.play(parseAction("eb"));
  const [change] = changes;
  assert.deepEqual(change.moved, [moving]);
  assert.equal(change.turnedUp, board.table.piles.e.at(-1));
  assert.equal(change.points, 5);
  board.undo();
  assert.equal(changes[1].turnedUp, null);
});

test("the longest log that can be played is gone on with, the first of equals", () => {
  assert.equal(longestLog(EASY, ["d d", "d d d"]), "d d d");
  assert.equal(longestLog(EASY, ["d eb", "d d"]), "d eb");
  assert.equal(longestLog(EASY, ["d d", "d d d r"]), "d d");
  assert.equal(longestLog(EASY, ["", "Q"]), "");
});

test("times never fall, and go on after a reload", () => {
  let now = 50;
  const watch = new Stopwatch(1000, () => now);
  assert.equal(watch.read(), 1000);
  watch.start();
  now = 90;
  assert.equal(watch.read(), 1040);
  watch.stop();
  now = 500;
  assert.equal(watch.read(), 1040);
  const kept = new Board(EASY, { log: "d d d", times: [5, 9], elapsed: 20 });
  assert.deepEqual(kept.times, [5, 9, 9]);
  kept.turnStock();
  assert.ok(kept.times[3] >= 20);
});

test("letters and Enter play, Escape puts back, arrows take more cards along", () => {
  const { board } = boardWith(EASY, "eb e3 ef d we ge g3 gf g4 c4 ge d d d w2 d d d d wc");
  const keyboard = new Keyboard(board, { isLeftHanded: () => false, isPlacedAnyway: () => false });
  const press = (...keys) => keys.forEach((key) => keyboard.press(key));
  press("f", "Enter", "ArrowUp", "ArrowUp");
  assert.deepEqual(board.held, { from: "f", count: 3, by: "keys" });
  press("Escape");
  assert.equal(board.held, null);
  press("F", "Enter", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "c");
  assert.equal(board.log.split(" ").at(-1), "fc3");
  press("u");
  assert.equal(keyboard.press("z", { isCommand: true }), true);
  assert.equal(keyboard.press("q"), false);
  assert.equal(keyboard.press("Escape"), false);
  assert.equal(board.log.split(" ").slice(-2).join(" "), "u u");
});

test("settings keep to what there is", () => {
  const store = new Map([["qv-settings", JSON.stringify({ leftHanded: true, cardBack: "pink", doubleTap: "no", x: 1 })]]);
  const settings = new Settings({ getItem: (key) => store.get(key) ?? null, setItem: (key, value) => store.set(key, value) });
  assert.equal(settings.choices.leftHanded, true);
  assert.equal(settings.choices.cardBack, "blue");
  assert.equal(settings.choices.doubleTap, true);
  settings.change({ cardBack: "red", animation: "warp" });
  assert.deepEqual(JSON.parse(store.get("qv-settings")).cardBack, "red");
  assert.equal(settings.choices.animation, "normal");
});
