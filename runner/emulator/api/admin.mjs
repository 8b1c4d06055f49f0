// The system functions that Convex's dashboard and command line call. Paths, arguments and answers are
// those of the real backend.

import { version } from "convex";
import { convexToJson } from "convex/values";

import { FunctionError } from "../errors.mjs";
import { inNanoseconds } from "../data/database.mjs";
import { tableOf } from "../ids.mjs";
import * as documents from "./system_documents.mjs";
import { apiSpec, listAllModules, listCrons, listModules } from "./system_modules.mjs";
import { readFilteredTable } from "./table_pages.mjs";

const ROOT = "_system/";
const FIRST_TABLE = 10_001;
const FILES = { tableName: "_storage" };

export function isSystem(path) {
  return path.startsWith(ROOT);
}

/**
 * Calls a system function; arguments and result are in Convex's JSON.
 *
 * @param {string} path
 * @param {any} args their `componentId`, if there is one, names a component
 * @param {import("../deployment.mjs").Deployment} deployment
 * @param {string} asked the path of the component if the arguments name none
 */
export async function callSystem(path, args, deployment, asked) {
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
  const { components } = deployment;
  const component = componentOf(args, components) ?? asked;
  const parts = { ...deployment, project: components.get(component).project };
  return deployment.executor.transact(kind, () => call(args, parts), component);
}

/** Returns the path of the component that the arguments name; undefined if they name none. */
function componentOf({ componentId }, components) {
  if (componentId === undefined || componentId === null) return undefined;
  const path = components.pathOf(componentId);
  if (path === undefined) throw new FunctionError(`Component "${componentId}" not found`);
  return path;
}

const cloudUrl = (_args, { origin }) => origin;
const siteUrl = (_args, { siteOrigin }) => siteOrigin;

/**
 * The system functions by name, each with its kind. They get their arguments, and the parts of the
 * deployment with the code of a component.
 */
const FUNCTIONS = {
  "cli/tables": ["query", listTables],
  "cli/tableData": ["query", documents.readTable],
  "cli/tableSize": ["query", tableSize],
  "cli/queryTable": ["query", () => Math.random()],
  "cli/modules:apiSpec": ["query", apiSpec],
  "cli/convexUrl:cloudUrl": ["query", cloudUrl],
  "cli/convexUrl:siteUrl": ["query", siteUrl],
  "cli/queryEnvironmentVariables": ["query", listVariables],
  "cli/queryEnvironmentVariables:get": ["query", getVariable],
  "cli/exports:getLatest": ["query", () => null],
  "cli/queryImport:list": ["query", () => []],
  "frontend/addDocument": ["mutation", documents.addDocuments],
  "frontend/deleteDocuments": ["mutation", documents.deleteDocuments],
  "frontend/patchDocumentsFields": ["mutation", documents.patchDocuments],
  "frontend/replaceDocument": ["mutation", documents.replaceDocument],
  "frontend/createTable": ["mutation", documents.createTable],
  "frontend/getById": ["query", documents.getById],
  "frontend/listById": ["query", documents.listById],
  "frontend/listTableScan": ["query", documents.scanTable],
  "frontend/clearTablePage": ["mutation", documents.clearTablePage],
  "frontend/paginatedTableDocuments": ["query", readFilteredTable],
  "frontend/tableSize": ["query", tableSize],
  "frontend/tableSize:sizeOfAllTables": ["query", sizeOfAllTables],
  "frontend/getTableMapping": ["query", numberedTables],
  "frontend/getVersion": ["query", () => version],
  "frontend/getSchemas": ["query", schemas],
  "frontend/indexes": ["query", listIndexes],
  "frontend/components:list": ["query", (_args, { components }) => components.list()],
  "frontend/modules:list": ["query", listModules],
  "frontend/modules:listForAllComponents": ["query", listAllModules],
  "frontend/snapshotImport:list": ["query", () => []],
  "frontend/convexCloudUrl": ["query", cloudUrl],
  "frontend/convexSiteUrl": ["query", siteUrl],
  "frontend/listEnvironmentVariables": ["query", listVariables],
  "frontend/listCronJobs": ["query", listCrons],
  "frontend/paginatedScheduledJobs": ["query", listJobs],
  "frontend/scheduler:nextScheduledJobTimestamp": ["query", nextJob],
  "frontend/fileStorageV2:fileMetadata": ["query", listFiles],
  "frontend/fileStorageV2:numFiles": ["query", (_args, parts) => tableSize(FILES, parts)],
  "frontend/fileStorageV2:getFile": ["query", getFile],
  "frontend/fileStorageV2:deleteFile": ["mutation", deleteFiles],
  "frontend/fileStorageV2:deleteFiles": ["mutation", deleteFiles],
  "frontend/fileStorageV2:generateUploadUrl": [
    "mutation",
    (_args, { storage }) => storage.uploadUrl(),
  ],
};

function tableSize({ tableName }, { database }) {
  return database.rows(tableName).size;
}

/** Returns the variables, sorted by name; on the real backend they are documents. */
function listVariables(_args, { ownEnv }) {
  const variables = Object.entries(ownEnv).map(([name, value]) => ({ name, value }));
  return variables.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function getVariable({ name }, deployment) {
  return listVariables({}, deployment).find((variable) => variable.name === name) ?? null;
}

function listJobs({ paginationOpts }, parts) {
  const table = "_scheduled_functions";
  return documents.readTable({ paginationOpts, table, order: "asc" }, parts);
}

/** Returns the time of the next scheduled function in nanoseconds; null if there is none. */
function nextJob(_args, { database }) {
  const jobs = [...database.rows("_scheduled_functions").values()].map(({ document }) => document);
  const pending = jobs.filter(({ state }) => state.kind === "pending");
  if (pending.length === 0) return null;
  const next = Math.min(...pending.map(({ scheduledTime }) => scheduledTime));
  return convexToJson(inNanoseconds(next));
}

/** Returns the indexes of a table in the schema; all of them are complete. */
function listIndexes({ tableName }, { project }) {
  const table = project.schema?.tables.get(tableName);
  if (!table) return [];
  const shown = (index, staged, fields) => {
    return { name: index.indexDescriptor, staged, fields, backfill: { state: "done" } };
  };
  const database = (index) => [...index.fields, "_creationTime"];
  const search = ({ searchField, filterFields }) => ({ searchField, filterFields });
  const vector = ({ vectorField, filterFields, dimensions }) => {
    return { vectorField, filterFields, dimensions };
  };
  const of = (list, staged, fields) =>
    (list ?? []).map((index) => shown(index, staged, fields(index)));
  return [
    ...of(table.indexes, false, database),
    ...of(table.stagedDbIndexes, true, database),
    ...of(table.searchIndexes, false, search),
    ...of(table.stagedSearchIndexes, true, search),
    ...of(table.vectorIndexes, false, vector),
    ...of(table.stagedVectorIndexes, true, vector),
  ];
}

/** Returns the names of all tables in the schema or with documents, sorted. */
function tableNames({ project, database }) {
  return [...new Set([...(project.schema?.tables.keys() ?? []), ...database.tables()])].sort();
}

function listTables(_args, parts) {
  const page = tableNames(parts).map((name) => ({ name }));
  return { page, isDone: true, continueCursor: "end" };
}

function sizeOfAllTables(_args, parts) {
  const sizes = tableNames(parts).map((tableName) => tableSize({ tableName }, parts));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the names of tables by numbers like those of the real backend; our ids do not have them. */
function numberedTables(_args, parts) {
  const entries = tableNames(parts).map((name, place) => [FIRST_TABLE + place, name]);
  return Object.fromEntries(entries);
}

function schemas(_args, { project: { schema } }) {
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

async function listFiles({ filters, paginationOpts }, parts) {
  const { order = "desc", minCreationTime, maxCreationTime } = filters ?? {};
  const bounds = { from: minCreationTime, to: maxCreationTime };
  const asked = { table: "_storage", order, paginationOpts, bounds };
  const found = await documents.readTable(asked, parts);
  const page = found.page.map((file) => ({ url: parts.storage.urlOf(file._id), ...file }));
  return { ...found, page };
}

async function getFile({ storageId }, { database, storage }) {
  const row = tableOf(storageId) === "_storage" ? database.get(storageId) : null;
  return row && { url: storage.urlOf(storageId), ...JSON.parse(row.json) };
}

async function deleteFiles({ storageId: only, storageIds = [only] }, { syscalls }) {
  for (const storageId of storageIds) await syscalls.storageDelete({ storageId });
  return null;
}
