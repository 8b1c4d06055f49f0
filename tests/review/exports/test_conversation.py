"""The check of conversations: messages that consumers of chats refuse are cut, with the reason."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.sessions.session import SessionMessage, ToolCall
from review.exports import prepared
from tests.review.corpus import make_message, make_session
from tests.review.exports.exporting import export_rows, export_sessions

pytestmark = pytest.mark.unit

OF_REQUESTS = ("openai-evals", "inspect", "promptfoo", "braintrust", "langsmith", "langfuse")


def make_call_message(*ids: str, text: str = "") -> SessionMessage:
    """Return a message of the assistant that calls tools by these ids."""
    calls = tuple(ToolCall(id=call_id, name="read", arguments="{}") for call_id in ids)
    return make_message("assistant", text, tool_calls=calls)


def make_result_message(call: str, text: str = "done") -> SessionMessage:
    """Return a result of a tool."""
    return make_message("tool", text, tool_call_id=call)


ASKED = make_message("user", "Q")
ANSWERED = make_message("assistant", "A")
BARE = ("user Q", "assistant A")


def make_messages(*words: str) -> list[SessionMessage]:
    """Return messages as `format_messages` writes them; ``call`` and ``result`` have ids."""
    made: list[SessionMessage] = []
    for word in words:
        role, _, text = word.partition(" ")
        if role == "call":
            made.append(make_call_message(*text.split()))
        elif role == "result":
            made.append(make_result_message(*text.split(maxsplit=1)))
        else:
            made.append(make_message(role, text))
    return made


def format_messages(messages: Sequence[SessionMessage]) -> list[str]:
    """Return each message as its role, with its text or the ids of its calls."""
    return [
        f"{message.role} {message.text or ' '.join(call.id for call in message.tool_calls)}"
        for message in messages
    ]


@pytest.mark.parametrize(
    ("words", "left", "cut"),
    [
        (["user Q", "call a", "result a", "assistant A"], None, {}),
        (["user Q", "result a", "assistant A"], BARE, {prepared.ORPHAN_RESULT: 1}),
        (["user Q", "call a", "assistant A"], BARE, {prepared.ORPHAN_CALL: 1}),
        (
            ["user Q", "call a b", "result b", "assistant A"],
            ["user Q", "assistant b", "tool done", "assistant A"],
            {prepared.ORPHAN_CALL: 1},
        ),
        (
            ["user Q", "call a", "call b", "result a of a", "result b of b", "assistant A"],
            ["user Q", "assistant a", "tool of a", "assistant b", "tool of b", "assistant A"],
            {},
        ),
        (
            ["user Q", "call a", "user more", "result a", "assistant A"],
            ["user Q", "assistant a", "tool done", "user more", "assistant A"],
            {},
        ),
        (
            ["user Q", "assistant A", "user /exit", "user Goodbye!"],
            BARE,
            {prepared.AFTER_ANSWER: 2},
        ),
        (
            ["system S", "assistant Hello", "user Q", "assistant A"],
            ["system S", "user Q", "assistant A"],
            {prepared.BEFORE_REQUEST: 1},
        ),
        (["user Q", "assistant ", "assistant A"], BARE, {prepared.EMPTY_ANSWER: 1}),
        (
            ["user Q", "call a", "result a"],
            ["user Q", "assistant a"],
            {prepared.AFTER_ANSWER: 1},
        ),
    ],
)
def test_cuts(words: Sequence[str], left: Sequence[str] | None, cut: dict[str, int]) -> None:
    """Results follow directly after their calls; no other message moves, and no more is lost."""
    messages = make_messages(*words)
    checked = prepared.trim_conversation(messages)
    assert not isinstance(checked, str)
    assert format_messages(checked.messages) == (
        format_messages(messages) if left is None else list(left)
    )
    assert checked.cut == cut


def test_a_result_belongs_to_the_latest_call_of_its_id() -> None:
    """Some programs count calls anew in each turn: an older call without a result gets none."""
    words = ("user Q", "call 1", "user Q", "call 1", "result 1", "assistant A")
    checked = prepared.pair_calls(make_messages(*words))
    left = ["user Q", "user Q", "assistant 1", "tool done", "assistant A"]
    assert format_messages(checked.messages) == left
    assert checked.cut == {prepared.ORPHAN_CALL: 1}


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], prepared.NO_REQUEST),
        ([ANSWERED], prepared.NO_REQUEST),
        ([ASKED], prepared.NO_ANSWER),
        ([ANSWERED, ASKED], prepared.NO_ANSWER),
    ],
)
def test_no_conversation(messages: Sequence[SessionMessage], reason: str) -> None:
    """The whole row is left out, with its reason."""
    assert prepared.trim_conversation(messages) == reason


messages_of_any_kind = st.lists(
    st.sampled_from(
        [
            ASKED,
            ANSWERED,
            make_message("assistant", ""),
            make_message("system", "S"),
            *(
                make_call_message(*ids, text=text)
                for ids in ("a", "b", "ab")
                for text in ("", "text")
            ),
            *(make_result_message(call_id) for call_id in "abc"),
        ]
    ),
    max_size=12,
)


@given(messages_of_any_kind)
def test_every_chat_is_one_that_consumers_take(messages: list[SessionMessage]) -> None:
    """For any messages, results follow their calls, requests come first, an answer is last."""
    record = make_session(1, *messages)
    for row in export_rows("openai", record):
        spoken = [message["role"] for message in row["messages"]]
        assert spoken[-1] == "assistant"
        assert next(role for role in spoken if role != "system") == "user"
        check_pairs(row["messages"], may_end_with_calls=True)
    for name in OF_REQUESTS:
        for row in export_rows(name, record):
            request = find_chat(row)
            assert request[-1]["role"] == "user"
            check_pairs(request, may_end_with_calls=False)


def find_chat(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the chat that a row asks."""
    inside = row.get("inputs") or row.get("vars")
    return inside["messages"] if inside else row["input"]


def check_pairs(messages: Sequence[dict[str, Any]], *, may_end_with_calls: bool) -> None:
    """Check that each message is directly followed by exactly the results of its calls."""
    index = 0
    while index < len(messages):
        ids = [call["id"] for call in messages[index].get("tool_calls", ())]
        behind = messages[index + 1 : index + 1 + len(ids)]
        if may_end_with_calls and ids and index == len(messages) - 1:
            return
        assert [reply.get("tool_call_id") for reply in behind] == ids
        assert messages[index]["role"] != "tool"
        index += 1 + len(ids)


@pytest.mark.parametrize("name", OF_REQUESTS)
def test_cuts_are_counted_once(name: str) -> None:
    """Several turns may have the same messages before them."""
    turns = (ASKED, make_result_message("x"), ANSWERED) * 3
    _, counts = export_sessions(name, [make_session(1, *turns, eval_status="golden")])
    assert counts.cut == {prepared.ORPHAN_RESULT: 3}


@pytest.mark.parametrize("name", [*OF_REQUESTS, "deepeval"])
@pytest.mark.parametrize(("context", "texts"), [(None, 6), (3, 3), (1, 1), (0, 0)])
def test_context_is_cut_from_its_beginning(name: str, context: int | None, texts: int) -> None:
    """The last messages before the request stay; a result whose call was cut off does not."""
    talk = make_session(
        1, make_message("system", "m1"), make_message("user", "m2"),
        make_call_message("a", text="m3"), make_result_message("a", "m4"),
        make_message("assistant", "m5"), make_message("user", "m6"),
        make_message("user", "last"), make_message("assistant", "m7"),
        eval_status="golden",
    )  # fmt: skip
    text = json.dumps(export_rows(name, talk, parts="last", context=context))
    expected = [f'"m{number}"' for number in range(7 - texts, 7)]
    if name != "deepeval" and context == 3:
        expected.remove('"m4"')
    assert [f'"m{number}"' for number in range(1, 7) if f'"m{number}"' in text] == expected
