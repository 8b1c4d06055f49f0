"""`leaderboard import`: results that others published become records in data/."""

from pathlib import Path

import click

from leaderboard.options import examples, json_option, new_data_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from runner.published_results.result_importers import IMPORTERS


@click.command(
    "import",
    epilog=examples(
        "leaderboard import published_analyses analyses.json",
    ),
)
@click.argument("importer", type=click.Choice(sorted(IMPORTERS)))
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@new_data_option
@json_option
def command(*, importer: str, source: Path, data_root: Path, as_json: bool) -> None:
    """Read SOURCE with IMPORTER; keep a copy in data/imports/ and write imported records."""
    paths = IMPORTERS[importer](source, DataFolder(data_root))
    if as_json:
        say_json({"written": [str(path) for path in paths]})
        return
    for path in paths:
        say(path)
