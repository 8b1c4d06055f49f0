"""The sessions that a command works on: named by ids or numbers in an audit, or selected.

The options that select sessions are here, and those of commands that ask models about sessions.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leaderboard import options
from leaderboard.terminal.streams import say
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.files.name_patterns import PSEUDONYM
from records.sessions.session import EvalStatus
from records.text.numbers import format_count
from review.audits import AuditedIds, AuditTasks
from review.index.session_index import select_sessions
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.session_heads import read_session_heads
from review.store import SessionStore

if TYPE_CHECKING:
    from runner.runs.plan import RunSettings

Item = TypeVar("Item")
"""The prompt that is made of a session."""

STATUSES = [status.value for status in EvalStatus]
_DAY = click.DateTime(["%Y-%m-%d"])


add_selection_options = options.join_options(
    click.option(
        "--status",
        "statuses",
        multiple=True,
        type=click.Choice(STATUSES),
        help="With this status; repeatable.",
    ),
    click.option("--tag", "tags", multiple=True, help="With this tag; repeatable."),
    click.option("--model", help="The model that answered."),
    click.option("--source", help="attempt, or an importer such as inspect or chat."),
    click.option("--since", type=_DAY, metavar="DATE", help="Begun on this day or later."),
    click.option("--until", type=_DAY, metavar="DATE", help="Begun on this day or earlier."),
    click.option("--search", metavar="TEXT", help="Text of the title or of a message."),
    click.option("--limit", type=click.IntRange(min=1), help="At most so many."),
)
"""The options that `build_selection` reads."""


ANY_PSEUDONYM = options.match_pattern(
    PSEUDONYM, "may have 40 letters, digits, dots, hyphens and underscores"
)
reviewer_option = partial(click.option, "--reviewer", type=ANY_PSEUDONYM)


def build_selection(
    given: Mapping[str, Any], *, ids: Sequence[str] = (), ready: bool | None = None
) -> SessionSelection:
    """Return the selection that the options of `add_selection_options` describe."""
    return SessionSelection(
        ids=frozenset(ids),
        statuses=frozenset(map(EvalStatus, given["statuses"])),
        tags=frozenset(given["tags"]),
        model=given["model"],
        source=given["source"],
        since=given["since"] and given["since"].date(),
        until=given["until"] and given["until"].date(),
        ready=ready,
        text=given["search"],
        limit=given["limit"],
    )


add_asking_options = options.join_options(
    click.option(
        "-m",
        "--ask",
        "models",
        multiple=True,
        callback=options.split_names,
        help="A slug, or any litellm id; repeatable.",
    ),
    options.budget_option(help="Most dollars to spend on all of it."),
    options.request_options,
    click.option("--resume", metavar="ID", help="Go on: the id that was printed, or its start."),
)

seed_option = partial(
    click.option, "--seed", type=click.IntRange(0, 10**10 - 1), default=1, show_default=True
)

_SETTINGS = (
    "models",
    "budget_usd",
    "concurrency",
    "api_base",
    "max_tokens",
    "parameters",
    "price",
    "allow_changed",
)


def build_settings(given: dict[str, Any]) -> "RunSettings":
    """Return the settings of requests, which are those of runs; they leave ``given``."""
    # Imported here, because the import takes seconds and `--help` does not need it.
    from runner.runs.plan import RunSettings  # noqa: PLC0415

    return RunSettings(**{name: given.pop(name) for name in _SETTINGS})


def find_session_id(store: SessionStore, beginning: str) -> str:
    """Return the id of the session that has this beginning of an id, or this name in an audit.

    A name in an audit is such as `9fdfa625ac2f-1/7`.

    Raises:
        UsageError: there is no such session, or several sessions match.
    """
    if "/" in beginning:
        task = AuditTasks(store).find_task(beginning)
        if task is None:
            listing = "`leaderboard session audit --status` lists the audits"
            raise click.UsageError(f"{beginning!r}: {listing}")
        return task.item.session
    ids = [
        path.stem for path in store.folder.list_session_files() if path.stem.startswith(beginning)
    ]
    if beginning in ids:
        return beginning
    if not ids and beginning:
        ids = [
            head.id
            for head in read_session_heads(store.folder)
            if any(former.startswith(beginning) for former in head.former_ids)
        ]
    if len(ids) != 1 or not beginning:
        raise click.UsageError(
            f"{beginning!r} begins {len(ids)} sessions: `leaderboard session list` has their ids"
        )
    return ids[0]


def without_waiting(store: SessionStore, chosen: SessionSelection) -> SessionSelection:
    """Return a selection without the sessions that must still be judged blind.

    Raises:
        InvalidRecordError: an audit cannot be read.
    """
    return read_audited_ids(store).restrict_selection(chosen)


def read_audited_ids(store: SessionStore, reviewer: str | None = None) -> AuditedIds:
    """Return the ids of sessions of audits; print how many the reviewer must still judge blind.

    The number includes sessions outside of a selection, because otherwise it would reveal labels.

    Raises:
        InvalidRecordError: an audit cannot be read.
    """
    ids = AuditTasks(store).group_ids(reviewer)
    if ids.hidden:
        count = format_count(len(ids.hidden), "session")
        status = "leaderboard session audit --status"
        say(f"without {count} that must be judged blind for an audit: {status}", err=True)
    return ids


def choose_session_ids(
    store: SessionStore, names: Sequence[str], given: Mapping[str, Any]
) -> list[str]:
    """Return the ids of the sessions that are named, or that the options select; sorted.

    Sessions that must still be judged blind are left out of a selection.

    Raises:
        UsageError: there are neither names nor options, or a name fits no session or several.
        InvalidRecordError: a session, an audit or a label log cannot be read.
    """
    if names:
        return sorted({find_session_id(store, name) for name in names})
    if not any(given.values()):
        raise click.UsageError("which sessions? Give ids, or options such as --tag or --source")
    chosen = without_waiting(store, build_selection(given))
    selected = (labeled.session.id for labeled in store if chosen.selects(labeled))
    return list(islice(selected, chosen.limit))


def make_prompts(
    data: DataFolder,
    chosen: SessionSelection,
    prepare: Callable[[LabeledSession], Item | str],
    none: str,
) -> list[Item]:
    """Return the prompts of the selected sessions; print why sessions are left out.

    Args:
        data: the data folder.
        chosen: the selection; sessions that must still be judged blind are left out.
        prepare: returns the prompt of a session, or as text why the session is left out.
        none: the end of the error "none of 3 selected sessions ...".

    Raises:
        UsageError: no session has a prompt.
    """
    store = SessionStore(data)
    selection = without_waiting(store, chosen)
    prepared: list[Item | str] = []
    for entry in select_sessions(store, selection):
        if isinstance(entry, InvalidRecordError):
            say(f"left out: {entry}", err=True)
            continue
        prepared.append(prepare(entry))
        if len(prepared) == selection.limit:
            break
    left_out = Counter(reason for reason in prepared if isinstance(reason, str))
    for reason, number in sorted(left_out.items()):
        say(f"{number} left out: {reason}", err=True)
    items = [item for item in prepared if not isinstance(item, str)]
    if not items:
        raise click.UsageError(f"none of {len(prepared)} selected sessions {none}")
    return items


def add_change_options(agreed: str) -> options.Decorator:
    """Return the options of a command that changes sessions, as `choose_session_ids` takes them.

    Args:
        agreed: the help text of `--yes`.
    """
    return options.join_options(
        click.argument("sessions", nargs=-1),
        add_selection_options,
        click.option("--yes", "agreed", is_flag=True, help=agreed),
        options.json_option,
        options.data_option,
    )
