"""`leaderboard session version create`: sessions and labels are stored as a named version."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.selection_options import add_selection_options, build_selection
from leaderboard.sessions.session_lookup import find_session_id, without_waiting
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say, say_result
from records.files.data_folder import DataFolder
from records.files.name_patterns import DATASET_NAME
from records.text.numbers import format_count
from review.datasets import make_version
from review.selection import select_sessions
from review.store import SessionProblem, SessionStore

if TYPE_CHECKING:
    from review.labeled_session import LabeledSession


def check_dataset_name(_: click.Context, __: click.Parameter, value: str) -> str:
    """Return the name of a version, after a check; a callback of the argument.

    Raises:
        BadParameter: the name is invalid.
    """
    if not re.fullmatch(DATASET_NAME, value):
        raise click.BadParameter("may have 64 small letters, digits, dots, hyphens and underscores")
    return value


@click.command(
    "create",
    epilog=format_examples(
        "leaderboard session version create regression-1 --status golden",
        "leaderboard session version create one 9f2c",
    ),
)
@click.argument("name", callback=check_dataset_name)
@click.argument("names", metavar="[ID]...", nargs=-1)
@add_selection_options
@click.option("--all", "everything", is_flag=True, help="Also sessions that are not eval-ready.")
@data_option
@json_option
def command(
    *,
    name: str,
    names: tuple[str, ...],
    everything: bool,
    data_root: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - as selection_options says
) -> int:
    """Store the selected sessions and their labels as the version NAME.

    Selected are the eval-ready sessions, or the sessions with the given IDs. A version has ids,
    digests of transcripts and labels, and is never changed. If a session cannot be read, no version
    is written.
    """
    folder = DataFolder(data_root)
    store = SessionStore(folder)
    ids = [find_session_id(store, beginning) for beginning in names]
    ready = None if everything or ids else True
    chosen = without_waiting(store, build_selection(options, ids=ids, ready=ready))
    members: list[LabeledSession] = []
    problems: list[SessionProblem] = []
    for source in select_sessions(store, chosen):
        if isinstance(source, SessionProblem):
            problems.append(source)
        elif len(members) != chosen.limit:
            members.append(source)
    for problem in problems:
        say(f"cannot be read: {problem}", err=True)
    if problems:
        return CHECK_FAILED
    version = make_version(folder, name, members)
    row = {"name": name, "sessions": len(version.members), "digest": version.digest}
    line = f"{name}: {format_count(len(version.members), 'session')}, digest {version.digest[:12]}"
    say_result(row, [line], as_json=as_json)
    return DONE
