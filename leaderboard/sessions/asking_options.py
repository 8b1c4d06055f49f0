"""The options of the commands that ask models about sessions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final

import click

from leaderboard.options import budget_option, join_options, request_options, split_names
from leaderboard.terminal.exit_codes import DONE, INFRASTRUCTURE
from leaderboard.terminal.streams import say, say_json
from records.text.numbers import format_count

if TYPE_CHECKING:
    from records.shapes.registry import ModelEntry
    from runner.runs.settings import RunSettings

_add_options = join_options(
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


_OWN: Final = ("plan", "resume")
"""The options that are no setting of requests."""


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """The values of the options."""

    models: tuple[str, ...]
    budget_usd: float | None
    concurrency: int | None
    api_base: str | None
    max_tokens: int | None
    parameters: tuple[str, ...]
    price: str | None
    allow_changed: bool
    plan: bool
    resume: str | None

    def build_settings(self) -> "RunSettings":
        """Return the settings of requests, which are those of runs."""
        # Imported here, because the import takes seconds and `--help` does not need it.
        from runner.runs.settings import RunSettings  # noqa: PLC0415

        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return RunSettings(**{name: values[name] for name in values if name not in _OWN})


def add_asking_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, which gets their values as the argument ``asking``."""

    @wraps(command)
    def with_values(*arguments: Any, **options: Any) -> int:  # noqa: ANN401 - as click passes them
        values = {field.name: options.pop(field.name) for field in fields(AskingOptions)}
        return command(*arguments, asking=AskingOptions(**values), **options)

    return _add_options(with_values)


@dataclass(frozen=True, slots=True)
class AskingWords:
    """The words of a command for printing the progress of its record."""

    record: str
    """The noun for a record, such as judging."""
    field: str
    """The name of the field with the record's id in JSON."""
    answer: str
    """The noun for an answer, such as opinion."""
    asked_by: str
    """The command that asks."""
    shown_by: str
    """The command that shows the record."""

    def say_begun(self, record_id: str, sessions: int, models: int, *, as_json: bool) -> None:
        """Print the id of the record, and the numbers of sessions and models to ask."""
        counts = f"{format_count(sessions, 'session')}, {format_count(models, 'model')}"
        say(f"{self.record} {record_id[:8]}: {counts}", err=as_json)

    def say_end(  # noqa: PLR0913 - facts of one line
        self,
        record_id: str,
        sessions: int,
        entries: Sequence["ModelEntry"],
        *,
        answers: int,
        missing: int,
        as_json: bool,
    ) -> int:
        """Print the number of answers, and the next commands; return the exit code."""
        if as_json:
            slugs = [entry.slug for entry in entries]
            row = {self.field: record_id, "sessions": sessions, "models": slugs}
            say_json({**row, "missing": missing})
        else:
            short = record_id[:8]
            if missing:
                number = f"{format_count(missing, self.answer)} {'is' if missing == 1 else 'are'}"
                say(f"{number} missing: leaderboard session {self.asked_by} --resume {short}")
            number = format_count(answers, self.answer)
            say(f"{number}: leaderboard session {self.shown_by} {short}")
        return INFRASTRUCTURE if missing else DONE
