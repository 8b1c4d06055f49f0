"""The options of the commands that ask models about sessions."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final

import click

from leaderboard.options import budget_option, join_options, request_options, split_names
from leaderboard.terminal.exit_codes import DONE, INFRASTRUCTURE
from leaderboard.terminal.streams import say, say_json
from records.text.numbers import format_count

if TYPE_CHECKING:
    from leaderboard.sessions.prompt_asking import PromptAsking
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

    field: str
    """The name of the field with the record's id in JSON."""
    answer: str
    """The noun for an answer, such as opinion."""
    asked_by: str
    """The command that asks."""
    shown_by: str
    """The command that shows the record."""

    def ask(self, asking: "PromptAsking[Any]", settings: "RunSettings", *, as_json: bool) -> int:
        """Ask for the missing answers, print the progress and the next commands, return the code.

        Raises:
            RunInUseError: another process asks for answers of such a record.
            UserError: a model has no key, or there is a budget and no known price.
        """
        from leaderboard.runs.run import choose_watcher  # noqa: PLC0415 - takes seconds

        record_id, sessions = asking.path.stem, len(asking.record.items)
        slugs = [entry.slug for entry in asking.entries]
        short = record_id[:8]
        counts = f"{format_count(sessions, 'session')}, {format_count(len(slugs), 'model')}"
        say(f"{asking.noun} {short}: {counts}", err=as_json)
        asking.ask(settings, choose_watcher(as_json=as_json, err=True))
        missing = sum(len(asking.list_missing(slug)) for slug in slugs)
        answers = len(asking.record.get_answer_texts())
        if as_json:
            row = {self.field: record_id, "sessions": sessions, "models": slugs}
            say_json({**row, "missing": missing})
        else:
            if missing:
                number = f"{format_count(missing, self.answer)} {'is' if missing == 1 else 'are'}"
                say(f"{number} missing: leaderboard session {self.asked_by} --resume {short}")
            number = format_count(answers, self.answer)
            say(f"{number}: leaderboard session {self.shown_by} {short}")
        return INFRASTRUCTURE if missing else DONE
