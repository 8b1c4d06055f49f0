"""Rules for tokens with a known beginning, for secrets of a known shape, and of detect-secrets."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import cast

from review.secret_rules.named_values import redact_group
from review.secret_rules.rule import REMOVED, SecretRule, make_rule

_PREFIXES = Path(__file__).with_name("token_prefixes.toml")
_BODIES = {
    "plain": r"[A-Za-z0-9_-]",
    "dotted": r"[A-Za-z0-9_.=-]",
    "base64": r"[A-Za-z0-9_.=+/-]",
}
SHORTEST = 16
"""The fewest characters of a token, with its prefix."""
_WORDS = re.compile(
    r"(?:[A-Za-z][a-z]{0,15}|[A-Z]{2,16})(?:[_.-](?:[A-Za-z][a-z]{0,15}|[A-Z]{2,16}))++"
)


@cache
def read_prefixes() -> Mapping[str, Mapping[str, int]]:
    """Return the beginnings of tokens by kind of body, with the least length of the body."""
    tables = tomllib.loads(_PREFIXES.read_text("utf-8"))
    return {body: tables[body] for body in _BODIES}


def make_prefix_rule() -> SecretRule:
    """Return the rule of all tokens with a known beginning.

    Its one pattern has branches by first letter, so that at most positions of a word no branch is
    tried.
    """
    branches = [
        (prefix, f"{re.escape(prefix)}{_BODIES[body]}{{{least},}}+")
        for body, prefixes in read_prefixes().items()
        for prefix, least in prefixes.items()
    ]
    # Longer prefixes come before shorter ones.
    branches.sort(key=lambda branch: (branch[0][0], -len(branch[0]), branch[0]))
    alternation = "|".join(
        f"{letter}(?:{'|'.join(pattern[1:] for _, pattern in group)})"
        for letter, group in groupby(branches, key=lambda branch: branch[0][0])
    )
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{alternation})")
    return SecretRule(
        "token of a provider",
        tuple(prefix for prefix, _ in branches),
        pattern,
        _without_token,
        "word",
        is_exact=True,
    )


def _without_token(match: re.Match[str]) -> str:
    """Return REMOVED for a token, or the match itself for words with hyphens or underscores."""
    token = match[0]
    if _WORDS.fullmatch(token):
        return token
    end = token.rstrip(".-")
    return REMOVED + token[len(end) :]


_PRIVATE_MEMBER = re.compile(
    r"(?<![\w-])(?P<name>(?:d|p|q|dp|dq|qi|k|r|t)\\{0,7}[\"']?\s{0,40}:\s{0,40}\\{0,7}[\"'])"
    r"[A-Za-z0-9_=+/-]{8,}+"
)
"""A member of a JSON web key that only its owner may know, with those of further primes."""

_SHAPES_OF_WORDS = (
    ("token of a bot", ":a", r"(?<!\d)\d{8,10}:A[A-Za-z0-9_-]{33,40}+(?![A-Za-z0-9_-])"),
    (
        *("token of a bot", "."),
        r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40}",
    ),
    ("token of a provider", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("token of a provider", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}+"),
    ("token of a provider", "_mmk", r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    ("token of a provider", "q~", r"(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}"),
    ("token of a provider", "|", r"(?<!\d)\d{15,16}\|[A-Za-z0-9_-]{27,40}"),
)
"""The kind, the mark and the pattern of secrets within a word."""

SHAPES = (
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
        lambda match: REMOVED if match["rest"] else match[0],  # a token has all its parts
        scope="word",
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
    *(make_rule(kind, mark, pattern, scope="word") for kind, mark, pattern in _SHAPES_OF_WORDS),
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

USED = {
    "ArtifactoryDetector": ",".join(("AKC", *(f"AP{at}" for at in "0123456789ABCDEF"))),
    "AWSKeyDetector": "a3t,abia,acca,akia,asia,aws",
    "AzureStorageKeyDetector": "accountkey=",
    "GitHubTokenDetector": "ghp_,gho_,ghu_,ghs_,ghr_",
    "GitLabTokenDetector": (
        "glpat-,gldt-,glft-,glsoat-,glrt-,gr1348941,glcbt-,glimt-,glptt-,glagent-,gloas-"
    ),
    "MailchimpDetector": "-us",
    "PypiTokenDetector": "pypi-",
    "SendGridDetector": "sg.",
    "SquareOAuthDetector": "sq0csp-",
    "StripeDetector": "k_live_",
    "TwilioKeyDetector": "AC,SK",
}
"""Detectors whose patterns are used, with the marks of a match.

Marks in capital letters must be so in the text, because these patterns distinguish capital letters.
All other detectors are replaced by own rules (`tests/review/test_redaction.py`).
"""


def make_detect_secrets_rules() -> tuple[SecretRule, ...]:
    """Return the rules made from patterns of the installed detect-secrets, which loads slowly."""
    from detect_secrets.core.plugins.util import (  # noqa: PLC0415 - imports an HTTP client
        get_mapping_from_secret_type_to_class,
    )

    secret_rules: list[SecretRule] = []
    for detector in get_mapping_from_secret_type_to_class().values():
        if detector.__name__ in USED:
            marks = USED[detector.__name__]
            secret_rules += (
                SecretRule(
                    cast("str", vars(detector)["secret_type"]),
                    tuple(marks.split(",")),
                    pattern,
                    _without_secret,
                    is_exact=marks.isupper(),
                )
                for pattern in cast("Iterable[re.Pattern[str]]", vars(detector)["denylist"])
            )
    return tuple(secret_rules)


def _without_secret(match: re.Match[str]) -> str:
    """Return a match without its secret, which is the pattern's only group or the whole match.

    A match without a digit is not a secret, and is returned whole.
    """
    if not re.search("[0-9]", match[0]):
        return match[0]
    has_part = match.re.groups == 1 and match[1] is not None
    return redact_group(match, 1) if has_part and len(match[1]) >= _LEAST_PART else REMOVED


_LEAST_PART = 20
"""Characters of a group that is the secret itself; a shorter group is a part of it, such as
`ghp`."""
