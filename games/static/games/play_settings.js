/** The settings dialog, and the settings that are shown by the page as a whole. */

import { keepSettings } from "./api.js";
import { isKnown } from "./identity.js";
import { find } from "./play_page.js";

const ACCOUNT_MS = 1000;

/**
 * @param {import("./settings.js").Settings} settings
 */
export function openSettings(settings) {
  const form = find("#settings-form", HTMLFormElement);
  for (const [name, value] of Object.entries(settings.choices)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) {
      field.checked = value === true;
    } else if (field instanceof HTMLSelectElement) {
      field.value = String(value);
    }
  }
  find("#settings", HTMLDialogElement).showModal();
}

/**
 * Keep what is chosen in the dialog as soon as it is chosen.
 *
 * @param {import("./settings.js").Settings} settings
 */
export function wireSettings(settings) {
  const form = find("#settings-form", HTMLFormElement);
  form.addEventListener("change", (event) => {
    const field = event.target;
    if (field instanceof HTMLInputElement) {
      settings.change({ [field.name]: field.checked });
    } else if (field instanceof HTMLSelectElement) {
      settings.change({ [field.name]: field.value });
    }
  });
  settings.listen(applySettings);
  applySettings(settings.choices);
  keepWithAccount(settings);
}

/**
 * Keep choices with whoever plays, a moment after the last change.
 *
 * @param {import("./settings.js").Settings} settings
 */
function keepWithAccount(settings) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const send = () => {
    const { choices } = settings;
    if (settings.isUnsent && isKnown()) {
      keepSettings(choices).then(
        () => settings.sent(choices),
        // They are kept here, and sent with the next page.
        () => {},
      );
    }
  };
  settings.listen(() => {
    clearTimeout(timer);
    timer = setTimeout(send, ACCOUNT_MS);
  });
  send();
}

/** @param {import("./settings.js").Choices} choices */
function applySettings(choices) {
  const { dataset } = document.documentElement;
  dataset.theme = choices.theme;
  dataset.back = choices.cardBack;
  dataset.colours = choices.fourColours ? "four" : "two";
  dataset.animation = choices.animation;
  dataset.letters = choices.rankLetters;
  // The server sends the pages around the board in the same colours.
  document.cookie = `qv-theme=${choices.theme}; path=/; max-age=31536000; samesite=lax`;
}
