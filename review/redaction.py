"""Takes out of texts what must not leave the machine: keys, tokens, addresses, home folders.

Every pattern stays within one line, so that what is around a secret is kept. A private key alone is
taken out over its lines, up to its end or, where that is missing, up to the end of the text.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

REMOVED: Final = "[redacted]"

_REMEMBERED: Final = 256
"""Texts of which it is remembered what is left of them: two conditions of 70 evals, and more."""
_LONGEST_REMEMBERED: Final = 50_000
"""Characters; longer texts are not remembered, for memory must not grow with them."""


class Pass(NamedTuple):
    """One thing that is looked for."""

    marks: tuple[str, ...]
    """One of these stands, in small letters, in whatever the pattern matches."""
    pattern: re.Pattern[str]
    instead: str | Callable[[re.Match[str]], str]


def _pass(
    marks: str, pattern: str, instead: str | Callable[[re.Match[str]], str] = REMOVED
) -> Pass:
    return Pass(tuple(marks.split(",")), re.compile(pattern), instead)


def _without_value(match: re.Match[str]) -> str:
    """Return an assignment without its value; a call or an index, which opens a bracket, whole."""
    return match[0] if match["bracket"] else f"{match['name']}{REMOVED}"


def _without_token(match: re.Match[str]) -> str:
    """Return REMOVED in place of a token that has its further parts, else the text as it is."""
    return REMOVED if match["rest"] else match[0]


PASSES: Final = (
    _pass(
        "private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    _pass("bearer ", r"(?i)(?<=bearer )[A-Za-z0-9._~+/-]{12,}=*"),
    _pass(
        "sk-,sk_,rk-,rk_,pk-,pk_",
        r"\b(?:sk|rk|pk|osk)[-_][A-Za-z0-9_-]{16,}",
    ),
    _pass("gho_,ghp_,ghr_,ghs_,ghu_", r"\bgh[oprsu]_[A-Za-z0-9]{20,}"),
    _pass("github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    _pass("glpat-", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    _pass("akia,asia", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _pass("aiza", r"\bAIza[A-Za-z0-9_-]{30,}"),
    _pass("xox", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    _pass(
        "eyj",
        r"\beyJ[A-Za-z0-9_-]{8,}+(?P<rest>\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*)?",
        _without_token,
    ),
    _pass("://", r"://[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)", f"://{REMOVED}"),
    _pass(
        "key,secret,token,passw",
        r"(?i)(?P<name>(?:api[_-]?key|secret|token|passw(?:or)?d)"
        r"(?:(?!api[_-]?key|secret|token|passw(?:or)?d)[\w-])*+[\"']?[ \t]*[:=][ \t]*[\"']?)"
        r"[^\s\"',;()\[\]{}]{8,}+(?P<bracket>[(\[])?",
        _without_value,
    ),
    _pass("@", r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"),
    _pass("/home/", r"/home/[^/\s\"'`:]+", "~"),
    _pass("/users/", r"/Users/[^/\s\"'`:]+", "~"),
    _pass(":\\", r"(?i)[a-z]:\\+Users\\+[^\\\s\"'`:]+", "~"),
    _pass("/root", r"/root(?=[/\s\"'`:]|$)", "~"),
)
"""What is looked for in turn. A text in which none of the marks stands, small and capital letters
alike, matches nowhere, and to see that is ten times as fast as the pattern.

The time of each is in proportion to the text: a name is looked at from its last word that tells a
secret, and a run of characters that ends in no secret is passed over as a whole."""


def redacted(text: str) -> str:
    """Return ``text`` without secrets; a home folder becomes ``~``, so that paths stay readable."""
    plain = text.casefold()
    for marks, pattern, instead in PASSES:
        if any(mark in plain for mark in marks):
            text = pattern.sub(instead, text)
    return text


def redacted_prompt(text: str) -> str:
    """Return what `redacted` does of a text that stands in many sessions.

    Sessions of a run repeat the prompts of its evals, which are looked through once.
    """
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else redacted(text)


_remembered: Final = lru_cache(_REMEMBERED)(redacted)
