"""`leaderboard session show`: a session with its labels and their history."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.selection_options import check_pseudonym
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.sessions.session import Session
from records.text.visible import make_one_line, make_visible
from review.label_service import LabelService, VisibleSession
from review.publishing import Publication, find_publication
from review.store import SessionStore


@click.command("show", epilog=format_examples("leaderboard session show 4p2bzjf5m6ur"))
@click.argument("session")
@click.option(
    "--reviewer", callback=check_pseudonym, help="Your pseudonym, if two people judge an audit."
)
@data_option
@json_option
def command(*, session: str, reviewer: str | None, data_root: Path, as_json: bool) -> int:
    """Show a session: SESSION is the beginning of its id, or its name in an audit.

    A session that must still be judged blind is shown without model, verdict and labels.
    """
    store = SessionStore(DataFolder(data_root))
    visible = LabelService(store, "cli").show(find_session_id(store, session), reviewer)
    if visible.is_blind:
        return _show_blind(visible, as_json=as_json)
    if visible.is_disputed:
        return _show_disputed(visible, as_json=as_json)
    record, events = visible.session, visible.events
    if as_json:
        say_json(
            {
                "session": record.model_dump(mode="json", by_alias=True),
                "events": [event.model_dump(mode="json") for event in events],
                "stale": visible.is_stale,
                "publication": find_publication(store.folder, record).value,
            }
        )
        return 0
    say(make_one_line(f"{record.id}: {record.title}"))
    _show_messages(record)
    stale = " (the transcript changed since)" if visible.is_stale else ""
    say(f"\nstatus: {record.eval_status}{stale}")
    publication = find_publication(store.folder, record)
    outdated = ": `leaderboard session publish` makes its copy anew"
    say(f"{publication}{outdated if publication is Publication.OUTDATED else ''}")
    say(f"eval-ready: {'yes' if record.eval_ready else 'no'}")
    say(make_one_line(f"tags: {', '.join(record.eval_tags) or 'none'}"))
    if record.eval_notes:
        say(f"notes: {make_visible(record.eval_notes)}")
    _show_expected(record)
    for event in events:
        say(
            make_one_line(
                f"{event.at:%Y-%m-%d %H:%M} {event.field}: {event.before} -> {event.after}"
            )
        )
    return 0


def _show_blind(visible: VisibleSession, *, as_json: bool) -> int:
    name, seen = visible.name, visible.session
    if as_json:
        say_json({"audit": name, "session": seen.model_dump(mode="json", exclude={"id", "source"})})
        return 0
    say(make_one_line(f"{name}: {seen.title}"))
    _show_messages(seen)
    _show_expected(seen)
    say(f"\njudge it: leaderboard session label {name} --status correct --reason WHY")
    return 0


def _show_disputed(visible: VisibleSession, *, as_json: bool) -> int:
    """Show a disputed session to the person who decides, without model and cost."""
    name, seen, judged = visible.name, visible.session, visible.judgements
    if as_json:
        fields = seen.model_dump(mode="json", by_alias=True, exclude={"id", "source"})
        judgements = [event.model_dump(mode="json") for event in judged]
        say_json({"audit": name, "session": fields, "judgements": judgements})
        return 0
    say(make_one_line(f"{name}: {seen.title}"))
    _show_messages(seen)
    _show_expected(seen)
    say("\njudged differently:")
    for event in judged:
        reason = f": {event.reason}" if event.reason else ""
        say(make_one_line(f"{event.reviewer or 'no pseudonym'}: {event.after}{reason}"))
    say(f"another person decides: leaderboard session label {name} --status correct --reason WHY")
    return 0


def _show_messages(session: Session) -> None:
    for message in session.messages:
        say(f"\n{message.role}:\n{make_visible(message.text)}")
        for call in message.tool_calls:
            say(make_one_line(f"  calls {call.name} {call.arguments}"))


def _show_expected(session: Session) -> None:
    if session.expected_output is not None:
        say(f"\nexpected output:\n{make_visible(session.expected_output)}")
