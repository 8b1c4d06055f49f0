"""A mutant: the reference with a small fault."""

from collections.abc import Mapping
from typing import NamedTuple

from tree_sitter import Node

from runner.answers.syntax import get_node_text


class Edit(NamedTuple):
    """A replacement for a range of bytes in a file."""

    start: int
    end: int
    text: str

    def describe(self, source: bytes) -> str:
        """Return the edit of the file ``source`` in one line."""
        before = " ".join(source[self.start : self.end].decode().split())
        after = " ".join(self.text.split())
        return f"{_shorten_text(before)} → {_shorten_text(after) or 'nothing'}"


class Mutant(NamedTuple):
    """An answer that is probably wrong, with the mutation that made it."""

    operator: str
    path: str
    function: str
    """The name of the top-level definition that contains the mutation; empty if it has none."""
    line: int
    before: str
    """The line of the reference, without the blanks around it."""
    change: str
    """The replaced text and its replacement, in words for people."""
    files: Mapping[str, str]

    def __str__(self) -> str:
        """Return the mutation as one line."""
        return f"{self.operator} {self.path}:{self.line}  {self.change}"


def apply_edits(source: bytes, edits: tuple[Edit, ...]) -> str:
    """Return the text of a file after ``edits``, which must not overlap."""
    for edit in sorted(edits, key=lambda each: each.start, reverse=True):
        source = source[: edit.start] + edit.text.encode() + source[edit.end :]
    return source.decode()


def replace_node(node: Node, text: str) -> Edit:
    """Return an edit that replaces a node by a text."""
    return Edit(node.start_byte, node.end_byte, text)


def remove_element(node: Node) -> Edit:
    """Return an edit that removes an element of a list, with the comma after it."""
    after = node.next_sibling
    end = after.end_byte if after is not None and get_node_text(after) == "," else node.end_byte
    return Edit(node.start_byte, end, "")


def _shorten_text(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:40]} … {text[-18:]}"  # noqa: PLR2004 - a line
