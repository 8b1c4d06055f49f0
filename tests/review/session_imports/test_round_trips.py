"""Round trips of export and import: the fields that survive, and those that do not."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.sessions.session import EvalStatus, Session, SessionMessage
from review.exports.formats import FORMATS, ExportCounts
from review.exports.prepared import ExportOptions
from review.session_imports.common.source_file import BadLine
from tests.review.corpus import make_message, make_session
from tests.review.exports.exporting import format_export
from tests.review.session_imports.reading_formats import import_sessions

pytestmark = pytest.mark.more

NOON: Final = "2026-11-24T12:00:00Z"
letters = st.characters(exclude_categories=["Cs"])
spoken = st.text(letters, min_size=1, max_size=40).filter(str.strip)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(letters, max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(letters, max_size=5), inner)
    ),
    max_leaves=4,
)
called = st.tuples(
    st.text("abcdef_", min_size=1, max_size=8),
    st.dictionaries(st.text(letters, max_size=8), values, max_size=3),
    st.text(letters),
)
"""Name, arguments and result of a call of a tool."""


@st.composite
def conversations(draw: st.DrawFn) -> list[SessionMessage]:
    """Return messages as consumers of chats take them: a request first, an answer last."""
    messages = [make_message("user", draw(spoken))]
    for role in draw(st.lists(st.sampled_from(["user", "assistant"]), max_size=4)):
        calls = draw(st.lists(called, max_size=2)) if role == "assistant" else []
        ids = [f"call-{len(messages)}-{number}" for number in range(len(calls))]
        tool_calls = [
            {"id": name, "name": tool, "arguments": json.dumps(given_to, ensure_ascii=False)}
            for name, (tool, given_to, _) in zip(ids, calls, strict=True)
        ]
        messages.append(make_message(role, draw(spoken), tool_calls=tool_calls))
        messages += [
            make_message("tool", result, tool_call_id=name)
            for name, (_, _, result) in zip(ids, calls, strict=True)
        ]
        messages.append(make_message("program", "not for the model"))
    return [*messages, make_message("assistant", draw(spoken))]


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


@given(conversation=conversations(), given_labels=labels)
def test_survivors(conversation: list[SessionMessage], given_labels: Mapping[str, object]) -> None:
    """Every conversation survives in every export, with texts and calls."""
    first = make_session(1, *conversation).model_copy(update=given_labels)
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


@given(st.lists(conversations(), min_size=2, max_size=4))
def test_several_sessions_stay_apart(talks: list[list[SessionMessage]]) -> None:
    """Each line is a session, in the order of the export."""
    first = [make_session(number, *talk) for number, talk in enumerate(talks)]
    for form in SURVIVES:
        again = read(export_unredacted(first, form))
        assert list(map(dump_messages, again)) == list(map(dump_messages, first))
        assert len({item.id for item in again}) == len(first)


@pytest.mark.parametrize("form", SURVIVES)
def test_parts_that_an_export_cannot_hold(form: str) -> None:
    """Such a field is unknown afterwards, never another value; the documentation lists these."""
    told = make_message("user", "Fix it", at=NOON)
    answer = make_message("assistant", "Done.", at=NOON, model="maker/model", cost_usd=0.25)
    tokens = {"input": 3, "cached_input": 1, "output": 2, "reasoning": 1}
    totals = {"tokens": tokens, "cost_usd": 0.25, "duration_s": 1.5}
    first = make_session(1, told, answer, title="Fixing", project="app", totals=totals)
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


def make_log(*samples: Mapping[str, object]) -> dict[str, object]:
    """Return a log of Inspect."""
    ran = {"run_id": "r", "task": "tiny", "model": "maker/model", "created": NOON}
    return {"version": 2, "status": "success", "eval": ran, "samples": samples}


@given(st.lists(st.sampled_from(EvalStatus), min_size=1, max_size=5))
def test_labels_go_back_onto_a_log_of_inspect(statuses: list[EvalStatus]) -> None:
    """They become scores of samples and epochs; golden becomes correct, as a score is C or I."""
    samples = [
        {
            "id": f"s{number // 2}",
            "epoch": 1 + number % 2,
            "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
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
