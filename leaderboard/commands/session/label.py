"""`leaderboard session label`: what a person judges."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.session_options import STATUSES, pseudonym
from leaderboard.sessions import found
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from review.audit.gate import ReviewGate
from review.store import SessionStore

if TYPE_CHECKING:
    from pydantic import JsonValue

    from records.labels import LabelName


@click.command(
    "label",
    epilog=examples(
        "leaderboard session label 4p2bzjf5m6ur --status golden --ready",
        'leaderboard session label 4p2bzjf5m6ur --notes "answers another question"',
        "leaderboard session label 4p2bzjf5m6ur --undo",
    ),
)
@click.argument("sessions", nargs=-1, required=True)
@click.option("--status", type=click.Choice(STATUSES), help="What it is worth as an example.")
@click.option("--ready/--not-ready", default=None, help="Whether it is exported as an example.")
@click.option("--notes", help="Why, in words.")
@click.option(
    "--expected",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with what the last answer should have been.",
)
@click.option("--reason", default="", help="Kept with the change.")
@click.option("--reviewer", callback=pseudonym, help="A pseudonym of yours; never exported.")
@click.option(
    "--undo",
    is_flag=True,
    help="Take your latest change back; one of somebody else needs a --reason.",
)
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    sessions: tuple[str, ...],
    status: str | None,
    ready: bool | None,
    notes: str | None,
    expected: Path | None,
    reason: str,
    reviewer: str | None,
    undo: bool,
    data_root: Path,
    as_json: bool,
) -> int:
    """Judge SESSIONS, given by the beginnings of their ids, or as an audit calls them.

    golden: perfect, usable as ground truth. correct: acceptable. incorrect: wrong or harmful.
    needs_review: not judged. Every change is kept in the session's label log.
    """
    changes: dict[LabelName, JsonValue] = {
        "evalStatus": status,
        "evalReady": ready,
        "evalNotes": notes,
        "expectedOutput": None if expected is None else expected.read_text("utf-8"),
    }
    labels: dict[LabelName, JsonValue] = {
        name: value for name, value in changes.items() if value is not None
    }
    if undo is bool(labels):
        raise click.UsageError(
            "what changes? Give --status, --ready, --notes, --expected or --undo"
        )
    store = SessionStore(DataFolder(data_root))
    gate = ReviewGate(store)
    found_ids = [found(store, name) for name in sessions]
    for session_id in found_ids:  # nothing is written where something is refused
        gate.read(session_id, reviewer)[1].check_change(None if undo else labels)
    rows: list[dict[str, object]] = []
    for session_id in found_ids:
        before = gate.read(session_id, reviewer)[1]
        if undo:
            done = gate.undo(session_id, via="cli", reviewer=reviewer, reason=reason)
            hidden = gate.rights(done, reviewer).is_blind
        else:
            done = gate.label(session_id, labels, via="cli", reviewer=reviewer, reason=reason)
            hidden = before.is_blind  # other labels would sway the next judgement of the same eval
        if hidden:
            rows.append({"session": before.blind_name, "status": status, "ready": None})
        else:
            labelled = done.session
            row = {"status": labelled.eval_status.value, "ready": labelled.eval_ready}
            rows.append({"session": session_id, **row})
    if as_json:
        say_json(rows)
        return 0
    for row in rows:
        worth = row["status"] or "is to be judged blind again"
        say(f"{row['session']} {worth}{' ready' if row['ready'] else ''}")
    return 0
