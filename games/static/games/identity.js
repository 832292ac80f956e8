/**
 * Who plays: the player whose session the page was made for, else the guest whom this browser keeps. A page that was
 * kept for when there is no connection may know of no session: then the guest's token still shows whose the games are.
 *
 * @typedef {object} Guest
 * @property {string} token
 * @property {number} player the guest's number
 */

const KEY = "qv-guest";

/** @type {number | null} */
let sessionPlayer = null;

/** @param {number | null} player whose session the page was made for */
export function useSession(player) {
  sessionPlayer = player;
}

/** Whose games are played now; "" for nobody known yet. */
export function owner() {
  return String(sessionPlayer ?? keptGuest()?.player ?? "");
}

/** Whether the server knows who plays here. */
export function isKnown() {
  return owner() !== "";
}

/** Whether there is a session: without one, somebody new may begin as another guest. */
export function hasSession() {
  return sessionPlayer !== null;
}

/**
 * What shows the server who calls; null where that isn't possible now.
 *
 * @param {string} player as `owner` gave it
 * @returns {{credentials: RequestCredentials, headers: Record<string, string>} | null}
 */
export function proofOf(player) {
  if (player === "") {
    return { credentials: "omit", headers: {} };
  }
  if (player === String(sessionPlayer)) {
    return { credentials: "same-origin", headers: { "X-CSRFToken": cookie("csrftoken") } };
  }
  const guest = keptGuest();
  return player === String(guest?.player) ? byToken(String(guest?.token)) : null;
}

/**
 * @param {string} token
 * @returns {{credentials: RequestCredentials, headers: Record<string, string>}} a session may begin by it
 */
export function byToken(token) {
  return { credentials: "same-origin", headers: { Authorization: `Token ${token}` } };
}

/** @returns {Guest | null} */
function keptGuest() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Guest} guest */
export function keepGuest(guest) {
  localStorage.setItem(KEY, JSON.stringify(guest));
}

export function forgetGuest() {
  localStorage.removeItem(KEY);
}

/**
 * Who has signed up signs in from then on: a token left here would play on after signing out.
 *
 * @param {number} member whose session it is, if that is no guest
 */
export function becomeMember(member) {
  if (keptGuest()?.player === member) {
    forgetGuest();
  }
}

/** @param {string} name */
function cookie(name) {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}
