/** Buttons that copy the result's text, or hand it to what the device shares with. Without them the text can be selected. */

const SHOWN_MS = 1500;

/**
 * @param {string} selector
 * @param {(button: HTMLElement) => unknown} act
 */
function offer(selector, act) {
  const button = document.querySelector(selector);
  if (button instanceof HTMLElement) {
    button.hidden = false;
    button.addEventListener("click", () => void act(button));
  }
}

/** @param {HTMLTextAreaElement} text */
function listen(text) {
  text.addEventListener("focus", () => text.select());
  if (navigator.clipboard) {
    offer("#share-copy", async (button) => {
      await navigator.clipboard.writeText(text.value);
      const before = button.textContent;
      button.textContent = button.dataset.done ?? "";
      setTimeout(() => {
        button.textContent = before;
      }, SHOWN_MS);
    });
  }
  if ("share" in navigator) {
    // Who closes the dialog of the device has changed their mind: that is no error.
    offer("#share-send", () => navigator.share({ text: text.value }).catch(() => {}));
  }
}

const text = document.querySelector("#share-text");
if (text instanceof HTMLTextAreaElement) {
  listen(text);
}
