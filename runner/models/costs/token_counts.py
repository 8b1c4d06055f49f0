"""Counts of tokens on this machine, for providers without reports or with doubtful reports."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

COUNTED_AT_ONCE: Final = 20_000
"""The most characters per call of the tokenizer, because its time grows faster than the text."""

_OTHER_SCRIPTS: Final = re.compile(r"[^\x00-\x7f]+")


def count_text(text: str) -> int:
    """Return the number of tokens of ``text``, by this program's vocabulary, not the model's."""
    from runner.models import tokens  # noqa: PLC0415 - loads a vocabulary, for providers without usage

    parts = range(0, len(text), COUNTED_AT_ONCE)
    return sum(tokens.count_tokens(text[at : at + COUNTED_AT_ONCE]) for at in parts)


def count_prompt(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the number of tokens of a prompt."""
    return sum(count_text(message["content"]) for message in messages)


def count_prompt_cautiously(messages: Sequence[Mapping[str, str]]) -> int:
    """Return a low number of tokens: a common vocabulary needs at least half of it.

    Vocabularies differ by some percent for English and code. For other scripts newer vocabularies
    need only a fifth of the tokens, so only ASCII is counted.
    """
    return sum(count_text(_OTHER_SCRIPTS.sub("", message["content"])) for message in messages)


def is_far_below(reported: int, messages: Sequence[Mapping[str, str]]) -> int | None:
    """Return our count of a prompt's tokens if ``reported`` is below half of it; else None."""
    most = sum(len(message["content"]) for message in messages)
    if 2 * reported >= most:  # a token of ASCII has at least one character
        return None
    own = count_prompt_cautiously(messages)
    return own if 2 * reported < own else None
