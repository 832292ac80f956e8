/**
 * Counts down to midnight UTC by the server's clock, and then loads the new day. The page was right when it was sent:
 * only the time that has passed since is measured here, so a clock that is set wrong changes nothing.
 */

const TICK_MS = 500;
//: Not all pages in the world ask again in the same second.
const SPREAD_MS = 4000;

/**
 * @param {number} seconds
 * @returns {string} `5:23:10`
 */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [minutes, rest] = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return `${Math.floor(whole / 3600)}:${minutes}:${rest}`;
}

/** @returns {() => number} the milliseconds since the call, those of a computer's sleep too */
function stopwatch() {
  const [steady, clock] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Date.now() - clock);
}

/** @param {HTMLElement} shown */
export function countDown(shown) {
  const passed = stopwatch();
  const [left, spread] = [Number(shown.dataset.seconds), Math.random() * SPREAD_MS];
  const tick = () => {
    const milliseconds = left * 1000 - passed();
    shown.textContent = clockText(milliseconds / 1000);
    if (milliseconds < -spread) {
      clearInterval(ticking);
      location.reload();
    }
  };
  const ticking = setInterval(tick, TICK_MS);
  // A page that slept or lay in the history may have missed midnight.
  document.addEventListener("visibilitychange", tick);
  window.addEventListener("pageshow", tick);
}

const shown = document.querySelector("#countdown");
if (shown instanceof HTMLElement) {
  countDown(shown);
}
