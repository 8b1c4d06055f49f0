// An index: the rows of a table in the order of some fields, as in the real backend's indexes.

import { compareValues } from "convex/values";

/**
 * A key has the values of the index's fields in a row. Its last two values are the row's creation time and
 * id, so that no two rows have the same key.
 *
 * @typedef {readonly (import("convex/values").Value | undefined)[]} Key
 * @typedef {import("./database.mjs").Row} Row
 * @typedef {{ key: Key, row: Row }} Entry
 */

/**
 * A range is a part of an index: the keys between two bounds. A bound is the beginning of a key; it is
 * before all keys with this beginning, or behind all of them.
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
  /** The fields of the index in the schema. @type {string[]} */
  fields;
  /** @type {Entry[]} */
  #entries = [];

  /**
   * @param {string[]} fields the fields of the index in the schema
   * @param {Iterable<Row>} rows
   */
  constructor(fields, rows) {
    this.fields = fields;
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
    return keyOf(document, this.fields);
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
   * @param {Key | null} after the key after which the entries begin; null for the whole range
   * @param {number} most the most entries to return
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
   * Returns the number of entries before a bound.
   *
   * @param {Bound} bound
   */
  #placeOf(bound) {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#entries[middle].key, bound)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Returns the key of a document in an index with these fields.
 *
 * @param {string[]} fields the fields of the index in the schema
 * @returns {Key}
 */
export function keyOf(document, fields) {
  const values = fields.map((path) => valueAt(document, path.split(".")));
  return [...values, document._creationTime, document._id];
}

/**
 * Returns true if a key is in a range.
 *
 * @param {Key} key
 * @param {Range} range
 */
export function isInRange(key, { from, to }) {
  return !isBefore(key, from) && isBefore(key, to);
}

/** @param {Key} key @param {Bound} bound */
function isBefore(key, { values, isBehind }) {
  const order = compareKeys(key, values);
  return order < 0 || (order === 0 && isBehind);
}

/**
 * Compares a key with another key, or with the beginning of a key.
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

/** Returns the value of a document's field; `path` is a list of names. */
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
