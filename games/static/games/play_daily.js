/** A daily: its attempts are started by the server, kept there as they go, and handed in at their end. */

import { ApiError, Offline, keepDraft, readChallenge, startAttempt } from "./api.js";
import { longestLog } from "./board.js";
import { dealFromJson } from "./deals.js";
import { isKnown, owner } from "./identity.js";
import { confirmed, part, show } from "./play_page.js";
import { showResult } from "./play_result.js";
import { Verdict } from "./play_verdict.js";
import { clockText, problemText, say, scoreText } from "./words.js";

const DRAFT_MS = 3000;
/** Not all pages shall ask for the new day in the same second. */
const ROLL_OVER_MS = 3000;

export class Daily {
  /** @type {Verdict | null} */
  #verdict = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #draftTimer;
  #clockOffset;
  #hasRolledOver = false;
  #isParShown = false;

  /**
   * @param {import("./play_desk.js").Desk} desk
   * @param {import("./outbox.js").Outbox} outbox
   */
  constructor(desk, outbox) {
    this.desk = desk;
    this.outbox = outbox;
    this.#clockOffset = Date.parse(desk.data.serverTime) - Date.now();
    desk.listen((board) => this.#played(board));
    outbox.listen((parcel) => void this.#parcelChanged(parcel));
    part("#give-up").addEventListener("click", () => void this.#giveUp());
    for (const button of ["#start-daily", "#again"]) {
      part(button).addEventListener("click", () => void this.#start());
    }
    window.addEventListener("pagehide", () => this.#sendDraft(true));
    this.tick();
  }

  async begin() {
    const challenge = this.desk.data.challenge;
    if (!challenge) {
      return;
    }
    const kept = await this.desk.storage.game(`daily:${challenge.id}`);
    if (kept && (kept.owner ?? "") === owner()) {
      this.#open(kept);
      const parcel = kept.attempt && (await this.desk.storage.parcel(kept.attempt.id));
      if (parcel) {
        void this.#parcelChanged(parcel);
      }
      return;
    }
    document.body.dataset.state = "waiting";
    if (isKnown()) {
      await this.#showOwn(challenge.id);
    }
  }

  /**
   * Go on with an attempt begun elsewhere, or whose copy here is gone; say what was played before.
   *
   * @param {number} challenge
   */
  async #showOwn(challenge) {
    const found = await readChallenge(challenge).catch(() => null);
    const own = found?.own;
    if (own?.open_attempt != null) {
      await this.#start();
    } else if (own?.attempts && own.best_score !== null) {
      const isVegas = this.desk.data.mode.endsWith("v");
      show(part("#played"), say("daily.played", { count: own.attempts, score: scoreText(own.best_score, isVegas) }));
    }
  }

  async #start() {
    const challenge = this.desk.data.challenge;
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
      show(problem, startProblem(error));
    }
  }

  /**
   * @param {number} challenge
   * @param {any} attempt as the API gives it
   */
  async #openAttempt(challenge, attempt) {
    const id = `daily:${challenge}`;
    const here = await this.desk.storage.game(id);
    const ours = here?.attempt?.id === attempt.id ? here : undefined;
    const log = longestLog(dealFromJson(attempt.deal), [ours?.log ?? "", attempt.draft]);
    const kept = {
      id,
      mode: attempt.mode,
      deal: attempt.deal,
      log,
      times: ours && ours.log === log ? ours.times : [],
      elapsed: ours?.elapsed ?? 0,
      isClosed: false,
      owner: owner(),
      attempt: {
        id: attempt.id,
        number: attempt.number,
        countsFirst: attempt.counts_first,
        closesAt: attempt.closes_at,
        overAt: attempt.over_at,
      },
    };
    await this.desk.storage.keepGame(kept);
    this.#open(kept);
  }

  /** @param {import("./storage.js").KeptGame} kept */
  #open(kept) {
    this.#verdict?.end();
    this.#verdict = null;
    this.#isParShown = false;
    this.desk.open(kept);
    show(part("#attempt"), kept.attempt ? attemptText(kept.attempt) : "");
    this.tick();
  }

  async #giveUp() {
    const { board } = this.desk;
    if (!board || board.isOver) {
      return;
    }
    const score = scoreText(board.table.figures.score, board.mode.rules.isVegas);
    if (await confirmed(say("ask.give_up", { score }), say("ask.give_up_yes"))) {
      board.close();
    }
  }

  /** @param {import("./board.js").Board} board */
  #played(board) {
    const { kept } = this.desk;
    if (!kept?.attempt) {
      return;
    }
    if (!board.isOver) {
      this.#draftTimer ??= setTimeout(() => this.#sendDraft(false), DRAFT_MS);
      return;
    }
    clearTimeout(this.#draftTimer);
    this.#draftTimer = undefined;
    void this.outbox.add({
      attempt: kept.attempt.id,
      game: kept.id,
      log: kept.log,
      times: kept.times,
      claimedScore: board.table.figures.score,
      owner: kept.owner ?? "",
    });
  }

  /** @param {import("./storage.js").Parcel} parcel */
  async #parcelChanged(parcel) {
    const { length } = await this.desk.storage.waitingParcels();
    show(part("#waiting"), length ? say("offline.waiting", { count: length }) : "");
    const { kept } = this.desk;
    if (parcel.game !== kept?.id || parcel.attempt !== kept.attempt?.id) {
      return;
    }
    this.desk.markFinished();
    const isVegas = this.desk.board?.mode.rules.isVegas ?? false;
    if (parcel.state === "refused") {
      showResult({ title: say("result.refused"), lines: [parcel.message ?? ""] }, isVegas);
    } else if (parcel.state === "waiting") {
      const until = new Date(kept.attempt.overAt).toLocaleTimeString(this.desk.data.locale, { timeStyle: "short" });
      showResult({ title: say("result.sending"), lines: [say("result.kept", { time: until })] }, isVegas);
    } else if (parcel.submission !== undefined) {
      const name = `${part("#mode-name").textContent?.trim()} ${this.desk.data.challenge?.date ?? ""}`;
      this.#verdict?.end();
      this.#verdict = new Verdict(parcel.submission, { name, isVegas });
      await this.#verdict.follow();
    }
  }

  /**
   * Keep the log on the server too, for going on elsewhere. Where that fails, the copy here is the one that counts.
   *
   * @param {boolean} outlivesPage
   */
  #sendDraft(outlivesPage) {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = undefined;
    const { kept, board } = this.desk;
    if (kept?.attempt && !kept.isClosed && kept.log && !board?.isOver) {
      keepDraft(kept.attempt.id, kept.log, outlivesPage).catch(() => {});
    }
  }

  /** Show the time that is left, and at its end that there is a new day. */
  tick() {
    const { data, kept } = this.desk;
    const closesAt = kept?.attempt?.closesAt ?? data.challenge?.closesAt;
    if (!closesAt || data.kind !== "daily") {
      show(part("#time-left"), "");
      return;
    }
    const now = Date.now() + this.#clockOffset;
    const left = Date.parse(closesAt) - now;
    show(part("#time-left"), left > 0 ? say("daily.time_left", { time: clockText(left) }) : say("daily.closed"));
    if (left <= 0 && !this.#hasRolledOver) {
      this.#hasRolledOver = true;
      this.#rollOver();
    }
    const overAt = kept?.attempt?.overAt;
    if (overAt && now > Date.parse(overAt) && this.#verdict && data.challenge && !this.#isParShown) {
      this.#isParShown = true;
      void this.#verdict.showPar(data.challenge.id).catch(() => {});
    }
  }

  /** A game that was begun goes on; otherwise the new day's page is shown. */
  #rollOver() {
    part("#new-day").hidden = false;
    if (document.body.dataset.state === "waiting" && navigator.onLine) {
      setTimeout(() => location.reload(), Math.random() * ROLL_OVER_MS);
    }
  }
}

/** @param {import("./storage.js").KeptAttempt} attempt */
function attemptText({ number, countsFirst }) {
  const why = countsFirst ? "daily.first" : number === 1 ? "daily.first_of_guest" : "daily.not_first";
  return `${say("daily.attempt", { number })} ${say(why)}`;
}

/** @param {unknown} error */
function startProblem(error) {
  if (error instanceof Offline) {
    return say("offline.start");
  }
  if (error instanceof ApiError) {
    return error.isUnknownPlayer ? say("daily.signed_out") : problemText(error);
  }
  throw error;
}
