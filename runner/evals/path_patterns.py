"""Patterns of paths, as ``suite.toml`` has them: `*` is text within a folder, `**` any folders."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

_ANY_FOLDERS = "**"
_LITERAL = str.maketrans({"?": "[?]", "[": "[[]"})
"""Characters that fnmatch takes for more than themselves, and these patterns do not."""


def is_matching_any(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path matches one of the patterns."""
    parts = path.split("/")
    return any(_is_matching(parts, pattern.split("/")) for pattern in patterns)


def _is_matching(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Compare a path with a pattern; a pattern has ``**`` once at most, so this ends soon."""
    if not pattern:
        return not parts
    if pattern[0] == _ANY_FOLDERS:
        rest = pattern[1:]
        if not rest:
            return bool(parts)
        return any(_is_matching(parts[begin:], rest) for begin in range(len(parts)))
    return (
        bool(parts)
        and fnmatchcase(parts[0], pattern[0].translate(_LITERAL))
        and _is_matching(parts[1:], pattern[1:])
    )
