"""Options of the commands that try editions of the guidelines: most are those of `run`."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from leaderboard.options import (
    Dollars,
    ahead_option,
    allow_changed_option,
    backend_option,
    category_option,
    evals_option,
    filter_option,
    graders_option,
    install_option,
    json_option,
    max_tokens_option,
    new_data_option,
    price_option,
    publish_option,
    sandbox_option,
    set_option,
    why_publish_option,
    workspaces_option,
)

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_OPTIONS: Final[Sequence[_Decorator]] = (
    filter_option,
    category_option,
    click.option(
        "--samples",
        type=click.IntRange(1, 100),
        default=1,
        show_default=True,
        help="Attempts at each eval with each text.",
    ),
    click.option("--budget", type=Dollars(), help="Most dollars to spend on all of it."),
    click.option("--concurrency", type=click.IntRange(1, 1000), help="Most requests per provider."),
    ahead_option,
    click.option("--api-base", help="A server that speaks the OpenAI protocol."),
    max_tokens_option,
    set_option,
    price_option,
    allow_changed_option,
    click.option("--plan", is_flag=True, help="Only say what it may cost; nobody is asked."),
    click.option("--resume", metavar="ID", help="Go on: the id that was printed, or its start."),
    publish_option,
    why_publish_option,
    backend_option,
    sandbox_option,
    install_option,
    graders_option,
    workspaces_option,
    evals_option,
    new_data_option,
    json_option,
)


def trial_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, in their order."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
