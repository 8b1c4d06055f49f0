"""Differences as a single HTML file, for artifacts of CI that are opened in a browser."""

import difflib
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from generator.diff.markdown_text import MARK
from records.text.visible import make_visible

COMPARED_LINES: Final = 2_000
"""Longer files are not compared, because difflib's time grows with the square of the lines."""

Files = Mapping[str, str]
"""The files of an answer: text by path."""


def render_html_page(
    title: str, markdown: str, answers: Sequence[tuple[str, Files, Files]], templates: Path
) -> str:
    """Return the page.

    Args:
        title: the title of the page.
        markdown: the output of `generator.diff.markdown_text`; HTML in it is shown as text.
        answers: the name of each flipped eval, and its answers before and after.
        templates: the folder of templates, whose style sheet is copied into the page.
    """
    style = (templates / "assets" / "site.css").read_text("utf-8")
    # The site's font files are not part of the page, so the browser takes the next fonts.
    style = re.sub(r"@font-face\s*\{[^{}]*\}\n?", "", style)
    text = (
        MarkdownIt("commonmark", {"html": False})
        .enable("table")
        .render(markdown.removeprefix(MARK))
    )
    diffs = "".join(_render_answer(*answer) for answer in answers)
    return (
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        # The artifact is opened as a file, so no text of a model may load or run anything.
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n"
        f"<main>\n<h1>{escape(title)}</h1>\n{text}{diffs}</main>\n</html>\n"
    )


def _render_answer(evaluation: str, before: Files, after: Files) -> str:
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    parts = [_render_file(path, before.get(path, ""), after.get(path, "")) for path in changed]
    body = "".join(parts) or "<p>Both answers are the same.</p>\n"
    return f"<details open>\n<summary>{escape(evaluation)}</summary>\n{body}</details>\n"


def _render_file(path: str, before: str, after: str) -> str:
    old, new = make_visible(before).splitlines(), make_visible(after).splitlines()
    if max(len(old), len(new)) > COMPARED_LINES:
        return f"<p>{escape(path)}: too long to be compared.</p>\n"
    names = (f"before/{path}", f"after/{path}")
    lines = difflib.unified_diff(old, new, *names, lineterm="")
    return f"<pre>{escape(chr(10).join(lines))}</pre>\n"
