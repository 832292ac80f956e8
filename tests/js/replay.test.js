import assert from "node:assert/strict";
import { test } from "node:test";

import { dealOf, parseCode } from "../../games/static/games/deals.js";
import { parseAction } from "../../games/static/games/movelog.js";
import { Playback } from "../../games/static/games/playback.js";
import { modeOf } from "../../games/static/games/registry.js";
import { Table } from "../../games/static/games/table.js";
import { LONGEST_WAIT, STEADY_WAIT, byAction, byTime, haveTimes } from "../../games/static/games/timeline.js";

const EASY = dealOf(parseCode("KL1-D1N-AAAAABR"));
const OPENING = "eb e3 3c u ef d we ge g3 gf g4 c4 ge d d d w2 d d d d wc fc3";

/** A legal log of so many actions: the opening, then draws and redeals without end, every seventh action undone. */
function longLog(length) {
  const { table, actions } = new Playback(EASY, OPENING);
  const texts = actions.map(({ text }) => text);
  while (texts.length < length) {
    const text = texts.length % 7 === 0 ? "u" : table.piles.s.length ? "d" : "r";
    table.play(parseAction(text));
    texts.push(text);
  }
  return texts.join(" ");
}

function stateOf(table) {
  return JSON.stringify([table.piles, table.faceDown, table.figures, table.undoable]);
}

/** The states after 0, 1, 2 ... actions, each played from the deal on. */
function statesOf(log) {
  const playback = new Playback(EASY, log);
  const table = new Table(modeOf(EASY.mode).rules, EASY);
  return [stateOf(table), ...playback.actions.map((action) => (table.play(action), stateOf(table)))];
}

test("a replay can be leafed through in any order, across undos and the copies that it keeps", () => {
  const log = longLog(1000);
  const states = statesOf(log);
  const playback = new Playback(EASY, log);
  assert.equal(playback.length, 1000);
  for (const step of [0, 1000, 999, 200, 199, 201, 3, 4, 2, 600, 601, 599, 400, 0, 1, 1000]) {
    playback.go(step);
    assert.equal(playback.at, step);
    assert.equal(stateOf(playback.table), states[step], `after ${step} actions`);
  }
});

test("a log of 10,000 actions goes anywhere by playing few of them", () => {
  const playback = new Playback(EASY, longLog(10000));
  let played = 0;
  const play = Table.prototype.play;
  Table.prototype.play = function (action) {
    played += 1;
    play.call(this, action);
  };
  for (const step of [9999, 9998, 5000, 4999, 10000, 1]) {
    playback.go(step);
  }
  Table.prototype.play = play;
  assert.ok(played < 6 * 200, `${played} actions were played`);
});

test("what is played on a copy of a table isn't played on the table", () => {
  const table = new Playback(EASY, OPENING).table;
  const before = stateOf(table);
  const copy = table.copy();
  for (let i = 0; i < 5; i += 1) {
    copy.play(parseAction("u"));
  }
  assert.equal(stateOf(table), before);
  assert.notEqual(stateOf(copy), before);
});

test("an empty game is its deal", () => {
  const playback = new Playback(EASY, "");
  playback.go(0);
  assert.equal(playback.length, 0);
});

test("in step by action the shorter game waits at its end", () => {
  const { places, waits } = byAction([
    { length: 1, times: [] },
    { length: 3, times: [] },
  ]);
  assert.deepEqual(places, [[0, 0], [1, 1], [1, 2], [1, 3]]);
  assert.deepEqual(waits, [0, STEADY_WAIT, STEADY_WAIT, STEADY_WAIT]);
});

test("by time each action comes when it was played, and long waits are shortened", () => {
  const { places, waits } = byTime([
    { length: 2, times: [100, 100000] },
    { length: 2, times: [50, 300] },
  ]);
  assert.deepEqual(places, [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2]]);
  assert.deepEqual(waits, [0, 50, 50, 200, LONGEST_WAIT]);
});

test("times that don't rise keep the order of the actions", () => {
  const { places, waits } = byTime([{ length: 3, times: [500, 20, 600] }]);
  assert.deepEqual(places, [[0], [1], [2], [3]]);
  assert.deepEqual(waits, [0, 500, 0, 100]);
});

test("times count only where each action has one", () => {
  assert.equal(haveTimes([{ length: 2, times: [1, 2] }]), true);
  assert.equal(haveTimes([{ length: 2, times: [1] }]), false);
  assert.equal(haveTimes([{ length: 2, times: [1, 2] }, { length: 1, times: [] }]), false);
  assert.equal(haveTimes([{ length: 0, times: [] }]), false);
});
