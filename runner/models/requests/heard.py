"""One request and its reply so far, in structures that transport and readers of replies fill."""

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields, replace
from typing import NamedTuple, Protocol

from records.foreign.fields import (
    Fields,
    as_dollars,
    as_fields,
    as_word,
    get_object,
    join_surrogates,
)
from records.foreign.usage import TokenReport, read_token_report
from records.runs.finish_reasons import End, end_by
from records.shapes.attempt import NO_TOKENS, Tokens
from runner.models.requests.error_codes import QUOTED

REFUSAL = "refusal"
"""The finish reason of a reply with a refusal in a field of its own."""

END_MARK = "[DONE]"
"""The end mark of a stream of events, and the finish reason of a reply that has no other."""

LARGEST_REPLY = 2 * 1024 * 1024
"""The most characters of text and reasoning; the rest of a longer reply is not read.

This is four times the length of text that the highest output limit of a model in the registry
allows.
"""

TURN = "its turn to ask"
"""The wait of an attempt in the queue, while the questions of other attempts come first."""


@dataclass(frozen=True, slots=True)
class ReportedUsage(TokenReport):
    """The tokens and costs that a provider reports. Each is None if it is not reported."""

    cost_usd: float | None = None
    """The charge of the provider that was asked, in dollars."""
    upstream_cost_usd: float | None = None
    """The charge of the host behind a gateway, in dollars."""
    own_key: bool | None = None
    """True if the host bills the user's own key."""

    @property
    def is_empty(self) -> bool:
        """True if all reported values are zero, or none is reported."""
        return not any(getattr(self, each.name) for each in fields(self))

    def merge_later(self, later: "ReportedUsage") -> "ReportedUsage":
        """Return this report with the values of a later report; later zeros replace nothing."""
        names = [each.name for each in fields(self)]
        news = [name for name in names if getattr(later, name) or getattr(self, name) is None]
        return replace(self, **{name: getattr(later, name) for name in news})


class Outgoing(NamedTuple):
    """The host and the body of a request."""

    host: str
    body: bytes


class Incoming(NamedTuple):
    """A reply that this program reads, and not litellm."""

    read: "Reader"
    """The reader of the protocol."""
    headers: Mapping[str, str]
    """The headers that this program knows, by their names in lower case."""
    body: AsyncIterator[bytes]
    """The pieces of the body, unpacked."""
    close: Callable[[], Awaitable[None]]
    """Closes the response."""


@dataclass(slots=True)
class Traffic:
    """Facts about one request. They are kept even if its reply never comes."""

    dry: bool = False
    """True if the request must not be sent, but be stored in `outgoing`."""
    outgoing: Outgoing | None = None
    """The dry request."""
    unstreamed: bool = False
    """True if the reply is requested in one piece. Then some servers report an error that they do
    not report in a stream."""
    written: bool = False
    """True after the first byte of the request's body was written to an open connection."""
    status: int | None = None
    """The HTTP status of the response; None before it comes."""
    refused: bool = False
    """True if an error or a page came in place of the whole reply, so that no model was asked."""
    reused: bool = False
    """True if the request was sent on a connection that an earlier request had used."""
    path: str = ""
    """The path of the request."""
    origin: str = ""
    """Scheme, host and port of the request; empty before it is made."""
    incoming: Incoming | None = None
    """The reply, if this program has a reader for its protocol."""
    received: int = 0
    """The number of bytes of the body so far, unpacked."""

    @property
    def opened(self) -> bool:
        """True if the provider began to answer, without an error or a redirect."""
        return not self.refused and 200 <= (self.status or 0) < 300  # noqa: PLR2004 - HTTP's


class Tell(Protocol):
    """A function that reports why an attempt waits."""

    def __call__(self, what: str, until: float | None = None) -> None:
        """Report that the attempt waits for ``what``, such as ``first token`` or ``rate limit``.

        ``until`` is the end of the wait, on the clock of ``time.monotonic``; None if unknown.
        Called at each change of the reason, from any thread.
        """
        ...


def ignore_wait(what: str, until: float | None = None) -> None:
    """Do nothing: a `Tell` for callers that report to nobody."""
    del what, until


def read_usage(report: object) -> ReportedUsage:
    """Return a usage report in OpenAI's or Anthropic's form; empty if it has neither form."""
    fields = as_fields(report)
    cost, own_key = fields.get("cost"), fields.get("is_byok")
    return ReportedUsage(
        **asdict(read_token_report(report)),
        # A cost is a number, or in a field of an object.
        cost_usd=as_dollars(as_fields(cost).get("total_cost", cost)),
        upstream_cost_usd=as_dollars(
            get_object(fields, "cost_details").get("upstream_inference_cost")
        ),
        own_key=own_key if isinstance(own_key, bool) else None,
    )


@dataclass(slots=True)
class Heard:
    """A reply so far. It is kept even if the rest never comes."""

    began: float = 0.0
    """The start of the request, on the monotonic clock, as are the other times; 0 before it."""
    tell: Tell = ignore_wait
    """Receives the next wait after the first piece of text or reasoning, for watchers of runs."""
    pieces: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    """The pieces of reasoning, if the provider shows it."""
    size: int = 0
    """The number of characters of text and reasoning."""
    longest: int = LARGEST_REPLY
    """The most characters of the reply; the rest of a longer reply is not read."""
    called_tools: bool = False
    """True after a call of a tool, although no tool is offered."""
    refused: bool = False
    """True after a refusal in a field of its own."""
    answered_by: str | None = None
    """The name of the model in the reply."""
    host: str | None = None
    """The host that a gateway passed the request on to, as the gateway names it."""
    fingerprint: str | None = None
    """The server's identifier of the weights and settings of the model."""
    first_at: float | None = None
    ended: float = 0.0
    """The end of the reply; 0 before it."""
    finish_reason: str | None = None
    """The finish reason, as the provider sent it."""
    doubted: bool = False
    """True if text came after a finish reason, so that this was not the end."""
    closed: bool = False
    """True after the end mark of the protocol, which nothing follows."""
    recognized: bool = False
    """True after an event that belongs to a reply."""
    strange_event: str | None = None
    """The text of the first event that does not belong to a reply."""
    strange_field: str | None = None
    """The first field with content that no reader reads, as JSON."""
    place: str | None = None
    """The name of the field that has the text of the reply."""
    moves: int = 0
    """The number of pieces of any kind that have come."""
    moved_at: float = 0.0
    """The time of the last piece of any kind; 0 before the first."""
    hid_thoughts: bool = False
    """True after reasoning that the provider does not show."""
    usage: ReportedUsage = ReportedUsage()
    header_cost: float | None = None
    """The cost in dollars that a header of the response reports."""
    traffic: Traffic = field(default_factory=Traffic)

    @property
    def text(self) -> str:
        """The text of the reply so far."""
        return join_surrogates("".join(self.pieces))

    @property
    def rambled(self) -> bool:
        """True if the reply is too long, so that its rest is not read."""
        return self.size > self.longest

    @property
    def ignored_limit(self) -> bool:
        """True if the reply is longer than the sent limit permits, and has not ended."""
        return self.rambled and self.longest < LARGEST_REPLY and not self.is_over

    @property
    def is_over(self) -> bool:
        """True if the reply has a finish reason that no text followed."""
        return self.finish_reason is not None and not self.doubted

    @property
    def nothing(self) -> bool:
        """True if the provider began to answer, but sent nothing of a reply."""
        came = self.size or self.called_tools or self.finish_reason or not self.usage.is_empty
        return self.traffic.opened and not came

    @property
    def end(self) -> End:
        """The cause of the reply's end, by its finish reason."""
        return end_by(self.finish_reason)

    @property
    def reported_tokens(self) -> Tokens:
        """The reported numbers of tokens; missing and impossible numbers are None."""
        usage = self.usage
        into, out, reasoning = usage.input, usage.output, usage.reasoning
        if not into and not out:
            return NO_TOKENS
        if reasoning and into and out is not None and usage.total == into + out + reasoning:
            out += reasoning  # some providers count reasoning separately
        if self.thoughts or self.hid_thoughts:
            reasoning = reasoning or None  # zero cannot be true
        if reasoning is not None and out is not None and reasoning > out:
            reasoning = None  # a part cannot be larger than the whole
        cached = usage.cached_input
        if cached is not None and into is not None and cached > into:
            cached = None
        # A reply with text has some output tokens.
        return Tokens(
            input=into or None,
            cached_input=cached,
            output=None if not out and self.size else out,
            reasoning=reasoning,
        )

    def add_text(self, piece: str) -> None:
        """Add the next piece of the reply's text."""
        if not piece:
            return
        if self.first_at is None:
            self.first_at = time.monotonic()
        self._add(piece, self.pieces, "rest of the reply")

    def add_thought(self, piece: str) -> None:
        """Add the next piece of reasoning."""
        if piece:
            self._add(piece, self.thoughts, "reasoning")

    def store_names(self, reply: Fields, model: str = "model") -> None:
        """Store the names of model, host and fingerprint, unless one was stored before.

        ``model`` is the field of ``reply`` with the name of the model.
        """
        self.answered_by = self.answered_by or as_word(reply.get(model))
        self.host = self.host or as_word(reply.get("provider"))
        self.fingerprint = self.fingerprint or as_word(reply.get("system_fingerprint"))

    def note_unknown(self, fields: Fields, known_names: frozenset[str]) -> None:
        """Keep the first field with content that is not in ``known_names``."""
        if self.strange_field is not None:
            return
        for name, value in fields.items():
            if name not in known_names and value and isinstance(value, str | list | dict):
                self.strange_field = json.dumps({name: value}, ensure_ascii=False)[:QUOTED]
                return

    def refuse(self) -> None:
        """Note a refusal in a field of its own, which is the finish reason, whatever word comes."""
        self.refused = True
        if self.finish_reason is not None:
            self.finish_reason = REFUSAL
        self._move()

    def finish(self, reason: object) -> None:
        """Store a finish reason, unless it is null or empty."""
        word = as_word(reason)
        if word is not None:
            self.finish_reason = REFUSAL if self.refused else word
            self._move()

    def close(self) -> None:
        """Note the end mark of a stream.

        After a refusal, or text and reported output tokens, it stands for a missing finish reason.
        """
        self.closed = True
        if self.finish_reason is None and self.refused:
            self.finish_reason = REFUSAL
        elif self.finish_reason is None and self.pieces and self.usage.output:
            self.finish_reason = END_MARK

    def report(self, usage: ReportedUsage) -> None:
        """Add a report of usage; its values replace earlier values, unless they are all zero."""
        if not usage.is_empty:
            self.usage = self.usage.merge_later(usage)
            self._move()

    def call_tool(self) -> None:
        """Note a call of a tool, or a piece of one."""
        self.called_tools = True
        self._move()

    def hide_thought(self) -> None:
        """Note reasoning that the provider does not show."""
        self.hid_thoughts = True
        self._move()

    def _add(self, piece: str, pieces: list[str], name: str) -> None:
        if not pieces:
            self.tell(name)
        if self.finish_reason is not None:
            self.doubted = True
        pieces.append(piece)
        self.size += len(piece)
        self._move()

    def _move(self) -> None:
        self.moves += 1
        self.moved_at = time.monotonic()


Reader = Callable[[Fields, Heard], bool]
"""Adds an event of a stream, or a reply in one piece, to the reply so far.

It returns False if its fields do not belong to a reply. It raises ErrorInReplyError if they contain
an error, and UnknownShapeError if one does not have the form of the protocol.
"""


class TakenOver(BaseException):
    """Raised in the transport to leave litellm, which has no part in what comes next.

    `Traffic` holds the dry request, or the reply that this program reads. It is a BaseException, so
    that no library catches it.
    """


TRAFFIC: ContextVar[Traffic | None] = ContextVar("TRAFFIC", default=None)
"""The traffic of the request that the current task makes."""
