// Checks of values that a process of model-written code sends: it can send anything.

/** Returns a value that must be text. */
export function text(value) {
  if (typeof value === "string") return value;
  throw new TypeError("what should be text is not");
}

/** Returns a value that must be a list; one that is missing is empty. */
export function list(value) {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new TypeError("what should be a list is not");
}
