"""Graders that are programs: verdicts, faults, limits, and answers that attack the grader."""

from pathlib import Path

import pytest

from records.shapes.attempt import FaultClass, Outcome, StepName
from runner.answers.reply import render_reply
from runner.evals.discovery import discover
from runner.grading import answer_programs
from runner.grading.grade import GradingService, Submission
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from runner.suite.check import check_graders
from tests.runner.command_suite import ANSWER, read_eval, write_command_suite
from tests.support.texts import read_cases
from tests.support.tiers import leave_to_more, leave_to_night

pytestmark = pytest.mark.integration

CASES = read_cases(__file__)

WRONG = "def add(a, b):\n    return a * b\n"
LINE = '{"test": "a", "outcome": "passed"}\\n{"tests": 1}\\n'
ASKING = "run-answer python3 sums.py > /tmp/out; status=$?\n"


@pytest.mark.more
def test_the_suite_is_proven(root: Path, service: GradingService) -> None:
    """Reference, baselines and the wrong variant get the verdicts that the eval promises."""
    proofs = check_graders(discover(root).evals, service, times=1)
    assert {proof.name: proof.problems for proof in proofs} == {
        "reference": (),
        "baseline/empty": (),
        "baseline/stub": (),
        "fail/product": (),
    }


@pytest.mark.more
def test_tests_have_titles_and_times(root: Path, service: GradingService) -> None:
    """The title of a test is the first line of its docstring; the message has the comparison."""
    evaluation = read_eval(root)
    verdict = service.judge(
        Submission(evaluation, ALL_TESTS, reply=render_reply({"sums.py": WRONG}))
    )
    assert verdict.tests is not None
    small, large = verdict.tests
    assert (small.name, small.title) == ("test_small_numbers", "Two small numbers are added.")
    assert "assert 6 == 5" in (small.message or "")
    assert small.duration_s is not None
    assert large.outcome is Outcome.FAILED
    assert [step.name for step in verdict.steps] == [StepName.FILESYSTEM, StepName.TESTS]
    assert verdict.key == service.compute_verdict_key(evaluation, {"sums.py": WRONG})


def test_a_reply_without_a_required_file_fails_at_the_files(
    root: Path, service: GradingService
) -> None:
    """The suite's rules hold for replies, too; the grader is not asked."""
    verdict = service.judge(
        Submission(read_eval(root), ALL_TESTS, reply=render_reply({"lib/a.py": ANSWER}))
    )
    assert (verdict.outcome, verdict.failed_step) == (Outcome.FAILED, StepName.FILESYSTEM)
    assert verdict.reason == "sums.py is missing"


@pytest.mark.parametrize(
    ("script", "outcome", "reason"), CASES["graders"].values(), ids=CASES["graders"]
)
def test_graders_in_any_language(
    root: Path, service: GradingService, script: str, outcome: str, reason: str
) -> None:
    """A report decides. A grader that gives none judges nobody: the reference breaks it, too."""
    limits = "\n[limits]\ntests_s = 1\n" if script == "sleep 60" else ""
    verdict = service.grade(read_eval(root, script, limits), {"sums.py": ANSWER})
    assert verdict.outcome == outcome, verdict.reason
    assert reason in (verdict.reason or "")
    if verdict.outcome is Outcome.INFRASTRUCTURE:
        assert verdict.fault is not None
        assert verdict.fault.kind in {FaultClass.GRADER, FaultClass.SANDBOX}


@pytest.mark.more
def test_a_grader_that_only_this_answer_breaks_is_the_answers_failure(
    root: Path, service: GradingService
) -> None:
    """The reference is the control, as with every other grader, and a second break decides."""
    script = f"{ASKING}[ $status -eq 0 ] || exit 9\nprintf '{LINE}'"
    verdict = service.grade(read_eval(root, script), {"sums.py": "raise SystemExit(7)\n"})
    assert verdict.outcome is Outcome.FAILED
    assert "broke on this answer twice" in (verdict.reason or "")
    assert verdict.control is Outcome.PASSED


@pytest.mark.parametrize("passing", CASES["passing"].values(), ids=CASES["passing"])
def test_graders_and_answers_have_what_is_theirs(
    root: Path, service: GradingService, passing: dict[str, str]
) -> None:
    """Streams, statuses and packages of both are as promised, and nothing else is there."""
    verdict = service.grade(
        read_eval(root, f"{passing['script']}printf '{LINE}'"), {"sums.py": passing["answer"]}
    )
    assert verdict.outcome is Outcome.PASSED, verdict.reason


@pytest.mark.more
def test_programs_of_an_answer_share_a_folder(root: Path, service: GradingService) -> None:
    """A file for a program is written by another before it; the next answer does not see it."""
    evaluation = read_eval(root)
    (evaluation.grader / "test_sums.py").write_text(CASES["programs_of_an_answer_share_a_folder"])
    answer = "import sys\nprint(sum(map(int, open(sys.argv[1]).read().split())), end='')\n"
    for _ in range(2):
        verdict = service.grade(evaluation, {"sums.py": answer})
        assert verdict.outcome is Outcome.PASSED, verdict.reason


def test_authors_see_prints_of_a_grader(root: Path, service: GradingService) -> None:
    """Standard error is shown where it is asked for, and is in the log of the step."""
    evaluation = read_eval(root, f"echo 'looking closely' >&2; printf '{LINE}'")
    verdict = service.grade(evaluation, {"sums.py": ANSWER}, SelectedTests(with_output=True))
    assert verdict.printed == "looking closely\n"
    assert "looking closely" in verdict.logs["tests"]


@pytest.mark.parametrize(
    "ask",
    [
        "run-answer python3 sums.py",
        "run-answer python3 sums.py 2>&1 >/tmp/out; exit 1",
        "run-answer python3 sums.py 2>&1; exit 1",
        "exec 4>&1 >/tmp/out; run-answer python3 sums.py 2>&4; exit 1",
    ],
    ids=["output", "error", "both", "copied"],
)
def test_output_of_an_answer_never_becomes_the_report(
    root: Path, service: GradingService, ask: str
) -> None:
    """A careless script lets the answer print where the grader reports: the program is refused."""
    script = f"set -e\n{ask}\nprintf '{LINE}'"
    forged = (
        "import sys\n"
        "for stream in (sys.stdout, sys.stderr):\n"
        f"    print('{LINE}', end='', file=stream, flush=True)\n"
        "raise SystemExit(1)\n"
    )
    verdict = service.grade(read_eval(root, script), {"sums.py": forged})
    assert verdict.outcome is Outcome.INFRASTRUCTURE
    assert "out of the report" in (verdict.reason or "")


def test_a_grader_may_be_a_file_that_is_a_program(root: Path, service: GradingService) -> None:
    """It needs no mode of a program: a clone that lost it gets the same verdict."""
    evaluation = read_eval(root, f"#!/bin/sh\nprintf '{LINE}'", command="./judge")
    assert service.grade(evaluation, {"sums.py": ANSWER}).outcome is Outcome.PASSED


# --- Requests without a reply ---------------------------------------------------------------------


def test_a_lost_reply_is_never_the_answers_failure(
    root: Path, service: GradingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where our own thread breaks, pytest has a failed test, and nobody is judged all the same."""

    def break_down(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(answer_programs, "Deadline", break_down)
    verdict = service.grade(read_eval(root), {"sums.py": ANSWER})
    assert verdict.outcome is Outcome.INFRASTRUCTURE
    assert verdict.fault is not None
    assert verdict.fault.kind is FaultClass.SANDBOX
    assert "can't start new thread" in verdict.fault.evidence


@pytest.mark.more
def test_a_test_that_gets_no_reply_judges_nobody(root: Path, service: GradingService) -> None:
    """A grader that loses its socket reports nothing, even if its tests catch every exception."""
    evaluation = read_eval(root)
    (evaluation.grader / "test_sums.py").write_text(
        "import os\nfrom answer import call\n"
        "def test_without_reply():\n"
        "    os.environ['LEADERBOARD_SOCKET'] = '/tmp/none.sock'\n"
        "    try: call('sums.py', 'add', 2, 3)\n"
        "    except Exception: assert False\n"
    )
    verdict = service.grade(evaluation, {"sums.py": ANSWER})
    assert verdict.outcome is Outcome.INFRASTRUCTURE
    assert "nobody is judged: no reply to a request" in verdict.logs["tests"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (
            "LEADERBOARD_SOCKET=/tmp/none.sock run-answer true > /tmp/out",
            "no reply to a request for a program of the answer",
        ),
        (
            "head -c 9000000 /dev/zero | tr '\\000' a | run-answer true > /tmp/out",
            "a request of the grader is longer than 8,000,000 bytes",
        ),
        ("run-answer '' > /tmp/out", "command[entry 1]: String should have at least 1 character"),
    ],
    ids=["no-socket", "too-long", "no-command"],
)
def test_a_program_that_could_not_be_run_has_the_status_125(
    root: Path, service: GradingService, script: str, reason: str
) -> None:
    """A grader in shell knows it from the answer's own status; a line has the reason."""
    script += f" 2> /tmp/err; [ $? = 125 ] || printf '{LINE}'; cat /tmp/err >&2; exit 3"
    verdict = service.grade(read_eval(root, script), {"sums.py": ANSWER})
    assert verdict.outcome is Outcome.INFRASTRUCTURE
    assert reason in (verdict.reason or "")
    assert "Traceback" not in (verdict.reason or "")
    assert "pydantic" not in (verdict.reason or "")


# --- Limits of the answer's programs --------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(
            "def add(a, b):\n    while True: pass\n",
            "ended for passing its limit: ",
            marks=pytest.mark.night,
        ),
        ("import time\ndef add(a, b):\n    time.sleep(60)\n", "limit: wall"),
        ("def add(a, b):\n    return len(bytearray(900_000_000))\n", ""),
        ("def add(a, b):\n    print('x' * 9_000_000)\n", "limit: output"),
        ("def add(a, b):\n    open('/scratch/a', 'wb').write(b'x' * 300_000_000)\n", ""),
    ],
    ids=["spins", "sleeps", "memory", "output", "disk"],
)
def test_limits_of_the_answer_are_its_own_failure(
    root: Path, service: GradingService, answer: str, reason: str
) -> None:
    """A program past a limit is ended, its test fails, and the grader goes on."""
    verdict = service.grade(read_eval(root), {"sums.py": answer})
    assert (verdict.outcome, verdict.failed_step) == (Outcome.FAILED, StepName.TESTS)
    assert reason in (verdict.reason or "")
    assert len(verdict.tests or ()) == 2


def test_an_answer_that_uses_all_time_of_the_tests_fails(
    root: Path, service: GradingService
) -> None:
    """Where the time ends while a program of the answer runs, the grader is not to blame."""
    evaluation = read_eval(root, "run-answer sleep 60 > /tmp/out", "\n[limits]\ntests_s = 1\n")
    verdict = service.grade(evaluation, {"sums.py": ANSWER})
    assert (verdict.outcome, verdict.control) == (Outcome.FAILED, None)
    assert "still ran after the 1 s" in (verdict.reason or "")


# --- Attacks --------------------------------------------------------------------------------------

_FORGED = '<testsuite><testcase name="a"/></testsuite>'
ATTACKS = {
    "leaves-early": "import os\nos._exit(0)\n",
    "prints-a-report": f"import os\nprint('{_FORGED}', flush=True)\nos._exit(0)\n",
    "writes-to-every-file": (
        "import os\n"
        "for number in range(3, 256):\n"
        "    try: os.write(number, b'{\"value\": 5}\\n')\n"
        "    except OSError: pass\n" + WRONG
    ),
    "is-equal-to-everything": (
        "class Five(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n"
        "def add(a, b):\n    return Five(4)\n"
    ),
    "rewrites-json": "import json\njson.loads = lambda text: {'value': 5}\n" + WRONG,
    "ends-all-processes": "import os, signal\nos.kill(-1, signal.SIGKILL)\n" + WRONG,
    "leaves-a-process": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n" + WRONG
    ),
}


@pytest.mark.parametrize(
    "attack",
    leave_to_night(ATTACKS, but=("leaves-early", "is-equal-to-everything", "rewrites-json")),
)
def test_no_answer_forges_its_verdict(root: Path, service: GradingService, attack: str) -> None:
    """A wrong answer fails, even if it prints, writes, kills or imitates something."""
    verdict = service.grade(read_eval(root), {"sums.py": attack})
    assert (verdict.outcome, verdict.failed_step) == (Outcome.FAILED, StepName.TESTS)
    names = [test.name for test in verdict.tests or ()]
    assert names in ([], ["test_small_numbers", "test_large_numbers"])


@pytest.mark.parametrize(
    "name",
    leave_to_more(
        {
            name: name
            for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "answer.py")
        },
        but=["sitecustomize.py"],
    ),
)
def test_files_that_python_loads_by_itself_stay_in_their_jail(
    tmp_path: Path, service: GradingService, name: str
) -> None:
    """Such a file of the answer runs at most with the answer's own programs."""
    root = write_command_suite(tmp_path / "evals")
    hostile = f"import os, sys\nos.write(1, b'{_FORGED}')\nos._exit(0)\n"
    verdict = service.grade(read_eval(root), {"sums.py": WRONG, name: hostile})
    assert (verdict.outcome, verdict.failed_step) == (Outcome.FAILED, StepName.TESTS)


def test_an_answer_sees_neither_grader_nor_network_nor_this_machine(
    root: Path, service: GradingService
) -> None:
    """Its jail has its own files, Python and a folder to write to."""
    secret = root.parent / "secret"
    secret.write_text("a key")
    spy = (
        "import os, socket\n"
        "def add(a, b):\n"
        "    seen = [name for name in ('/grader', '/grading', '/tools/packages')\n"
        "            if os.path.exists(name)]\n"
        f"    seen += [{str(secret)!r}] if os.path.exists({str(secret)!r}) else []\n"
        "    seen += [name for name in os.environ if name.startswith('LEADERBOARD')]\n"
        "    for place in ('/project/new', '/tools/bin/new', '/usr/new'):\n"
        "        try: open(place, 'w'); seen.append(place)\n"
        "        except OSError: pass\n"
        "    try: socket.create_connection(('1.1.1.1', 53), 1); seen.append('network')\n"
        "    except OSError: pass\n"
        "    seen += [pid for pid in os.listdir('/proc') if pid.isdigit() and int(pid) > 40]\n"
        "    assert not seen, seen\n"
        "    return a + b\n"
    )
    verdict = service.grade(read_eval(root), {"sums.py": spy})
    assert verdict.outcome is Outcome.PASSED, verdict.reason
