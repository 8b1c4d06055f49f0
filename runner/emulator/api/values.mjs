// The conversion of Convex values to plain JSON, which loses types: integers and bytes become text.

/** @param {import("convex/values").Value} value */
export function clean(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(clean);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, clean(field)]));
  }
  return value;
}
