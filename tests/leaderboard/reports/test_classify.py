"""Questions of `leaderboard report --classify`: a failure at a time, each answer saved at once."""

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_report
from records.shapes.failure_classes import FailureClass
from records.shapes.report import Report
from records.writer import write_record, write_run
from tests.leaderboard.commanding import Terminal
from tests.records import examples
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration

RUN: Final = "a" * 32
KEYS: Final = "q quit"
NOTE: Final = "Enter leaves it as it is): "


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A published run of twelve evals; four of them failed."""
    folder = DataFolder(tmp_path / "data")
    write_record(folder.benchmarks, examples.make_benchmark())
    write_run(folder, examples.make_run(RUN, evals=12))
    return folder


class Session:
    """The command on a terminal; each step waits for the next output."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def press(self, key: str, number: str) -> None:
        """Press a key at the failure of that number, once its keys are drawn."""
        self._wait(f"[{number}] ")
        self._wait(KEYS)
        self.terminal.type(key)

    def write_key(self, key: str) -> None:
        """Press a key once the keys of the failure at hand are drawn again."""
        self._wait(KEYS)
        self.terminal.type(key)

    def write(self, note: str) -> None:
        """Write a note when the command asks for it."""
        self._wait(NOTE)
        self.terminal.type(f"{note}\r")

    def _wait(self, text: str) -> None:
        self.terminal.wait_for(text)
        # A text that was waited for is not found a second time.
        self.terminal.drawn = self.terminal.text.partition(text)[2]


@contextmanager
def start_classifying(data: DataFolder) -> Generator[Session]:
    """Run the command on a terminal."""
    arguments = ["report", RUN[:8], "--classify", "--data", str(data.root), "--author", "me"]
    with Terminal(arguments, columns=120) as terminal:
        yield Session(terminal)


def read_only_report(data: DataFolder) -> Report:
    """Return the only report in ``data``."""
    (path,) = data.list_report_files()
    return read_report(path)


def list_failure_classes(data: DataFolder) -> list[tuple[FailureClass | None, str]]:
    """Return class and note of each failure."""
    return [(each.failure_class, each.note) for each in read_only_report(data).failures]


def test_classes_and_notes_are_given_by_key(data: DataFolder) -> None:
    """A failure can be skipped, and another shown again; the report follows at the end."""
    with start_classifying(data) as session:
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
    assert list_failure_classes(data) == [
        (FailureClass.MODEL_FAULT, "the index is missing ⟦U+0007⟧"),
        (FailureClass.OVERLY_STRICT, ""),
        (FailureClass.KNOWN_GAP, "as others"),
        (FailureClass.HARNESS_FAULT, ""),
    ]
    assert "4 classes saved in " in text
    assert "0 of 4 failures without a class" in text
    assert "remove `draft: true`" in text
    report = read_only_report(data)
    assert report.draft
    assert report.net_impact is not None
    assert report.net_impact in report.text


def test_a_killed_command_has_lost_nothing_and_goes_on(data: DataFolder) -> None:
    """A class is in the file before its note is asked for; the next call begins after it."""
    with start_classifying(data) as session:
        session.press("m", "1 of 4")
        session.write("kept")
        session.press("a", "2 of 4")
        session.terminal.wait_for(NOTE)
        os.kill(session.terminal.pid, signal.SIGKILL)
        session.terminal.wait_for_end()
    before = [(FailureClass.MODEL_FAULT, "kept"), (FailureClass.AMBIGUOUS_TASK, "")]
    assert list_failure_classes(data) == [*before, (None, ""), (None, "")]
    with start_classifying(data) as session:
        session.press("k", "1 of 2")
        session.write("")
        session.press("\x03", "2 of 2")
        assert session.terminal.wait_for_end() == 0
        assert "1 class saved in " in session.terminal.text
        assert "To go on: leaderboard report aaaaaaaa --classify" in session.terminal.text
    assert list_failure_classes(data) == [*before, (FailureClass.KNOWN_GAP, ""), (None, "")]


def test_task_answer_message_and_tests_are_in_sight(data: DataFolder) -> None:
    """Texts from outside stand behind a mark, and have no effect on the terminal."""
    with start_classifying(data) as session:
        session.terminal.wait_for(KEYS)
        text = session.terminal.text
        session.terminal.type("q")
        assert session.terminal.wait_for_end() == 0
    (failure, *_) = read_only_report(data).failures
    assert f"[1 of 4] {failure.eval} sample 1" in text
    assert f"failed at {failure.step}" in text
    for heading in ("message:", "task:", "from the reference to the answer:"):
        assert heading in text
    assert "m model_fault, o overly_strict, a ambiguous_task" in text
    assert [each for each, _ in list_failure_classes(data)] == [None] * 4


def test_without_a_terminal_it_names_the_remedy(data: DataFolder) -> None:
    """The error names the classes and the file of an existing report; no report is written."""
    arguments = ("report", RUN[:8], "--data", data.root, "--author", "me")
    ended = run_command(*arguments, "--classify")
    assert ended.returncode == 2
    assert "needs a terminal" in ended.stderr
    assert "model_fault, overly_strict, ambiguous_task, known_gap, harness_fault" in ended.stderr
    assert list(data.list_report_files()) == []
    assert run_command(*arguments).returncode == 0
    (path,) = data.list_report_files()
    assert str(path) in run_command(*arguments, "--classify").stderr
    both = run_command(*arguments, "--classify", "--draft-with", "openai/gpt-5")
    assert both.returncode == 2
    assert "draft first" in both.stderr
