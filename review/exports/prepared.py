"""A session prepared for export: redacted, with its turns and its checked conversation.

Consumers of chats refuse a result without its call, and a call without its result. They also refuse
a conversation that does not begin with a request and, for fine-tuning, one without a last answer.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import dropwhile
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from records.sessions.session import EvalStatus, Session, SessionMessage, ToolCall
from review.datasets import VersionedSession
from review.labeled_session import LabeledSession
from review.redaction import clean_texts, redact_prompt, redact_text
from review.turns import OwnLabels, Turn, find_judged_turn, list_turns

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of an export, which are the same for all formats."""

    redact: bool = True
    """True if keys, addresses and home folders are removed from all texts."""
    system_prompts: bool = True
    """True if system messages are part of a conversation."""
    text_only: bool = False
    """True if calls of tools and their results are left out."""
    parts: Literal["turns", "last"] = "turns"
    """For formats whose rows are turns: all turns, or only the judged turn of each session."""
    context: int | None = None
    """For formats whose rows are turns: the most messages before the request; None for all."""
    limit: int | None = None
    """The most rows; None for all."""
    dataset: str = ""
    """The name of the dataset. Some platforms need other ids in each dataset."""


def parse_context(value: str) -> int | None:
    """Return the most messages before a request, from an option's ``value``; None for all.

    Raises:
        ValueError: the value is neither ``all`` nor ``none`` nor a number.
    """
    if value == "all":
        return None
    if value == "none":
        return 0
    if re.fullmatch(r"[0-9]{1,6}", value):
        return int(value)
    raise ValueError("must be all, none or a number of messages")


def parse_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call as an object; other values are put below the key ``text``."""
    try:
        arguments: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    return dict(arguments) if isinstance(arguments, dict) else {"text": call.arguments}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def make_openai_call(call: ToolCall) -> dict[str, Any]:
    """Return a call in the shape of OpenAI's chat API."""
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def make_chat_message(
    message: SessionMessage, make_call: Callable[[ToolCall], dict[str, Any]] = make_openai_call
) -> dict[str, Any]:
    """Return a message in the shape of OpenAI's chat API, but for calls in another shape."""
    shape: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        shape["tool_calls"] = [make_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        shape["tool_call_id"] = message.tool_call_id
    return shape


def explain_unusable(turn: Turn) -> str | None:
    """Return why a turn cannot be a row; None if it can.

    A turn without an answer can be a row if its right answer is known.
    """
    if not turn.asked.strip():
        return "the request is empty"
    if not turn.is_answered and turn.truth is None:
        return "the request was never answered"
    return None


NO_ANSWER = "no assistant answers a request"
NO_REQUEST = "it holds no request of a user"
ORPHAN_RESULT = "result of a tool without its call"
ORPHAN_CALL = "call of a tool without its result"
EMPTY_ANSWER = "message of the assistant without text and calls"
BEFORE_REQUEST = "message before the first request"
AFTER_ANSWER = "message after the last answer"


class CallPlace(NamedTuple):
    """The index of a call's message, and the index of the call in that message."""

    message: int
    call: int


@dataclass(slots=True)
class Conversation:
    """Messages that consumers of chats accept."""

    messages: list[SessionMessage]
    cut: Counter[str] = field(default_factory=Counter[str])
    """Numbers of removed messages and calls, by reason."""


def pair_calls(messages: Sequence[SessionMessage], *, last_calls: bool = False) -> Conversation:
    """Return the messages with each result directly after its call, without unpaired ones.

    Args:
        messages: the messages in order, without those of the role ``program``.
        last_calls: whether the last answer keeps calls without results, so that models can learn
            to make them.
    """
    # Some programs repeat ids, so a result belongs to the latest message with a call of its id.
    results: dict[CallPlace, int] = {}
    waiting: dict[str, list[CallPlace]] = {}
    for index, message in enumerate(messages):
        for number, call in enumerate(message.tool_calls):
            same = [
                call_place for call_place in waiting.get(call.id, ()) if call_place.message == index
            ]
            waiting[call.id] = [*same, CallPlace(index, number)]
        places = waiting.get(message.tool_call_id or "") if message.role == "tool" else None
        if places:
            results[places.pop(0)] = index
    answers = [
        index
        for index, message in enumerate(messages)
        if message.role == "assistant" and (message.text.strip() or message.tool_calls)
    ]
    conversation = Conversation([])
    cut = conversation.cut
    for index, message in enumerate(messages):
        if message.role == "tool":
            continue
        calls: list[ToolCall] = []
        behind: list[SessionMessage] = []
        for number, call in enumerate(message.tool_calls):
            result = results.get(CallPlace(index, number))
            if result is not None:
                behind.append(messages[result])
            if result is not None or (last_calls and index == answers[-1]):
                calls.append(call)
            else:
                cut[ORPHAN_CALL] += 1
        if message.role == "assistant" and not calls and not message.text.strip():
            cut[EMPTY_ANSWER] += not message.tool_calls
            continue
        checked = (
            message
            if len(calls) == len(message.tool_calls)
            else message.model_copy(update={"tool_calls": tuple(calls)})
        )
        conversation.messages += [checked, *behind]
    cut[ORPHAN_RESULT] = sum(message.role == "tool" for message in messages) - len(results)
    conversation.cut = +cut
    return conversation


def trim_conversation(messages: Sequence[SessionMessage]) -> Conversation | str:
    """Return a conversation that begins with a request and ends with an answer.

    System messages stay before the first request.

    Returns:
        The conversation, or the reason why there is none.
    """
    start = next((index for index, entry in enumerate(messages) if entry.role == "user"), None)
    if start is None:
        return NO_REQUEST
    system = [message for message in messages[:start] if message.role == "system"]
    conversation = pair_calls([*system, *messages[start:]], last_calls=True)
    numbered = enumerate(conversation.messages, 1)
    end = max((index for index, message in numbered if message.role == "assistant"), default=0)
    if not end:
        return NO_ANSWER
    cut = {
        BEFORE_REQUEST: start - len(system),
        AFTER_ANSWER: len(conversation.messages) - end,
    }
    conversation.cut += Counter(cut)
    del conversation.messages[end:]
    return conversation


@dataclass(frozen=True)
class ExportedSession:
    """A session prepared for the functions of formats."""

    session: Session
    """The session after the options were applied, without messages of the role ``program``."""
    turns: Sequence[Turn]
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
    def judged(self) -> Turn | None:
        """The turn that the labels of the session are about; None without a request."""
        return next((turn for turn in self.turns if turn.is_judged), None)

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

    def build_facts(self, turn: Turn | None = None) -> dict[str, Any]:
        """Return the facts of the session apart from its messages, with the labels of ``turn``.

        Reviewers are never named.
        """
        session = self.session
        day, reviewed = session.created_at, session.reviewed_at
        return {
            "session": session.id,
            "title": session.title,
            "model": session.model,
            "status": (turn.status if turn else session.eval_status).value,
            "tags": list(session.eval_tags),
            "notes": turn.notes if turn else session.eval_notes,
            "created_at": day.isoformat() if day else None,
            "reviewed_at": reviewed.isoformat() if reviewed else None,
        }

    def make_turn_id(self, turn: Turn) -> str:
        """Return an id of a turn among all sessions; for the judged turn, the session's id."""
        own = self.session.id
        return own if turn.is_judged else f"{own}-{turn.number}"

    def make_prompt(
        self, turn: Turn, make_call: Callable[[ToolCall], dict[str, Any]] = make_openai_call
    ) -> list[dict[str, Any]]:
        """Return the chat before the answer of a turn, which ends with its request."""
        before = self._cut_to_context(self.context.messages[: self._starts[turn.number - 1]])
        # The limit on messages may have cut off the call of a result at the beginning.
        whole = dropwhile(lambda message: message.role == "tool", before)
        request = {"role": "user", "content": turn.asked}
        return [*(make_chat_message(message, make_call) for message in whole), request]

    def list_texts_before(self, turn: Turn) -> list[str]:
        """Return the texts of the messages before a request."""
        return [
            message.text for message in self._cut_to_context(self.session.messages[: turn.start])
        ]

    @cached_property
    def _starts(self) -> list[int]:
        messages = self.context.messages
        return [index for index, message in enumerate(messages) if message.role == "user"]

    def _cut_to_context(self, messages: Sequence[SessionMessage]) -> Sequence[SessionMessage]:
        most = self.options.context
        return messages if most is None else messages[max(0, len(messages) - most) :]


def prepare_session(
    source: LabeledSession | VersionedSession, options: ExportOptions
) -> ExportedSession:
    """Return a session prepared for export, with the labels of its turns."""
    clean = redact_text if options.redact else str
    own: OwnLabels = {
        number: {
            name: clean(value) if isinstance(value, str) else value
            for name, value in labels.items()
        }
        for number, labels in source.turns.items()
    }
    # The messages and texts that the options leave.
    left_messages = [
        message.model_copy(update={"tool_calls": ()}) if options.text_only else message
        for message in source.session.messages
        if message.role != "program"
        and (options.system_prompts or message.role != "system")
        and not (
            options.text_only
            and (
                message.role == "tool" or (message.role == "assistant" and not message.text.strip())
            )
        )
    ]
    session = source.session.model_copy(update={"messages": tuple(left_messages)})
    if options.redact:
        session = clean_texts(session, redact_text, redact_prompt)
    # Of the session with all of its messages: without those that options leave out, another turn
    # could be the judged one.
    judged = find_judged_turn(source.session)
    turns = list_turns(session, judged.number if judged else 0, own)
    return ExportedSession(session, turns, own, options)
