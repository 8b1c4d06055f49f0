// The gate between backend and page: it can hold messages back, and counts answers that are still to come.

import { decodeTimestamp } from "../sync/commit_clock.mjs";

/** Decides when messages of the backend reach the page. */
export class Gate {
  unanswered = new Unanswered();
  /** @type {(() => void)[] | null} */
  #held = null;

  get isHeld() {
    return this.#held !== null;
  }

  hold() {
    this.#held ??= [];
  }

  /** Delivers the messages that were held back, in order, and from now on all messages at once. */
  release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const deliver of held) deliver();
  }

  pass(deliver) {
    if (this.#held) this.#held.push(deliver);
    else deliver();
  }
}

/** The requests of a page over the sync protocol that the backend has not answered yet. */
class Unanswered {
  #connecting = 0;
  #asked = 0;
  #answered = 0;
  #requests = new Set();
  /** The times of the newest mutation that was answered and of the newest state that was sent. */
  #written = 0n;
  #shown = 0n;

  /** Counts a connection that is being opened; the page sends requests when it is open. */
  connecting(socket) {
    this.#connecting += 1;
    const settle = () => {
      this.#connecting -= 1;
      socket.off("open", settle).off("close", settle);
    };
    socket.on("open", settle).on("close", settle);
  }

  /** Counts a message of the page. A new connection numbers its query sets from 0, and repeats unanswered mutations. */
  sent(text) {
    const { type, newVersion, requestId } = read(text);
    if (type === "Connect") {
      this.#asked = this.#answered = 0;
      this.#requests.clear();
    }
    if (type === "ModifyQuerySet") this.#asked = newVersion;
    if (type === "Mutation" || type === "Action") this.#requests.add(requestId);
  }

  /** Counts a message of the backend. */
  came(text) {
    const { type, endVersion, requestId, ts } = read(text);
    if (type === "Transition") {
      this.#answered = endVersion?.querySet;
      if (endVersion) this.#shown = decodeTimestamp(endVersion.ts);
    }
    // The page keeps its guess until it gets the state in which the mutation counts.
    if (type === "MutationResponse" && ts) this.#written = decodeTimestamp(ts);
    if (type === "MutationResponse" || type === "ActionResponse") this.#requests.delete(requestId);
  }

  get any() {
    const waits = this.#connecting > 0 || this.#asked !== this.#answered;
    return waits || this.#requests.size > 0 || this.#written > this.#shown;
  }
}

function read(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
