"""Rows of chats, datasets and accounts: unusual parts and columns, in files of every form."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from records.foreign import fields
from review.session_imports.common.source_file import SourceFile
from tests.review.session_imports.reading_formats import (
    FORMATS,
    collect_facts,
    format_messages,
    make_source,
    read_fixture,
    read_row,
    read_rows,
    read_source,
)
from tests.review.session_imports.transcripts import list_flow
from tests.support.zips import pack_zip

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


@pytest.mark.parametrize(
    "fixture", ["chat.jsonl", "sharegpt.jsonl", "dataset.jsonl", "own-huggingface.jsonl"]
)
def test_rows_come_in_parquet_too(fixture: str) -> None:
    """The sessions are the same, as far as a table can have the rows."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    row = read_fixture(fixture).head[1]
    session = read_row(row)
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([row]), file)
    (again,), problems = read_source(SourceFile(Path("rows.parquet"), file.getvalue()))
    assert problems == []
    assert format_messages(again) == format_messages(session)


def test_a_damaged_parquet_file_is_a_problem() -> None:
    """The problem has the reason of the reader."""
    source = SourceFile(Path("rows.parquet"), b"PAR1 no table PAR1")
    sessions, (problem,) = read_source(source, "dataset")
    assert sessions == []
    assert "is no Parquet file that can be read" in problem.reason


@pytest.mark.parametrize(
    ("fixture", "member"),
    [
        ("chatgpt.json", "conversations.json"),
        ("chatgpt.json", "export/conversations-000.json"),
        ("claude-ai.json", "data/conversations.json"),
    ],
)
def test_an_account_export_is_read_as_it_comes(fixture: str, member: str) -> None:
    """The ZIP has other files beside the conversations."""
    sessions, _ = read_source(read_fixture(fixture))
    user = "user.json", json.dumps({"email": "a@example.com"})
    packed = pack_zip(user, (member, (FORMATS / fixture).read_bytes()))
    again, _ = read_source(SourceFile(Path("export.zip"), packed))
    assert [collect_facts(item) for item in again] == [collect_facts(item) for item in sessions]


def test_a_torn_account_export_is_a_problem() -> None:
    """The problem has the reason, where the format is named."""
    sessions, (problem,) = read_source(SourceFile(Path("a.zip"), b"PK\x03\x04torn"), "chatgpt")
    assert sessions == []
    assert "is a ZIP file that cannot be read" in problem.reason


@pytest.mark.parametrize("field", ["data", "conversations", "chats", "samples"])
@pytest.mark.parametrize("fixture", ["chat.jsonl", "sharegpt.jsonl", "claude-ai.json"])
def test_rows_may_be_a_list_in_an_object(field: str, fixture: str) -> None:
    """Other fields of the object, such as a version, do not belong to a row."""
    rows = read_fixture(fixture).head[:2]
    alone, _ = read_source(make_source(json.dumps(rows)))
    wrapped, _ = read_source(make_source(json.dumps({"version": 1, field: rows})))
    assert wrapped
    assert list(map(format_messages, wrapped)) == list(map(format_messages, alone))


def make_chatgpt_conversation(*messages: dict[str, Any], **more: object) -> dict[str, Any]:
    """Return a conversation of messages that follow one another."""
    nodes: dict[str, Any] = {"n0": {"parent": None, "message": None}}
    for number, message in enumerate(messages, 1):
        nodes[f"n{number}"] = {"parent": f"n{number - 1}", "message": message}
    return {"conversation_id": "c", "mapping": nodes, "current_node": f"n{len(messages)}"} | more


def make_chatgpt_message(role: str, content: object, **metadata: object) -> dict[str, Any]:
    """Return a message; a text is a content."""
    text_content = (
        {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    )
    return {"author": {"role": role}, "content": text_content, "metadata": metadata}


def test_the_model_is_that_of_the_last_answer() -> None:
    """The default of the conversation is a setting; it counts only without an answer's model."""
    request, reply = (
        make_chatgpt_message("user", "Q"),
        make_chatgpt_message("assistant", "A", model_slug="gpt-5-thinking"),
    )
    setting = {"default_model_slug": "auto"}
    assert read_row(make_chatgpt_conversation(request, reply, **setting)).model == "gpt-5-thinking"
    assert (
        read_row(
            make_chatgpt_conversation(request, make_chatgpt_message("assistant", "A"), **setting)
        ).model
        == "auto"
    )


def test_memories_are_no_answers() -> None:
    """Memories are instructions, for any role that the export gives them."""
    memory = {"content_type": "model_editable_context", "model_set_context": "Likes tabs."}
    empty = {"content_type": "model_editable_context", "model_set_context": ""}
    records = [
        make_chatgpt_message("assistant", memory),
        make_chatgpt_message("assistant", empty),
        make_chatgpt_message("user", "Q"),
    ]
    assert list_flow(read_row(make_chatgpt_conversation(*records))) == [
        ("system", "Likes tabs."),
        ("user", "Q"),
    ]


@pytest.mark.parametrize(
    "row", [make_chatgpt_conversation(title="New chat"), {"uuid": "u", "chat_messages": []}]
)
def test_a_conversation_in_which_nobody_spoke_is_no_fault(row: dict[str, Any]) -> None:
    """Accounts have many of them; the other conversations of the file are read."""
    request = {"sender": "human", "text": "Q"}
    other = (
        {"uuid": "o", "chat_messages": [request]}
        if "uuid" in row
        else make_chatgpt_conversation(make_chatgpt_message("user", "Q"))
    )
    sessions, problems = read_source(make_source(json.dumps([row, other]), "conversations.json"))
    assert [list_flow(session) for session in sessions] == [[("user", "Q")]]
    assert [problem.wrong for problem in problems] == [False]


def test_a_row_of_a_chat_without_messages_is_a_fault() -> None:
    """An empty row in a set was written on purpose."""
    _, problems = read_rows({"messages": []}, {"messages": [{"role": "user", "content": "Q"}]})
    assert [problem.wrong for problem in problems] == [True]
