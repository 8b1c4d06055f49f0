"""A session prepared for export: redacted, with its turns and its checked conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile
from typing import Protocol

from pydantic import JsonValue

from records.sessions.session import EvalStatus, Session, SessionMessage
from review.exports.conversation import Conversation, pair_calls, trim_conversation
from review.exports.rows import ExportedTurn, ExportOptions
from review.redaction import redact_prompt, redact_text
from review.turns import OwnLabels, find_ground_truth, find_judged_turn, get_turn_labels, list_turns


class WithTurnLabels(Protocol):
    """A session with the labels of its turns."""

    @property
    def session(self) -> Session:
        """The session with its own labels."""
        ...

    @property
    def turns(self) -> OwnLabels:
        """The labels of single turns."""
        ...


@dataclass(frozen=True)
class ExportedSession:
    """A session prepared for the functions of formats."""

    session: Session
    """The session after the options were applied, without messages of the role ``program``."""
    turns: Sequence[ExportedTurn]
    own: OwnLabels
    """The labels of single turns after the options were applied, by the number of the turn."""
    options: ExportOptions

    @cached_property
    def chat(self) -> Conversation | str:
        """The whole conversation for consumers of chats, or the reason why there is none."""
        return trim_conversation(self.session.messages)

    @cached_property
    def context(self) -> Conversation:
        """The conversation of which any part before a request is valid for consumers of chats."""
        return pair_calls(self.session.messages)

    @property
    def chat_messages(self) -> Sequence[SessionMessage]:
        """The messages of the whole conversation; none if it is not valid for chats."""
        return () if isinstance(self.chat, str) else self.chat.messages

    @property
    def judged(self) -> ExportedTurn | None:
        """The turn that the labels of the session are about; None without a request."""
        return next((turn for turn in self.turns if turn.turn.is_judged), None)

    @property
    def expected(self) -> str | None:
        """The expected output of the judged turn."""
        return self.judged.expected if self.judged else self.session.expected_output

    @property
    def status(self) -> EvalStatus:
        """The status of the judged turn."""
        return self.judged.status if self.judged else self.session.eval_status

    @property
    def notes(self) -> str:
        """The notes on the judged turn."""
        return self.judged.notes if self.judged else self.session.eval_notes

    @property
    def turn_labels(self) -> list[dict[str, JsonValue]]:
        """The labels of single turns for rows, with one type for each field."""
        return [
            {
                "turn": number,
                "status": str(labels.get("evalStatus") or ""),
                "notes": str(labels.get("evalNotes") or ""),
                "expected_output": str(labels.get("expectedOutput") or ""),
            }
            for number, labels in sorted(self.own.items())
        ]

    def list_messages_before(self, turn: ExportedTurn) -> list[SessionMessage]:
        """Return the messages before a request, in a form that is valid for chats."""
        before = self._cut_to_context(self.context.messages[: self._starts[turn.turn.number - 1]])
        # The limit on messages may have cut off the call of a result at the beginning.
        return list(dropwhile(lambda message: message.role == "tool", before))

    def list_texts_before(self, turn: ExportedTurn) -> list[str]:
        """Return the texts of the messages before a request."""
        return [
            message.text
            for message in self._cut_to_context(self.session.messages[: turn.turn.start])
        ]

    @cached_property
    def _starts(self) -> list[int]:
        messages = self.context.messages
        return [index for index, message in enumerate(messages) if message.role == "user"]

    def _cut_to_context(self, messages: Sequence[SessionMessage]) -> Sequence[SessionMessage]:
        most = self.options.context
        return messages if most is None else messages[max(0, len(messages) - most) :]


def prepare_session(source: Session | WithTurnLabels, options: ExportOptions) -> ExportedSession:
    """Return a session prepared for export, with the labels of its turns if ``source`` has them."""
    record = source if isinstance(source, Session) else source.session
    own: OwnLabels = {} if isinstance(source, Session) else _clean_labels(source.turns, options)
    session = clean_session(record, options)
    # Before options leave out messages, which could change the turn.
    judged = find_judged_turn(record)
    return ExportedSession(
        session, _prepare_turns(session, own, judged.number if judged else 0), own, options
    )


def clean_session(session: Session, options: ExportOptions) -> Session:
    """Return the session after the options were applied to its messages and texts."""
    messages = [
        _clean_message(message, options)
        for message in session.messages
        if message.role != "program"
        and (options.system_prompts or message.role != "system")
        and not (options.text_only and (message.role == "tool" or _has_only_calls(message)))
    ]
    clean = redact_text if options.redact else str
    expected = session.expected_output
    return session.model_copy(
        update={
            "title": clean(session.title),
            "project": session.project and clean(session.project),
            "messages": tuple(messages),
            "eval_notes": clean(session.eval_notes),
            "eval_tags": tuple(clean(tag) for tag in session.eval_tags),
            "expected_output": expected and clean(expected),
        }
    )


def _prepare_turns(session: Session, own: OwnLabels, judged: int) -> list[ExportedTurn]:
    exported: list[ExportedTurn] = []
    for turn in list_turns(session, judged):
        labels = get_turn_labels(session, turn, own)
        exported.append(
            ExportedTurn(
                turn=turn,
                status=labels.status,
                notes=labels.notes,
                expected=labels.expected_output,
                truth=find_ground_truth(session, turn, own),
            )
        )
    return exported


def _clean_message(message: SessionMessage, options: ExportOptions) -> SessionMessage:
    clean = redact_text if options.redact else str
    if options.redact and message.role in {"system", "user"}:
        clean = redact_prompt
    calls = () if options.text_only else message.tool_calls
    return message.model_copy(
        update={
            "text": clean(message.text),
            "tool_calls": tuple(
                call.model_copy(update={"arguments": clean(call.arguments)}) for call in calls
            ),
        }
    )


def _clean_labels(own: OwnLabels, options: ExportOptions) -> OwnLabels:
    clean = redact_text if options.redact else str

    def clean_value(value: JsonValue) -> JsonValue:
        return clean(value) if isinstance(value, str) else value

    return {
        number: {name: clean_value(value) for name, value in labels.items()}
        for number, labels in own.items()
    }


def _has_only_calls(message: SessionMessage) -> bool:
    return message.role == "assistant" and not message.text.strip()
