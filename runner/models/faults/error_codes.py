"""Machine-readable codes of providers' errors, and the faults that they name.

Statuses are not enough: Google and DashScope answer a wrong key and an account without credit with
400, and an error that comes in the middle of a stream has no status at all.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, cast

_STATUS_OF: Final[Mapping[str, int]] = {
    # https://docs.anthropic.com/en/api/errors, which OpenAI-like servers use in part
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
    "invalid_request_error": 400,
    # codes of Google's gRPC
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "RESOURCE_EXHAUSTED": 429,
    "INVALID_ARGUMENT": 400,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
"""The status of a code, for errors that came without a status."""

_ACCESS: Final = frozenset(
    {
        # google.api.ErrorReason
        "ACCESS_TOKEN_EXPIRED",
        "ACCOUNT_STATE_INVALID",
        "API_KEY_ANDROID_APP_BLOCKED",
        "API_KEY_HTTP_REFERRER_BLOCKED",
        "API_KEY_INVALID",
        "API_KEY_IOS_APP_BLOCKED",
        "API_KEY_IP_ADDRESS_BLOCKED",
        "API_KEY_SERVICE_BLOCKED",
        "CONSUMER_INVALID",
        "CONSUMER_SUSPENDED",
        "CREDENTIALS_MISSING",
        "SERVICE_DISABLED",
        "USER_PROJECT_DENIED",
        "InvalidApiKey",  # DashScope
        "account_deactivated",  # OpenAI
        "invalid_api_key",
    }
)
"""The key is refused, or the account may not use the service, under any status."""

_NO_CREDIT: Final = frozenset(
    {
        "1113",  # Zhipu
        "Arrearage",  # DashScope
        "BILLING_DISABLED",  # Google
        "billing_error",  # Anthropic
        "billing_hard_limit_reached",  # OpenAI
        "billing_not_active",
        "exceeded_current_quota_error",  # Moonshot
        "insufficient_quota",
    }
)
"""The account has no credit, under any status: waiting does not help."""

_NO_CREDIT_IN_WORDS: Final = "credit balance is too low"
"""Anthropic has no code for it: the type is ``invalid_request_error``, as for a wrong parameter."""

_NO_SUCH_MODEL: Final = frozenset({"model_not_found", "model_not_found_error"})
"""Codes of a missing model, which some providers send with status 400."""

_REQUEST: Final = frozenset(
    {
        "BadRequestError",  # vLLM
        "FAILED_PRECONDITION",
        "INVALID_ARGUMENT",
        "ValidationException",  # Bedrock
        "context_length_exceeded",
        "exceed_context_size_error",  # llama.cpp
        "invalid_request_error",
        "request_too_large",
        "string_above_max_length",
    }
)
"""The request itself is at fault."""


def codes_of(error: BaseException, body: str) -> frozenset[str]:
    """Return the codes of an error: from its attributes, and from the JSON of its ``body``."""
    own = (getattr(error, "code", None), getattr(error, "type", None), *getattr(error, "codes", ()))
    parsed: object = getattr(error, "body", None)
    if parsed is None and body:
        with suppress(ValueError, RecursionError):
            parsed = json.loads(body)
    written = (code for fields in _objects(parsed) for code in _codes_in(fields))
    return frozenset(str(code) for code in (*own, *written) if isinstance(code, str | int))


def status_of(codes: frozenset[str]) -> int | None:
    """Return the status that an error's codes stand for; None where they stand for none."""
    numbers = (int(code) for code in codes if len(code) == 3 and code.isascii() and code.isdigit())  # noqa: PLR2004 - HTTP's
    named_statuses = (_STATUS_OF[code] for code in sorted(codes & _STATUS_OF.keys()))
    statuses = [*numbers, *named_statuses]
    return next((status for status in statuses if 400 <= status < 600), None)  # noqa: PLR2004 - the classes of HTTP


def refuse_access(codes: frozenset[str]) -> bool:
    """Return whether the key or the account is refused."""
    return bool(codes & _ACCESS)


def miss_credit(codes: frozenset[str], evidence: str) -> bool:
    """Return whether the account has no credit."""
    in_words = "invalid_request_error" in codes and _NO_CREDIT_IN_WORDS in evidence
    return bool(codes & _NO_CREDIT) or in_words


def miss_model(codes: frozenset[str]) -> bool:
    """Return whether the provider does not have the model."""
    return bool(codes & _NO_SUCH_MODEL)


def blame_request(codes: frozenset[str]) -> bool:
    """Return whether the request itself is at fault."""
    return bool(codes & _REQUEST)


def _objects(body: object) -> Iterator[Mapping[str, Any]]:
    """Yield a body's objects that hold codes: itself, its ``error``, or those of a list."""
    items = cast("Sequence[object]", body) if isinstance(body, list) else [body]
    for item in items:
        if isinstance(item, dict):
            fields = cast("Mapping[str, Any]", item)
            yield fields
            if isinstance(fields.get("error"), dict):
                yield fields["error"]


def _codes_in(fields: Mapping[str, Any]) -> Iterator[object]:
    """Yield the codes of an error object: code, type, status, and the reasons of its details."""
    yield from (fields.get(name) for name in ("code", "type", "status"))
    details = fields.get("details")
    for detail in cast("list[object]", details) if isinstance(details, list) else ():
        if isinstance(detail, dict):
            yield cast("Mapping[str, Any]", detail).get("reason")
