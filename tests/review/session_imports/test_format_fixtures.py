"""Files and records of every format, written after the public schemas, give expected sessions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from records.sessions.session import Session
from review.session_imports.common.source_file import BadLine
from review.session_imports.session_importers import IMPORTERS
from tests.review.session_imports.reading_formats import (
    collect_facts,
    list_fixture_names,
    list_record_cases,
    read_expected,
    read_fixture,
    read_rows,
    read_source,
)

pytestmark = pytest.mark.unit

NAMES: Final = list_fixture_names()
ALIKE: Final = {"cursor-stream.jsonl": {"claude_code"}}
"""Other formats whose shape a file has: Cursor's stream follows that of Claude Code."""


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_recognised_as_one_format(name: str) -> None:
    """No other adapter recognises the file, or only a later adapter with the same shape."""
    source = read_fixture(name)
    names = [adapter.NAME for adapter in IMPORTERS.values() if adapter.recognises(source)]
    assert names[0] == read_expected(name)["format"]
    assert set(names[1:]) <= ALIKE.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_sessions_and_problems_of_a_file(name: str) -> None:
    """Messages, model, usage and counts of parts left out are those of the file.

    Each damaged record is a problem with its place and the reason, and no other record is.
    """
    _check_parts(*read_source(read_fixture(name)), read_expected(name))


@pytest.mark.parametrize("case", list_record_cases())
def test_records_of_one_rule(case: Mapping[str, Any]) -> None:
    """Few records, for one rule of a format each, give the sessions and problems of the case."""
    _check_parts(*read_rows(*case["records"]), case)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_same_sessions_with_another_beginning(name: str) -> None:
    """A byte order mark and blank lines before the first record change nothing of a session."""
    sessions, _ = read_source(read_fixture(name))
    source = read_fixture(name)
    marked = type(source)(source.path, b"\xef\xbb\xbf\n\r\n" + source.data)
    again, _ = read_source(marked)
    assert list(map(_collect_facts_without_id, again)) == list(
        map(_collect_facts_without_id, sessions)
    )


def _check_parts(
    sessions: Sequence[Session], problems: Sequence[BadLine], expected: Mapping[str, Any]
) -> None:
    assert len(sessions) == len(expected["sessions"])
    for session, facts in zip(sessions, expected["sessions"], strict=True):
        assert _select_facts(collect_facts(session), facts) == facts
    texts = [f"{problem.line}: {problem.reason}" for problem in problems]
    assert len(texts) == len(expected.get("problems", []))
    for text, begin in zip(texts, expected.get("problems", []), strict=True):
        assert text.startswith(begin)
    assert sum(problem.wrong for problem in problems) == expected.get("wrong", len(problems))


def _collect_facts_without_id(session: Session) -> Mapping[str, Any]:
    """Return the facts of a session without its id, which may depend on the bytes of the file."""
    return {name: fact for name, fact in collect_facts(session).items() if name != "id"}


def _select_facts(facts: Mapping[str, Any], names: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the facts that a fixture states; a star ends a text whose end is not compared."""
    chosen = {name: facts[name] for name in names}
    begin = str(names.get("identity", ""))
    if begin.endswith("*") and str(facts["identity"]).startswith(begin[:-1]):
        chosen["identity"] = begin
    return chosen
