/**
 * The parts of the page that the play modules share.
 *
 * @typedef {object} PageData what the server says with the page
 * @property {"practice" | "daily"} kind
 * @property {string} mode
 * @property {string} locale
 * @property {Record<string, string>} words
 * @property {Record<string, string>} pictures addresses of the court cards by their text
 * @property {import("./deals.js").DealJson | null} deal of practice
 * @property {{id: number, date: string | null, closesAt: string} | null} challenge of a daily or an event
 * @property {{id: number, isGuest: boolean, settings: Record<string, any>} | null} player whose session it is
 * @property {string} serverTime when the page was made
 * @property {string} practiceUrl below which practice deals go by their code
 */

/**
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function find(selector, kind) {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) {
    throw new TypeError(`the page has no ${selector}`);
  }
  return found;
}

/**
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(selector) {
  return find(selector, HTMLElement);
}

/** @returns {PageData} */
export function pageData() {
  return JSON.parse(part("#page-data").textContent ?? "");
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
export function show(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
  element.hidden = text === "";
}

/**
 * A new element.
 *
 * @param {string} name
 * @param {string} [className]
 * @param {string} [text]
 */
export function make(name, className = "", text = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * Ask before something that can't be taken back.
 *
 * @param {string} question
 * @param {string} yes what the button says
 * @returns {Promise<boolean>}
 */
export function confirmed(question, yes) {
  const dialog = find("#confirm", HTMLDialogElement);
  part("#confirm-question").textContent = question;
  part("#confirm-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/**
 * Copy a text, and say so on the button for a moment.
 *
 * @param {HTMLElement} button
 * @param {string} text
 * @param {string} done
 */
export async function copy(button, text, done) {
  const before = button.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = done;
    setTimeout(() => {
      button.textContent = before;
    }, 1500);
  } catch {
    window.prompt(before, text);
  }
}
