"""Errors of providers: the codes in them, and the faults that they mean.

HTTP statuses are not enough: Google and DashScope answer with 400 if a key is wrong or an account
has no credit, and an error in the middle of a stream has no status.
"""

import json
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus

from records.foreign.fields import Fields, as_items, list_objects
from runner.errors import ErrorInReplyError

FILTERED = frozenset(
    {
        "1026",  # MiniMax: the prompt
        "1027",  # MiniMax: the reply
        "1301",  # Zhipu
        "DataInspectionFailed",  # DashScope
        "ResponsibleAIPolicyViolation",  # Azure
        "content_filter",  # Azure
        "content_policy_violation",  # OpenAI
        "data_inspection_failed",
        "moderation",
        "moderation_blocked",  # OpenAI
    }
)
"""Codes of a prompt that a filter of the provider keeps from the model, with any status."""

FILTERED_IN_WORDS = (
    "violates usage guidelines",  # xAI
    "flagged as potentially violating",  # OpenAI
)

ACCESS = frozenset(
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
        "unsupported_country_region_territory",
        "invalid_api_key",
    }
)
"""Codes of a refused key, or of an account that may not use the service, with any status."""

NO_CREDIT = frozenset(
    {
        "1008",  # MiniMax
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
"""Codes of an account without credit, with any status."""

NO_CREDIT_IN_WORDS = "credit balance is too low"
"""Anthropic's words for an account without credit, for which it has no code.

The type of this error is ``invalid_request_error``, as for a wrong parameter.
"""

NO_SUCH_MODEL = frozenset(
    {
        *("model_not_found", "model_not_found_error"),
        # LiteLLM's proxy: the key is right, and may not ask this model
        *("key_model_access_denied", "team_model_access_denied", "user_model_access_denied"),
        *("org_model_access_denied", "project_model_access_denied"),
    }
)
"""Codes of a model that the provider does not have, or not for this key, with any status."""

_CODES = ("code", "type", "status", "status_code", "statusCode", "error_code", "http_status")
"""The fields of an error object that may have its code or HTTP status."""

_NESTED = ("error", "errors", "innererror", "metadata", "base_resp")
"""The fields that may have an error object: MiniMax has it in ``base_resp``."""

MESSAGES = ("message", "errors", "detail", "msg", "error_message", "error_msg")
"""The fields with the words of a refusal, in bodies that have no field ``error``."""

QUOTED = 64 * 1024
"""The most characters that are quoted of a body that is no reply.

Later, keys are hidden in the quote, and it is cut further.
"""

_DEPTH = 3

REQUEST = frozenset(
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
"""Codes that mean that the request itself is wrong."""


_STATUS_OF: Mapping[str, int] = {
    **dict.fromkeys(FILTERED, 400),
    **dict.fromkeys(ACCESS, 401),
    **dict.fromkeys(NO_CREDIT, 402),
    **dict.fromkeys(NO_SUCH_MODEL, 404),
    # https://docs.anthropic.com/en/api/errors, which OpenAI-like servers use in part
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    # OpenAI
    "invalid_prompt": 400,
    "insufficient_quota": 429,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    # MiniMax, with the HTTP status 200
    "1002": 429,
    "1004": 401,
    # codes of Google's gRPC
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
"""The HTTP status that a code means, for errors without a status."""

_NAMED_STATUS = {status.name.replace("_", "").lower(): status.value for status in HTTPStatus}
"""HTTP statuses by their names as gateways write them: ``too_many_requests``, ``Forbidden``."""


def check_no_error(fields: Fields) -> None:
    """Check that an object is not marked as an error, by its type or a field of its own.

    Raises:
        ErrorInReplyError: the object is an error, or contains one.
    """
    if fields.get("type") == "error" or fields.get("error"):
        raise make_reply_error(fields)


def check_no_code(fields: Fields) -> None:
    """Check that an object which is no part of a reply has no code of an error.

    Raises:
        ErrorInReplyError: the object has such a code.
    """
    if find_status(read_codes(fields)) is not None:
        raise make_reply_error(fields)


def make_reply_error(holder: Fields) -> ErrorInReplyError:
    """Return the exception for an error that came instead of a reply, or in the middle of one.

    ``holder`` is the error, or the object with the error and perhaps with codes beside it.
    """
    text = json.dumps(holder.get("error") or holder, ensure_ascii=False)
    return ErrorInReplyError(f"in place of a reply: {text[:QUOTED]}", holder)


def read_codes(body: object) -> frozenset[str]:
    """Return the codes in the JSON ``body`` of an error."""
    written: list[object] = []
    for fields in _list_errors(body):
        written += (fields.get(name) for name in _CODES)
        if isinstance(fields.get("error"), str):
            written.append(fields["error"])
        if "flagged_input" in fields:  # OpenRouter describes moderation, and has no code for it
            written.append("moderation")
        written += (detail.get("reason") for detail in list_objects(fields.get("details")))
    return frozenset(str(code) for code in written if isinstance(code, str | int))


def find_status(codes: frozenset[str]) -> int | None:
    """Return the HTTP status that the codes of an error mean; None if they mean none."""
    numbers = sorted(int(code) for code in codes if len(code) == 3 and code.isdecimal())  # noqa: PLR2004 - HTTP's
    known = sorted(_STATUS_OF[code] for code in codes & _STATUS_OF.keys())
    names = (re.sub(r"[_\- ]", "", code).lower() for code in codes)
    named = sorted(_NAMED_STATUS[name] for name in names if name in _NAMED_STATUS)
    statuses = [*numbers, *known, *named]
    return next((status for status in statuses if 400 <= status < 600), None)  # noqa: PLR2004 - the classes of HTTP


def _list_errors(body: object, depth: int = 0) -> Iterator[Fields]:
    """Yield the objects of a body that may have codes: each object, and the errors in it.

    The body is an object or a list of objects.
    """
    for fields in list_objects(as_items(body) or [body]):
        yield fields
        for name in _NESTED if depth < _DEPTH else ():
            yield from _list_errors(fields.get(name), depth + 1)
