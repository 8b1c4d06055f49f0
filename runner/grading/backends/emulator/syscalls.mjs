// What functions ask of the backend while they run ("syscalls"), on its way to the emulator:
// checked, counted and answered as the real backend does where the emulator differs.

import { convexToJson, jsonToConvex } from "convex/values";

import { callablePath, storedPath } from "./crons.mjs";
import { current } from "./execution.mjs";
import { passes } from "./filters.mjs";
import { tableOf } from "./ids.mjs";
import { checkSize } from "./limits.mjs";
import { checkCall } from "./operations.mjs";
import { mismatch } from "./validators.mjs";

/** @typedef {Record<string, import("convex/values").Value>} Fields of a document */

const FIVE_YEARS_S = 5 * 366 * 24 * 3600;

/** Answers what operations.mjs lets functions ask for: each of its methods takes and returns JSON. */
export class Answers {
  #project;
  #emulator;
  #storage;
  #clock;
  #executor;
  #outbound;

  /**
   * @param {{ project: import("./project.mjs").Project, emulator: import("./emulator.mjs").Emulator,
   *   storage: import("./storage.mjs").Storage, clock: import("./clock.mjs").Clock,
   *   executor: () => import("./executor.mjs").Executor, outbound: import("./outbound.mjs").Outbound }} parts
   */
  constructor({ project, emulator, storage, clock, executor, outbound }) {
    this.#project = project;
    this.#emulator = emulator;
    this.#storage = storage;
    this.#clock = clock;
    this.#executor = executor;
    this.#outbound = outbound;
  }

  /** Answers what the function under way asks for, as text. */
  async ask(op, args) {
    return JSON.stringify((await this[op](JSON.parse(args))) ?? null);
  }

  // --- Reading -----------------------------------------------------------------------------------

  async get({ table, id, ...rest }) {
    const usage = usageNow();
    usage.range();
    const document = await this.#emulator.ask("1.0/get", { table, id, ...rest });
    if (document !== null) usage.read(jsonToConvex(document));
    return document;
  }

  // Documents are filtered here, not in the emulator, so that each one looked at counts as read.
  // What opens a query does not wait for an answer: what is wrong is told with the first document.
  queryStream({ queryId, query, ...rest }) {
    const { streams } = current();
    try {
      usageNow().range();
      const { source, operators } = query;
      const opened = this.#emulator.askNow("1.0/queryStream", {
        query: { source, operators: [] },
        ...rest,
      });
      streams.set(queryId, {
        id: opened.queryId,
        operators: operators.map((operator) => ({ ...operator })),
      });
    } catch (error) {
      streams.set(queryId, { error: inRealWords(error) });
    }
  }

  async queryStreamNext({ queryId }) {
    const { id, operators, error } = current().streams.get(queryId);
    if (error) throw error;
    for (;;) {
      if (operators.some(({ limit }) => limit === 0)) return { value: null, done: true };
      const next = await this.#emulator.ask("1.0/queryStreamNext", { queryId: id });
      if (next.done) return next;
      const document = jsonToConvex(next.value);
      usageNow().read(document);
      if (letsThrough(operators, document)) return next;
    }
  }

  queryCleanup({ queryId }) {
    current().streams.delete(queryId);
  }

  async queryPage({ query, pageSize, cursor, endCursor, ...rest }) {
    const execution = current();
    if (execution.paginated) {
      throw new Error(
        "This query or mutation function ran multiple paginated queries. Convex only supports a " +
          "single paginated query in each function.",
      );
    }
    execution.paginated = true;
    if (pageSize === 0) throw new Error("Must request at least one document while paginating");
    usageNow().range();
    const operators = query.operators.map((operator) => ({ ...operator }));
    const page = [];
    let position = cursor;
    for (;;) {
      const asked = { source: query.source, operators: [] };
      const more = { query: asked, cursor: position, endCursor, pageSize: pageSize - page.length };
      const found = await this.#page({ ...rest, ...more });
      for (const json of found.page) {
        const document = jsonToConvex(json);
        usageNow().read(document);
        if (letsThrough(operators, document)) page.push(json);
      }
      position = found.continueCursor;
      const isFull = page.length >= pageSize || endCursor || found.pageStatus === "SplitRequired";
      if (found.isDone || isFull) return { ...found, page };
    }
  }

  // In a transaction of its own within this one: the emulator, too, wants one page of a function.
  async #page(asked) {
    try {
      return await this.#emulator.nested("query", () => this.#emulator.ask("1.0/queryPage", asked));
    } catch (error) {
      throw inRealWords(error);
    }
  }

  count(args) {
    usageNow().range();
    return this.#emulator.ask("1.0/count", args);
  }

  async "actions/vectorSearch"(args) {
    const { limit, vector, indexName } = args.query;
    this.#checkVector(indexName, vector, limit);
    return this.#executor().transact("query", async () => {
      try {
        return await this.#emulator.ask("1.0/actions/vectorSearch", args);
      } catch (error) {
        throw inRealWords(error);
      }
    });
  }

  #checkVector(name, vector, limit) {
    const [table, index] = name.split(".");
    const found = this.#project.schema?.tables
      .get(table)
      ?.vectorIndexes?.find(({ indexDescriptor }) => indexDescriptor === index);
    if (!found) throw new Error(`Index ${table}.${index} not found.`);
    if (vector.length !== found.dimensions) {
      throw new Error(
        `Vector index ${index} of table ${table} has ${found.dimensions} dimensions, but the query's ` +
          `vector has ${vector.length}.`,
      );
    }
    if (limit !== undefined && limit !== null && (limit < 1 || limit > 256)) {
      throw new Error(`Vector search limit must be between 1 and 256, got ${limit}.`);
    }
  }

  // --- Writing -----------------------------------------------------------------------------------

  async insert({ table, value }) {
    this.#checkTable(table);
    const document = documentOf(value);
    if (document._id !== undefined || document._creationTime !== undefined) {
      throw new Error(
        "Documents to be inserted cannot have the system fields `_id` and `_creationTime`.",
      );
    }
    this.#checkDocument(table, document);
    const { _id } = await this.#emulator.ask("1.0/insert", { table, value });
    this.#wrote(document);
    return { _id };
  }

  async shallowMerge({ table, id, value }) {
    const before = await this.#existing(table, id, "Update");
    const after = { ...before };
    for (const [name, field] of Object.entries(value)) {
      const isGone = field !== null && typeof field === "object" && "$undefined" in field;
      if (isGone) delete after[name];
      else after[name] = jsonToConvex(field);
    }
    this.#checkSystemFields(before, after);
    this.#checkDocument(tableOf(id), withoutSystemFields(after));
    await this.#emulator.ask("1.0/shallowMerge", { table, id, value });
    this.#wrote(after);
    return convexToJson(after);
  }

  async replace({ table, id, value }) {
    const before = await this.#existing(table, id, "Replace");
    const after = documentOf(value);
    this.#checkSystemFields(before, { ...before, ...after });
    this.#checkDocument(tableOf(id), withoutSystemFields(after));
    await this.#emulator.ask("1.0/replace", { table, id, value });
    this.#wrote(after);
    return convexToJson({ ...after, _id: before._id, _creationTime: before._creationTime });
  }

  async remove({ table, id }) {
    const before = await this.#existing(table, id, "Delete");
    await this.#emulator.ask("1.0/remove", { table, id });
    this.#wrote(null);
    return convexToJson(before);
  }

  async #existing(table, id, what) {
    this.#checkTable(table ?? tableOf(id) ?? "");
    const document = await this.#emulator.ask("1.0/get", { table, id });
    if (document === null) throw new Error(`${what} on nonexistent document ID ${id}`);
    const before = documentOf(document);
    usageNow().read(before);
    return before;
  }

  #checkTable(table) {
    if (table.startsWith("_")) throw new Error(`Cannot write to the system table "${table}".`);
  }

  #checkSystemFields(before, after) {
    for (const name of ["_id", "_creationTime"]) {
      if (after[name] === before[name]) continue;
      throw new Error(
        `Provided \`${name}\` field value "${after[name]}" does not match the document's ` +
          `"${before[name]}"`,
      );
    }
  }

  #checkDocument(table, document) {
    checkSize(document);
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

  #wrote(document) {
    const { transaction } = current();
    transaction.usage.write(document);
    transaction.wrote = true;
  }

  // --- Calling -----------------------------------------------------------------------------------

  runUdf({ udfType, args, transactionLimits, ...address }) {
    checkCall(current().kind, udfType);
    const kind = udfType === "snapshotQuery" ? "query" : udfType;
    const options = { udfType, transactionLimits };
    return this.#executor().callFromTransaction(kind, pathOf(address), args, options);
  }

  "actions/query"({ args, ...address }) {
    return this.#executor().callFromAction("query", pathOf(address), args);
  }

  "actions/mutation"({ args, ...address }) {
    return this.#executor().callFromAction("mutation", pathOf(address), args);
  }

  "actions/action"({ args, ...address }) {
    return this.#executor().callFromAction("action", pathOf(address), args);
  }

  createFunctionHandle(address) {
    return `function://;${pathOf(address)}`;
  }

  // --- Scheduling --------------------------------------------------------------------------------

  async schedule({ ts, args, ...address }) {
    const path = pathOf(address);
    const [module, name] = path.split(":");
    if (!this.#project.modules.has(module)) {
      throw new Error(`Attempted to schedule function at nonexistent path: ${module}.js`);
    }
    if (!this.#project.functions.has(path)) {
      throw new Error(
        `Attempted to schedule function, but no exported function ${name} found in the file: ` +
          `${module}.js. Did you forget to export it?`,
      );
    }
    if (Math.abs(ts - this.#clock.now / 1000) > FIVE_YEARS_S) {
      const when = ts > this.#clock.now / 1000 ? "future" : "past";
      throw new Error(`${ts} is more than 5 years in the ${when}`);
    }
    const { transaction } = current();
    transaction.usage.schedule(jsonToConvex(args));
    const job = { name: storedPath(path), scheduledTime: ts * 1000, state: { kind: "pending" } };
    const value = { .../** @type {object} */ (convexToJson(job)), args: [args] };
    const { _id } = await this.#emulator.ask("1.0/insert", {
      table: "_scheduled_functions",
      value,
    });
    transaction.scheduled.push({ id: _id, at: ts * 1000 });
    transaction.wrote = true;
    return _id;
  }

  async cancel_job({ id }) {
    const job = await this.#emulator.ask("1.0/get", { table: "_scheduled_functions", id });
    const isOpen = ["pending", "inProgress"].includes(job?.state.kind);
    if (!isOpen) return {};
    const value = { state: { kind: "canceled" }, completedTime: this.#clock.now };
    await this.#emulator.ask("1.0/shallowMerge", { table: "_scheduled_functions", id, value });
    current().transaction.wrote = true;
    return {};
  }

  "actions/schedule"(args) {
    return this.#executor().transact("mutation", () => this.schedule(args));
  }

  "actions/cancel_job"(args) {
    return this.#executor().transact("mutation", () => this.cancel_job(args));
  }

  // --- Files -------------------------------------------------------------------------------------

  storageGenerateUploadUrl() {
    return this.#storage.uploadUrl();
  }

  async storageGetUrl({ storageId }) {
    const file = await this.storageGetMetadata({ storageId });
    return file && this.#storage.urlOf(storageId);
  }

  async storageGetMetadata({ storageId }) {
    const file = await this.#reading(() =>
      this.#emulator.ask("1.0/get", { table: "_storage", id: storageId }),
    );
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
    await this.#writing(async () => {
      const file = await this.#emulator.ask("1.0/get", { table: "_storage", id: storageId });
      if (file === null) throw new Error(`storage id ${storageId} not found`);
      await this.#emulator.ask("1.0/remove", { table: "_storage", id: storageId });
      const { transaction } = current();
      transaction.removedFiles.push(storageId);
      transaction.wrote = true;
    });
    return {};
  }

  async storageStore({ blob, contentType }) {
    const bytes = Buffer.from(blob, "base64");
    return this.#storage.store(new Blob([bytes]), contentType);
  }

  async storageGet({ storageId }) {
    const file = await this.storageGetMetadata({ storageId });
    const bytes = file && this.#storage.bytesOf(storageId);
    return bytes ? { blob: bytes.toString("base64"), contentType: file.contentType } : null;
  }

  #reading(call) {
    return current().isTransaction ? call() : this.#executor().transact("query", call);
  }

  #writing(call) {
    return current().isTransaction ? call() : this.#executor().transact("mutation", call);
  }

  // --- The outside -------------------------------------------------------------------------------

  fetch(asked) {
    return this.#outbound.fetch(asked);
  }

  // --- About the call ----------------------------------------------------------------------------

  getUserIdentity() {
    return current().identity.user ?? null;
  }

  getFunctionMetadata() {
    return { name: callablePath(current().path), componentPath: "" };
  }

  getRequestMetadata() {
    const { requestId, jobId } = current();
    return { ip: null, userAgent: null, requestId, scheduledFunctionId: jobId, authToken: null };
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

/** Applies the filters and limits of a query to a document, in their order. */
function letsThrough(operators, document) {
  for (const operator of operators) {
    if (operator.filter !== undefined && !passes(operator.filter, document)) return false;
    if (operator.limit !== undefined) {
      if (operator.limit === 0) return false;
      operator.limit -= 1;
    }
  }
  return true;
}

/** @param {{ name?: string, functionHandle?: string, reference?: string }} address */
function pathOf({ name, functionHandle, reference }) {
  if (functionHandle !== undefined) return callablePath(functionHandle.split(";").at(-1));
  if (name !== undefined) return callablePath(name);
  throw new Error(`${reference}: components are not supported`);
}

/**
 * Reads a document from its JSON.
 *
 * @returns {Fields}
 */
function documentOf(json) {
  return /** @type {Fields} */ (jsonToConvex(json));
}

/** @param {Fields} document */
function withoutSystemFields({ _id, _creationTime, ...fields }) {
  return fields;
}

function inRealWords(error) {
  const missing = /^Cannot use (?:vector )?index "([^"]*)" for table "([^"]*)" because/.exec(
    error.message,
  );
  return missing ? new Error(`Index ${missing[2]}.${missing[1]} not found.`) : error;
}
