"""Checks that links, anchors and paths in backquotes lead to something that exists."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tests.documents.fault import Fault
from tests.documents.markdown import Document, parse_document

_PATH: Final = re.compile(
    r"(?:docs|evals|generator|leaderboard|records|requirements|review|runner|scripts"
    r"|site_templates|tests)/[\w./-]*[\w/]"
)


def find_link_faults(root: Path, file: Path, document: Document) -> Iterator[Fault]:
    """Yield the faults of the links and paths of ``file``, which is relative to ``root``."""
    for line, link in document.links:
        if words := _find_fault(root, file, document, link):
            yield Fault(file, line, words)
    for line, code in document.codes:
        if _PATH.fullmatch(code) and not (root / code).exists():
            yield Fault(file, line, f"there is no {code}")


def _find_fault(root: Path, file: Path, document: Document, link: str) -> str | None:
    """Return the fault of a link; None where it leads somewhere or out of the repository."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path)
    target = root / path.lstrip("/") if path.startswith("/") else root / file.parent / path
    if path and not target.exists():
        return f"the link to {link} leads nowhere"
    if not parts.fragment or (path and target.suffix != ".md"):
        return None
    anchors = _read_anchors(target) if path else document.anchors
    return None if unquote(parts.fragment) in anchors else f"{link}: there is no such heading"


@cache
def _read_anchors(file: Path) -> frozenset[str]:
    return parse_document(file.read_text("utf-8")).anchors
