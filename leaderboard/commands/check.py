"""`leaderboard check`: every record in data/ is checked."""

from pathlib import Path

import click

from leaderboard.api import inbox
from leaderboard.delivery.outbox import Outbox
from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say_result
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.publishing import find_outdated_copies


@click.command(
    "check",
    epilog=format_examples(
        "leaderboard check",
        "leaderboard check --data /tmp/data --json",
        "leaderboard check --repair 3kq7zv2x",
        "leaderboard check --repair --names",
    ),
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
@data_option
@json_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *, run: str | None, strict: bool, repair: bool, names: bool, data_root: Path, as_json: bool
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
    data = DataFolder(data_root)
    if repair or names or run is not None:
        if not repair or names == (run is not None):
            raise click.UsageError("--repair needs either a RUN or --names, and they need --repair")
        from leaderboard.runs.journal_repair import move_folders, repair_journal  # noqa: PLC0415

        if run is None:
            move_folders(data, as_json=as_json)
        else:
            repair_journal(data, run, as_json=as_json)
        return 0
    outbox = Outbox(data)
    problems = [*check_all(data), *outbox.find_damaged_notes(), *inbox.find_damage(data)]
    notices = [*outbox.describe_waiting()]
    notices += [
        f"{path}: left by a killed server; it has no data and may be removed"
        for path in inbox.find_abandoned(data)
    ]
    notices += [
        f"{path}: the session changed since it was published: `leaderboard session publish "
        f"{path.stem[:12]}` makes the copy anew"
        for path in find_outdated_copies(data)
    ]
    if not problems:
        from leaderboard.suites.pinned_version import find_pin_behind  # noqa: PLC0415 - takes a second

        notices += [behind] if (behind := find_pin_behind(data)) else []
        notices += [unminted] if (unminted := _describe_unminted_suite(data)) else []
    failed = bool(problems or (strict and notices))
    rows = [{"path": str(p.path), "field": p.field, "reason": p.reason} for p in problems]
    lines = map(make_one_line, [*map(str, problems), *notices])
    result = format_count(len(problems), "problem") if problems else "all right"
    say_result(rows, [*lines, f"{data_root}: {result}"], as_json=as_json)
    return 1 if failed else 0


def _describe_unminted_suite(data: DataFolder) -> str | None:
    """Return a sentence if the suite beside the data folder has no minted version."""
    try:
        # These imports take a while, too.
        from leaderboard.suites.minted_version import find_unminted  # noqa: PLC0415
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
