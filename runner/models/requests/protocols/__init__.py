"""Protocols whose replies are read here: a reader each, chosen by the path of the request."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from records.foreign.fields import Fields
from runner.models.requests.heard import Heard
from runner.models.requests.protocols import chat, gemini, messages, responses


class ReplyProtocol(NamedTuple):
    """A protocol with its readers of replies."""

    path: re.Pattern[str]
    """The end of the paths of the protocol's requests."""
    read_event: Callable[[Fields, Heard], bool]
    """Adds an event to a reply so far; returns False if the event does not belong to a reply."""
    read_whole: Callable[[Fields, Heard], bool]
    """Adds a reply in one piece; returns False if it is no reply."""


# Google's "rawPredict" takes the protocol of the model's maker, which is named in the path.
_PROTOCOLS: Final = (
    ReplyProtocol(
        re.compile(r"/completions$|/mistralai/models/[^:/]*+:(?:streamR|r)awPredict$"),
        chat.read_event,
        chat.read_whole,
    ),
    ReplyProtocol(
        re.compile(r"/messages$|/anthropic/models/[^:/]*+:(?:streamR|r)awPredict$"),
        messages.read_event,
        messages.read_whole,
    ),
    ReplyProtocol(re.compile(":(streamG|g)enerateContent$"), gemini.read_piece, gemini.read_piece),
    ReplyProtocol(re.compile("/responses$"), responses.read_event, responses.read_whole),
)


def find_protocol(path: str) -> ReplyProtocol | None:
    """Return the protocol of requests to ``path``; None if there is no reader for it here."""
    return next((each for each in _PROTOCOLS if each.path.search(path)), None)
