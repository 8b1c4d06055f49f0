"""Check of a conversation for export: order, pairs of calls and results, last answer.

Consumers of chats refuse a result without its call, and a call without its result. They also refuse
a conversation that does not begin with a request and, for fine-tuning, one without a last answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from records.sessions.session import SessionMessage, ToolCall

NO_ANSWER: Final = "no assistant answers a request"
NO_REQUEST: Final = "it holds no request of a user"
ORPHAN_RESULT: Final = "result of a tool without its call"
ORPHAN_CALL: Final = "call of a tool without its result"
EMPTY_ANSWER: Final = "message of the assistant without text and calls"
BEFORE_REQUEST: Final = "message before the first request"
AFTER_ANSWER: Final = "message after the last answer"


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
    results = _find_results(messages)
    answers = [index for index, message in enumerate(messages) if _is_answer(message)]
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


def _find_results(messages: Sequence[SessionMessage]) -> Mapping[CallPlace, int]:
    """Return the index of the result of each call that has one.

    Some programs repeat ids, so a result belongs to the latest message with a call of its id.
    """
    results: dict[CallPlace, int] = {}
    waiting: dict[str, list[CallPlace]] = {}
    for index, message in enumerate(messages):
        for number, call in enumerate(message.tool_calls):
            same = [
                call_place for call_place in waiting.get(call.id, ()) if call_place.message == index
            ]
            waiting[call.id] = [*same, CallPlace(index, number)]
        calls = waiting.get(message.tool_call_id or "") if message.role == "tool" else None
        if calls:
            results[calls.pop(0)] = index
    return results


def _is_answer(message: SessionMessage) -> bool:
    return message.role == "assistant" and bool(message.text.strip() or message.tool_calls)
