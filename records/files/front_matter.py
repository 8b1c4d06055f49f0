"""Front matter: fields in YAML between two lines of ``---``, above markdown.

GitHub and editors can show such files.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import yaml

FENCE = "---"
DEEPEST = 10
"""Levels of nesting. To build deeper values would exhaust the stack of the interpreter."""
WIDTH = 100


_SEGMENT = re.compile(r"\[([^\[\]]*)\]|([^.\[\]]+)")
"""A part of the place of a field: an entry of a list, or a key."""


class FrontMatterError(ValueError):
    """The front matter is missing or cannot be read."""


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of the front matter and the markdown below it.

    Raises:
        FrontMatterError: there is no front matter, or it is not a mapping in YAML.
    """
    lines = text.split("\n")  # splitlines also splits at characters that end no line in YAML
    if lines[0].rstrip() != FENCE:
        raise FrontMatterError(f"the first line must be {FENCE}")
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE]
    if not ends:
        raise FrontMatterError(f"the front matter is not closed by a line of {FENCE}")
    front = "\n".join([*lines[1 : ends[0]], ""])
    try:
        _refuse_bombs(front)
        fields: object = yaml.load(front, Loader=_Loader)  # noqa: S506 - a safe loader
    except FrontMatterError:
        raise
    except yaml.MarkedYAMLError as error:
        raise FrontMatterError(_describe_error(error, front)) from error
    except yaml.reader.ReaderError as error:
        raise FrontMatterError(
            f"the front matter has a character that YAML does not allow: {error.reason}"
        ) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise FrontMatterError(f"the front matter is not YAML: {reason}") from error
    if not isinstance(fields, dict):
        raise FrontMatterError("the front matter must be `name: value` lines")
    mapping = cast("dict[object, Any]", fields)
    body = "\n".join(lines[ends[0] + 1 :]).lstrip("\r\n")
    return {str(name): value for name, value in mapping.items()}, body


def find_line(text: str, place: str) -> int | None:
    """Return the number of the line of a field, such as ``failures[NAME].class``, or of its parent.

    None if ``text`` has no such field.
    """
    front = text.partition(f"\n{FENCE}")[0].partition("\n")[2]
    node = cast("yaml.Node", yaml.compose(front, Loader=yaml.CSafeLoader))  # pyright: ignore[reportUnknownMemberType]
    line: int | None = None
    for entry, key in _SEGMENT.findall(place):
        before = line
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                if name.value == key:
                    line, node = name.start_mark.line + 2, value
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                # One of the texts of an entry is its name in messages.
                texts = item.value if isinstance(item, yaml.MappingNode) else ()
                names = {str(text.value) for _, text in texts if isinstance(text, yaml.ScalarNode)}
                if entry in {str(index), *names}:
                    line, node = item.start_mark.line + 2, item
                    break
        if line == before:
            break
    return line


def join(fields: Mapping[str, object], body: str) -> str:
    """Return a text with ``fields`` as front matter above ``body``, as `split` reads it."""
    front = yaml.dump(
        dict(fields), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=WIDTH
    )
    return f"{FENCE}\n{front}{FENCE}\n\n{body.rstrip(chr(10))}\n"


_QUOTE = "quote the value"
_FAULTS = (
    ("found character that cannot start any token", f"{_QUOTE}: it begins with {{character}}"),
    ("did not find expected alphabetic or numeric", f"{_QUOTE}: it begins with {{character}}"),
    ("could not determine a constructor for the tag", f"{_QUOTE}: it begins with !"),
    ("found undefined tag handle", f"{_QUOTE}: it begins with !"),
    ("found unexpected end of stream", "a quote is opened and not closed"),
    ("found unknown escape character", "write two backslashes for one, or use single quotes"),
    ("did not find expected hexdecimal number", "write two backslashes for one"),
    ("could not find expected ':'", "must be `name: value`; indent a continued text"),
    (
        "did not find expected key",
        "is not indented like the lines beside it, or goes on after a closing quote or bracket",
    ),
    ("did not find expected '-' indicator", "must begin with `- `, as the entries above do"),
    ("block sequence entries are not allowed", "a list begins on a line of its own"),
    ("did not find expected ',' or '", "a bracket is opened and not closed"),
)
"""Parts of messages of libyaml, with words for people who write the file."""


def _describe_error(error: yaml.MarkedYAMLError, front: str) -> str:
    """Return the line of the file in which the YAML is wrong, and the correct form."""
    problem = str(error.problem or "cannot be read")
    words = next((words for part, words in _FAULTS if part in problem), f"is not YAML: {problem}")
    mark = error.problem_mark
    if "opened" in words:
        mark = error.context_mark or mark
    if mark is None:
        return f"the front matter is not YAML: {problem}"
    lines = front.split("\n")
    text = lines[mark.line] if mark.line < len(lines) else ""
    if text[: mark.column + 1].strip(" ").startswith("\t"):
        words = "begins with a tab: indent with blanks"
    elif "mapping values are not allowed" in problem and f"{text} ".count(": ") > 1:
        words = f"{_QUOTE}: it contains `: `"
    elif "mapping values are not allowed" in problem:
        words = "is indented deeper than the line above, whose value is not empty"
    # libyaml counts lines from 0, and the line of --- comes before its first line.
    return f"line {mark.line + 2}: {words.format(character=text[mark.column : mark.column + 1])}"


def _refuse_bombs(front: str) -> None:
    """Refuse aliases, by which a few lines become gigabytes, and deep nesting."""
    depth = 0
    events = cast("Iterator[yaml.Event]", yaml.parse(front, Loader=yaml.CSafeLoader))  # pyright: ignore[reportUnknownMemberType]
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise FrontMatterError("the front matter has an alias (*name): write the value out")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise FrontMatterError(f"the front matter is nested deeper than {DEEPEST} levels")


class _Loader(yaml.CSafeLoader):
    """A safe loader that refuses a repeated name, instead of taking the later value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise FrontMatterError(f"the front matter has {key.value!r} twice in one place")
            seen.add(str(key.value))
        return super().construct_mapping(node, deep=deep)
