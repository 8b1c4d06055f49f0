"""`leaderboard withdraw`: a run is taken out of all scores; its record stays."""

from typing import Any

import click

from leaderboard.options import Reason, data_option, format_examples, json_option


@click.command(
    "withdraw",
    epilog=format_examples(
        'leaderboard withdraw 4p2bzjf --yes --why "sent with another model\'s key"',
        'leaderboard withdraw 4p2bzjf --undo --yes --why "the key was right after all"',
    ),
)
@click.argument("run")
@click.option(
    "--why", type=Reason(), metavar="TEXT", required=True, help="The reason; shown on the site."
)
@click.option("--by", metavar="NAME", help="Your name, for the record.  [default: git's user.name]")
@click.option("--undo", is_flag=True, help="Take its withdrawal back: the run counts again.")
@click.option("--yes", "agreed", is_flag=True, help="Do it without asking.")
@data_option
@json_option
def command(*, run: str, **options: Any) -> int:  # noqa: ANN401 - as withdraw_run says
    """Take a run out of all scores. Its record, its pages and the reason stay.

    RUN is the beginning of a run's id. The run, its verdicts and the changes of ranks are shown
    before anything is changed. --undo takes a withdrawal back; the record keeps both, with dates.
    """
    from leaderboard.runs.publish import withdraw_run  # noqa: PLC0415 - its imports take a second

    return withdraw_run(run, **options)
