"""The table of faults: from exception class, HTTP status or code (else words) to a cause."""

import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Final, cast

from records.shapes.attempt import FaultClass
from runner.errors import (
    EmptyReplyError,
    EndlessReplyError,
    ErrorInReplyError,
    IncompleteReplyError,
    MalformedReplyError,
    RedirectedError,
    ReplyBrokenOffError,
    ReplyTooLargeError,
    SilentProviderError,
)
from runner.models.faults import error_codes
from runner.models.faults.circuit_breaker import (
    BROKEN,
    LIMITED,
    NO_ACCESS,
    NO_MODEL,
    SILENT,
    UNJUDGED,
    UNREACHABLE,
    UNSENT,
    Trouble,
)
from runner.models.faults.likeness import essence, speaks_of_request

LONGEST_CHAIN: Final = 20
"""The most exceptions of a chain that are followed back to the first."""


@dataclass(frozen=True, slots=True)
class FaultRule:
    """A kind of fault, and whether more tries may help.

    Once the tries are used up, the outcome is infrastructure under every rule.
    """

    kind: FaultClass
    tries: int
    """The most requests, the first included."""
    slow: bool = False
    """True where the provider reports too many requests."""
    trouble: Trouble | None = None
    """The trouble for later requests; None where the fault concerns its own request alone."""
    narrows: bool = False
    """True where too many requests at once may be the cause, though no error names it."""
    billed: bool = False
    """True where the provider may bill the request though no whole reply came."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause of a failed request."""

    rule: FaultRule
    evidence: str
    """The text of the error; it may be long, and hold keys."""
    retry_after_s: float | None
    of_request: bool = False
    """True where the provider finds fault with the request itself."""

    @property
    def alike(self) -> str | None:
        """The error's text without ids, digits and times, where it is about the request.

        Equal texts to different prompts are not about the prompts. A text that comes again and
        again to the same prompt never stops.
        """
        return essence(self.evidence) if self.of_request else None


ONCE: Final = 1
"""Another try would get the same answer."""
FEW: Final = 3
"""Rare, and possibly the fault of the model's reply: a few more tries."""
SEVERAL: Final = 6
"""Faults that another try may not meet: the request is sent again."""
MANY: Final = 12
"""Temporary faults without cost."""

_ACCESS: Final = FaultRule(FaultClass.AUTHENTICATION, ONCE, trouble=NO_ACCESS)
_GATEWAY: Final = FaultRule(FaultClass.PROVIDER_TIMEOUT, SEVERAL, trouble=BROKEN, billed=True)
"""The server that waited for the reply gave up; the server that writes it may not have."""

_STATUS: Final[Mapping[int, FaultRule]] = {
    401: _ACCESS,
    402: FaultRule(FaultClass.REFUSED_REQUEST, ONCE, trouble=NO_ACCESS),
    403: _ACCESS,
    404: FaultRule(FaultClass.REFUSED_REQUEST, ONCE, trouble=NO_MODEL),
    407: _ACCESS,
    408: _GATEWAY,
    409: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL),
    425: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL),
    429: FaultRule(FaultClass.RATE_LIMITED, MANY, slow=True, trouble=LIMITED),
    501: FaultRule(FaultClass.PROVIDER_ERROR, ONCE, trouble=NO_MODEL),
    502: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL, trouble=BROKEN, billed=True),
    503: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL, slow=True, trouble=LIMITED),
    504: _GATEWAY,
    529: FaultRule(FaultClass.PROVIDER_ERROR, MANY, slow=True, trouble=LIMITED),
}
_REFUSED: Final = FaultRule(FaultClass.REFUSED_REQUEST, ONCE)
_NO_CREDIT: Final = FaultRule(FaultClass.RATE_LIMITED, ONCE, trouble=NO_ACCESS)
"""Some providers report no credit as too many requests: waiting does not help."""
_BROKEN: Final = FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL, trouble=BROKEN)
_UNREACHED: Final = FaultRule(FaultClass.CONNECTION_LOST, SEVERAL, trouble=UNREACHABLE)
_LOST: Final = FaultRule(FaultClass.CONNECTION_LOST, SEVERAL, narrows=True, billed=True)
_LATE: Final = FaultRule(FaultClass.PROVIDER_TIMEOUT, FEW, trouble=SILENT, billed=True)
_GARBLED: Final = FaultRule(FaultClass.MALFORMED_REPLY, FEW, billed=True)
_UNEXPECTED: Final = FaultRule(FaultClass.PROVIDER_ERROR, FEW, billed=True)

_UNSENT: Final = FaultRule(FaultClass.OUTAGE, ONCE, trouble=UNSENT)

_NO_CONNECTION: Final = frozenset({FaultClass.CONNECTION_LOST, FaultClass.PROVIDER_TIMEOUT})
"""Faults outside of this program that may come before a request was sent."""


def diagnose(error: BaseException) -> Diagnosis:
    """Return the diagnosis of ``error``, which was raised while a model was asked.

    An HTTP status that really came over the wire decides before anything else; then the class of
    the first exception of the chain that the table knows. litellm's own exception comes last: its
    class is chosen by words in the message.
    """
    chain = list(_chain(error))
    for link in chain:
        status = _status(link)
        if status is not None:
            return _by_status(link, status)
    for classes, rule in _classes():
        for link in reversed(chain):
            if isinstance(link, classes):
                evidence = _told(chain[-1] if _litellms(link) else link)
                return Diagnosis(rule, evidence, None, _of_request(rule, link, evidence))
    return Diagnosis(_UNEXPECTED, _told(chain[-1]), None)


def diagnose_unsent(error: BaseException) -> Diagnosis:
    """Return the diagnosis of ``error``, which came before a byte of the request was sent.

    If its cause is not the connection, the fault is in this program or in litellm: the provider
    was not asked, and every request of the run would end the same.
    """
    diagnosis = diagnose(error)
    if diagnosis.rule.kind in _NO_CONNECTION:
        return diagnosis
    evidence = f"no byte of the request was sent, and it costs nothing: {diagnosis.evidence}"
    return Diagnosis(_UNSENT, evidence, None)


def truncated(evidence: str) -> Diagnosis:
    """Return the diagnosis of a reply that the server cut off before the model's own limit."""
    return Diagnosis(FaultRule(FaultClass.TRUNCATED_BY_SERVER, ONCE), evidence, None)


def prompt_cut(evidence: str) -> Diagnosis:
    """Return the diagnosis of a reply to a part of the prompt."""
    return Diagnosis(FaultRule(FaultClass.PROMPT_CUT_BY_SERVER, ONCE), evidence, None)


def limit_ignored(evidence: str) -> Diagnosis:
    """Return the diagnosis of a reply that goes on beyond the limit that was sent."""
    return Diagnosis(FaultRule(FaultClass.LIMIT_IGNORED, ONCE), evidence, None)


def kept_back(evidence: str) -> Diagnosis:
    """Return the diagnosis of a reply that the provider's filter ended."""
    return Diagnosis(FaultRule(FaultClass.CONTENT_FILTER, ONCE), evidence, None)


def unknown_end(evidence: str) -> Diagnosis:
    """Return the diagnosis of a reply that ended with an unknown finish reason."""
    rule = FaultRule(FaultClass.PROVIDER_ERROR, ONCE, trouble=UNJUDGED)
    return Diagnosis(rule, evidence, None)


def unexpected(error: BaseException) -> Diagnosis:
    """Return the diagnosis of an exception without a rule, in our code or in a library."""
    return Diagnosis(FaultRule(FaultClass.OUTAGE, ONCE), f"nobody foresaw {_told(error)}", None)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for, in either of its two forms.

    ``retry-after-ms``, which some providers send, is finer and comes first. None where there is
    no such header or it cannot be read.
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(lowered[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = parsedate_to_datetime(lowered["retry-after"])
    except (KeyError, ValueError, OverflowError, TypeError, IndexError):
        return None  # a number may be too large, and a date may lack its parts
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _by_status(link: BaseException, status: int) -> Diagnosis:
    headers = cast("Mapping[str, str]", getattr(getattr(link, "response", None), "headers", {}))
    rule = _STATUS.get(status)
    if rule is None:
        rule = _BROKEN if status >= 500 else _REFUSED  # noqa: PLR2004 - the classes of HTTP
    codes = _codes(link)
    came = "" if isinstance(link, ErrorInReplyError) else f"HTTP {status}: "
    evidence = f"{came}{_body(link)}"
    if error_codes.miss_credit(codes, evidence):
        rule = _NO_CREDIT if status == 429 else _STATUS[402]  # noqa: PLR2004 - asked too much
    elif error_codes.refuse_access(codes):
        rule = _ACCESS
    elif status == 400 and error_codes.miss_model(codes):  # noqa: PLR2004 - bad request
        rule = _STATUS[404]
    return Diagnosis(rule, evidence, retry_after(headers), _of_request(rule, link, evidence))


def _of_request(rule: FaultRule, link: BaseException, evidence: str) -> bool:
    """Return whether the provider finds fault with the request: by its status, code or words."""
    if rule is not _BROKEN:
        return rule is _REFUSED
    return error_codes.blame_request(_codes(link)) or speaks_of_request(evidence)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error``, then its causes, back to the first."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen and len(seen) < LONGEST_CHAIN:
        seen.add(id(link))
        yield link
        original = getattr(link, "original_exception", None)
        if not isinstance(original, BaseException):
            original = link.__cause__ or link.__context__
        link = original


def _status(link: BaseException) -> int | None:
    """Return the HTTP status that ``link`` brings from the wire, or from an error in a stream.

    litellm's own exceptions carry statuses that it made up; they are passed over.
    """
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late
    import openai  # noqa: PLC0415

    if _litellms(link):
        return None
    if isinstance(link, openai.APIStatusError | httpx.HTTPStatusError):
        return link.response.status_code
    if isinstance(link, openai.APIError | ErrorInReplyError):
        return error_codes.status_of(_codes(link))
    return None


def _codes(link: BaseException) -> frozenset[str]:
    return error_codes.codes_of(link, _text_of_response(link))


@cache
def _classes() -> tuple[tuple[tuple[type[BaseException], ...], FaultRule], ...]:
    """Return the table of exception classes; its first match counts."""
    import aiohttp  # noqa: PLC0415 - these come with litellm, which is imported late
    import httpx  # noqa: PLC0415
    import openai  # noqa: PLC0415

    from runner.models.requests.lazy_litellm import litellm  # noqa: PLC0415

    litellm_module = litellm()
    late = (TimeoutError, httpx.TimeoutException, openai.APITimeoutError)
    # httpx.ConnectError is not among them: litellm also calls a reset connection so.
    unreached = (
        ConnectionRefusedError,
        aiohttp.ClientConnectorError,
        aiohttp.ConnectionTimeoutError,
        httpx.ConnectTimeout,
        httpx.UnsupportedProtocol,
        socket.gaierror,
    )
    return (
        ((SilentProviderError,), _LATE),
        (
            (EndlessReplyError,),
            FaultRule(FaultClass.PROVIDER_TIMEOUT, ONCE, trouble=SILENT, billed=True),
        ),
        ((RedirectedError,), FaultRule(FaultClass.PROVIDER_ERROR, ONCE, trouble=UNREACHABLE)),
        ((EmptyReplyError,), FaultRule(FaultClass.EMPTY_REPLY, FEW, billed=True)),
        ((ReplyTooLargeError,), FaultRule(FaultClass.MALFORMED_REPLY, ONCE, billed=True)),
        ((MalformedReplyError,), _GARBLED),
        ((IncompleteReplyError,), _LOST),
        ((ErrorInReplyError, ReplyBrokenOffError), _BROKEN),
        (unreached, _UNREACHED),
        (late, _LATE),
        ((ConnectionError, aiohttp.ClientError, httpx.TransportError), _LOST),
        ((json.JSONDecodeError, UnicodeDecodeError), _GARBLED),
        ((litellm_module.AuthenticationError, litellm_module.PermissionDeniedError), _STATUS[401]),
        ((litellm_module.RateLimitError,), _STATUS[429]),
        ((litellm_module.BadRequestError, litellm_module.NotFoundError), _REFUSED),
        ((litellm_module.ServiceUnavailableError, litellm_module.InternalServerError), _BROKEN),
    )


def _body(link: BaseException) -> str:
    """Return the provider's error, on one line."""
    body = getattr(link, "body", None)
    if body is None:
        body = _text_of_response(link)
    if not body:
        return _told(link)
    try:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "an error nested too deeply to quote"
    return " ".join(text.split()) or "no text"


def _text_of_response(link: BaseException) -> str:
    """Return the body that came with an HTTP status, where the client has it."""
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    response = getattr(link, "response", None)
    if not isinstance(response, httpx.Response):
        return ""
    try:
        return response.text
    except httpx.StreamError:
        return ""  # the body was never read


def _litellms(link: BaseException) -> bool:
    return type(link).__module__.startswith("litellm")


def _told(link: BaseException) -> str:
    # litellm appends tracebacks to messages: paths of this machine, of no use to a reader.
    text = " ".join(str(link).partition("Traceback (most recent call last)")[0].split())
    name = type(link).__name__
    return f"{name}: {text}" if text else name
