// The form of values in log lines. As on the real backend, it is that of npm's object-inspect with an
// indentation of two.

const INDENT = "  ";
const DEEPEST = 5;
const IDENTIFIER = /^[\w$]+$/;

/**
 * Returns the text of a value for a log line.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function inspect(value) {
  return write(value, 0, []);
}

function write(value, depth, around) {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "symbol":
      return String(value);
    case "function":
      return `[Function${value.name ? `: ${value.name}` : " (anonymous)"}]`;
    case "object":
      break;
    default:
      return String(value);
  }
  if (value === null) return "null";
  if (around.includes(value)) return "[Circular]";
  if (depth >= DEEPEST) return Array.isArray(value) ? "[Array]" : "[Object]";
  return writeObject(value, (inner) => write(inner, depth + 1, [...around, value]), depth);
}

function writeObject(value, inner, depth) {
  const join = (parts) => {
    const start = `\n${INDENT.repeat(depth + 1)}`;
    return `${start}${parts.join(`,${start}`)}\n${INDENT.repeat(depth)}`;
  };
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const parts = value.map(inner);
    return parts.some((part) => part.includes("\n"))
      ? `[${join(parts)}]`
      : `[ ${parts.join(", ")} ]`;
  }
  const fields = Object.keys(value).map((key) => {
    return `${IDENTIFIER.test(key) ? key : quoted(key)}: ${inner(value[key])}`;
  });
  if (value instanceof Error) {
    return fields.length === 0 ? `[${value}]` : `{ [${value}] ${fields.join(", ")} }`;
  }
  if (value instanceof Map) {
    const parts = [...value].map(([key, item]) => `${inner(key)} => ${inner(item)}`);
    return `Map (${value.size}) {${parts.length > 0 ? join(parts) : ""}}`;
  }
  if (value instanceof Set) {
    const parts = [...value].map(inner);
    return `Set (${value.size}) {${parts.length > 0 ? join(parts) : ""}}`;
  }
  if (value instanceof Date || value instanceof RegExp) return String(value);
  const name = nameOf(value);
  if (fields.length === 0) return `${name}{}`;
  return `${name}{${join(fields)}}`;
}

function nameOf(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return "[Object: null prototype] ";
  const { constructor } = prototype;
  const name = typeof constructor === "function" ? constructor.name : "";
  return name === "" || name === "Object" ? "" : `${name} `;
}

function quoted(text) {
  // eslint-disable-next-line no-control-regex
  const escaped = text.replace(/['\\]/g, "\\$&").replace(/[\x00-\x1f]/g, (character) => {
    const known = { "\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r" }[character];
    return `\\${known ?? `x${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`}`;
  });
  return `'${escaped}'`;
}
