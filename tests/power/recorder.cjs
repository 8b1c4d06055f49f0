// Records which ranges of our bundled programs a Node process executes, by test. The measured bwrap
// loads it into every jailed Node process, before the program.
"use strict";

const fs = require("node:fs");
const { Session } = require("node:inspector");

const FOLDER = "/coverage";
const EVERY_MS = 200;
const PROGRAMS =
  /(?:server\.cjs|inside\.cjs|renderer\.cjs|window\.cjs|lint_worker\.mjs|run_suites\.mjs)$/;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const file = `${FOLDER}/${process.pid}-${process.hrtime.bigint()}.jsonl`;
let test = currentTest();
let executed = new Map();
let grew = false;

function currentTest() {
  try {
    return fs.readFileSync(`${FOLDER}/test`, "utf8");
  } catch {
    return "";
  }
}

/** Marks the executed characters of a script. V8 lists outer functions and ranges before inner ones. */
function paint(url, functions) {
  const end = Math.max(...functions.map(({ ranges }) => ranges[0].endOffset));
  const fresh = new Uint8Array(end);
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges)
      fresh.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  const known = executed.get(url);
  if (known === undefined || known.length < end) {
    if (known !== undefined) for (let at = 0; at < known.length; at += 1) fresh[at] |= known[at];
    executed.set(url, fresh);
    grew = true;
    return;
  }
  for (let at = 0; at < end; at += 1) {
    if (fresh[at] > known[at]) {
      known[at] = 1;
      grew = true;
    }
  }
}

function take() {
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error) return;
    for (const { url, functions } of answer.result) {
      if (PROGRAMS.test(url)) paint(url, functions);
    }
  });
}

function rangesOf(marks) {
  const ranges = [];
  let start = -1;
  for (let at = 0; at <= marks.length; at += 1) {
    if (marks[at] === 1 && start < 0) start = at;
    if (marks[at] !== 1 && start >= 0) {
      ranges.push([start, at]);
      start = -1;
    }
  }
  return ranges;
}

function flush() {
  take();
  if (!grew) return;
  grew = false;
  for (const [url, marks] of executed) {
    const ranges = rangesOf(marks);
    if (ranges.length > 0) {
      fs.appendFileSync(file, `${JSON.stringify({ test, url, ranges })}\n`);
    }
  }
}

/** Writes early: a server of the suite is killed, and a killed process writes nothing. */
function look() {
  flush();
  const now = currentTest();
  if (now !== test) {
    test = now;
    executed = new Map();
  }
}

setInterval(look, EVERY_MS).unref();
process.on("exit", flush);
