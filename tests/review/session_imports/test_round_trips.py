"""Round trips of export and import: the fields that survive, and those that do not."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus, Session, SessionMessage
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.session_importers import is_known_copy
from review.store import SessionStore
from tests.review.corpus import make_message, make_session
from tests.review.exports.exporting import encode_export, export_rows, export_sessions
from tests.review.session_imports.reading_formats import (
    FORMATS as FIXTURES,
)
from tests.review.session_imports.reading_formats import (
    format_messages,
    import_sessions,
    read_fixture,
    read_row,
    read_source,
)

pytestmark = pytest.mark.more
NOON = "2026-11-24T12:00:00Z"
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


OF_A_MESSAGE = {"role", "text", "tool_calls", "tool_call_id"}
LABELS = {"eval_status", "eval_notes", "eval_tags", "expected_output"}
SURVIVES: Mapping[str, tuple[str, set[str]]] = {
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
        text = export_sessions(form, [first], redact=False)[0]
        (again,) = read(text)
        assert again.source.kind == "file"
        assert again.source.importer == importer
        assert dump_messages(again) == dump_messages(first)
        for field in fields:
            assert getattr(again, field) == getattr(first, field), (form, field)
        if form == "openai":
            assert export_sessions(form, [again], redact=False)[0] == text


@given(st.lists(conversations(), min_size=2, max_size=4))
def test_several_sessions_stay_apart(talks: list[list[SessionMessage]]) -> None:
    """Each line is a session, in the order of the export."""
    first = [make_session(number, *talk) for number, talk in enumerate(talks)]
    for form in SURVIVES:
        again = read(export_sessions(form, first, redact=False)[0])
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
    (again,) = read(export_sessions(form, [first], redact=False)[0])
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
    scores = export_rows("inspect-scores", *judged, redact=False)
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


def make_labelled_sessions() -> list[Session]:
    """Return two sessions of another program, one of them judged."""
    sessions, _ = read_source(read_fixture("copilot-export.json"))
    more, _ = read_source(read_fixture("chatgpt.json"))
    labels = {
        "eval_status": EvalStatus.GOLDEN,
        "eval_notes": "clear",
        "eval_tags": ("auth", "slow"),
        "expected_output": "An ideal answer",
    }
    return [sessions[0].model_copy(update=labels), more[0]]


def export_file(name: str, sessions: list[Session]) -> SourceFile:
    """Return the file of an export without redaction."""
    return SourceFile(Path("rows"), b"".join(encode_export(name, sessions, redact=False)))


@pytest.mark.unit
@pytest.mark.parametrize("name", ["huggingface", "parquet"])
def test_a_session_comes_back_as_itself(name: str) -> None:
    """Its id, title, model, day, labels and messages; a program's messages stay behind."""
    sessions = make_labelled_sessions()
    again, problems = read_source(export_file(name, sessions))
    assert problems == []
    assert [item.id for item in again] == [item.id for item in sessions]
    for copy, session in zip(again, sessions, strict=True):
        spoken = [text for text in format_messages(session) if not text.startswith("program")]
        assert format_messages(copy) == spoken
        assert (copy.title, copy.model, copy.created_at) == (
            session.title,
            session.model,
            session.created_at,
        )
        for label in ("eval_status", "eval_notes", "eval_tags", "expected_output"):
            assert getattr(copy, label) == getattr(session, label)


@pytest.mark.unit
def test_a_copy_leaves_the_session_that_is_here(tmp_path: Path) -> None:
    """The session in the store has more: times, usage, and texts that an export takes out."""
    store = SessionStore(DataFolder(tmp_path))
    sessions = make_labelled_sessions()
    (copy, _), _ = read_source(export_file("huggingface", sessions))
    assert not is_known_copy(copy, store)
    store.write(sessions[0])
    assert is_known_copy(copy, store)
    assert not is_known_copy(sessions[0], store)


@pytest.mark.unit
@pytest.mark.parametrize(
    "name",
    ["deepeval", "deepeval-goldens", "promptfoo", "inspect", "braintrust", "langsmith", "langfuse"],
)
def test_an_export_without_whole_conversations_is_refused(name: str) -> None:
    """Each row names the format that comes back."""
    sessions, problems = read_source(export_file(name, make_labelled_sessions()))
    assert sessions == []
    assert problems
    for problem in problems:
        assert "--format huggingface" in problem.reason


@pytest.mark.unit
def test_the_label_ready_comes_back() -> None:
    """The row has the value; a row of an older export has none, and is not ready."""
    row = json.loads((FIXTURES / "own-huggingface.jsonl").read_text("utf-8").splitlines()[0])
    assert read_row(row).eval_ready is True
    assert read_row(row | {"ready": False}).eval_ready is False
    del row["ready"]
    assert read_row(row).eval_ready is False
