"""Transcripts of any content and any damage: no reader fails, and nothing is lost unseen."""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.foreign import fields
from review.session_imports.session_importers import IMPORTERS
from tests.review.session_imports.reading_formats import (
    format_messages,
    list_fixture_names,
    make_source,
    read_fixture,
    read_source,
)

pytestmark = pytest.mark.unit

Document = list[Any]
"""The records of a file."""


def _read_documents() -> Mapping[str, Document]:
    """Return the records of all fixtures of JSON, by name."""
    names = [name for name in list_fixture_names() if ".json" in name]
    return {name: [deepcopy(dict(record)) for record in read_fixture(name).head] for name in names}


DOCUMENTS = _read_documents()
WORDS = ("role", "content", "type", "text", "tool_use", "user", "parts", "id", "x")
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(2**63), 2**53])
    | st.floats()
    | st.text(max_size=6)
    | st.just("\ud800"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS), inner | st.sampled_from(WORDS), max_size=4)
    ),
    max_leaves=6,
)


def _list_places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of each value within a document."""
    paths = [path] if path else []
    items = [*fields.as_fields(value).items(), *enumerate(fields.as_items(value))]
    for key, inner in items:
        paths += _list_places(inner, (*path, key))
    return paths


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, Document]:
    """Return the name of a fixture and its records, with some values replaced or removed."""
    name = draw(st.sampled_from(sorted(DOCUMENTS)))
    document = deepcopy(DOCUMENTS[name])
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(_list_places(document)))
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        if draw(st.booleans()):
            holder[path[-1]] = draw(json_values)
        else:
            del holder[path[-1]]
        if not _list_places(document):
            break
    return name, document


@given(damaged(), st.booleans())
def test_damage_ends_no_reader(
    damage: tuple[str, Document],
    as_array: bool,  # noqa: FBT001 - drawn
) -> None:
    """Readers of this and of any other format survive; the file may be lines or an array."""
    _, document = damage
    lines = "".join(f"{json.dumps(record)}\n" for record in document)
    text = json.dumps(document) if as_array else lines
    for name in IMPORTERS:
        read_source(make_source(text), name)
    source = make_source(text)
    if any(adapter.recognises(source) for adapter in IMPORTERS.values()):
        read_source(source)


def _make_item_counter(name: str) -> Callable[[Mapping[str, Any]], int]:
    return lambda record: fields.count_items(record, name)


def _count_spoken_nodes(record: Mapping[str, Any]) -> int:
    nodes = [fields.as_fields(node) for node in fields.get_object(record, "mapping").values()]
    authors = [fields.get_object(fields.get_object(node, "message"), "author") for node in nodes]
    return sum(fields.get_text(author, "role") in {"user", "assistant"} for author in authors)


MESSAGES_OF: Mapping[str, Callable[[Mapping[str, Any]], int]] = {
    "chat.jsonl": _make_item_counter("messages"),
    "anthropic.jsonl": _make_item_counter("messages"),
    "sharegpt.jsonl": _make_item_counter("conversations"),
    "responses.jsonl": lambda row: (
        _make_item_counter("input")(row) + _make_item_counter("output")(row)
    ),
    "chatgpt.json": _count_spoken_nodes,
    "claude-ai.json": _make_item_counter("chat_messages"),
    "copilot-export.json": _make_item_counter("requests"),
    "gemini-older.json": lambda row: len(
        {str(message.get("id")) for message in fields.list_objects(row.get("messages"))}
    ),
    "gemini-checkpoint.json": lambda record: int("role" in record),
    "cursor-transcript.jsonl": lambda record: int(
        fields.get_text(record, "role") in {"user", "assistant"}
    ),
}
"""Number of messages of a record, by fixture."""


@pytest.mark.parametrize("name", MESSAGES_OF)
@given(data=st.data())
def test_messages_and_counts_add_up(name: str, data: st.DataObject) -> None:
    """A message is in a session, or counted, or a problem has the reason.

    A record without a session is a problem as a whole.
    """
    document = deepcopy(data.draw(st.sampled_from(DOCUMENTS[name]).map(lambda session: [session])))
    for _ in range(data.draw(st.integers(0, 3))):
        path = data.draw(st.sampled_from(_list_places(document[0]) or [()]))
        if not path:
            break
        holder: Any = document[0]
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = data.draw(json_values)
    source = make_source(json.dumps(document))
    if not IMPORTERS[_format_of(name)].recognises(source):
        return
    sessions, problems = read_source(source, _format_of(name))
    assert sessions or problems
    read = sum(len(session.messages) + sum(session.left_out.values()) for session in sessions)
    assert not sessions or MESSAGES_OF[name](document[0]) <= read + len(problems)


def _format_of(name: str) -> str:
    """Return the format of a fixture."""
    source = read_fixture(name)
    return next(adapter.NAME for adapter in IMPORTERS.values() if adapter.recognises(source))


lines = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="`"), max_size=12)
texts = st.lists(lines, min_size=1, max_size=3).map("\n".join).filter(str.strip)
talks = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts), min_size=1, max_size=5)


def _format_talk(talk: list[tuple[str, str]]) -> list[str]:
    return [f"{role}: {text.strip()}" for role, text in talk]


@given(talks)
def test_any_talk_comes_back_from_cursors_export(talk: list[tuple[str, str]]) -> None:
    """Rules and blank lines in a message are part of it."""
    speakers = {"user": "**User**", "assistant": "**Cursor**"}
    parts = [f"{speakers[role]}\n\n{text}\n" for role, text in talk]
    head = "# Title\n_Exported on 7/8/2026 at 19:03:40 PDT from Cursor (1.2.1)_\n\n---\n\n"
    (session,), problems = read_source(make_source(head + "\n---\n\n".join(parts), "chat.md"))
    assert problems == []
    assert format_messages(session) == _format_talk(talk)


@given(talks.filter(lambda talk: talk[0][0] == "user"))
def test_any_talk_comes_back_from_aiders_history(talk: list[tuple[str, str]]) -> None:
    """Commands belong to the program; consecutive answers are joined."""
    history = ["# aider chat started at 2026-04-02 09:00:00\n"]
    for role, text in talk:
        history_lines = [f"#### {line}  " if role == "user" else line for line in text.split("\n")]
        history.append("\n".join(["", *history_lines, ""]))
    sessions, _ = read_source(make_source("\n".join(history), "history.md"))
    read = "".join(message.text for session in sessions for message in session.messages)
    words = [word for _, text in talk for word in text.split()]
    requests = [text.strip() for role, text in talk if role == "user"]
    assert sessions or all(text.startswith(("/", "!")) for text in requests)
    assert not sessions or [word for word in words if word not in read] == []


@pytest.mark.parametrize("time", [10**400, float("inf"), float("nan"), -1, "no time", {}])
def test_a_time_that_is_none_is_not_known(time: object) -> None:
    """The newest leaf of a tree is still found."""
    document = deepcopy(DOCUMENTS["chatgpt.json"][1])
    for node in document["mapping"].values():
        node["message"]["create_time"] = time
    (session,), _ = read_source(make_source(json.dumps([document])))
    assert session.messages[0].text == "No current node"


def test_a_tree_without_nodes_is_a_problem() -> None:
    """The reader finds no last message in it."""
    sessions, (problem,) = read_source(make_source(json.dumps({"mapping": {}})), "chatgpt")
    assert sessions == []
    assert "mapping is empty" in problem.reason
