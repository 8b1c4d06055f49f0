// What functions print becomes the log lines of their call, and never reaches our own output.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

const LEVELS = { log: "LOG", info: "INFO", warn: "WARN", error: "ERROR", debug: "DEBUG", trace: "LOG" };
const MOST_LINES = 256;
const LONGEST_LINE = 32_768;

const lines = new AsyncLocalStorage();

/** Puts a console in the global scope that writes to the log of the call under way. */
export function captureConsole() {
  const ours = globalThis.console;
  const captured = Object.create(ours);
  for (const [method, level] of Object.entries(LEVELS)) {
    captured[method] = (...values) => write(level, values);
  }
  globalThis.console = captured;
}

/** Runs `call` and collects what it prints into `into`. */
export function withLog(into, call) {
  return lines.run(into, call);
}

function write(level, values) {
  const log = lines.getStore();
  if (!log || log.length >= MOST_LINES) return;
  const text = values.map((value) => (typeof value === "string" ? `'${value}'` : inspect(value)));
  log.push(`[${level}] ${text.join(" ")}`.slice(0, LONGEST_LINE));
}
