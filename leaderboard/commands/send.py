"""`leaderboard send`: runs are sent to a server that does not have them yet."""

from functools import partial
from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json


@click.command(
    "send",
    epilog=format_examples(
        "leaderboard send                                    # all that wait",
        "leaderboard send 4p2bzjf --to https://scores.example.org",
    ),
)
@click.argument("runs", nargs=-1)
@click.option("--to", "address", metavar="URL", help="The server; else that of --report-to.")
@data_option
@json_option
def command(*, runs: tuple[str, ...], address: str | None, data_root: Path, as_json: bool) -> int:
    """Send runs to a server of scores: those given, else all that wait.

    RUNS are beginnings of run ids. Results that the server has are not sent again. The key of the
    server is in LEADERBOARD_REPORT_KEY, in the environment or in .env. Ends with 3 if the server
    does not answer.
    """
    # Imported here, so that help comes before seconds of imports.
    from leaderboard.delivery.outbox import Outbox  # noqa: PLC0415
    from leaderboard.delivery.send import send  # noqa: PLC0415
    from records.files.data_folder import DataFolder  # noqa: PLC0415

    data = DataFolder(data_root)
    code = send(runs, address, data, partial(say, err=as_json))
    if as_json:
        say_json({"left": [note.model_dump(mode="json") for note in Outbox(data)]})
    return code
