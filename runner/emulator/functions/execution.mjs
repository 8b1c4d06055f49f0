// The call under way: what every part of the backend may need to know of it.

import { AsyncLocalStorage } from "./contexts.mjs";

/**
 * What a query or mutation does to the data, and what follows when it is committed.
 *
 * @typedef {{ usage: import("./limits.mjs").Usage, scheduled: import("./scheduler.mjs").Job[],
 *   removedFiles: string[] }} Transaction
 */

const running = new AsyncLocalStorage();
let nextId = 1;

/**
 * One run of a function, or of an HTTP action.
 *
 * A query or mutation that was called by another one shares its transaction.
 */
export class Execution {
  /** What cancels the timers that it and what it called wait for, by id; of the outermost one. */
  timers = new Map();
  paginated = false;
  /** How many functions of its transaction called one another before it. */
  depth = 0;
  /** When the call that it made within its transaction has ended; null where there is none. @type {Promise<void> | null} */
  nested = null;
  /** Whether the outermost one has ended: nothing of it goes on. */
  over = false;

  /**
   * @param {{ kind: import("./operations.mjs").Kind, path: string, identity: object,
   *   now?: number, parent?: Execution, transaction?: Transaction | null, jobId?: string | null,
   *   component?: string }} what component is the one that the function belongs to
   */
  constructor({ kind, path, identity, now, parent, transaction = null, jobId = null, component }) {
    this.kind = kind;
    this.path = path;
    /** Path of the component whose tables it sees; empty for the app. */
    this.component = component ?? parent?.component ?? "";
    this.identity = identity;
    /** Milliseconds since the epoch at which its time stands still; undefined in actions. */
    this.now = now;
    this.logLines = parent?.logLines ?? [];
    this.requestId = parent?.requestId ?? newRequestId();
    this.transaction = transaction;
    this.jobId = parent?.jobId ?? jobId;
    this.root = parent?.root ?? this;
    this.id = nextId++;
    /** Its queries under way, by the ids that it gave them. @type {Map<number, import("../data/streams.mjs").Stream>} */
    this.streams = new Map();
    if (parent && parent.transaction === transaction) this.depth = parent.depth + 1;
  }

  get isTransaction() {
    return this.kind === "query" || this.kind === "mutation";
  }

  run(call) {
    return running.run(this, call);
  }

  /** Cancels one of its timers. */
  disarm(timer) {
    this.root.timers.get(timer)?.();
    this.root.timers.delete(timer);
  }

  /** Ends it, with all that it still waits for. */
  end() {
    this.over = true;
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }
}

/** Returns the execution under way, or undefined. */
export const current = () => running.getStore();

/** Returns the component whose tables are meant: the app's outside of executions. */
export const currentComponent = () => current()?.component ?? "";

function newRequestId() {
  const half = () =>
    Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return half() + half();
}
