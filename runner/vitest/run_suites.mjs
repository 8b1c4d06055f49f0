// Runs the tests that a model wrote, over one version of the code that they test:
//
//   node run_suites.mjs FOLDER SECONDS
//
// FOLDER holds that version. The first line on stdin is a token; lines of ours begin
// with it: {"ready": true} before any of the model's code runs, and {"files": [...]} at the end.
//
// Each test file runs in a child process of its own, as vitest does it by default, for SECONDS at
// most. What tests print goes nowhere. Nothing of the model's configures this process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { ForksPoolWorker, createVitest } from "vitest/node";

const MOST_TESTS = 500;
const MOST_ERRORS = 20;
const LONGEST_NAME = 200;
const LONGEST_MESSAGE = 1000;

const [folder, seconds] = process.argv.slice(2);
const [token] = await readLines(process.stdin, 1);
const temporary = mkdtempSync(join(tmpdir(), "vitest-"));
/** How a file's process came to an end that was not its tests' end, by file. */
const ends = new Map();
/** The same of a process that had no file yet: vitest gives up all that it has not run. */
let lost = null;
/** The processes that tests run in, and what is resolved as they exit. */
const forks = [];
const exits = [];

/** vitest's own worker, which also minds the time: a loop without end cannot be told to stop. */
class TimedWorker extends ForksPoolWorker {
  name = "timed";
  #file;
  #timer;
  #over = false;

  async start() {
    await super.start();
    const ended = (code, signal) => {
      if (!this.#over) this.#end(endOf(code, signal));
      // vitest may notice that a killed process no longer answers, and stop it, before its exit is told.
      else if (signal === "SIGKILL") lost ??= endOf(code, signal);
    };
    forks.push(this.fork);
    const { exitCode, signalCode } = this.fork;
    if (exitCode !== null || signalCode !== null) ended(exitCode, signalCode);
    else exits.push(new Promise((resolve) => this.on("exit", (...how) => resolve(ended(...how)))));
  }

  send(message) {
    if (message.type === "run") {
      this.#file = message.context.files[0].filepath;
      this.#timer = setTimeout(() => {
        this.#end({ kind: "timed_out", how: `did not end within ${seconds} s` });
        this.fork.kill("SIGKILL");
      }, seconds * 1000);
    }
    super.send(message);
  }

  async stop() {
    this.#over = true;
    clearTimeout(this.#timer);
    await super.stop();
  }

  #end(how) {
    clearTimeout(this.#timer);
    this.#over = true;
    if (this.#file) ends.set(this.#file, how);
    else lost = how;
  }
}

// vitest throws where nobody catches it when a process dies while it is being started.
process.on("uncaughtException", (error) => {
  const died = forks.find(({ exitCode, signalCode }) => exitCode || signalCode);
  const end = died ? endOf(died.exitCode, died.signalCode) : { kind: "ended", how: message(error) };
  say({ files: [], lost: lost ?? end });
  process.exit();
});

const vitest = await createVitest(
  "test",
  {
    root: folder,
    config: false,
    watch: false,
    cache: false,
    update: false,
    environment: "edge-runtime",
    pool: { name: "timed", createPoolWorker: (options) => new TimedWorker(options) },
    maxWorkers: 1,
    passWithNoTests: true,
    disableConsoleIntercept: true,
    reporters: [{}],
    // As Convex's documentation configures it.
    server: { deps: { inline: ["convex-test"] } },
  },
  { cacheDir: temporary, envDir: false, logLevel: "silent" },
  { stdin: process.stdin, stdout: nowhere(), stderr: nowhere() },
);
say({ ready: true });
// Where there is no test file, vitest would end this process.
if ((await vitest.globTestSpecifications()).length > 0) await vitest.start();
const modules = vitest.state.getTestModules();
if (!modules.some((file) => [...file.children.allTests()].length > 0)) await Promise.all(exits);
say({ files: modules.map((file) => told(file, vitest.state.getUnhandledErrors())), lost });
rmSync(temporary, { recursive: true, force: true });
// What is left of the children is nobody's to wait for.
process.exit();

function told(file, unhandled) {
  const tests = [...file.children.allTests()];
  const outside = [
    ...file.errors(),
    ...[...file.children.allSuites()].flatMap((suite) => suite.errors()),
    ...unhandled.filter((error) => error.VITEST_TEST_PATH === file.moduleId),
  ];
  return {
    end: ends.get(file.moduleId) ?? (tests.length === 0 ? lost : null),
    tests: tests.slice(0, MOST_TESTS).map((test) => {
      const { state, errors } = test.result();
      return { name: cut(test.fullName, LONGEST_NAME), state, message: message(errors?.[0]) };
    }),
    errors: outside.slice(0, MOST_ERRORS).map(message),
  };
}

function endOf(code, signal) {
  return { kind: "ended", how: signal ? `was ended by ${signal}` : `ended with status ${code}` };
}

function message(error) {
  return error ? cut(error.message, LONGEST_MESSAGE) || "an error without a message" : null;
}

function cut(text, most) {
  return stripVTControlCharacters(String(text ?? "")).slice(0, most).toWellFormed();
}

function say(what) {
  process.stdout.write(`${token}${JSON.stringify(what)}\n`);
}

function nowhere() {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

async function readLines(stream, count) {
  const lines = [];
  const reader = createInterface({ input: stream });
  for await (const line of reader) if (lines.push(line) === count) break;
  return lines;
}
