"""`leaderboard session show`: one session, its labels and how they came about."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.sessions import found
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.showing import one_line, visible
from review.store import SessionStore


@click.command("show", epilog=examples("leaderboard session show 4p2bzjf5m6ur"))
@click.argument("session")
@data_option
@json_option
def command(*, session: str, data_root: Path, as_json: bool) -> int:
    """Show a session: SESSION is the beginning of its id."""
    store = SessionStore(DataFolder(data_root))
    shown = store.read(found(store, session))
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
    for message in record.messages:
        say(f"\n{message.role}:\n{visible(message.text)}")
        for call in message.tool_calls:
            say(one_line(f"  calls {call.name} {call.arguments}"))
    stale = " (the transcript changed since)" if shown.is_stale else ""
    say(f"\nstatus: {record.eval_status}{stale}")
    say(f"ready: {'yes' if record.eval_ready else 'no'}")
    say(one_line(f"tags: {', '.join(record.eval_tags) or 'none'}"))
    if record.eval_notes:
        say(f"notes: {visible(record.eval_notes)}")
    if record.expected_output is not None:
        say(f"\nexpected output:\n{visible(record.expected_output)}")
    for event in shown.events:
        say(one_line(f"{event.at:%Y-%m-%d %H:%M} {event.field}: {event.before} -> {event.after}"))
    return 0
