"""Checks that `leaderboard` commands in shell text name existing commands, options and choices."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final, cast

import click

from leaderboard.cli import root

_PROGRAM: Final = "leaderboard"
_OPERATORS: Final = frozenset("();<>|&")


def find_command_faults(text: str) -> Iterator[tuple[int, str]]:
    """Yield the faults of the commands of ``text``, which bash can parse, with their lines."""
    for line, logical in _split_logical_lines(text):
        for words in _find_commands(logical):
            try:
                _check(words)
            except click.UsageError as error:
                yield line, f"{shlex.join([_PROGRAM, *words])}: {error.format_message()}"


def _split_logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line together with those that a backslash joins to it."""
    begun, parts = 1, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        begun = begun if parts else number
        parts.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield begun, " ".join(parts)
            parts = []


def _find_commands(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each call of ours; a container or variables may stand before it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.wordchars += ":,@%^+[]{}$!"
    try:
        tokens = list(lexer)
    except ValueError:  # a quotation of several lines, which holds no command of ours
        return
    words: list[str] = []
    for token in [*tokens, ";"]:
        if set(token) <= _OPERATORS:
            names = [word.rpartition("/")[2] for word in words]
            if _PROGRAM in names:
                yield words[names.index(_PROGRAM) + 1 :]
            words = []
        else:
            words.append(token)


def _check(words: Sequence[str]) -> None:
    """Parse the words of a command without running it.

    Raises:
        click.UsageError: the command or one of its options does not exist or lacks a value.
    """
    command: click.Command = root
    arguments, path = list(words), _PROGRAM
    while True:
        ctx = click.Context(command, info_name=path)
        values, rest, _ = command.make_parser(ctx).parse_args(arguments)
        _check_choices(command, values)
        if not isinstance(command, click.Group):
            if rest:
                raise click.UsageError(f"{path} takes no argument {rest[0]!r}")
            return
        if not rest:
            return
        name, *arguments = rest
        subcommand = command.get_command(ctx, name)
        if subcommand is None:
            raise click.UsageError(f"{path} has no command {name!r}")
        command, path = subcommand, f"{path} {name}"


def _check_choices(command: click.Command, values: dict[str, object]) -> None:
    """Compare values with the choices of their options; a word in capitals is a placeholder."""
    for parameter in command.params:
        if isinstance(parameter.type, click.Choice):
            value = values.get(parameter.name or "")
            words = cast("list[object]", value) if isinstance(value, list) else [value]
            for word in words:
                if isinstance(word, str) and not word.isupper():
                    parameter.type.convert(word, parameter, None)
