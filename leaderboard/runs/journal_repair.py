"""The work of `leaderboard check --repair`: damaged lines of a run's journal are set aside."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import say, say_json
from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import JOURNAL, RECORD, DataFolder
from records.journal.entries import AttemptKey, Opened
from records.journal.repair import Repair, repair
from records.reader import read_run
from records.runs.former_folders import move_former_folders
from records.runs.run_lookup import find_run
from records.text.numbers import format_count
from runner.runs.record import make_opening_entry


def repair_journal(data: DataFolder, run: str, *, as_json: bool) -> None:
    """Set damaged lines of a run's journal aside, and print what is lost with them."""
    journal = _find(run, data)
    run_id = journal.name.removesuffix(JOURNAL)
    journal_repair = repair(journal, _rebuild_first_line(journal.with_name(run_id + RECORD)))
    resume = format_command_line("run", "--resume", run_id[:8], "--data", str(data.root))
    if as_json:
        say_json(
            {**_build_row(journal_repair), "resume": resume if journal_repair.losses else None}
        )
        return
    if not journal_repair.losses:
        say(f"{journal}: nothing is damaged")
        return
    for line in _describe_repair(journal_repair):
        say(line)
    say(f"Go on with:\n{resume}")


def move_folders(data: DataFolder, *, as_json: bool) -> None:
    """Move the folders of models that have former names, and print each.

    Raises:
        UsageError: a file would replace another.
    """
    try:
        moves = [*move_former_folders(data), *move_former_folders(data.local)]
    except FileExistsError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        say_json({"moved": [{"from": str(former), "to": str(now)} for former, now in moves]})
        return
    for former, now in moves:
        say(f"{former} is now {now}")
    if not moves:
        say(f"{data.root}: no folder of a model has a former name")


def _find(beginning: str, data: DataFolder) -> Path:
    stored = find_run(data, beginning)
    if stored.journal is None:
        raise MissingRecordError(f"{stored.record}: the run has ended: no journal to repair")
    return stored.journal


def _rebuild_first_line(record: Path) -> Opened | None:
    """Return the first line of a journal, made from a run's record; None without a record."""
    with suppress(RecordsError):
        return make_opening_entry(read_run(record))
    return None


def _describe_repair(journal_repair: Repair) -> Iterator[str]:
    """Yield a line for each removed part, and a line with the attempts that a resume repeats."""
    unanswered, ungraded = {*journal_repair.asked}, {*journal_repair.graded}
    for loss in journal_repair.losses:
        contents = {"generated": "an answer", "graded": "a verdict", "opened": "what the run is"}
        description = contents.get(loss.kind or "", "nothing that can be read")
        if loss.place is not None:
            description += f" of {_describe_place(loss.place)}"
            if loss.place in unanswered:
                description += ", to be asked for"
            elif loss.place in ungraded:
                description += ", to be graded again"
        size = format_count(loss.size, "byte")
        yield f"line {loss.number}, {size}: {description} ({loss.reason})"
    yield f"Moved to {journal_repair.aside}"
    to_ask = format_count(len(unanswered), "attempt")
    yield f"The run goes on with {to_ask} to ask for and {len(ungraded)} to grade."


def _build_row(journal_repair: Repair) -> dict[str, object]:
    """Return the repair of a journal as JSON."""
    return {
        "journal": str(journal_repair.journal),
        "aside": str(journal_repair.aside) if journal_repair.losses else None,
        "losses": [
            {
                "line": loss.number,
                "bytes": loss.size,
                "kind": loss.kind,
                "attempt": None if loss.place is None else _describe_place(loss.place),
                "reason": loss.reason,
            }
            for loss in journal_repair.losses
        ],
        "asked": [_describe_place(attempt_key) for attempt_key in journal_repair.asked],
        "graded": [_describe_place(attempt_key) for attempt_key in journal_repair.graded],
    }


def _describe_place(place: AttemptKey) -> str:
    return f"{place.eval} sample {place.sample}"
