// The process that renders a page, as the renderer sees it: inside/main.mjs is its other end.
//
// A component can send anything from there. So no message decides: messages change the copy of the
// document, list errors, and ask for the network.

import { createServer } from "node:net";

import { Link } from "../link.mjs";
import { Copy } from "./copy.mjs";
import { list, text } from "../told.mjs";

const ERRORS_KEPT = 50;
const ERROR_CHARACTERS = 2000;
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** The component or its page is to blame, in words for a report. */
export class PageError extends Error {}

export class Screen {
  copy = new Copy();
  /** What went wrong on the page and nobody caught, as far as the page tells. */
  errors = [];
  /** How often its process has had a turn of ten milliseconds. */
  turns = 0;
  #link;
  #next = 1;
  #heard = 0;
  #sent = 0;
  /** @type {Map<number, { resolve: (value?: unknown) => void, reject: (error: Error) => void }>} */
  #performing = new Map();
  /** @type {(() => void)[]} */
  #listening = [];
  /** @type {import("./relay.mjs").Relay | null} */
  #relay = null;

  /**
   * Waits for the process at a socket.
   *
   * @param {string} path
   * @param {(why: string) => void} gone is told when it has gone
   * @returns {Promise<Screen>}
   */
  static at(path, gone) {
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        // There is one such process; who else comes here is code that runs in it.
        server.close();
        resolve(new Screen(socket, gone));
      });
      server.once("error", reject);
      server.listen(path);
    });
  }

  constructor(socket, gone) {
    this.#link = new Link(socket, (message) => this.#hear(message), gone, LONGEST_MESSAGE);
  }

  /** Begins a new page, whose requests go to a relay. */
  open(relay) {
    this.#relay = relay;
    this.copy.clear();
    this.errors = [];
    return this.perform({ act: "open" });
  }

  /**
   * Has an act done on the page, and waits for its end. The copy of the document shows the effect;
   * no message tells of a success. Rejects where the page reports that the act broke.
   */
  perform(act) {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      this.#performing.set(number, { resolve, reject });
      this.#link.send({ ...act, number });
    });
  }

  /** Sends what came from the network. */
  send(message) {
    this.#sent = this.#next++;
    this.#link.send({ ...message, number: this.#sent });
  }

  /** Waits until the page has taken in all messages, and the copy has the document after them. */
  async caughtUp() {
    const sent = this.#sent;
    while (this.#heard < sent) await this.news();
  }

  /**
   * Waits until the page's process tells something.
   *
   * @returns {Promise<void>}
   */
  news() {
    return new Promise((resolve) => this.#listening.push(resolve));
  }

  #hear(message) {
    if ("turns" in message) this.#learn(message);
    else if ("did" in message) this.#did(message);
    else this.#relay?.hear(message);
  }

  /** @param {any} news */
  #learn({ turns, heard, errors, ...changed }) {
    this.turns = Number(turns);
    this.#heard = Number(heard);
    for (const error of list(errors)) this.#note(text(error));
    this.copy.change(changed);
    for (const listener of this.#listening.splice(0)) listener();
  }

  #note(error) {
    if (this.errors.length < ERRORS_KEPT) this.errors.push(error.slice(0, ERROR_CHARACTERS));
  }

  #did({ did: number, failed }) {
    const performing = this.#performing.get(number);
    this.#performing.delete(number);
    if (failed === undefined) performing?.resolve();
    else performing?.reject(new PageError(text(failed)));
  }
}
