// The reading of queries: the rows of an index or a search, which are filtered and limited while they are read.

import { createHash } from "node:crypto";

import { passes } from "./filters.mjs";
import { whyNoIdentifier } from "../identifiers.mjs";
import { partOf, readOfTable } from "../functions/footprints.mjs";
import { EVERYTHING, compareKeys } from "./ordered_index.mjs";
import { rangeOf } from "./ranges.mjs";
import { MOST_RESULTS, searchText } from "./text_search.mjs";

/**
 * @typedef {import("./ordered_index.mjs").Entry} Entry
 * @typedef {import("./ordered_index.mjs").Key} Key
 * @typedef {{ read(after: Key | null, most: number): Entry[],
 *   isBehind(key: Key, other: Key): boolean, fields: string[],
 *   readUntil(after: Key | null, until: Key | "end" | null): import("../functions/footprints.mjs").Read
 *   }} Source read returns the next entries in order, readUntil what a reading read between two keys
 * @typedef {{ filter?: any, limit?: number }} Operator
 */

/** The number of rows that are read together for a filter. */
const FILTERED = 100;
const MOST_ROWS = 1024;
/** The message of crates/database/src/query/search_query.rs. */
const SCANNED_TOO_MANY =
  `Search query scanned too many documents (fetched ${MOST_RESULTS}). Consider using a smaller limit, ` +
  "paginating the query, or using a filter field to limit the number of documents pulled from the " +
  "search index.";

/**
 * A query's rows in order. `goBackTo` drops the rows that were read from the source and not returned yet.
 */
export class Reading {
  #source;
  #operators;
  /** @type {Entry[]} */
  #entries = [];
  #isFiltered;
  /** The key of the last row that was examined; null before the first. @type {Key | null} */
  position = null;
  isDone = false;
  /** The number of rows that were read from the source. */
  rowsRead = 0;
  /** True if the source has no row after the position. */
  isExhausted = false;

  /**
   * @param {Source} source
   * @param {Operator[]} operators
   * @param {Key | null} after the key after which the reading begins; null for the beginning
   */
  constructor(source, operators, after = null) {
    this.#source = source;
    this.#operators = operators.map((operator) => ({ ...operator }));
    this.#isFiltered = operators.some(({ filter }) => filter !== undefined);
    this.position = after;
  }

  /**
   * Returns the next row that passes the filters; null after the last row.
   *
   * @param {{ hint: number, looksAt: (entry: Entry) => void, mayFetch?: (most: number) => number }} options
   *   hint is the number of rows that the caller needs; looksAt is called with each row that is examined, and
   *   ends the reading if it throws; mayFetch returns how many rows may be read from the source, or throws
   */
  next({ hint, looksAt, mayFetch = (most) => most }) {
    while (!this.#isFull()) {
      const entry = this.#nextEntry(hint, mayFetch);
      if (!entry) {
        this.isExhausted = true;
        break;
      }
      looksAt(entry);
      this.position = entry.key;
      if (this.#letsThrough(entry.row.document)) return entry.row;
    }
    this.isDone = true;
    return null;
  }

  /** Returns the present position, for `goBackTo`. */
  mark() {
    const { position, isExhausted } = this;
    return { position, isExhausted, left: this.#operators.map(({ limit }) => limit) };
  }

  /** Continues from a position that `mark` returned, with the rows that exist now. */
  goBackTo({ position, left }) {
    this.position = position;
    this.isDone = false;
    this.isExhausted = false;
    this.#entries = [];
    for (const [place, operator] of this.#operators.entries()) operator.limit = left[place];
  }

  #isFull() {
    return this.#operators.some(({ limit }) => limit === 0);
  }

  #nextEntry(hint, mayFetch) {
    if (this.#entries.length === 0) {
      const most = Math.min(Math.max(this.#isFiltered ? FILTERED : hint, 1), MOST_ROWS);
      this.#entries = this.#source.read(this.position, mayFetch(most));
      this.rowsRead += this.#entries.length;
    }
    return this.#entries.shift();
  }

  /** Applies the filters and limits to a document, in their order; returns true if it passes. */
  #letsThrough(document) {
    for (const operator of this.#operators) {
      if (operator.filter !== undefined && !passes(operator.filter, document)) return false;
      if (operator.limit !== undefined) {
        if (operator.limit === 0) return false;
        operator.limit -= 1;
      }
    }
    return true;
  }
}

/**
 * Throws if the name of a query's table, or of a field in its filters, is no identifier.
 *
 * @param {any} query as Convex's library sends it
 * @param {string} operation its name in the real backend's message
 */
export function checkNames({ source, operators }, operation) {
  const table = source.type === "FullTableScan" ? [source.tableName] : [];
  const names = [...table, ...operators.flatMap(({ filter }) => fieldsIn(filter))];
  const why = names.map(whyNoIdentifier).find((reason) => reason !== null);
  if (why !== undefined) throw new Error(`Invalid argument \`query\` for \`${operation}\`: ${why}`);
}

/** Returns the names in the paths of all fields of a filter. */
function fieldsIn(expression) {
  if (expression === null || typeof expression !== "object") return [];
  const [operator, operand] = Object.entries(expression)[0] ?? [];
  if (operator === "$field") return operand.split(".").filter((part) => part !== "");
  if (operator === "$literal") return [];
  return [operand].flat().flatMap(fieldsIn);
}

/**
 * Returns the source of a query.
 *
 * @param {any} source as Convex's library sends it
 * @param {import("./database.mjs").Database} database
 * @param {import("../project/project.mjs").Project} project
 * @returns {Source}
 */
export function sourceOf(source, database, project) {
  switch (source.type) {
    case "FullTableScan":
      return indexSource(database, source.tableName, "by_creation_time", [], source.order);
    case "IndexRange": {
      const [table, index] = source.indexName.split(".");
      return indexSource(database, table, index, source.range, source.order);
    }
    case "Search":
      return searchSource(database, project, source);
    default:
      throw new Error(`Unknown source of a query: ${source.type}`);
  }
}

/** @returns {Source} */
function indexSource(database, table, index, comparisons, order) {
  const name = `${table}.${index}`;
  const fields = database.fieldsOf(table, index);
  if (!fields) throw new Error(`Index ${name} not found.`);
  const range = comparisons.length > 0 ? rangeOf(name, fields, comparisons) : EVERYTHING;
  const entries = database.index(table, index);
  const direction = order ?? "asc";
  const sign = direction === "asc" ? 1 : -1;
  const whole = { ...readOfTable(table), index, fields: entries.fields };
  return {
    fields,
    readUntil: (after, until) => ({ ...whole, range: partOf(range, direction, after, until) }),
    read: (after, most) => entries.read(range, direction, after, most),
    isBehind: (key, other) => compareKeys(key, other) * sign > 0,
  };
}

/**
 * Returns an index of a search, and its table. Throws if there is no such index.
 *
 * @param {import("../project/project.mjs").Project} project
 * @param {"searchIndexes" | "vectorIndexes"} kind
 * @param {string} indexName with its table
 */
export function findIndex({ schema }, kind, indexName) {
  const [table, name] = indexName.split(".");
  const indexes = /** @type {any} */ (schema?.tables.get(table))?.[kind];
  const index = indexes?.find(({ indexDescriptor }) => indexDescriptor === name);
  if (!index) throw new Error(`Index ${indexName} not found.`);
  return { table, index };
}

/** @returns {Source} */
function searchSource(database, project, { indexName, filters }) {
  const { table, index } = findIndex(project, "searchIndexes", indexName);
  const entries = searchText(indexName, index, filters, database.rows(table).values());
  const isBehind = (key, other) => compareKeys(key, other) > 0;
  return {
    fields: [],
    isBehind,
    readUntil: () => readOfTable(table),
    read: (after, most) => {
      const next = after === null ? 0 : entries.findIndex(({ key }) => isBehind(key, after));
      const first = next === -1 ? entries.length : next;
      if (first === MOST_RESULTS) throw new Error(SCANNED_TOO_MANY);
      return entries.slice(first, first + most);
    },
  };
}

/** Returns a digest of a query and of the fields of its index. */
export function fingerprint(query, { fields }) {
  return createHash("sha256").update(JSON.stringify({ query, fields })).digest("base64url");
}
