"""Takes out of texts what must not leave the machine: keys, tokens, addresses, home folders.

Every pattern stays within one line, so that what is around a secret is kept. A private key alone is
taken out over its lines, up to its end or, where that is missing, up to the end of the text.
"""

import re
from functools import lru_cache
from typing import Final

REMOVED: Final = "[redacted]"

_SECRETS: Final = (
    r"\b(?:sk|rk|pk|osk)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_-]{16,}",
    r"\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    (
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
    ),
    r"(?i:(?<=bearer )[A-Za-z0-9._~+/-]{12,}=*)",
    r"(?i:(?<=://)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@))",
)
_ASSIGNED: Final = re.compile(
    r"(?i)\b([\w-]*(?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]*[\"']?[ \t]*[:=][ \t]*[\"']?)"
    r"([^\s\"',;()\[\]{}]{8,}+)(?![(\[])"
)
_EMAIL: Final = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_HOME: Final = re.compile(
    r"(?:/home|/Users)/[^/\s\"'`:]+|(?i:[a-z]:\\+Users\\+)[^\\\s\"'`:]+|/root(?=[/\s\"'`:]|$)"
)
_SECRET: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _SECRETS))


_REMEMBERED: Final = 256
"""Texts of which it is remembered what is left of them: two conditions of 70 evals, and more."""
_LONGEST_REMEMBERED: Final = 50_000
"""Characters; longer texts are not remembered, for memory must not grow with them."""

_MARKS: Final = (
    *("sk-", "sk_", "rk-", "rk_", "pk-", "pk_", "glpat-", "akia", "asia", "aiza", "xox", "eyj"),
    *("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "private key", "bearer", "://"),
)
"""One of these stands in whatever `_SECRET` matches, in small letters."""

PASSES: Final = (
    (
        _MARKS,
        _SECRET,
        REMOVED,
    ),
    (("key", "secret", "token", "passw"), _ASSIGNED, rf"\g<1>{REMOVED}"),
    (("@",), _EMAIL, REMOVED),
    (("/home/", "users", "/root"), _HOME, "~"),
)
"""What is looked for in turn: a text in which none of the words stands, small and capital letters
alike, matches nowhere, and to see that is ten times as fast as the pattern."""


def redacted(text: str) -> str:
    """Return ``text`` without secrets; a home folder becomes ``~``, so that paths stay readable."""
    plain = text.casefold()
    for words, pattern, instead in PASSES:
        if any(word in plain for word in words):
            text = pattern.sub(instead, text)
    return text


def redacted_prompt(text: str) -> str:
    """Return what `redacted` does of a text that stands in many sessions.

    Sessions of a run repeat the prompts of its evals, which are looked through once.
    """
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else redacted(text)


_remembered: Final = lru_cache(_REMEMBERED)(redacted)
