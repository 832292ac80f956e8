/** What every page does by itself: choosing a language needs no button, and times are shown in the reader's zone. */

const language = document.querySelector("form.language select");
if (language instanceof HTMLSelectElement) {
  language.form?.classList.add("scripted");
  language.addEventListener("change", () => language.form?.requestSubmit());
}
