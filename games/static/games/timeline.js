/**
 * In which order the actions of one game, or of two side by side, are shown, and how long each is waited for.
 *
 * @typedef {object} Recorded what is known of a game
 * @property {number} length its actions
 * @property {readonly number[]} times milliseconds since its start, one for each action; empty where none are known
 *
 * @typedef {object} Timeline
 * @property {readonly (readonly number[])[]} places how many actions of each game have been played, by position
 * @property {readonly number[]} waits milliseconds before each position is shown
 */

/** How long an action without a time is waited for. */
export const STEADY_WAIT = 700;
/** Longer waits are shortened to this. */
export const LONGEST_WAIT = 2500;

/**
 * One action of each game at a time, at a steady pace.
 *
 * @param {readonly Recorded[]} games
 * @returns {Timeline}
 */
export function byAction(games) {
  const positions = 1 + Math.max(...games.map(({ length }) => length));
  return {
    places: Array.from({ length: positions }, (_, n) => games.map(({ length }) => Math.min(n, length))),
    waits: Array.from({ length: positions }, (_, n) => (n ? STEADY_WAIT : 0)),
  };
}

/**
 * Every action when it was played: games start together, waits that are long for all of them are shortened.
 *
 * @param {readonly Recorded[]} games each with its times
 * @returns {Timeline}
 */
export function byTime(games) {
  const moments = games.flatMap(({ times }, game) => rising(times).map((moment) => ({ moment, game })));
  moments.sort((one, other) => one.moment - other.moment);
  const places = [games.map(() => 0)];
  const waits = [0];
  let before = 0;
  for (const { moment, game } of moments) {
    places.push(places[places.length - 1].map((place, other) => (other === game ? place + 1 : place)));
    waits.push(Math.min(moment - before, LONGEST_WAIT));
    before = moment;
  }
  return { places, waits };
}

/**
 * Whether every action of every game has its time.
 *
 * @param {readonly Recorded[]} games
 */
export function haveTimes(games) {
  return games.every(({ length, times }) => length > 0 && times.length === length);
}

/**
 * Times as clients send them needn't rise; an action is never shown before the one that it follows.
 *
 * @param {readonly number[]} times
 */
function rising(times) {
  let latest = 0;
  return times.map((time) => (latest = Math.max(latest, time)));
}
