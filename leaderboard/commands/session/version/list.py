"""`leaderboard session version list`: the versions of datasets, or the sessions of one."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say, say_json, say_result
from records.files.data_folder import DataFolder
from records.reader import read_dataset
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.datasets import read_dataset_version, read_members
from review.selection import SessionSelection
from review.store import SessionProblem, SessionStore


@click.command(
    "list",
    epilog=format_examples(
        "leaderboard session version list", "leaderboard session version list regression-1"
    ),
)
@click.argument("name", required=False)
@data_option
@json_option
def command(*, name: str | None, data_root: Path, as_json: bool) -> int:
    """List the versions, or the sessions of the version NAME with the labels that it has.

    If sessions of NAME were deleted, changed or damaged since, they are listed, and the exit code
    is 1.
    """
    if name is not None:
        return _show_version(DataFolder(data_root), name, as_json=as_json)
    versions = [read_dataset(path) for path in DataFolder(data_root).local.list_dataset_files()]
    rows = [
        {
            "name": version.name,
            "created_at": version.created_at.isoformat(),
            "sessions": len(version.members),
            "digest": version.digest,
        }
        for version in versions
    ]
    lines = [
        f"{version.name}  {version.created_at:%Y-%m-%d}  "
        f"{format_count(len(version.members), 'session')}"
        for version in versions
    ]
    nothing = ["no version: leaderboard session version create NAME makes one"]
    say_result(rows, lines or nothing, as_json=as_json)
    return 0


def _show_version(folder: DataFolder, name: str, *, as_json: bool) -> int:
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
