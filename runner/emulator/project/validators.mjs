// The check of values by validators, with the real backend's messages.

import { CommitTsPlaceholder, jsonToConvex } from "convex/values";

import { whyNoIdentifier } from "../identifiers.mjs";
import { tableOf } from "../ids.mjs";

/**
 * Returns the difference of a value from a validator; null if the value is valid.
 *
 * @param {object} validator in Convex's JSON
 * @param {unknown} value
 * @returns {string | null}
 */
export function mismatch(validator, value) {
  const found = differ(validator, value, "");
  if (found === null) return null;
  const where = found.path ? `Path: ${found.path}` : "";
  if (found.label === null) return found.why + where;
  return `${found.why}\n${where}\n${found.label}: ${print(found.value)}\nValidator: ${describe(found.validator)}`;
}

function differ(validator, value, path) {
  const wrong = (why, label) => ({ path, why, value, validator, label });
  const expected = () => wrong("Value does not match validator.", "Value");
  switch (validator?.type) {
    case "any":
      return value === undefined ? expected() : null;
    case "null":
      return value === null ? null : expected();
    case "number":
    case "bigint":
    case "boolean":
    case "string":
      return typeof value === validator.type ? null : expected();
    case "bytes":
      return value instanceof ArrayBuffer ? null : expected();
    case "literal":
      return isLiteral(validator.value, value)
        ? null
        : wrong(
            `\`${print(value)}\` does not match literal validator \`${describe(validator)}\`.`,
            null,
          );
    case "id":
      return idMismatch(validator, value, wrong, expected);
    case "array":
      return arrayMismatch(validator, value, path, expected);
    case "record":
      return recordMismatch(validator, value, path, expected);
    case "union":
      if (validator.value.length === 1) return differ(validator.value[0], value, path);
      return validator.value.some((one) => differ(one, value, path) === null) ? null : expected();
    case "object":
      return objectMismatch(validator, value, path, wrong, expected);
    case "commitTs":
      return typeof value === "bigint" || value instanceof CommitTsPlaceholder ? null : expected();
    default:
      throw new Error(`Unknown validator: ${JSON.stringify(validator)}`);
  }
}

/**
 * Returns the reason why functions and tables may not have a validator, in the words of
 * crates/common/src/schemas/json.rs; null if they may.
 *
 * @param {any} validator in Convex's JSON
 * @returns {string | null}
 */
export function whyNotDeclared(validator) {
  switch (validator?.type) {
    case "id":
      return whyNoIdentifier(validator.tableName);
    case "object":
      return firstReason(sorted(validator.value).map(whyNoField));
    case "array":
      return whyNotDeclared(validator.value);
    case "union":
      return firstReason(validator.value.map(whyNotDeclared));
    case "record":
      return whyNoKeys(validator.keys) ?? whyNotDeclared(validator.values.fieldType);
    default:
      return null;
  }
}

function firstReason(reasons) {
  return reasons.find((reason) => reason !== null) ?? null;
}

function whyNoField([name, { fieldType }]) {
  const why = whyNotDeclared(fieldType);
  const inField = why === null ? null : `Invalid validator for key \`${name}\`: ${why}`;
  return whyNoIdentifier(name) ?? inField;
}

function whyNoKeys(keys) {
  const why = whyNotDeclared(keys);
  if (why !== null) return why;
  if (!isText(keys)) {
    return (
      "Records can only have string keys. Your validator contains a record with key typed as " +
      `\`${describe(keys)}\`, which is not a subtype of \`v.string()\``
    );
  }
  return hasLiteral(keys) ? "Records cannot have string literal keys" : null;
}

function isText({ type, value }) {
  if (type === "union") return value.every(isText);
  return type === "string" || type === "id" || (type === "literal" && typeof value === "string");
}

function hasLiteral({ type, value }) {
  return type === "union" ? value.some(hasLiteral) : type === "literal";
}

function isLiteral(expected, value) {
  const isInteger = typeof value === "bigint" && typeof expected === "object";
  return (isInteger ? jsonToConvex(expected) : expected) === value;
}

function idMismatch(validator, value, wrong, expected) {
  if (typeof value !== "string") return expected();
  const table = tableOf(value);
  if (table === validator.tableName) return null;
  if (table === null) return expected();
  const from = table.startsWith("_") ? "a system table" : `table \`${table}\``;
  return wrong(
    `Found ID "${value}" from ${from}, which does not match the table name in validator \`v.id("${validator.tableName}")\`.`,
    null,
  );
}

function arrayMismatch(validator, value, path, expected) {
  if (!Array.isArray(value)) return expected();
  for (const [index, item] of value.entries()) {
    const found = differ(validator.value, item, `${path}[${index}]`);
    if (found) return found;
  }
  return null;
}

function recordMismatch(validator, value, path, expected) {
  if (!isPlainObject(value)) return expected();
  for (const [key, item] of Object.entries(value)) {
    const found =
      differ(validator.keys, key, `${path}.keys()`) ??
      differ(validator.values.fieldType, item, `${path}.values()`);
    if (found) return found;
  }
  return null;
}

function objectMismatch(validator, value, path, wrong, expected) {
  if (!isPlainObject(value)) return expected();
  for (const [key, { fieldType, optional }] of sorted(validator.value)) {
    if (value[key] === undefined) {
      if (optional) continue;
      return wrong(
        `Object is missing the required field \`${key}\`. Consider wrapping the field validator in ` +
          "`v.optional(...)` if this is expected.",
        "Object",
      );
    }
    const found = differ(fieldType, value[key], `${path}.${key}`);
    if (found) return found;
  }
  for (const [key, item] of sorted(value)) {
    if (item !== undefined && !Object.hasOwn(validator.value, key)) {
      return wrong(
        `Object contains extra field \`${key}\` that is not in the validator.`,
        "Object",
      );
    }
  }
  return null;
}

/** Returns the fields of an object in the order in which the real backend checks them. */
function sorted(fields) {
  return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns true if a Convex value is an object: neither null nor a list nor bytes. */
export function isPlainObject(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return (
    prototype === null || prototype === Object.prototype || prototype.constructor?.name === "Object"
  );
}

/** Returns the text of a value as in the real backend's messages. */
export function print(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isInteger(value) ? `${value}.0` : String(value);
  if (value instanceof ArrayBuffer) return `b"${Buffer.from(value).toString("hex")}"`;
  if (Array.isArray(value)) return `[${value.map(print).join(", ")}]`;
  if (isPlainObject(value)) {
    const fields = sorted(value).filter(([, item]) => item !== undefined);
    return `{${fields.map(([key, item]) => `${key}: ${print(item)}`).join(", ")}}`;
  }
  return String(value);
}

const SCALARS = { number: "v.float64()", bigint: "v.int64()" };

/** Returns a validator as code, such as `v.string()`. */
export function describe(validator) {
  switch (validator.type) {
    case "literal":
      return `v.literal(${typeof validator.value === "object" ? "<bigint>" : JSON.stringify(validator.value)})`;
    case "id":
      return `v.id("${validator.tableName}")`;
    case "array":
      return `v.array(${describe(validator.value)})`;
    case "record":
      return `v.record(${describe(validator.keys)}, ${describe(validator.values.fieldType)})`;
    case "union":
      return `v.union(${validator.value.map(describe).join(", ")})`;
    case "object": {
      const fields = sorted(validator.value).map(([key, { fieldType, optional }]) =>
        optional ? `${key}: v.optional(${describe(fieldType)})` : `${key}: ${describe(fieldType)}`,
      );
      return `v.object({${fields.join(", ")}})`;
    }
    default:
      return SCALARS[validator.type] ?? `v.${validator.type}()`;
  }
}
