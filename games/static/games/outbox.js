/**
 * Finished games on their way to the server. A log is kept before it is sent, and sent again until there is an answer:
 * the server takes the same log twice as one.
 */

import { ApiError, submitLog } from "./api.js";
import { problemText } from "./words.js";

const AGAIN_MS = 15000;

export class Outbox {
  /** @type {((parcel: import("./storage.js").Parcel) => void)[]} */
  #listeners = [];
  /** @type {Promise<void> | null} */
  #sending = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {import("./storage.js").Storage} storage */
  constructor(storage) {
    this.storage = storage;
  }

  /** @param {(parcel: import("./storage.js").Parcel) => void} listener hears of every parcel whose state changed */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /**
   * Keep a log and send it.
   *
   * @param {Omit<import("./storage.js").Parcel, "state">} parcel
   */
  async add(parcel) {
    await this.#keep({ ...parcel, state: "waiting" });
    await this.send();
  }

  /** Send what waits; again after a while where it couldn't be sent. */
  async send() {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  async #sendAll() {
    clearTimeout(this.#timer);
    for (const parcel of await this.storage.waitingParcels()) {
      await this.#sendOne(parcel);
    }
    if ((await this.storage.waitingParcels()).length) {
      this.#timer = setTimeout(() => void this.send(), AGAIN_MS);
    }
  }

  /** @param {import("./storage.js").Parcel} parcel */
  async #sendOne(parcel) {
    try {
      const receipt = await submitLog(parcel);
      await this.#keep({ ...parcel, state: "sent", submission: receipt.id });
    } catch (error) {
      if (error instanceof ApiError && !error.isPassing) {
        await this.#keep({ ...parcel, state: "refused", message: problemText(error) });
      }
      // Without a connection, with the server away or its player signed out, it goes on waiting.
    }
  }

  /** @param {import("./storage.js").Parcel} parcel */
  async #keep(parcel) {
    await this.storage.keepParcel(parcel);
    for (const listener of this.#listeners) {
      listener(parcel);
    }
  }
}
