"""Places of a transcript where a text stands: in messages, calls of tools and their results."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from records.sessions.session import Session, SessionMessage

MOST_SHOWN: Final = 50
"""Places that a page lists."""
_AROUND: Final = 40
"""Characters that are shown before and after a place."""


class FoundPlace(NamedTuple):
    """A place of the wanted text."""

    message: int
    """Number of the message that shows it, from 1."""
    before: str
    text: str
    after: str

    @property
    def anchor(self) -> str:
        """The end of the address that leads to it."""
        return f"#message-{self.message}"


def holds(text: str, wanted: str) -> bool:
    """Return whether a text holds the wanted text; capital and small letters are the same."""
    return bool(wanted) and wanted.casefold() in text.casefold()


def found_places(session: Session, wanted: str) -> Sequence[FoundPlace]:
    """Return all places of a text, in the order in which the page shows them."""
    if not wanted:
        return []
    callers = {
        call.id: number
        for number, message in enumerate(session.messages, 1)
        for call in message.tool_calls
    }
    matches = [
        match._replace(message=callers.get(message.tool_call_id or "", number))
        for number, message in enumerate(session.messages, 1)
        for text in _texts(message)
        for match in _places_in(text, wanted)
    ]
    return sorted(matches, key=lambda match: match.message)


def _texts(message: SessionMessage) -> Iterator[str]:
    yield message.text
    for call in message.tool_calls:
        yield call.name
        yield call.arguments


def _places_in(text: str, wanted: str) -> Iterator[FoundPlace]:
    folded, looked_for = text.casefold(), wanted.casefold()
    # Some letters fold to two: then the folded text is shown, where places are right.
    quoted = text if len(folded) == len(text) else folded
    start = folded.find(looked_for)
    while start >= 0:
        end = start + len(looked_for)
        yield FoundPlace(
            0,
            _line(quoted[max(0, start - _AROUND) : start]),
            quoted[start:end],
            _line(quoted[end : end + _AROUND]),
        )
        start = folded.find(looked_for, end)


def _line(text: str) -> str:
    return text.replace("\n", " ")
