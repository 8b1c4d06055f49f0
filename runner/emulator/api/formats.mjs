// The formats of values in the HTTP API's answers, as in crates/value/src/export.rs of the real backend.

import { jsonToConvex } from "convex/values";

import { RequestError } from "../errors.mjs";

const ENCODED = new Set(["convex_encoded_json", "convex_json"]);
const CLEAN = new Set(["json", "convex_clean_json"]);

/** Throws if a format is unknown. Without a format, values are clean JSON. */
export function checkFormat(format) {
  if (format === undefined || format === null || ENCODED.has(format) || CLEAN.has(format)) return;
  throw new RequestError(400, "BadFormat", `format param must be one of [\`json\`]. Got ${format}`);
}

/**
 * Returns the outcome of a function in the form of the HTTP API.
 *
 * @param {any} outcome as calls.mjs returns it
 * @param {any} format
 */
export function formatOutcome({ success, value, errorMessage, errorData, logLines }, format) {
  const inFormat = (one) => (ENCODED.has(format) ? one : clean(jsonToConvex(one)));
  const lines = logLines.length === 0 ? {} : { logLines };
  if (success) return { status: "success", value: inFormat(value), ...lines };
  const data = errorData === undefined ? {} : { errorData: inFormat(errorData) };
  return { status: "error", errorMessage, ...data, ...lines };
}

/**
 * Returns a value as plain JSON, which loses types: integers and bytes become text.
 *
 * @param {import("convex/values").Value} value
 */
function clean(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(clean);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, clean(field)]));
  }
  return value;
}
