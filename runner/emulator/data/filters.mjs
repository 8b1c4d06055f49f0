// The evaluation of queries' filters over documents, with the real backend's messages
// (crates/common/src/query.rs).

import { compareValues } from "convex/values";

import { valueAt } from "./ordered_index.mjs";
import { valueOf } from "./ranges.mjs";
import { print } from "../project/validators.mjs";

const COMPARE = {
  $eq: (order) => order === 0,
  $neq: (order) => order !== 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};
const COMPUTE = {
  $add: { verb: "add", of: (left, right) => left + right },
  $sub: { verb: "subtract", of: (left, right) => left - right },
  $mul: { verb: "multiply", of: (left, right) => left * right },
  $div: { verb: "divide", of: (left, right) => left / right },
  $mod: { verb: "mod", of: (left, right) => left % right },
};
const TYPES = { bigint: "Int64", number: "Float64", boolean: "Boolean", string: "String" };

/**
 * Returns true if a document passes a filter, which is in the JSON form of a query.
 *
 * @throws if the filter's value is no boolean, or the filter computes with values that are not numbers
 */
export function passes(filter, document) {
  return isTrue(evaluate(filter, document));
}

function evaluate(expression, document) {
  const [operator, operand] = Object.entries(expression)[0] ?? [];
  if (operator in COMPARE) {
    const [left, right] = operand.map((one) => evaluate(one, document));
    return COMPARE[operator](compareValues(left, right));
  }
  if (operator in COMPUTE) {
    const [left, right] = operand.map((one) => evaluate(one, document));
    return compute(COMPUTE[operator], left, right);
  }
  switch (operator) {
    case "$and":
      return operand.every((one) => isTrue(evaluate(one, document)));
    case "$or":
      return operand.some((one) => isTrue(evaluate(one, document)));
    case "$not":
      return !isTrue(evaluate(operand, document));
    case "$neg":
      return negate(evaluate(operand, document));
    case "$field":
      return valueAt(document, operand.split("."));
    case "$literal":
      return valueOf(operand);
    default:
      throw new Error(`Unknown filter expression: ${JSON.stringify(expression)}`);
  }
}

function compute({ verb, of }, left, right) {
  const type = typeof left;
  if (type === typeof right && (type === "number" || type === "bigint")) return of(left, right);
  throw new Error(`Cannot ${verb} ${describe(left)} and ${describe(right)}`);
}

function negate(value) {
  if (typeof value === "number" || typeof value === "bigint") return -value;
  throw new Error(`Cannot negate ${describe(value)}`);
}

function isTrue(value) {
  if (typeof value === "boolean") return value;
  throw new Error(`Cannot use value ${describe(value)} as a Boolean`);
}

function describe(value) {
  const shown = value === undefined ? "undefined" : print(value);
  return `${shown} (type ${typeOf(value)})`;
}

function typeOf(value) {
  if (value === undefined) return "undefined";
  if (value === null) return "Null";
  if (value instanceof ArrayBuffer) return "Bytes";
  if (Array.isArray(value)) return "Array";
  return TYPES[typeof value] ?? "Object";
}
