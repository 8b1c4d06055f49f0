"""Rules of the package detect-secrets, in the form of `SecretRule`."""

import re
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from review.secret_rules.named_values import redact_group
from review.secret_rules.rule import REMOVED, SecretRule

if TYPE_CHECKING:
    from collections.abc import Iterable

USED: Final = {
    "ArtifactoryDetector": (",".join(("AKC", *(f"AP{at}" for at in "0123456789ABCDEF"))), 11),
    "AWSKeyDetector": ("a3t,abia,acca,akia,asia,aws", 20),
    "AzureStorageKeyDetector": ("accountkey=", 88),
    "GitHubTokenDetector": ("ghp_,gho_,ghu_,ghs_,ghr_", 40),
    "GitLabTokenDetector": (
        "glpat-,gldt-,glft-,glsoat-,glrt-,gr1348941,glcbt-,glimt-,glptt-,glagent-,gloas-",
        25,
    ),
    "MailchimpDetector": ("-us", 36),
    "PypiTokenDetector": ("pypi-", 80),
    "SendGridDetector": ("sg.", 43),
    "SquareOAuthDetector": ("sq0csp-", 1),
    "StripeDetector": ("k_live_", 32),
    "TwilioKeyDetector": ("AC,SK", 34),
}
"""Detectors whose patterns are used, with the marks of a match and its `SecretRule.least`.

Marks in capital letters must be so in the text, because these patterns distinguish capital letters.
All other detectors are replaced by own rules (`tests/review/test_redaction.py`).
"""


@cache
def make_rules() -> tuple[SecretRule, ...]:
    """Return the rules made from patterns of the installed detect-secrets, which loads slowly."""
    from detect_secrets.core.plugins.util import (  # noqa: PLC0415 - imports an HTTP client
        get_mapping_from_secret_type_to_class,
    )

    secret_rules: list[SecretRule] = []
    for detector in get_mapping_from_secret_type_to_class().values():
        if detector.__name__ in USED:
            marks, least = USED[detector.__name__]
            secret_rules += (
                SecretRule(
                    cast("str", vars(detector)["secret_type"]),
                    tuple(marks.split(",")),
                    pattern,
                    _without_secret,
                    least=least,
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


_LEAST_PART: Final = 20
"""Characters of a group that is the secret itself; a shorter group is a part of it, such as
`ghp`."""
