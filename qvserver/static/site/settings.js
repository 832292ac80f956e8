/**
 * The settings page: what is chosen there is what the board in this browser goes by. Who has no account keeps the
 * choices in the browser alone, so the form begins with those.
 */

const KEY = "qv-settings";
const form = document.querySelector("#choices");

if (form instanceof HTMLFormElement) {
  if (!("kept" in form.dataset)) {
    fill(form, readKept());
  }
  form.addEventListener("submit", () => localStorage.setItem(KEY, JSON.stringify({ ...readKept(), ...choicesOf(form) })));
}

/** @returns {Record<string, any>} */
function readKept() {
  try {
    return Object(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * @param {HTMLFormElement} form
 * @returns {(HTMLSelectElement | HTMLInputElement)[]}
 */
function controls(form) {
  return [...form.querySelectorAll("select"), .../** @type {NodeListOf<HTMLInputElement>} */ (boxes(form))];
}

/** @param {HTMLFormElement} form */
function boxes(form) {
  return form.querySelectorAll("input[type=checkbox]");
}

/**
 * @param {HTMLFormElement} form
 * @param {Record<string, any>} kept
 */
function fill(form, kept) {
  for (const control of controls(form)) {
    const choice = kept[control.name];
    if (control instanceof HTMLInputElement && typeof choice === "boolean") {
      control.checked = choice;
    } else if (control instanceof HTMLSelectElement && [...control.options].some(({ value }) => value === choice)) {
      control.value = choice;
    }
  }
}

/**
 * @param {HTMLFormElement} form
 * @returns {Record<string, boolean | string>}
 */
function choicesOf(form) {
  return Object.fromEntries(
    controls(form).map((control) => [
      control.name,
      control instanceof HTMLInputElement ? control.checked : control.value,
    ]),
  );
}
