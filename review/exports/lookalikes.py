"""Strings in exported texts that look like secrets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from review.exports.prepared import ExportedSession
from review.redacted_copies import list_session_texts
from review.redaction import redact_text
from review.secret_rules.entropy import find_random_strings

MOST_LISTED = 50
_LONGEST_REMEMBERED = 50_000
"""Characters of a prompt; a longer prompt is not cached."""


@dataclass(slots=True)
class Lookalikes:
    """Strings that look like secrets, each counted once in a session."""

    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The id of the session and the string, for the first `MOST_LISTED` strings."""

    def add(self, session: ExportedSession, *, redact: bool = False) -> None:
        """Add the strings of a session.

        Args:
            session: the session.
            redact: whether to redact its texts first; false if they are redacted already.
        """
        messages = session.session.messages
        prompts = {message.text for message in messages if message.role in {"system", "user"}}
        strings = dict.fromkeys(
            string
            for text in _list_texts(session)
            for string in _find_strings(text, redact=redact, is_prompt=text in prompts)
        )
        self.count += len(strings)
        room = MOST_LISTED - len(self.first)
        self.first += [(session.session.id, string) for string in [*strings][:room]]

    def take_in(self, other: "Lookalikes") -> None:
        """Add the strings of later sessions."""
        self.count += other.count
        self.first += other.first[: MOST_LISTED - len(self.first)]


def _list_texts(session: ExportedSession) -> Iterator[str]:
    yield from list_session_texts(session.session)
    for labels in session.own.values():
        yield from (value for value in labels.values() if isinstance(value, str))


def _find_strings(text: str, *, redact: bool, is_prompt: bool) -> Sequence[str]:
    """Return the random strings of a text; with ``redact``, those that redaction would leave.

    Only prompts are cached, because they are repeated and answers are not.
    """
    is_cached = is_prompt and len(text) <= _LONGEST_REMEMBERED
    strings = _find_cached(text) if is_cached else find_random_strings(text)
    return find_random_strings(redact_text(text)) if strings and redact else strings


_find_cached = lru_cache(256)(find_random_strings)
"""`find_random_strings` for prompts, which the sessions of a run repeat."""
