"""Parses Markdown into links, anchors, inline code and fenced blocks, with their lines."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")
_OWN_ANCHOR = re.compile(r"""<[^>]*\b(?:id|name)=["']([^"']+)["']""")


class Fence(NamedTuple):
    """A fenced block."""

    line: int
    """Line of its first fence, counted from 1."""
    language: str
    """First word beside the fence; empty where there is none."""
    file: str | None
    """Second word beside the fence: the name of a file whose text this is."""
    text: str


class Words(NamedTuple):
    """The target of a link, or a piece of inline code."""

    line: int
    text: str


class Document(NamedTuple):
    """The parts of a Markdown document that can be checked."""

    links: tuple[Words, ...]
    """Targets of links and images."""
    codes: tuple[Words, ...]
    """Inline code."""
    fences: tuple[Fence, ...]
    anchors: frozenset[str]
    """Names that links to this document may end with, after the ``#``."""


def parse_document(text: str) -> Document:
    """Return the parts of the Markdown document ``text``."""
    tokens = _PARSER.parse(text)
    inline = [words for token in tokens if token.type == "inline" for words in _parse_inline(token)]
    return Document(
        links=tuple(words for kind, words in inline if kind == "link"),
        codes=tuple(words for kind, words in inline if kind == "code"),
        fences=tuple(_parse_fence(token) for token in tokens if token.type == "fence"),
        anchors=frozenset({*_make_slugs(tokens), *_OWN_ANCHOR.findall(text)}),
    )


def _parse_fence(token: Token) -> Fence:
    language, _, file = token.info.strip().partition(" ")
    line = token.map[0] + 1 if token.map else 1
    return Fence(line, language, file.strip() or None, token.content)


def _parse_inline(token: Token) -> Iterator[tuple[str, Words]]:
    """Yield the links and codes of a paragraph, a heading or a cell."""
    line = token.map[0] + 1 if token.map else 1
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
        elif child.type == "code_inline":
            yield "code", Words(line, child.content)
        elif target := child.attrGet("href") or child.attrGet("src"):
            yield "link", Words(line, str(target))


def _make_slugs(tokens: list[Token]) -> Iterator[str]:
    """Yield the anchors of the headings as GitHub makes them."""
    counts: dict[str, int] = {}
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = "".join(
            child.content
            for child in content.children or ()
            if child.type in ("text", "code_inline")
        )
        slug = _NOT_IN_SLUGS.sub("", words.lower()).replace(" ", "-")
        repeated = counts.get(slug, 0)
        counts[slug] = repeated + 1
        yield f"{slug}-{repeated}" if repeated else slug
