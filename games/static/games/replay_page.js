/**
 * A page that shows one game, or two of the same deal side by side.
 *
 * @typedef {object} PageData what the server says with the page
 * @property {string} locale
 * @property {Record<string, string>} words
 * @property {Record<string, string>} pictures addresses of the court cards by their text
 * @property {import("./viewer.js").Game[]} games
 */

import { Settings } from "./settings.js";
import { byAction, byTime, haveTimes } from "./timeline.js";
import { Transport, part } from "./transport.js";
import { QUICK, Viewer } from "./viewer.js";
import { say, useWords } from "./words.js";

/** How much of the window a table may take. */
const SHARE = 0.6;
const LEAST_HEIGHT = 300;

/** @type {PageData} */
const data = JSON.parse(part(document, "#replay-data").textContent ?? "");
useWords(data.words, data.locale);
const settings = new Settings(localStorage);
showChoices();
const height = () => Math.max(window.innerHeight * SHARE, LEAST_HEIGHT);
const roots = [...document.querySelectorAll("[data-viewer]")];
const viewers = data.games.map(
  (game, i) => new Viewer(/** @type {HTMLElement} */ (roots[i]), game, settings, data.pictures, height),
);
const tempo = /** @type {HTMLInputElement} */ (part(document, "[data-tempo]"));
const announcer = part(document, "[data-announcer]");
const now = part(document, "[data-now]");

part(document, "[data-tempo-choice]").hidden = !haveTimes(viewers);
tempo.checked = haveTimes(viewers);
const stops = new Set(viewers.length === 1 ? viewers[0].actions.remarks : []);
const transport = new Transport(part(document, "[data-transport]"), timeline(), stops);
transport.listen(show);
tempo.addEventListener("change", () => {
  const places = transport.timeline.places[transport.position];
  const next = timeline();
  transport.follow(next, positionOf(next, places));
});
viewers.forEach((viewer, i) =>
  viewer.listen((step) => transport.jump(transport.timeline.places.findIndex((places) => places[i] >= step))),
);

/** The order of what is shown, as it was chosen. */
function timeline() {
  return tempo.checked ? byTime(viewers) : byAction(viewers);
}

/**
 * @param {import("./timeline.js").Timeline} next
 * @param {readonly number[]} places
 */
function positionOf(next, places) {
  const found = next.places.findIndex((other) => other.every((place, i) => place >= places[i]));
  return found < 0 ? next.places.length - 1 : found;
}

/** @param {import("./transport.js").Passage} passage */
function show({ position, isPlaying }) {
  const { places, waits } = transport.timeline;
  const isQuick = isPlaying && (waits[position + 1] ?? 0) / Number(transport.speed.value) < QUICK;
  viewers.forEach((viewer, i) => viewer.show(places[position][i], isQuick));
  const words = viewers.map((viewer, i) => viewer.words(places[position][i]));
  now.textContent = say("replay.position", { position, last: transport.last });
  transport.slider.setAttribute("aria-valuetext", words.join(" "));
  const remarks = viewers.map(({ remark }) => remark?.textContent?.trim() ?? "");
  announcer.textContent = isPlaying ? "" : [...words, ...remarks].join(" ").trim();
}

/** Colours, card backs and speeds as they were chosen on the board. */
function showChoices() {
  const { fourColours, cardBack, animation } = settings.choices;
  document.documentElement.dataset.colours = fourColours ? "four" : "two";
  document.documentElement.dataset.back = cardBack;
  document.documentElement.dataset.animation = animation;
}
