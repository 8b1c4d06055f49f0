// The check of a schema with the messages of a real deploy: crates/common/src/schemas and
// bootstrap_model/index/index_validation_error.rs of the real backend.

import { DeployError } from "../errors.mjs";
import { whyNoIdentifier } from "../identifiers.mjs";
import { describe, whyNotDeclared } from "./validators.mjs";

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MOST_FIELDS = 16;
const MOST_INDEXES = 64;
const MOST_TABLES = 10_000;
const LEAST_DIMENSIONS = 2;
const MOST_DIMENSIONS = 4096;
const SEE_DOCUMENTATION =
  "To learn more, see the schema documentation at https://docs.convex.dev/database/schemas.";
const RESERVED = new Set(["by_id", "by_creation_time"]);

/**
 * Checks the default export of schema.ts.
 *
 * @param {{ text: string, error?: undefined, isForeign?: undefined }
 *   | { text?: undefined, error: { name: string, message: string }, isForeign?: undefined }
 *   | { text?: undefined, error?: undefined, isForeign: true } | null} exported the schema as text, the error of
 *   its evaluation, or isForeign if it is no schema; null if there is no default export
 * @returns {{ text: string, validated: boolean, tables: Map<string, object> }} the schema as a text with JSON,
 *   and the JSON of its tables by name
 */
export function checkSchema(exported) {
  if (exported === null) {
    throw new DeployError(`Schema file missing default export. ${SEE_DOCUMENTATION}`);
  }
  const { text, error, isForeign } = exported;
  if (isForeign) {
    throw new DeployError(
      `Default export from schema file isn't a Convex schema. ${SEE_DOCUMENTATION}`,
    );
  }
  if (error)
    throw new DeployError(`Failed to evaluate schema.js: Uncaught ${error.name}: ${error.message}`);
  const { tables, schemaValidation } = JSON.parse(text);
  if (tables.length > MOST_TABLES)
    throw new DeployError(`Number of tables cannot exceed ${MOST_TABLES}.`);
  for (const table of tables) checkTable(table, schemaValidation);
  return {
    text,
    validated: schemaValidation,
    tables: new Map(tables.map((table) => [table.tableName, table])),
  };
}

function checkTable(table, validated) {
  const { tableName: name, documentType } = table;
  const why = documentType && whyNotDeclared(documentType);
  if (why) throw new DeployError(why);
  checkDocumentType(documentType);
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) {
    throw new DeployError(
      `Invalid table name: "${name}". Identifiers must start with a letter and can only contain ` +
        "letters, digits, and underscores.",
    );
  }
  if (name.startsWith("_")) throw new DeployError(`${name} is a reserved table name.`);
  const database = [...table.indexes, ...(table.stagedDbIndexes ?? [])];
  const search = [...table.searchIndexes, ...(table.stagedSearchIndexes ?? [])];
  const vector = [...(table.vectorIndexes ?? []), ...(table.stagedVectorIndexes ?? [])];
  if (database.length + search.length + vector.length > MOST_INDEXES) {
    throw new DeployError(`Table "${name}" cannot have more than ${MOST_INDEXES} indexes.`);
  }
  for (const index of database) checkFields(name, index);
  for (const index of [...search, ...vector]) checkFilterFields(name, index);
  for (const index of search) checkPaths(name, index, [index.searchField, ...index.filterFields]);
  for (const index of vector) checkPaths(name, index, [index.vectorField, ...index.filterFields]);
  for (const index of vector) checkDimensions(name, index);
  checkUnique(name, "index", database);
  checkUnique(name, "search index", search);
  checkUnique(name, "vector index", vector);
  checkNames(name, [...database, ...search, ...vector]);
  if (!validated) return;
  for (const index of database) checkReferences(name, documentType, index, index.fields);
  for (const index of search) {
    checkReferences(name, documentType, index, [index.searchField, ...index.filterFields]);
  }
  for (const index of vector) {
    checkReferences(name, documentType, index, [index.vectorField]);
    checkVector(name, documentType, index);
  }
}

function checkDocumentType(type) {
  if (!type || type.type === "any") return;
  const members = type.type === "union" ? type.value : [type];
  const other = members.find((member) => member.type !== "object");
  if (other === undefined) return;
  throw new DeployError(
    "The document validator in a schema must be an object, a union of objects, or `v.any()`. " +
      `Found ${describe(other)}. ${SEE_DOCUMENTATION}`,
  );
}

function checkFields(table, { indexDescriptor: index, fields }) {
  const say = (why) => new DeployError(`In table "${table}": In index "${index}": ${why}`);
  if (fields.length === 0) {
    throw new DeployError(`In table "${table}" index "${index}" must have at least one field.`);
  }
  checkPaths(table, { indexDescriptor: index }, fields);
  if (fields.length > MOST_FIELDS) throw say(`Indexes may have up to ${MOST_FIELDS} fields.`);
  for (const field of fields) {
    if (field === "_id") {
      throw say("`_id` is not a valid index field. To load documents by ID, use `db.get(id)`.");
    }
    if (field === "_creationTime") {
      throw say(
        "`_creationTime` is automatically added to the end of each index. It should not be added " +
          "explicitly in the index definition. See https://docs.convex.dev/using/indexes for more details.",
      );
    }
    if (field.startsWith("_"))
      throw say("Reserved fields (starting with `_`) are not allowed in indexes.");
  }
  const twice = fields.find((field, at) => fields.indexOf(field) !== at);
  if (twice) throw say(`Duplicate field ${twice}. Index fields must be unique within an index.`);
}

/** Throws if a name in the dotted paths of fields is no identifier. */
function checkPaths(table, { indexDescriptor: index }, paths) {
  const isPath = (path) => path.split(".").every((part) => whyNoIdentifier(part) === null);
  const wrong = paths.find((path) => !isPath(path));
  if (wrong === undefined) return;
  throw new DeployError(
    `In table "${table}": In index "${index}": Invalid index field: "${wrong}"`,
  );
}

function checkFilterFields(table, { filterFields }) {
  if (filterFields.length <= MOST_FIELDS) return;
  throw new DeployError(
    `In table "${table}": Search indexes may have up to ${MOST_FIELDS} filter fields.`,
  );
}

function checkDimensions(table, { dimensions }) {
  if (dimensions >= LEAST_DIMENSIONS && dimensions <= MOST_DIMENSIONS) return;
  throw new DeployError(
    `In table "${table}": Dimensions ${dimensions} must be between ${LEAST_DIMENSIONS} and ` +
      `${MOST_DIMENSIONS}.`,
  );
}

/** The key of each kind of index that no other index of a table may have, and its names in the message. */
const UNIQUE = {
  index: [({ fields }) => fields.join(), "fields", "Indexes"],
  "search index": [({ searchField }) => searchField, "`searchField`", "Search index fields"],
  "vector index": [
    ({ vectorField, dimensions }) => `${vectorField} ${dimensions}`,
    "`vectorField`",
    "Vector index fields",
  ],
};

function checkUnique(table, kind, indexes) {
  const [keyOf, key, keys] = UNIQUE[kind];
  for (const [place, index] of indexes.entries()) {
    const other = indexes.slice(0, place).find((earlier) => keyOf(earlier) === keyOf(index));
    if (!other) continue;
    throw new DeployError(
      `In table "${table}" ${kind} "${other.indexDescriptor}" and ${kind} "${index.indexDescriptor}" ` +
        `have the same ${key}. ${keys} must be unique within a table.`,
    );
  }
}

function checkNames(table, indexes) {
  const seen = new Set();
  for (const { indexDescriptor: index } of indexes) {
    if (RESERVED.has(index) || index.startsWith("_")) {
      throw new DeployError(
        `In table "${table}" cannot name an index "${index}" because the name is reserved. Indexes ` +
          'may not start with an underscore or be named "by_id" or "by_creation_time".',
      );
    }
    if (!IDENTIFIER.test(index)) {
      throw new DeployError(
        `In table "${table}": Invalid index name: "${index}". Identifiers must be 64 characters or less, start with a ` +
          "letter, and only contain letters, digits, underscores.",
      );
    }
    if (seen.has(index)) {
      throw new DeployError(`Table "${table}" has two or more definitions of index "${index}".`);
    }
    seen.add(index);
  }
}

function checkReferences(table, type, { indexDescriptor: index }, fields) {
  const missing = fields.find((field) => !canContain(type, field));
  if (missing === undefined) return;
  throw new DeployError(
    `In table "${table}" the index "${index}" is invalid because it references the field ` +
      `"${missing}" that does not exist.`,
  );
}

function checkVector(table, type, { indexDescriptor: index, vectorField }) {
  if (fieldsAt(type, vectorField).some(isVector)) return;
  throw new DeployError(
    `In table "${table}" the vector index "${index}" is invalid because it references the field ` +
      `"${vectorField}" that is neither an array of float64 or optional array of float64.`,
  );
}

function isVector(type) {
  if (type.type === "any") return true;
  if (type.type === "union") return type.value.some(isVector);
  return type.type === "array" && (type.value.type === "number" || type.value.type === "any");
}

/** Returns true if a document can have the field at the dotted `path`. */
function canContain(type, path) {
  const isOfSystem = path.startsWith("_") && !path.includes(".");
  return isOfSystem || fieldsAt(type, path).length > 0;
}

/** Returns the validators that the field at `path` can have. */
function fieldsAt(type, path) {
  if (!type || type.type === "any") return [{ type: "any" }];
  if (type.type === "union") return type.value.flatMap((one) => fieldsAt(one, path));
  const [first, ...rest] = path.split(".");
  const field =
    type.type === "object" && Object.hasOwn(type.value, first) ? type.value[first].fieldType : null;
  if (!field) return [];
  return rest.length === 0 ? [field] : fieldsAt(field, rest.join("."));
}
