"""`leaderboard suite from-session`: a golden session becomes the beginning of an eval."""

from pathlib import Path

import click

from leaderboard.options import data_option, evals_option, format_examples, json_option
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus
from review.exports.prepared import prepare_session
from review.exports.rows import ExportOptions
from review.label_service import LabelService
from review.store import SessionStore


@click.command(
    "from-session",
    epilog=format_examples("leaderboard suite from-session 9f2c queries read_by_index"),
)
@click.argument("session")
@click.argument("category")
@click.argument("name")
@evals_option
@data_option
@json_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    session: str,
    category: str,
    name: str,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """Make the folder of a new eval from SESSION, the beginning of a golden session's id.

    The last answered request becomes the beginning of the task. The files of the expected output,
    or else of the answer, become the reference. Keys, addresses and home folders are removed. Parts
    that are still to be written are marked FILL IN.
    """
    from runner.answers.reply import parse_reply  # noqa: PLC0415 - takes a quarter of a second
    from runner.errors import UnusableReplyError  # noqa: PLC0415 - see above
    from runner.suite.new import Beginning, make_eval  # noqa: PLC0415 - see above

    store = SessionStore(DataFolder(data_root))
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
