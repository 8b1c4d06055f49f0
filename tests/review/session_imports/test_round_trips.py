"""Round trips of import, export and import: the fields that survive, and those that do not."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.sessions.session import EvalStatus, Session, SessionMessage
from review.exports.formats import FORMATS, ExportCounts
from review.exports.rows import ExportOptions
from review.session_imports.common.source_file import BadLine
from review.session_imports.session_importers import import_sessions
from tests.review.exports.exporting import format_export

pytestmark = pytest.mark.more

NOON: Final = "2026-11-24T12:00:00Z"


@dataclass(frozen=True)
class Said:
    """A message of a user or assistant, with the assistant's calls of tools and their results."""

    role: str
    text: str
    calls: Sequence[tuple[str, Mapping[str, Any], str]] = ()
    """Name, arguments and result of each."""


letters = st.characters(exclude_categories=["Cs"])
spoken = st.text(letters, min_size=1, max_size=40).filter(str.strip)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(letters, max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(letters, max_size=5), inner)
    ),
    max_leaves=4,
)
arguments = st.dictionaries(st.text(letters, max_size=8), values, max_size=3)
called = st.tuples(st.text("abcdef_", min_size=1, max_size=8), arguments, st.text(letters))
saids = st.builds(Said, st.just("user"), spoken) | st.builds(
    Said, st.just("assistant"), spoken, st.lists(called, max_size=2)
)
conversations = st.tuples(spoken, st.lists(saids, max_size=4), spoken).map(
    lambda parts: [Said("user", parts[0]), *parts[1], Said("assistant", parts[2])]
)
"""Conversations as consumers of chats take them: a request first, an answer last."""


def make_call_ids(index: int, turn: Said) -> list[str]:
    """Return an id for each call of a message."""
    return [f"call-{index}-{number}" for number in range(len(turn.calls))]


def claude_code(conversation: Sequence[Said]) -> list[object]:
    """Return the lines of a transcript: text and each call of a message on its own line."""
    lines: list[object] = [{"type": "summary", "summary": "s", "sessionId": "s"}]

    def add(kind: str, message: Mapping[str, object], **more: object) -> None:
        head = {"type": kind, "sessionId": "s", "timestamp": NOON, "cwd": "/srv/app"}
        lines.append({**head, **more, "message": {"role": kind, **message}})

    for index, turn in enumerate(conversation):
        if turn.role == "user":
            add("user", {"content": turn.text})
            continue
        usage = {"input_tokens": 3, "output_tokens": 2}
        answer_head = {"id": f"m{index}", "model": "maker/model", "usage": usage}
        add("assistant", answer_head | {"content": [{"type": "text", "text": turn.text}]})
        for name, (tool, given_to, _) in zip(make_call_ids(index, turn), turn.calls, strict=True):
            part = {"type": "tool_use", "id": name, "name": tool, "input": given_to}
            add("assistant", answer_head | {"content": [part]})
        add("user", {"content": "not for the model"}, isMeta=True)
        for name, (_, _, result) in zip(make_call_ids(index, turn), turn.calls, strict=True):
            part = {"type": "tool_result", "tool_use_id": name, "content": result}
            add("user", {"content": [part]})
    return lines


def codex(conversation: Sequence[Said]) -> list[object]:
    """Return the lines of a rollout."""
    lines: list[object] = [{"type": "session_meta", "payload": {"cwd": "/srv/app"}}]

    def add(**payload: object) -> None:
        lines.append({"type": "response_item", "timestamp": NOON, "payload": payload})

    for index, turn in enumerate(conversation):
        kind = "input_text" if turn.role == "user" else "output_text"
        content = [{"type": kind, "text": turn.text}]
        add(type="message", role=turn.role, content=content)
        add(type="reasoning", summary=[])
        for name, (tool, given_to, result) in zip(
            make_call_ids(index, turn), turn.calls, strict=True
        ):
            text = json.dumps(given_to, ensure_ascii=False)
            add(type="function_call", name=tool, arguments=text, call_id=name)
            add(type="function_call_output", call_id=name, output=result)
    return lines


def opencode(conversation: Sequence[Said]) -> list[object]:
    """Return an export as a single object."""
    messages: list[object] = []
    for index, turn in enumerate(conversation):
        info = {"role": turn.role, "time": {"created": 1_795_000_000_000}}
        if turn.role == "assistant":
            info |= {"modelID": "maker/model", "cost": 0.25, "tokens": {"input": 3, "output": 2}}
        tools = [
            {"type": "tool", "callID": name, "tool": tool, "state": {"input": i, "output": o}}
            for name, (tool, i, o) in zip(make_call_ids(index, turn), turn.calls, strict=True)
        ]
        messages.append({"info": info, "parts": [{"type": "text", "text": turn.text}, *tools]})
    return [{"info": {"title": "Fixing", "directory": "/srv/app"}, "messages": messages}]


def inspect(conversation: Sequence[Said]) -> list[object]:
    """Return a log in JSON as a single object, of one sample."""
    return [
        make_log({"id": 1, "epoch": 1, "messages": make_messages(conversation, as_objects=True)})
    ]


def make_log(*samples: Mapping[str, object]) -> dict[str, object]:
    """Return a log of Inspect."""
    ran = {"run_id": "r", "task": "tiny", "model": "maker/model", "created": NOON}
    return {"version": 2, "status": "success", "eval": ran, "samples": samples}


def chat(conversation: Sequence[Said]) -> list[object]:
    """Return the line of a conversation."""
    return [{"messages": make_messages(conversation, as_objects=False)}]


def make_messages(conversation: Sequence[Said], *, as_objects: bool) -> list[object]:
    """Return messages as Inspect writes them, or as OpenAI's chat API does."""
    messages: list[object] = []
    for index, turn in enumerate(conversation):
        message: dict[str, object] = {"role": turn.role, "content": turn.text}
        named_calls = list(zip(make_call_ids(index, turn), turn.calls, strict=True))
        if turn.calls:
            message["tool_calls"] = [
                {"id": name, "function": tool, "arguments": given_to}
                if as_objects
                else {"id": name, "function": {"name": tool, "arguments": json.dumps(given_to)}}
                for name, (tool, given_to, _) in named_calls
            ]
        messages.append(message)
        messages += [
            {"role": "tool", "content": result, "tool_call_id": name}
            for name, (_, _, result) in named_calls
        ]
    return messages


PROGRAMS: Final[Mapping[str, Callable[[Sequence[Said]], list[object]]]] = {
    program.__name__: program for program in (claude_code, codex, opencode, inspect, chat)
}

OF_A_MESSAGE: Final = {"role", "text", "tool_calls", "tool_call_id"}
LABELS: Final = {"eval_status", "eval_notes", "eval_tags", "expected_output"}
SURVIVES: Final[Mapping[str, tuple[str, set[str]]]] = {
    "openai": ("chat", {"schema_version"}),
    "huggingface": (
        "huggingface",
        {"schema_version", "id", "title", "model", "created_at", "eval_ready"} | LABELS,
    ),
}
"""By the export: the importer that reads it, and which fields come back beside the messages, of
which roles, texts and calls do."""


def read(text: str) -> list[Session]:
    """Import a file with sessions and no problem."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.jsonl"
        path.write_text(text, "utf-8", newline="")
        parts = list(import_sessions(path))
    assert not [part for part in parts if isinstance(part, BadLine)], parts
    return [part for part in parts if isinstance(part, Session)]


def export_unredacted(sessions: Sequence[Session], name: str) -> str:
    """Export sessions without redaction."""
    options = ExportOptions(redact=False)
    return "".join(format_export(sessions, FORMATS[name], options, ExportCounts()))


def list_flow(session: Session) -> list[tuple[str, str]]:
    """Return roles and texts in order, with the calls of tools and their results.

    The program's own messages are in no export.
    """
    return [
        (message.role, text)
        for message in session.messages
        if message.role != "program"
        for text in (
            *([message.text] if message.text or not message.tool_calls else []),
            *(f"{call.name} {json.loads(call.arguments)}" for call in message.tool_calls),
        )
    ]


def list_expected_flow(conversation: Sequence[Said], *, one_by_one: bool) -> list[tuple[str, str]]:
    """Return the expected result of `list_flow`: Codex answers each call before the next."""
    pairs: list[tuple[str, str]] = []
    for turn in conversation:
        calls = [("assistant", f"{name} {given_to}") for name, given_to, _ in turn.calls]
        results = [("tool", result) for _, _, result in turn.calls]
        pairs.append((turn.role, turn.text))
        if one_by_one:
            pairs += [item for pair in zip(calls, results, strict=True) for item in pair]
        else:
            pairs += [*calls, *results]
    return pairs


def dump_messages(session: Session) -> list[dict[str, object]]:
    """Return the fields of each message that an export of conversations has."""
    spoken = (message for message in session.messages if message.role != "program")
    return [message.model_dump(include=OF_A_MESSAGE) for message in spoken]


labels = st.fixed_dictionaries(
    {
        "eval_status": st.sampled_from(EvalStatus),
        "eval_notes": st.text(letters, max_size=20),
        "eval_tags": st.lists(st.text(letters, min_size=1, max_size=8), max_size=3).map(tuple),
        "expected_output": st.none() | spoken,
    }
)


@pytest.mark.parametrize("name", PROGRAMS)
@given(conversation=conversations, given_labels=labels)
def test_survivors(
    name: str, conversation: Sequence[Said], given_labels: Mapping[str, object]
) -> None:
    """Every conversation of every program survives in every export, with texts and calls."""
    lines = PROGRAMS[name](conversation)
    (first,) = read("\n".join(json.dumps(line) for line in lines))
    assert list_flow(first) == list_expected_flow(conversation, one_by_one=name == "codex")
    first = first.model_copy(update=given_labels)
    for form, (importer, fields) in SURVIVES.items():
        text = export_unredacted([first], form)
        (again,) = read(text)
        assert again.source.kind == "file"
        assert again.source.importer == importer
        assert dump_messages(again) == dump_messages(first)
        for field in fields:
            assert getattr(again, field) == getattr(first, field), (form, field)
        if form == "openai":
            assert export_unredacted([again], form) == text


@given(st.lists(conversations, min_size=2, max_size=4))
def test_several_sessions_stay_apart(given_conversations: list[list[Said]]) -> None:
    """Each line is a session, in the order of the export."""
    first = read("\n".join(json.dumps(chat(item)[0]) for item in given_conversations))
    for form in SURVIVES:
        again = read(export_unredacted(first, form))
        assert list(map(dump_messages, again)) == list(map(dump_messages, first))
        assert len({item.id for item in again}) == len(first)


@pytest.mark.parametrize("form", SURVIVES)
def test_parts_that_an_export_cannot_hold(form: str) -> None:
    """Such a field is unknown afterwards, never another value; the documentation lists these."""
    (first,) = read(json.dumps(opencode([Said("user", "Fix it"), Said("assistant", "Done.")])[0]))
    labelled = {
        "eval_ready": True,
        "eval_status": EvalStatus.GOLDEN,
        "eval_notes": "clear",
        "eval_tags": ("auth",),
        "expected_output": "Done.",
        "reviewed_at": first.created_at,
        "left_out": {"image": 1},
        "former_ids": ("former-0001",),
    }
    first = first.model_copy(update=labelled)
    (again,) = read(export_unredacted([first], form))
    differing = {
        name for name in Session.model_fields if getattr(again, name) != getattr(first, name)
    }
    # Only a published copy has a source digest, and no import makes one.
    lost = set(Session.model_fields) - SURVIVES[form][1] - {"source_digest"}
    assert differing == lost
    assert again.title == ("Fixing" if form == "huggingface" else "Fix it")
    for name in lost - {"id", "title", "source", "messages"}:
        empty: dict[str, object] = {"eval_ready": False, "eval_notes": "", "left_out": {}}
        empty["former_ids"] = ()
        empty["eval_status"] = EvalStatus.NEEDS_REVIEW
        if name == "totals":
            assert set(again.totals.tokens.model_dump().values()) == {None}
            assert again.totals.cost_usd is None
        else:
            assert getattr(again, name) == empty.get(name, () if name == "eval_tags" else None)
    for message in again.messages:
        unknown = set(SessionMessage.model_fields) - OF_A_MESSAGE
        assert {getattr(message, name) for name in unknown} == {None, False}


@given(st.lists(st.sampled_from(EvalStatus), min_size=1, max_size=5))
def test_labels_go_back_onto_a_log_of_inspect(statuses: list[EvalStatus]) -> None:
    """They become scores of samples and epochs; golden becomes correct, as a score is C or I."""
    samples = [
        {
            "id": f"s{number // 2}",
            "epoch": 1 + number % 2,
            "messages": make_messages([Said("user", "q"), Said("assistant", "a")], as_objects=True),
        }
        for number in range(len(statuses))
    ]
    judged = [
        item.model_copy(update={"eval_status": status})
        for item, status in zip(read(json.dumps(make_log(*samples))), statuses, strict=True)
    ]
    scores = [json.loads(line) for line in export_unredacted(judged, "inspect-scores").splitlines()]
    by_sample = {(item["id"], item["epoch"]): item for item in scores}
    scored = [
        item | {"scores": {"people": by_sample[item["id"], item["epoch"]]}}
        if (item["id"], item["epoch"]) in by_sample
        else item
        for item in samples
    ]
    expected = [EvalStatus.CORRECT if item is EvalStatus.GOLDEN else item for item in statuses]
    again = read(json.dumps(make_log(*scored)))
    assert [item.eval_status for item in again] == expected
    assert [item.id for item in again] == [item.id for item in judged]
