// Checks of values from a process that runs model code, which can send any value.

/** Returns the value if it is text, else throws. */
export function text(value) {
  if (typeof value === "string") return value;
  throw new TypeError("what should be text is not");
}

/** Returns the value if it is a list, an empty list if it is undefined; else throws. */
export function list(value) {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new TypeError("what should be a list is not");
}
