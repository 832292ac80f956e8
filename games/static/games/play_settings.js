/** The settings dialog, and the settings that are shown by the page as a whole. */

import { find } from "./play_page.js";

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
}

/** @param {import("./settings.js").Choices} choices */
function applySettings(choices) {
  const { dataset } = document.documentElement;
  dataset.theme = choices.theme;
  dataset.back = choices.cardBack;
  dataset.colours = choices.fourColours ? "four" : "two";
  dataset.animation = choices.animation;
}
