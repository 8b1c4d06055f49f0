"""Search for a text in a transcript: in messages, calls of tools and their results."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from records.sessions.session import Session, SessionMessage

MOST_SHOWN: Final = 50
"""The most places in the list of a page."""
_AROUND: Final = 40
"""Characters that are shown before and after the text."""


class FoundPlace(NamedTuple):
    """An occurrence of the searched text, with the text around it."""

    message: int
    """Number of the message in which the page shows it, from 1."""
    before: str
    text: str
    after: str

    @property
    def anchor(self) -> str:
        """The fragment of the address of the message."""
        return f"#message-{self.message}"


def holds(text: str, wanted: str) -> bool:
    """Return whether a text has the searched text; capital and small letters are equal."""
    return bool(wanted) and wanted.casefold() in text.casefold()


def find_places(session: Session, wanted: str) -> Sequence[FoundPlace]:
    """Return all places of the searched text, in the order of the page."""
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
        for text in _list_texts(message)
        for match in _find_places_in_text(text, wanted)
    ]
    return sorted(matches, key=lambda match: match.message)


def _list_texts(message: SessionMessage) -> Iterator[str]:
    yield message.text
    for call in message.tool_calls:
        yield call.name
        yield call.arguments


def _find_places_in_text(text: str, wanted: str) -> Iterator[FoundPlace]:
    folded, looked_for = text.casefold(), wanted.casefold()
    # Casefolding can make two letters of one. Then offsets fit only the folded text.
    quoted = text if len(folded) == len(text) else folded
    start = folded.find(looked_for)
    while start >= 0:
        end = start + len(looked_for)
        yield FoundPlace(
            0,
            _join_lines(quoted[max(0, start - _AROUND) : start]),
            quoted[start:end],
            _join_lines(quoted[end : end + _AROUND]),
        )
        start = folded.find(looked_for, end)


def _join_lines(text: str) -> str:
    return text.replace("\n", " ")
