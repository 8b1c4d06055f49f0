"""`leaderboard report`, as a maintainer uses it, and the questions of `--classify`."""

import json
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_report
from records.shapes.failure_classes import FailureClass
from records.shapes.report import Report
from tests.leaderboard.commanding import Terminal, serve_provider
from tests.records import examples
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration
RUN = "a" * 32


def write_published_run(root: Path, evals: int) -> DataFolder:
    """Write a run of which each third attempt failed; return its data folder."""
    return examples.write_runs(DataFolder(root), examples.make_run(RUN, evals=evals))


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a published run of six evals; two of them failed."""
    return write_published_run(tmp_path / "data", 6)


def report(data: DataFolder, *arguments: str, code: int | None = None) -> Ended:
    """Run the command on the run in ``data``, over this suite."""
    return run_command(
        *("report", RUN[:8], "--data", data.root, "--author", "me", *arguments),
        variables={"OPENAI_API_KEY": "sk-test"},
        code=code,
    )


def find_only_report(data: DataFolder) -> Path:
    """Return the only report in ``data``."""
    (path,) = data.list_report_files()
    return path


def test_a_report_is_begun(data: DataFolder) -> None:
    """The command names the file and the open failures; a second call names the next command."""
    made = report(data, code=0)
    path = find_only_report(data)
    assert made.stdout.splitlines()[:3] == [
        str(path),
        "2 of 2 failures have no class yet: leaderboard report aaaaaaaa --classify",
        "",
    ]
    again = report(data, code=2)
    run = read_report(path).run
    assert f"leaderboard report {run[:8]} --update brings it up to date" in again.stderr
    updated = report(data, "--update", code=0)
    assert updated.stdout.startswith(f"{path}: brought up to date; classes and notes stay\n")


def test_an_update_without_a_report_writes_one(data: DataFolder) -> None:
    """The output has the path only, and not that an old report was updated."""
    made = report(data, "--update", code=0)
    assert made.stdout.splitlines()[0] == str(find_only_report(data))


def test_a_model_proposes_classes(data: DataFolder, tmp_path: Path) -> None:
    """Each proposal is in the report with its model; a reply without a proposal is reported."""
    proposed = {"class": "known_gap", "reason": "Indexes are missing, as in other answers."}
    rules = [
        {"match": "000-eval", "steps": [{"text": "no idea"}]},
        {"match": "<<<task>>>", "steps": [{"text": f"```json\n{json.dumps(proposed)}\n```"}]},
    ]
    script = {"rules": rules, "default": {"text": "It is the model's fault."}}
    with serve_provider(tmp_path / "provider", script) as address:
        made = report(data, "--draft-with", "openai/judge", "--api-base", address, code=3)
    assert "the reply holds no JSON object with a class and a reason" in made.stderr
    assert "known_gap is proposed" in made.stdout
    failures = read_report(find_only_report(data)).failures
    (proposal,) = [failure.proposal for failure in failures if failure.proposal]
    assert proposal.failure_class is FailureClass.KNOWN_GAP
    assert proposal.by == "local/judge"
    assert [failure.failure_class for failure in failures] == [None, None]


def test_machines_read_the_written_rows(data: DataFolder, tmp_path: Path) -> None:
    """JSON has the file, the failures and each proposal; questions on a terminal are refused."""
    row = json.loads(report(data, "--json").stdout)
    path = find_only_report(data)
    assert (row["run_id"], row["report"], row["is_new"]) == (RUN, str(path), True)
    assert (row["failures"], row["without_class"], row["proposals"]) == (2, 2, [])
    assert report(data, "--classify", "--json", code=2).stdout == ""
    proposed = {"class": "known_gap", "reason": "Indexes are missing, as in other answers."}
    rules = [{"match": "<<<task>>>", "steps": [{"text": "no idea"}]}]
    script = {"rules": rules, "default": {"text": f"```json\n{json.dumps(proposed)}\n```"}}
    with serve_provider(tmp_path / "provider", script) as address:
        options = ("--draft-with", "openai/judge", "--api-base", address)
        made = report(data, "--update", *options, "--json", code=3)
    row = json.loads(made.stdout)
    classes = {proposal["eval"]: proposal["class"] for proposal in row["proposals"]}
    assert sorted(classes.values(), key=str) == [None, "known_gap"]
    assert not row["is_new"]


def test_a_model_without_a_key_is_reported_before_anything_is_written(data: DataFolder) -> None:
    """The error names the variable of the key, and no report is written."""
    made = report(data, "--draft-with", "anthropic/claude-opus-5.5", code=2)
    assert "ANTHROPIC_API_KEY" in made.stderr
    assert list(data.list_report_files()) == []


def test_a_run_that_is_not_there(data: DataFolder) -> None:
    """The error names the run."""
    made = run_command("report", "zzzz", "--data", data.root, code=2)
    assert "'zzzz'" in made.stderr


KEYS = "q quit"
NOTE = "Enter leaves it as it is): "


@pytest.fixture
def published(tmp_path: Path) -> DataFolder:
    """A published run of twelve evals; four of them failed."""
    return write_published_run(tmp_path / "data", 12)


class Session:
    """The command on a terminal; each step waits for the next output."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def press(self, key: str, number: str) -> None:
        """Give a key at the failure of that number, once its keys are drawn."""
        self._wait(f"[{number}] ")
        self.write_key(key)

    def write_key(self, key: str) -> None:
        """Give a key once the keys of the failure at hand are drawn again."""
        self._wait(KEYS)
        self.terminal.type(f"{key}\r")

    def write(self, note: str) -> None:
        """Write a note when the command asks for it."""
        self._wait(NOTE)
        self.terminal.type(f"{note}\r")

    def _wait(self, text: str) -> None:
        self.terminal.wait_for(text)
        # A text that was waited for is not found a second time.
        self.terminal.drawn = self.terminal.text.partition(text)[2]


@contextmanager
def start_classifying(published: DataFolder) -> Generator[Session]:
    """Run the command on a terminal."""
    arguments = ["report", RUN[:8], "--classify", "--data", str(published.root), "--author", "me"]
    with Terminal(arguments, columns=120) as terminal:
        yield Session(terminal)


def read_only_report(published: DataFolder) -> Report:
    """Return the only report in ``data``."""
    (path,) = published.list_report_files()
    return read_report(path)


def list_failure_classes(published: DataFolder) -> list[tuple[FailureClass | None, str]]:
    """Return class and note of each failure."""
    return [(each.failure_class, each.note) for each in read_only_report(published).failures]


def test_classes_and_notes_are_given_by_key(published: DataFolder) -> None:
    """A failure can be skipped, and another shown again; the report follows at the end."""
    with start_classifying(published) as session:
        session.press("m", "1 of 4")
        session.write("the index is missing \x07")
        session.press("s", "2 of 4")
        session.press("b", "3 of 4")
        session.press("o", "2 of 4")
        session.write("")
        session.press("k", "3 of 4")
        session.write("as others")
        session.press("\x1b[A", "4 of 4")
        session.write_key("h")
        session.write("")
        assert session.terminal.wait_for_end() == 0
        text = session.terminal.text
    assert list_failure_classes(published) == [
        (FailureClass.MODEL_FAULT, "the index is missing ⟦U+0007⟧"),
        (FailureClass.OVERLY_STRICT, ""),
        (FailureClass.KNOWN_GAP, "as others"),
        (FailureClass.HARNESS_FAULT, ""),
    ]
    assert "4 classes saved in " in text
    assert "0 of 4 failures without a class" in text
    assert "remove `draft: true`" in text
    report = read_only_report(published)
    assert report.draft
    assert report.net_impact is not None
    assert report.net_impact in report.text


def test_a_killed_command_has_lost_nothing_and_goes_on(published: DataFolder) -> None:
    """A class is in the file before its note is asked for; the next call begins after it."""
    with start_classifying(published) as session:
        session.press("m", "1 of 4")
        session.write("kept")
        session.press("a", "2 of 4")
        session.terminal.wait_for(NOTE)
        os.kill(session.terminal.pid, signal.SIGKILL)
        session.terminal.wait_for_end()
    before = [(FailureClass.MODEL_FAULT, "kept"), (FailureClass.AMBIGUOUS_TASK, "")]
    assert list_failure_classes(published) == [*before, (None, ""), (None, "")]
    with start_classifying(published) as session:
        session.press("k", "1 of 2")
        session.write("")
        session.press("\x04", "2 of 2")
        assert session.terminal.wait_for_end() == 0
        assert "1 class saved in " in session.terminal.text
        assert "To go on: leaderboard report aaaaaaaa --classify" in session.terminal.text
    assert list_failure_classes(published) == [*before, (FailureClass.KNOWN_GAP, ""), (None, "")]


def test_task_answer_message_and_tests_are_in_sight(published: DataFolder) -> None:
    """Texts from outside stand behind a mark, and have no effect on the terminal."""
    with start_classifying(published) as session:
        session.terminal.wait_for(KEYS)
        text = session.terminal.text
        session.terminal.type("q\r")
        assert session.terminal.wait_for_end() == 0
    (failure, *_) = read_only_report(published).failures
    assert f"[1 of 4] {failure.eval} sample 1" in text
    assert f"failed at {failure.step}" in text
    for heading in ("message:", "task:", "from the reference to the answer:"):
        assert heading in text
    assert "m model_fault, o overly_strict, a ambiguous_task" in text
    assert [each for each, _ in list_failure_classes(published)] == [None] * 4


def test_drafting_and_classifying_are_two_commands(published: DataFolder) -> None:
    """The order is named; no report is written."""
    arguments = ("report", RUN[:8], "--data", published.root, "--author", "me")
    both = run_command(*arguments, "--classify", "--draft-with", "openai/gpt-5", code=2)
    assert "draft first" in both.stderr
    assert list(published.list_report_files()) == []
