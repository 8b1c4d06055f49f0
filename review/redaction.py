"""Redaction of texts: removal of keys, tokens, addresses and home folders, in disguise as well."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from review.secret_rules.entropy import count_changes, find_random_strings
from review.secret_rules.headers import HEADERS, PLACES
from review.secret_rules.named_values import NAMED_VALUES
from review.secret_rules.possible import PossibleRules
from review.secret_rules.rule import REMOVED, SecretRule, apply_rule, fold_case
from review.secret_rules.secret_tokens import SHAPES, make_detect_secrets_rules, make_prefix_rule

_ESCAPE = re.compile(
    r"\\{1,7}(?:u00(?P<unicode>[0-9a-fA-F]{2})|x(?P<hex>[0-9a-fA-F]{2})|(?P<slash>/))"
    r"|[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]"
)
"""A JSON escape that may stand for a character of a key, or an invisible character."""

_OF_KEYS = re.compile(r"[A-Za-z0-9|/+=_.:~-]")
"""The characters of keys; other escaped characters, such as quotes, stay escaped."""

_WRAPPED = re.compile(
    r"(?<![A-Za-z0-9_+/=|:.-])(?P<first>[A-Za-z0-9_+/=|:.-]{3,200}+)"
    r"(?P<indent>\\?\r?\n[ \t]{0,40}+)(?P<rest>[A-Za-z0-9_+/=.-]{8,}+)"
)
_LEAST_CHANGES = 3
"""The fewest changes between kinds of characters in the second half of a key; words have fewer."""


def redact_disguised_lines(text: str, redact_line: Callable[[str], str]) -> str:
    """Return ``text`` with the lines redacted that have a secret once their escapes are read.

    ``redact_line`` returns a line without secrets. All other lines stay as they are.
    """
    if not _ESCAPE.search(text):
        return text
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        plain = _ESCAPE.sub(_read_escape, line)
        clean = plain if plain == line else redact_line(plain)
        if clean != plain:
            lines[index] = clean
    return "".join(lines)


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
        first, rest = text[start : match.end("first")], match["rest"]
        looks_random = count_changes(rest) >= _LEAST_CHANGES and re.search("[0-9]", rest)
        if first and looks_random and redact_line(f"{first}{rest}").strip(".=") == REMOVED:
            pieces += text[end:start], REMOVED, match["indent"], REMOVED
            end = position = match.end()
            taken_out["token of a provider"] += 1
    return "".join([*pieces, text[end:]])


__all__ = ["REMOVED", "Redaction", "list_rules", "redact", "redact_prompt", "redact_text"]

_REMEMBERED = 256
"""Number of prompts whose redacted form is cached, enough for 70 evals under two experiments."""
_LONGEST_REMEMBERED = 50_000
"""Characters of a prompt; longer prompts are not cached, to limit memory."""

_MOST_PASSES = 4


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets."""

    text: str
    taken_out: Mapping[str, int]
    """Number of removed secrets, by kind."""

    @property
    def looks_secret(self) -> list[str]:
        """Remaining strings that look like secrets."""
        return find_random_strings(self.text)


def redact_text(text: str) -> str:
    """Return ``text`` without secrets. A home folder becomes ``~``, so paths stay readable."""
    return redact(text).text


def redact(text: str) -> Redaction:
    """Return ``text`` without secrets, and the number of removed secrets by kind.

    A secret may begin where another secret ends, so a changed text is redacted again.
    """
    taken_out: Counter[str] = Counter()

    def redact_line(line: str) -> str:
        return _redact_once(line, taken_out)

    text = redact_wrapped(text, lambda line: _redact_once(line, Counter()), taken_out)
    for _ in range(_MOST_PASSES):
        cleaner = _redact_once(text, taken_out)
        if cleaner == text:
            break
        text = cleaner
    return Redaction(redact_disguised_lines(text, redact_line), taken_out)


def _redact_once(text: str, taken_out: Counter[str]) -> str:
    small = fold_case(text)
    for rule in _make_possible_rules().find(text):
        cleaner = apply_rule(rule, text, small, taken_out)
        if cleaner != text:
            text, small = cleaner, fold_case(cleaner)
    return text


def redact_prompt(text: str) -> str:
    """Return the result of `redact_text`, from a cache if possible.

    The sessions of a run repeat the prompts of its evals.
    """
    return _redact_cached(text) if len(text) <= _LONGEST_REMEMBERED else redact_text(text)


_redact_cached = lru_cache(_REMEMBERED)(redact_text)


@cache
def list_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are applied."""
    return (
        *SHAPES,
        *make_detect_secrets_rules(),
        make_prefix_rule(),
        *HEADERS,
        *NAMED_VALUES,
        *PLACES,
    )


@cache
def _make_possible_rules() -> PossibleRules:
    return PossibleRules(list_rules())
