/** The calls to the server; nothing else fetches. */

import { forgetToken, keepToken, keptToken } from "./identity.js";

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

  /** Whether the same call may succeed later. */
  get isPassing() {
    return this.status >= 500 || this.status === 429 || this.status === 408;
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
 * @param {{body?: unknown, outlivesPage?: boolean}} [options]
 * @returns {Promise<any>}
 * @throws {ApiError | Offline}
 */
async function call(method, path, { body, outlivesPage = false } = {}) {
  const token = keptToken();
  let response;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers: {
        ...(token ? { Authorization: `Token ${token}` } : {}),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
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

/** Make a guest where nobody plays here yet. */
async function ensurePlayer() {
  if (!keptToken()) {
    keepToken((await call("POST", "players/guest/")).token);
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
    if (!(error instanceof ApiError && error.status === 401)) {
      throw error;
    }
    // The token has expired: whoever played here plays on as a new guest.
    forgetToken();
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
export function submitLog({ attempt, log, times, claimedScore }) {
  return call("PUT", `attempts/${attempt}/submission/`, {
    body: { log, times, claimed_score: claimedScore, client: "qvserver-web/1" },
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
