// The answers to requests of running functions ("syscalls"). Requests are checked, counted and answered as by
// the real backend.

import { jsonToConvex } from "convex/values";

import { handleOf } from "../project/components.mjs";
import { callablePath, storedPath } from "./crons.mjs";
import { current } from "./execution.mjs";
import { readOfDocument, readOfTable } from "./footprints.mjs";
import { checkTableName } from "../identifiers.mjs";
import { checkFileId, decodeId, tableOf } from "../ids.mjs";
import { WRONG_ARGUMENTS, parseJson } from "../json_text.mjs";
import { checkDocument, checkValue } from "./limits.mjs";
import { checkCall } from "./operations.mjs";
import { readPage } from "../data/query_pages.mjs";
import { checkNames, findIndex, sourceOf } from "../data/queries.mjs";
import { Stream } from "../data/streams.mjs";
import { isPlainObject, mismatch } from "../project/validators.mjs";
import { searchVectors } from "../data/vector_search.mjs";

/** @typedef {Record<string, import("convex/values").Value>} Fields of a document */

const FIVE_YEARS_S = 5 * 366 * 24 * 3600;
const SYSTEM_ONLY = "System tables can only be accessed with db.system.";
const USER_ONLY = "User tables cannot be accessed with db.system.";

/** An answer that is already a text with JSON. */
class Text {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** Answers the operations of operations.mjs: it has a method for each, whose argument is parsed JSON. */
export class Answers {
  #parts;

  /**
   * @param {{ components: import("../project/components.mjs").Components, database: import("../data/database.mjs").Database,
   *   storage: import("../data/storage.mjs").Storage, clock: import("../clock.mjs").Clock,
   *   executor: () => import("./executor.mjs").Executor, outbound: import("./outbound.mjs").Outbound }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** The code of the component whose function runs. */
  get #project() {
    return this.#parts.components.get(current().component).project;
  }

  /** Returns the function at an address, which depends on the component of the running function. */
  #target(address) {
    return this.#parts.components.resolve(address, current().component);
  }

  /**
   * Answers a request of the running function, as text.
   *
   * @param {string} op
   * @param {string} args
   * @param {[number, number][]} taken the ids of its queries, each with the number of rows newly taken
   */
  async ask(op, args, taken = []) {
    const execution = current();
    // Other requests wait until the function's present call in the same transaction has ended.
    while (execution.nested) await execution.nested;
    this.countTaken(taken);
    const answer = await this[op](parseJson(args, WRONG_ARGUMENTS));
    return answer instanceof Text ? answer.text : JSON.stringify(answer ?? null);
  }

  /** Counts the rows that the running function has taken from its queries. */
  countTaken(taken) {
    const { streams } = current();
    for (const [queryId, rows] of taken) streams.get(queryId)?.take(rows);
  }

  // --- Reading -----------------------------------------------------------------------------------

  get({ table, id, isSystem = false }) {
    const own = decodeId(id, "db.get");
    checkIsOf(table, own, "db.get");
    checkSystem(own, isSystem);
    const { usage, reads } = current().transaction;
    usage.range();
    reads.push(readOfDocument(own, id));
    const row = this.#parts.database.get(id);
    if (!row) return null;
    usage.read(1, row.size);
    return new Text(row.json);
  }

  /** Answers with the rows that the function will probably need next; see inside/streams.mjs. */
  queryStreamNext({ queryId, query }) {
    const { streams } = current();
    let stream = streams.get(queryId);
    if (!stream) {
      checkNames(query, "queryStream");
      usageNow().range();
      const source = sourceOf(query.source, this.#parts.database, this.#project);
      stream = new Stream(source, query.operators, current().transaction);
      streams.set(queryId, stream);
    }
    const { rows, done } = stream.next();
    return new Text([done ? "done" : "more", ...rows.map(({ json }) => json)].join("\n"));
  }

  queryCleanup({ queryId }) {
    current().streams.delete(queryId);
  }

  queryPage(asked) {
    const execution = current();
    checkNames(asked.query, "queryPage");
    // Mutations of components may paginate: @convex-dev/workpool reads its backlog in this way.
    if (execution.component !== "" && execution.kind === "query")
      throw new Error("paginate() is only supported in the app.");
    if (execution.paginated) {
      throw new Error(
        "This query or mutation function ran multiple paginated queries. Convex only supports a " +
          "single paginated query in each function.",
      );
    }
    execution.paginated = true;
    const { page, ...rest } = readPage(
      asked,
      this.#parts.database,
      this.#project,
      execution.transaction,
    );
    const text = JSON.stringify(rest);
    return new Text(`{"page":[${page.join(",")}],${text.slice(1)}`);
  }

  count({ table }) {
    usageNow().range();
    current().transaction.reads.push(readOfTable(table));
    return this.#parts.database.rows(table).size;
  }

  "actions/vectorSearch"({ query }) {
    const { table, index } = findIndex(this.#project, "vectorIndexes", query.indexName);
    return this.#parts.executor().transact("query", async () => {
      const rows = this.#parts.database.rows(table).values();
      return { results: searchVectors(query.indexName, index, query, rows) };
    });
  }

  // --- Writing -----------------------------------------------------------------------------------

  insert({ table, value }) {
    checkTableName(table, "db.insert");
    checkSystem(table, false);
    const document = documentOf(value, "db.insert");
    if (document._id !== undefined || document._creationTime !== undefined) {
      throw new Error(
        "Documents to be inserted cannot have the system fields `_id` and `_creationTime`.",
      );
    }
    this.#check(table, document);
    const row = this.#parts.database.insert(table, document);
    usageNow().write(row.size);
    return { _id: row.id };
  }

  shallowMerge({ table, id, value }) {
    const row = this.#existing(table, id, "Update", "db.patch");
    checkObject(value, "db.patch");
    const after = { ...row.document };
    for (const [name, field] of Object.entries(value)) {
      const isGone = field !== null && typeof field === "object" && "$undefined" in field;
      if (isGone) delete after[name];
      else after[name] = jsonToConvex(field);
    }
    return this.#replace(row, after);
  }

  replace({ table, id, value }) {
    return this.#replace(
      this.#existing(table, id, "Replace", "db.replace"),
      documentOf(value, "db.replace"),
    );
  }

  remove({ table, id }) {
    const row = this.#existing(table, id, "Delete", "db.delete");
    this.#parts.database.remove(row);
    usageNow().write(0);
    return new Text(row.json);
  }

  #replace(row, after) {
    for (const name of ["_id", "_creationTime"]) checkSystemField(name, row.document, after);
    const { _id, _creationTime, ...fields } = after;
    this.#check(tableOf(row.id), fields);
    const replaced = this.#parts.database.replace(row, fields);
    usageNow().write(replaced.size);
    return new Text(replaced.json);
  }

  #existing(table, id, what, method) {
    const own = decodeId(id, method);
    checkIsOf(table, own, method);
    checkSystem(own, false);
    current().transaction.reads.push(readOfDocument(own, id));
    const row = this.#parts.database.get(id);
    if (row === null) throw new Error(`${what} on nonexistent document ID ${id}`);
    usageNow().read(1, row.size);
    return row;
  }

  #check(table, document) {
    const reserved = Object.keys(document).find((name) => name.startsWith("_"));
    if (reserved !== undefined) {
      throw new Error(
        `Field '${reserved}' starts with an underscore, which is only allowed for system fields ` +
          "like '_id'",
      );
    }
    checkDocument(document);
    const { schema } = this.#project;
    const type = schema?.validated ? schema.tables.get(table)?.documentType : null;
    const problem = type && mismatch(type, document);
    if (problem) {
      throw new Error(
        `Failed to insert or update a document in table "${table}" because it does not match the ` +
          `schema: ${problem}`,
      );
    }
  }

  // --- Calling -----------------------------------------------------------------------------------

  async runUdf({ udfType, args, transactionLimits, ...address }) {
    const execution = current();
    checkCall(execution.kind, udfType);
    const kind = udfType === "snapshotQuery" ? "query" : udfType;
    const options = { udfType, transactionLimits };
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve } = Promise.withResolvers();
    execution.nested = promise;
    try {
      const target = this.#target(address);
      return await this.#parts.executor().callFromTransaction(kind, target, args, options);
    } finally {
      execution.nested = null;
      resolve();
    }
  }

  "actions/query"({ args, ...address }) {
    return this.#parts.executor().callFromAction("query", this.#target(address), args);
  }

  "actions/mutation"({ args, ...address }) {
    return this.#parts.executor().callFromAction("mutation", this.#target(address), args);
  }

  "actions/action"({ args, ...address }) {
    return this.#parts.executor().callFromAction("action", this.#target(address), args);
  }

  createFunctionHandle(address) {
    return handleOf(this.#target(address));
  }

  // --- Scheduling --------------------------------------------------------------------------------

  async schedule({ ts, args, ...address }) {
    // Only the beginning of the real backend's message is known.
    if (typeof ts !== "number")
      throw new Error(`Invalid arguments for \`schedule\`: no time: ${ts}`);
    const target = this.#target(address);
    const { path, component } = target;
    const [module, name] = path.split(":");
    const { project } = this.#parts.components.get(component);
    if (!project.modules.has(module)) {
      throw new Error(`Attempted to schedule function at nonexistent path: ${module}.js`);
    }
    if (!project.functions.has(path)) {
      throw new Error(
        `Attempted to schedule function, but no exported function ${name} found in the file: ` +
          `${module}.js. Did you forget to export it?`,
      );
    }
    if (Math.abs(ts - this.#parts.clock.now / 1000) > FIVE_YEARS_S) {
      const when = ts > this.#parts.clock.now / 1000 ? "future" : "past";
      throw new Error(`${ts} is more than 5 years in the ${when}`);
    }
    const { transaction, component: own, job: parent } = current();
    const passed = jsonToConvex(args);
    checkValue(passed);
    transaction.usage.schedule(passed);
    const job = { name: storedPath(path), args: [passed] };
    const { database, clock } = this.#parts;
    // What a canceled job schedules while it still runs never runs.
    if (parent && database.get(parent.id, parent.component)?.document.state.kind === "canceled") {
      const now = clock.now;
      const canceled = { scheduledTime: now, completedTime: now, state: { kind: "canceled" } };
      return database.insert("_scheduled_functions", { ...job, ...canceled }).id;
    }
    const pending = { scheduledTime: ts * 1000, state: { kind: "pending" } };
    const { id } = database.insert("_scheduled_functions", { ...job, ...pending });
    transaction.scheduled.push({ id, at: ts * 1000, component: own, target });
    return id;
  }

  cancel_job({ id }) {
    // The message is ours: the real backend fails when it reads the document as a job.
    if (decodeId(id, "db.cancel_job") !== "_scheduled_functions")
      throw new Error(
        `Invalid argument \`id\` for \`db.cancel_job\`: ${id} is no scheduled function`,
      );
    current().transaction.reads.push(readOfDocument("_scheduled_functions", id));
    const row = this.#parts.database.get(id);
    const isOpen = ["pending", "inProgress"].includes(row?.document.state.kind);
    if (!row || !isOpen) return {};
    const change = { state: { kind: "canceled" }, completedTime: this.#parts.clock.now };
    this.#parts.database.replace(row, { ...row.document, ...change });
    return {};
  }

  "actions/schedule"(args) {
    return this.#parts.executor().transact("mutation", async () => this.schedule(args));
  }

  "actions/cancel_job"(args) {
    return this.#parts.executor().transact("mutation", async () => this.cancel_job(args));
  }

  // --- Files -------------------------------------------------------------------------------------

  storageGenerateUploadUrl() {
    return this.#parts.storage.uploadUrl();
  }

  async storageGetUrl({ storageId }) {
    checkFileId(storageId, "storage.getUrl");
    const file = await this.#metadataOf(storageId);
    return file && this.#parts.storage.urlOf(storageId);
  }

  storageGetMetadata({ storageId }) {
    checkFileId(storageId, "storage.getMetadata");
    return this.#metadataOf(storageId);
  }

  async #metadataOf(storageId) {
    const file = await this.#within("query", async () => this.#fileOf(storageId)?.document ?? null);
    return (
      file && {
        storageId,
        sha256: file.sha256,
        size: file.size,
        contentType: file.contentType ?? null,
      }
    );
  }

  async storageDelete({ storageId }) {
    checkFileId(storageId, "storage.delete");
    await this.#within("mutation", async () => {
      const file = this.#fileOf(storageId);
      if (file === null) throw new Error(`storage id ${storageId} not found`);
      this.#parts.database.remove(file);
      current().transaction.removedFiles.push(storageId);
    });
    return {};
  }

  async storageStore({ blob, contentType, sha256 = null }) {
    const bytes = Buffer.from(blob, "base64");
    return this.#parts.storage.store(new Blob([bytes]), contentType, sha256);
  }

  async storageGet({ storageId }) {
    checkFileId(storageId, "storage.get");
    const file = await this.#metadataOf(storageId);
    const bytes = file && this.#parts.storage.bytesOf(storageId);
    return bytes ? { blob: bytes.toString("base64"), contentType: file.contentType } : null;
  }

  #fileOf(id) {
    current().transaction.reads.push(readOfDocument("_storage", id));
    return tableOf(id) === "_storage" ? this.#parts.database.get(id) : null;
  }

  /** Runs `call` in the transaction of the running function, or in one of its own for an action. */
  #within(kind, call) {
    return current().isTransaction ? call() : this.#parts.executor().transact(kind, call);
  }

  // --- The outside -------------------------------------------------------------------------------

  fetch(asked) {
    return this.#parts.outbound.fetch(asked);
  }

  // --- About the call ----------------------------------------------------------------------------

  getUserIdentity() {
    const { component, identity } = current();
    return component === "" ? (identity.user ?? null) : null;
  }

  getFunctionMetadata() {
    const { path, component } = current();
    return { name: callablePath(path), componentPath: component };
  }

  getRequestMetadata() {
    const { requestId, job } = current();
    const scheduledFunctionId = job?.id ?? null;
    return { ip: null, userAgent: null, requestId, scheduledFunctionId, authToken: null };
  }

  getTransactionMetrics() {
    return usageNow().metrics();
  }

  getDeploymentMetadata() {
    return { name: "embedded", region: null, class: "s16" };
  }

  auditLog() {
    return null;
  }
}

function usageNow() {
  return current().transaction.usage;
}

/**
 * Throws if an id is not of the table that is named with it, in the words of
 * crates/isolate/src/environment/helpers/mod.rs.
 */
function checkIsOf(table, own, method) {
  if (table === undefined || table === null || table === own) return;
  throw new Error(
    `Invalid argument \`id\` for \`${method}\`: expected to be an Id<"${table}">, got Id<"${own}"> instead.`,
  );
}

function checkSystem(table, isSystem) {
  if (table.startsWith("_") === isSystem) return;
  throw new Error(isSystem ? USER_ONLY : SYSTEM_ONLY);
}

function checkSystemField(name, before, after) {
  if (after[name] === undefined || after[name] === before[name]) return;
  throw new Error(
    `Provided \`${name}\` field value "${after[name]}" does not match the document's ` +
      `"${before[name]}"`,
  );
}

/**
 * Reads a document from its JSON.
 *
 * @returns {Fields}
 */
function documentOf(json, method) {
  const value = jsonToConvex(json);
  checkObject(value, method);
  return /** @type {Fields} */ (value);
}

function checkObject(value, method) {
  if (!isPlainObject(value))
    throw new Error(`Invalid argument \`value\` for \`${method}\`: Value must be an Object`);
}
