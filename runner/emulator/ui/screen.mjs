// The renderer's side of the process that renders a page; inside/main.mjs is the other side.
//
// A component can send any message from that process, so no message reports success: messages change the copy of
// the document, list errors, and request the network.

import { once } from "node:events";
import { createServer } from "node:net";

import { Link } from "../link.mjs";
import { Copy } from "./copy.mjs";
import { list, text } from "../checked_values.mjs";

const ERRORS_KEPT = 50;
const ERROR_CHARACTERS = 2000;
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** A fault of the component or its page; the message is for the report. */
export class PageError extends Error {}

export class Screen {
  copy = new Copy();
  /** The uncaught errors that the page has reported. */
  errors = [];
  /** The number of turns of ten milliseconds that the page's process has had. */
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
   * Waits until the process connects to a socket.
   *
   * @param {string} path
   * @param {(why: string) => void} gone is called with the reason when the process has ended
   * @returns {Promise<Screen>}
   */
  static async at(path, gone) {
    const server = createServer().listen(path);
    const [socket] = await once(server, "connection");
    // There is only one such process, so a further connection would come from a component in it.
    server.close();
    return new Screen(socket, gone);
  }

  constructor(socket, gone) {
    this.#link = new Link(socket, (message) => this.#hear(message), gone, LONGEST_MESSAGE);
  }

  /** Begins a new page, whose requests to the network go to `relay`. */
  open(relay) {
    this.#relay = relay;
    this.copy.clear();
    this.errors = [];
    return this.perform({ act: "open" });
  }

  /**
   * Performs an act on the page, and waits for its end. Only the copy of the document shows the effect. Rejects
   * if the page reports that the act failed.
   */
  perform(act) {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      this.#performing.set(number, { resolve, reject });
      this.#link.send({ ...act, number });
    });
  }

  /** Sends a message of the network to the page. */
  send(message) {
    this.#sent = this.#next++;
    this.#link.send({ ...message, number: this.#sent });
  }

  /** True if the page has handled all messages of the network. */
  get hasHeardAll() {
    return this.#heard >= this.#sent;
  }

  /** Waits until the page has handled all messages, and the copy is the document after them. */
  async caughtUp() {
    const sent = this.#sent;
    while (this.#heard < sent) await this.news();
  }

  /**
   * Waits for the next message of the page's process.
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
