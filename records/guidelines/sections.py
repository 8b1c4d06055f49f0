"""Sections of a guidelines text, which evals name by slug, and the file with their tokens.

The build of the site has no tokenizer, so `leaderboard suite show --write` counts the tokens.
The digest in the file shows which text was counted.
"""

import itertools
import re
from collections.abc import Mapping
from pathlib import Path

from markdown_it import MarkdownIt

from records.reader import read_record
from records.shapes.base import Count, Digest, Record
from records.shapes.trial import SectionSlug
from records.writer import encode_record, write_atomically

_WORD = re.compile(r"[a-z0-9]+")
_FILE = "guidelines.tokens.json"


def parse_sections(text: str) -> Mapping[str, str]:
    """Return the sections of ``text`` by slug, in their order.

    A section is an h2 heading and the text up to the next h2 or h1. Its slug is the heading's words
    in lower case, joined by ``-``. A heading inside a code block is code.

    Raises:
        ValueError: two headings have the same slug, or a heading has no words.
    """
    lines = _split_lines(text)
    return {
        slug: "\n".join(lines[start:end]) for slug, (start, end) in _find_sections(text).items()
    }


def replace_section(text: str, slug: str, section: str | None) -> str:
    """Return ``text`` with ``section`` instead of the section ``slug``, or without it if None.

    Raises:
        KeyError: there is no such section.
    """
    lines = _split_lines(text)
    start, end = _find_sections(text)[slug]
    return "\n".join([*lines[:start], *([] if section is None else [section]), *lines[end:]])


def remove_sections(text: str) -> str:
    """Return the part of ``text`` that belongs to no section."""
    lines = _split_lines(text)
    inside = {at for start, end in _find_sections(text).values() for at in range(start, end)}
    return "\n".join(line for at, line in enumerate(lines) if at not in inside)


def _split_lines(text: str) -> list[str]:
    return text.split("\n")  # splitlines also splits at characters that end no line of markdown


def _find_sections(text: str) -> dict[str, tuple[int, int]]:
    """Return the first line of each section, and the line after its last."""
    tokens = MarkdownIt("commonmark").parse(text)
    heads: list[tuple[int, str | None]] = []
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.tag in {"h1", "h2"} and token.map is not None:
            heads.append((token.map[0], inline.content if token.tag == "h2" else None))
    sections: dict[str, tuple[int, int]] = {}
    if not heads:
        return sections
    ends = [start for start, _ in heads[1:]] + [len(_split_lines(text))]
    for (start, heading), end in zip(heads, ends, strict=True):
        if heading is None:
            continue
        slug = "-".join(_WORD.findall(heading.lower()))
        if not slug:
            raise ValueError(f"the heading {heading!r} has no words to make a slug of")
        if slug in sections:
            raise ValueError(f"two sections are called {slug}")
        sections[slug] = start, end
    return sections


class GuidelinesTokens(Record):
    """The numbers of tokens of one text of the guidelines."""

    digest: Digest
    """Digest of the text, as in benchmark versions."""
    encoding: str
    """The vocabulary of the tokens, such as ``cl100k_base``."""
    tokens: Count
    """Tokens of the whole text."""
    sections: Mapping[SectionSlug, Count]
    """Tokens of each section."""


def get_tokens_file(suite: Path) -> Path:
    """Return the path of the file with the tokens of the guidelines of ``suite``."""
    return suite / _FILE


def read_guidelines_tokens(suite: Path) -> GuidelinesTokens | None:
    """Read the tokens of the guidelines of ``suite``; None if there is no such file.

    Raises:
        InvalidRecordError: the file is not valid.
    """
    path = get_tokens_file(suite)
    return read_record(GuidelinesTokens, path) if path.exists() else None


def write_guidelines_tokens(suite: Path, tokens: GuidelinesTokens) -> None:
    """Write the tokens of the guidelines of ``suite`` to the file beside the guidelines."""
    write_atomically(get_tokens_file(suite), encode_record(tokens))
