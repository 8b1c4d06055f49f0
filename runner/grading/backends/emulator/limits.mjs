// What one transaction may read, write and schedule: the limits of
// https://docs.convex.dev/production/state/limits.

import { getConvexSize, getDocumentSize } from "convex/values";

const MIB = 2 ** 20;
/** @typedef {{ -readonly [name in keyof typeof LIMITS]: number }} Limits */

/** What they are in production. */
export const LIMITS = Object.freeze({
  bytesRead: 16 * MIB,
  documentsRead: 32_000,
  ranges: 4096,
  bytesWritten: 16 * MIB,
  documentsWritten: 16_000,
  scheduled: 1000,
  scheduledBytes: 16 * MIB,
});
const LARGEST_VALUE = MIB;
const LONGEST_ARRAY = 8192;
const MOST_FIELDS = 1024;
const DEEPEST = 64;
const SEE = "This is a Convex limit: https://docs.convex.dev/production/state/limits";

/** Counts what a transaction does. Each method throws when its limit is passed. */
export class Usage {
  #used = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 0]));
  #most;

  /** @param {Limits} most */
  constructor(most = LIMITS) {
    this.#most = most;
  }

  range() {
    this.#add("ranges", 1, "Too many index ranges read in a single function execution");
  }

  read(document) {
    this.#add("documentsRead", 1, "Too many documents read in a single function execution");
    this.#add(
      "bytesRead",
      getDocumentSize(document),
      "Too many bytes read in a single function execution",
    );
  }

  write(document) {
    this.#add("documentsWritten", 1, "Too many documents written in a single function execution");
    this.#add(
      "bytesWritten",
      document === null ? 0 : getDocumentSize(document),
      "Too many bytes written in a single function execution",
    );
  }

  schedule(args) {
    this.#add("scheduled", 1, "Too many functions scheduled by this mutation");
    this.#add(
      "scheduledBytes",
      getConvexSize(args),
      "Too large total size of the arguments of scheduled functions from this mutation",
    );
  }

  #add(name, amount, words) {
    this.#used[name] += amount;
    if (this.#used[name] <= this.#most[name]) return;
    throw new Error(
      `${words} (limit: ${this.#most[name]}${name.startsWith("bytes") ? " bytes" : ""}). ${SEE}`,
    );
  }
}

/** Throws when a document is larger, deeper or longer than one may be. */
export function checkSize(document) {
  const size = getDocumentSize(document);
  if (size > LARGEST_VALUE) {
    const mib = Number((size / MIB).toFixed(2));
    throw new Error(`Value is too large (${mib} MiB > maximum size 1 MiB)`);
  }
  checkShape(document, 0);
}

/** Says how deep JSON is nested, without being called more deeply than that is worth telling. */
export function depthBelow(json, most = 2 * DEEPEST) {
  if (json === null || typeof json !== "object" || most === 0) return 0;
  let deepest = 0;
  for (const item of Array.isArray(json) ? json : Object.values(json)) {
    deepest = Math.max(deepest, depthBelow(item, most - 1));
  }
  return deepest + 1;
}

function checkShape(value, depth) {
  if (value === null || typeof value !== "object" || value instanceof ArrayBuffer) return;
  if (depth >= DEEPEST) {
    throw new Error(
      `Value is too nested (nested ${depth + 1} levels deep > maximum nesting ${DEEPEST})`,
    );
  }
  const items = Array.isArray(value) ? value : Object.values(value);
  if (Array.isArray(value) && items.length > LONGEST_ARRAY) {
    throw new Error(`Array length is too long (${items.length} > maximum length ${LONGEST_ARRAY})`);
  }
  if (!Array.isArray(value) && items.length > MOST_FIELDS) {
    throw new Error(`Object has too many fields (${items.length} > maximum number ${MOST_FIELDS})`);
  }
  for (const item of items) checkShape(item, depth + 1);
}
