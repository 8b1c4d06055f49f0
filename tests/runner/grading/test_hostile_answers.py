"""Answers that attack instead of answering: none passes or harms, each is recorded truly."""

import json
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome, StepName
from records.suites.eval_config import EvalLimits
from runner.grading.grade import GradingResult, GradingService
from tests.runner.small_eval import EVALS, make_node_action, make_value_answer, write_question
from tests.support.texts import read_cases
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.integration

CASES = read_cases(__file__)

GRADER = CASES["grader"]
LIMITS = EvalLimits(deploy_s=15, tests_s=40)
Attack = Callable[..., GradingResult]
"""Takes the body of an action, and code above it; returns the failed grading."""


@pytest.fixture(autouse=True)
def next_attempt_is_unaffected(grading: GradingService, tmp_path: Path) -> Iterator[None]:
    """Grade a right answer after every attack: it passes."""
    yield
    graded = grading.grade(write_question(tmp_path / "next"), make_value_answer(42))
    assert (graded.outcome, graded.reason) == (Outcome.PASSED, None)


@pytest.fixture
def attack(grading: GradingService, tmp_path: Path) -> Attack:
    """Grade an answer with the wrong value and an action with this body."""
    evaluation = write_question(tmp_path, GRADER, limits=LIMITS)

    def grade(body: str, head: str = "") -> GradingResult:
        graded = grading.grade(evaluation, make_value_answer(41, make_node_action(body, head)))
        assert graded.outcome is Outcome.FAILED, graded.fault
        return graded

    return grade


def find_attack_message(graded: GradingResult) -> str:
    """Return the message of the attack's own test: its result, or the reason of its end."""
    messages = {test.name: test.message or "" for test in graded.tests or ()}
    assert set(messages) == {"test_before", "test_attack", "test_after"}
    assert "42" in messages["test_before"]
    return messages["test_attack"].removeprefix("grader.py:8: ")


@pytest.mark.more
def test_an_action_reaches_nothing_of_this_machine(
    attack: Attack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It reads no key, home folder or grader, writes nothing of ours, and has no network."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    grader = write_question(tmp_path, GRADER).grader
    packages, programs = EVALS / "node_modules/convex", EVALS.parent / "runner/emulator"
    ours = [packages / "package.json", programs / "server.mjs", grader]
    before = [sha256(path.read_bytes()).hexdigest() for path in ours]
    places = [*map(str, ours), str(Path.home()), str(EVALS.parent), "/root", "/etc/shadow"]
    inside = ["/project/convex/notes.ts", "/node_modules/convex/package.json", "/usr/bin/evil"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        graded = attack(f"""
            const found: string[] = [];
            const attempt = (name: string, act: () => unknown) => {{
              try {{ if (act() !== false) found.push(name); }} catch {{ /* refused */ }}
            }};
            const holdsKey = (text: string) => text.includes("sk-" + "secret");
            attempt("own key", () => holdsKey(JSON.stringify(process.env)));
            for (const pid of fs.readdirSync("/proc"))
              attempt(pid, () => holdsKey(fs.readFileSync(`/proc/${{pid}}/environ`, "utf8")));
            for (const place of {json.dumps(places)}) {{
              attempt(place, () => fs.readdirSync(place));
              attempt(place, () => fs.readFileSync(place));
            }}
            for (const place of {json.dumps([*inside, "/harness/x", "/evil", *map(str, ours)])}) {{
              attempt(`wrote ${{place}}`, () => fs.writeFileSync(place, "evil"));
              attempt(`removed ${{place}}`, () => fs.rmSync(place));
            }}
            const reach = (host: string, port: number) => new Promise<void>((resolve) => {{
              const socket = net.connect({{ host, port, timeout: 2000 }});
              socket.on("connect", () => {{ found.push(host); resolve(); }});
              socket.on("error", () => resolve()).on("timeout", () => resolve());
            }});
            await Promise.all([reach("127.0.0.1", {port}), reach("1.1.1.1", 53)]);
            await fetch("http://127.0.0.1:{port}/").then(() => found.push("fetched"), () => 0);
            return found.join(" ") || "nothing";
        """)
        server.settimeout(0.2)
        with pytest.raises(TimeoutError):
            server.accept()
    assert find_attack_message(graded) == ""
    assert [sha256(path.read_bytes()).hexdigest() for path in ours] == before


@pytest.mark.parametrize("end", leave_to_night(CASES["ends"], but=("exit",)))
def test_an_end_is_not_passing(attack: Attack, end: dict[str, str]) -> None:
    """Ending or filling the process ends the deployment at most: the test fails with a reason."""
    assert re.search(end["message"], find_attack_message(attack(end["body"])))


@pytest.mark.night
def test_an_endless_loop_at_import_fails_the_deploy(
    grading: GradingService, tmp_path: Path
) -> None:
    """A module that never finishes loading cannot be deployed."""
    evaluation = write_question(tmp_path, GRADER, limits=EvalLimits(deploy_s=3))
    loop = make_node_action('return "nothing";', "for (;;) { /* for ever */ }")
    graded = grading.grade(evaluation, make_value_answer(41, loop))
    assert graded.outcome is Outcome.FAILED
    assert graded.failed_step is StepName.DEPLOY
    assert graded.tests is None
    assert graded.reason is not None
    assert "did not end within 3 s" in graded.reason


def test_exiting_at_import_fails_the_deploy(attack: Attack) -> None:
    """process.exit(0) in a module is a failed deploy."""
    graded = attack('return "nothing";', head="process.exit(0);")
    assert graded.failed_step is StepName.DEPLOY


def test_a_forged_report_is_only_text(attack: Attack) -> None:
    """Text that is printed, written to open descriptors or exported is no verdict."""
    report = {"kind": "finished", "test": {"name": "test_before", "outcome": "passed"}}
    forged = "\\n".join([json.dumps(report), '{"kind": "done"}', "3 passed in 0.01s"])
    graded = attack(f"""
        const forged = {json.dumps(forged)} + "\\n";
        console.log(forged);
        process.stdout.write(forged);
        process.stderr.write(forged);
        for (let fd = 3; fd < 64; fd++) {{
          try {{ fs.writeSync(fd, forged); }} catch {{ /* not open */ }}
        }}
        return "nothing";
    """)
    assert graded.failed_step is StepName.TESTS
    assert {test.outcome for test in graded.tests or () if test.name == "test_before"} == {
        Outcome.FAILED
    }


@pytest.mark.parametrize(
    "line",
    [
        pytest.param({"ready": {}}, marks=pytest.mark.night),
        {"failed": {"kind": "internal", "message": "not the model's"}},
    ],
)
def test_a_forged_word_of_the_backend_is_not_heard(attack: Attack, line: dict[str, object]) -> None:
    """A module cannot report that it is deployed, nor that its failure is ours."""
    forged = json.dumps(json.dumps(line) + "\n")
    graded = attack(
        'return "nothing";',
        head=f"fs.writeSync(1, {forged});\nprocess.exit(1);",
    )
    assert graded.failed_step is StepName.DEPLOY


def test_code_reaches_neither_the_folders_of_its_attempt_nor_the_backend(attack: Attack) -> None:
    """Code has no scratch folder, no socket to use or replace, and sees no other process.

    The socket by which its process begins anew takes no second connection.
    """
    graded = attack(
        CASES["code_reaches_neither_the_folders_of_its_attempt_nor_the_backend"],
        'import net from "node:net";',
    )
    assert find_attack_message(graded) == ""


LOOP = "for (;;) { /* for ever */ }"
ASKING = 'def test_it(convex):\n    convex.action("evil:run")\n'
BUSY = """
for (let i = 0; i < 40; i++) {
  child_process.spawn("/bin/sh", ["-c", "while :; do :; done"]).on("error", () => {});
}
"""


@pytest.mark.night
@pytest.mark.parametrize(
    "stall",
    [pytest.param(LOOP, id="a loop"), pytest.param(BUSY + LOOP, id="busy processes")],
)
def test_honest_answers_beside_stalling_ones(
    grading: GradingService, tmp_path: Path, stall: str
) -> None:
    """Three answers run at once: stalling and wrong answers fail, and right answers pass."""
    short = write_question(tmp_path / "short", ASKING, limits=EvalLimits(tests_s=4))
    honest = write_question(tmp_path / "honest")
    files = make_value_answer(42, make_node_action(stall))
    with ThreadPoolExecutor(3) as threads:
        stalling = [threads.submit(grading.grade, short, files) for _ in range(2)]
        values = [42, 41, 42, 41]
        beside = [
            threads.submit(grading.grade, honest, make_value_answer(value)) for value in values
        ]
        verdicts: list[GradingResult] = [each.result() for each in beside]
        assert all(each.result().outcome is Outcome.FAILED for each in stalling)
    passed, failed = Outcome.PASSED, Outcome.FAILED
    assert [each.outcome for each in verdicts] == [passed, failed, passed, failed]
    assert all("41.0 == 42" in (each.reason or "") for each in verdicts[1::2])
