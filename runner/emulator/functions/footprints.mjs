// The footprint of a transaction: the index ranges that it read and the documents that it wrote.
//
// Convex runs a mutation again if another one, which committed after its start, wrote into a range that it read
// (https://docs.convex.dev/database/advanced/occ). So two footprints conflict if one wrote a document that is,
// or was, in a range that the other read. A range ends behind the last row that the function took. A search
// counts as a read of its whole table.

import { convexToJson } from "convex/values";

import { currentComponent } from "./execution.mjs";
import { EVERYTHING, isInRange, keyOf } from "../data/ordered_index.mjs";

/** The most footprints that are kept. */
const MOST = 1000;
/** The end of a reading that took all rows of its range. */
export const END = "end";

/**
 * A read range of an index: fields are those of the index in the schema. A document that was read by its id is
 * a range of the index by_id.
 *
 * @typedef {import("../data/ordered_index.mjs").Range} Range
 * @typedef {import("../data/ordered_index.mjs").Key} Key
 * @typedef {{ component: string, table: string, index: string, fields: string[], range: Range }} Read
 * @typedef {{ component: string, table: string, before: any, after: any }} Written before and after are the
 *   versions of a document; null if it did not exist
 */

/**
 * Returns the read of one document by its id.
 *
 * @returns {Read}
 */
export function readOfDocument(table, id) {
  const range = { from: { values: [id], isBehind: false }, to: { values: [id], isBehind: true } };
  return { component: currentComponent(), table, index: "by_id", fields: ["_id"], range };
}

/**
 * Returns the read of a whole table.
 *
 * @returns {Read}
 */
export function readOfTable(table) {
  const place = { component: currentComponent(), table, index: "by_creation_time" };
  return { ...place, fields: [], range: EVERYTHING };
}

/**
 * Returns the part of a range that a reading took.
 *
 * @param {Range} range
 * @param {"asc" | "desc"} order
 * @param {Key | null} after the key after which the reading began; null for the beginning of the range
 * @param {Key | typeof END | null} until the key of the last row; null if no row was taken
 * @returns {Range}
 */
export function partOf({ from, to }, order, after, until) {
  const isBehind = order === "asc";
  const first = after ? { values: after, isBehind } : isBehind ? from : to;
  const whole = isBehind ? to : from;
  const last = until === END ? whole : until ? { values: until, isBehind } : first;
  return isBehind ? { from: first, to: last } : { from: last, to: first };
}

/** The footprints of the transactions of functions while a test asks for them. */
export class Footprints {
  /** @type {{ path: string, reads: Read[], written: Written[], metrics: object }[]} */
  #kept = [];
  #isOn = false;

  reset() {
    this.#kept = [];
    this.#isOn = false;
  }

  /** Keeps the footprints from now on; returns the place of the next. */
  begin() {
    this.#isOn = true;
    return { place: this.#kept.length };
  }

  /** Keeps no further footprints; returns those from a place on. */
  end(place) {
    this.#isOn = false;
    return { footprints: this.#kept.slice(place).map(describe) };
  }

  /**
   * Adds the footprint of a committed transaction.
   *
   * @param {string} path of its function
   * @param {import("./execution.mjs").Transaction} transaction
   */
  add(path, { reads, written, usage }) {
    if (this.#isOn && this.#kept.length < MOST)
      this.#kept.push({ path, reads, written, metrics: usage.metrics() });
  }

  /** Returns the documents that one of two transactions wrote into a range that the other read. */
  meetings(first, second) {
    const [one, other] = [this.#kept[first], this.#kept[second]];
    return { meetings: [...meetingsOf(one, other), ...meetingsOf(other, one)] };
  }
}

function* meetingsOf({ reads }, { written }) {
  for (const { component, table, before, after } of written) {
    const versions = [before, after].filter((document) => document !== null);
    const met = reads.find(
      (read) =>
        read.component === component &&
        read.table === table &&
        versions.some((document) => isInRange(keyOf(document, read.fields), read.range)),
    );
    if (met) yield { component, table, id: versions[0]._id, index: met.index };
  }
}

function describe({ path, reads, written, metrics }) {
  return {
    path,
    metrics,
    reads: reads.map(({ component, table, index, fields, range: { from, to } }) => {
      return { component, table, index, fields, from: shown(from), to: shown(to) };
    }),
    writes: written.map(({ component, table, before, after }) => {
      return { component, table, id: (after ?? before)._id };
    }),
  };
}

function shown({ values }) {
  return values.map((value) => (value === undefined ? null : convexToJson(value)));
}
