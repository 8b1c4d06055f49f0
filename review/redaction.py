"""Takes secrets out of texts: keys, tokens, addresses, home folders."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from review.secret_rules import detect_secrets_rules
from review.secret_rules.entropy import find_random_strings
from review.secret_rules.headers import HEADERS
from review.secret_rules.named_values import NAMED_VALUES
from review.secret_rules.places import PLACES
from review.secret_rules.rule import REMOVED, SecretRule, apply_rule, small_letters
from review.secret_rules.tokens import SHAPES, SHORTEST, prefixed_tokens

__all__ = ["REMOVED", "Redaction", "all_rules", "redact", "redacted", "redacted_prompt"]

_REMEMBERED: Final = 256
"""Texts whose redacted form is remembered: two conditions of 70 evals, and more."""
_LONGEST_REMEMBERED: Final = 50_000
"""Characters; longer texts are not remembered, for memory must not grow with them."""

_MOST_PASSES: Final = 4
_RUN: Final = re.compile(r"[A-Za-z0-9_+/=-]{16,}+")


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets."""

    text: str
    taken_out: Mapping[str, int]
    """How many texts were taken out, by kind."""

    @property
    def looks_secret(self) -> list[str]:
        """Strings that stay in, and look like secrets."""
        return find_random_strings(self.text)


def redacted(text: str) -> str:
    """Return ``text`` without secrets; a home folder becomes ``~``, so that paths stay readable."""
    return redact(text).text


def redact(text: str) -> Redaction:
    """Return ``text`` without secrets, and the counts of the texts that were taken out.

    A secret may begin at the end of another, so a changed text is looked through again.
    """
    taken_out: Counter[str] = Counter()
    for _ in range(_MOST_PASSES):
        cleaner = _redacted_once(text, taken_out)
        if cleaner == text:
            break
        text = cleaner
    return Redaction(text, taken_out)


def _redacted_once(text: str, taken_out: Counter[str]) -> str:
    small = small_letters(text)
    for rule in _possible_rules(text, small):
        cleaner = apply_rule(rule, text, small, taken_out)
        if cleaner != text:
            text, small = cleaner, small_letters(cleaner)
    return text


def _possible_rules(text: str, small: str) -> Iterator[SecretRule]:
    """Yield the rules of which a mark stands in ``text``; no other rule matches.

    Marks are looked for in the different words of the text, which are a third of it, and those of
    tokens, with their patterns, in its long words.
    """
    different_words = set(text.split())
    words = "\n".join(different_words)
    long_words = "\n".join(word for word in different_words if len(word) >= SHORTEST)
    longest = max(map(len, _RUN.findall(long_words)), default=SHORTEST - 1)
    small_words = small_letters(words)
    small_long_words = small_letters(long_words)
    tokens = prefixed_tokens()
    for rule in all_rules():
        if rule is tokens:
            if tokens.pattern.search(long_words):
                yield rule
        elif longest >= rule.least:
            searched = small_long_words if rule.scope == "word" else small_words
            searched = words if rule.is_exact else searched
            for mark in rule.marks:
                if mark in (small if " " in mark else searched):
                    if rule.scope != "word" or rule.pattern.search(long_words):
                        yield rule
                    break


def redacted_prompt(text: str) -> str:
    """Return the same as `redacted`, for a text that stands in many sessions.

    Sessions of a run repeat the prompts of its evals, which are looked through once.
    """
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else redacted(text)


_remembered: Final = lru_cache(_REMEMBERED)(redacted)


@cache
def all_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are applied."""
    return (
        *SHAPES,
        *detect_secrets_rules.rules(),
        prefixed_tokens(),
        *HEADERS,
        *NAMED_VALUES,
        *PLACES,
    )
