/** A game that was handed in: its verdict is waited for and shown, and the board as it changes. */

import {
  ApiError,
  Offline,
  awaitSubmission,
  disputeVerdict,
  readBoard,
  readChallenge,
  readDistribution,
  readSubmission,
  watchBoard,
} from "./api.js";
import { showResult, verdictLines } from "./play_result.js";
import { problemText, say, scoreText } from "./words.js";

const AGAIN_MS = [300, 500, 800, 1200, 2000, 3000];
/** A board that changes all the time is read again only so often. */
const REFRESH_MS = 5000;
const BOARD_LINES = 5;

export class Verdict {
  #hasEnded = false;
  #stopWatching = () => {};
  /** @type {import("./play_result.js").Result} */
  #result = { title: "", lines: [] };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #readAt = -REFRESH_MS;

  /**
   * @param {number} submission
   * @param {{name: string, isVegas: boolean}} game its name in texts to share
   */
  constructor(submission, game) {
    this.submission = submission;
    this.game = game;
  }

  /** Show no more of it. */
  end() {
    this.#hasEnded = true;
    this.#stopWatching();
    clearTimeout(this.#timer);
  }

  /** Wait for the verdict and show it. */
  async follow() {
    this.#show({ title: say("result.checking"), lines: [] });
    for (let tries = 0; !this.#hasEnded; tries += 1) {
      try {
        const found = await awaitSubmission(this.submission);
        if (found.state !== "pending") {
          await this.#showVerdict(found);
          return;
        }
      } catch (error) {
        if (this.#isRefused(error)) {
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]));
    }
  }

  /**
   * Show how the game compares with the best known win, which may be kept back until the challenge is over.
   *
   * @param {number} challenge
   */
  async showPar(challenge) {
    const { par } = await readChallenge(challenge);
    if (par !== null) {
      this.#show({ par: say("result.par", { moves: par }) });
    }
  }

  /**
   * @param {unknown} error
   * @returns {boolean} whether it makes no sense to go on asking
   */
  #isRefused(error) {
    if (error instanceof Offline) {
      return false;
    }
    if (!(error instanceof ApiError)) {
      throw error;
    }
    if (error.isUnknownPlayer) {
      this.#show({ title: say("result.signed_out"), lines: [say("result.signed_out_more")] });
      return true;
    }
    if (!error.isPassing) {
      this.#show({ title: say("result.refused"), lines: [problemText(error)] });
    }
    return !error.isPassing;
  }

  /** @param {any} submission as the API gives it */
  async #showVerdict(submission) {
    const { state, verdict } = submission;
    if (state === "rejected" && verdict?.error) {
      const { index, action, message } = verdict.error;
      const lines = [say("result.failing_action", { index: index + 1, action, message })];
      this.#show({ title: say("result.rejected"), lines, dispute: () => disputeVerdict(this.submission) });
    } else if (state !== "verified" || !verdict) {
      this.#show({ title: say("result.failed"), lines: [say("result.failed_more")] });
    } else {
      this.#showVerified(submission);
      await this.#readRest(submission.challenge);
      if (!this.#hasEnded) {
        this.#stopWatching = watchBoard(submission.challenge, () => this.#boardChanged(submission.challenge));
      }
    }
  }

  /** @param {any} submission */
  #showVerified(submission) {
    const { verdict } = submission;
    this.#show({
      title: say(verdict.won ? "result.won" : "result.not_won"),
      lines: verdictLines(submission, this.game.isVegas),
      share: this.#shareText(submission),
      ownScore: verdict.ranked_score,
    });
  }

  /** @param {number} challenge */
  #boardChanged(challenge) {
    clearTimeout(this.#timer);
    const wait = this.#readAt + REFRESH_MS - performance.now();
    this.#timer = setTimeout(() => void this.#readAgain(challenge), Math.max(wait, 0));
  }

  /** @param {number} challenge */
  async #readAgain(challenge) {
    try {
      this.#showVerified(await readSubmission(this.submission));
      await this.#readRest(challenge);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Offline)) {
        throw error;
      }
    }
  }

  /**
   * What the verdict is shown beside: it is shown without where that can't be had.
   *
   * @param {number} challenge
   */
  async #readRest(challenge) {
    this.#readAt = performance.now();
    const parts = [
      readBoard(challenge, BOARD_LINES).then((board) => this.#show({ board })),
      readDistribution(challenge).then((distribution) => this.#show({ distribution })),
      this.showPar(challenge),
    ];
    await Promise.allSettled(parts);
  }

  /** @param {Partial<import("./play_result.js").Result>} change */
  #show(change) {
    if (!this.#hasEnded) {
      this.#result = { ...this.#result, ...change };
      showResult(this.#result, this.game.isVegas);
    }
  }

  /** @param {any} submission */
  #shareText({ verdict, best }) {
    const score = scoreText(verdict.ranked_score, this.game.isVegas);
    const parts = [
      `qvserver, ${this.game.name}`,
      say(verdict.won ? "result.won" : "result.not_won"),
      say("result.score", { score, moves: verdict.moves }),
      best ? say("result.place", { rank: best.rank, total: best.total }) : "",
      location.href,
    ];
    return parts.filter(Boolean).join("\n");
  }
}
