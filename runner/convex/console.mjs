// What functions print becomes the log lines of their call, and never reaches our own output.

import { inspect } from "node:util";

const LEVELS = { log: "LOG", info: "INFO", warn: "WARN", error: "ERROR", debug: "DEBUG", trace: "LOG" };
const MOST_LINES = 256;
const LONGEST_LINE = 32_768;

/** Makes a console that appends to the log lines that `current` returns, if there are any. */
export function makeConsole(current) {
  const console = { time() {}, timeEnd() {}, timeLog() {}, assert() {}, group() {}, groupEnd() {} };
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method] = (...values) => append(current(), level, values);
  }
  console.table = console.dir = console.log;
  return console;
}

function append(lines, level, values) {
  if (!lines) return;
  if (lines.length >= MOST_LINES) {
    if (lines.length === MOST_LINES) {
      lines.push(`[ERROR] Log overflow (maximum ${MOST_LINES}). Remaining log lines omitted.`);
    }
    return;
  }
  const text = values.map((value) => (typeof value === "string" ? `'${value}'` : inspect(value)));
  lines.push(`[${level}] ${text.join(" ")}`.slice(0, LONGEST_LINE));
}
