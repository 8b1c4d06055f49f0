"""Paths as models write them: which headings are paths, and where a path may point."""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Final

from runner.answer_rules import is_inside
from runner.errors import UnusableReplyError

_WRAPPERS: Final = ("**", "__", "*", "_", '"', "'")
_CODE_SPAN: Final = re.compile(r"(`+)\s*([^`]+?)\s*\1")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_LABELLED: Final = re.compile(
    r"(?:\d+[.)]\s+)?(?:(?:file|filename|path)\s*:?\s+)?(?P<path>\S+?):?(?:\s+\([^()]*\))?:?",
    re.IGNORECASE,
)
_EXTENSION: Final = re.compile(r"\w\.[A-Za-z][A-Za-z0-9]{0,9}$")
_HEADING_CHARACTERS: Final = 2000
"""A longer heading is no path: the patterns above are not made for it."""

_SEGMENT_BYTES: Final = 255
_PATH_BYTES: Final = 1024


def path_in_heading(heading: str) -> str | None:
    """Return the path that a heading names, as written; None where it is no path.

    Backticks, bold, quotes, links, a trailing colon, a number or ``File:`` before it and a remark
    in parentheses after it are not part of the path.
    """
    if len(heading) > _HEADING_CHARACTERS:
        return None
    text = heading.strip()
    if code := _CODE_SPAN.search(text):
        text = text[: code.start()] + code[2].replace(" ", "\0") + text[code.end() :]
    text = _unwrapped(_LINK.sub(r"\1", text))
    labelled = _LABELLED.fullmatch(text)
    if labelled is None:
        return None
    path = _unwrapped(labelled["path"]).replace("\0", " ")
    return path if _looks_like_a_path(path) else None


def place(written: str) -> str:
    """Return where a path written by a model points: relative to the project, with slashes.

    Backslashes are read as slashes, and ``/convex/...`` as starting at the project.

    Raises:
        UnusableReplyError: it leaves the project, or no file system could hold it.
    """
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in written):
        raise _refused(written, "holds control characters")
    if "\ufffd" in written:
        raise _refused(written, "holds a character that is no text")
    path = written.replace("\\_", "_").replace("\\", "/")
    if re.match(r"[A-Za-z]:|~", path):
        raise _refused(written, "leaves the project")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise _refused(written, "leaves the project")
    _check_lengths(written, parts)
    relative = str(PurePosixPath(*parts))
    if path.startswith("/") and not is_inside(relative):
        raise _refused(written, "is absolute")
    return relative


def _unwrapped(text: str) -> str:
    text = text.strip().rstrip(":").rstrip()
    for mark in _WRAPPERS:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return _unwrapped(text[len(mark) : -len(mark)])
    return text


def _looks_like_a_path(text: str) -> bool:
    if re.fullmatch(r"[./\\]*", text) or "://" in text:
        return False
    if text.startswith("/"):  # without an extension it is a route of an HTTP API
        return _EXTENSION.search(text) is not None
    return "/" in text or "\\" in text or _EXTENSION.search(text) is not None


def _check_lengths(written: str, parts: list[str]) -> None:
    if not parts:
        raise _refused(written, "names no file")
    longest = max(len(part.encode()) for part in parts)
    if longest > _SEGMENT_BYTES or len("/".join(parts).encode()) > _PATH_BYTES:
        raise _refused(written[:80], "is too long")


def _refused(written: str, reason: str) -> UnusableReplyError:
    return UnusableReplyError("path_refused", f"the path {written!r} {reason}")
