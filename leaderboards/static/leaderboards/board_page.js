/** A board that follows what happens: the server renders its parts anew, and the page takes them over. */

import { listen } from "./live.js";

/** What is replaced: the rest of the page, the form in it above all, stays as it is. */
const PARTS = ["board-own", "board-table", "board-summary"];
/** However much happens, the page asks for itself no more often. */
const REST_MS = 2000;
/** Longer than that no timer runs. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const board = document.getElementById("board");
/** Each part as the server rendered it last: the page adds marks to it. */
const rendered = new Map(PARTS.map((id) => [id, document.getElementById(id)?.outerHTML]));
let isAsking = false;
let isStale = false;
let isLive = false;

if (board?.dataset.origin !== undefined) {
  reloadAt(board.dataset.changesAt ?? "");
  document.addEventListener("visibilitychange", refresh);
  listen({
    origin: board.dataset.origin,
    watch: board.dataset.watch ?? "",
    hasTicket: board.dataset.hasTicket !== undefined,
    onState: showState,
    onChange: () => {
      isStale = true;
      refresh();
    },
  });
}

/** @param {boolean} live */
function showState(live) {
  isLive = live;
  const mark = document.getElementById("live-mark");
  if (mark) {
    mark.hidden = !live;
  }
}

/** Takes the page's parts as the server renders them now, unless nobody looks. */
async function refresh() {
  if (isAsking || !isStale || document.hidden) {
    return;
  }
  isAsking = true;
  isStale = false;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (response.ok || response.status === 404) {
      take(new DOMParser().parseFromString(await response.text(), "text/html"));
    }
  } catch {
    // Without a connection the board stays as it was; the next event tries again.
  }
  setTimeout(() => {
    isAsking = false;
    refresh();
  }, REST_MS);
}

/** @param {Document} page */
function take(page) {
  if (page.getElementById("board")?.dataset.watch !== board?.dataset.watch) {
    // Another day has begun, or the board is gone.
    location.reload();
    return;
  }
  const focused = addressOf(document.activeElement);
  const before = linesOf(document);
  for (const id of PARTS) {
    const old = document.getElementById(id);
    const fresh = page.getElementById(id);
    const html = fresh?.outerHTML;
    if (old && fresh && html !== rendered.get(id)) {
      rendered.set(id, html);
      keepOpen(old, fresh);
      old.replaceWith(fresh);
    }
  }
  showState(isLive);
  markChanges(before);
  if (focused && document.activeElement === document.body) {
    focusOn(focused);
  }
}

/**
 * The text of each line by its number.
 *
 * @param {ParentNode} root
 */
function linesOf(root) {
  const lines = new Map();
  for (const row of root.querySelectorAll("tr[data-line]")) {
    lines.set(row.getAttribute("data-line"), row.textContent);
  }
  return lines;
}

/** @param {Map<string | null, string | null>} before */
function markChanges(before) {
  for (const [line, text] of linesOf(document)) {
    if (before.get(line) !== text) {
      document.querySelector(`tr[data-line="${line}"]`)?.classList.add("changed");
    }
  }
}

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function keepOpen(old, fresh) {
  const parts = fresh.querySelectorAll("details");
  for (const [i, details] of old.querySelectorAll("details").entries()) {
    parts[i]?.toggleAttribute("open", details.open);
  }
}

/**
 * Where the focus is, if on a link of a part that may be replaced.
 *
 * @param {Element | null} element
 */
function addressOf(element) {
  return element instanceof HTMLAnchorElement && board?.contains(element) ? element.getAttribute("href") : null;
}

/** @param {string} address */
function focusOn(address) {
  const link = [...document.querySelectorAll("#board a")].find((one) => one.getAttribute("href") === address);
  if (link instanceof HTMLElement) {
    link.focus({ preventScroll: true });
  }
}

/**
 * At the end of a day, and of the grace period after it, the page is another by itself. Not all ask at the same moment.
 *
 * @param {string} moment
 */
function reloadAt(moment) {
  const wait = Date.parse(moment) - Date.now() + 1000 + 4000 * Math.random();
  if (wait > 0 && wait < LONGEST_TIMER_MS) {
    setTimeout(() => location.reload(), wait);
  }
}
