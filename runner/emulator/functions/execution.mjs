// The execution of a function, with the facts about it that other parts of the backend need.

import { randomBytes } from "node:crypto";

import { AsyncLocalStorage } from "./contexts.mjs";

/**
 * A transaction: the use of its limits, what it read and, after its commit, wrote, and the jobs and removed files
 * that take effect with its commit.
 *
 * @typedef {{ usage: import("./limits.mjs").Usage, scheduled: import("./scheduler.mjs").Job[],
 *   removedFiles: string[], reads: import("./footprints.mjs").Read[],
 *   written: import("./footprints.mjs").Written[] }} Transaction
 */

/** The caller without credentials. */
export const NOBODY = Object.freeze({ kind: "none" });

const running = new AsyncLocalStorage();
let nextId = 1;

/**
 * A run of a function or of an HTTP action.
 *
 * If a query or mutation calls another, both share a transaction.
 */
export class Execution {
  /** Functions that cancel timers, by the timers' ids. Only the outermost execution has entries. */
  timers = new Map();
  paginated = false;
  /** The number of executions in its transaction that lead to this one by calls. */
  depth = 0;
  /** Resolves at the end of its present call in the same transaction; null without a call. @type {Promise<void> | null} */
  nested = null;
  /** True if the execution has ended. Only the outermost execution sets it. */
  over = false;

  /**
   * @param {{ kind: import("./operations.mjs").Kind, path: string, identity: object,
   *   now?: number, parent?: Execution, transaction?: Transaction | null,
   *   job?: import("./scheduler.mjs").Job | null, component?: string, time?: bigint }} what component is the
   *   path of the function's component, job the scheduled call that it belongs to, time the time of the data
   *   that it sees if this is not the newest
   */
  constructor({ kind, path, identity, now, parent, transaction = null, job = null, ...what }) {
    const { component, time } = what;
    this.kind = kind;
    this.time = time;
    this.path = path;
    /** The path of the component whose tables it sees; empty for the app. */
    this.component = component ?? parent?.component ?? "";
    this.identity = identity;
    /** The time that the function sees, which does not change, in ms since the epoch; undefined in actions. */
    this.now = now;
    this.logLines = parent?.logLines ?? [];
    this.requestId = parent?.requestId ?? randomBytes(8).toString("hex");
    this.transaction = transaction;
    this.job = parent?.job ?? job;
    this.root = parent?.root ?? this;
    this.id = nextId++;
    /** Its open queries, by the ids that it gave them. @type {Map<number, import("../data/streams.mjs").Stream>} */
    this.streams = new Map();
    if (parent && parent.transaction === transaction) this.depth = parent.depth + 1;
  }

  get isTransaction() {
    return this.kind === "query" || this.kind === "mutation";
  }

  run(call) {
    return running.run(this, call);
  }

  /** Cancels a timer. */
  disarm(timer) {
    this.root.timers.get(timer)?.();
    this.root.timers.delete(timer);
  }

  /** Ends the execution, and cancels its timers. */
  end() {
    this.over = true;
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }
}

/** Returns the present execution; undefined outside of executions. */
export const current = () => running.getStore();

/** Returns the path of the present execution's component; the app's outside of executions. */
export const currentComponent = () => current()?.component ?? "";
