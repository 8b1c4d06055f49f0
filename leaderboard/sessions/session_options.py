"""The options that select sessions, and those of commands that ask models about sessions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from leaderboard.options import (
    budget_option,
    join_options,
    match_pattern,
    request_options,
    split_names,
)
from records.files.name_patterns import PSEUDONYM
from records.sessions.session import EvalStatus
from review.selection import SessionSelection

if TYPE_CHECKING:
    from runner.runs.plan import RunSettings

STATUSES = [status.value for status in EvalStatus]
_DAY = click.DateTime(["%Y-%m-%d"])


add_selection_options = join_options(
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


ANY_PSEUDONYM = match_pattern(
    PSEUDONYM, "may have 40 letters, digits, dots, hyphens and underscores"
)
reviewer_option = partial(click.option, "--reviewer", type=ANY_PSEUDONYM)


def build_selection(
    options: Mapping[str, Any], *, ids: Sequence[str] = (), ready: bool | None = None
) -> SessionSelection:
    """Return the selection that the options of `add_selection_options` describe."""
    return SessionSelection(
        ids=frozenset(ids),
        statuses=frozenset(map(EvalStatus, options["statuses"])),
        tags=frozenset(options["tags"]),
        model=options["model"],
        source=options["source"],
        since=options["since"] and options["since"].date(),
        until=options["until"] and options["until"].date(),
        ready=ready,
        text=options["search"],
        limit=options["limit"],
    )


add_asking_options = join_options(
    click.option(
        "-m",
        "--ask",
        "models",
        multiple=True,
        callback=split_names,
        help="A slug, or any litellm id; repeatable.",
    ),
    budget_option(help="Most dollars to spend on all of it."),
    request_options,
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
    """Return the settings of requests, which are those of runs; they leave ``options``."""
    # Imported here, because the import takes seconds and `--help` does not need it.
    from runner.runs.plan import RunSettings  # noqa: PLC0415

    return RunSettings(**{name: given.pop(name) for name in _SETTINGS})
