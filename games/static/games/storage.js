/**
 * What has to outlive the page, in IndexedDB: games with their logs, and logs that wait to be sent. Where the browser
 * has no database to give, as in some private windows, all is kept until the page is left.
 *
 * @typedef {object} KeptGame
 * @property {string} id `practice:KL1-D1N-AAAAAAG` or `daily:12`
 * @property {string} mode
 * @property {import("./deals.js").DealJson} deal
 * @property {string} log
 * @property {number[]} times
 * @property {number} elapsed played milliseconds
 * @property {boolean} isClosed whether it was given up or handed in
 * @property {string} [owner] of a daily: who plays it
 * @property {KeptAttempt} [attempt] of a daily
 *
 * @typedef {object} KeptAttempt
 * @property {number} id
 * @property {number} number
 * @property {boolean} countsFirst whether it counts on the board of first attempts
 * @property {string} closesAt
 * @property {string} overAt
 *
 * @typedef {object} Parcel a log that was or is to be sent
 * @property {number} attempt
 * @property {string} game the id of its game
 * @property {string} log
 * @property {number[]} times
 * @property {number} claimedScore
 * @property {string} owner whose it is
 * @property {"waiting" | "sent" | "refused"} state
 * @property {number} [submission]
 * @property {string} [message] why it was refused
 */

const NAME = "qvserver";
const GAMES = "games";
const PARCELS = "parcels";

export class Storage {
  #database;
  /** @type {Record<string, Map<IDBValidKey, any>>} */
  #memory = { [GAMES]: new Map(), [PARCELS]: new Map() };
  /** @type {Map<string, KeptGame>} games to be written, the latest of each */
  #unwritten = new Map();
  /** @type {Promise<void> | null} */
  #writing = null;

  /** @param {IDBDatabase | null} database */
  constructor(database) {
    this.#database = database;
  }

  /**
   * Keep a game as it is now. Calls may follow faster than the disk writes: the latest state is written next.
   *
   * @param {KeptGame} game
   * @returns {Promise<void>} when it is written
   */
  keepGame(game) {
    this.#unwritten.set(game.id, game);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #write() {
    while (this.#unwritten.size) {
      const games = [...this.#unwritten.values()];
      this.#unwritten.clear();
      for (const game of games) {
        await this.#put(GAMES, game, game.id);
      }
    }
  }

  /**
   * @param {string} id
   * @returns {Promise<KeptGame | undefined>}
   */
  game(id) {
    return this.#get(GAMES, id);
  }

  /** @param {Parcel} parcel */
  keepParcel(parcel) {
    return this.#put(PARCELS, parcel, parcel.attempt);
  }

  /**
   * @param {number} attempt
   * @returns {Promise<Parcel | undefined>}
   */
  parcel(attempt) {
    return this.#get(PARCELS, attempt);
  }

  /** @returns {Promise<Parcel[]>} */
  async waitingParcels() {
    const all = this.#database
      ? await done(this.#database.transaction(PARCELS).objectStore(PARCELS).getAll())
      : [...this.#memory[PARCELS].values()];
    return all.filter((/** @type {Parcel} */ parcel) => parcel.state === "waiting");
  }

  /**
   * @param {string} store
   * @param {any} value
   * @param {IDBValidKey} key
   */
  async #put(store, value, key) {
    if (this.#database) {
      const transaction = this.#database.transaction(store, "readwrite");
      transaction.objectStore(store).put(value, key);
      await completed(transaction);
    } else {
      this.#memory[store].set(key, value);
    }
  }

  /**
   * @param {string} store
   * @param {IDBValidKey} key
   */
  async #get(store, key) {
    return this.#database
      ? done(this.#database.transaction(store).objectStore(store).get(key))
      : this.#memory[store].get(key);
  }
}

/** @returns {Promise<Storage>} */
export async function openStorage() {
  try {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(GAMES);
      request.result.createObjectStore(PARCELS);
    };
    return new Storage(await done(request));
  } catch {
    return new Storage(null);
  }
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
