/** The entry of the page where a game is played: practice by a code, or a daily. */

import { ApiError, Offline, keepDraft, readChallenge, readDistribution, readSubmission, startAttempt } from "./api.js";
import { Board, longestLog } from "./board.js";
import { cardText } from "./cards.js";
import { dealFromJson, dealOf, parseCode } from "./deals.js";
import { BadCode } from "./errors.js";
import { keptToken } from "./identity.js";
import { Outbox } from "./outbox.js";
import { Game } from "./play_game.js";
import { confirmed, copy, find, pageData, part, show } from "./play_page.js";
import { hideResult, showResult, verdictLines } from "./play_result.js";
import { openSettings, wireSettings } from "./play_settings.js";
import { Settings } from "./settings.js";
import { openStorage } from "./storage.js";
import { clockText, say, scoreText, useWords } from "./words.js";

const DRAFT_MS = 3000;
const POLL_MS = [300, 500, 800, 1200, 2000, 3000];
const TICK_MS = 1000;

class Page {
  /** @type {Game | null} */
  game = null;
  /** @type {import("./storage.js").KeptGame | null} */
  kept = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #draftTimer;
  #clockOffset = 0;

  /**
   * @param {import("./play_page.js").PageData} data
   * @param {import("./storage.js").Storage} storage
   */
  constructor(data, storage) {
    this.data = data;
    this.storage = storage;
    this.settings = new Settings(localStorage);
    this.outbox = new Outbox(storage);
  }

  async begin() {
    wireSettings(this.settings);
    this.settings.listen(() => this.game?.resize());
    this.outbox.listen((parcel) => void this.#parcelChanged(parcel));
    this.#wire();
    this.#showTimeLeft();
    if (this.data.kind === "daily") {
      await this.#beginDaily();
    } else if (this.data.deal) {
      await this.#beginPractice(this.data.deal);
    } else {
      await this.#dealHere();
    }
    void this.outbox.send();
  }

  #wire() {
    const on = (/** @type {string} */ selector, /** @type {() => unknown} */ action) =>
      part(selector).addEventListener("click", () => void action());
    on("#open-settings", () => openSettings(this.settings));
    on("#open-new", () => find("#new-game", HTMLDialogElement).showModal());
    on("#open-help", () => find("#help", HTMLDialogElement).showModal());
    on("#restart", () => this.#restart());
    on("#give-up", () => this.#giveUp());
    on("#start-daily", () => this.#startDaily());
    on("#again", () => this.#startDaily());
    on("#copy-code", () => copy(part("#copy-code"), part("#code").textContent ?? "", say("copied")));
    on("#copy-link", () => copy(part("#copy-link"), location.href, say("copied")));
    find("#code-form", HTMLFormElement).addEventListener("submit", (event) => this.#enterCode(event));
    for (const link of document.querySelectorAll("a[data-mode]")) {
      link.addEventListener("click", (event) => this.#newRandom(event, link.getAttribute("data-mode") ?? ""));
    }
    window.addEventListener("online", () => void this.outbox.send());
    window.addEventListener("pagehide", () => this.#sendDraft(true));
    window.addEventListener("popstate", () => location.reload());
    setInterval(() => this.#showTimeLeft(), TICK_MS);
  }

  // Practice.

  /** @param {import("./deals.js").DealJson} json */
  async #beginPractice(json) {
    const id = `practice:${json.code}`;
    const kept = await this.storage.game(id);
    this.kept = { id, mode: json.mode, deal: json, log: "", times: [], elapsed: 0, isClosed: false, ...kept };
    show(part("#code"), json.code ?? "");
    this.#openBoard();
  }

  /** This page was kept for when there is no connection: its address says which deal to play on it. */
  async #dealHere() {
    const code = new URLSearchParams(location.search).get("code") ?? location.pathname.split("/")[2] ?? "";
    if (code === "") {
      await this.#playHere(randomCode(this.data.mode));
      return;
    }
    try {
      await this.#playHere(parseCode(code));
    } catch (problem) {
      find("#new-game", HTMLDialogElement).showModal();
      this.#showBadCode(problem);
    }
  }

  /** @param {unknown} problem */
  #showBadCode(problem) {
    if (!(problem instanceof BadCode)) {
      throw problem;
    }
    show(part("#code-error"), say(`bad_code.${problem.problem}`, { found: problem.found }));
  }

  /**
   * Play a code without asking the server: codes name the same cards everywhere.
   *
   * @param {import("./deals.js").Code} code
   */
  async #playHere(code) {
    const deal = dealOf(code);
    const address = `${this.data.practiceUrl}${deal.code}/`;
    if (location.pathname !== address) {
      history[this.kept ? "pushState" : "replaceState"](null, "", address);
    }
    this.data.kind = "practice";
    this.data.challenge = null;
    document.body.dataset.kind = "practice";
    part("#mode-name").textContent = say(`mode.${code.mode}`);
    find("#new-game", HTMLDialogElement).close();
    await this.#beginPractice(toJson(deal));
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
      this.#showBadCode(problem);
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
    if (!this.kept || !this.game) {
      return;
    }
    const { board } = this.game;
    if (board.actionCount > 0 && !board.isOver && !(await confirmed(say("ask.restart"), say("ask.restart_yes")))) {
      return;
    }
    this.kept = { ...this.kept, log: "", times: [], elapsed: 0, isClosed: false };
    await this.storage.keepGame(this.kept);
    this.#openBoard();
  }

  // Dailies.

  async #beginDaily() {
    const challenge = this.data.challenge;
    if (!challenge) {
      return;
    }
    const kept = await this.storage.game(`daily:${challenge.id}`);
    if (kept) {
      this.kept = kept;
      this.#openBoard();
      const parcel = kept.attempt && (await this.storage.parcel(kept.attempt.id));
      if (parcel) {
        await this.#parcelChanged(parcel);
      }
      return;
    }
    document.body.dataset.state = "waiting";
    if (keptToken() && (await this.#hasOpenAttempt(challenge.id))) {
      await this.#startDaily();
    }
  }

  /**
   * Whether the game was begun elsewhere, or its copy here is gone.
   *
   * @param {number} challenge
   */
  async #hasOpenAttempt(challenge) {
    try {
      return (await readChallenge(challenge)).own?.open_attempt != null;
    } catch {
      return false;
    }
  }

  async #startDaily() {
    const challenge = this.data.challenge;
    if (!challenge) {
      return;
    }
    const problem = part("#start-problem");
    show(problem, "");
    try {
      const attempt = await startAttempt(challenge.id);
      this.#clockOffset = Date.parse(attempt.server_time) - Date.now();
      await this.#openAttempt(challenge.id, attempt);
    } catch (error) {
      const text = error instanceof ApiError ? error.message : error instanceof Offline ? say("offline.start") : "";
      show(problem, text);
      if (!text) {
        throw error;
      }
    }
  }

  /**
   * @param {number} challenge
   * @param {any} attempt as the API gives it
   */
  async #openAttempt(challenge, attempt) {
    const id = `daily:${challenge}`;
    const here = await this.storage.game(id);
    const ours = here?.attempt?.id === attempt.id ? here : undefined;
    const log = longestLog(dealFromJson(attempt.deal), [ours?.log ?? "", attempt.draft]);
    this.kept = {
      id,
      mode: attempt.mode,
      deal: attempt.deal,
      log,
      times: ours && ours.log === log ? ours.times : [],
      elapsed: ours?.elapsed ?? 0,
      isClosed: false,
      attempt: { id: attempt.id, number: attempt.number, closesAt: attempt.closes_at, overAt: attempt.over_at },
    };
    await this.storage.keepGame(this.kept);
    this.#openBoard();
  }

  async #giveUp() {
    const board = this.game?.board;
    if (!board || board.isOver) {
      return;
    }
    const score = scoreText(board.table.figures.score, board.mode.rules.isVegas);
    if (await confirmed(say("ask.give_up", { score }), say("ask.give_up_yes"))) {
      board.close();
    }
  }

  /** Hand in the game as it stands. */
  async #handIn() {
    const board = this.game?.board;
    const attempt = this.kept?.attempt;
    if (board && attempt && this.kept) {
      clearTimeout(this.#draftTimer);
      await this.outbox.add({
        attempt: attempt.id,
        game: this.kept.id,
        log: board.log,
        times: board.times,
        claimedScore: board.table.figures.score,
      });
    }
  }

  /** @param {import("./storage.js").Parcel} parcel */
  async #parcelChanged(parcel) {
    await this.#showWaiting();
    if (parcel.game !== this.kept?.id || parcel.attempt !== this.kept.attempt?.id) {
      return;
    }
    this.#markFinished();
    const isVegas = this.game?.board.mode.rules.isVegas ?? false;
    if (parcel.state === "refused") {
      showResult({ title: say("result.refused"), lines: [parcel.message ?? ""] }, isVegas);
    } else if (parcel.state === "waiting") {
      const until = new Date(this.kept.attempt.overAt).toLocaleTimeString(this.data.locale, { timeStyle: "short" });
      showResult({ title: say("result.sending"), lines: [say("result.kept", { time: until })] }, isVegas);
    } else if (parcel.submission !== undefined) {
      showResult({ title: say("result.checking"), lines: [] }, isVegas);
      await this.#followVerdict(parcel.submission, parcel.attempt);
    }
  }

  /**
   * @param {number} submission
   * @param {number} attempt that must still be shown
   */
  async #followVerdict(submission, attempt) {
    for (let tries = 0; this.kept?.attempt?.id === attempt; tries += 1) {
      try {
        const found = await readSubmission(submission);
        if (found.state !== "pending") {
          await this.#showVerdict(found);
          return;
        }
      } catch (error) {
        if (error instanceof ApiError && !error.isPassing) {
          showResult({ title: say("result.refused"), lines: [error.message] }, false);
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS[Math.min(tries, POLL_MS.length - 1)]));
    }
  }

  /** @param {any} submission as the API gives it */
  async #showVerdict(submission) {
    const isVegas = this.game?.board.mode.rules.isVegas ?? false;
    const { state, verdict } = submission;
    if (state === "rejected" && verdict?.error) {
      const { index, action, message } = verdict.error;
      const lines = [say("result.failing_action", { index: index + 1, action, message })];
      showResult({ title: say("result.rejected"), lines }, isVegas);
      return;
    }
    if (state !== "verified" || !verdict) {
      showResult({ title: say("result.failed"), lines: [say("result.failed_more")] }, isVegas);
      return;
    }
    const title = say(verdict.won ? "result.won" : "result.not_won");
    const lines = verdictLines(submission, isVegas);
    const share = this.#shareText(submission, isVegas);
    const result = { title, lines, share, ownScore: verdict.ranked_score };
    showResult(result, isVegas);
    try {
      showResult({ ...result, distribution: await readDistribution(submission.challenge) }, isVegas);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Offline)) {
        throw error;
      }
    }
  }

  /**
   * @param {any} submission
   * @param {boolean} isVegas
   */
  #shareText({ verdict, best }, isVegas) {
    const parts = [
      `qvserver, ${part("#mode-name").textContent?.trim()} ${this.data.challenge?.date ?? ""}`,
      say(verdict.won ? "result.won" : "result.not_won"),
      say("result.score", { score: scoreText(verdict.ranked_score, isVegas), moves: verdict.moves }),
      best ? say("result.place", { rank: best.rank, total: best.total }) : "",
      location.href,
    ];
    return parts.filter(Boolean).join("\n");
  }

  // The board, whichever game it is.

  #openBoard() {
    const { kept } = this;
    if (!kept) {
      return;
    }
    this.game?.end();
    hideResult();
    document.body.dataset.state = "playing";
    const board = new Board(dealFromJson(kept.deal), kept);
    const isFinished = kept.isClosed;
    this.game = new Game(board, this.settings, this.data.pictures);
    const played = kept.attempt ? say("daily.attempt", { number: kept.attempt.number }) : "";
    const note = kept.attempt && kept.attempt.number > 1 ? say("daily.not_first") : say("daily.first");
    show(part("#attempt"), kept.attempt ? `${played} ${note}` : "");
    this.#showTimeLeft();
    board.listen((change) => this.#boardChanged(board, change));
    if (isFinished) {
      board.isClosed = true;
      this.game.renderer.update();
    }
    if (board.isOver) {
      this.#markFinished();
      this.#showPracticeResult(board);
    }
  }

  /**
   * @param {Board} board
   * @param {import("./board.js").Change} change
   */
  #boardChanged(board, change) {
    if ((change.kind !== "played" && change.kind !== "closed") || !this.kept) {
      return;
    }
    this.kept = {
      ...this.kept,
      log: board.log,
      times: board.times,
      elapsed: board.stopwatch.read(),
      isClosed: board.isClosed,
    };
    void this.storage.keepGame(this.kept);
    if (board.isOver) {
      this.#markFinished();
      this.#showPracticeResult(board);
      void this.#handIn();
    } else if (this.kept.attempt) {
      this.#draftTimer ??= setTimeout(() => this.#sendDraft(false), DRAFT_MS);
    }
  }

  #markFinished() {
    document.body.dataset.state = "finished";
  }

  /** @param {Board} board */
  #showPracticeResult(board) {
    if (this.kept?.attempt || !board.table.isWon) {
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

  /**
   * Keep the log on the server too, for going on elsewhere. Where that fails, the copy here is the one that counts.
   *
   * @param {boolean} outlivesPage
   */
  #sendDraft(outlivesPage) {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = undefined;
    const { kept } = this;
    if (kept?.attempt && !kept.isClosed && kept.log && !this.game?.board.isOver) {
      keepDraft(kept.attempt.id, kept.log, outlivesPage).catch(() => {});
    }
  }

  async #showWaiting() {
    const { length } = await this.storage.waitingParcels();
    show(part("#waiting"), length ? say("offline.waiting", { count: length }) : "");
  }

  #showTimeLeft() {
    const closesAt = this.kept?.attempt?.closesAt ?? this.data.challenge?.closesAt;
    if (!closesAt || this.data.kind !== "daily") {
      show(part("#time-left"), "");
      return;
    }
    const left = Date.parse(closesAt) - (Date.now() + this.#clockOffset);
    show(part("#time-left"), left > 0 ? say("daily.time_left", { time: clockText(left) }) : say("daily.closed"));
  }
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

const data = pageData();
useWords(data.words, data.locale);
void new Page(data, await openStorage()).begin();
