/** Buttons that copy what a field holds; without a clipboard they stay hidden, and the field can be copied by hand. */

for (const button of document.querySelectorAll("button[data-copies]")) {
  if (button instanceof HTMLButtonElement && navigator.clipboard) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const field = document.getElementById(button.dataset.copies ?? "");
  if (!(field instanceof HTMLInputElement)) {
    return;
  }
  field.select();
  await navigator.clipboard.writeText(field.value);
  button.textContent = button.dataset.copied ?? "";
}
