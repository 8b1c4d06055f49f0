// The console of functions. Texts that they print become log lines of their call, and are never printed by
// this process.

import { Buffer } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

import { inspect } from "./inspect.mjs";

const LEVELS = {
  log: "LOG",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
  debug: "DEBUG",
  trace: "LOG",
};
/** The methods that only Node's console has, and not that of the default runtime. */
const NODE_ONLY = ["assert", "dir", "dirxml", "group", "groupCollapsed", "groupEnd", "table"];
const PRINTING = new Set(["dir", "dirxml", "table"]);
/** One line more than the backend keeps, so that it can report that there were more. */
const MOST_LINES = 257;
/** The most bytes of a line after its level, and the end of a longer line: crates/common/src/log_lines.rs. */
const LONGEST_LINE = 32_768;
const CUT = " (truncated due to length)";

/**
 * Returns a console that calls `print` with each line. Lines outside of calls are dropped.
 *
 * @param {() => import("./calls.mjs").Call | undefined} current returns the present call
 * @param {(call: import("./calls.mjs").Call, line: string) => void} print
 * @param {() => number} now returns the time in milliseconds since the epoch
 */
export function makeConsole(current, print, now) {
  const write = (level, text) => {
    const call = current();
    if (!call || call.lines >= MOST_LINES) return;
    call.lines += 1;
    print(call, `[${level}] ${shortened(text)}`);
  };
  const join = (values) => values.map(inspect).join(" ");
  const started = new Map();
  const tell = (label, values) => {
    const since = started.get(label);
    if (since === undefined) return write("WARN", `Timer '${label}' does not exist`);
    return write("INFO", [`${label}: ${now() - since}ms`, ...values].join(" "));
  };
  const console = {
    time: (given) => {
      const label = labelOf(given);
      if (started.has(label)) write("WARN", `Timer '${label}' already exists`);
      else started.set(label, now());
    },
    timeLog: (label, ...values) => tell(labelOf(label), values.map(inspect)),
    timeEnd: (given) => {
      const label = labelOf(given);
      tell(label, []);
      started.delete(label);
    },
  };
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method] = (...values) => write(level, join(values));
  }
  return console;
}

/** Returns the name of a timer. */
function labelOf(label) {
  return label === undefined ? "default" : String(label);
}

function shortened(line) {
  if (Buffer.byteLength(line) <= LONGEST_LINE) return line;
  // If the cut divides a character, the decoder leaves it out.
  const beginning = Buffer.from(line).subarray(0, LONGEST_LINE);
  return `${new StringDecoder("utf8").write(beginning)}${CUT}`;
}

/** Returns a console with the methods that only Node's console has. */
export function withNodeMethods(console) {
  const more = NODE_ONLY.map((name) => [name, PRINTING.has(name) ? console.log : () => {}]);
  return { ...console, ...Object.fromEntries(more) };
}
