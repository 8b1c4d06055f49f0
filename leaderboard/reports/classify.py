"""The dialog of `leaderboard report --classify`: for each failure the user types a key.

The key is that of the failure's class.
"""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click

from leaderboard.terminal.streams import say
from records.shapes.attempt import Outcome
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.reports.evidence import FailedAttempt
from runner.reports.report_markdown import diff_file
from runner.reports.write import FailureToClass, save_class

KEYS: Final[Mapping[str, FailureClass]] = MappingProxyType(
    {
        "m": FailureClass.MODEL_FAULT,
        "o": FailureClass.OVERLY_STRICT,
        "a": FailureClass.AMBIGUOUS_TASK,
        "k": FailureClass.KNOWN_GAP,
        "h": FailureClass.HARNESS_FAULT,
    }
)
_MOVES: Final = "s skip, b back, t whole task, d whole answer, q quit"
_TASK_LINES: Final = 12
_MESSAGE_LINES: Final = 12
_DIFF_LINES: Final = 40
_EVERYTHING: Final = 5_000
"""The most lines of a whole task or a whole answer."""
_WIDEST: Final = 300
_END: Final = frozenset({"\x03", "\x04", ""})
_BEGINNINGS: Final = frozenset({b"\x1b", *(bytes([byte]) for byte in range(0x80, 0x100))})
"""The first bytes of keys and letters that have several bytes."""
_TOGETHER_S: Final = 0.02
"""The longest pause, in seconds, between the bytes of a key."""


def check_terminal(path: Path | None) -> None:
    """Check that the command runs on a terminal; ``path`` is the path of an existing report.

    Raises:
        click.UsageError: there is no terminal; the message explains how to edit the report.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        return
    location = f"in {path}" if path else "in the report that `leaderboard report RUN` writes"
    raise click.UsageError(
        "--classify asks by single keys and needs a terminal; without one, write `class` and "
        f"`note` of each failure {location}: {', '.join(FailureClass)}"
    )


def classify(path: Path, failures: Sequence[FailureToClass]) -> int:
    """Ask for the class of each failure without a class; return the number of classed failures.

    Each answer is written to the file before the next question. Ctrl-C and Ctrl-D end the dialog
    as q does.

    Raises:
        RecordsError: the report can no longer be read or written.
    """
    entries = {failure.place: failure.entry for failure in failures}
    waiting = [failure for failure in failures if failure.entry.failure_class is None]
    classed: set[tuple[str, int | None]] = set()
    at = 0
    try:
        while at < len(waiting):
            failure = waiting[at]
            _show_failure(failure, entries[failure.place], f"{at + 1} of {len(waiting)}")
            key = _ask_key(failure)
            if key in KEYS:
                entries[failure.place] = _save_answer(path, failure, KEYS[key])
                classed.add(failure.place)
                at += 1
            elif key == "q":
                break
            else:
                at = max(at - 1, 0) if key == "b" else at + 1
    except (KeyboardInterrupt, EOFError, click.Abort):
        say()
    unclassed = sum(entry.failure_class is None for entry in entries.values())
    saved = format_count(len(classed), "class", "classes")
    say(
        f"{saved} saved in {path}; "
        f"{unclassed} of {format_count(len(entries), 'failure')} without a class"
    )
    return len(classed)


def _save_answer(
    path: Path, failure: FailureToClass, failure_class: FailureClass
) -> ClassedFailure:
    """Save a class, ask for a note, and save this, too, if there is one; return the entry."""
    entry = save_class(path, failure.place, failure_class, None)
    say(f"{failure_class}, saved")
    if entry.note:
        say(f"note so far: {make_one_line(entry.note)}")
    note = input("note (one line; Enter leaves it as it is): ")
    if note.strip():
        entry = save_class(path, failure.place, failure_class, note)
    return entry


def _ask_key(failure: FailureToClass) -> str:
    """Return the key of a class or of a move; the keys t and d only show whole texts."""
    attempt = failure.attempts[0]
    while True:
        classes = ", ".join(f"{key} {failure_class}" for key, failure_class in KEYS.items())
        say(f"{classes}\n{_MOVES}")
        key = _read_key()
        if key in _END:
            raise KeyboardInterrupt
        if key == "t":
            _say_lines((attempt.task or "").splitlines(), _EVERYTHING)
        elif key == "d":
            _say_lines(_list_answer_lines(attempt), _EVERYTHING)
        elif key in {*KEYS, "s", "b", "q"}:
            return key


def _read_key() -> str:
    """Return the next key; a blank for a key with several bytes, such as an arrow.

    click is not used, because it drops keys that were typed before its call.
    """
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        key = os.read(terminal, 1)
        several = key in _BEGINNINGS
        while key in _BEGINNINGS and select.select([terminal], [], [], _TOGETHER_S)[0]:
            os.read(terminal, 1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return " " if several else key.decode("ascii", "replace")


# --- One failure -----------------------------------------------------------------------------


def _show_failure(failure: FailureToClass, entry: ClassedFailure, number: str) -> None:
    failed_attempt = failure.attempts[0]
    attempt = failed_attempt.attempt
    other_samples = len(failure.attempts) - 1
    samples_text = f", and {format_count(other_samples, 'more sample')}" if other_samples else ""
    say(f"\n{'─' * 72}")
    say(f"[{number}] {attempt.eval} sample {attempt.sample}{samples_text}")
    if entry.failure_class is not None:
        say(f"class so far: {entry.failure_class}. {make_one_line(entry.note)}")
    say(f"failed at {attempt.failed_step or 'a step that was not published'}")
    for test in attempt.tests or ():
        if test.outcome is Outcome.FAILED:
            say(f"  failed test: {make_one_line(test.title, _WIDEST)}")
    say("\nmessage:")
    _say_lines(failed_attempt.message.splitlines(), _MESSAGE_LINES)
    say("\ntask:")
    if failed_attempt.task is None:
        say("  (today's suite has no such eval)")
    else:
        _say_lines(failed_attempt.task.splitlines(), _TASK_LINES)
    say("\nfrom the reference to the answer:")
    if failed_attempt.answer is None:
        say("  (the answer is not archived)")
    else:
        _say_lines(list(_list_changes(failed_attempt)), _DIFF_LINES)
    for earlier in failed_attempt.earlier[:3]:
        note = make_one_line(earlier.note, _WIDEST)
        say(f"earlier, {earlier.slug}: {earlier.failure_class}. {note}")
    if entry.proposal is not None:
        reason = make_one_line(entry.proposal.reason, _WIDEST)
        say(f"proposed by {entry.proposal.by}: {entry.proposal.failure_class}. {reason}")
    say()


def _list_changes(failure: FailedAttempt) -> Iterator[str]:
    answer = failure.answer or {}
    for path in sorted({*failure.reference, *answer}):
        before, after = failure.reference.get(path, ""), answer.get(path, "")
        if before != after:
            yield from diff_file(path, before, after).splitlines()


def _list_answer_lines(failure: FailedAttempt) -> list[str]:
    files = sorted((failure.answer or {}).items())
    return [line for path, text in files for line in (f"--- {path}", *text.splitlines())]


def _say_lines(lines: Sequence[str], most: int) -> None:
    """Print lines of a text from outside, with a mark that the program's own lines lack."""
    for line in lines[:most]:
        say(f"  | {line if len(line) <= _WIDEST else f'{line[:_WIDEST]}…'}")
    if len(lines) > most:
        say(f"  ({format_count(len(lines) - most, 'more line')})")
