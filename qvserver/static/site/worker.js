/**
 * The service worker. Static files are kept, pages come from the network while there is one. A cache belongs to one
 * version: its pages name files by their content, so that a page never meets files of another version.
 *
 * @typedef {object} Settings what the server says in front of this
 * @property {string} version of all static files together
 * @property {boolean} isHashed whether their names change with their content
 * @property {string[]} files
 * @property {string} staticUrl
 * @property {string[]} pages to be had without a connection
 * @property {Record<string, string>} shells boards without a deal, by mode
 * @property {Record<string, string>} modes by the prefix of their codes
 */

const worker = /** @type {ServiceWorkerGlobalScope & {settings: Settings}} */ (/** @type {unknown} */ (self));
const { settings } = worker;
const CACHE = `qv-${settings.version}`;
/** Pages that are kept when they are visited, as they were then. */
const KEPT = /^\/(play|rules|examples|faq|offline)\//;

worker.addEventListener("install", (event) => event.waitUntil(fill()));
worker.addEventListener("activate", (event) => event.waitUntil(tidy()));
worker.addEventListener("message", (event) => {
  if (event.data === "take over") {
    void worker.skipWaiting();
  } else if (event.data === "refresh pages") {
    event.waitUntil(keepPages());
  }
});
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) {
    return;
  }
  if (url.pathname.startsWith(settings.staticUrl)) {
    event.respondWith(settings.isHashed ? fromCache(request) : fromNetwork(request));
  } else if (request.mode === "navigate") {
    event.respondWith(page(request, url));
  }
});

async function fill() {
  const cache = await caches.open(CACHE);
  await cache.addAll(settings.files);
  await keepPages();
}

/** One page that is missing mustn't keep the others out. */
async function keepPages() {
  const cache = await caches.open(CACHE);
  await Promise.allSettled([...settings.pages, ...Object.values(settings.shells)].map((address) => cache.add(address)));
}

async function tidy() {
  const old = (await caches.keys()).filter((name) => name.startsWith("qv-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @param {Request} request */
async function fromCache(request) {
  return (await caches.match(request)) ?? fromNetwork(request);
}

/** @param {Request} request */
async function fromNetwork(request) {
  try {
    return await keep(request, await fetch(request));
  } catch (error) {
    const kept = await caches.match(request);
    if (kept) {
      return kept;
    }
    throw error;
  }
}

/**
 * @param {Request} request
 * @param {URL} url
 */
async function page(request, url) {
  try {
    const response = await fetch(request);
    return KEPT.test(url.pathname) ? await keep(request, response) : response;
  } catch {
    const cache = await caches.open(CACHE);
    return (await cache.match(offlineAddress(url), { ignoreSearch: true })) ?? offlinePage(cache);
  }
}

/** @param {Cache} cache */
async function offlinePage(cache) {
  return (await cache.match("/offline/")) ?? Response.error();
}

/**
 * Where a page's stand-in is kept: any deal of practice can be played on the board of its mode.
 *
 * @param {URL} url
 * @returns {string}
 */
function offlineAddress(url) {
  if (!url.pathname.startsWith("/practice/")) {
    return url.pathname;
  }
  const code = (url.searchParams.get("code") ?? url.pathname.split("/")[2] ?? "").trim().toUpperCase();
  const mode = url.searchParams.get("mode") ?? settings.modes[code.slice(0, code.lastIndexOf("-"))] ?? "";
  return settings.shells[mode] ?? "/offline/";
}

/**
 * @param {Request} request
 * @param {Response} response
 */
async function keep(request, response) {
  if (response.ok && !response.redirected) {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}
