"""Each format from nasty sessions: the fields of its consumer are there, and nothing harmful."""

import io
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest

from records.sessions.session import EvalStatus, Session
from review.datasets import VersionedSession
from review.errors import MissingPackageError
from review.exports.formats import FORMATS
from review.turns import list_turns
from tests.review import corpus
from tests.review.exports.exporting import encode_export, export_rows, export_sessions

pytestmark = pytest.mark.unit


JSON_FORMATS = [name for name, export_format in FORMATS.items() if export_format.layout != "text"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_sessions_give_the_same_bytes(name: str) -> None:
    """An export can be compared with an earlier export."""
    assert export_sessions(name, corpus.NASTY)[0] == export_sessions(name, corpus.NASTY)[0]


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_no_session_is_lost_without_a_reason(name: str) -> None:
    """Each session gives rows, or a reason."""
    for record in corpus.NASTY:
        _, counts = export_sessions(name, [record])
        assert counts.rows + counts.skipped.total() > 0 or record.id == "session-0007"


@pytest.mark.parametrize("name", FORMATS)
def test_secrets_stay_here(name: str) -> None:
    """Keys, addresses and home folders are in no format, unless the options allow it."""
    text, _ = export_sessions(name, corpus.NASTY)
    assert corpus.SECRET not in text
    assert "anna@example.org" not in text
    assert "/home/anna" not in text
    if name not in {"inspect-scores", "openai-evals"}:
        assert corpus.SECRET in export_sessions(name, corpus.NASTY, redact=False)[0]


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_at_all(name: str) -> None:
    """An empty selection is an empty file that still loads."""
    text, counts = export_sessions(name, [])
    assert counts.rows == 0
    if FORMATS[name].layout == "array":
        assert json.loads(text) == []
    else:
        assert text == ""


def test_deepeval_has_a_test_case_for_each_turn() -> None:
    """The last answer of a turn counts; the context is everything before the request."""
    first, second = export_rows("deepeval", corpus.PLAIN)
    assert (first["input"], first["actual_output"]) == ("Fix the query", "Done.")
    assert first["context"] == ["You help."]
    assert first["retrieval_context"] == []
    assert first["tools_called"] == [{"name": "read", "input_parameters": {"path": "~/a.ts"}}]
    assert len(second["context"]) == 5
    assert second["expected_output"] == "Added."


@pytest.mark.parametrize("name", ["deepeval", "deepeval-goldens"])
def test_deepeval_opens_no_file_of_ours(name: str) -> None:
    """Its markers for pictures and PDFs are broken in every text, names and metadata too.

    `tests/programs/consumers.py` takes their patterns from the installed DeepEval.
    """
    text, counts = export_sessions(
        name, [*corpus.NASTY, corpus.make_marked_session()], redact=False
    )
    assert counts.rows
    assert not re.search(r"\[DEEPEVAL:|\\u005[bB]", text)
    assert text.count("DEEPEVAL") > 5


def test_ground_truth_is_an_approved_answer() -> None:
    """An expected output applies to the last turn; a wrong or unjudged answer is never expected."""
    by_name = {row["source_file"]: row for row in export_rows("deepeval", *corpus.NASTY)}
    assert by_name["session-0004"]["expected_output"] == "the right one"
    assert by_name["session-0005"]["expected_output"] is None
    assert by_name["session-0006"]["expected_output"] is None


def test_openai_chat_is_whole_and_in_order() -> None:
    """Calls keep their arguments as text and their ids; results answer them."""
    (row,) = export_rows("openai", corpus.PLAIN)
    roles = [message["role"] for message in row["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    call = row["messages"][2]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"path": "~/a.ts"}
    assert row["messages"][3]["tool_call_id"] == call["id"]


@pytest.mark.parametrize("name", list(FORMATS))
def test_messages_of_a_program_are_in_no_export(name: str) -> None:
    """They are neither request nor context, and the answer before them is still the last."""
    spoken = [
        corpus.make_message(role, f"{role[0].upper()}{number}")
        for number in (1, 2)
        for role in ("user", "assistant")
    ]
    by_program = corpus.make_message("program", "PROGRAM")
    talk = [each for message in spoken for each in (by_program, message, by_program)]
    labels = {"eval_status": EvalStatus.GOLDEN, "expected_output": "IDEAL"}
    mixed = corpus.make_session(70, *talk, **labels)
    plain = corpus.make_session(70, *spoken, **labels)
    assert export_sessions(name, [mixed])[0] == export_sessions(name, [plain])[0]
    assert "PROGRAM" not in export_sessions(name, [mixed])[0]
    assert [(turn.asked, turn.answer, turn.is_judged) for turn in list_turns(mixed)] == [
        ("U1", "A1", False),
        ("U2", "A2", True),
    ]


def test_openai_text_only_passes_the_cookbooks_rules() -> None:
    """Every conversation has only allowed keys and roles, and at least one assistant message."""
    for row in export_rows("openai", *corpus.NASTY, text_only=True):
        assert set(row) == {"messages"}
        assert any(message["role"] == "assistant" for message in row["messages"])
        for message in row["messages"]:
            assert set(message) <= {"role", "content", "name", "function_call", "weight"}
            assert message["role"] in {"system", "user", "assistant", "function"}
            assert isinstance(message["content"], str)


def test_openai_evals_has_no_empty_ideal() -> None:
    """An empty ideal would match every answer."""
    rows = export_rows("openai-evals", *corpus.NASTY)
    assert rows
    assert all(row["ideal"].strip() for row in rows)
    assert all(row["input"][-1]["role"] == "user" for row in rows)


def test_inspect_samples_have_unique_ids() -> None:
    """Arguments are objects, no input is empty, and two turns of a session are two samples."""
    rows = export_rows("inspect", *corpus.NASTY)
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(row["input"] for row in rows)
    calls = [
        tool_call for row in rows for m in row["input"] for tool_call in m.get("tool_calls", [])
    ]
    assert all(isinstance(call["arguments"], dict) for call in calls)


def test_labels_are_inspect_scores() -> None:
    """Golden and correct are C, incorrect is I, and an unjudged session has no score."""
    scores = {row["id"]: row["value"] for row in export_rows("inspect-scores", *corpus.NASTY)}
    assert scores == {"session-0000": "C", "session-0004": "C", "session-0005": "I"}


def test_promptfoo_renders_nothing_of_ours() -> None:
    """Every text is inside an object: a variable that is a text would be a template."""
    for row in export_rows("promptfoo", *corpus.NASTY):
        assert all(not isinstance(value, str) for value in row["vars"].values())


def test_hugging_face_columns_have_one_type() -> None:
    """No column is null in one row and a text in the next."""
    rows = export_rows("huggingface", *corpus.NASTY)
    assert len({_describe_kinds(row) for row in rows}) == 1
    assert len({_describe_kinds(message) for row in rows for message in row["messages"]}) == 1


def test_hugging_face_columns_have_their_type_in_each_block_of_a_file() -> None:
    """A block of rows without tags, labels, model and times has the types of a block with them.

    A reader takes the types from the first block, of ten megabytes. It reads texts that look like
    times as times.
    """
    arrow: Any = import_module("pyarrow.json")
    plain = corpus.make_session(
        1, corpus.make_message("user", "q"), corpus.make_message("assistant", "a")
    )
    bare = plain.model_copy(
        update={"created_at": None, "eval_tags": (), "model": None, "reviewed_at": None}
    )
    day = datetime(2026, 11, 1, tzinfo=UTC)
    full = bare.model_copy(
        update={"created_at": day, "eval_tags": ("a",), "model": "m/m", "reviewed_at": day}
    )
    labelled = VersionedSession(full, {1: {"expectedOutput": "OWN"}})

    def read_schema(part: Session | VersionedSession) -> object:
        pieces = encode_export("huggingface", [part])
        return arrow.read_json(io.BytesIO(b"".join(pieces))).schema

    assert read_schema(bare) == read_schema(full) == read_schema(labelled)


def _describe_kinds(row: dict[str, Any]) -> str:
    return ", ".join(f"{key}: {type(value).__name__}" for key, value in row.items())


def test_langsmith_ids_are_uuids_that_stay() -> None:
    """The same turn is the same example in a second upload."""
    ids = [row["id"] for row in export_rows("langsmith", *corpus.NASTY)]
    assert ids == [row["id"] for row in export_rows("langsmith", *corpus.NASTY)]
    assert len(set(ids)) == len(ids)


def test_plain_text_reads_as_documented() -> None:
    """The text has title, speakers, amounts and labels."""
    text, _ = export_sessions("text", [corpus.PLAIN])
    assert text.startswith("## Session: Session 0\n")
    assert "\n**User:** Fix the query\n" in text
    assert "\nTokens: not known | Cost: not known | Model: maker/model\n" in text
    assert text.endswith("Status: golden | Tags: auth, debugging\n")


def test_parquet_holds_the_rows_of_the_json_lines() -> None:
    """Rows keep their order in any number of row groups; the same rows give the same bytes."""
    parquet: Any = import_module("pyarrow.parquet")
    sessions = [record for _ in range(40) for record in corpus.NASTY if record.id != "session-0006"]
    content = b"".join(encode_export("parquet", sessions))
    again = b"".join(encode_export("parquet", sessions))
    assert content == again
    file = parquet.ParquetFile(io.BytesIO(content))
    assert file.num_row_groups > 1
    lists = ("tags", "turn_labels")
    assert file.read().to_pylist() == [
        row | {name: json.loads(row[name]) for name in lists}
        for row in export_rows("huggingface", *sessions)
    ]


def test_memory_does_not_grow_with_sessions() -> None:
    """A session is read when it is written: an endless selection gives its first rows at once."""

    def make_endless_sessions() -> Iterator[Session]:
        while True:
            yield corpus.make_session(
                1, corpus.make_message("user", "q" * 1000), corpus.make_message("assistant", "a")
            )

    for name in ("openai", "parquet"):
        pieces = encode_export(name, make_endless_sessions())
        first, *later_pieces = [next(pieces) for _ in range(5)]
        assert name == "openai" or first.startswith(b"PAR1")
        assert name == "openai" or len({len(piece) for piece in later_pieces}) == 1


def test_a_package_that_is_missing_is_reported_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error names the extra that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackageError, match=r"convex-leaderboard\[datasets\]"):
        encode_export("parquet", [corpus.PLAIN])
