"""Secrets in disguise: with JSON escapes or invisible characters inside, or over two lines."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from review.secret_rules.entropy import count_changes
from review.secret_rules.rule import REMOVED

_ESCAPE: Final = re.compile(
    r"\\{1,7}(?:u00(?P<unicode>[0-9a-fA-F]{2})|x(?P<hex>[0-9a-fA-F]{2})|(?P<slash>/))"
    r"|[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]"
)
"""A JSON escape that may stand for a character of a key, or an invisible character."""

_OF_KEYS: Final = re.compile(r"[A-Za-z0-9|/+=_.:~-]")
"""The characters of keys; other escaped characters, such as quotes, stay escaped."""

_WRAPPED: Final = re.compile(
    r"(?<![A-Za-z0-9_+/=|:.-])(?P<first>[A-Za-z0-9_+/=|:.-]{3,200}+)"
    r"(?P<indent>\\?\r?\n[ \t]{0,40}+)(?P<rest>[A-Za-z0-9_+/=.-]{8,}+)"
)
_LEAST_CHANGES: Final = 3
"""The fewest changes between kinds of characters in the second half of a key; words have fewer."""


def redact_disguised_lines(text: str, redact_line: Callable[[str], str]) -> str:
    """Return ``text`` with the lines redacted that have a secret once their escapes are read.

    ``redact_line`` returns a line without secrets. All other lines stay as they are.
    """
    if not _ESCAPE.search(text):
        return text
    return "".join(_redact_line(line, redact_line) for line in text.splitlines(keepends=True))


def _redact_line(line: str, redact_line: Callable[[str], str]) -> str:
    plain = _ESCAPE.sub(_read_escape, line)
    if plain == line:
        return line
    clean = redact_line(plain)
    return line if clean == plain else clean


def _read_escape(match: re.Match[str]) -> str:
    """Return the character of an escape if keys have it, and nothing for an invisible one."""
    code = match["unicode"] or match["hex"]
    if code is None:
        return match["slash"] or ""
    character = chr(int(code, 16))
    return character if _OF_KEYS.match(character) else match[0]


def redact_wrapped(text: str, redact_line: Callable[[str], str], taken_out: Counter[str]) -> str:
    """Return ``text`` without the keys that begin at the end of a line and end on the next one.

    ``redact_line`` returns a line without secrets. The removed keys are added to ``taken_out``.
    """
    pieces: list[str] = []
    end = position = 0
    while match := _WRAPPED.search(text, position):
        position = match.start("rest")  # this half may be the first half of another key
        start = match.start("first") + match["first"].rfind("=") + 1
        if _is_wrapped_key(text[start : match.end("first")], match["rest"], redact_line):
            pieces += text[end:start], REMOVED, match["indent"], REMOVED
            end = position = match.end()
            taken_out["token of a provider"] += 1
    return "".join([*pieces, text[end:]])


def _is_wrapped_key(first: str, rest: str, redact_line: Callable[[str], str]) -> bool:
    """Return whether two parts are one key; the second part must look random."""
    if not first or count_changes(rest) < _LEAST_CHANGES or not re.search("[0-9]", rest):
        return False
    return redact_line(f"{first}{rest}").strip(".=") == REMOVED
