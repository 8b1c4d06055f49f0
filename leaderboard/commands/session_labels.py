"""The commands `leaderboard session show` and `label`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderboard import options
from leaderboard.sessions import session_lookup
from leaderboard.terminal.streams import is_json, say, say_json, say_result
from records.files.data_folder import DataFolder
from records.sessions.session import Session
from records.text.visible import make_one_line, make_visible
from review.errors import NoChangeLeftError, NoSuchTurnError
from review.label_service import LabelService, SavedLabels
from review.publishing import Publication, find_publication
from review.store import SessionStore

if TYPE_CHECKING:
    from pydantic import JsonValue

    from records.sessions.labels import LabelName


@options.command("leaderboard session show 4p2bzjf5m6ur")
@click.argument("session")
@session_lookup.reviewer_option(help="Your pseudonym, if two people judge an audit.")
@options.record_options
def show_command(*, session: str, reviewer: str | None, data: DataFolder) -> None:
    """Show a session: SESSION is the beginning of its id, or its name in an audit.

    A session that must still be judged blind is shown without model, verdict and labels.
    """
    store = SessionStore(data)
    visible = LabelService(store, "cli", reviewer).show(
        session_lookup.find_session_id(store, session)
    )
    record, name = visible.session, visible.name
    is_hidden = visible.is_blind or visible.is_disputed
    if is_json():
        hidden = {"id", "source"} if is_hidden else None
        fields = record.model_dump(mode="json", by_alias=not visible.is_blind, exclude=hidden)
        events = visible.judgements if is_hidden else visible.events
        values = [event.model_dump(mode="json") for event in events]
        if visible.is_blind:
            say_json({"audit": name, "session": fields})
        elif visible.is_disputed:
            say_json({"audit": name, "session": fields, "judgements": values})
        else:
            publication = find_publication(store.folder, record)
            more = {"stale": visible.is_stale, "publication": publication}
            say_json({"session": fields, "events": values, **more})
        return
    _show_messages(name, record)
    expected = record.expected_output
    expected_text = None if expected is None else f"\nexpected output:\n{make_visible(expected)}"
    if is_hidden:
        if expected_text is not None:
            say(expected_text)
        judging = f"leaderboard session label {name} --status correct --reason WHY"
        if visible.is_blind:
            say(f"\njudge it: {judging}")
            return
        say("\njudged differently:")
        for event in visible.judgements:
            reason = f": {event.reason}" if event.reason else ""
            say(make_one_line(f"{event.reviewer or 'no pseudonym'}: {event.after}{reason}"))
        say(f"another person decides: {judging}")
        return
    stale = " (the transcript changed since)" if visible.is_stale else ""
    say(f"\nstatus: {record.eval_status}{stale}")
    publication = find_publication(store.folder, record)
    outdated = ": `leaderboard session publish` makes its copy anew"
    say(f"{publication}{outdated if publication is Publication.OUTDATED else ''}")
    say(f"eval-ready: {'yes' if record.eval_ready else 'no'}")
    say(make_one_line(f"tags: {', '.join(record.eval_tags) or 'none'}"))
    if record.eval_notes:
        say(f"notes: {make_visible(record.eval_notes)}")
    if expected_text is not None:
        say(expected_text)
    for event in visible.events:
        change = f"{event.field}: {event.before} -> {event.after}"
        say(make_one_line(f"{event.at:%Y-%m-%d %H:%M} {change}"))


def _show_messages(name: str, session: Session) -> None:
    say(make_one_line(f"{name}: {session.title}"))
    for message in session.messages:
        say(f"\n{message.role}:\n{make_visible(message.text)}")
        for call in message.tool_calls:
            say(make_one_line(f"  calls {call.name} {call.arguments}"))


@options.command(
    "leaderboard session label 4p2bzjf5m6ur --status golden --ready",
    'leaderboard session label 4p2bzjf5m6ur --notes "answers another question"',
    "leaderboard session label 4p2bzjf5m6ur --add auth --remove draft",
    "leaderboard session label 4p2bzjf5m6ur --undo",
)
@click.argument("sessions", nargs=-1, required=True)
@click.option(
    "--status",
    type=click.Choice(session_lookup.STATUSES),
    help="The value of the session for evals.",
)
@click.option(
    "--ready/--not-ready", default=None, help="Whether the session is eval-ready, for exports."
)
@click.option("--notes", help="The reason, in words.")
@click.option(
    "--expected",
    type=options.FILE,
    help="A file with the right last answer.",
)
@click.option("--add", multiple=True, metavar="TAG", help="Add a tag; repeatable.")
@click.option("--remove", multiple=True, metavar="TAG", help="Remove a tag; repeatable.")
@click.option("--turn", type=click.IntRange(min=1), help="Label only this turn; the first is 1.")
@click.option("--reason", default="", help="Kept with the change.")
@session_lookup.reviewer_option(help="A pseudonym of yours; never exported.")
@click.option(
    "--undo",
    is_flag=True,
    help="Take your latest change back; a change of somebody else needs a --reason.",
)
@click.option(
    "--of",
    type=session_lookup.ANY_PSEUDONYM,
    help="With --undo and --reason: the latest change of this reviewer.",
)
@options.record_options
def label_command(  # noqa: PLR0913 - click gives each option by name
    *,
    sessions: tuple[str, ...],
    status: str | None,
    ready: bool | None,
    notes: str | None,
    expected: Path | None,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    turn: int | None,
    reason: str,
    reviewer: str | None,
    undo: bool,
    of: str | None,
    data: DataFolder,
) -> None:
    """Judge SESSIONS, given by the beginnings of their ids, or by their names in an audit.

    golden: perfect, usable as ground truth. correct: acceptable. incorrect: wrong or harmful.
    needs_review: not judged. Every change is kept in the session's label log.
    """
    given: dict[LabelName, JsonValue] = {
        "evalStatus": status,
        "evalReady": ready,
        "evalNotes": notes,
        "expectedOutput": None if expected is None else expected.read_text("utf-8"),
    }
    labels: dict[LabelName, JsonValue] = {
        name: value for name, value in given.items() if value is not None
    }
    tags: dict[LabelName, JsonValue] = {"evalTags": []} if add or remove else {}
    if undo is bool(labels or tags):
        raise click.UsageError(
            "what changes? Give --status, --ready, --notes, --expected, --add, --remove or --undo"
        )
    if turn is not None and (undo or tags or ready is not None):
        raise click.UsageError("--turn goes with --status, --notes and --expected")
    if of is not None and not undo:
        raise click.UsageError("--of goes with --undo")
    store = SessionStore(data)
    service = LabelService(store, "cli", reviewer)
    session_ids = dict.fromkeys(session_lookup.find_session_id(store, name) for name in sessions)
    checked = None if undo else labels | tags
    # All are checked before anything is written. A session that somebody else changes meanwhile
    # has another version, so that this command does not overwrite the change unseen.
    try:
        versions = {
            session_id: service.check(session_id, checked, turn=turn, of=of)
            for session_id in session_ids
        }
    except NoSuchTurnError as error:
        raise click.UsageError(f"--{error}") from error
    except NoChangeLeftError as error:
        raise click.UsageError(f"--of: {error}") from error
    rows: list[dict[str, Any]] = []
    for session_id, version in versions.items():
        if undo:
            saved = service.undo(session_id, reason=reason, of=of, version=version)
        else:
            saved = service.label(
                session_id,
                labels,
                add_tags=add,
                remove_tags=remove,
                reason=reason,
                turn=turn,
                version=version,
            )
        rows.append(_build_row(saved, turn))
    say_result(rows, map(_format_line, rows))


def _build_row(saved: SavedLabels, turn: int | None) -> dict[str, Any]:
    """Return the values to print."""
    visible = saved.visible
    if visible.is_blind:
        return {"session": visible.name, "status": saved.status, "ready": None}
    if turn is not None:
        status = visible.turns.get(turn, {}).get("evalStatus")
        return {"session": visible.id, "turn": turn, "status": status, "ready": None}
    session = visible.session
    more = {"ready": session.eval_ready, "tags": list(session.eval_tags)}
    return {"session": visible.id, "status": saved.status, **more}


def _format_line(row: Mapping[str, Any]) -> str:
    if "turn" in row:
        return f"{row['session']} turn {row['turn']} {row['status'] or 'labelled'}"
    status = row["status"] or "is to be judged blind again"
    tags = f"  [{', '.join(row['tags'])}]" if row.get("tags") else ""
    line = f"{row['session']} {status}{' eval-ready' if row['ready'] else ''}{tags}"
    return make_one_line(line)
