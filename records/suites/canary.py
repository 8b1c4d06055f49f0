"""The suite's canary: a line in each file, by which training of models can leave the suite out.

docs/suite.md explains it. The line is not part of the measured text. It is not sent to models, and
pages do not show it in tasks and answers. Digests of benchmark versions and of verdicts' keys leave
it out.
"""

import re

GUID = "8a105d61-7a42-4ff5-84dd-fa3fb027ea5c"
"""A random id, which stays the same when the suite grows."""

LINE = f"canary: convex-leaderboard {GUID}"
"""The text of the line, which is a comment in the language of the file."""

_OF_ANY_SUITE = re.compile(
    r"\bcanary: [a-z0-9-]{1,40} [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
)
"""The line of a suite with a name and a UUID of its own."""


def format_canary_line(name: str, guid: str) -> str:
    """Return the text of the line of a suite with this name and UUID."""
    return f"canary: {name} {guid}"


def strip_canary(text: str) -> str:
    """Return a text without the lines that have a canary.

    If the canary is the last line, a blank line before it is removed, too.
    """
    if not _holds_canary(text):
        return text
    lines = text.splitlines(keepends=True)
    text_lines = [line for line in lines if not _holds_canary(line)]
    if _holds_canary(lines[-1]) and text_lines and not text_lines[-1].strip():
        text_lines.pop()
    return "".join(text_lines)


def _holds_canary(text: str) -> bool:
    return GUID in text or ("canary: " in text and _OF_ANY_SUITE.search(text) is not None)
