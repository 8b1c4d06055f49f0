"""Checks that fenced blocks name their language and parse in it, with commands that exist."""

import ast
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import click
import tree_sitter_typescript
import yaml
from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound
from tree_sitter import Language, Parser

from leaderboard.cli import root
from tests.documents.fault import Fault
from tests.documents.markdown import Document, Fence

_PROGRAM = "leaderboard"
_OPERATORS = frozenset("();<>|&")


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


_LINE_OF_BASH = re.compile(r"^bash: line (\d+): (.*)", re.MULTILINE)
_LINE_OF_TOML = re.compile(r"at line (\d+)")


def find_block_faults(file: Path, document: Document) -> Iterator[Fault]:
    """Yield the faults of the fenced blocks of ``file``."""
    for fence in document.fences:
        for line, words in _find_faults(fence):
            yield Fault(file, fence.line + line, words)


def _find_faults(fence: Fence) -> Iterator[tuple[int, str]]:
    """Yield the faults of a block, with their lines in it; line 0 is the fence."""
    if not fence.language:
        yield 0, "the block names no language; `text` is one"
    elif parse := PARSERS.get(fence.language):
        yield from parse(fence.text)
    elif not _is_language(fence.language):
        yield 0, f"there is no language {fence.language}"


def _is_language(name: str) -> bool:
    try:
        find_lexer_class_by_name(name)
    except ClassNotFound:
        return False
    return True


def _check_shell(text: str) -> Iterator[tuple[int, str]]:
    """Yield what bash cannot parse, or else the commands of ours that do not exist."""
    done = subprocess.run(
        ["bash", "-n"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    if done.returncode:
        fault = _LINE_OF_BASH.search(done.stderr)
        line, words = (int(fault[1]), fault[2]) if fault else (1, done.stderr.strip())
        yield line, f"bash: {words}"
    else:
        yield from find_command_faults(text)


def _check_python(text: str) -> Iterator[tuple[int, str]]:
    try:
        ast.parse(text)
    except SyntaxError as error:
        yield error.lineno or 1, f"Python: {error.msg}"


def _check_json(text: str) -> Iterator[tuple[int, str]]:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        yield error.lineno, f"JSON: {error.msg}"


def _check_json_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, words) for _, words in _check_json(line))


def _check_toml(text: str) -> Iterator[tuple[int, str]]:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE_OF_TOML.search(str(error))
        yield int(line[1]) if line else 1, f"TOML: {error}"


def _check_yaml(text: str) -> Iterator[tuple[int, str]]:
    try:
        list(yaml.safe_load_all(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        yield mark.line + 1 if mark else 1, f"YAML: {error.problem}"


def _check_typescript(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first place that TypeScript's grammar does not know."""
    parser = Parser(Language(tree_sitter_typescript.language_tsx()))
    nodes = [parser.parse(text.encode()).root_node]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            yield node.start_point.row + 1, "TypeScript: this is no syntax of its"
            return
        nodes.extend(reversed(node.children))


PARSERS: Mapping[str, Callable[[str], Iterator[tuple[int, str]]]] = {
    "sh": _check_shell,
    "bash": _check_shell,
    "python": _check_python,
    "json": _check_json,
    "jsonl": _check_json_lines,
    "toml": _check_toml,
    "yaml": _check_yaml,
    "ts": _check_typescript,
    "tsx": _check_typescript,
}
"""Languages whose blocks are parsed."""
