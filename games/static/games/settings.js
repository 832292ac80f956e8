/**
 * What a player can choose for the board, kept in this browser.
 *
 * @typedef {object} Choices
 * @property {boolean} doubleTap
 * @property {boolean} automaticPlacement
 * @property {boolean} placementHelp
 * @property {boolean} interactiveRules
 * @property {boolean} fourColours
 * @property {boolean} largeCards
 * @property {boolean} leftHanded
 * @property {"blue" | "red" | "green"} cardBack
 * @property {"off" | "fast" | "normal" | "slow"} animation
 * @property {"auto" | "light" | "dark"} theme
 */

const KEY = "qv-settings";

/** @type {Choices} */
export const DEFAULTS = {
  doubleTap: true,
  automaticPlacement: false,
  placementHelp: true,
  interactiveRules: true,
  fourColours: false,
  largeCards: false,
  leftHanded: false,
  cardBack: "blue",
  animation: "normal",
  theme: "auto",
};

/** @type {Record<string, readonly string[]>} what a choice that isn't yes or no can be */
export const OPTIONS = {
  cardBack: ["blue", "red", "green"],
  animation: ["off", "fast", "normal", "slow"],
  theme: ["auto", "light", "dark"],
};

export class Settings {
  /** @type {((choices: Choices) => void)[]} */
  #listeners = [];

  /** @param {Pick<Storage, "getItem" | "setItem">} store */
  constructor(store) {
    this.store = store;
    /** @type {Choices} */
    this.choices = { ...DEFAULTS, ...readChoices(store) };
  }

  /** @param {(choices: Choices) => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** @param {Partial<Choices>} changed */
  change(changed) {
    this.choices = { ...this.choices, ...validChoices(changed) };
    try {
      this.store.setItem(KEY, JSON.stringify(this.choices));
    } catch {
      // Without room to keep them, the choices hold until the page is left.
    }
    for (const listener of this.#listeners) {
      listener(this.choices);
    }
  }
}

/**
 * @param {Pick<Storage, "getItem">} store
 * @returns {Partial<Choices>}
 */
function readChoices(store) {
  try {
    return validChoices(JSON.parse(store.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * Those of the choices that there are, with a value that they can have.
 *
 * @param {Record<string, any>} found
 * @returns {Partial<Choices>}
 */
function validChoices(found) {
  return Object.fromEntries(
    Object.entries(DEFAULTS)
      .filter(([name, value]) => (OPTIONS[name] ? OPTIONS[name].includes(found[name]) : typeof found[name] === typeof value))
      .map(([name]) => [name, found[name]]),
  );
}
