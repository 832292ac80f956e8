/** The calls to the server and its live service; nothing else fetches. */

import { byToken, forgetGuest, hasSession, isKnown, keepGuest, owner, proofOf } from "./identity.js";

const ROOT = "/api/v1/";
const TIMEOUT_MS = 15000;

/** An answer that refuses the call. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message for people
   */
  constructor(status, code, message) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }

  /** Whether the same call may succeed later; where the player isn't known, after signing in again. */
  get isPassing() {
    return this.status >= 500 || this.status === 429 || this.status === 408 || this.isUnknownPlayer;
  }

  get isUnknownPlayer() {
    return this.status === 401 || this.code === "csrf_failed";
  }
}

/** No answer: there is no connection, or the server is away. */
export class Offline extends Error {
  constructor() {
    super("offline");
    this.name = "Offline";
  }
}

/**
 * @param {string} method
 * @param {string} path below the root of the API
 * @param {{body?: unknown, outlivesPage?: boolean, player?: string, token?: string}} [options] `player`: whose call it
 *   is; `token`: that of a guest whom this browser doesn't keep yet
 * @returns {Promise<any>}
 * @throws {ApiError | Offline}
 */
async function call(method, path, { body, outlivesPage = false, player = owner(), token } = {}) {
  const proof = token ? byToken(token) : proofOf(player);
  if (proof === null) {
    throw new ApiError(401, "not_authenticated", "");
  }
  let response;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers: { ...proof.headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: proof.credentials,
      keepalive: outlivesPage,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new Offline();
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    const { code = "error", message = response.statusText } = answer?.error ?? {};
    throw new ApiError(response.status, code, message);
  }
  if (answer === null) {
    throw new Offline();
  }
  return answer;
}

/** Make a guest where nobody plays here yet, with a session by which the other pages know who it is. */
async function ensurePlayer() {
  if (!isKnown()) {
    const { token } = await call("POST", "players/guest/");
    const { player } = await call("POST", "players/me/session/", { body: { client: "browser" }, token });
    keepGuest({ token, player });
  }
}

/**
 * Start an attempt, or get the open one again. The first play makes a guest.
 *
 * @param {number} challenge
 */
export async function startAttempt(challenge) {
  await ensurePlayer();
  try {
    return await call("POST", `challenges/${challenge}/attempts/`);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401) || hasSession()) {
      throw error;
    }
    // The token has expired: whoever played here plays on as a new guest.
    forgetGuest();
    await ensurePlayer();
    return call("POST", `challenges/${challenge}/attempts/`);
  }
}

/** @param {number} challenge */
export function readChallenge(challenge) {
  return call("GET", `challenges/${challenge}/`);
}

/**
 * @param {number} attempt
 * @param {string} log
 * @param {boolean} [outlivesPage]
 */
export function keepDraft(attempt, log, outlivesPage = false) {
  return call("PUT", `attempts/${attempt}/draft/`, { body: { log }, outlivesPage });
}

/** @param {import("./storage.js").Parcel} parcel */
export function submitLog({ attempt, log, times, claimedScore, owner: player }) {
  return call("PUT", `attempts/${attempt}/submission/`, {
    body: { log, times, claimed_score: claimedScore, client: "qvserver-web/1" },
    player,
  });
}

/** @param {number} submission */
export function readSubmission(submission) {
  return call("GET", `submissions/${submission}/`);
}

/** @param {number} challenge */
export function readDistribution(challenge) {
  return call("GET", `leaderboards/challenges/${challenge}/distribution/`);
}

/**
 * @param {number} challenge
 * @param {number} limit how many lines, beside the caller's own
 */
export function readBoard(challenge, limit) {
  return call("GET", `leaderboards/challenges/${challenge}/?board=best&limit=${limit}`);
}

/**
 * Ask for a rejected submission to be looked at.
 *
 * @param {number} submission
 */
export function disputeVerdict(submission) {
  return call("POST", `submissions/${submission}/dispute/`);
}

/**
 * Keep the board's settings with the player, beside what else is kept there.
 *
 * @param {import("./settings.js").Choices} board
 */
export async function keepSettings(board) {
  const { settings } = await call("GET", "players/me/");
  await call("PATCH", "players/me/", { body: { settings: { ...settings, board } } });
}

// The live service.

const WAIT_SECONDS = 10;
const LIVE_AGAIN_MS = 30_000;

/** @type {string | undefined} */
let liveOrigin;
let liveAwayUntil = 0;

async function readLiveOrigin() {
  liveOrigin ??= String((await call("GET", "")).live_url);
  return liveOrigin;
}

/**
 * A submission as soon as its verdict is there, or after ten seconds; without the live service, as it is now.
 *
 * @param {number} submission
 * @throws {ApiError | Offline}
 */
export async function awaitSubmission(submission) {
  if (performance.now() >= liveAwayUntil) {
    const { ticket } = await call("POST", "live/ticket/");
    try {
      const address = `${await readLiveOrigin()}/live/submissions/${submission}/?wait=${WAIT_SECONDS}&ticket=${ticket}`;
      const response = await fetch(address, { credentials: "omit", signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok) {
        return await response.json();
      }
    } catch {
      // It is away; so is what it would have said.
    }
    liveAwayUntil = performance.now() + LIVE_AGAIN_MS;
  }
  return readSubmission(submission);
}

/**
 * Hear when a board has changed.
 *
 * @param {number} challenge
 * @param {() => void} listener
 * @returns {() => void} stops it
 */
export function watchBoard(challenge, listener) {
  /** @type {EventSource | undefined} */
  let source;
  let hasStopped = false;
  const open = async () => {
    const origin = await readLiveOrigin().catch(() => null);
    if (hasStopped || origin === null) {
      return;
    }
    source = new EventSource(`${origin}/live/events/?watch=${challenge}&board=best`);
    source.addEventListener("board", listener);
    source.addEventListener("reset", listener);
    source.addEventListener("error", () => {
      // Where the connection was lost the browser opens it again by itself.
      if (source?.readyState === EventSource.CLOSED && !hasStopped) {
        setTimeout(open, LIVE_AGAIN_MS);
      }
    });
  };
  void open();
  return () => {
    hasStopped = true;
    source?.close();
  };
}
