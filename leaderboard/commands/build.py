"""`leaderboard build`: the site from data/."""

from pathlib import Path

import click

from generator.build import Sources, build
from leaderboard.options import data_option, evals_option, out_option, templates_option
from records.folder import DataFolder


@click.command("build")
@out_option
@click.option("--local", is_flag=True, help="Show development runs too, marked as local.")
@templates_option
@evals_option
@data_option
def command(*, out: Path, local: bool, templates: Path, evals_root: Path, data_root: Path) -> None:
    """Build the site from the published records."""
    sources = Sources(DataFolder(data_root), templates, evals_root, local=local)
    written = build(sources, out)
    click.echo(
        f"{out}: {written.pages} files, {written.changed} changed, {written.removed} removed"
    )
