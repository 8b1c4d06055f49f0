"""The tree of the records of Claude Code: the branch that counts, and each record once."""

import json
import random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review.session_imports.transcripts import (
    HELLO,
    SESSION,
    Record,
    list_flow,
    list_texts,
    make_answer_record,
    make_call_part,
    make_other_record,
    make_result_part,
    make_turn,
    make_user_record,
    read_data,
    read_one,
    read_records,
)

pytestmark = pytest.mark.unit


def test_a_record_that_is_written_again_counts_once_and_the_last_of_it() -> None:
    """A history may stand in a file twice; the later copy may be the complete copy."""
    early = make_answer_record("a1", "u1", "m1", "A sorted list.", output=1)
    records = [
        make_user_record("u1", None, "What is an index?"),
        early,
        make_user_record("u1", None, "What is an index?"),
        make_answer_record("a1", "u1", "m1", "A sorted list.", output=40),
        *make_turn(2, "And a search index?", "An inverted one."),
    ]
    session = read_one(*records)
    assert list_texts(session, "user") == ["What is an index?", "And a search index?"]
    assert list_texts(session, "assistant") == ["A sorted list.", "An inverted one."]
    assert session.totals.tokens.output == 60
    assert session.left_out == {}


def test_a_history_copied_under_new_names_counts_once() -> None:
    """The copy ends last, so its branch counts; no text is joined to its copy."""
    copy = [
        make_user_record("v1", None, "Why is the page slow?"),
        make_answer_record("b1", "v1", "m1", "It reads all."),
    ]
    session = read_one(
        *HELLO,
        *copy,
        make_user_record("v2", "b1", "Mend it."),
        make_answer_record("b2", "v2", "m2", "Yes."),
    )
    assert list_texts(session, "user") == ["Why is the page slow?", "Mend it."]
    assert list_texts(session, "assistant") == ["It reads all.", "Yes."]
    assert session.left_out == {"message taken back": 2}


def test_parts_that_later_records_of_an_answer_repeat_count_once() -> None:
    """The records have other names; the part is alone, or in front of the next part."""
    request = make_user_record("u1", None, "Why is the page slow?")
    first_call = make_call_part("t1", file="a.ts")
    records = [request, make_answer_record("a1", "u1", "m1", "It reads all.")]
    records += [
        make_answer_record("a2", "a1", "m1", "It reads all."),
        make_answer_record("a3", "a2", "m1", first_call),
    ]
    records += [
        make_answer_record("a4", "a3", "m1", "It reads all.", first_call),
        make_user_record("u2", "a4", [make_result_part("t1")]),
    ]
    session = read_one(*records)
    assert list_texts(session, "assistant") == ["It reads all."]
    assert [len(message.tool_calls) for message in session.messages] == [0, 1, 0]


def test_a_text_that_stands_twice_in_a_record_counts_twice() -> None:
    """The model wrote it twice; only a later record of the answer repeats it."""
    request = make_user_record("u1", None, "Why is the page slow?")
    records = [
        request,
        make_answer_record("a1", "u1", "m1", "No.", "No."),
        make_answer_record("a2", "a1", "m1", "No."),
    ]
    assert list_texts(read_one(*records), "assistant") == ["No.\nNo."]


@pytest.mark.parametrize("last_first", [False, True])
def test_a_branch_that_was_left_is_not_read(*, last_first: bool) -> None:
    """The branch whose end was written last counts; messages of the other branch are counted."""
    start = make_turn(1, "Add a table.", "Added.")
    deleting = make_turn(2, "Delete all.", "All is deleted.")
    keeping = make_turn(3, "Keep it.", "Kept.", parent="a1")
    branches = [keeping, deleting] if last_first else [deleting, keeping]
    session = read_one(*start, *branches[0], *branches[1])
    last = "Delete all." if last_first else "Keep it."
    assert list_texts(session, "user") == ["Add a table.", last]
    assert session.left_out == {"message taken back": 2}


def test_a_first_prompt_can_be_taken_back() -> None:
    """The new prompt is another root of the tree."""
    session = read_one(
        *HELLO,
        *make_turn(2, "Why is it?", "Index.", parent=None),
    )
    assert list_texts(session, "user") == ["Why is it?"]


def test_commands_outside_of_the_conversation_are_no_branch() -> None:
    """A session that was opened again and left at once has another root, with a command alone."""
    command = "<command-name>/model</command-name>"
    alone = make_user_record("x1", None, command)
    first, last = read_one(alone, *HELLO), read_one(*HELLO, alone)
    assert [role for role, _ in list_flow(first)] == ["program", "user", "assistant"]
    assert [role for role, _ in list_flow(last)] == ["user", "assistant", "program"]
    assert first.left_out == last.left_out == {}


def test_a_branch_that_was_left_stays_left_where_only_a_command_follows() -> None:
    """Going back and leaving the session takes the last turn back."""
    records = [
        *HELLO,
        *make_turn(2, "Delete all.", "Deleted."),
    ]
    session = read_one(*records, make_user_record("x1", "a1", "<command-name>/exit</command-name>"))
    assert list_texts(session, "user") == ["Why is the page slow?"]
    assert session.left_out == {"message taken back": 2}


def test_results_of_parallel_calls_are_no_branches() -> None:
    """The results may have any order, and the last result may be a dead end."""
    head = [
        make_user_record("u1", None, "Read all."),
        make_answer_record("a1", "u1", "m1", make_call_part("t1")),
        make_answer_record("a2", "a1", "m1", make_call_part("t2")),
        make_answer_record("a3", "a2", "m1", make_call_part("t3")),
    ]
    first = make_user_record("u2", "a1", [make_result_part("t1", "one")])
    second = make_user_record("u3", "a2", [make_result_part("t2", "two")])
    third = make_user_record("u4", "a3", [make_result_part("t3", "three")])
    for results, parent in (([first, second, third], "u4"), ([third, second, first], "u4")):
        session = read_one(*head, *results, make_answer_record("a4", parent, "m2", "Read."))
        assert len(session.messages[1].tool_calls) == 3
        assert sorted(list_texts(session, "tool")) == ["one", "three", "two"]
        assert list_texts(session, "assistant") == ["Read."]
    unfinished = read_one(*head, third, first)
    assert sorted(list_texts(unfinished, "tool")) == ["one", "three"]
    assert len(unfinished.messages[1].tool_calls) == 3


def test_a_result_may_come_before_the_answer_ends() -> None:
    """Calls are run while the rest of the answer is streamed."""
    session = read_one(
        make_user_record("u1", None, "Read both."),
        make_answer_record("a1", "u1", "m1", "First:", make_call_part("t1")),
        make_user_record("u2", "a1", [make_result_part("t1")]),
        make_answer_record("a2", "u2", "m1", "then:", make_call_part("t2")),
        make_user_record("u3", "a2", [make_result_part("t2")]),
    )
    assert list_flow(session) == [
        ("user", "Read both."),
        ("assistant", "First:\nthen:"),
        ("tool", "ok"),
        ("tool", "ok"),
    ]


def test_a_compaction_takes_nothing_back() -> None:
    """The boundary begins a new chain; it names the record before it, or only follows it."""
    boundary = make_other_record(
        "s1", None, "system", subtype="compact_boundary", content="Compacted"
    )
    summary = make_user_record("u2", "s1", "This is the summary.", isCompactSummary=True)
    later = [
        make_answer_record("a2", "u2", "m2", "Going on."),
        make_user_record("u3", "a2", "Commit it."),
    ]
    for logical in ({"logicalParentUuid": "a1"}, {"logicalParentUuid": "gone"}, {}):
        session = read_one(*HELLO, boundary | logical, summary, *later)
        assert list_flow(session) == [
            ("user", "Why is the page slow?"),
            ("assistant", "It reads all."),
            ("program", "Compacted"),
            ("program", "This is the summary."),
            ("assistant", "Going on."),
            ("user", "Commit it."),
        ]


def test_a_subtype_that_is_a_list_is_no_compaction() -> None:
    """A field of a wrong type does not stop the reading of the file."""
    strange = make_other_record("s1", None, "system", subtype=["compact_boundary"], content="Odd")
    session = read_one(*HELLO, strange, make_user_record("u2", "s1", "Go on."))
    assert list_flow(session)[-1] == ("user", "Go on.")


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
    session = read_one(*HELLO, *(preserved if is_twice else []), boundary, summary, *again, *later)
    assert list_texts(session, "user") == ["Why is the page slow?", "Keep going.", "After it."]
    assert list_texts(session, "assistant") == ["It reads all.", "Kept going.", "Final."]
    assert list_texts(session, "program") == ["Compacted", "The summary."]
    assert session.left_out == {}


def test_the_last_preserved_message_alone_may_stand_behind() -> None:
    """Messages before it stay where they are."""
    boundary = make_other_record(
        *("s1", None, "system"),
        subtype="compact_boundary",
        logicalParentUuid="a2",
        compactMetadata={"preservedMessages": {"uuids": ["a1", "u2", "a2"]}},
    )
    session = read_one(
        *HELLO,
        make_user_record("x2", "a1", "Taken back."),
        make_user_record("u2", "a1", "Keep going."),
        boundary,
        make_user_record("s2", "s1", "The summary.", isCompactSummary=True),
        make_answer_record("a2", "s2", "m2", "Kept going."),
        make_user_record("u3", "a2", "After it."),
    )
    assert list_texts(session, "user") == ["Why is the page slow?", "Keep going.", "After it."]
    assert session.left_out == {"message taken back": 1}


def test_a_compaction_without_a_boundary_takes_nothing_back() -> None:
    """Older versions have the summary alone."""
    summary = make_user_record("u2", None, "Summary of it.", isCompactSummary=True)
    session = read_one(*HELLO, summary, make_answer_record("a2", "u2", "m2", "Going on."))
    assert list_texts(session, "assistant") == ["It reads all.", "Going on."]
    assert list_texts(session, "user") == ["Why is the page slow?"]


def test_a_broken_line_parts_no_conversation() -> None:
    """The record behind the line belongs to the record before it."""
    good = [
        *HELLO,
        *make_turn(3, "Go on.", "Done."),
    ]
    lines = [json.dumps(record) for record in good]
    sessions, problems = read_data("\n".join([*lines[:2], "{half", *lines[2:]]).encode())
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
    session, whole = read_one(*records), read_one(*LONG)
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
    sessions, _ = read_records(head, *records)
    assert all(session.messages for session in sessions)
