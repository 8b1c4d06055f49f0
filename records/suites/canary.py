"""The suite's canary: one line in each of its files, by which trainers can leave the suite out.

docs/suite.md explains it. It is no part of the measured text: models are not sent it, pages do not
show it in tasks and answers, and it counts neither for a benchmark version nor for a verdict's key.
"""

from typing import Final

GUID: Final = "8a105d61-7a42-4ff5-84dd-fa3fb027ea5c"
"""Chosen once at random; a suite that grows keeps it."""

LINE: Final = f"canary: convex-leaderboard {GUID}"
"""The text of the line, behind the mark of a comment in the file."""


def stripped(text: str) -> str:
    """Return a text without the lines that hold the canary, and the blank one before a last such.

    A text without it is returned as it is.
    """
    if GUID not in text:
        return text
    lines = text.splitlines(keepends=True)
    others = [line for line in lines if GUID not in line]
    if GUID in lines[-1] and others and not others[-1].strip():
        others.pop()
    return "".join(others)
