/** What every page does: a language is chosen without a button, and the pages are kept for when there is no connection. */

import { becomeMember } from "../games/identity.js";
import { keepOffline } from "./offline.js";

const language = document.querySelector("form.language select");
if (language instanceof HTMLSelectElement) {
  language.form?.classList.add("scripted");
  language.addEventListener("change", () => language.form?.requestSubmit());
}

const { member } = document.body.dataset;
if (member) {
  becomeMember(Number(member));
}

void keepOffline();
