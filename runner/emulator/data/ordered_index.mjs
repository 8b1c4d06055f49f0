// The rows of a table in the order of some of their fields, as the real backend's indexes have them.

import { compareValues } from "convex/values";

/**
 * The values of an index's fields in a row; the last two are its creation time and its id, so that no
 * two rows have the same key.
 *
 * @typedef {readonly (import("convex/values").Value | undefined)[]} Key
 * @typedef {import("./database.mjs").Row} Row
 * @typedef {{ key: Key, row: Row }} Entry
 */

/**
 * A part of an index: the keys from a place to a place. A bound is the beginning of a key; it stands
 * before all keys that begin so, or behind them.
 *
 * @typedef {{ values: Key, isBehind: boolean }} Bound
 * @typedef {{ from: Bound, to: Bound }} Range
 */

/** @type {Range} */
export const EVERYTHING = Object.freeze({
  from: { values: [], isBehind: false },
  to: { values: [], isBehind: true },
});

export class OrderedIndex {
  #fields;
  /** @type {Entry[]} */
  #entries = [];

  /**
   * @param {string[]} fields the fields of its schema
   * @param {Iterable<Row>} rows
   */
  constructor(fields, rows) {
    this.#fields = fields.map((path) => path.split("."));
    for (const row of rows) this.#entries.push({ key: this.keyOf(row), row });
    this.#entries.sort((left, right) => compareKeys(left.key, right.key));
  }

  /**
   * Returns the key of a row.
   *
   * @param {Row} row
   * @returns {Key}
   */
  keyOf({ document }) {
    const values = this.#fields.map((path) => valueAt(document, path));
    return [...values, document._creationTime, document._id];
  }

  /** @param {Row} row */
  add(row) {
    const key = this.keyOf(row);
    this.#entries.splice(this.#placeOf({ values: key, isBehind: false }), 0, { key, row });
  }

  /** @param {Row} row */
  remove(row) {
    this.#entries.splice(this.#placeOf({ values: this.keyOf(row), isBehind: false }), 1);
  }

  /**
   * Returns the next entries of a range.
   *
   * @param {Range} range
   * @param {"asc" | "desc"} order
   * @param {Key | null} after the key behind which they begin; null for the whole range
   * @param {number} most how many
   */
  read({ from, to }, order, after, most) {
    let first = this.#placeOf(from);
    let end = this.#placeOf(to);
    if (order === "asc") {
      if (after) first = Math.max(first, this.#placeOf({ values: after, isBehind: true }));
      return this.#entries.slice(first, Math.min(end, first + most));
    }
    if (after) end = Math.min(end, this.#placeOf({ values: after, isBehind: false }));
    return this.#entries.slice(Math.max(first, end - most), Math.max(first, end)).reverse();
  }

  /**
   * Returns how many entries stand before a bound.
   *
   * @param {Bound} bound
   */
  #placeOf({ values, isBehind }) {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareKeys(this.#entries[middle].key, values);
      if (order < 0 || (order === 0 && isBehind)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Compares a key with another, or with the beginning of one.
 *
 * @param {Key} key
 * @param {Key} other
 */
export function compareKeys(key, other) {
  for (let i = 0; i < other.length; i++) {
    if (key[i] === other[i] && key[i] !== 0) continue;
    const order = compareValues(key[i], other[i]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Returns the value of a document's field, by the names of its path. */
export function valueAt(document, path) {
  let value = document;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
