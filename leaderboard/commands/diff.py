"""`leaderboard diff`: the changes between two runs, two guidelines, or two revisions."""

from pathlib import Path
from typing import Any

import click

from leaderboard.command_groups import SharedOption
from leaderboard.options import FOLDER, data_option, format_examples, json_option


@click.command(
    "diff",
    epilog=format_examples(
        "leaderboard diff jn7fgntk jn741xc0",
        "leaderboard diff old-guidelines.md evals/guidelines.md",
        "leaderboard diff origin/main HEAD --markdown --max-chars 60000 > comment.md",
        "leaderboard diff origin/main HEAD --merge",
        "leaderboard diff origin/main HEAD --fail-on regression",
    ),
)
@click.argument("before")
@click.argument("after")
@click.option(
    "--text",
    "form",
    flag_value="text",
    help="Tables that fit the terminal.  [default on a terminal]",
)
@click.option(
    "--markdown", "form", flag_value="markdown", help="For comments.  [default in a pipe or file]"
)
@click.option("--max-chars", type=click.IntRange(min=1000), metavar="N", help="Limit of markdown.")
@click.option("--site-url", metavar="URL", help="The site of AFTER, for links to its pages.")
@click.option(
    "--fail-on",
    type=click.Choice(["regression"]),
    help="End with 1 if AFTER is surely worse, with 2 if this is not known.",
)
@click.option("--merge", is_flag=True, help="Of revisions: the changes by merging AFTER.")
@click.option(
    "--suite-check",
    "checks",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file with results of `leaderboard suite check --json`.",
)
@click.option(
    "--evals",
    "evals_root",
    cls=SharedOption,
    type=FOLDER,
    help="The suite.  [default: evals, beside the data folder]",
)
@data_option
@json_option
def command(*, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as DiffOptions says
    """Show the changes from BEFORE to AFTER: evals fixed and broken, ranks, cost.

    Each of the two is the beginning of a run's id, a file of guidelines (for all runs that were
    sent its text), or a git revision. Of revisions, the evals, guidelines, models and published
    records are compared. The standard of docs/method.md decides whether a difference is more than
    chance.
    """
    from leaderboard.changes import diff  # noqa: PLC0415 - its imports take a second

    if as_json and options["form"] is not None:
        raise click.UsageError(f"--json and --{options['form']} contradict one another")
    options |= {"form": "json"} if as_json else {}
    return diff.diff(diff.DiffOptions(**options))
