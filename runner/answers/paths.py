"""Paths as models write them: headings that are paths, and the files that a path may name."""

import re
import unicodedata
from pathlib import PurePosixPath

from runner.answers.rules import FileRules
from runner.errors import UnusableReplyError

_WRAPPERS = ("**", "__", "*", "_", '"', "'")
_BACKTICKS = re.compile("`+")
_BLANK = re.compile(r"\s")
_NUMBER = re.compile(r"\A\d+[.)]\s+")
_LABEL = re.compile(r"\A(?:file|filename|path)\s*:?\s+", re.IGNORECASE)
_MOST_WRAPPERS = 8
_EXTENSION = re.compile(r"\w\.[A-Za-z][A-Za-z0-9]{0,9}$")
_HEADING_CHARACTERS = 2000
"""A longer heading is no path."""

_SEGMENT_BYTES = 255
_PATH_BYTES = 1024


def find_path_in_heading(heading: str) -> str | None:
    """Return the path that a heading names, as written; None where it is no path.

    Backticks, bold, quotes, links, a trailing colon, a number or ``File:`` before it and a remark
    in parentheses after it are not part of the path.
    """
    if len(heading) > _HEADING_CHARACTERS:
        return None
    text = _strip_wrappers(_without_links(_without_code_span(heading.strip())))
    for label in (_NUMBER, _LABEL):
        text = label.sub("", text, count=1)
    text = text.removesuffix(":")
    before, _, remark = text.rpartition("(")
    if remark and remark.find(")") == len(remark) - 1 and before[-1:].isspace():
        text = before.rstrip().removesuffix(":")
    if not text or _BLANK.search(text):
        return None
    path = _strip_wrappers(text).replace("\0", " ")
    if re.fullmatch(r"[./\\]*", path) or "://" in path:
        return None
    has_slash = not path.startswith("/") and ("/" in path or "\\" in path)
    # With a slash in front and without an extension it is a route of an HTTP API.
    return path if has_slash or _EXTENSION.search(path) else None


def resolve_written_path(written: str, rules: FileRules) -> str:
    """Return the file of a path written by a model: relative to the project, with slashes.

    Backslashes are read as slashes, and ``/convex/...`` as starting at the project.

    Raises:
        UnusableReplyError: the path leaves the project, or no file system could hold it.
    """
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in written):
        raise _make_path_error(written, "holds control characters")
    if "\ufffd" in written:
        raise _make_path_error(written, "holds a character that is no text")
    path = written.replace("\\_", "_").replace("\\", "/")
    if re.match(r"[A-Za-z]:|~", path):
        raise _make_path_error(written, "leaves the project")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise _make_path_error(written, "leaves the project")
    if not parts:
        raise _make_path_error(written, "names no file")
    longest = max(len(part.encode()) for part in parts)
    if longest > _SEGMENT_BYTES or len("/".join(parts).encode()) > _PATH_BYTES:
        raise _make_path_error(written[:80], "is too long")
    relative = str(PurePosixPath(*parts))
    if path.startswith("/") and not rules.is_allowed_path(relative):
        raise _make_path_error(written, "is absolute")
    return relative


def _without_code_span(text: str) -> str:
    """Take the backticks off the first code span; blanks in it belong to the path."""
    runs = _BACKTICKS.finditer(text)
    first, second = next(runs, None), next(runs, None)
    if first is None or second is None:
        return text
    inside = text[first.end() : second.start()]
    marks = min(len(first[0]), len(second[0]))
    code = (inside.strip() or inside[-1:]).replace(" ", "\0")
    return text[: first.end() - marks] + code + text[second.start() + marks :]


def _without_links(text: str) -> str:
    """Put the label of each link, ``[label](address)``, in its place."""
    parts: list[str] = []
    begin = 0
    while (close := text.find("](", begin)) >= 0 and (end := text.find(")", close)) >= 0:
        # The label ends at its first "]": the search for "[" begins after the last "]" before it.
        opening = text.find("[", text.rfind("]", begin, close) + 1 or begin, close)
        if 0 <= opening < close - 1:
            parts += [text[begin:opening], text[opening + 1 : close]]
            begin = end + 1
        else:
            parts.append(text[begin : close + 1])
            begin = close + 1
    return "".join([*parts, text[begin:]])


def _strip_wrappers(text: str) -> str:
    for _ in range(_MOST_WRAPPERS):
        text = text.strip().rstrip(":").rstrip()
        for mark in _WRAPPERS:
            if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
                text = text[len(mark) : -len(mark)]
                break
        else:
            break
    return text


def _make_path_error(written: str, reason: str) -> UnusableReplyError:
    return UnusableReplyError("path_refused", f"the path {written!r} {reason}")
