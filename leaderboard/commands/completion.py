"""`leaderboard completion`: the script that lets a shell complete commands and options."""

from typing import Final, Literal, cast

import click
from click.shell_completion import ShellComplete, get_completion_class

from leaderboard.options import format_examples
from leaderboard.terminal.streams import say

_PROGRAM: Final = "leaderboard"
_VARIABLE: Final = "_LEADERBOARD_COMPLETE"
"""The variable that click's scripts set when they ask the program for completions."""


@click.command(
    "completion",
    epilog=format_examples(
        "leaderboard completion bash > ~/.leaderboard-completion.bash   # source it in ~/.bashrc",
        "leaderboard completion zsh > ~/.leaderboard-completion.zsh     # source it in ~/.zshrc",
        "leaderboard completion fish > ~/.leaderboard-completion.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, *, shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print the script that lets SHELL complete commands, options and choices."""
    completion = cast("type[ShellComplete]", get_completion_class(shell))
    say(completion(context.find_root().command, {}, _PROGRAM, _VARIABLE).source())
