"""Rules for tokens with a known beginning, and for secrets of a known shape."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

from review.secret_rules.rule import REMOVED, SecretRule, make_rule

_PREFIXES: Final = Path(__file__).with_name("token_prefixes.toml")
_BODIES: Final = {
    "plain": r"[A-Za-z0-9_-]",
    "dotted": r"[A-Za-z0-9_.=-]",
    "base64": r"[A-Za-z0-9_.=+/-]",
}
SHORTEST: Final = 16
"""The fewest characters of a token, with its prefix."""
_WORDS: Final = re.compile(
    r"(?:[A-Za-z][a-z]{0,15}|[A-Z]{2,16})(?:[_.-](?:[A-Za-z][a-z]{0,15}|[A-Z]{2,16}))++"
)


@cache
def read_prefixes() -> Mapping[str, Mapping[str, int]]:
    """Return the beginnings of tokens by kind of body, with the least length of the body."""
    tables = tomllib.loads(_PREFIXES.read_text("utf-8"))
    return {body: tables[body] for body in _BODIES}


@cache
def make_prefix_rule() -> SecretRule:
    """Return the rule of all tokens with a known beginning.

    Its one pattern has branches by first letter, so that at most positions of a text no branch is
    tried.
    """
    branches = [
        (prefix, f"{re.escape(prefix)}{_BODIES[body]}{{{least},}}+")
        for body, prefixes in read_prefixes().items()
        for prefix, least in prefixes.items()
    ]
    pattern = rf"(?<![A-Za-z0-9])(?:{_build_alternation(branches)})"
    return SecretRule("token of a provider", (), re.compile(pattern), _without_token, "text")


def _build_alternation(branches: Iterable[tuple[str, str]]) -> str:
    """Return an alternation, grouped by first letter, with longer prefixes before shorter ones."""
    ordered = sorted(branches, key=lambda branch: (branch[0][0], -len(branch[0]), branch[0]))
    return "|".join(
        f"{letter}(?:{'|'.join(pattern[1:] for _, pattern in group)})"
        for letter, group in groupby(ordered, key=lambda branch: branch[0][0])
    )


def _without_token(match: re.Match[str]) -> str:
    """Return REMOVED for a token, or the match itself for words with hyphens or underscores."""
    token = match[0]
    if _WORDS.fullmatch(token):
        return token
    end = token.rstrip(".-")
    return REMOVED + token[len(end) :]


def _without_json_web_token(match: re.Match[str]) -> str:
    """Return REMOVED if the token has all its parts, else the match itself."""
    return REMOVED if match["rest"] else match[0]


_PRIVATE_MEMBER: Final = re.compile(
    r"(?<![\w-])(?P<name>(?:d|p|q|dp|dq|qi|k|r|t)\\{0,7}[\"']?\s{0,40}:\s{0,40}\\{0,7}[\"'])"
    r"[A-Za-z0-9_=+/-]{8,}+"
)
"""A member of a JSON web key that only its owner may know, with those of further primes."""

_SHAPES_OF_WORDS: Final = (
    ("token of a bot", ":a", 35, r"(?<!\d)\d{8,10}:A[A-Za-z0-9_-]{33,40}+(?![A-Za-z0-9_-])"),
    (
        *("token of a bot", ".", 27),
        r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40}",
    ),
    ("token of a provider", "pat", 64, r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("token of a provider", ".atlasv1.", 60, r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}+"),
    ("token of a provider", "_mmk", 40, r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    ("token of a provider", "q~", 16, r"(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}"),
    ("token of a provider", "|", 27, r"(?<!\d)\d{15,16}\|[A-Za-z0-9_-]{27,40}"),
)
"""The kind, the mark, the least length of a run and the pattern of secrets within a word."""

SHAPES: Final = (
    make_rule(
        "private key",
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        scope="text",
    ),
    make_rule(
        "private key",
        "putty-user-key-file",
        r"PuTTY-User-Key-File-(?s:.*?)(?:Private-MAC: [0-9a-f]{1,128}|\Z)",
        scope="text",
    ),
    make_rule(
        "private key",
        "kty",
        r"\{(?:[^{}k]++|k(?!ty\b)|\{[^{}]*+\})*+kty\b(?:[^{}]++|\{[^{}]*+\})*+(?:\}|\Z)",
        lambda match: _PRIVATE_MEMBER.sub(rf"\g<name>{REMOVED}", match[0]),
        scope="text",
    ),
    make_rule(
        "key of Convex",
        "|",
        r"(?<![\w:|-])(?:"
        # prod:NAME|..., preview:TEAM:PROJECT|...
        r"(?:prod|dev|preview|project|local)(?::[\w-]{1,64}){1,3}+\|[A-Za-z0-9+/=_-]{16,}+"
        # NAME|... of a self-hosted or local deployment
        r"|[\w-]{1,64}+\|(?:eyJ[A-Za-z0-9+/=_-]{16,}+|[0-9a-f]{65,}+|01[0-9a-f]{60,}+))",
        scope="word",
        least=16,
    ),
    make_rule(
        "key of Convex",
        "|",
        r"(?i)(?P<name>key[\"'\\]{0,3}[ \t]{0,4}[=: ][ \t]{0,4}[\"'\\]{0,3})"
        r"[\w:-]{1,80}\|(?=[a-z_+/=-]*+[0-9])[\w+/=-]{8,}+",
        rf"\g<name>{REMOVED}",
        starts="key",
    ),
    make_rule(
        "JSON web token",
        "eyj",
        r"\beyJ[A-Za-z0-9_-]{8,}+(?P<rest>\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*)?",
        _without_json_web_token,
        scope="word",
        least=11,
    ),
    make_rule(
        "address of a webhook",
        "hooks.slack,api.softlayer.com/soap/,/webhooks/,webhook.office,hooks.zapier,/incomingwebhook/",
        r"(?i)(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/"
        r"|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/"
        r"|webhook\.office\.com/webhookb2/"
        r"|api\.softlayer\.com/soap/v3(?:\.1)?/"
        r"|hooks\.zapier\.com/hooks/)[A-Za-z0-9_./@-]{8,}+",
        scope="word",
    ),
    *(
        make_rule(kind, mark, pattern, scope="word", least=least)
        for kind, mark, least, pattern in _SHAPES_OF_WORDS
    ),
    make_rule(
        "signature of an address",
        "sig=,signature=,credential=",
        r"(?i)(?<=[?&;])(?P<name>(?:sig|signature|X-(?:Amz|Goog)-(?:Signature|Credential))=)"
        r"[^\s&\"'<>`;]{8,}+",
        rf"\g<name>{REMOVED}",
        scope="word",
    ),
)
"""Rules for secrets of a known shape. A private key is removed up to its end, or up to the end of
the text if its end is missing. All other secrets are within one line."""
