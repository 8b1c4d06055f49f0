"""`leaderboard session show`: one session, its labels and how they came about."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.session_options import pseudonym
from leaderboard.sessions import audited, found
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.session import Session
from records.showing import one_line, visible
from review.audit.progress import blind_view
from review.store import SessionStore


@click.command("show", epilog=examples("leaderboard session show 4p2bzjf5m6ur"))
@click.argument("session")
@click.option(
    "--reviewer", callback=pseudonym, help="Your pseudonym, where two people judge an audit."
)
@data_option
@json_option
def command(*, session: str, reviewer: str | None, data_root: Path, as_json: bool) -> int:
    """Show a session: SESSION is the beginning of its id, or how an audit calls it.

    What an audit is yet to have judged is shown without model, verdict and labels.
    """
    store = SessionStore(DataFolder(data_root))
    shown = store.read(found(store, session))
    task = audited(store, session)
    if task is not None and task.is_blind_for(reviewer):
        return _show_blind(task.name, blind_view(shown.session), as_json=as_json)
    if as_json:
        say_json(
            {
                "session": shown.session.model_dump(mode="json", by_alias=True),
                "events": [event.model_dump(mode="json") for event in shown.events],
                "stale": shown.is_stale,
            }
        )
        return 0
    record = shown.session
    say(one_line(f"{record.id}: {record.title}"))
    _show_messages(record)
    stale = " (the transcript changed since)" if shown.is_stale else ""
    say(f"\nstatus: {record.eval_status}{stale}")
    say(f"eval-ready: {'yes' if record.eval_ready else 'no'}")
    say(one_line(f"tags: {', '.join(record.eval_tags) or 'none'}"))
    if record.eval_notes:
        say(f"notes: {visible(record.eval_notes)}")
    _show_expected(record)
    for event in shown.events:
        say(one_line(f"{event.at:%Y-%m-%d %H:%M} {event.field}: {event.before} -> {event.after}"))
    return 0


def _show_blind(name: str, seen: Session, *, as_json: bool) -> int:
    if as_json:
        say_json({"audit": name, "session": seen.model_dump(mode="json", exclude={"id", "source"})})
        return 0
    say(one_line(f"{name}: {seen.title}"))
    _show_messages(seen)
    _show_expected(seen)
    say(f"\njudge it: leaderboard session label {name} --status correct --reason WHY")
    return 0


def _show_messages(session: Session) -> None:
    for message in session.messages:
        say(f"\n{message.role}:\n{visible(message.text)}")
        for call in message.tool_calls:
            say(one_line(f"  calls {call.name} {call.arguments}"))


def _show_expected(session: Session) -> None:
    if session.expected_output is not None:
        say(f"\nexpected output:\n{visible(session.expected_output)}")
