"""Sessions of other programs: read unchanged, or refused by line and reason."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.sessions.session import Session
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.session_importers import IMPORTERS, read_sessions
from tests.review.session_imports import reading_formats

pytestmark = pytest.mark.unit


def test_one_bad_line_does_not_lose_the_rest(tmp_path: Path) -> None:
    """A problem has the number of its line and the reason."""
    path = tmp_path / "chats.jsonl"
    good = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    bad = {"messages": [{"role": "wizard", "content": "q"}]}
    path.write_text(f"{json.dumps(good)}\n{{half\n{json.dumps(bad)}\n{json.dumps(good)}\n")
    parts = list(reading_formats.import_sessions(path))
    assert [type(part) for part in parts] == [Session, BadLine, BadLine, Session]
    assert [part.line for part in parts if isinstance(part, BadLine)] == [2, 3]
    sessions = [part for part in parts if isinstance(part, Session)]
    assert len({part.id for part in sessions}) == 2


def test_older_chats_join_calls_by_the_functions_name() -> None:
    """Each message has at most one call, in `function_call`, without an id."""
    called = {"name": "read", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "function_call": called},
        {"role": "function", "name": "read", "content": "text"},
        {"role": "assistant", "content": "a"},
    ]
    _, call, result, _ = reading_formats.read_row({"messages": messages}).messages
    assert [(tool_call.name, tool_call.arguments) for tool_call in call.tool_calls] == [
        ("read", "{}")
    ]
    assert (result.role, result.tool_call_id) == ("tool", call.tool_calls[0].id)


def test_unknown_shapes_are_refused(tmp_path: Path) -> None:
    """The error names all importers."""
    path = tmp_path / "notes.txt"
    path.write_text("just notes")
    with pytest.raises(InvalidRecordError, match="claude_code, codex, opencode, gemini_cli"):
        list(reading_formats.import_sessions(path))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_survived(data: bytes) -> None:
    """An importer gives only sessions and reasons for any file."""
    for adapter in IMPORTERS.values():
        source = SourceFile(Path("a.jsonl"), data)
        assert adapter.recognises(source) in {True, False}
        for part in read_sessions(source, adapter.NAME):
            assert isinstance(part, Session | BadLine)


NAMES = reading_formats.list_fixture_names()
ALIKE = {"cursor-stream.jsonl": {"claude_code"}}
"""Other formats whose shape a file has: Cursor's stream follows that of Claude Code."""


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_recognised_as_one_format(name: str) -> None:
    """No other adapter recognises the file, or only a later adapter with the same shape."""
    source = reading_formats.read_fixture(name)
    names = [adapter.NAME for adapter in IMPORTERS.values() if adapter.recognises(source)]
    assert names[0] == reading_formats.read_expected(name)["format"]
    assert set(names[1:]) <= ALIKE.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_sessions_and_problems_of_a_file(name: str) -> None:
    """Messages, model, usage and counts of parts left out are those of the file.

    Each damaged record is a problem with its place and the reason, and no other record is.
    """
    _check_parts(
        *reading_formats.read_source(reading_formats.read_fixture(name)),
        reading_formats.read_expected(name),
    )


@pytest.mark.parametrize("case", reading_formats.list_record_cases())
def test_records_of_one_rule(case: Mapping[str, Any]) -> None:
    """Few records, for one rule of a format each, give the sessions and problems of the case."""
    _check_parts(*reading_formats.read_rows(*case["records"]), case)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_same_sessions_with_another_beginning(name: str) -> None:
    """A byte order mark and blank lines before the first record change nothing of a session."""
    sessions, _ = reading_formats.read_source(reading_formats.read_fixture(name))
    source = reading_formats.read_fixture(name)
    marked = type(source)(source.path, b"\xef\xbb\xbf\n\r\n" + source.data)
    again, _ = reading_formats.read_source(marked)
    assert list(map(_collect_facts_without_id, again)) == list(
        map(_collect_facts_without_id, sessions)
    )


def _check_parts(
    sessions: Sequence[Session], problems: Sequence[BadLine], expected: Mapping[str, Any]
) -> None:
    assert len(sessions) == len(expected["sessions"])
    for session, facts in zip(sessions, expected["sessions"], strict=True):
        assert _select_facts(reading_formats.collect_facts(session), facts) == facts
    texts = [f"{problem.line}: {problem.reason}" for problem in problems]
    assert len(texts) == len(expected.get("problems", []))
    for text, begin in zip(texts, expected.get("problems", []), strict=True):
        assert text.startswith(begin)
    assert sum(problem.wrong for problem in problems) == expected.get("wrong", len(problems))


def _collect_facts_without_id(session: Session) -> Mapping[str, Any]:
    """Return the facts of a session without its id, which may depend on the bytes of the file."""
    return {
        name: fact for name, fact in reading_formats.collect_facts(session).items() if name != "id"
    }


def _select_facts(facts: Mapping[str, Any], names: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the facts that a fixture states; a star ends a text whose end is not compared."""
    chosen = {name: facts[name] for name in names}
    begin = str(names.get("identity", ""))
    if begin.endswith("*") and str(facts["identity"]).startswith(begin[:-1]):
        chosen["identity"] = begin
    return chosen
