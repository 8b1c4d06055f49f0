"""vitest processes that stay: a grader finds no data and no programs of earlier graders."""

import json
import os
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.errors import JailEndedError
from runner.grading.steps.step import StepResult
from runner.grading.steps.vitest_grader import lay_out_suite
from runner.grading.worker.protocol import ALL_TESTS
from runner.jail import Jail, JailSpec
from runner.jail.kernel import processes
from tests.runner.grading.steps.grader_runner import GRADERS, GraderRunner, NamedServer, read_grader
from tests.support.texts import read_texts
from tests.support.tiers import leave_to_more
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration
TEXTS = read_texts(__file__)

PASSING = 'import { test } from "vitest";\ntest("is here", () => {});\n'
BLOCKING = TEXTS["blocking"]
SETTINGS = TEXTS["settings"]
PAGE = """
const first = () => "first";
const second = () => "second";
export const page = <p />;
"""
BREAKING = {
    "killed": ("process.kill(process.pid, 'SIGKILL');", 60, "ended with status 137"),
    "endless": ("for (;;);", 2, "did not end within 2 s"),
}


def _get_outcome(tested: StepResult) -> tuple[Outcome, str]:
    return tested.step.outcome, tested.step.message or ""


def test_a_grader_finds_nothing_of_earlier_graders(runner: GraderRunner) -> None:
    """Modules, settings and answers are read anew at the same paths; files and globals are gone."""
    slot = runner.find_slot()
    for number in (1, 2):
        module = f"export const NUMBER: number = {number};\n"
        tested = runner.run(
            read_grader("numbers").replace("EXPECTED", str(number)),
            {
                "number.ts": module,
                f"only_{number}.ts": "",
                "../../../package.json": f'{{"version": "{number}"}}',
            },
            answer={"src/number.ts": module},
        )
        assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)
        assert runner.find_slot() is slot, "the same process ran both"
        assert not any(slot.suite.iterdir())
        assert not any(slot.project.iterdir())


def test_compiler_settings_of_an_answer_end_with_it(runner: GraderRunner) -> None:
    """A tsconfig.json of an earlier answer has no effect on files at the same paths."""
    slot = runner.find_slot()
    for factory in ("first", "second"):
        options = f'{{"compilerOptions": {{"jsx": "react", "jsxFactory": "{factory}"}}}}'
        tested = runner.run(
            SETTINGS.replace("FACTORY", factory),
            {"page.tsx": PAGE, "tsconfig.json": options},
        )
        assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)
    assert runner.find_slot() is slot, "the same process ran both"


@pytest.mark.more
def test_a_vitest_with_reads_that_do_not_end_is_replaced(runner: GraderRunner) -> None:
    """A grader whose reads never end, of pipes here, does not end either: the next has another."""
    slot = runner.find_slot()
    for number in (1, 2, 3):
        os.mkfifo(pipe := slot.suite / f"pipe{number}")
        pipe.chmod(0o666)
    assert _get_outcome(runner.run(BLOCKING, limit_s=2))[0] is Outcome.INFRASTRUCTURE
    assert not slot.usable
    assert _get_outcome(runner.run(PASSING))[0] is Outcome.PASSED


def test_a_grader_does_not_reach_earlier_deployments(runner: GraderRunner, tmp_path: Path) -> None:
    """Ports and sockets lead to its own deployment; without a deployment they lead nowhere."""
    slot = runner.find_slot()
    with ExitStack() as stack:
        deployments = [NamedServer(tmp_path, name) for name in ("first", "second")]
        for deployment in deployments:
            stack.callback(deployment.close)
        for deployment in (*deployments, None):
            name = deployment.name if deployment else "refused"
            sockets = ["answer.sock"] * bool(deployment) + ["programs.sock", "vitest.sock"]
            grader = read_grader("reaching").replace("SOCKETS", str(sockets))
            grader = grader.replace("EXPECTED", str([name, name, "refused", "refused"]))
            tested = runner.run(grader, deployment=deployment.address if deployment else None)
            assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)
        assert runner.find_slot() is slot, "the same process ran all"


@pytest.mark.more
@pytest.mark.parametrize(("code", "limit_s", "reason"), BREAKING.values(), ids=BREAKING.keys())
def test_a_grader_that_breaks_its_process_spoils_no_other(
    runner: GraderRunner, code: str, limit_s: float, reason: str
) -> None:
    """The grader's attempt is not judged, and the next grader passes."""
    outcome, message = _get_outcome(runner.run(f"{PASSING}{code}\n", limit_s=limit_s))
    assert outcome is Outcome.INFRASTRUCTURE
    assert reason in message
    assert _get_outcome(runner.run(PASSING))[0] is Outcome.PASSED


@pytest.mark.more
def test_a_vitest_that_was_killed_is_replaced(runner: GraderRunner) -> None:
    """The next grader gets a new process."""
    slot = runner.find_slot()
    processes.kill_each(processes.list_children(slot.pid))
    wait_until(lambda: not slot.usable, 30)
    assert _get_outcome(runner.run(PASSING))[0] is Outcome.PASSED
    assert runner.find_slot() is not slot


@pytest.mark.more
@pytest.mark.parametrize(
    "sent", [b"", b"no value at all", b"\xff" * 8], ids=["end", "text", "long"]
)
def test_a_process_that_sends_no_values_is_lost(
    runner: GraderRunner, jail: Jail, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt ends with an error, and that vitest runs no other grader."""
    evaluation = runner.write(PASSING, {}, 60)
    with runner.slots.lend_slot(None) as slot, socket.socket(socket.AF_UNIX) as grader:
        lay_out_suite(evaluation, slot.suite)
        slot.ask(f"evals/{evaluation.name}/grader.test.ts", 30, ALL_TESTS)
        monkeypatch.chdir(slot.socket.parent)  # names of sockets are short
        grader.connect(slot.socket.name)
        grader.sendall(sent)
        grader.shutdown(socket.SHUT_WR)
        other = jail.start(JailSpec(("/bin/true",)))
        with pytest.raises(JailEndedError):
            slot.read_report(other, 60)
    assert not slot.usable


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


@pytest.mark.more
def test_all_functions_that_start_programs_start_them_apart(runner: GraderRunner) -> None:
    """Each function of node:child_process is replaced, with input, variables and statuses."""
    tested = runner.run(read_grader("starts"), answer={"src/a.ts": ""})

    assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)


def test_files_of_programs_come_back(runner: GraderRunner) -> None:
    """A grader reads the files that a program wrote; its own files and links stay."""
    script = "mkdir new && printf EXPECTED > new/report.txt && rm -r old && ln -sf /etc kept.txt\n"

    tested = runner.run(read_grader("reports"), answer={"src/write.sh": script})

    assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)


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

    outcome, message = _get_outcome(tested)
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
    assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)


@pytest.mark.parametrize("way", leave_to_more({way: way for way in IMPORTS}, but=[*IMPORTS][::3]))
def test_code_of_the_answer_is_never_loaded_by_the_grader(runner: GraderRunner, way: str) -> None:
    """Nobody is judged, and the code, which would end the process, has not run."""
    tested = runner.run(
        read_grader("importing").replace("IMPORT", IMPORTS[way]),
        answer={"src/code.mjs": "process.exit(0);"},
    )

    outcome, message = _get_outcome(tested)
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

    assert _get_outcome(tested)[0] is Outcome.PASSED, _get_outcome(tested)


def test_a_program_of_the_suite_is_the_graders_fault(runner: GraderRunner) -> None:
    """A script beside the grader is not in the jail of programs, and the message names it."""
    grader = (
        'import { execSync } from "node:child_process";\n'
        'import { test } from "vitest";\n'
        'test("checks", () => { try { execSync("node check.mjs"); } catch {} });\n'
    )

    tested = runner.run(grader, {"check.mjs": ""}, answer={"a.ts": ""})

    outcome, message = _get_outcome(tested)
    assert outcome is Outcome.INFRASTRUCTURE
    assert "/suite/evals/000-kit/001-static_notes/check.mjs" in message
