// What functions print becomes the log lines of their call, and never reaches our own output.

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
/** What Node's console has and the default runtime's has not. */
const NODE_ONLY = ["assert", "dir", "dirxml", "group", "groupCollapsed", "groupEnd", "table"];
const PRINTING = new Set(["dir", "dirxml", "table"]);
/** One more than the backend keeps, which says then that there were more. */
const MOST_LINES = 257;
/** Bytes of a line behind its level, and its end where there were more: crates/common/src/log_lines.rs. */
const LONGEST_LINE = 32_768;
const CUT = " (truncated due to length)";

/**
 * Makes a console whose lines go to `print`, with the call that `current` returns, if there is one.
 *
 * @param {() => import("./calls.mjs").Call | undefined} current
 * @param {(call: import("./calls.mjs").Call, line: string) => void} print
 * @param {() => number} now milliseconds since the epoch
 */
export function makeConsole(current, print, now) {
  const append = (level, values) => {
    const call = current();
    if (!call || call.lines >= MOST_LINES) return;
    call.lines += 1;
    print(call, `[${level}] ${shortened(values.map(inspect).join(" "))}`);
  };
  const started = new Map();
  const tell = (label, ...values) => {
    const since = started.get(label);
    if (since === undefined) append("WARN", [`Timer '${label}' does not exist`]);
    else append("INFO", [`${label}: ${now() - since}ms`, ...values]);
  };
  const console = {
    time: (label = "default") => void started.set(String(label), now()),
    timeLog: (label = "default", ...values) => tell(String(label), ...values),
    timeEnd: (label = "default") => {
      tell(String(label));
      started.delete(String(label));
    },
  };
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method] = (...values) => append(level, values);
  }
  return console;
}

function shortened(line) {
  if (Buffer.byteLength(line) <= LONGEST_LINE) return line;
  // A decoder leaves out a character that the cut divides.
  const beginning = Buffer.from(line).subarray(0, LONGEST_LINE);
  return `${new StringDecoder("utf8").write(beginning)}${CUT}`;
}

/** Adds to a console what only Node's has. */
export function withNodeMethods(console) {
  const more = NODE_ONLY.map((name) => [name, PRINTING.has(name) ? console.log : () => {}]);
  return { ...console, ...Object.fromEntries(more) };
}
