/** Who plays: the token that calls are made with. Kept in this browser until there are sessions. */

const KEY = "qv-token";

/** @returns {string | null} */
export function keptToken() {
  return localStorage.getItem(KEY);
}

/** @param {string} token */
export function keepToken(token) {
  localStorage.setItem(KEY, token);
}

export function forgetToken() {
  localStorage.removeItem(KEY);
}
