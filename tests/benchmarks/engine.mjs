// The browser's engine for `engine.py`: reads the games, then replays them all for each further line and answers with
// the CPU seconds of one round.
import { createInterface } from "node:readline";

import { dealFromJson } from "../../games/static/games/deals.js";
import { verify } from "../../games/static/games/replay.js";

let games;
let rounds;
for await (const line of createInterface({ input: process.stdin })) {
  if (games === undefined) {
    const given = JSON.parse(line);
    rounds = given.rounds;
    games = given.games.map((game) => ({ ...game, deal: dealFromJson(game.deal) }));
    for (const { deal, log, score } of games) {
      const verdict = verify(deal, log);
      if (!verdict.won || verdict.score !== score) process.exit(1);
    }
    console.log("ready");
    continue;
  }
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    for (const { deal, log } of games) verify(deal, log);
  }
  const { user, system } = process.cpuUsage(start);
  console.log((user + system) / 1e6 / rounds);
}
