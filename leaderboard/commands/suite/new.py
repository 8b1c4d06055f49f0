"""`leaderboard suite new`: the folder of a new eval, which a golden session may begin."""

from pathlib import Path

import click

from leaderboard.options import data_option, evals_option, format_examples, json_option
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.streams import say, say_json, say_result
from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus
from review.exports.prepared import prepare_session
from review.exports.rows import ExportOptions
from review.label_service import LabelService
from review.store import SessionStore
from runner.suite.new import Beginning, make_eval


@click.command(
    "new",
    epilog=format_examples(
        "leaderboard suite new queries read_by_index",
        "leaderboard suite new 9f2c queries read_by_index     # from a session",
    ),
)
@click.argument("words", metavar="[SESSION] CATEGORY NAME", nargs=-1)
@evals_option
@data_option
@json_option
def command(*, words: tuple[str, ...], evals_root: Path, data_root: Path, as_json: bool) -> int:
    """Make the folder of a new eval about Convex: CATEGORY such as queries, NAME in snake_case.

    In a project of `leaderboard init`, copy the folder of an eval instead.

    With SESSION, the beginning of a golden session's id, its last answered request becomes the
    beginning of the task. The files of the expected output, or else of the answer, become the
    reference. Keys, addresses and home folders are removed.

    Parts that are still to be written are marked FILL IN; `leaderboard suite lint -f NAME` lists
    them.
    """
    if len(words) not in {2, 3}:
        raise click.UsageError("give CATEGORY and NAME, and before them a SESSION if there is one")
    *session, category, name = words
    if session:
        return _begin_from_session(
            session[0], category, name, evals_root, DataFolder(data_root), as_json=as_json
        )
    folder = make_eval(evals_root, category, name)
    following = f"Fill it in, then: leaderboard suite lint -f {name}"
    say_result({"folder": str(folder)}, [folder, following], as_json=as_json)
    return 0


def _begin_from_session(  # noqa: PLR0913 - what the command was given
    session: str, category: str, name: str, evals_root: Path, data: DataFolder, *, as_json: bool
) -> int:
    from runner.answers.reply import parse_reply  # noqa: PLC0415 - takes a quarter of a second
    from runner.errors import UnusableReplyError  # noqa: PLC0415 - see above

    store = SessionStore(data)
    session_id = find_session_id(store, session)
    # Refuses an attempt that must be judged blind, so that no status shows.
    LabelService(store, "cli").check(session_id, {}, None)
    read = store.read(session_id)
    labelled = read.session
    if labelled.eval_status is not EvalStatus.GOLDEN:
        raise click.UsageError(
            f"{labelled.id} is {labelled.eval_status}: only a golden session is a reference; "
            f"leaderboard session label {labelled.id} --status golden"
        )
    clean = prepare_session(read, ExportOptions())
    judged = clean.judged
    if judged is None or not judged.turn.asked.strip():
        raise click.UsageError(f"{labelled.id} holds no request of a user")
    answer: dict[str, str] = {}
    try:
        answer = parse_reply(judged.truth or "").files
    except UnusableReplyError as error:
        say(f"the answer holds no files, so the reference is to be written: {error}", err=True)
    folder = make_eval(evals_root, category, name, Beginning(judged.turn.asked, answer))
    requests = len(clean.turns)
    if as_json:
        row = {"folder": str(folder), "requests": requests, "files": sorted(answer)}
        say_json(row)
        return 0
    say(folder)
    if requests > 1:
        say(
            f"the task is request {judged.turn.number} of {requests}: add the facts that it needs "
            "of the others"
        )
    say(f"Fill it in, then: leaderboard suite lint -f {name}")
    return 0
