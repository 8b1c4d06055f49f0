// Pages of a table with the filters of the dashboard, as in npm-packages/system-udfs/convex/_system/
// frontend/paginatedTableDocuments.ts and lib/filters.ts of the real backend.

import { jsonToConvex } from "convex/values";

import { tableOf } from "../ids.mjs";
import { newTransaction } from "../functions/limits.mjs";
import { readPage } from "../data/query_pages.mjs";
import { isPlainObject } from "../project/validators.mjs";
import { UNDEFINED } from "./system_documents.mjs";

const COMPARISONS = new Set(["eq", "neq", "gt", "gte", "lt", "lte"]);
const LISTS = new Set(["anyOf", "noneOf"]);
const TYPES = new Set(["type", "notype"]);
const CREATION = { indexDescriptor: "by_creation_time", fields: [] };
const BOUNDS = { gt: "Gt", gte: "Gte", lt: "Lt", lte: "Lte" };

/**
 * Filters of the dashboard. `enabled` is missing in filters of older versions; `search` is missing if the
 * index is not searched for a text.
 *
 * @typedef {{ op: string, field: string, value: any, enabled?: boolean }} Clause
 * @typedef {{ type: string, enabled: boolean, field?: string, value?: any, lowerOp?: string, lowerValue?: any,
 *   upperOp?: string, upperValue?: any }} IndexClause
 * @typedef {{ clauses?: Clause[], order?: "asc" | "desc",
 *   index?: { name: string, search: string | undefined, clauses: IndexClause[] } }} Filters
 */

/**
 * Reads a page of the documents that pass the filters; if filters are wrong, a page of their problems.
 *
 * @param {{ paginationOpts: { numItems: number, cursor: string | null }, table: string,
 *   filters?: string | null }} args filters are JSON in base64
 * @param {{ database: import("../data/database.mjs").Database, project: import("../project/project.mjs").Project }} parts
 */
export async function readFilteredTable({ paginationOpts, table, filters }, { database, project }) {
  /** @type {Filters} */
  const { clauses = [], order = "desc", index } = filters ? decodeFilters(filters) : {};
  const wrong = clauses.flatMap(problemsOf);
  if (wrong.length > 0) return onePage(wrong);
  if (index) {
    const wrongIndex = problemOfIndex(index, order, table, project);
    if (wrongIndex) return onePage([wrongIndex]);
  }
  const used = clauses.filter(({ enabled, field }) => enabled !== false && field !== undefined);
  const comparing = used.filter(({ op }) => !TYPES.has(op));
  const [first] = comparing;
  if (comparing.length === 1 && first.field === "_id" && first.op === "eq" && !narrows(index))
    return onePage(byId(first.value, table, database));
  const source = sourceOf(table, order, index, project);
  const operators = comparing.length > 0 ? [{ filter: { $and: comparing.map(filterOf) } }] : [];
  const { numItems: pageSize, cursor } = paginationOpts;
  const asked = { query: { source, operators }, pageSize, cursor };
  const { page, ...rest } = readPage(asked, database, project, newTransaction());
  const typed = used.filter(({ op }) => TYPES.has(op));
  const documents = page.map((json) => JSON.parse(json));
  return {
    page: documents.filter((document) => typed.every((one) => hasType(one, document))),
    ...rest,
  };
}

/** @returns {Filters} */
function decodeFilters(filters) {
  const asked = JSON.parse(Buffer.from(filters, "base64").toString());
  for (const { op } of asked.clauses ?? []) {
    const isKnown = COMPARISONS.has(op) || LISTS.has(op) || TYPES.has(op);
    // The message is ours; on the real backend a library checks the filters.
    if (!isKnown) throw new Error(`Unknown filter of a table: ${op}`);
  }
  return asked;
}

function onePage(page) {
  return { page, isDone: true, continueCursor: "" };
}

function problemsOf({ value }, place) {
  if (!value) return [];
  try {
    jsonToConvex(value);
    return [];
  } catch {
    return [{ filter: place, error: `Invalid value: ${JSON.stringify(value)}.` }];
  }
}

/** Returns true if an index has a range or a search that selects documents. */
function narrows(index) {
  return index !== undefined && ("search" in index || index.clauses.some(({ enabled }) => enabled));
}

function byId(id, table, database) {
  const row = typeof id === "string" && tableOf(id) === table ? database.get(id) : null;
  return row ? [JSON.parse(row.json)] : [];
}

// --- Indexes -------------------------------------------------------------------------------------

/** Returns the definition of a table's index; undefined if there is none. */
function indexOf(name, table, project) {
  const { indexes = [], searchIndexes = [] } = project.schema?.tables.get(table) ?? {};
  return [...indexes, ...searchIndexes, CREATION].find((index) => index.indexDescriptor === name);
}

const problem = (error, filter = -1) => ({ filter, error });

/** Returns the problem of an index in filters, in the dashboard's form; null if there is none. */
function problemOfIndex({ name, search, clauses }, order, table, project) {
  const index = indexOf(name, table, project);
  if (!index) return problem(`Index ${name} does not exist.`);
  if (search !== undefined) return problemOfSearch(name, index, clauses, order);
  const fields = [...(index.fields ?? []), "_creationTime"];
  if (clauses.length > fields.length) {
    return problem(
      `Index ${name} has ${fields.length} fields, but the query has ${clauses.length} clauses.`,
    );
  }
  const off = clauses.findIndex(({ enabled }) => !enabled);
  if (off >= 0 && clauses.slice(off).some(({ enabled }) => enabled)) {
    return problem(
      "Invalid index filter selection: found an enabled clause after an disabled clause.",
    );
  }
  const used = off < 0 ? clauses : clauses.slice(0, off);
  if (used.slice(0, -1).some(({ type }) => type === "indexRange")) {
    return problem(
      "Invalid index filter selection: found a range filter after a non-range filter.",
    );
  }
  return null;
}

function problemOfSearch(name, index, clauses, order) {
  if (index.searchField === undefined) {
    return problem(
      `Index ${name} is not a search index, but the query is trying to use it as search index.`,
    );
  }
  if (order !== "asc")
    return problem(`Trying to query search index \`${name}\` in descending order.`);
  const other = clauses.findIndex(
    ({ enabled, field }) => enabled && !index.filterFields.includes(field),
  );
  if (other < 0) return null;
  return problem(
    `Invalid index filter selection: found a filter for field \`${clauses[other].field}\` which is not ` +
      "part of the filter fields",
    other,
  );
}

/** Returns the source of a query in the form that Convex's library sends. */
function sourceOf(table, order, index, project) {
  if (!index) return { type: "FullTableScan", tableName: table, order };
  const indexName = `${table}.${index.name}`;
  const definition = indexOf(index.name, table, project);
  const used = index.clauses.filter(({ enabled }) => enabled);
  if (index.search !== undefined) {
    const equal = used.map(({ field, value }) => comparison("Eq", field, value));
    const search = { type: "Search", fieldPath: definition.searchField, value: index.search };
    return { type: "Search", indexName, filters: [search, ...equal] };
  }
  const fields = [...definition.fields, "_creationTime"];
  const range = used.flatMap((clause, place) => boundsOf(clause, fields[place]));
  return { type: "IndexRange", indexName, range, order };
}

function boundsOf({ type, value, lowerOp, lowerValue, upperOp, upperValue }, field) {
  if (type === "indexEq") return [comparison("Eq", field, value)];
  return [
    ...(lowerOp ? [comparison(BOUNDS[lowerOp], field, lowerValue)] : []),
    ...(upperOp ? [comparison(BOUNDS[upperOp], field, upperValue)] : []),
  ];
}

function comparison(type, fieldPath, value) {
  return { type, fieldPath, value: literal(value) };
}

// --- Filters -------------------------------------------------------------------------------------

/** Returns a filter in the JSON form of a query's filter. */
function filterOf({ op, field, value }) {
  const compared = (operator, other) => ({
    [operator]: [{ $field: field }, { $literal: literal(other) }],
  });
  if (op === "anyOf" && value.length > 0) return { $or: value.map((one) => compared("$eq", one)) };
  // Every document passes a list without values.
  if (LISTS.has(op)) return { $and: value.map((one) => compared("$neq", one)) };
  return compared(`$${op}`, value);
}

function literal(value) {
  return value === UNDEFINED || value === undefined ? { $undefined: null } : value;
}

/** Returns true if a field has the type that a filter demands, or not the type that it excludes. */
function hasType({ op, field, value: type }, document) {
  const json = document[field];
  const value = json === undefined ? undefined : jsonToConvex(json);
  return isType(value, type) === (op === "type");
}

function isType(value, type) {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "bytes":
      return value instanceof ArrayBuffer;
    case "id":
      return typeof value === "string" && tableOf(value) !== null;
    case "unset":
      return value === undefined;
    case "object":
      return isPlainObject(value);
    default:
      return typeof value === type;
  }
}
