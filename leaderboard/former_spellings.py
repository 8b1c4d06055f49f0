"""Former spellings of commands, which work in this release with a notice of the new spelling."""

from collections.abc import Sequence
from typing import Final

import click

from leaderboard.terminal.streams import say

COMMANDS: Final = {
    ("guidelines", "check"): ("ablate",),
    ("keys", "revoke"): ("keys", "list", "--revoke"),
    ("repair",): ("check", "--repair"),
    ("runs", "list"): ("runs",),
    ("runs", "show"): ("runs",),
    ("session", "comparisons"): ("session", "opinions", "--comparisons"),
    ("session", "unpublish"): ("session", "publish", "--undo"),
    ("session", "version", "show"): ("session", "version", "list"),
    ("suite", "from-session"): ("suite", "new"),
    ("suite", "guidelines"): ("suite", "show"),
}
"""The first words of former commands, and the words in their place; all other words stay."""
_HELP: Final = "help"
_DIFF_OPTIONS: Final = {"--html": 0, "--templates": 1}
"""Former options of `diff`, with the number of their values."""


def replace_former_words(arguments: Sequence[str], *, quiet: bool = False) -> list[str]:
    """Return the arguments in today's spelling; print a notice if they differ, unless ``quiet``.

    Raises:
        click.UsageError: the former command lacks an option without which the new one does more.
    """
    start = next((i for i, word in enumerate(arguments) if not word.startswith("-")), None)
    before, words = list(arguments[:start]), list(arguments[start:]) if start is not None else []
    for former, new in COMMANDS.items():
        if tuple(words[: len(former)]) == former:
            rest = words[len(former) :]
            needed = ("--before", "--resume", "-h", "--help")
            if former == ("guidelines", "check") and not any(
                word.partition("=")[0] in needed for word in rest
            ):
                raise click.UsageError("--before REVISION: which guidelines are compared?")
            _say_notice(former, new, quiet=quiet)
            return [*before, *new, *rest]
    if words[:1] == [_HELP]:
        _say_notice([_HELP, "COMMAND"], ["COMMAND", "--help"], quiet=quiet)
        return [*before, *words[1:], "--help"]
    if words[:1] == ["diff"] and any(word.partition("=")[0] in _DIFF_OPTIONS for word in words):
        if not quiet:
            say(
                "diff --html and --templates are gone; here is markdown, and `leaderboard serve` "
                "shows both answers on the page that compares two runs",
                err=True,
            )
        return [*before, *_drop_diff_options(words)]
    return list(arguments)


def _say_notice(former: Sequence[str], new: Sequence[str], *, quiet: bool) -> None:
    if not quiet:
        old, today = " ".join(former), " ".join(new)
        say(
            f"`leaderboard {old}` is now `leaderboard {today}`; the old words go with the next "
            "release",
            err=True,
        )


def _drop_diff_options(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    skipped = 0
    for word in words:
        option, _, value = word.partition("=")
        if skipped:
            skipped -= 1
        elif option in _DIFF_OPTIONS:
            skipped = 0 if value else _DIFF_OPTIONS[option]
            kept += ["--markdown"] if option == "--html" else []
        else:
            kept.append(word)
    return kept
