// What functions print becomes the log lines of their call, and never reaches our own output.

import { inspect } from "node:util";

const LEVELS = {
  log: "LOG",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
  debug: "DEBUG",
  trace: "LOG",
};
/** One more than the backend keeps, which says then that there were more. */
const MOST_LINES = 257;
const LONGEST_LINE = 32_768;

/** Makes a console whose lines go to `print`, with the call that `current` returns, if there is one. */
export function makeConsole(current, print) {
  const append = (level, values) => {
    const call = current();
    if (!call || call.lines >= MOST_LINES) return;
    call.lines += 1;
    const text = values.map((value) => (typeof value === "string" ? `'${value}'` : inspect(value)));
    print(call, `[${level}] ${text.join(" ")}`.slice(0, LONGEST_LINE));
  };
  const console = { time() {}, timeEnd() {}, timeLog() {}, assert() {}, group() {}, groupEnd() {} };
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method] = (...values) => append(level, values);
  }
  console.table = console.dir = console.log;
  return console;
}
