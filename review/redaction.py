"""Redaction of texts: removal of keys, tokens, addresses and home folders."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from review.secret_rules import detect_secrets_rules
from review.secret_rules.disguised import redact_disguised_lines, redact_wrapped
from review.secret_rules.entropy import find_random_strings
from review.secret_rules.headers import HEADERS
from review.secret_rules.named_values import NAMED_VALUES
from review.secret_rules.places import PLACES
from review.secret_rules.possible import PossibleRules
from review.secret_rules.rule import REMOVED, SecretRule, apply_rule, fold_case
from review.secret_rules.secret_tokens import SHAPES, make_prefix_rule

__all__ = ["REMOVED", "Redaction", "list_rules", "redact", "redact_prompt", "redact_text"]

_REMEMBERED: Final = 256
"""Number of prompts whose redacted form is cached, enough for 70 evals under two experiments."""
_LONGEST_REMEMBERED: Final = 50_000
"""Characters of a prompt; longer prompts are not cached, to limit memory."""

_MOST_PASSES: Final = 4


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
    for rule in _make_possible_rules().find(text, small):
        cleaner = apply_rule(rule, text, small, taken_out)
        if cleaner != text:
            text, small = cleaner, fold_case(cleaner)
    return text


def redact_prompt(text: str) -> str:
    """Return the result of `redact_text`, from a cache if possible.

    The sessions of a run repeat the prompts of its evals.
    """
    return _redact_cached(text) if len(text) <= _LONGEST_REMEMBERED else redact_text(text)


_redact_cached: Final = lru_cache(_REMEMBERED)(redact_text)


@cache
def list_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are applied."""
    return (
        *SHAPES,
        *detect_secrets_rules.make_rules(),
        make_prefix_rule(),
        *HEADERS,
        *NAMED_VALUES,
        *PLACES,
    )


@cache
def _make_possible_rules() -> PossibleRules:
    return PossibleRules(list_rules(), make_prefix_rule())
