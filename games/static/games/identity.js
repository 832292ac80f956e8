/**
 * Who plays: the player whose session the page was made for, else whoever's token this browser keeps, mostly a guest.
 */

const KEY = "qv-token";

/** @type {number | null} */
let sessionPlayer = null;

/** @param {number | null} player whose session the page was made for */
export function useSession(player) {
  sessionPlayer = player;
}

/** Whose games are played now: the player of the session, "" for the one with the token. */
export function owner() {
  return sessionPlayer === null ? "" : String(sessionPlayer);
}

/** Whether the server knows who plays here. */
export function isKnown() {
  return sessionPlayer !== null || keptToken() !== null;
}

/**
 * What shows the server who calls; null where that isn't possible now.
 *
 * @param {string} player as `owner` gave it
 * @returns {{credentials: RequestCredentials, headers: Record<string, string>} | null}
 */
export function proofOf(player) {
  if (player !== "") {
    return player === owner() ? { credentials: "same-origin", headers: { "X-CSRFToken": cookie("csrftoken") } } : null;
  }
  const token = keptToken();
  return { credentials: "omit", headers: token ? { Authorization: `Token ${token}` } : {} };
}

function keptToken() {
  return localStorage.getItem(KEY);
}

/** @param {string} token */
export function keepToken(token) {
  localStorage.setItem(KEY, token);
}

export function forgetToken() {
  localStorage.removeItem(KEY);
}

/** @param {string} name */
function cookie(name) {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}
