/** Practice: a deal by its code, as often as one likes, without the server. */

import { cardText } from "./cards.js";
import { dealOf, parseCode } from "./deals.js";
import { BadCode } from "./errors.js";
import { confirmed, find, part, show } from "./play_page.js";
import { showResult } from "./play_result.js";
import { clockText, say, scoreText } from "./words.js";

export class Practice {
  /** @param {import("./play_desk.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    desk.listen((board) => this.#showResult(board));
    part("#restart").addEventListener("click", () => void this.#restart());
    find("#code-form", HTMLFormElement).addEventListener("submit", (event) => this.#enterCode(event));
    for (const link of document.querySelectorAll("a[data-mode]")) {
      link.addEventListener("click", (event) => this.#newRandom(event, link.getAttribute("data-mode") ?? ""));
    }
  }

  /** @param {import("./deals.js").DealJson} deal */
  async begin(deal) {
    const id = `practice:${deal.code}`;
    const kept = await this.desk.storage.game(id);
    show(part("#code"), deal.code ?? "");
    const fresh = { id, mode: deal.mode, deal, log: "", times: [], elapsed: 0, isClosed: false };
    this.#showResult(this.desk.open({ ...fresh, ...kept }));
  }

  /** This page was kept for when there is no connection: its address says which deal to play on it. */
  async dealHere() {
    const code = new URLSearchParams(location.search).get("code") ?? location.pathname.split("/")[2] ?? "";
    if (code === "") {
      await this.#playHere(randomCode(this.desk.data.mode));
      return;
    }
    try {
      await this.#playHere(parseCode(code));
    } catch (problem) {
      find("#new-game", HTMLDialogElement).showModal();
      showBadCode(problem);
    }
  }

  /**
   * Play a code without asking the server: codes name the same cards everywhere.
   *
   * @param {import("./deals.js").Code} code
   */
  async #playHere(code) {
    const deal = dealOf(code);
    const { data } = this.desk;
    const address = `${data.practiceUrl}${deal.code}/`;
    if (location.pathname !== address) {
      history[this.desk.kept ? "pushState" : "replaceState"](null, "", address);
    }
    data.kind = "practice";
    data.challenge = null;
    document.body.dataset.kind = "practice";
    part("#mode-name").textContent = say(`mode.${code.mode}`);
    find("#new-game", HTMLDialogElement).close();
    await this.begin(toJson(deal));
  }

  /** @param {SubmitEvent} event */
  #enterCode(event) {
    try {
      const code = parseCode(find("#code-input", HTMLInputElement).value);
      show(part("#code-error"), "");
      if (!navigator.onLine) {
        event.preventDefault();
        void this.#playHere(code);
      }
    } catch (problem) {
      event.preventDefault();
      showBadCode(problem);
    }
  }

  /**
   * @param {Event} event
   * @param {string} mode
   */
  #newRandom(event, mode) {
    if (!navigator.onLine) {
      event.preventDefault();
      void this.#playHere(randomCode(mode));
    }
  }

  async #restart() {
    const { board, kept, storage } = this.desk;
    if (!board || !kept) {
      return;
    }
    if (board.actionCount > 0 && !board.isOver && !(await confirmed(say("ask.restart"), say("ask.restart_yes")))) {
      return;
    }
    const fresh = { ...kept, log: "", times: [], elapsed: 0, isClosed: false };
    await storage.keepGame(fresh);
    this.desk.open(fresh);
  }

  /** @param {import("./board.js").Board} board */
  #showResult(board) {
    if (this.desk.data.kind !== "practice" || !board.table.isWon) {
      return;
    }
    const { score, moves } = board.table.figures;
    const isVegas = board.mode.rules.isVegas;
    const lines = [
      say("result.score", { score: scoreText(score, isVegas), moves }),
      say("result.time", { time: clockText(board.stopwatch.read()) }),
    ];
    showResult({ title: say("result.won"), lines }, isVegas);
  }
}

/** @param {unknown} problem */
function showBadCode(problem) {
  if (!(problem instanceof BadCode)) {
    throw problem;
  }
  show(part("#code-error"), say(`bad_code.${problem.problem}`, { found: problem.found }));
}

/**
 * @param {string} mode
 * @returns {import("./deals.js").Code}
 */
function randomCode(mode) {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return { mode, number: (high % 8) * 2 ** 32 + low };
}

/**
 * @param {import("./deals.js").Deal} deal
 * @returns {import("./deals.js").DealJson}
 */
function toJson(deal) {
  return {
    mode: deal.mode,
    code: deal.code,
    columns: deal.columns.map((column) => column.map(cardText)),
    stock: deal.stock.map(cardText),
  };
}
