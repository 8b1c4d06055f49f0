"""`leaderboard check`: every record in data/."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.streams import say, say_json
from records.checks import check_all, counted
from records.folder import DataFolder
from records.showing import one_line
from runner.jail.leftovers import left_over


@click.command(
    "check",
    epilog=examples(
        "leaderboard check",
        "leaderboard check --data /tmp/data --json",
    ),
)
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> int:
    """Check every record: valid, consistent, ids unique, report counts right.

    What killed runners left in temporary folders is named, too, and is no fault of a record.
    """
    problems = check_all(DataFolder(data_root))
    if as_json:
        rows = [{"path": str(p.path), "field": p.field, "reason": p.reason} for p in problems]
        say_json(rows)
        return 1 if problems else 0
    for problem in problems:
        say(one_line(str(problem)))
    for path in left_over():
        say(f"{path}: left by a runner that was killed; the next run that works there removes it")
    say(f"{data_root}: {counted(problems)}" if problems else f"{data_root}: all right")
    return 1 if problems else 0
