"""The tree of the records of Claude Code: the branch that counts, and each record once."""

import json
import random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review.session_imports.reading_formats import (
    make_source,
    read_row,
    read_rows,
    read_source,
)
from tests.review.session_imports.transcripts import (
    HELLO,
    SESSION,
    Record,
    list_texts,
    make_answer_record,
    make_call_part,
    make_other_record,
    make_result_part,
    make_turn,
    make_user_record,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("last_first", [False, True])
def test_a_branch_that_was_left_is_not_read(*, last_first: bool) -> None:
    """The branch whose end was written last counts; messages of the other branch are counted."""
    start = make_turn(1, "Add a table.", "Added.")
    deleting = make_turn(2, "Delete all.", "All is deleted.")
    keeping = make_turn(3, "Keep it.", "Kept.", parent="a1")
    branches = [keeping, deleting] if last_first else [deleting, keeping]
    session = read_row(*start, *branches[0], *branches[1])
    last = "Delete all." if last_first else "Keep it."
    assert list_texts(session, "user") == ["Add a table.", last]
    assert session.left_out == {"message taken back": 2}


@pytest.mark.parametrize("is_twice", [False, True])
def test_messages_that_a_compaction_preserves_are_read_once(*, is_twice: bool) -> None:
    """They are written again behind the boundary, so that its parent comes after it: a circle."""
    preserved = make_turn(2, "Keep going.", "Kept going.")
    boundary = make_other_record(
        *("s1", None, "system"),
        subtype="compact_boundary",
        content="Compacted",
        logicalParentUuid="a2",
        compactMetadata={"preservedMessages": {"anchorUuid": "s2", "uuids": ["u2", "a2"]}},
    )
    summary = make_user_record("s2", "s1", "The summary.", isCompactSummary=True)
    again = [preserved[0] | {"parentUuid": "s2"}, preserved[1]]
    later = make_turn(3, "After it.", "Final.")
    session = read_row(*HELLO, *(preserved if is_twice else []), boundary, summary, *again, *later)
    assert list_texts(session, "user") == ["Why is the page slow?", "Keep going.", "After it."]
    assert list_texts(session, "assistant") == ["It reads all.", "Kept going.", "Final."]
    assert list_texts(session, "program") == ["Compacted", "The summary."]
    assert session.left_out == {}


def test_a_broken_line_parts_no_conversation() -> None:
    """The record behind the line belongs to the record before it."""
    good = [
        *HELLO,
        *make_turn(3, "Go on.", "Done."),
    ]
    lines = [json.dumps(record) for record in good]
    sessions, problems = read_source(make_source("\n".join([*lines[:2], "{half", *lines[2:]])))
    assert [problem.line for problem in problems] == [3]
    assert list_texts(sessions[0], "user") == ["Why is the page slow?", "Go on."]


def _make_turn(number: int) -> list[Record]:
    """Return a turn of two parallel calls, behind the turn before it."""
    before = f"end{number - 1}" if number else None
    return [
        make_user_record(f"ask{number}", before, f"question {number}"),
        make_answer_record(
            f"say{number}",
            f"ask{number}",
            f"m{number}",
            f"look {number}",
            make_call_part(f"c{number}"),
        ),
        make_answer_record(
            f"add{number}", f"say{number}", f"m{number}", make_call_part(f"d{number}")
        ),
        make_user_record(
            f"one{number}", f"say{number}", [make_result_part(f"c{number}", f"one {number}")]
        ),
        make_user_record(
            f"two{number}", f"add{number}", [make_result_part(f"d{number}", f"two {number}")]
        ),
        make_answer_record(f"end{number}", f"two{number}", f"e{number}", f"answer {number}"),
    ]


LONG: Final = [record for number in range(12) for record in _make_turn(number)]


@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(LONG), max_size=20))
def test_records_in_any_order_and_often_are_the_same_session(
    order: random.Random, again: list[Record]
) -> None:
    """The tree gives the order of records, not the file."""
    records = [*LONG, *again]
    order.shuffle(records)
    session, whole = read_row(*records), read_row(*LONG)
    assert list_texts(session, "user") == list_texts(whole, "user")
    assert list_texts(session, "assistant") == list_texts(whole, "assistant")
    assert sorted(list_texts(session, "tool")) == sorted(list_texts(whole, "tool"))
    assert session.totals == whole.totals
    assert session.left_out == {}


names = st.sampled_from(["a", "b", "c", "d", "e"])


def _make_odd_record(uuid: str, parent: str | None, kind: str, fields: Record) -> Record:
    if kind == "assistant":
        return (
            make_answer_record(uuid, parent, "m" + uuid[:1], "text", make_call_part(uuid)) | fields
        )
    parts = [make_result_part(uuid), {"type": "text", "text": "t"}]
    return make_user_record(uuid, parent, parts) | {"type": kind} | fields


odd_records = st.builds(
    _make_odd_record,
    names,
    names | st.none(),
    st.sampled_from(["user", "assistant", "system", "attachment", "odd"]),
    st.dictionaries(
        st.sampled_from(["logicalParentUuid", "isSidechain", "isMeta", "sessionId"]),
        names | st.booleans() | st.none(),
    ),
)


@given(st.lists(odd_records, max_size=8))
def test_circles_and_gaps_end_no_import(records: list[Record]) -> None:
    """Every session has messages, for any parents that the records name."""
    head = {"type": "mode", "sessionId": SESSION}
    sessions, _ = read_rows(head, *records)
    assert all(session.messages for session in sessions)
