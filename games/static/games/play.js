/** The entry of the page where a game is played: practice by a code, or a daily. */

import { becomeMember, useSession } from "./identity.js";
import { Outbox } from "./outbox.js";
import { Daily } from "./play_daily.js";
import { Desk } from "./play_desk.js";
import { copy, find, pageData, part } from "./play_page.js";
import { Practice } from "./play_practice.js";
import { openSettings, wireSettings } from "./play_settings.js";
import { Settings } from "./settings.js";
import { openStorage } from "./storage.js";
import { say, useWords } from "./words.js";

const TICK_MS = 1000;

/** @param {Settings} settings */
function wireTools(settings) {
  const on = (/** @type {string} */ selector, /** @type {() => unknown} */ action) =>
    part(selector).addEventListener("click", () => void action());
  on("#open-settings", () => openSettings(settings));
  on("#open-new", () => find("#new-game", HTMLDialogElement).showModal());
  on("#open-help", () => find("#help", HTMLDialogElement).showModal());
  on("#copy-code", () => copy(part("#copy-code"), part("#code").textContent ?? "", say("copied")));
  on("#copy-link", () => copy(part("#copy-link"), location.href, say("copied")));
}

const data = pageData();
useWords(data.words, data.locale);
useSession(data.player?.id ?? null);
if (data.player && !data.player.isGuest) {
  becomeMember(data.player.id);
}
const settings = new Settings(localStorage, data.player?.settings);
const storage = await openStorage();
const outbox = new Outbox(storage);
const desk = new Desk(data, storage, settings);
const practice = new Practice(desk);
const daily = new Daily(desk, outbox);

wireSettings(settings);
wireTools(settings);
window.addEventListener("online", () => void outbox.send());
window.addEventListener("popstate", () => location.reload());
setInterval(() => daily.tick(), TICK_MS);
if (data.kind === "daily") {
  await daily.begin();
} else if (data.deal) {
  await practice.begin(data.deal);
} else {
  await practice.dealHere();
}
void outbox.send();
