/** Registers the service worker; offers a new version when it is ready, and loads it when the reader says so. */

const LANGUAGE = "qv-offline-language";

export async function keepOffline() {
  // Browsers refuse in private windows: the pages do without.
  const registration = await navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined);
  if (!registration) {
    return;
  }
  follow(registration.waiting ?? registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));
  refreshPages(registration.active);
}

/**
 * Offer a version once it is there, unless it is the first.
 *
 * @param {ServiceWorker | null} coming
 */
function follow(coming) {
  if (coming?.state === "installed" && navigator.serviceWorker.controller) {
    offer(coming);
  } else {
    coming?.addEventListener("statechange", () => follow(coming), { once: true });
  }
}

/** @param {ServiceWorker} coming */
function offer(coming) {
  const template = document.querySelector("#update-bar");
  if (!(template instanceof HTMLTemplateElement) || document.querySelector(".update-bar")) {
    return;
  }
  const bar = document.importNode(template.content, true);
  bar.querySelector("button")?.addEventListener("click", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    coming.postMessage("take over");
  });
  document.body.append(bar);
}

/**
 * The pages that are kept speak the language of the day they were kept.
 *
 * @param {ServiceWorker | null} active
 */
function refreshPages(active) {
  const { lang } = document.documentElement;
  if (active && localStorage.getItem(LANGUAGE) !== lang) {
    localStorage.setItem(LANGUAGE, lang);
    active.postMessage("refresh pages");
  }
}
