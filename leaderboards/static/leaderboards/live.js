/** Listening to the live service: one open stream at a time, opened again with a new ticket when it ended. */

const TICKET = "/api/v1/live/ticket/";
/** The live service closes streams within the hour; who can't reach it tries again ever less often. */
const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 120_000;

/**
 * @typedef {object} Listener
 * @property {string} origin of the live service
 * @property {string} watch the query that names the board
 * @property {boolean} hasTicket whether somebody is signed in, who gets a ticket
 * @property {(isLive: boolean) => void} onState
 * @property {() => void} onChange what the page shows has changed, or may have
 */

/** @param {Listener} listener */
export async function listen(listener) {
  let wait = FIRST_WAIT_MS;
  for (;;) {
    if (await streamOnce(listener)) {
      wait = FIRST_WAIT_MS;
    }
    listener.onState(false);
    await pause(wait * (0.5 + Math.random()));
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    await untilVisible();
  }
}

/**
 * Listens until the stream ends; whether it was live at all.
 *
 * @param {Listener} listener
 * @returns {Promise<boolean>}
 */
async function streamOnce(listener) {
  const ticket = listener.hasTicket ? await fetchTicket() : "";
  if (ticket === null) {
    return false;
  }
  const address = `${listener.origin}/live/events/?${listener.watch}${ticket && `&ticket=${encodeURIComponent(ticket)}`}`;
  return new Promise((resolve) => {
    const source = new EventSource(address);
    let wasLive = false;
    source.addEventListener("ready", () => {
      // Whatever happened between the page and the stream, or between two streams, is on the board now.
      listener.onState(true);
      listener.onChange();
      wasLive = true;
    });
    for (const name of ["board", "reset", "opened", "cancelled", "brought_back"]) {
      source.addEventListener(name, listener.onChange);
    }
    // A ticket is good for a minute, so the stream isn't opened again by itself.
    source.addEventListener("error", () => {
      source.close();
      resolve(wasLive);
    });
  });
}

/** @returns {Promise<string | null>} null where there is none to be had */
async function fetchTicket() {
  try {
    const response = await fetch(TICKET, { method: "POST", headers: { "X-CSRFToken": csrfToken() } });
    return response.ok ? (await response.json()).ticket : null;
  } catch {
    return null;
  }
}

/** The token stands in the form for the language, which every page has. */
function csrfToken() {
  const field = document.querySelector("input[name=csrfmiddlewaretoken]");
  return field instanceof HTMLInputElement ? field.value : "";
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @returns {Promise<void>} */
function untilVisible() {
  return new Promise((resolve) => {
    if (!document.hidden) {
      resolve();
      return;
    }
    document.addEventListener("visibilitychange", () => resolve(), { once: true });
  });
}
