// The documents of a deployment, and the transactions in which functions read and change them.
//
// Transactions run one after the other and write in place. The document that a write replaces is recorded,
// and restored if the transaction fails.

import { CommitTsPlaceholder, convexToJson, getDocumentSize } from "convex/values";

import { DeployError, RequestError } from "../errors.mjs";
import { AsyncLocalStorage } from "../functions/contexts.mjs";
import { currentComponent } from "../functions/execution.mjs";
import { idOf, tableOf } from "../ids.mjs";
import { mismatch } from "../project/validators.mjs";
import { OrderedIndex } from "./ordered_index.mjs";

/** @typedef {Record<string, any>} Document with its system fields, in Convex's values */

const FIRST_ID = 10_000;
/** Milliseconds between the creation times of two documents that are made at the same time: the next number. */
const CREATION_STEP = 2 ** -12;
/** The parts of a millisecond in creation times. */
const PARTS = 1000;
const NANOSECONDS = 1_000_000n;

/** A version of a document. */
export class Row {
  /** @type {string | undefined} */
  #json;
  /** @type {number | undefined} */
  #size;

  /** @param {Document} document */
  constructor(document) {
    this.document = document;
  }

  /** @type {string} */
  get id() {
    return this.document._id;
  }

  /** The size in bytes, as Convex counts it. */
  get size() {
    return (this.#size ??= getDocumentSize(this.document));
  }

  /** The document as a text in Convex's JSON. */
  get json() {
    return (this.#json ??= JSON.stringify(convexToJson(this.document)));
  }
}

class Table {
  /** @param {string} key the name, after the path of a component */
  constructor(key) {
    const end = key.lastIndexOf("/");
    this.component = key.slice(0, Math.max(end, 0));
    this.name = key.slice(end + 1);
  }

  /** @type {Map<string, Row>} */
  rows = new Map();
  /** True if a document was ever written to the table. */
  isUsed = false;
  /** @type {Map<string, OrderedIndex>} by name; an index is made when it is first read */
  #indexes = new Map();

  /**
   * @param {string} name
   * @param {string[]} fields
   */
  index(name, fields) {
    let index = this.#indexes.get(name);
    if (!index) this.#indexes.set(name, (index = new OrderedIndex(fields, this.rows.values())));
    return index;
  }

  /** Forgets the indexes: another deploy may declare others of the same names. */
  dropIndexes() {
    this.#indexes.clear();
  }

  /**
   * @param {Row | null} before
   * @param {Row | null} after
   */
  change(before, after) {
    this.isUsed = true;
    if (before) this.rows.delete(before.id);
    if (after) this.rows.set(after.id, after);
    for (const index of this.#indexes.values()) {
      if (before) index.remove(before);
      if (after) index.add(after);
    }
  }
}

/** @typedef {{ table: Table, before: Row | null, after: Row | null }} Write of a document */

/** All data between two resets, and the present transaction. */
class Data {
  /** @type {Map<string, Table>} */
  tables = new Map();
  nextId = FIRST_ID;
  lastCreation = 0;
  /** The time of the data that transactions see, in nanoseconds; later commits have later times. */
  lastCommit = 0n;
  /** The time of the data that the present transaction sees, in nanoseconds. */
  seen = 0n;
  /** @type {Write[]} the writes of the present transaction */
  writes = [];
  /**
   * The commits after the first time that a client may ask for, oldest first; null if no client asked for a time.
   *
   * @type {{ since: bigint, commits: { time: bigint, changes: Write[] }[] } | null}
   */
  history = null;
  /** @type {Promise<void>} resolves when the last requested transaction has ended */
  end = Promise.resolve();

  table(name) {
    let table = this.tables.get(name);
    if (!table) this.tables.set(name, (table = new Table(name)));
    return table;
  }

  /**
   * @param {Table} table
   * @param {Row | null} before
   * @param {Row | null} after
   */
  write(table, before, after) {
    table.change(before, after);
    this.writes.push({ table, before, after });
  }

  /** Reverts all writes after the first `kept`, and returns them. */
  takeBack(kept) {
    const taken = this.writes.splice(kept);
    for (const { table, before, after } of taken.toReversed()) table.change(after, before);
    return taken;
  }

  /** Repeats writes that were reverted. */
  repeat(taken) {
    for (const { table, before, after } of taken) this.write(table, before, after);
  }

  /** Begins a transaction at a time, in milliseconds since the epoch. */
  begin(now) {
    this.moveTo(now);
    this.seen = this.lastCommit;
  }

  /** Makes a time the time of the newest data, if it is later. */
  moveTo(now) {
    const time = inNanoseconds(now);
    if (time > this.lastCommit) this.lastCommit = time;
  }

  /** Commits the writes, and returns them; documents with a placeholder for the time of their commit get it. */
  commit(now) {
    const time = inNanoseconds(now);
    this.lastCommit = time > this.lastCommit ? time : this.lastCommit + 1n;
    const written = new Map(this.writes.map(({ table, after }) => [after?.id, { table, after }]));
    for (const { table, after } of written.values()) {
      if (!after || table.rows.get(after.id) !== after || !isPending(after.document)) continue;
      const document = replacePlaceholders(after.document, isCommitTime, this.lastCommit);
      table.change(after, new Row(document));
    }
    const changes = this.#changes();
    this.history?.commits.push({ time: this.lastCommit, changes });
    this.writes = [];
    return changes;
  }

  /** Returns what the writes of the present transaction changed: one change for each document. */
  #changes() {
    const changes = new Map();
    for (const { table, before, after } of this.writes) {
      const id = before?.id ?? after?.id ?? "";
      if (!changes.has(id)) changes.set(id, { table, before, after });
      changes.get(id).after = table.rows.get(id) ?? null;
    }
    return [...changes.values()];
  }

  /**
   * Goes back to the data of a time, and returns a function that returns to the newest data.
   *
   * @param {bigint} time
   */
  goBackTo(time) {
    if (!this.history || time < this.history.since || time > this.lastCommit) {
      throw new RequestError(400, "InvalidTimestamp", `No data of the time ${time} is known.`);
    }
    const later = this.history.commits.filter((commit) => commit.time > time);
    const changes = later.flatMap((commit) => commit.changes);
    for (const { table, before, after } of changes.toReversed()) table.change(after, before);
    this.seen = time;
    return () => {
      for (const { table, before, after } of changes) table.change(before, after);
    };
  }
}

/** The data of the present transaction. */
const data = new AsyncLocalStorage();

/**
 * The path of a component, its tables in Convex's JSON, and whether their documents must fit them.
 *
 * @typedef {[string, Map<string, any> | undefined, boolean]} Schema
 */

export class Database {
  /** @type {Map<string, Map<string, string[]>>} */
  #indexes = new Map();
  #now;
  #latest = new Data();

  /**
   * @param {Iterable<Schema>} schemas
   * @param {() => number} now returns the time for new documents, in milliseconds since the epoch
   */
  constructor(schemas, now) {
    this.#now = now;
    this.declare(schemas);
  }

  /**
   * Uses the indexes of these schemas from now on.
   *
   * @param {Iterable<Schema>} schemas
   */
  declare(schemas) {
    this.#indexes = new Map();
    for (const table of this.#latest.tables.values()) table.dropIndexes();
    for (const [path, tables] of schemas) {
      for (const [name, { indexes }] of tables ?? []) {
        const fields = indexes.map((index) => [index.indexDescriptor, index.fields]);
        const byName = new Map(/** @type {[string, string[]][]} */ (fields));
        this.#indexes.set(tableKey(path, name), byName);
      }
    }
  }

  /**
   * Throws a DeployError if a document does not fit these schemas, in the words of
   * crates/common/src/schemas/mod.rs.
   *
   * @param {Iterable<Schema>} schemas
   */
  checkDocuments(schemas) {
    for (const [path, tables, isValidated] of schemas) {
      for (const [name, { documentType }] of (isValidated && tables) || []) {
        for (const { document } of this.#latest.table(tableKey(path, name)).rows.values()) {
          const { _id, _creationTime, ...fields } = document;
          const problem = documentType && mismatch(documentType, fields);
          if (!problem) continue;
          throw new DeployError(
            `Schema validation failed.\nDocument with ID "${_id}" in table "${name}" does not match ` +
              `the schema: ${problem}`,
          );
        }
      }
    }
  }

  /** Removes all documents. The present transaction continues with the old data. */
  reset() {
    this.#latest = new Data();
  }

  // --- Transactions ------------------------------------------------------------------------------

  /**
   * Runs `call` in a transaction of its own, after all earlier transactions have ended.
   *
   * @param {"query" | "mutation"} kind the writes of a query are reverted
   * @param {() => Promise<T>} call
   * @param {(value: T, commit: { time: bigint, written: import("../functions/footprints.mjs").Written[] }) => T
   *   } onCommit is called when a mutation is committed, with its value, the time of the commit and what it
   *   wrote; returns the value of the transaction
   * @param {bigint} [time] the time of the data that a query sees; by default it sees the newest
   * @returns {Promise<T>}
   * @template T
   */
  async transaction(kind, call, onCommit, time) {
    const latest = this.#latest;
    const before = latest.end;
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve } = Promise.withResolvers();
    latest.end = promise;
    await before;
    latest.begin(this.#now());
    let goForward = () => {};
    try {
      if (time !== undefined) goForward = latest.goBackTo(time);
      const value = await data.run(latest, call);
      if (kind === "query") return value;
      const written = latest.writes.length > 0 ? latest.commit(this.#now()) : [];
      return onCommit(value, { time: latest.lastCommit, written: written.flatMap(writtenOf) });
    } finally {
      latest.takeBack(0);
      goForward();
      resolve();
    }
  }

  /**
   * Runs `call` as a part of the present transaction; if it fails, only its own writes are reverted.
   *
   * @param {string} udfType with snapshotQuery, `call` sees none of the transaction's writes
   * @param {() => Promise<T>} call
   * @returns {Promise<T>}
   * @template T
   */
  async nested(udfType, call) {
    const { writes } = this.#data;
    const kept = writes.length;
    if (udfType === "snapshotQuery") {
      const taken = this.#data.takeBack(0);
      try {
        return await call();
      } finally {
        this.#data.repeat(taken);
      }
    }
    try {
      return await call();
    } catch (error) {
      this.#data.takeBack(kept);
      throw error;
    }
  }

  /** The time of the data that the present transaction sees, in nanoseconds since the epoch. */
  get snapshot() {
    return this.#data.seen;
  }

  /** Returns the time of the newest data, and from now on keeps the data of this time for queries. */
  pinTime() {
    const latest = this.#latest;
    latest.moveTo(this.#now());
    latest.history ??= { since: latest.lastCommit, commits: [] };
    return latest.lastCommit;
  }

  /** @returns {Data} */
  get #data() {
    const current = data.getStore();
    if (!current) throw new Error("The database is asked outside of a transaction.");
    return current;
  }

  /** Returns a table of a component, by default of the component whose function runs. */
  #table(name, component = currentComponent()) {
    return this.#data.table(tableKey(component, name));
  }

  /** Returns the fields of the indexes of a table of this component, by the indexes' names. */
  #indexesOf(name) {
    return this.#indexes.get(tableKey(currentComponent(), name));
  }

  // --- Reading -----------------------------------------------------------------------------------

  /** Returns a document's row; null if the component has no such document. */
  get(id, component = currentComponent()) {
    return this.#table(tableOf(id), component).rows.get(id) ?? null;
  }

  /** Returns the rows of a table. */
  rows(table) {
    return this.#table(table).rows;
  }

  /**
   * Returns the fields of an index as the real backend lists them; null if there is no such index.
   *
   * @param {string} table
   * @param {string} index
   * @returns {string[] | null}
   */
  fieldsOf(table, index) {
    if (index === "by_creation_time") return ["_creationTime"];
    if (index === "by_id") return [];
    const fields = this.#indexesOf(table)?.get(index);
    return fields ? [...fields, "_creationTime"] : null;
  }

  /** Returns an index for which `fieldsOf` returns fields. */
  index(table, index) {
    const fields = index === "by_id" ? ["_id"] : (this.#indexesOf(table)?.get(index) ?? []);
    return this.#table(table).index(index, fields);
  }

  /** Returns the names of this component's tables that were ever written to, without system tables. */
  tables() {
    const prefix = tableKey(currentComponent(), "");
    const used = [...this.#data.tables].filter(
      ([key, { isUsed }]) => isUsed && key.startsWith(prefix),
    );
    const names = used.map(([key]) => key.slice(prefix.length));
    return names.filter((name) => !name.startsWith("_") && !name.includes("/"));
  }

  // --- Writing -----------------------------------------------------------------------------------

  /**
   * Adds a document, and returns its row.
   *
   * @param {string} table
   * @param {Document} fields without system fields
   */
  insert(table, fields) {
    const current = this.#data;
    // On the real backend, whose clock counts nanoseconds, no creation time is a whole number. The fraction
    // follows from the time of the function: documents of one call have times that follow one another.
    const ms = Math.floor(this.#now());
    const now = ms + (1 + (ms % (PARTS - 1))) / PARTS;
    current.lastCreation = now <= current.lastCreation ? current.lastCreation + CREATION_STEP : now;
    const _id = idOf(table, current.nextId++);
    const row = new Row({ ...fields, _id, _creationTime: current.lastCreation });
    current.write(this.#table(table), null, row);
    return row;
  }

  /**
   * Replaces the document of a row, and returns the new row.
   *
   * @param {Row} row
   * @param {Document} fields
   */
  replace(row, fields) {
    const { _id, _creationTime } = row.document;
    const after = new Row({ ...fields, _id, _creationTime });
    this.#data.write(this.#table(tableOf(_id)), row, after);
    return after;
  }

  /** @param {Row} row */
  remove(row) {
    this.#data.write(this.#table(tableOf(row.id)), row, null);
  }
}

/** Returns a changed document; nothing if a transaction added and deleted it. */
function writtenOf({ table: { component, name }, before, after }) {
  if (!before && !after) return [];
  const versions = { before: before?.document ?? null, after: after?.document ?? null };
  return [{ component, table: name, ...versions }];
}

/** Returns the key of a component's table among all tables; the app's tables have their names as keys. */
function tableKey(component, name) {
  return component === "" ? name : `${component}/${name}`;
}

export function inNanoseconds(milliseconds) {
  return BigInt(Math.floor(milliseconds)) * NANOSECONDS;
}

/** Returns a value in Convex's JSON, with the time of its commit instead of all placeholders for it. */
export function withCommitTime(json, time) {
  return replacePlaceholders(json, (value) => "$commitTs" in Object(value), convexToJson(time));
}

const isCommitTime = (value) => value instanceof CommitTsPlaceholder;

/** Returns true if a value has a placeholder for the time of its commit. */
function isPending(value) {
  if (isCommitTime(value)) return true;
  if (value === null || typeof value !== "object" || value instanceof ArrayBuffer) return false;
  return Object.values(value).some(isPending);
}

/** Returns a value, or JSON, with `replacement` instead of all parts that are placeholders. */
function replacePlaceholders(value, isPlaceholder, replacement) {
  if (isPlaceholder(value)) return replacement;
  if (value === null || typeof value !== "object" || value instanceof ArrayBuffer) return value;
  const replaced = (part) => replacePlaceholders(part, isPlaceholder, replacement);
  if (Array.isArray(value)) return value.map(replaced);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part)]));
}
