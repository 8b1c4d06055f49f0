"""Programs that graders in TypeScript start: no process, folder or network is shared."""

import json
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.grading.steps.step import TestsResult
from tests.runner.grading.steps.grader_runner import GraderRunner, NamedServer
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

STARTS = """
import * as programs from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const cwd = process.env.MODEL_OUTPUT_DIR!;
const shell = "test ! -e /sockets && test ! -e /suite/evals && echo apart";
const words = ["-c", shell];
const readOutput = (child: programs.ChildProcess) =>
  new Promise<string>((done) => {
    let text = "";
    child.stdout!.on("data", (chunk) => (text += chunk)).on("close", () => done(text));
  });

test.each(Object.entries({
  exec: async () => (await promisify(programs.exec)(shell)).stdout,
  execFile: async () => (await promisify(programs.execFile)("sh", words)).stdout,
  execFileSync: () => programs.execFileSync("sh", words, { cwd }),
  execSync: () => programs.execSync(shell, { cwd }),
  spawn: () => readOutput(programs.spawn("sh", words)),
  spawnSync: () => programs.spawnSync(shell, { shell: true }).stdout,
}))("%s", async (_, start) => expect(String(await start())).toBe("apart\\n"));

test("passes input, variables, output, errors and statuses", async () => {
  const code = "cat; echo $WORD >&2; exit 7";
  const env = { ...process.env, WORD: "a=b" };
  const ended = programs.spawnSync("sh", ["-c", code], { input: "given", env, encoding: "utf8" });
  expect([ended.status, ended.stdout, ended.stderr]).toEqual([7, "given", "a=b\\n"]);
  const child = programs.spawn("cat");
  child.stdin.end("later");
  expect(await readOutput(child)).toBe("later");
});
"""
REPORTS = """
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("reads what a program wrote", () => {
  const folder = mkdtempSync(join(tmpdir(), "run-"));
  symlinkSync(process.env.MODEL_OUTPUT_DIR!, join(folder, "project"));
  mkdirSync(join(folder, "old"));
  writeFileSync(join(folder, "kept.txt"), "kept");
  execFileSync("sh", ["project/src/write.sh"], { cwd: folder });
  expect(readFileSync(join(folder, "new/report.txt"), "utf8")).toBe("EXPECTED");
  expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("kept");
});
"""
RUNS = """
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the program prints the right word", () => {
  const { stdout } = spawnSync("node", ["src/program.mjs"], {
    cwd: process.env.MODEL_OUTPUT_DIR, encoding: "utf8", timeout: 20_000,
  });
  console.log(stdout);
  if (existsSync("/tmp/report"))
    return expect(readFileSync("/tmp/report", "utf8")).toBe(readFileSync("right.txt", "utf8"));
  expect(stdout).toBe("the right word, which no answer knows");
});
"""
EACH_PROCESS = """
import { readdirSync } from "node:fs";
const pids = readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
const others = pids.filter((pid) => pid !== `${process.pid}`);
"""
ATTACKS = {
    "an inspector": EACH_PROCESS
    + """
for (const pid of others) try { process.kill(Number(pid), "SIGUSR1"); } catch {}
await new Promise((done) => setTimeout(done, 300));
const [{ webSocketDebuggerUrl }] = await (await fetch("http://127.0.0.1:9229/json")).json();
const socket = new WebSocket(webSocketDebuggerUrl);
await new Promise((done) => { socket.onopen = done; });
const params = { expression: "process.exit()" };
socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params }));
""",
    "the memory and output of others": EACH_PROCESS
    + """
import { openSync, writeSync } from "node:fs";
for (const pid of others)
  for (const file of ["mem", "fd/1", "fd/3", "fd/20"])
    try { writeSync(openSync(`/proc/${pid}/${file}`, "r+"), "the right word"); } catch {}
""",
    "inherited descriptors": """
import { writeSync } from "node:fs";
for (let fd = 3; fd < 64; fd++) try { writeSync(fd, "the right word"); } catch {}
""",
    "a link in place of a report": """
import { symlinkSync } from "node:fs";
symlinkSync("/suite/evals/000-kit/001-static_notes/right.txt", "/tmp/report");
""",
    "a pipe in place of a report": """
import { execFileSync } from "node:child_process";
execFileSync("mkfifo", ["/tmp/report"]);
""",
    "files that configure programs": """
import { mkdirSync, writeFileSync } from "node:fs";
const code = 'console.log("the right word"); process.exit()';
for (const folder of ["/tmp", "/project", "/project/src", "/suite", "/node_modules/.bin"])
  for (const file of [".npmrc", "vitest.config.ts", "vite.config.mjs", "package.json", "sh"])
    try { writeFileSync(`${folder}/${file}`, code, { mode: 0o777 }); } catch {}
""",
    "the end of all others": EACH_PROCESS
    + """
for (const pid of [...others, 1, -1]) try { process.kill(Number(pid), "SIGTERM"); } catch {}
""",
}
SEES = """
import { existsSync, readdirSync, readFileSync } from "node:fs";
const read = (file) => { try { return readFileSync(file, "latin1"); } catch { return ""; } };
const reach = (port) => fetch(`http://127.0.0.1:${port}`).then(() => true, () => false);
const pids = readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
const files = pids.flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]);
console.log(JSON.stringify({
  variables: Object.keys(process.env).filter((name) => /^(CONVEX|LEADERBOARD)_/.test(name)),
  words: files.map(read).join().match(/CONVEX_|programs.sock|run_grader/),
  folders: ["/sockets", "/fixtures", "/harness", "/suite/evals"].filter(existsSync),
  ports: await Promise.all([3210, 3211, 3212, 3213, 9229].map(reach)),
}));
"""
SEEING = """
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
test("sees nothing of the grader", () => {
  const cwd = process.env.MODEL_OUTPUT_DIR;
  expect(JSON.parse(execFileSync("node", ["src/program.mjs"], { cwd, encoding: "utf8" }))).toEqual({
    variables: [], words: null, folders: [], ports: Array(5).fill(false),
  });
});
"""
IMPORTS = {
    "import": "await import(/* @vite-ignore */ file)",
    "a link": (
        "await import(/* @vite-ignore */ file.replace('/project',"
        " '/suite/output_root/output/provider/model/000-kit/001-static_notes'))"
    ),
    "require": "createRequire(import.meta.url)(file)",
    "a copy": 'cpSync(file, "/tmp/copy.mjs"); await import(/* @vite-ignore */ "/tmp/copy.mjs")',
    "a data URL": (
        'await import(/* @vite-ignore */ "data:text/javascript," + readFileSync(file, "utf8"))'
    ),
    "a thread": "await once(new Worker(file), 'exit')",
    "a thread of a thread": (
        "await once(new Worker(`import(${JSON.stringify(file)})`, { eval: true, execArgv: [] }),"
        " 'exit')"
    ),
    "vitest in the process": (
        'await (await import("vitest/node")).startVitest("test", [], { root: "/project" })'
    ),
    "fork": "fork(file)",
}
IMPORTING = """
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { test } from "vitest";
test("imports", async () => {
  const file = `${process.env.MODEL_OUTPUT_DIR}/src/code.mjs`;
  void [fork, once, cpSync, readFileSync, createRequire, Worker];
  IMPORT;
});
"""


def _describe(tested: TestsResult) -> tuple[Outcome, str]:
    return tested.result.step.outcome, tested.result.step.message or ""


@pytest.mark.more
def test_all_functions_that_start_programs_start_them_apart(runner: GraderRunner) -> None:
    """Each function of node:child_process is replaced, with input, variables and statuses."""
    tested = runner.run(STARTS, answer={"src/a.ts": ""})

    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


def test_files_of_programs_come_back(runner: GraderRunner) -> None:
    """A grader reads the files that a program wrote; its own files and links stay."""
    script = "mkdir new && printf EXPECTED > new/report.txt && rm -r old && ln -sf /etc kept.txt\n"

    tested = runner.run(REPORTS, answer={"src/write.sh": script})

    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


@pytest.mark.more
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_wrong_program_fails_however_it_attacks(runner: GraderRunner, attack: str) -> None:
    """The grader judges the program alone, and its own process goes on."""
    tested = runner.run(
        RUNS, {"right.txt": "right"}, answer={"src/program.mjs": ATTACKS[attack]}, limit_s=30
    )

    outcome, message = _describe(tested)
    assert outcome is Outcome.FAILED, message
    assert message.startswith("the program prints the right word: expected ''"), message


def test_a_program_sees_neither_grader_nor_deployments(
    runner: GraderRunner, tmp_path: Path
) -> None:
    """Variables, processes, folders and ports of the grader are out of its sight."""
    deployment = NamedServer(tmp_path, "first")

    tested = runner.run(SEEING, answer={"src/program.mjs": SEES}, deployment=deployment.address)

    deployment.close()
    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


@pytest.mark.parametrize("way", leave_to_more({way: way for way in IMPORTS}, but=[*IMPORTS][::3]))
def test_code_of_the_answer_is_never_loaded_by_the_grader(runner: GraderRunner, way: str) -> None:
    """Nobody is judged, and the code, which would end the process, has not run."""
    tested = runner.run(
        IMPORTING.replace("IMPORT", IMPORTS[way]), answer={"src/code.mjs": "process.exit(0);"}
    )

    outcome, message = _describe(tested)
    assert outcome is Outcome.INFRASTRUCTURE, message
    assert message.startswith("graders and answers share no process: "), message


def test_texts_and_json_of_the_answer_are_read(runner: GraderRunner) -> None:
    """JSON is data, and a module is a text with the query `raw`."""
    grader = (
        'import { expect, test } from "vitest";\n'
        "const file = (name: string) => `${process.env.MODEL_OUTPUT_DIR}/${name}`;\n"
        'test("reads", async () => {\n'
        "  const load = async (name: string) =>\n"
        "    (await import(/* @vite-ignore */ file(name))).default;\n"
        '  expect((await load("package.json")).name).toBe("n");\n'
        '  expect(await load("a.ts?raw")).toBe("process.exit();");\n'
        "});\n"
    )

    tested = runner.run(
        grader, answer={"package.json": json.dumps({"name": "n"}), "a.ts": "process.exit();"}
    )

    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


def test_a_program_of_the_suite_is_the_graders_fault(runner: GraderRunner) -> None:
    """A script beside the grader is not in the jail of programs, and the message names it."""
    grader = (
        'import { execSync } from "node:child_process";\n'
        'import { test } from "vitest";\n'
        'test("checks", () => { try { execSync("node check.mjs"); } catch {} });\n'
    )

    tested = runner.run(grader, {"check.mjs": ""}, answer={"a.ts": ""})

    outcome, message = _describe(tested)
    assert outcome is Outcome.INFRASTRUCTURE
    assert "/suite/evals/000-kit/001-static_notes/check.mjs" in message
