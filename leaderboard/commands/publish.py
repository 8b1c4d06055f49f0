"""`leaderboard publish`: local runs are moved to the published records."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option, why_publish_option


@click.command(
    "publish",
    epilog=format_examples(
        "leaderboard publish 4p2bzjf",
        'leaderboard publish 4p2bzjf --why "the provider refuses two of the tasks"',
    ),
)
@click.argument("runs", nargs=-1, required=True)
@why_publish_option
@data_option
@json_option
def command(*, runs: tuple[str, ...], why: str | None, data_root: Path, as_json: bool) -> int:
    """Move local runs with their archives and reports to data/, and show the changes.

    RUNS are beginnings of run ids. Some runs are refused without --why: runs that are incomplete,
    of a part of the suite, of a version that is not minted, or made by a program with uncommitted
    changes. The reason is kept in the record. `run --publish` refuses the same runs before any
    model is asked.
    """
    from leaderboard.runs.publish import publish_runs  # noqa: PLC0415 - its imports take a second

    return publish_runs(runs, why, data_root, as_json=as_json)
