"""`leaderboard runs show`: a run, its failures, and the next commands."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option


@click.command("show", epilog=format_examples("leaderboard runs show 4p2bzjf"))
@click.argument("run")
@data_option
@json_option
def command(*, run: str, data_root: Path, as_json: bool) -> int:
    """Show a run: RUN is the beginning of its id, of at least four characters.

    The output has facts, outcomes, each attempt that did not pass with its reason, the cost, the
    path of the record, and the next commands.
    """
    from leaderboard.runs.list import show_run  # noqa: PLC0415 - its imports take a second

    return show_run(data_root, run, as_json=as_json)
