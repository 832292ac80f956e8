// Games as replays, any number on a page. The server sends what each action changed (games/services/frames.py).

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const STEP_MS = 250;

/** The element of a card, like "TD", or "?TD" for one that lies face down: that one tells its face on hovering. */
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

/** Show a pile: a column whole, any other by its top card and the number of its cards. */
function showPile(pile, cards) {
  const isColumn = pile.classList.contains("qv-column");
  pile.replaceChildren(...(isColumn ? cards : cards.slice(-1)).map(cardElement));
  if (!isColumn && cards.length > 1) pile.dataset.count = String(cards.length);
  else delete pile.dataset.count;
}

/** The piles after an action: the latest that any frame up to it gives. */
function pilesAt(frames, step) {
  const piles = {};
  for (const frame of frames.slice(0, step + 1)) Object.assign(piles, frame.piles);
  return piles;
}

function start(root) {
  const frames = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const piles = Object.fromEntries([...root.querySelectorAll("[data-pile]")].map((pile) => [pile.dataset.pile, pile]));
  const controls = root.querySelector("[data-controls]");
  let step = 0;
  let timer = 0;

  function show(to) {
    step = Math.max(0, Math.min(frames.length - 1, to));
    for (const [name, cards] of Object.entries(pilesAt(frames, step))) showPile(piles[name], cards);
    if (!controls) return;
    controls.querySelector("[data-slider]").value = String(step);
    const { action, score } = frames[step];
    controls.querySelector("[data-status]").textContent =
      `${step} of ${frames.length - 1}${action ? `: ${action}` : ""}, score ${score}`;
    if (step === frames.length - 1) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    controls.querySelector("[data-go=play]").textContent = "Play";
  }

  function play() {
    if (timer) return stop();
    if (step === frames.length - 1) show(0);
    controls.querySelector("[data-go=play]").textContent = "Pause";
    timer = setInterval(() => show(step + 1), STEP_MS);
  }

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
  const slider = controls.querySelector("[data-slider]");
  slider.max = String(frames.length - 1);
  slider.addEventListener("input", () => show(Number(slider.value)));
  for (const button of controls.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => go[button.dataset.go]());
  }
}

document.addEventListener("DOMContentLoaded", () => {
  for (const root of document.querySelectorAll("[data-replay]")) start(root);
});
