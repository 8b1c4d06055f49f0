// Ids of documents: a number and the name of the table, padded to the 32 characters of a real id.

const LENGTH = 32;
const SHORTEST = 31;
const LONGEST = 37;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ID = /^\d+([A-Za-z_]\w*)$/;

/** Returns the id of the document with this number in a table. */
export function idOf(table, number) {
  return String(number).padStart(LENGTH - table.length, "0") + table;
}

/** Returns the table of an id; null if the text is no id. */
export function tableOf(id) {
  return ID.exec(id)?.[1] ?? null;
}

/**
 * Returns the table of an id that a function passed to a method of the database.
 *
 * @param {unknown} id
 * @param {string} method its name in the real backend's message, such as `db.get`
 * @param {string} argument its name in the same message
 * @throws if the value is no id, in the words of crates/value/src/id_v6.rs
 */
export function decodeId(id, method, argument = "id") {
  const table = typeof id === "string" ? tableOf(id) : null;
  if (table !== null) return table;
  const text = String(id);
  const fits = text.length >= SHORTEST && text.length <= LONGEST;
  const why = fits ? "ID wasn't valid base32" : `Invalid ID length ${text.length}`;
  throw new Error(
    `Invalid argument \`${argument}\` for \`${method}\`: Unable to decode ID: ${why}`,
  );
}

/** Throws if a value is no id of a file: neither an id nor a UUID (the ids of files in old versions). */
export function checkFileId(id, method) {
  if (!UUID.test(String(id))) decodeId(id, method, "storageId");
}
