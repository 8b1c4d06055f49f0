// What the scripts of official clients share.

import { ConvexReactClient } from "convex/react";
import { anyApi } from "convex/server";
import { WebSocket } from "ws";

export const api = anyApi;
export const address = process.argv[2];
export const adminKey = process.argv[3];

/** Every socket that a client opened, and what was sent and received over it. */
export const sockets = [];

export class WatchedSocket extends WebSocket {
  sent = [];
  received = [];
  /** Called with each message before it is sent; may cut the line. */
  static beforeSend = (/** @type {any} */ _message, /** @type {WatchedSocket} */ _socket) => {};

  constructor(url, protocols, options) {
    super(url, protocols, options);
    sockets.push(this);
    this.on("message", (data) => this.received.push(JSON.parse(data.toString())));
  }

  send(data) {
    const message = JSON.parse(data);
    this.sent.push(message);
    super.send(data);
    WatchedSocket.beforeSend(message, this);
  }
}

/** @returns {any} a client, whose setAdminAuth is not in its types */
export function connect(options = {}) {
  return new ConvexReactClient(address, {
    webSocketConstructor: /** @type {any} */ (WatchedSocket),
    unsavedChangesWarning: false,
    logger: false,
    ...options,
  });
}

/** Waits until a condition holds; rejects after a minute. */
export async function until(condition, what = String(condition)) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited in vain until ${what}`);
}

export function watch(client, query, args) {
  const watched = client.watchQuery(query, args);
  const seen = [];
  const note = () => seen.push(watched.localQueryResult());
  const stop = watched.onUpdate(note);
  return {
    seen,
    stop,
    get value() {
      return watched.localQueryResult();
    },
  };
}

/** Runs scenarios one after the other, prints the outcome of each, and ends the program. */
export async function run(scenarios) {
  for (const [name, scenario] of Object.entries(scenarios)) {
    WatchedSocket.beforeSend = () => {};
    try {
      await scenario();
      console.log(JSON.stringify({ name }));
    } catch (error) {
      console.log(JSON.stringify({ name, error: error.stack }));
    }
  }
  process.exit(0);
}
