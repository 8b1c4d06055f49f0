// The range of an index in a query, checked with the real backend's messages
// (crates/common/src/query.rs).

import { jsonToConvex } from "convex/values";

import { print } from "../project/validators.mjs";

/** @typedef {{ type: "Eq" | "Gt" | "Gte" | "Lt" | "Lte", fieldPath: string, value: any }} Comparison */

const SIGNS = { Gt: ">", Gte: ">=", Lt: "<", Lte: "<=" };

/**
 * Returns the range of an index that comparisons select.
 *
 * @param {string} name of the index, with its table
 * @param {string[]} fields of the index, without `_id`
 * @param {Comparison[]} comparisons
 * @returns {import("./ordered_index.mjs").Range}
 */
export function rangeOf(name, fields, comparisons) {
  const { equal, field, lower, upper } = sort(name, comparisons);
  const order = [...fields.filter((one) => one !== "_id"), "_id"];
  const compared = [...equal.keys(), ...(field === null ? [] : [field])];
  for (const path of compared) if (!order.includes(path)) throw notInIndex(name, path, fields);
  const used = [...equal.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  if (field !== null) used.push(field);
  const wrong = used.find((path, place) => path !== order[place]);
  if (wrong !== undefined) throw notInOrder(name, fields, used, wrong);
  const start = used.filter((path) => equal.has(path)).map((path) => equal.get(path));
  return {
    from: lower
      ? { values: [...start, lower.value], isBehind: !lower.isIncluded }
      : { values: start, isBehind: false },
    to: upper
      ? { values: [...start, upper.value], isBehind: upper.isIncluded }
      : { values: start, isBehind: true },
  };
}

/**
 * Sorts the comparisons into equal values, the field of the bounds, and the bounds.
 *
 * @param {string} name
 * @param {Comparison[]} comparisons
 */
function sort(name, comparisons) {
  const equal = new Map();
  /** @type {string | null} */
  let field = null;
  /** @type {Record<"lower" | "upper", { value: any, isIncluded: boolean } | null>} */
  const bounds = { lower: null, upper: null };
  for (const { type, fieldPath, value: json } of comparisons) {
    const value = valueOf(json);
    if (type === "Eq") {
      if (equal.has(fieldPath)) throw defined("equality", fieldPath, "==", equal.get(fieldPath));
      equal.set(fieldPath, value);
      continue;
    }
    const side = type.startsWith("G") ? "lower" : "upper";
    if (bounds[side]) throw defined(side, fieldPath, SIGNS[type], value);
    if (field !== null && field !== fieldPath) throw onTwoFields(name, field, fieldPath);
    field = fieldPath;
    bounds[side] = { value, isIncluded: type.endsWith("e") };
  }
  if (field !== null && equal.has(field)) {
    throw defined("inequality", field, "==", equal.get(field));
  }
  return { equal, field, ...bounds };
}

/** Reads a value of a comparison, which may be undefined. */
export function valueOf(json) {
  const isUndefined = json !== null && typeof json === "object" && "$undefined" in json;
  return isUndefined ? undefined : jsonToConvex(json);
}

function list(fields) {
  return `[${fields.map((field) => JSON.stringify(field)).join(", ")}]`;
}

function defined(bound, field, sign, value) {
  const shown = value === undefined ? "undefined" : print(value);
  return new Error(
    `Already defined ${bound} bound in index range. Can't add "${field}" ${sign} ${shown}.`,
  );
}

function onTwoFields(name, first, second) {
  return new Error(
    "Upper and lower bounds in `range` can only be applied to a single index field. This query " +
      `against index ${name} attempted to set a range bound on both "${first}" and "${second}". ` +
      "Consider using `filter` instead. See https://docs.convex.dev/using/indexes for more info.",
  );
}

function notInIndex(name, field, fields) {
  return new Error(
    `The index range included a comparison with "${field}", but ${name} with fields ` +
      `${list(fields)} doesn't index this field. For more information see ` +
      "https://docs.convex.dev/using/indexes.",
  );
}

function notInOrder(name, fields, used, wrong) {
  return new Error(
    `Tried to query index ${name} but the query didn't use the index fields in order.\n` +
      `Index fields: ${list(fields)}\nQuery fields: ${list(used)}\n` +
      `First incorrect field: "${wrong}"\n` +
      "For more information see https://docs.convex.dev/using/indexes.",
  );
}
