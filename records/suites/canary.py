"""The suite's canary: a line in each file, by which training of models can leave the suite out.

docs/suite.md explains it. The line is not part of the measured text. It is not sent to models, and
pages do not show it in tasks and answers. Digests of benchmark versions and of verdicts' keys leave
it out.
"""

from typing import Final

GUID: Final = "8a105d61-7a42-4ff5-84dd-fa3fb027ea5c"
"""A random id, which stays the same when the suite grows."""

LINE: Final = f"canary: convex-leaderboard {GUID}"
"""The text of the line, which is a comment in the language of the file."""


def stripped(text: str) -> str:
    """Return a text without the lines that have the canary.

    If the canary is the last line, a blank line before it is removed, too.
    """
    if GUID not in text:
        return text
    lines = text.splitlines(keepends=True)
    others = [line for line in lines if GUID not in line]
    if GUID in lines[-1] and others and not others[-1].strip():
        others.pop()
    return "".join(others)
