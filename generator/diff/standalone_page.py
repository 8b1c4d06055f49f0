"""A difference as one HTML file that needs nothing else: an artifact that opens in a browser."""

import difflib
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from generator.diff.markdown_text import MARK
from records.text.visible import visible

COMPARED_LINES: Final = 2_000
"""A longer file is not compared: difflib's time grows with the square of the lines."""

Files = Mapping[str, str]
"""An answer: the text of each file by path."""


def html_page(
    title: str, markdown: str, answers: Sequence[tuple[str, Files, Files]], templates: Path
) -> str:
    """Return the page.

    Args:
        title: of the page.
        markdown: the output of `generator.diff.markdown_text`; HTML in it is shown, not obeyed.
        answers: for each eval that flipped its name and the answers before and after.
        templates: the folder whose style sheet the page carries.
    """
    style = (templates / "assets" / "site.css").read_text("utf-8")
    # The page is one file: without the site's fonts beside it, the next in line are used.
    style = re.sub(r"@font-face\s*\{[^{}]*\}\n?", "", style)
    text = (
        MarkdownIt("commonmark", {"html": False})
        .enable("table")
        .render(markdown.removeprefix(MARK))
    )
    diffs = "".join(_answer(*answer) for answer in answers)
    return (
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        # The artifact is opened as a file: no text of a model may load or run anything.
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n"
        f"<main>\n<h1>{escape(title)}</h1>\n{text}{diffs}</main>\n</html>\n"
    )


def _answer(evaluation: str, before: Files, after: Files) -> str:
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    parts = [_file(path, before.get(path, ""), after.get(path, "")) for path in changed]
    body = "".join(parts) or "<p>Both answers are the same.</p>\n"
    return f"<details open>\n<summary>{escape(evaluation)}</summary>\n{body}</details>\n"


def _file(path: str, before: str, after: str) -> str:
    old, new = visible(before).splitlines(), visible(after).splitlines()
    if max(len(old), len(new)) > COMPARED_LINES:
        return f"<p>{escape(path)}: too long to be compared.</p>\n"
    names = (f"before/{path}", f"after/{path}")
    lines = difflib.unified_diff(old, new, *names, lineterm="")
    return f"<pre>{escape(chr(10).join(lines))}</pre>\n"
