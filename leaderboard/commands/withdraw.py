"""`leaderboard withdraw`: take a run out of scores and keep its record."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples


@click.command(
    "withdraw",
    epilog=examples('leaderboard withdraw 4p2bzjf --why "sent with another model\'s key"'),
)
@click.argument("run")
@click.option("--why", metavar="TEXT", required=True, help="The reason; shown on the site.")
@click.option("--by", metavar="NAME", help="Who withdraws it.  [default: user.name of git]")
@data_option
def command(*, run: str, why: str, by: str | None, data_root: Path) -> int:
    """Take a run out of all scores. Its record, its pages and the reason stay."""
    from leaderboard.publishing import withdraw_run  # noqa: PLC0415 - its imports take a second

    return withdraw_run(run, why, by, data_root)
