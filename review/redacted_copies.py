"""Redacted copies of sessions and of their label logs."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from pydantic import JsonValue

from records.sessions.labels import LabelEvent
from records.sessions.session import FromFile, Session
from review.redaction import redact
from review.secret_rules.entropy import find_random_strings

Text = TypeVar("Text", str, str | None)

_NO_TEXTS = frozenset(
    {
        *("id", "at", "undoes", "replaces", "reviewer", "field", "turn", "via", "blind", "seen"),
        *("audit", "decides"),
    }
)
"""Fields of an event without text of people or models, which are not redacted."""


@dataclass(slots=True)
class RedactedCopy:
    """The redacted form of a session and of its labels."""

    session: Session
    events: list[LabelEvent]
    taken_out: Counter[str] = field(default_factory=Counter[str])
    """Number of removed secrets, by kind."""
    looks_secret: list[str] = field(default_factory=list[str])
    """Remaining strings that look like secrets, each once."""


def make_redacted_copy(session: Session, events: Sequence[LabelEvent], digest: str) -> RedactedCopy:
    """Return the redacted copy of a session; ``digest`` is the digest of its transcript."""
    copy = RedactedCopy(session, [])
    clean = _Cleaner(copy)
    source = session.source
    if isinstance(source, FromFile):
        texts = {"name": clean(source.name), "part": clean(source.part)}
        source = source.model_copy(update={**texts, "identity": clean(source.identity)})
    copy.session = clean_texts(session, clean, clean).model_copy(
        update={"source_digest": digest, "source": source}
    )
    copy.events = [clean.clean_event(event) for event in events]
    copy.looks_secret = find_lookalikes(copy.session, copy.events)
    return copy


def clean_texts(
    session: Session, clean: Callable[[str], str], clean_prompt: Callable[[str], str]
) -> Session:
    """Return a session with the results of ``clean`` as its texts; its source stays.

    Args:
        session: the session.
        clean: returns a text without secrets.
        clean_prompt: does the same for texts of users and system prompts, which may be repeated.
    """
    messages = tuple(
        message.model_copy(
            update={
                "text": (clean_prompt if message.role in {"system", "user"} else clean)(
                    message.text
                ),
                "tool_calls": tuple(
                    call.model_copy(update={"arguments": clean(call.arguments)})
                    for call in message.tool_calls
                ),
            }
        )
        for message in session.messages
    )
    return session.model_copy(
        update={
            "messages": messages,
            "title": clean(session.title),
            "project": session.project and clean(session.project),
            "eval_notes": clean(session.eval_notes),
            "eval_tags": tuple(map(clean, session.eval_tags)),
            "expected_output": session.expected_output and clean(session.expected_output),
        }
    )


def find_lookalikes(session: Session, events: Iterable[LabelEvent] = ()) -> list[str]:
    """Return the strings in a redacted session that look like secrets, each once.

    Exports and publishing list these strings to the user.
    """
    texts = list_session_texts(session)
    for event in events:
        texts += event.reason, json.dumps([event.before, event.after])
    return list(dict.fromkeys(part for text in texts for part in find_random_strings(text)))


def list_session_texts(session: Session) -> list[str]:
    """Return the texts of a session that people, models and programs wrote."""
    texts = [
        session.title,
        session.project or "",
        session.eval_notes,
        *session.eval_tags,
        session.expected_output or "",
    ]
    for message in session.messages:
        texts += message.text, *(call.arguments for call in message.tool_calls)
    return texts


def redact_events(events: Iterable[LabelEvent]) -> list[LabelEvent]:
    """Return label events without secrets in their texts."""
    clean = _Cleaner(None)
    return [clean.clean_event(event) for event in events]


class _Cleaner:
    """A function that removes secrets from texts, and counts them in a copy if it has one."""

    def __init__(self, copy: RedactedCopy | None) -> None:
        self._copy = copy

    def __call__(self, text: Text) -> Text:
        if text is None:
            return text
        done = redact(text)
        if self._copy is not None:
            self._copy.taken_out.update(done.taken_out)
        return cast("Text", done.text)

    def clean_event(self, event: LabelEvent) -> LabelEvent:
        """Return an event without secrets, also in fields of newer programs."""
        fields = cast("Mapping[str, JsonValue]", event.model_dump(mode="json"))
        return LabelEvent.model_validate_json(
            json.dumps({name: self._clean_value(name, value) for name, value in fields.items()})
        )

    def _clean_value(self, name: str, value: JsonValue) -> JsonValue:
        if name in _NO_TEXTS:
            return value
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self._clean_value("", item) for item in value]
        if isinstance(value, dict):
            return {key: self._clean_value("", item) for key, item in value.items()}
        return value
