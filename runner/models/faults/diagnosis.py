"""The diagnosis of failed requests: a table from exception classes, statuses and codes to causes.

If an error has none of these, words in its text decide. For a reply that came, its end decides if
the model caused it, its server or its provider.
"""

import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import NamedTuple, cast

from records.runs import finish_reasons
from records.runs.finish_reasons import End
from records.shapes.attempt import FaultClass, Generation, TokensBasis
from runner import errors
from runner.models.costs import compute_prompt_claim
from runner.models.faults import circuit_breaker
from runner.models.requests import error_codes
from runner.models.requests.heard import Heard
from runner.models.tokens import Prompt, is_far_below

OWN_LIMIT = 0.95
"""A reply that was cut after this share of the sent limit is the model's own fault."""

OWN_LIMIT_COUNTED = 0.5
"""The same share if this program counted the tokens: the model may count twice as many."""

LONGEST_CHAIN = 20
"""The most exceptions of a chain of causes that are followed."""

ONCE = 1
"""The tries for faults that another try would meet again."""

FEW = 3
"""The tries for rare faults that the model's reply may cause."""

SEVERAL = 6
"""The tries for faults that another try may not meet."""

MANY = 12
"""The tries for temporary faults that cost nothing."""

_NO_CONNECTION = frozenset({FaultClass.CONNECTION_LOST, FaultClass.PROVIDER_TIMEOUT})
"""Faults outside of this program that may happen before a request is sent."""

_NAMED_IDS = re.compile(
    r"""["']?\b(?:request|trace|event|correlation)?[-_ ]?id["']?\s*[:=]\s*["']?[\w.:+/-]+""",
    re.IGNORECASE,
)
"""Ids, found by the name of their field, because they may have no digit."""

_WORD = re.compile(r"[\w.:+/-]+")
"""Words, numbers, times and ids. Words with a digit may differ between errors of one cause."""

_CALENDAR = re.compile(
    r"\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b",
    re.IGNORECASE,
)

_REQUEST = re.compile(
    r"context (?:length|size|window|limit)|context overflow|\bprompt\b|input (?:length|tokens)"
    r"|too (?:long|large|many tokens)|unsupported (?:parameter|value)",
    re.IGNORECASE,
)

_PASSING = re.compile(
    r"rate.?limit|overload|\bbusy\b|capacity|temporar|try again|timed? ?out|unavailable",
    re.IGNORECASE,
)


class FaultRule(NamedTuple):
    """A kind of fault, and the tries that may help.

    After the last try the outcome is infrastructure, whatever the rule.
    """

    kind: FaultClass
    tries: int
    """The most requests, the first included."""
    slow: bool = False
    """True if the provider reports too many requests."""
    trouble: circuit_breaker.Trouble | None = None
    """The trouble for later requests; None if the fault concerns only its own request."""
    narrows: bool = False
    """True if the cause may be too many requests at once, although no error names it."""
    billed: bool = False
    """True if the provider may bill the request although no complete reply came."""


class Diagnosis(NamedTuple):
    """The cause of a failed request."""

    rule: FaultRule
    evidence: str
    """The text of the error, which may be long and contain keys."""
    retry_after_s: float | None = None
    """The seconds that the provider asks to wait; None if it does not."""
    of_request: bool = False
    """True if the provider reports that the request itself is wrong."""

    @property
    def refusal_essence(self) -> str | None:
        """The error's text without ids, digits and times, if it is about the request; else None.

        If different prompts get the same text, the prompts are not the cause. If the same prompt
        gets it again and again, further tries do not help.
        """
        return extract_essence(self.evidence) if self.of_request else None


_ACCESS = FaultRule(FaultClass.AUTHENTICATION, ONCE, trouble=circuit_breaker.NO_ACCESS)

_GATEWAY = FaultRule(
    FaultClass.PROVIDER_TIMEOUT, SEVERAL, trouble=circuit_breaker.BROKEN, billed=True
)
"""A gateway no longer waits for the reply; the server behind it may still write and bill it."""

_FORBIDDEN = FaultRule(FaultClass.AUTHENTICATION, ONCE, trouble=circuit_breaker.NO_MODEL)
"""The key may not ask this model, and perhaps others; a wrong key has another status or code."""

_FILTERED = FaultRule(FaultClass.CONTENT_FILTER, ONCE)
"""A filter of the provider keeps this prompt from the model, and perhaps not the next one."""

_STATUS: Mapping[int, FaultRule] = {
    401: _ACCESS,
    402: FaultRule(FaultClass.REFUSED_REQUEST, ONCE, trouble=circuit_breaker.NO_ACCESS),
    403: _FORBIDDEN,
    404: FaultRule(FaultClass.REFUSED_REQUEST, ONCE, trouble=circuit_breaker.NO_MODEL),
    407: _ACCESS,
    408: _GATEWAY,
    409: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL),
    425: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL),
    429: FaultRule(FaultClass.RATE_LIMITED, MANY, slow=True, trouble=circuit_breaker.LIMITED),
    501: FaultRule(FaultClass.PROVIDER_ERROR, ONCE, trouble=circuit_breaker.NO_MODEL),
    502: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL, trouble=circuit_breaker.BROKEN, billed=True),
    503: FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL, slow=True, trouble=circuit_breaker.LIMITED),
    504: _GATEWAY,
    529: FaultRule(FaultClass.PROVIDER_ERROR, MANY, slow=True, trouble=circuit_breaker.LIMITED),
}

_REFUSED = FaultRule(FaultClass.REFUSED_REQUEST, ONCE)

_NO_CREDIT = FaultRule(FaultClass.RATE_LIMITED, ONCE, trouble=circuit_breaker.NO_ACCESS)
"""The account has no credit; some providers report this as too many requests."""

_BROKEN = FaultRule(FaultClass.PROVIDER_ERROR, SEVERAL, trouble=circuit_breaker.BROKEN)

_UNREACHED = FaultRule(FaultClass.CONNECTION_LOST, SEVERAL, trouble=circuit_breaker.UNREACHABLE)

_LOST = FaultRule(FaultClass.CONNECTION_LOST, SEVERAL, narrows=True, billed=True)

_LATE = FaultRule(FaultClass.PROVIDER_TIMEOUT, FEW, trouble=circuit_breaker.SILENT, billed=True)

_GARBLED = FaultRule(FaultClass.MALFORMED_REPLY, FEW, billed=True)

_UNEXPECTED = FaultRule(FaultClass.PROVIDER_ERROR, FEW, billed=True)

_UNSENT = FaultRule(FaultClass.OUTAGE, ONCE, trouble=circuit_breaker.UNSENT)


def diagnose(error: BaseException) -> Diagnosis:
    """Return the diagnosis of ``error``, which was raised while a model was asked.

    An HTTP status that was really received decides first, then the first exception of the chain
    whose class is in the table. An exception of litellm's own decides last, because litellm
    chooses its class by words in the message.
    """
    chain = list(_walk_chain(error))
    for link in chain:
        status = _find_status(link)
        if status is not None:
            answer = (
                link
                if isinstance(link, errors.ErrorInReplyError)
                else getattr(link, "response", None)
            )
            headers = cast("Mapping[str, str]", getattr(answer, "headers", {}))
            rule = _STATUS.get(status)
            if rule is None:
                rule = _BROKEN if status >= 500 else _REFUSED  # noqa: PLR2004 - the classes of HTTP
            codes = _find_codes(link)
            came = "" if isinstance(link, errors.ErrorInReplyError) else f"HTTP {status}: "
            evidence = f"{came}{_describe_body(link)}"
            is_filtered = any(words in evidence for words in error_codes.FILTERED_IN_WORDS)
            misses_credit = error_codes.NO_CREDIT_IN_WORDS in evidence
            if codes & error_codes.FILTERED or is_filtered:
                rule = _FILTERED
            elif codes & error_codes.NO_CREDIT or (
                "invalid_request_error" in codes and misses_credit
            ):
                rule = _NO_CREDIT if status == 429 else _STATUS[402]  # noqa: PLR2004 - asked too much
            elif codes & error_codes.ACCESS:
                rule = _ACCESS
            elif status < 404 and codes & error_codes.NO_SUCH_MODEL:  # noqa: PLR2004 - no other fault
                rule = _FORBIDDEN if status in {401, 403} else _STATUS[404]
            return Diagnosis(
                rule, evidence, retry_after(headers), _is_of_request(rule, link, evidence)
            )
    for classes, rule in _list_class_rules():
        for link in reversed(chain):
            if isinstance(link, classes):
                evidence = _describe_exception(chain[-1] if _is_of_litellm(link) else link)
                return Diagnosis(rule, evidence, None, _is_of_request(rule, link, evidence))
    return Diagnosis(_UNEXPECTED, _describe_exception(chain[-1]))


def diagnose_unsent(error: BaseException) -> Diagnosis:
    """Return the diagnosis of ``error``, which was raised before a byte of the request was sent.

    If its cause is not the connection, the fault is in this program or in litellm. Then every
    request of the run would fail in the same way.
    """
    diagnosis = diagnose(error)
    if diagnosis.rule.kind in _NO_CONNECTION:
        return diagnosis
    evidence = f"no byte of the request was sent, and it costs nothing: {diagnosis.evidence}"
    return Diagnosis(_UNSENT, evidence)


def diagnose_end(
    kind: FaultClass, evidence: str, trouble: circuit_breaker.Trouble | None = None
) -> Diagnosis:
    """Return the diagnosis of a reply that came, but whose end or length shows a fault."""
    return Diagnosis(FaultRule(kind, ONCE, trouble=trouble), evidence)


def diagnose_unexpected(error: BaseException) -> Diagnosis:
    """Return the diagnosis of an exception that no rule covers, from our code or a library."""
    return diagnose_end(FaultClass.OUTAGE, f"nobody foresaw {_describe_exception(error)}")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds of a ``Retry-After`` header, which is a number or a date.

    ``retry-after-ms``, which some providers send, is more exact and is preferred. None if there is
    no such header, or it cannot be read.
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


def _is_of_request(rule: FaultRule, link: BaseException, evidence: str) -> bool:
    """Return whether the provider reports that the request is wrong, by status, code or words.

    Words never decide the kind of a fault, but only how often a request is tried again.
    """
    if rule is not _BROKEN:
        return rule is _REFUSED
    has_words = bool(_REQUEST.search(evidence)) and not _PASSING.search(evidence)
    return has_words or bool(_find_codes(link) & error_codes.REQUEST)


def _walk_chain(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error``, then its cause, the cause of this, and so on to the first exception."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen and len(seen) < LONGEST_CHAIN:
        seen.add(id(link))
        yield link
        original = getattr(link, "original_exception", None)
        if not isinstance(original, BaseException):
            original = link.__cause__ or link.__context__
        link = original


def _find_status(link: BaseException) -> int | None:
    """Return the HTTP status of ``link``, from a response or from an error in a stream.

    None if there is none. The statuses of litellm's own exceptions are ignored, because litellm
    invents them.
    """
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late
    import openai  # noqa: PLC0415

    if _is_of_litellm(link):
        return None
    if isinstance(link, openai.APIStatusError | httpx.HTTPStatusError):
        return link.response.status_code
    if isinstance(link, openai.APIError | errors.ErrorInReplyError):
        return error_codes.find_status(_find_codes(link))
    return None


def _find_codes(link: BaseException) -> frozenset[str]:
    """Return the codes of an error, from its attributes and from the body of its response."""
    own = (getattr(link, "code", None), getattr(link, "type", None))
    name = "error" if isinstance(link, errors.ErrorInReplyError) else "body"
    parsed: object = getattr(link, name, None)
    if parsed is None:
        with suppress(ValueError, RecursionError):
            parsed = json.loads(_read_response_text(link))
    return frozenset(code for code in own if isinstance(code, str)) | error_codes.read_codes(parsed)


@cache
def _list_class_rules() -> tuple[tuple[tuple[type[BaseException], ...], FaultRule], ...]:
    """Return the table of exception classes and their rules; the first match counts."""
    import aiohttp  # noqa: PLC0415 - these come with litellm, which is imported late
    import httpx  # noqa: PLC0415
    import openai  # noqa: PLC0415

    from runner.models.requests.lazy_litellm import load_litellm  # noqa: PLC0415

    litellm_module = load_litellm()
    late = (TimeoutError, httpx.TimeoutException, openai.APITimeoutError)
    # httpx.ConnectError is not among them: litellm also raises it for a reset connection.
    unreached = (
        ConnectionRefusedError,
        aiohttp.ClientConnectorError,
        aiohttp.ConnectionTimeoutError,
        httpx.ConnectTimeout,
        httpx.UnsupportedProtocol,
        socket.gaierror,
    )
    return (
        ((errors.SilentProviderError,), _LATE),
        (
            (errors.EndlessReplyError,),
            FaultRule(
                FaultClass.PROVIDER_TIMEOUT, ONCE, trouble=circuit_breaker.SILENT, billed=True
            ),
        ),
        (
            (errors.RedirectedError,),
            FaultRule(FaultClass.PROVIDER_ERROR, ONCE, trouble=circuit_breaker.UNREACHABLE),
        ),
        ((errors.ReplyTooLargeError,), FaultRule(FaultClass.MALFORMED_REPLY, ONCE, billed=True)),
        ((errors.NotAskedError,), FaultRule(FaultClass.MALFORMED_REPLY, FEW)),
        ((errors.MalformedReplyError,), _GARBLED),
        ((errors.ErrorInReplyError,), _BROKEN),
        (unreached, _UNREACHED),
        (late, _LATE),
        ((ConnectionError, aiohttp.ClientError, httpx.TransportError), _LOST),
        ((json.JSONDecodeError, UnicodeDecodeError), _GARBLED),
        ((litellm_module.AuthenticationError,), _STATUS[401]),
        ((litellm_module.PermissionDeniedError,), _FORBIDDEN),
        ((litellm_module.RateLimitError,), _STATUS[429]),
        ((litellm_module.BadRequestError, litellm_module.NotFoundError), _REFUSED),
        ((litellm_module.ServiceUnavailableError, litellm_module.InternalServerError), _BROKEN),
    )


def _describe_body(link: BaseException) -> str:
    """Return the provider's error in one line."""
    body = getattr(link, "body", None)
    if body is None:
        body = _read_response_text(link)
    if not body:
        return _describe_exception(link)
    try:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "an error nested too deeply to quote"
    return " ".join(text.split()) or "no text"


def _read_response_text(link: BaseException) -> str:
    """Return the body of the response of ``link``; empty if there is none or it was not read."""
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    response = getattr(link, "response", None)
    if not isinstance(response, httpx.Response):
        return ""
    try:
        return response.text
    except httpx.StreamError:
        return ""  # the body was never read


def _is_of_litellm(link: BaseException) -> bool:
    return type(link).__module__.startswith("litellm")


def _describe_exception(link: BaseException) -> str:
    # litellm appends tracebacks to messages, with paths of this machine.
    text = " ".join(str(link).partition("Traceback (most recent call last)")[0].split())
    name = type(link).__name__
    return f"{name}: {text}" if text else name


def extract_essence(evidence: str) -> str:
    """Return the text of an error without ids, digits and times, to compare it with others."""
    text = _NAMED_IDS.sub("", evidence)
    words = _WORD.sub(lambda word: "" if any(map(str.isdigit, word[0])) else word[0], text)
    return " ".join(_CALENDAR.sub("", words).split())


def find_broken_end(heard: Heard) -> Diagnosis | None:
    """Return the fault of a reply without an end or content; None if it has both.

    It is tried again: the server broke it off, or sent it in a form that is not known.
    """
    nothing = not (heard.size or heard.called_tools)
    rule: FaultRule | None = None
    evidence = ""
    if heard.rambled:
        pass
    elif heard.finish_reason is None and (nothing or not heard.closed):
        rule, evidence = _LOST, f"the stream ended after {heard.size} characters, unfinished"
        if heard.strange_event is not None and not heard.recognized:
            rule = _GARBLED
            evidence = f"the stream holds no piece of a reply: {heard.strange_event}"
    elif heard.end is End.SERVER:
        rule, evidence = _BROKEN, f"the server ended the reply by {heard.finish_reason}"
        evidence += f", after {heard.size} characters"
    elif not nothing or heard.end is End.FILTER:
        pass
    elif heard.strange_field is not None:
        rule = _GARBLED
        evidence = f"the reply is in no field that is known: {heard.strange_field}"
    elif not heard.reported_tokens.output:
        rule = FaultRule(FaultClass.EMPTY_REPLY, FEW, billed=True)
        evidence = f"no text and no output tokens; finished by {heard.finish_reason}"
    return None if rule is None else Diagnosis(rule, evidence)


def find_end_fault(heard: Heard, limit: int | None, generation: Generation) -> Diagnosis | None:
    """Return the fault of the server or provider that ended a reply; None if the model ended it.

    ``limit`` is the sent limit on output tokens; None if none was sent.
    """
    word = generation.finish_reason
    if heard.ignored_limit:
        return diagnose_end(
            FaultClass.LIMIT_IGNORED,
            f"the server ignores the limit of {limit or 0:,} tokens: {heard.size:,} characters "
            "came without an end, and the rest was not read",
        )
    if heard.rambled or heard.end is End.MODEL:
        return None
    if heard.end is End.FILTER:
        return diagnose_end(
            FaultClass.CONTENT_FILTER,
            f"the provider ended the reply by {word}, after {heard.size} characters",
        )
    if heard.end in {End.LIMIT, End.CONTEXT}:
        # If no limit was sent, the server has cut the reply.
        counted = generation.tokens_basis is TokensBasis.COUNTED
        share = OWN_LIMIT_COUNTED if counted else OWN_LIMIT
        written = generation.tokens.output or 0
        if heard.end is End.LIMIT and limit is not None and written >= share * limit:
            return None
        most = limit or "an unknown number of"
        return diagnose_end(
            FaultClass.TRUNCATED_BY_SERVER,
            f"finish reason {word} at {generation.tokens.output} of {most} output tokens",
        )
    return find_unknown_end_fault(heard)


def find_prompt_fault(heard: Heard, messages: Prompt) -> Diagnosis | None:
    """Return the fault of a reply to only a part of the prompt; None without evidence of it."""
    reported = compute_prompt_claim(heard.usage)
    own = None if not reported else is_far_below(reported, messages)
    if own is None:
        return None
    return diagnose_end(
        FaultClass.PROMPT_CUT_BY_SERVER,
        f"the server counted {reported:,} tokens of a prompt that has about {own:,}: its context "
        "length is too short for the prompt, which it cut, or it counts wrongly; start it with a "
        "longer context and --resume",
    )


def find_unknown_end_fault(heard: Heard) -> Diagnosis | None:
    """Return the fault of a reply with an unknown finish reason; None for all other replies."""
    if heard.rambled or heard.end is not End.UNKNOWN:
        return None
    evidence = "replies end without a finish reason"
    if heard.finish_reason is not None:
        evidence = (
            f"replies end by {heard.finish_reason!r}, which may tell of a fault: "
            f"add it to {finish_reasons.PLACE} to have them judged"
        )
    elif heard.traffic.incoming is None:
        evidence = f"the finish reasons of replies from {heard.traffic.path} are not read"
    return diagnose_end(FaultClass.PROVIDER_ERROR, evidence, circuit_breaker.UNJUDGED)
