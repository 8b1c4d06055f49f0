"""Programs that graders in TypeScript start: no process, folder or network is shared."""

import json
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.grading.steps.step import TestsResult
from tests.runner.grading.steps.grader_runner import GRADERS, GraderRunner, NamedServer, read_grader
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

ATTACKS = {path.stem: path for path in sorted((GRADERS / "attacks").iterdir())}
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


def _describe(tested: TestsResult) -> tuple[Outcome, str]:
    return tested.result.step.outcome, tested.result.step.message or ""


@pytest.mark.more
def test_all_functions_that_start_programs_start_them_apart(runner: GraderRunner) -> None:
    """Each function of node:child_process is replaced, with input, variables and statuses."""
    tested = runner.run(read_grader("starts"), answer={"src/a.ts": ""})

    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


def test_files_of_programs_come_back(runner: GraderRunner) -> None:
    """A grader reads the files that a program wrote; its own files and links stay."""
    script = "mkdir new && printf EXPECTED > new/report.txt && rm -r old && ln -sf /etc kept.txt\n"

    tested = runner.run(read_grader("reports"), answer={"src/write.sh": script})

    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


@pytest.mark.more
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_wrong_program_fails_however_it_attacks(runner: GraderRunner, attack: Path) -> None:
    """The grader judges the program alone, and its own process goes on."""
    tested = runner.run(
        read_grader("runs"),
        {"right.txt": "right"},
        answer={"src/program.mjs": attack.read_text()},
        limit_s=30,
    )

    outcome, message = _describe(tested)
    assert outcome is Outcome.FAILED, message
    assert message.startswith("the program prints the right word: expected ''"), message


def test_a_program_sees_neither_grader_nor_deployments(
    runner: GraderRunner, tmp_path: Path
) -> None:
    """Variables, processes, folders and ports of the grader are out of its sight."""
    deployment = NamedServer(tmp_path, "first")

    program = (GRADERS / "programs" / "sees.ts").read_text()
    answer = {"src/program.mjs": program}
    tested = runner.run(read_grader("seeing"), answer=answer, deployment=deployment.address)

    deployment.close()
    assert _describe(tested)[0] is Outcome.PASSED, _describe(tested)


@pytest.mark.parametrize("way", leave_to_more({way: way for way in IMPORTS}, but=[*IMPORTS][::3]))
def test_code_of_the_answer_is_never_loaded_by_the_grader(runner: GraderRunner, way: str) -> None:
    """Nobody is judged, and the code, which would end the process, has not run."""
    tested = runner.run(
        read_grader("importing").replace("IMPORT", IMPORTS[way]),
        answer={"src/code.mjs": "process.exit(0);"},
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
