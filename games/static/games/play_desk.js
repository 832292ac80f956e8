/** The table on the page and the game that lies on it, which is kept at every action. */

import { Board } from "./board.js";
import { dealFromJson } from "./deals.js";
import { Game } from "./play_game.js";
import { hideResult } from "./play_result.js";

export class Desk {
  /** @type {Game | null} */
  game = null;
  /** @type {import("./storage.js").KeptGame | null} */
  kept = null;
  /** @type {((board: Board) => void)[]} */
  #listeners = [];

  /**
   * @param {import("./play_page.js").PageData} data
   * @param {import("./storage.js").Storage} storage
   * @param {import("./settings.js").Settings} settings
   */
  constructor(data, storage, settings) {
    this.data = data;
    this.storage = storage;
    this.settings = settings;
    settings.listen(() => this.game?.resize());
  }

  /** @param {(board: Board) => void} listener hears of every action and of the end of a game, once it is kept */
  listen(listener) {
    this.#listeners.push(listener);
  }

  get board() {
    return this.game?.board;
  }

  /**
   * Put a game on the table, as far as it was played.
   *
   * @param {import("./storage.js").KeptGame} kept
   * @returns {Board}
   */
  open(kept) {
    this.game?.end();
    hideResult();
    this.kept = kept;
    document.body.dataset.state = "playing";
    const board = new Board(dealFromJson(kept.deal), kept);
    board.isClosed = kept.isClosed;
    this.game = new Game(board, this.settings, this.data.pictures);
    board.listen((change) => this.#changed(board, change));
    if (board.isOver) {
      this.markFinished();
    }
    return board;
  }

  markFinished() {
    document.body.dataset.state = "finished";
  }

  /**
   * @param {Board} board
   * @param {import("./board.js").Change} change
   */
  #changed(board, { kind }) {
    if ((kind !== "played" && kind !== "closed") || !this.kept) {
      return;
    }
    const { log, times, isClosed } = board;
    this.kept = { ...this.kept, log, times, elapsed: board.stopwatch.read(), isClosed };
    void this.storage.keepGame(this.kept);
    if (board.isOver) {
      this.markFinished();
    }
    for (const listener of this.#listeners) {
      listener(board);
    }
  }
}
