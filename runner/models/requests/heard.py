"""The plain structure of a reply, as far as it has come; readers of all protocols fill it."""

import time
from dataclasses import dataclass, field, fields
from typing import Final

from records.runs.finish_reasons import End, end_by
from runner.models.requests import claims
from runner.models.requests.traffic import Traffic
from runner.models.requests.wait_notices import Tell, unheard

LARGEST_REPLY: Final = 2 * 1024 * 1024
"""Characters of text and reasoning; a longer reply rambles, and its rest is not read.

This is four times the text that the longest declared output limit allows.
"""


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Tokens and money as a provider claims them. Each is None where it is not reported."""

    input: int | None = None
    """All input tokens, with those of a cache."""
    cached_input: int | None = None
    written_input: int | None = None
    """Input tokens that were put into a cache."""
    output: int | None = None
    """Output tokens; `total` shows if those of reasoning are among them."""
    reasoning: int | None = None
    total: int | None = None
    cost_usd: float | None = None
    """The charge of the provider that was asked, in dollars."""
    upstream_cost_usd: float | None = None
    """The charge of the host behind a gateway, in dollars."""
    own_key: bool | None = None
    """True where the host's charge goes to a key of the user's own."""

    @property
    def is_empty(self) -> bool:
        """True where nothing but zeros is reported."""
        return not any(getattr(self, each.name) for each in fields(self))

    def then(self, later: "ReportedUsage") -> "ReportedUsage":
        """Return this report with the figures of a later report; a later zero erases nothing."""
        if later.is_empty:
            return self
        names = [each.name for each in fields(self)]
        return ReportedUsage(
            **{
                name: getattr(later, name)
                if getattr(later, name) or getattr(self, name) is None
                else getattr(self, name)
                for name in names
            }
        )


@dataclass(slots=True)
class Heard:
    """A reply so far; it stays where the rest never comes."""

    began: float
    """Monotonic seconds."""
    tell: Tell = unheard
    """Receives the news of the first piece: a watcher then shows the rest as the next wait."""
    pieces: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    """Pieces of reasoning, where the provider shows it."""
    size: int = 0
    """Characters of text and reasoning."""
    longest: int = LARGEST_REPLY
    """Characters that the reply may have: the rest of a longer reply is not read."""
    called_tools: bool = False
    """True after a call of a tool, although none is offered."""
    refused: bool = False
    """True after a refusal beside the text."""
    answered_by: str | None = None
    """The model, as the provider named it."""
    host: str | None = None
    """The host that a gateway passed the request on to, as the gateway named it."""
    fingerprint: str | None = None
    """The server's mark of the weights and settings that it answered with."""
    first_at: float | None = None
    ended: float | None = None
    finish_reason: str | None = None
    """The word by which the reply ended, as it stood on the wire."""
    doubted: bool = False
    """True after text that followed a finish reason, which then ends nothing."""
    closed: bool = False
    """True after the goodbye, after which nothing follows."""
    recognized: bool = False
    """True after an event that was a piece of a reply."""
    strange_event: str | None = None
    """The first event that was no piece of a reply, quoted."""
    strange_field: str | None = None
    """The first field with content that no reader knows, quoted."""
    place: str | None = None
    """The field of a choice that has its text."""
    moves: int = 0
    """Number of pieces of any kind that have come."""
    moved_at: float | None = None
    """The time of the last of these pieces."""
    hid_thoughts: bool = False
    """True after reasoning that is not shown."""
    usage: ReportedUsage = ReportedUsage()
    header_cost: float | None = None
    """Dollars, from a header."""
    traffic: Traffic = field(default_factory=Traffic)

    @property
    def text(self) -> str:
        """The reply so far."""
        return claims.joined("".join(self.pieces))

    @property
    def rambled(self) -> bool:
        """True where the reply has grown too large, and its rest is not read."""
        return self.size > self.longest

    @property
    def ignored_limit(self) -> bool:
        """True where it grew longer than the limit that was sent can be, and did not end."""
        return self.rambled and self.longest < LARGEST_REPLY and not self.is_over

    @property
    def is_over(self) -> bool:
        """True where it has a finish reason that can be believed."""
        return self.finish_reason is not None and not self.doubted

    @property
    def nothing(self) -> bool:
        """True where the provider began to answer, and sent nothing."""
        came = self.size or self.called_tools or self.finish_reason or not self.usage.is_empty
        return self.traffic.opened and not came

    @property
    def end(self) -> End:
        """The party that ended it."""
        return end_by(self.finish_reason)

    def add_text(self, piece: str) -> None:
        """Take the next piece of the reply's text."""
        if not piece:
            return
        if self.first_at is None:
            self.first_at = time.monotonic()
        self._add(piece, self.pieces, "rest of the reply")

    def add_thought(self, piece: str) -> None:
        """Take the next piece of reasoning."""
        if piece:
            self._add(piece, self.thoughts, "reasoning")

    def name(self, model: object, host: object = None, fingerprint: object = None) -> None:
        """Take the names of model, host and fingerprint; the first of each kind counts."""
        self.answered_by = self.answered_by or claims.word(model)
        self.host = self.host or claims.word(host)
        self.fingerprint = self.fingerprint or claims.word(fingerprint)

    def finish(self, reason: object) -> None:
        """Take a finish reason, unless it is null or empty."""
        word = claims.word(reason)
        if word is not None:
            self.finish_reason = word
            self._move()

    def report(self, usage: ReportedUsage) -> None:
        """Take a report of usage; the last report that is not all zeros counts."""
        if not usage.is_empty:
            self.usage = self.usage.then(usage)
            self._move()

    def call_tool(self) -> None:
        """Take a call of a tool, or a piece of it."""
        self.called_tools = True
        self._move()

    def hide_thought(self) -> None:
        """Take reasoning of which nothing is shown."""
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
