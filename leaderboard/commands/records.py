"""The commands about records: `leaderboard import` and `check`."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError

from leaderboard import options
from leaderboard.api.receiver import find_abandoned, find_damage
from leaderboard.delivery.outbox import Outbox
from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import ExitCode, is_json, say, say_json, say_result
from records.checks.check_data import check_all
from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import JOURNAL, RECORD, DataFolder, move_former_folders
from records.files.problems import describe_first_problem
from records.journal.entries import make_opening_entry
from records.journal.journal import repair
from records.reader import read_run
from records.runs.run_lookup import find_run
from records.shapes.attempt import AttemptKey
from records.shapes.base import Name
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.publishing import find_outdated_copies
from review.redaction import redact_text
from runner.published_results.board_results import ResultChoices
from runner.published_results.result_importers import FORMATS, import_results

_NAME = TypeAdapter[str](Name)


def _check_name(text: str) -> str:
    """Refuse a text that no record can hold as a name: too long, of several lines, or blank."""
    try:
        return _NAME.validate_python(text)
    except ValidationError as error:
        raise ValueError(describe_first_problem(error)) from error


_ANY_NAME = options.Checked(_check_name)


def _check_score(
    context: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """Refuse infinity and nan."""
    return None if value is None else options.require_finite(value, "score", parameter, context)


@options.command(
    "leaderboard import results.csv",
    "leaderboard import --pass-at 0.5 --name 'House rules' scores.csv",
    "leaderboard import analyses.json",
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=options.FILE,
)
@click.option(
    "--format",
    "named_format",
    type=click.Choice(FORMATS),
    help="The format of the files, where their content does not show it.",
)
@click.option(
    "--score",
    metavar="NAME",
    type=_ANY_NAME,
    help="The score that decides, where there are several.",
)
@click.option(
    "--pass-at",
    "passes_at",
    type=float,
    callback=_check_score,
    metavar="SCORE",
    help="The lowest score that passes, where scores are other numbers than 0 and 1.",
)
@click.option(
    "--name",
    type=_ANY_NAME,
    help="The name of the benchmark, where the file has none.",
)
@click.option(
    "--source",
    type=_ANY_NAME,
    help="Where the results were published: an address.",
)
@options.new_record_options
def import_command(
    *,
    files: tuple[Path, ...],
    named_format: str | None,
    data: DataFolder,
    **choices: Any,  # noqa: ANN401 - as ResultChoices says
) -> None:
    """Read results of other benchmarks and tools: each benchmark gets a board of its own.

    docs/another-benchmark.md describes the formats. A copy of the facts stays in data/imports/,
    without questions and answers; names and reasons of the other tool may quote them. The same
    results again make no second run.
    """
    imported = import_results(files, data, ResultChoices(**choices), redact_text, named_format)
    if is_json():
        say_json(
            {
                "written": [str(path) for path in sorted(imported.files)],
                "runs": [run.run_id for run in imported.runs.values()],
                "known": imported.known,
            }
        )
        return
    for path in sorted(imported.files):
        say(path)
    known_note = f", {imported.known} known already" if imported.known else ""
    versions = sorted({run.benchmark_version for run in imported.runs.values()})
    boards = f" of {', '.join(versions)}" if versions else ""
    new = format_count(len(imported.runs), "new run")
    say(f"{new}{boards}{known_note}; `leaderboard serve` shows all", err=True)


def repair_journal(data: DataFolder, run: str) -> None:
    """Set damaged lines of a run's journal aside, and print what is lost with them."""
    stored = find_run(data, run)
    if stored.journal is None:
        raise MissingRecordError(f"{stored.record}: the run has ended: no journal to repair")
    journal = stored.journal
    run_id = journal.name.removesuffix(JOURNAL)
    first_line = None
    with suppress(RecordsError):  # a record has the same plan as the journal's first line
        first_line = make_opening_entry(read_run(journal.with_name(run_id + RECORD)))
    journal_repair = repair(journal, first_line)
    resume = format_command_line("run", "--resume", run_id[:8], "--data", str(data.root))
    value = {
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
        "asked": [*map(_describe_place, journal_repair.asked)],
        "graded": [*map(_describe_place, journal_repair.graded)],
        "resume": resume if journal_repair.losses else None,
    }
    if not journal_repair.losses:
        say_result(value, [f"{journal}: nothing is damaged"])
        return
    unanswered, ungraded = {*journal_repair.asked}, {*journal_repair.graded}
    lines: list[str] = []
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
        lines.append(f"line {loss.number}, {size}: {description} ({loss.reason})")
    to_ask = format_count(len(unanswered), "attempt")
    lines += (
        f"Moved to {journal_repair.aside}",
        f"The run goes on with {to_ask} to ask for and {len(ungraded)} to grade.",
        f"Go on with:\n{resume}",
    )
    say_result(value, lines)


def _describe_place(place: AttemptKey) -> str:
    return f"{place.eval} sample {place.sample}"


@options.command(
    "leaderboard check",
    "leaderboard check --data /tmp/data --json",
    "leaderboard check --repair 3kq7zv2x",
    "leaderboard check --repair --names",
)
@click.argument("run", metavar="[RUN]", required=False)
@click.option("--strict", is_flag=True, help="Also fail on left-over files and waiting runs.")
@click.option(
    "--repair", is_flag=True, help="Set damaged lines of RUN's journal aside, and list them."
)
@click.option(
    "--names",
    is_flag=True,
    help="With --repair: move folders of models whose names Windows and GitHub refuse.",
)
@options.record_options
def check_command(
    *, run: str | None, strict: bool, repair: bool, names: bool, data: DataFolder
) -> int:
    """Check every record: valid, consistent, ids unique, report counts right.

    It also prints files that killed programs left in the folder, runs that wait to be sent to a
    server, and a suite beside the folder whose version is not minted. These are no faults of
    records, and only with --strict they are a reason to fail.

    With --repair, damaged lines are moved to a file beside the journal of RUN, the beginning of a
    run's id. Answers and verdicts in them are lost: `leaderboard run --resume` asks and grades
    again. With --names nothing is lost: folders that an earlier version named after a slug with a
    colon get their present names, in the published and in the local records.
    """
    if repair or names or run is not None:
        if not repair or names == (run is not None):
            raise click.UsageError("--repair needs either a RUN or --names, and they need --repair")
        if run is not None:
            repair_journal(data, run)
            return ExitCode.DONE
        try:
            moves = [*move_former_folders(data), *move_former_folders(data.local)]
        except FileExistsError as error:  # a file would replace another
            raise click.UsageError(str(error)) from error
        value = {"moved": [{"from": str(former), "to": str(now)} for former, now in moves]}
        nothing = [f"{data.root}: no folder of a model has a former name"]
        lines = [f"{former} is now {now}" for former, now in moves]
        say_result(value, lines or nothing)
        return ExitCode.DONE
    outbox = Outbox(data)
    problems = [*check_all(data), *outbox.find_damaged_notes(), *find_damage(data)]
    notices = [*outbox.describe_waiting()]
    notices += [
        f"{path}: left by a killed server; it has no data and may be removed"
        for path in find_abandoned(data)
    ]
    notices += [
        f"{path}: the session changed since it was published: `leaderboard session publish "
        f"{path.stem[:12]}` makes the copy anew"
        for path in find_outdated_copies(data)
    ]
    if not problems:
        from leaderboard.pinned_version import find_pin_behind  # noqa: PLC0415 - takes a second

        notices += [behind] if (behind := find_pin_behind(data)) else []
        notices += [unminted] if (unminted := _describe_unminted_suite(data)) else []
    failed = bool(problems or (strict and notices))
    rows = [{"path": str(p.path), "field": p.field, "reason": p.reason} for p in problems]
    lines = map(make_one_line, [*map(str, problems), *notices])
    result = format_count(len(problems), "problem") if problems else "all right"
    say_result(rows, [*lines, f"{data.root}: {result}"])
    return ExitCode.CHECK_FAILED if failed else ExitCode.DONE


def _describe_unminted_suite(data: DataFolder) -> str | None:
    """Return a sentence if the suite beside the data folder has no minted version."""
    try:
        # These imports take a while, too.
        from leaderboard.pinned_version import find_unminted  # noqa: PLC0415
        from runner.errors import InvalidEvalError  # noqa: PLC0415
        from runner.evals.discovery import discover  # noqa: PLC0415
        from runner.suite.mint import find_suite_beside  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        return f"not known whether the suite's version is minted: {missing.name} is not installed"

    root = find_suite_beside(data)
    if root is None:
        return None
    try:
        return find_unminted(discover(root))
    except InvalidEvalError as error:
        return str(error)
