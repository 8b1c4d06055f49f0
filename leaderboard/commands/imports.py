"""`leaderboard import`: read results that others published into data/."""

from pathlib import Path

import click

from leaderboard.options import examples, new_data_option
from leaderboard.streams import say
from records.folder import DataFolder
from runner.published_results.importers import IMPORTERS


@click.command(
    "import",
    epilog=examples(
        "leaderboard import published_analyses analyses.json",
    ),
)
@click.argument("importer", type=click.Choice(sorted(IMPORTERS)))
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@new_data_option
def command(*, importer: str, source: Path, data_root: Path) -> None:
    """Read SOURCE with IMPORTER; keep a copy in data/imports/ and write imported records."""
    for path in IMPORTERS[importer](source, DataFolder(data_root)):
        say(path)
