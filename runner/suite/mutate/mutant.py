"""A mutant: the reference with one small thing wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

from tree_sitter import Node

from runner.answers.syntax import text_of


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes of a file that are replaced."""

    start: int
    end: int
    text: str

    @classmethod
    def of(cls, node: Node, text: str) -> "Edit":
        """Replace a node."""
        return cls(node.start_byte, node.end_byte, text)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One answer that is probably wrong, and how it came about."""

    operator: str
    path: str
    function: str
    """The function, or other top-level name, that it is in; empty for none."""
    line: int
    before: str
    """The line as it stands in the reference, without the blanks around it."""
    change: str
    """What was replaced by what, for people."""
    files: Mapping[str, str]

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.operator} {self.path}:{self.line}  {self.change}"


def applied(source: bytes, edits: tuple[Edit, ...]) -> str:
    """Return a file's text with its edits; they do not overlap."""
    for edit in sorted(edits, key=lambda each: each.start, reverse=True):
        source = source[: edit.start] + edit.text.encode() + source[edit.end :]
    return source.decode()


def told(source: bytes, edits: tuple[Edit, ...]) -> str:
    """Say in one line what an edit does: the last one, where imports are changed along with it."""
    edit = max(edits, key=lambda each: each.start)
    before = " ".join(source[edit.start : edit.end].decode().split())
    after = " ".join(edit.text.split())
    return f"{_short(before)} → {_short(after) or 'nothing'}"


def without(node: Node) -> Edit:
    """Leave out an element of a list, with the comma that follows it."""
    after = node.next_sibling
    end = after.end_byte if after is not None and text_of(after) == "," else node.end_byte
    return Edit(node.start_byte, end, "")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:40]} … {text[-18:]}"  # noqa: PLR2004 - a line
