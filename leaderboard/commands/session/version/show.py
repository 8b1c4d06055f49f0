"""`leaderboard session version show`: the sessions of a version of a dataset."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.datasets import read_dataset_version, read_members
from review.selection import SessionSelection
from review.store import SessionProblem, SessionStore


@click.command("show", epilog=format_examples("leaderboard session version show regression-1"))
@click.argument("name")
@data_option
@json_option
def command(*, name: str, data_root: Path, as_json: bool) -> int:
    """Show the sessions of the version NAME, with the labels that the version has.

    If sessions were deleted, changed or damaged since, they are listed, and the exit code is 1.
    """
    folder = DataFolder(data_root)
    version = read_dataset_version(folder, name)
    problems = [
        source
        for source in read_members(SessionStore(folder), version, SessionSelection())
        if isinstance(source, SessionProblem)
    ]
    if as_json:
        version_fields = version.model_dump(mode="json", by_alias=True)
        say_json(version_fields | {"problems": [str(problem) for problem in problems]})
        return CHECK_FAILED if problems else DONE
    for member in version.members:
        tags = f"  [{', '.join(member.eval_tags)}]" if member.eval_tags else ""
        say(make_one_line(f"{member.session}  {member.eval_status}{tags}", 160))
    say(f"{name}: {format_count(len(version.members), 'session')}, digest {version.digest[:12]}")
    for problem in problems:
        say(make_one_line(str(problem)), err=True)
    return CHECK_FAILED if problems else DONE
