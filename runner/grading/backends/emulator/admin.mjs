// The system functions that a deployment's dashboard and command line call: at the real backend's
// paths, with its arguments and its answers.

import { ConvexError, convexToJson } from "convex/values";

import { storedPath } from "./crons.mjs";
import { FunctionError } from "./errors.mjs";
import { tableOf } from "./ids.mjs";
import { Usage } from "./limits.mjs";
import { EVERYTHING } from "./ordered_index.mjs";
import { readPage } from "./pages.mjs";

const ROOT = "_system/";
const KINDS = { query: "Query", mutation: "Mutation", action: "Action" };
const MOST_DOCUMENTS = 4096;
const MOST_CLEARED = 4000;

export function isSystem(path) {
  return path.startsWith(ROOT);
}

/**
 * Calls a system function; arguments and result are in Convex's JSON.
 *
 * @param {string} path
 * @param {any} args
 * @param {import("./deployment.mjs").Deployment} deployment
 */
export async function callSystem(path, args, deployment) {
  const name = path
    .slice(ROOT.length)
    .replace(/\.js(:|$)/, "$1")
    .replace(/:default$/, "");
  const [kind, call] = FUNCTIONS[name] ?? [];
  if (!call) {
    throw new FunctionError(
      `Could not find public function for '${path}': the embedded backend has no such system function.`,
    );
  }
  return deployment.executor.transact(kind, () => call(args, deployment));
}

const FUNCTIONS = {
  "cli/tables": ["query", listTables],
  "cli/tableData": ["query", readTable],
  "cli/modules:apiSpec": ["query", (_args, { project }) => apiSpec(project)],
  "cli/convexUrl:cloudUrl": ["query", (_args, { origin }) => origin],
  "cli/convexUrl:siteUrl": ["query", (_args, { siteOrigin }) => siteOrigin],
  "frontend/addDocument": ["mutation", addDocuments],
  "frontend/deleteDocuments": ["mutation", deleteDocuments],
  "frontend/getById": ["query", getById],
  "frontend/listTableScan": ["query", scanTable],
  "frontend/clearTablePage": ["mutation", clearTablePage],
  "frontend/tableSize": ["query", ({ tableName }, { database }) => database.rows(tableName).size],
  "frontend/getSchemas": ["query", (_args, { project }) => schemas(project)],
  "frontend/listCronJobs": ["query", (_args, { project }) => project.crons.map(cronJob)],
  "frontend/paginatedScheduledJobs": [
    "query",
    (args, parts) => readTable({ ...args, table: "_scheduled_functions", order: "asc" }, parts),
  ],
  "frontend/fileStorageV2:fileMetadata": ["query", listFiles],
  "frontend/fileStorageV2:getFile": ["query", getFile],
  "frontend/fileStorageV2:deleteFile": [
    "mutation",
    ({ storageId }, parts) => deleteFile(storageId, parts),
  ],
  "frontend/fileStorageV2:generateUploadUrl": [
    "mutation",
    (_args, { storage }) => storage.uploadUrl(),
  ],
};

async function listTables({ paginationOpts: _ }, { project, database }) {
  const names = new Set(project.schema?.tables.keys() ?? []);
  for (const table of database.tables()) names.add(table);
  return { page: [...names].sort().map((name) => ({ name })), isDone: true, continueCursor: "" };
}

async function readTable({ table, order = "desc", paginationOpts }, { database, project }) {
  const source = { type: "FullTableScan", tableName: table, order };
  const { numItems: pageSize, cursor } = paginationOpts;
  const asked = { query: { source, operators: [] }, pageSize, cursor };
  const { page, ...rest } = readPage(asked, database, project, new Usage());
  return { page: page.map((json) => JSON.parse(json)), ...rest };
}

async function addDocuments({ table, documents }, { syscalls }) {
  if (documents.length > MOST_DOCUMENTS) {
    return { success: false, error: `Can’t import more than ${MOST_DOCUMENTS} documents at once.` };
  }
  const ids = [];
  for (const document of documents) {
    try {
      ids.push(syscalls.insert({ table, value: document })._id);
    } catch (error) {
      throw carrying(error.message);
    }
  }
  // The real backend does not say which: that saves a caller from reading them back.
  return { success: true, ids };
}

/** Makes an error as a ConvexError leaves a function: its data as text. */
function carrying(message) {
  const error = new ConvexError(message);
  error.data = JSON.stringify(message);
  return error;
}

async function deleteDocuments({ toDelete }, { syscalls }) {
  if (toDelete.length > MOST_DOCUMENTS) {
    return { success: false, error: `You can't delete more than ${MOST_DOCUMENTS}.` };
  }
  for (const { id } of toDelete) syscalls.remove({ id });
  return { success: true };
}

async function scanTable({ table, limit }, { database }) {
  const rows = rowsOf(database, table, "desc", Math.min(limit, MOST_DOCUMENTS));
  return rows.map(({ json }) => JSON.parse(json));
}

/** Deletes the oldest documents of a table; the cursor is not needed, since they are gone. */
async function clearTablePage({ tableName }, { database, syscalls }) {
  const rows = rowsOf(database, tableName, "asc", MOST_CLEARED);
  for (const { id } of rows) syscalls.remove({ id });
  const hasMore = database.rows(tableName).size > 0;
  return { deleted: rows.length, hasMore, continueCursor: rows.at(-1)?.id ?? "" };
}

function rowsOf(database, table, order, most) {
  const index = database.index(table, "by_creation_time");
  return index.read(EVERYTHING, order, null, most).map(({ row }) => row);
}

async function getById({ id }, { database }) {
  const row = tableOf(id) === null ? null : database.get(id);
  return row && JSON.parse(row.json);
}

function apiSpec(project) {
  const functions = [...project.functions.values()].map((spec) => ({
    identifier: `${spec.module}.js:${spec.name}`,
    functionType: KINDS[spec.kind],
    visibility: { kind: spec.internal ? "internal" : "public" },
    args: spec.args,
    returns: spec.returns ?? { type: "any" },
  }));
  const routes = project.routes.map(({ path, method }) => ({
    functionType: "HttpAction",
    method,
    path,
  }));
  return [...functions, ...routes];
}

function schemas({ schema }) {
  if (!schema) return {};
  const { tables, ...rest } = JSON.parse(schema.text);
  return { active: JSON.stringify({ ...rest, tables: tables.map(withCreationTime) }) };
}

/** Returns a table with the field that the real backend adds to each index. */
function withCreationTime({ indexes, stagedDbIndexes, ...table }) {
  const complete = (index) => ({ ...index, fields: [...index.fields, "_creationTime"] });
  const staged = stagedDbIndexes && { stagedDbIndexes: stagedDbIndexes.map(complete) };
  return { ...table, indexes: indexes.map(complete), ...staged };
}

function cronJob({ identifier, path, args, schedule }) {
  const whole = ([name, value]) => [name, typeof value === "number" ? BigInt(value) : value];
  const udfArgs = new TextEncoder().encode(JSON.stringify([args])).buffer;
  const cronSchedule = Object.fromEntries(Object.entries(schedule).map(whole));
  const cronSpec = { udfPath: storedPath(path), udfArgs, cronSchedule };
  return convexToJson({ name: identifier, cronSpec, lastRun: null });
}

async function listFiles({ filters, paginationOpts }, parts) {
  const order = filters?.order ?? "desc";
  const found = await readTable({ table: "_storage", order, paginationOpts }, parts);
  const page = found.page.map((file) => ({ url: parts.storage.urlOf(file._id), ...file }));
  return { ...found, page };
}

async function getFile({ storageId }, { database, storage }) {
  const row = tableOf(storageId) === "_storage" ? database.get(storageId) : null;
  return row && { url: storage.urlOf(storageId), ...JSON.parse(row.json) };
}

async function deleteFile(storageId, { syscalls }) {
  await syscalls.storageDelete({ storageId });
  return null;
}
