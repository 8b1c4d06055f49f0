"""Rows of chats and datasets: parts and columns that are written in unusual ways."""

import json
from typing import Any

import pytest

from records.foreign import fields
from tests.review.session_imports.reading_formats import format_messages, read_row, read_rows
from tests.review.session_imports.transcripts import list_flow

pytestmark = pytest.mark.unit

ASKED = {"role": "user", "content": "Q"}
ANSWERED = {"role": "assistant", "content": "A"}
SEARCH = {"type": "web_search_call", "action": {"type": "search", "query": "rain"}}


@pytest.mark.parametrize("column", ["messages", "conversation", "conversations"])
def test_a_conversation_may_be_json_in_a_text(column: str) -> None:
    """Tables of texts have this form; a text that is no list of objects is no conversation."""
    row = {column: json.dumps([ASKED, ANSWERED])}
    assert list_flow(read_row(row)) == [("user", "Q"), ("assistant", "A")]
    sessions, problems = read_rows({column: [ASKED]}, {column: "[1, 2"}, {column: "[1]"})
    assert (len(sessions), len(problems)) == (1, 2)


def test_json_in_a_text_has_the_limits_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is a single value of its own document, of any length."""
    monkeypatch.setattr(fields, "MOST_ITEMS", 8)
    request, answers = json.dumps([ASKED]), json.dumps([ASKED, ANSWERED, ANSWERED])
    sessions, problems = read_rows({"messages": request}, {"messages": answers})
    assert (len(sessions), len(problems)) == (1, 1)


def test_the_model_of_a_session_is_that_of_its_last_answer() -> None:
    """The row's model counts where no message names a model."""
    reply = ANSWERED | {"model": "gpt-5-2026"}
    assert read_row({"model": "gpt-5", "messages": [ASKED, reply, ASKED]}).model == "gpt-5-2026"
    assert read_row({"model": "gpt-5", "messages": [ASKED]}).model == "gpt-5"


def test_a_result_that_is_an_object_is_kept_as_json() -> None:
    """Such a result has neither a text nor a type."""
    call: dict[str, Any] = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": {}},
    }
    result: dict[str, Any] = {"role": "tool", "tool_call_id": "c", "content": {"rows": 3}}
    row: dict[str, Any] = {"messages": [ASKED, {"role": "assistant", "tool_calls": [call]}, result]}
    assert format_messages(read_row(row))[-1] == 'tool#c: {"rows": 3}'


def test_cached_input_is_known_by_either_name() -> None:
    """DeepSeek counts hits of its cache."""
    usage: dict[str, Any] = {
        "prompt_tokens": 10,
        "prompt_cache_hit_tokens": 4,
        "completion_tokens": 3,
    }
    tokens = read_row({"messages": [ASKED, ANSWERED], "usage": usage}).totals.tokens
    assert (tokens.input, tokens.cached_input, tokens.output) == (10, 4, 3)


@pytest.mark.parametrize(
    ("row", "flow"),
    [
        *(
            (
                {"instruction": "Sum up.", name: "A text.", "response": "R"},
                [("user", "Sum up.\n\nA text."), ("assistant", "R")],
            )
            for name in ("input", "context")
        ),
        (
            {"model": "gpt-5", "instructions": "Be brief.", "input": "Q"},
            [("system", "Be brief."), ("user", "Q")],
        ),
        (
            {
                "object": "response",
                "input": "Q",
                "output": [SEARCH, {"type": "image_generation_call"}],
            },
            [
                ("user", "Q"),
                ("assistant", "[web search: rain]"),
                ("assistant", "[image generation call]"),
            ],
        ),
        (
            {
                "conversations": [
                    {"from": "HUMAN", "value": "Q"},
                    {"from": "Assistant", "value": "A"},
                ]
            },
            [("user", "Q"), ("assistant", "A")],
        ),
        (
            {"object": "list", "data": [{"id": "1", "choices": [{"message": ANSWERED}]}]},
            [("assistant", "A")],
        ),
    ],
    ids=["alpaca", "dolly", "instructions", "searches", "capital roles", "stored completions"],
)
def test_rows_of_other_shapes_are_read(row: object, flow: list[tuple[str, str]]) -> None:
    """A provider's search has its query, other calls of its own only their name."""
    assert list_flow(read_row(row)) == flow
