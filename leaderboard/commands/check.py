"""`leaderboard check`: every record in data/."""

import json
from pathlib import Path

import click

from leaderboard.options import data_option, json_option
from records.checks import check_all, counted
from records.folder import DataFolder


@click.command("check")
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> int:
    """Check every record: valid, consistent, ids unique, report counts right."""
    problems = check_all(DataFolder(data_root))
    if as_json:
        rows = [{"path": str(p.path), "field": p.field, "reason": p.reason} for p in problems]
        click.echo(json.dumps(rows, indent=2))
        return 1 if problems else 0
    for problem in problems:
        click.echo(str(problem))
    click.echo(f"{data_root}: {counted(problems)}" if problems else f"{data_root}: all right")
    return 1 if problems else 0
