// Vector search: the rows whose vectors are most similar to a vector. Queries are checked with the real
// backend's messages (crates/vector).

import { compareValues } from "convex/values";

import { valueAt } from "./ordered_index.mjs";
import { valueOf } from "./ranges.mjs";

const DEFAULT_RESULTS = 10;
const MOST_RESULTS = 256;
const MOST_CONDITIONS = 64;

/**
 * Returns the ids and scores of the most similar rows, the most similar first.
 *
 * @param {string} name of the index, with its table
 * @param {{ vectorField: string, dimensions: number, filterFields: string[] }} index
 * @param {{ vector: number[], limit?: number | null, expressions: object | null }} query
 * @param {Iterable<import("./database.mjs").Row>} rows of the table
 * @returns {{ _id: string, _score: number }[]}
 */
export function searchVectors(name, index, { vector, limit, expressions }, rows) {
  checkVector(vector);
  const most = checkLimit(limit ?? DEFAULT_RESULTS);
  const conditions = expressions === null ? [] : conditionsOf(expressions);
  checkConditions(name, index, conditions);
  if (vector.length !== index.dimensions) {
    throw new Error(
      `Expected a vector with dimensions ${index.dimensions}, received ${vector.length}.`,
    );
  }
  const path = index.vectorField.split(".");
  const found = [];
  for (const { document } of rows) {
    const other = valueAt(document, path);
    if (!isVector(other, index.dimensions) || !meets(document, conditions)) continue;
    found.push({ _id: document._id, _score: similarity(vector, other) });
  }
  return found.sort((one, other) => other._score - one._score).slice(0, most);
}

// The real backend refuses values of wrong types when it reads a request. Only the beginning of its message
// is known.

function checkVector(vector) {
  if (Array.isArray(vector) && vector.every((item) => typeof item === "number")) return;
  throw new Error(
    "Invalid argument `query` for `vectorSearch`: `vector` must be an array of numbers",
  );
}

function checkLimit(limit) {
  if (!Number.isInteger(limit))
    throw new Error("Invalid argument `query` for `vectorSearch`: `limit` must be an integer");
  if (limit >= 1 && limit <= MOST_RESULTS) return limit;
  if (limit > MOST_RESULTS) {
    throw new Error(
      `Vector queries can fetch at most ${MOST_RESULTS} results, requested ${limit}.`,
    );
  }
  throw new Error(`Vector search limit must be between 1 and ${MOST_RESULTS}, got ${limit}.`);
}

/** Returns the conditions of a filter; a row must meet at least one of them. */
function conditionsOf(expression) {
  const [[operator, operand]] = Object.entries(expression);
  if (operator === "$or") return operand.flatMap(conditionsOf);
  if (operator !== "$eq") {
    throw new Error("Filters should be a combination of `q.eq` and `q.or`.");
  }
  const [left, right] = operand;
  if (left?.$field === undefined || right === null || !("$literal" in Object(right))) {
    throw new Error(
      "`q.eq` must take a field path as its first argument and a value as its second",
    );
  }
  return [{ field: left.$field, path: left.$field.split("."), value: valueOf(right.$literal) }];
}

function checkConditions(name, { filterFields }, conditions) {
  const unknown = conditions.find(({ field }) => !filterFields.includes(field));
  if (unknown) {
    throw new Error(
      `Vector query against ${name} contains a filter on "${unknown.field}" but that field isn't ` +
        "indexed for filtering in `filterFields`.",
    );
  }
  if (conditions.length > MOST_CONDITIONS) {
    throw new Error(
      `Vector query against ${name} has too many conditions. Max: ${MOST_CONDITIONS} Actual: ` +
        `${conditions.length}`,
    );
  }
}

function meets(document, conditions) {
  if (conditions.length === 0) return true;
  return conditions.some(({ path, value }) => compareValues(valueAt(document, path), value) === 0);
}

function isVector(value, dimensions) {
  if (!Array.isArray(value) || value.length !== dimensions) return false;
  return value.every((item) => typeof item === "number");
}

/** Returns the cosine of the angle between two vectors. */
function similarity(one, other) {
  let product = 0;
  let square = 0;
  let otherSquare = 0;
  for (let i = 0; i < one.length; i++) {
    product += one[i] * other[i];
    square += one[i] ** 2;
    otherSquare += other[i] ** 2;
  }
  const length = Math.sqrt(square) * Math.sqrt(otherSquare);
  return length === 0 ? 0 : product / length;
}
