// One end of the connection between the backend and the process that runs model code: messages are
// JSON, one a line, in order.

import { Buffer } from "node:buffer";

const LINE_FEED = 10;
const LONGEST = 256 * 1024 * 1024;

export class Link {
  #socket;
  #held = "";
  #parts = [];
  #size = 0;
  /** How many messages have come. */
  heard = 0;

  /**
   * @param {import("node:net").Socket} socket
   * @param {(message: any) => void} hear gets each message of the other end
   * @param {(why: string) => void} end is told when there will be no more
   */
  constructor(socket, hear, end) {
    this.#socket = socket;
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

  /** Sends a message together with the next one: each piece that is written wakes the other end. */
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
    if (this.#size > LONGEST) throw new Error("it is too long");
  }
}
