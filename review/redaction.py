"""Takes secrets out of texts: keys, tokens, addresses, home folders."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from review.secret_rules import detect_secrets_rules
from review.secret_rules.entropy import find_random_strings
from review.secret_rules.headers import HEADERS
from review.secret_rules.named_values import NAMED_VALUES
from review.secret_rules.places import PLACES
from review.secret_rules.possible import PossibleRules
from review.secret_rules.rule import REMOVED, SecretRule, apply_rule, small_letters
from review.secret_rules.secret_tokens import SHAPES, prefixed_tokens

__all__ = ["REMOVED", "Redaction", "all_rules", "redact", "redacted", "redacted_prompt"]

_REMEMBERED: Final = 256
"""Texts whose redacted form is remembered: two conditions of 70 evals, and more."""
_LONGEST_REMEMBERED: Final = 50_000
"""Characters; longer texts are not remembered, for memory must not grow with them."""

_MOST_PASSES: Final = 4


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
    for rule in _possible_rules().find(text, small):
        cleaner = apply_rule(rule, text, small, taken_out)
        if cleaner != text:
            text, small = cleaner, small_letters(cleaner)
    return text


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


@cache
def _possible_rules() -> PossibleRules:
    return PossibleRules(all_rules(), prefixed_tokens())
