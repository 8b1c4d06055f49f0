"""Front matter: fields in YAML between two lines of ``---``, above markdown.

GitHub and editors show this kind. Reports of schema version 1 had TOML between lines of ``+++``,
which is still read.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import tomli
import yaml

FENCE: Final = "---"
TOML_FENCE: Final = "+++"
DEEPEST: Final = 10
"""Levels of nesting: building deeper ones would exhaust the stack of the interpreter."""
WIDTH: Final = 100


class FrontMatterError(ValueError):
    """The text does not begin with front matter that can be read."""


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of the front matter and the markdown below it.

    Raises:
        FrontMatterError: there is none, or it is not an object in YAML (or TOML).
    """
    fence, front, body = _parts(text)
    return _toml(front) if fence == TOML_FENCE else _yaml(front), body


def join(fields: Mapping[str, object], body: str) -> str:
    """Return the text that `split` gives ``fields`` and ``body`` of."""
    front = yaml.dump(
        dict(fields), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=WIDTH
    )
    return f"{FENCE}\n{front}{FENCE}\n\n{body.rstrip(chr(10))}\n"


def _parts(text: str) -> tuple[str, str, str]:
    """Return the fence, the text of the front matter, and the markdown below it."""
    lines = text.split("\n")  # not splitlines: YAML and markdown know fewer ends of lines
    fence = lines[0].rstrip()
    if fence not in {FENCE, TOML_FENCE}:
        raise FrontMatterError(f"the first line must be {FENCE}")
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() == fence]
    if not ends:
        raise FrontMatterError(f"the front matter is not closed by a line of {fence}")
    front, body = lines[1 : ends[0]], lines[ends[0] + 1 :]
    return fence, "\n".join(front) + "\n", "\n".join(body).lstrip("\r\n")


def _toml(front: str) -> dict[str, Any]:
    try:
        return tomli.loads(front)
    except (ValueError, RecursionError) as error:
        raise FrontMatterError(f"the front matter is not TOML: {error}") from error


def _yaml(front: str) -> dict[str, Any]:
    try:
        _refuse_bombs(front)
        fields: object = yaml.load(front, Loader=_Loader)  # noqa: S506 - a safe loader
    except FrontMatterError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise FrontMatterError(f"the front matter is not YAML: {reason}") from error
    if not isinstance(fields, dict):
        raise FrontMatterError("the front matter must be `name: value` lines")
    named = cast("dict[object, Any]", fields)
    return {str(name): value for name, value in named.items()}


def _refuse_bombs(front: str) -> None:
    """Refuse aliases, by which a few lines become gigabytes, and nesting without end."""
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
    """The safe loader, but a name that stands twice is an error and not the later value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise FrontMatterError(f"the front matter has {key.value!r} twice in one place")
            seen.add(str(key.value))
        return super().construct_mapping(node, deep=deep)
