// Games as replays, any number on a page. The server sends what each action changed (games/services/frames.py).

/** @typedef {{ action: string | null, score: number, piles: Record<string, string[]> }} Frame */

/** @type {Record<string, string>} */
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const STEP_MS = 250;

/**
 * The element of a card, like "TD", or "?TD" for one that lies face down: that one tells its face on hovering.
 * @param {string} card
 */
function cardElement(card) {
  const isDown = card.startsWith("?");
  const [rank, suit] = card.slice(isDown ? 1 : 0);
  const face = (rank === "T" ? "10" : rank) + SUITS[suit];
  const element = document.createElement("span");
  element.className = `qv-card ${isDown ? "back" : suit === "H" || suit === "D" ? "red" : "black"}`;
  if (isDown) element.title = face;
  else element.textContent = face;
  return element;
}

/**
 * Show a pile: a column whole, any other by its top card and the number of its cards.
 * @param {HTMLElement} pile
 * @param {string[]} cards
 */
function showPile(pile, cards) {
  const isColumn = pile.classList.contains("qv-column");
  pile.replaceChildren(...(isColumn ? cards : cards.slice(-1)).map(cardElement));
  if (!isColumn && cards.length > 1) pile.dataset.count = String(cards.length);
  else delete pile.dataset.count;
}

/**
 * The piles after an action: the latest that any frame up to it gives.
 * @param {Frame[]} frames
 * @param {number} step
 */
function pilesAt(frames, step) {
  /** @type {Record<string, string[]>} */
  const piles = {};
  for (const frame of frames.slice(0, step + 1)) Object.assign(piles, frame.piles);
  return piles;
}

/**
 * The element that the server has put there.
 * @template {HTMLElement} E
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {E}
 */
function find(root, selector) {
  const element = /** @type {E | null} */ (root.querySelector(selector));
  if (!element) throw new Error(`The page has no ${selector}`);
  return element;
}

/** @param {HTMLElement} root */
function start(root) {
  /** @type {Frame[]} */
  const frames = JSON.parse(find(root, "script[type='application/json']").textContent ?? "[]");
  /** @type {HTMLElement[]} */
  const found = [...root.querySelectorAll("[data-pile]")].map((pile) => /** @type {HTMLElement} */ (pile));
  const piles = Object.fromEntries(found.map((pile) => [pile.dataset.pile, pile]));
  const controls = /** @type {HTMLElement | null} */ (root.querySelector("[data-controls]"));
  let step = 0;
  let timer = 0;

  /** @param {number} to */
  function show(to) {
    step = Math.max(0, Math.min(frames.length - 1, to));
    for (const [name, cards] of Object.entries(pilesAt(frames, step))) showPile(piles[name], cards);
    if (!controls) return;
    /** @type {HTMLInputElement} */ (find(controls, "[data-slider]")).value = String(step);
    const { action, score } = frames[step];
    find(controls, "[data-status]").textContent =
      `${step} of ${frames.length - 1}${action ? `: ${action}` : ""}, score ${score}`;
    if (step === frames.length - 1) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    if (controls) find(controls, "[data-go=play]").textContent = "Play";
  }

  function play() {
    if (timer) return stop();
    if (step === frames.length - 1) show(0);
    if (controls) find(controls, "[data-go=play]").textContent = "Pause";
    timer = window.setInterval(() => show(step + 1), STEP_MS);
  }

  /** @type {Record<string, () => void>} */
  const go = {
    first: () => show(0),
    back: () => show(step - 1),
    on: () => show(step + 1),
    last: () => show(frames.length - 1),
    play,
  };
  show(0);
  if (!controls) return;
  controls.hidden = false;
  /** @type {HTMLInputElement} */
  const slider = find(controls, "[data-slider]");
  slider.max = String(frames.length - 1);
  slider.addEventListener("input", () => show(Number(slider.value)));
  for (const name of Object.keys(go)) find(controls, `[data-go=${name}]`).addEventListener("click", () => go[name]());
}

document.addEventListener("DOMContentLoaded", () => {
  for (const root of document.querySelectorAll("[data-replay]")) start(/** @type {HTMLElement} */ (root));
});
