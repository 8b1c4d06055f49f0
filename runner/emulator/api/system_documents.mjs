// The system functions that read and write documents, as npm-packages/system-udfs of the real backend.

import { ConvexError } from "convex/values";

import { tableOf } from "../ids.mjs";
import { newTransaction } from "../functions/limits.mjs";
import { EVERYTHING } from "../data/ordered_index.mjs";
import { readPage } from "../data/query_pages.mjs";

const MOST_DOCUMENTS = 4096;
const MOST_CLEARED = 4000;
/** The value that the dashboard sends for a field to remove, because Convex's values have no undefined. */
export const UNDEFINED =
  "__CONVEX_PLACEHOLDER_undefined_I23atX0jcndVbFgXoQZffsih7eAqktCyFjgUuAeNBtfr3ySOljPSPSEOPFgprkdBO3zXNiGEJxmJ5ZFPc5C5qKesG80QRPvlJe8vgSxAt9feLTwxTg4PHfVwUaTEJU67FDwldWmTxp1guMPwxQ2jOuhEryTBf3mQ";

/**
 * Reads a page of a table, in the order of creation.
 *
 * @param {{ table: string, order?: "asc" | "desc", bounds?: { from?: number, to?: number },
 *   paginationOpts: { numItems: number, cursor: string | null } }} args
 * @param {{ database: import("../data/database.mjs").Database, project: import("../project/project.mjs").Project }} parts
 */
export async function readTable(
  { table, order = "desc", paginationOpts, bounds = {} },
  { database, project },
) {
  const indexName = `${table}.by_creation_time`;
  const bound = (type, value) =>
    value === undefined ? [] : [{ type, fieldPath: "_creationTime", value }];
  const range = [...bound("Gte", bounds.from), ...bound("Lte", bounds.to)];
  const source = { type: "IndexRange", indexName, range, order };
  const { numItems: pageSize, cursor } = paginationOpts;
  const asked = { query: { source, operators: [] }, pageSize, cursor };
  const { page, ...rest } = readPage(asked, database, project, newTransaction());
  return { page: page.map((json) => JSON.parse(json)), ...rest };
}

export async function addDocuments({ table, documents }, { syscalls }) {
  if (documents.length > MOST_DOCUMENTS) {
    return { success: false, error: `Can’t import more than ${MOST_DOCUMENTS} documents at once.` };
  }
  const ids = [];
  for (const document of documents) {
    ids.push(withConvexError(() => syscalls.insert({ table, value: document }))._id);
  }
  // The real backend does not return the ids; with them a caller need not read the documents again.
  return { success: true, ids };
}

export async function deleteDocuments({ toDelete }, { syscalls }) {
  if (toDelete.length > MOST_DOCUMENTS) {
    return { success: false, error: `You can't delete more than ${MOST_DOCUMENTS}.` };
  }
  for (const { id } of toDelete) syscalls.remove({ id });
  return { success: true };
}

export async function scanTable({ table, limit }, { database }) {
  const rows = rowsOf(database, table, "desc", Math.min(limit, MOST_DOCUMENTS));
  return rows.map(({ json }) => JSON.parse(json));
}

/** Deletes the oldest documents of a table. Needs no cursor, because deleted documents are not read again. */
export async function clearTablePage({ tableName }, { database, syscalls }) {
  const rows = rowsOf(database, tableName, "asc", MOST_CLEARED);
  for (const { id } of rows) syscalls.remove({ id });
  const hasMore = database.rows(tableName).size > 0;
  return { deleted: rows.length, hasMore, continueCursor: rows.at(-1)?.id ?? "" };
}

function rowsOf(database, table, order, most) {
  const index = database.index(table, "by_creation_time");
  return index.read(EVERYTHING, order, null, most).map(({ row }) => row);
}

export async function getById({ id }, { database }) {
  const row = tableOf(id) === null ? null : database.get(id);
  return row && JSON.parse(row.json);
}

/** Returns the document of each id, null if the id is not of the table that is given with it. */
export async function listById({ ids }, parts) {
  return Promise.all(
    ids.map(({ id, tableName }) => (tableOf(id) === tableName ? getById({ id }, parts) : null)),
  );
}

/** Changes fields of some documents, or of all documents of a table. */
export async function patchDocuments({ table, fields, ids }, { database, syscalls }) {
  const value = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field === UNDEFINED ? { $undefined: null } : field,
    ]),
  );
  const chosen = ids ?? rowsOf(database, table, "asc", MOST_DOCUMENTS).map(({ id }) => id);
  for (const id of chosen) withConvexError(() => syscalls.shallowMerge({ id, value }));
  return { success: true };
}

export async function replaceDocument({ id, document }, { database, syscalls }) {
  if (database.get(id) === null) return { success: false, error: "Document does not exist." };
  withConvexError(() => syscalls.replace({ id, value: document }));
  return { success: true };
}

/** Makes a table by a document, which is removed again. */
export async function createTable({ table }, { syscalls }) {
  const { _id: id } = syscalls.insert({ table, value: {} });
  syscalls.remove({ id });
  return null;
}

/**
 * Returns the result of `call`; converts its error to a ConvexError with the same message, in the form in
 * which it leaves a function: its data is text.
 */
function withConvexError(call) {
  try {
    return call();
  } catch (error) {
    const { message } = error;
    throw Object.assign(new ConvexError(message), { data: JSON.stringify(message) });
  }
}
