// One side of the connection between a program of ours and the process that runs model code. Each message
// is a line of JSON; messages arrive in order.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { Buffer } from "node:buffer";

const LINE_FEED = 10;
const LONGEST = 256 * 1024 * 1024;
const WAIT_MS = 2;

export class Link {
  #socket;
  #held = "";
  #parts = [];
  #size = 0;
  #longest;
  /** The number of received messages. */
  heard = 0;

  /**
   * @param {import("node:net").Socket} socket
   * @param {(message: any) => void} hear is called with each message of the other side
   * @param {(why: string) => void} end is called with the reason when the connection has ended
   * @param {number} longest the most bytes of a message
   */
  constructor(socket, hear, end, longest = LONGEST) {
    this.#socket = socket;
    this.#longest = longest;
    socket.on("data", (chunk) => {
      try {
        this.#read(chunk, hear);
      } catch (error) {
        socket.destroy();
        end(`what came over the connection is no message: ${error.message}`);
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => end("the connection was closed"));
  }

  send(message) {
    this.#socket.write(`${this.#held}${JSON.stringify(message)}\n`);
    this.#held = "";
  }

  /** Sends a message together with the next message, so that the other side wakes up only once. */
  sendLater(message) {
    this.#held += `${JSON.stringify(message)}\n`;
  }

  #read(chunk, hear) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      this.#parts.push(chunk.subarray(from, at));
      const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
      this.#parts = [];
      this.#size = 0;
      from = at + 1;
      this.heard += 1;
      hear(JSON.parse(line.toString()));
    }
    if (from === chunk.length) return;
    this.#parts.push(from === 0 ? chunk : chunk.subarray(from));
    this.#size += chunk.length - from;
    if (this.#size > this.#longest) throw new Error("it is too long");
  }
}

/**
 * Connects to the socket of the other side. Both sides start at the same time, so it tries until the other
 * side listens.
 *
 * @param {string} path
 * @returns {Promise<import("node:net").Socket>}
 */
export async function connectTo(path) {
  for (;;) {
    const socket = connect(path);
    const opened = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (opened) return socket;
    await sleep(WAIT_MS);
  }
}
