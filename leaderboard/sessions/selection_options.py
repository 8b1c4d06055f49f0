"""The options that select sessions, for lists, bulk labels and exports."""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeVar

import click

from records.files.name_patterns import PSEUDONYM
from records.sessions.session import EvalStatus
from review.exports.prepared import parse_context
from review.selection import SessionSelection

Command = TypeVar("Command", bound=Callable[..., Any])
STATUSES = [status.value for status in EvalStatus]
_DAY = click.DateTime(["%Y-%m-%d"])


class ContextType(click.ParamType[int | None]):
    """A number of messages before a request: a number, or the words all or none."""

    name = "context"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | None:
        """Return the number; 0 for none, and None for all.

        Raises:
            BadParameter: the value is neither a number nor one of the words.
        """
        try:
            return parse_context(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


CONTEXT: Final = ContextType()


def add_selection_options(command: Command) -> Command:
    """Add the options to a command that `build_selection` reads."""
    for option in (
        click.option("--limit", type=click.IntRange(min=1), help="At most so many."),
        click.option("--search", metavar="TEXT", help="Text of the title or of a message."),
        click.option("--until", type=_DAY, metavar="DATE", help="Begun on this day or earlier."),
        click.option("--since", type=_DAY, metavar="DATE", help="Begun on this day or later."),
        click.option("--source", help="attempt, or an importer such as inspect or chat."),
        click.option("--model", help="The model that answered."),
        click.option("--tag", "tags", multiple=True, help="With this tag; repeatable."),
        click.option(
            "--status",
            "statuses",
            multiple=True,
            type=click.Choice(STATUSES),
            help="With this status; repeatable.",
        ),
    ):
        command = option(command)
    return command


def check_pseudonym(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Return the value of `--reviewer`, after a check; a callback of the option.

    Raises:
        BadParameter: the value is no valid pseudonym.
    """
    if value is not None and not re.fullmatch(PSEUDONYM, value):
        raise click.BadParameter("may have 40 letters, digits, dots, hyphens and underscores")
    return value


def build_selection(
    options: dict[str, Any], *, ids: Sequence[str] = (), ready: bool | None = None
) -> SessionSelection:
    """Return the selection that the options of `add_selection_options` describe."""
    return SessionSelection(
        ids=frozenset(ids),
        statuses=frozenset(map(EvalStatus, options["statuses"])),
        tags=frozenset(options["tags"]),
        model=options["model"],
        source=options["source"],
        since=_get_date(options["since"]),
        until=_get_date(options["until"]),
        ready=ready,
        text=options["search"],
        limit=options["limit"],
    )


def _get_date(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()
