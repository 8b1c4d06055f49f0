"""`leaderboard build`: the site from data/."""

from pathlib import Path

import click

from generator.build import Sources, build
from leaderboard.exits import CHECK_FAILED, DONE
from leaderboard.options import data_option, evals_option, out_option, templates_option
from records.checks import check
from records.folder import DataFolder


@click.command("build")
@out_option
@click.option("--local", is_flag=True, help="Show development runs too, marked as local.")
@click.option("--strict", is_flag=True, help="Refuse to build while `check` finds a problem.")
@templates_option
@evals_option
@data_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *, out: Path, local: bool, strict: bool, templates: Path, evals_root: Path, data_root: Path
) -> int:
    """Build the site from the published records."""
    data = DataFolder(data_root)
    if strict and (problems := check(data)):
        for problem in problems:
            click.echo(f"{problem.path}: {problem.field}: {problem.reason}", err=True)
        click.echo(f"{data_root}: {len(problems)} problems; nothing was built", err=True)
        return CHECK_FAILED
    written = build(Sources(data, templates, evals_root, local=local), out)
    click.echo(
        f"{out}: {written.pages} files, {written.changed} changed, {written.removed} removed"
    )
    return DONE
