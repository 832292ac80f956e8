/**
 * What a player can choose for the board, kept in this browser and with the account.
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
 * @property {"local" | "international"} rankLetters of jack, queen and king, where the language has its own
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
  rankLetters: "local",
};

/** @type {Record<string, readonly string[]>} what a choice that isn't yes or no can be */
export const OPTIONS = {
  cardBack: ["blue", "red", "green"],
  animation: ["off", "fast", "normal", "slow"],
  theme: ["auto", "light", "dark"],
  rankLetters: ["local", "international"],
};

export class Settings {
  /** @type {((choices: Choices) => void)[]} */
  #listeners = [];

  /**
   * @param {Pick<Storage, "getItem" | "setItem">} store
   * @param {Record<string, any>} [account] the choices kept with the account
   */
  constructor(store, account = {}) {
    this.store = store;
    const here = readStore(store);
    /** Whether the account hasn't got these choices yet. */
    this.isUnsent = here.unsent === true;
    /** @type {Choices} */
    this.choices = { ...DEFAULTS, ...validChoices(here), ...(this.isUnsent ? {} : validChoices(account)) };
  }

  /** @param {(choices: Choices) => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** @param {Partial<Choices>} changed */
  change(changed) {
    this.choices = { ...this.choices, ...validChoices(changed) };
    this.isUnsent = true;
    this.#keep();
    for (const listener of this.#listeners) {
      listener(this.choices);
    }
  }

  /**
   * The account has got these choices.
   *
   * @param {Choices} choices
   */
  sent(choices) {
    if (choices === this.choices) {
      this.isUnsent = false;
      this.#keep();
    }
  }

  #keep() {
    try {
      this.store.setItem(KEY, JSON.stringify({ ...this.choices, unsent: this.isUnsent }));
    } catch {
      // Without room to keep them, the choices hold until the page is left.
    }
  }
}

/**
 * @param {Pick<Storage, "getItem">} store
 * @returns {Record<string, any>}
 */
function readStore(store) {
  try {
    return Object(JSON.parse(store.getItem(KEY) ?? "{}"));
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
      .map(([name, value]) => ({ name, value, choice: Object(found)[name] }))
      .filter(({ name, value, choice }) => (OPTIONS[name] ? OPTIONS[name].includes(choice) : typeof choice === typeof value))
      .map(({ name, choice }) => [name, choice]),
  );
}
