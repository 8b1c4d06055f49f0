// The limits of transactions and of the sizes of values, as in https://docs.convex.dev/production/state/limits,
// with the messages of the real backend's source.

import { getConvexSize, getDocumentSize } from "convex/values";

import { FunctionError } from "../errors.mjs";

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const HELP =
  "Consider using smaller limits in your queries, paginating your queries, or using indexed queries " +
  "with a selective index range expressions.";

/**
 * The message for each limit of a transaction, in which # is the limit. Messages about reading are those of
 * crates/database/src/reads.rs, about writing those of writes.rs, about scheduling ours.
 *
 * @type {Record<Exclude<keyof typeof LIMITS, "computingMs">, string>}
 */
const MESSAGES = {
  bytesRead: `Too many bytes read in a single function execution (limit: # bytes). ${HELP}`,
  documentsRead: `Too many documents read in a single function execution (limit: #). ${HELP}`,
  ranges: `Too many reads in a single function execution (limit: #). ${HELP}`,
  bytesWritten: "Too many bytes written in a single function execution (limit: #)",
  documentsWritten: "Too many writes in a single function execution (limit: #)",
  scheduled: "Too many functions scheduled by this mutation (limit: #)",
  scheduledBytes:
    "Too large total size of the arguments of scheduled functions from this mutation (limit: # bytes)",
};
/** The limits with another name in `getTransactionMetrics()`, with that name. */
const METRICS = {
  ranges: "databaseQueries",
  scheduled: "functionsScheduled",
  scheduledBytes: "scheduledFunctionArgsBytes",
};
const NAMES = Object.keys(MESSAGES);
/** @typedef {{ -readonly [name in keyof typeof LIMITS]: number }} Limits */

/** The limits in production. */
export const LIMITS = Object.freeze({
  bytesRead: 16 * MIB,
  documentsRead: 32_000,
  ranges: 4096,
  bytesWritten: 16 * MIB,
  documentsWritten: 16_000,
  scheduled: 1000,
  scheduledBytes: 16 * MIB,
  /** Milliseconds of processor time of a query or mutation: twice the real limit, for slower machines. */
  computingMs: 2000,
});
/** The limits for which the writes of a failed nested call do not count. */
const OF_WRITES = ["bytesWritten", "documentsWritten", "scheduled", "scheduledBytes"];

/** The most bytes of a function's arguments or result. */
const LARGEST_ARGUMENTS = 16 * MIB;
/** The most bytes of the arguments of an action of the Node.js runtime, as JSON. */
const LARGEST_TO_NODE = 5 * MIB;
const TOO_LARGE_FOR_NODE =
  "Node actions arguments size is too large. The maximum size is 5 MiB. Reduce the size of the " +
  "arguments or consider using Convex runtime actions instead, which have a 16 MiB limit. " +
  "See https://docs.convex.dev/functions/runtimes";
/** The most bytes of a scheduled function's arguments. */
const LARGEST_SCHEDULED = 4 * MIB;
const LARGEST_DOCUMENT = MIB;
export const LONGEST_ARRAY = 8192;
const MOST_FIELDS = 1024;
const DEEPEST_DOCUMENT = 16;
/** The most levels of a value that a function passes or returns. */
const DEEPEST_VALUE = 64;
/** The most levels of calls between functions of a transaction. */
export const DEEPEST_CALL = 8;

/** A limit of a transaction was passed. */
export class LimitError extends Error {}

/** The counters of a transaction. Methods that count throw a LimitError if a limit is passed. */
export class Usage {
  #used = Object.fromEntries(NAMES.map((name) => [name, 0]));
  #most;

  /** @param {Limits} most */
  constructor(most = LIMITS) {
    this.#most = { ...most };
  }

  /** Counts a range of an index. */
  range() {
    this.#add("ranges", 1);
  }

  /** Counts documents that were read, with their bytes. */
  read(documents, bytes) {
    this.#add("documentsRead", documents);
    this.#add("bytesRead", bytes);
  }

  /** Returns true if so many documents and bytes can be read without passing a limit. */
  hasRoomFor(documents, bytes) {
    return (
      this.#used.documentsRead + documents <= this.#most.documentsRead &&
      this.#used.bytesRead + bytes <= this.#most.bytesRead
    );
  }

  /** Counts a document that was written, with its bytes. */
  write(bytes) {
    this.#add("documentsWritten", 1);
    this.#add("bytesWritten", bytes);
  }

  /** Counts a function that was scheduled. */
  schedule(args) {
    const bytes = getConvexSize(args);
    if (bytes > LARGEST_SCHEDULED)
      throw tooLarge("Arguments of a scheduled function", bytes, LARGEST_SCHEDULED);
    this.#add("scheduled", 1);
    this.#add("scheduledBytes", bytes);
  }

  /**
   * Runs a nested call; if it fails, its writes do not count.
   *
   * @param {Record<string, number> | undefined} limits the call's own limits, by the names of the metrics
   * @param {() => Promise<T>} call
   * @returns {Promise<T>}
   * @template T
   */
  async nested(limits, call) {
    const before = { ...this.#used };
    const most = this.#most;
    this.#most = { ...most };
    for (const name of NAMES) {
      const asked = limits?.[METRICS[name] ?? name];
      if (asked !== undefined) this.#most[name] = Math.min(most[name], before[name] + asked);
    }
    try {
      return await call();
    } catch (error) {
      for (const name of OF_WRITES) this.#used[name] = before[name];
      throw error;
    } finally {
      this.#most = most;
    }
  }

  /** Returns the result of `ctx.meta.getTransactionMetrics()`. */
  metrics() {
    const metric = (name) => {
      const used = this.#used[name];
      return [METRICS[name] ?? name, { used, remaining: this.#most[name] - used }];
    };
    return Object.fromEntries(NAMES.map(metric));
  }

  #add(name, amount) {
    this.#used[name] += amount;
    const most = this.#most[name];
    if (this.#used[name] <= most) return;
    throw new LimitError(
      MESSAGES[name].replace("#", name === "bytesWritten" ? inBytes(most) : most),
    );
  }
}

/**
 * Returns a new transaction.
 *
 * @param {Limits} [limits] by default those of production, for the backend's own calls
 * @returns {import("./execution.mjs").Transaction}
 */
export function newTransaction(limits) {
  return { usage: new Usage(limits), scheduled: [], removedFiles: [], reads: [], written: [] };
}

/** Throws if a document is larger, deeper or longer than allowed. */
export function checkDocument(document) {
  const size = getDocumentSize(document);
  if (size > LARGEST_DOCUMENT) throw tooLarge("Value", size, LARGEST_DOCUMENT);
  checkShape(document, DEEPEST_DOCUMENT);
}

/** Throws if a value that a function passes or returns is deeper or longer than allowed. */
export function checkValue(value) {
  checkShape(value, DEEPEST_VALUE);
}

/** Throws if the arguments or the result of a function are larger than allowed. */
export function checkPassed(value, what) {
  const size = value === undefined ? 0 : getConvexSize(value);
  if (size > LARGEST_ARGUMENTS) throw tooLarge(what, size, LARGEST_ARGUMENTS);
}

/** Throws if the arguments of an action of the Node.js runtime, in Convex's JSON, are larger than allowed. */
export function checkPassedToNode(json) {
  if (Buffer.byteLength(JSON.stringify(json)) > LARGEST_TO_NODE)
    throw new FunctionError(TOO_LARGE_FOR_NODE);
}

/** Returns a number of bytes with its unit, with at most two decimals. */
function inBytes(count) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let place = 0;
  for (; count >= KIB && place < units.length - 1; place++) count /= KIB;
  return `${Number(count.toFixed(2))} ${units[place]}`;
}

function tooLarge(what, size, most) {
  const mib = Number((size / MIB).toFixed(2));
  return new Error(`${what} is too large (${mib} MiB > maximum size ${most / MIB} MiB)`);
}

/** Throws if JSON is nested more deeply than a value may be. Call it before other code reads the JSON. */
export function checkDepth(json) {
  const depth = depthBelow(json);
  if (depth > DEEPEST_VALUE) throw tooNested(depth, DEEPEST_VALUE);
}

function tooNested(depth, most) {
  return new Error(`Value is too nested (nested ${depth} levels deep > maximum nesting ${most})`);
}

/** Returns the number of levels of JSON, at most `most`, so that the recursion has a limit. */
function depthBelow(json, most = 2 * DEEPEST_VALUE) {
  if (json === null || typeof json !== "object" || most === 0) return 0;
  let deepest = 0;
  for (const item of Array.isArray(json) ? json : Object.values(json)) {
    deepest = Math.max(deepest, depthBelow(item, most - 1));
  }
  return deepest + 1;
}

function checkShape(value, most, depth = 0) {
  if (value === null || typeof value !== "object" || value instanceof ArrayBuffer) return;
  if (depth >= most) throw tooNested(depth + 1, most);
  const items = Array.isArray(value) ? value : Object.values(value);
  if (Array.isArray(value) && items.length > LONGEST_ARRAY) {
    throw new Error(`Array length is too long (${items.length} > maximum length ${LONGEST_ARRAY})`);
  }
  if (!Array.isArray(value) && items.length > MOST_FIELDS) {
    throw new Error(`Object has too many fields (${items.length} > maximum number ${MOST_FIELDS})`);
  }
  for (const item of items) checkShape(item, most, depth + 1);
}
