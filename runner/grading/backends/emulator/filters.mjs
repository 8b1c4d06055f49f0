// Evaluates the filters of queries over documents, as the backend does: document by document.

import { compareValues, jsonToConvex } from "convex/values";

const COMPARE = {
  $eq: (order) => order === 0,
  $neq: (order) => order !== 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};
const COMPUTE = {
  $add: (left, right) => left + right,
  $sub: (left, right) => left - right,
  $mul: (left, right) => left * right,
  $div: (left, right) => left / right,
  $mod: (left, right) => left % right,
};

/** Says whether a filter, in the JSON of a query, lets a document through. */
export function passes(filter, document) {
  const value = evaluate(filter, document);
  return value === true;
}

function evaluate(expression, document) {
  const [operator, operand] = Object.entries(expression)[0] ?? [];
  if (operator in COMPARE) {
    const [left, right] = operand.map((one) => evaluate(one, document));
    return COMPARE[operator](compareValues(left, right));
  }
  if (operator in COMPUTE) {
    const [left, right] = operand.map((one) => evaluate(one, document));
    return COMPUTE[operator](left, right);
  }
  switch (operator) {
    case "$and":
      return operand.every((one) => evaluate(one, document) === true);
    case "$or":
      return operand.some((one) => evaluate(one, document) === true);
    case "$not":
      return evaluate(operand, document) !== true;
    case "$neg":
      return -evaluate(operand, document);
    case "$field":
      return fieldOf(document, operand);
    case "$literal":
      return literal(operand);
    default:
      throw new Error(`Unknown filter expression: ${JSON.stringify(expression)}`);
  }
}

function literal(json) {
  const isUndefined = json !== null && typeof json === "object" && "$undefined" in json;
  return isUndefined ? undefined : jsonToConvex(json);
}

function fieldOf(document, path) {
  let value = document;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name))
      return undefined;
    value = value[name];
  }
  return value;
}
