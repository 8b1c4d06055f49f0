"""The options of the commands that ask models about sessions."""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from leaderboard.options import budget_option, join_options, request_options, split_names

if TYPE_CHECKING:
    from runner.runs.settings import RunSettings

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

_SETTINGS: Final = (
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
    from runner.runs.settings import RunSettings  # noqa: PLC0415

    return RunSettings(**{name: given.pop(name) for name in _SETTINGS})
