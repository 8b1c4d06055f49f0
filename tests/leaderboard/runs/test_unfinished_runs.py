"""Unfinished runs: they go on, and no question is repeated unasked."""

import re

import pytest

from records.journal.entries import make_opening_entry
from records.shapes.attempt import FaultClass, Outcome
from runner.runs.record import reopen
from tests.leaderboard.commanding import AskedSuite, Terminal
from tests.leaderboard.conftest import AskSuite
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration

MODEL = ("-m", "openai/m")
PROSE = {"text": "Prose, no files."}


@pytest.fixture
def asking(ask_suite: AskSuite) -> AskedSuite:
    """A run that has just ended with a missing answer: the provider refused one question once."""
    refusing = {"match": "<1>", "steps": [{"kind": "status", "status": 400}], "then": PROSE}
    begun = ask_suite({"rules": [refusing], "default": PROSE})
    begun.run(*MODEL, "--resume-or-start", code=3)
    assert begun.take_asked() == [0, 1, 2]
    return begun


def test_an_unfinished_run_goes_on_and_a_whole_one_does_not(asking: AskedSuite) -> None:
    """The second command asks for missing answers; the third begins a new run."""
    (begun,) = asking.read_local_runs()
    again = asking.run(*MODEL, "--resume-or-start")
    assert f"Going on with run {begun.run_id[:8]} of local/m default" in again
    assert "2 of 3 with a verdict" in again
    assert asking.take_asked() == [1]
    (whole,) = asking.read_local_runs()
    assert (whole.run_id, whole.unjudged) == (begun.run_id, 0)
    asking.run(*MODEL, "--resume-or-start")
    assert asking.take_asked() == [0, 1, 2]
    assert len(asking.read_local_runs()) == 2


@pytest.mark.parametrize(
    "other",
    [
        ("--set", "temperature=0.5"),
        pytest.param(("-e", "no_guidelines"), marks=pytest.mark.night),
        pytest.param(("--samples", "2"), marks=pytest.mark.night),
        ("-f", "000-task|001-task"),
    ],
)
def test_a_run_of_another_kind_begins(asking: AskedSuite, other: tuple[str, ...]) -> None:
    """Other parameters, experiments, evals or samples are another run."""
    asking.run(*MODEL, "--resume-or-start", *other)
    assert len(asking.read_local_runs()) == 2
    assert len(asking.take_asked()) > 1


def test_a_run_that_cannot_go_on_is_reported_and_a_new_one_begins(asking: AskedSuite) -> None:
    """With other grading it would be another run; its answers stay in their place."""
    output = asking.run(*MODEL, "--resume-or-start", "--sandbox", "none")
    assert "A new run begins: run " in output
    assert "--sandbox bwrap" in output
    assert len(asking.read_local_runs()) == 2


def test_a_person_chooses_before_anything_is_paid_twice(asking: AskedSuite) -> None:
    """A terminal shows both ways and asks nobody; with --anew, a new run begins."""
    (begun,) = asking.read_local_runs()
    arguments = ["run", *MODEL, *asking.options]
    with Terminal(arguments, columns=200) as terminal:
        assert terminal.wait_for_end() == 2
        assert f"--resume {begun.run_id[:8]}" in terminal.text
        assert "--anew" in terminal.text
    assert asking.take_asked() == []
    with Terminal([*arguments, "--anew"], columns=200) as terminal:
        assert terminal.wait_for_end() == 0
    assert asking.take_asked() == [0, 1, 2]


def test_a_script_is_reported_and_goes_on(asking: AskedSuite) -> None:
    """Without a terminal to choose on, the command begins a new run, with a message."""
    assert "--resume-or-start" in asking.run(*MODEL)
    assert asking.take_asked() == [0, 1, 2]


def test_both_ways_at_once_are_refused(asking: AskedSuite) -> None:
    """The two options contradict each other, and each contradicts --resume."""
    asking.run(*MODEL, "--resume-or-start", "--anew", code=2)
    assert asking.take_asked() == []
    asking.call("run", "--resume", "abcd", "--resume-or-start", code=2)


def test_a_reply_that_was_cut_off_is_asked_for_again(ask_suite: AskSuite) -> None:
    """A resume never makes a provider's fault the model's; the cost of the cut reply is kept."""
    cut = {
        "text": "# Files\n## convex/a.ts\n```ts\nexport",
        "finish": "length",
        "usage": {"prompt_tokens": 7000, "completion_tokens": 200, "total_tokens": 7200},
    }
    rule = {"match": "<0>", "steps": [cut], "then": PROSE}
    asking = ask_suite({"rules": [rule], "default": PROSE})
    terms = ("--price", "1/10", "--max-tokens", "4096")
    asking.run(*MODEL, *terms, "-f", "000-task", code=3)
    (begun,) = asking.read_local_runs()
    (attempt,) = begun.attempts
    assert attempt.fault is not None
    assert attempt.fault.kind is FaultClass.TRUNCATED_BY_SERVER
    asking.run("--resume", begun.run_id, *terms)
    assert asking.take_asked() == [0, 0]
    (resumed,) = asking.read_local_runs()
    (attempt,) = resumed.attempts
    assert attempt.outcome is Outcome.FAILED
    assert attempt.reason is not None
    assert "middle" not in attempt.reason
    assert attempt.generation is not None
    assert attempt.generation.finish_reason == "stop"


def test_options_that_contradict_a_resume_are_named() -> None:
    """Each contradicting option is named in the error."""
    contradicting = ("-m", "x", "-f", "x", "-c", "x", "-e", "x", "--samples", "2", "--failed")
    ended = run_command("run", "--resume", "abc", *contradicting, code=2)
    last = ended.stderr.splitlines()[-1]
    options = "--model --filter --category --experiment --samples --failed"
    assert set(options.split()) <= set(last.replace(",", "").split())


def test_a_damaged_line_is_set_aside_and_the_run_goes_on(asking: AskedSuite) -> None:
    """The resume names the repair, which lists the lost answer; only that is asked for again."""
    (run,) = asking.read_local_runs()
    journal = reopen(asking.data.local, run, make_opening_entry(run))
    lines = journal.read_bytes().splitlines(keepends=True)
    answer = b'{"entry":"generated","eval":"000-fundamentals/002-task"'
    (lost,) = (number for number, line in enumerate(lines) if line.startswith(answer))
    lines[lost] = b"#" + lines[lost]
    journal.write_bytes(b"".join(lines))

    refusal = asking.run("--resume", run.run_id, code=2)
    (cure,) = re.findall(r"`leaderboard (check --repair \w+)`", refusal)
    data = ("--data", asking.data.root)
    repaired = asking.call(*cure.split(), *data)
    assert "an answer of 000-fundamentals/002-task sample 1, to be asked for" in repaired
    assert "goes on with 2 attempts to ask for and 0 to grade" in repaired
    asking.run("--resume", run.run_id)
    assert asking.take_asked() == [1, 2]
    checked = run_command("check", *data)
    assert checked.stdout.count(f"{run.run_id}.damaged") == 1
