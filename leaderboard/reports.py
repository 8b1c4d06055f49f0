"""The work of `leaderboard report` and its dialog."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.git import read_git_user
from leaderboard.project import build_data_option
from leaderboard.runs.run_summary import suggest_publication
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import ExitCode, is_json, say, say_aside, say_result
from records.files.data_folder import DataFolder
from records.reader import find_reports, read_models
from records.shapes.attempt import Outcome
from records.shapes.registry import ModelEntry
from records.shapes.report import ClassedFailure
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.desk.shortcuts import CLASSES
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.registry import resolve_model
from runner.models.sent import make_dry_request
from runner.reports import write
from runner.reports.proposals import Drafted, draft_proposals
from runner.reports.write import diff_file, list_failed_attempts


def report(  # noqa: PLR0913 - the options of the command
    *,
    run: str,
    author: str | None,
    draft_with: str | None,
    budget: float | None,
    api_base: str | None,
    evals_root: Path,
    data: DataFolder,
    update: bool,
    classify: bool,
) -> int:
    """Write the report; return the exit code.

    With ``classify``, a person is asked for the classes, one failure at a time.
    """
    if classify and (draft_with is not None or is_json()):
        drafting = "--classify and --draft-with are two commands: draft first"
        printing = "--classify asks on the terminal: leave out --json"
        raise click.UsageError(printing if draft_with is None else drafting)
    model = None
    if draft_with is not None:
        load_keys()
        model = make_dry_request(
            resolve_model(draft_with, read_models(data), api_base=api_base)
        ).entry
    subject = write.find_subject(data, discover(evals_root), run)
    today = datetime.now(UTC).date()
    if classify:
        existing = next(find_reports(subject.home, subject.run), None)
        author = existing[1].author if existing else author or read_git_user("--author")
        if existing is None or update:
            written = write.write_report(subject, author, today, update=update)
            path, report, failures = written.path, written.report, written.failures
        else:
            path, report = existing
            failures = list_failed_attempts(subject)
        if not report.unclassed:
            say(f"{path}: every failure has a class; to change one, edit the file")
            return ExitCode.DONE
        if ask_classes(path, write.list_failures_to_class(report, failures)):
            # The net impact and the text of the report depend on the classes.
            report = write.write_report(subject, author, today, update=True).report
        if not report.unclassed:
            actions = "Write the actions taken below the mark, remove `draft: true`"
            say(f"{actions}, then: leaderboard check")
        else:
            say(f"To go on: leaderboard report {subject.run.short_id} --classify")
        return ExitCode.DONE
    written = write.write_report(subject, author or read_git_user("--author"), today, update=update)
    drafted: list[Drafted] = []
    if model is not None:
        drafted = _draft_classes(written, model, budget)
    code = (
        ExitCode.INFRASTRUCTURE
        if any(entry.proposal is None for entry in drafted)
        else ExitCode.DONE
    )
    unclassed = written.report.unclassed
    row = {
        "run_id": written.report.run,
        "report": str(written.path),
        "is_new": written.is_new,
        "failures": len(written.report.failures),
        "without_class": unclassed,
        "proposals": [
            {
                "eval": entry.failure.attempt.eval,
                "sample": entry.failure.attempt.sample,
                "class": entry.proposal and entry.proposal.failure_class,
                "problem": entry.problem,
            }
            for entry in drafted
        ],
    }
    state = "" if written.is_new else ": brought up to date; classes and notes stay"
    lines = [f"{written.path}{state}"]
    if unclassed:
        whole = format_count(len(written.report.failures), "failure")
        lines.append(
            f"{unclassed} of {whole} {'has' if unclassed == 1 else 'have'} no class yet: "
            f"leaderboard report {subject.run.short_id} --classify"
        )
    say_result(row, lines)
    of_data = build_data_option(data)
    after = suggest_publication(subject.run, data)
    say_next([format_command_line("check", *of_data), *after])
    return code


def _draft_classes(
    written: write.WrittenReport, model: ModelEntry, budget_usd: float | None
) -> list[Drafted]:
    """Ask the model for a class of each failure without one; return the results.

    Each proposal is written to the report before it is printed.
    """
    open_evals = {
        failure.place for failure in written.report.failures if failure.failure_class is None
    }
    unclassed = [
        failure
        for failure in written.failures
        if failure.attempt.place in open_evals or (failure.attempt.eval, None) in open_evals
    ]
    proposals: list[Drafted] = []

    def save_proposal(drafted: Drafted) -> None:
        attempt = drafted.failure.attempt
        proposals.append(drafted)
        if drafted.proposal is None:
            say(f"{attempt.eval}: no proposal: {drafted.problem}", err=True)
            return
        write.attach_proposal(written.path, attempt, drafted.proposal)
        say_aside(f"{attempt.eval}: {drafted.proposal.failure_class} is proposed")

    asyncio.run(draft_proposals(unclassed, model, budget_usd=budget_usd, done=save_proposal))
    return proposals


KEYS = {key: failure_class for key, failure_class, _ in CLASSES}
_MOVES = "s skip, b back, t whole task, d whole answer, q quit"
_TASK_LINES = 12
_MESSAGE_LINES = 12
_DIFF_LINES = 40
_EVERYTHING = 5_000
"""The most lines of a whole task or a whole answer."""
_WIDEST = 300
MOST_EARLIER = 3
"""The most findings of earlier reports that are shown beside a failure."""


def ask_classes(path: Path, failures: Sequence[write.FailureToClass]) -> int:
    """Ask for the class of each failure without a class; return the number of classed failures.

    Each answer is written to the file before the next question. Ctrl-C and Ctrl-D end the dialog
    as q does.

    Raises:
        RecordsError: the report can no longer be read or written.
    """
    entries = {failure.entry.place: failure.entry for failure in failures}
    waiting = [failure for failure in failures if failure.entry.failure_class is None]
    classed: set[tuple[str, int | None]] = set()
    at = 0
    try:
        while at < len(waiting):
            failure = waiting[at]
            _show_failure(failure, entries[failure.entry.place], f"{at + 1} of {len(waiting)}")
            key = _ask_key(failure)
            if key in KEYS:
                failure_class = KEYS[key]
                entry = write.save_class(path, failure.entry.place, failure_class, None)
                say(f"{failure_class}, saved")
                if entry.note:
                    say(f"note so far: {make_one_line(entry.note)}")
                note = input("note (one line; Enter leaves it as it is): ")
                if note.strip():
                    entry = write.save_class(path, failure.entry.place, failure_class, note)
                entries[failure.entry.place] = entry
                classed.add(failure.entry.place)
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


def _ask_key(failure: write.FailureToClass) -> str:
    """Return the key of a class or of a move; the keys t and d only show whole texts."""
    attempt = failure.attempts[0]
    while True:
        classes = ", ".join(f"{key} {failure_class}" for key, failure_class in KEYS.items())
        say(f"{classes}\n{_MOVES}")
        key = input("> ").strip()
        if key == "t":
            _say_lines((attempt.task or "").splitlines(), _EVERYTHING)
        elif key == "d":
            files = sorted((attempt.answer or {}).items())
            texts = [(f"--- {path}", *text.splitlines()) for path, text in files]
            _say_lines([line for lines in texts for line in lines], _EVERYTHING)
        elif key in {*KEYS, "s", "b", "q"}:
            return key


# --- One failure -----------------------------------------------------------------------------


def _show_failure(failure: write.FailureToClass, entry: ClassedFailure, number: str) -> None:
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
        before, after = failed_attempt.reference, failed_attempt.answer
        changes = [
            line
            for path in sorted({*before, *after})
            if before.get(path, "") != after.get(path, "")
            for line in diff_file(path, before.get(path, ""), after.get(path, "")).splitlines()
        ]
        _say_lines(changes, _DIFF_LINES)
    for earlier in failed_attempt.earlier[:MOST_EARLIER]:
        note = make_one_line(earlier.note, _WIDEST)
        say(f"earlier, {earlier.slug}: {earlier.failure_class}. {note}")
    if entry.proposal is not None:
        reason = make_one_line(entry.proposal.reason, _WIDEST)
        say(f"proposed by {entry.proposal.by}: {entry.proposal.failure_class}. {reason}")
    say()


def _say_lines(lines: Sequence[str], most: int) -> None:
    """Print lines of a text from outside, with a mark that the program's own lines lack."""
    for line in lines[:most]:
        say(f"  | {line if len(line) <= _WIDEST else f'{line[:_WIDEST]}…'}")
    if len(lines) > most:
        say(f"  ({format_count(len(lines) - most, 'more line')})")
