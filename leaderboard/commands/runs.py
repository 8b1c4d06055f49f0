"""`leaderboard runs`: a line for each run, or one run with its failures."""

from pathlib import Path
from typing import Any

import click

from leaderboard.options import data_option, format_examples, json_option, model_option


@click.command(
    "runs",
    epilog=format_examples(
        "leaderboard runs 4p2bzjf",
        "leaderboard runs --where local",
        "leaderboard runs -m anthropic/claude-opus-5.5 -e no_guidelines",
        "leaderboard runs --state interrupted --state incomplete",
        "leaderboard runs --json | jq -r '.[].run_id'",
    ),
)
@click.argument("run", metavar="[RUN]", required=False)
@model_option(help="Only these: slugs, baselines or litellm ids; repeatable, or a,b.")
@click.option("-e", "--experiment", help="Only runs under this experiment.")
@click.option(
    "--state",
    "states",
    type=click.Choice(["complete", "incomplete", "stopped", "interrupted", "going"]),
    multiple=True,
    help="Only runs in this state; repeatable.",
)
@click.option(
    "--where",
    "places",
    type=click.Choice(["local", "published", "withdrawn"]),
    multiple=True,
    help="Only local, published or withdrawn runs; repeatable.",
)
@data_option
@json_option
def command(*, run: str | None, data_root: Path, as_json: bool, **chosen: Any) -> int:  # noqa: ANN401 - as ListedRunsFilter says
    """List runs, newest first; or show RUN, the beginning of a run's id.

    A run is complete if each attempt has a verdict, and incomplete if it has ended without some
    verdicts. It is stopped if Ctrl-C or a budget ended it, going while a program executes it, and
    interrupted if this program was killed. On a narrow terminal names are cut and some columns are
    left out; a pipe gets all. If a record cannot be read, the others are listed, and the exit code
    is 1.

    Of RUN the output has facts, outcomes, each attempt that did not pass with its reason, the cost,
    the path of the record, and the next commands.
    """
    # Their imports take a second.
    from leaderboard.runs.list import ListedRunsFilter, list_runs, show_run  # noqa: PLC0415

    if run is None:
        return list_runs(data_root, ListedRunsFilter(**chosen), as_json=as_json)
    if any(chosen.values()):
        raise click.UsageError("RUN: -m, -e, --state and --where choose runs of the list only")
    return show_run(data_root, run, as_json=as_json)
