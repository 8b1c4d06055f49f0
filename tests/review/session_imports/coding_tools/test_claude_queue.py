"""Prompts that were typed while Claude Code was at work: each becomes one message of the user."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review.session_imports.reading_formats import read_row
from tests.review.session_imports.transcripts import (
    SESSION,
    Record,
    list_flow,
    list_texts,
    make_answer_record,
    make_call_part,
    make_other_record,
    make_result_part,
    make_user_record,
)

pytestmark = pytest.mark.unit

TYPED_AT: Final = "2026-10-01T10:02:00.000Z"


def make_operation(name: str, content: object = None, **more: object) -> Record:
    """Return a change of the queue."""
    record: Record = {"type": "queue-operation", "operation": name, "sessionId": SESSION}
    record["timestamp"] = TYPED_AT
    return record | ({} if content is None else {"content": content}) | more


def make_attachment(content: object, **more: object) -> Record:
    """Return a prompt that the running turn took, without a uuid."""
    attachment = {"type": "queued_command", "prompt": content, "commandMode": "prompt"}
    return {
        "type": "attachment",
        "sessionId": SESSION,
        "timestamp": TYPED_AT,
        "attachment": attachment | more,
    }


def link(record: Record, uuid: str, parent: str | None) -> Record:
    """Return a record with a position in the tree."""
    return record | {"uuid": uuid, "parentUuid": parent}


WORDS: Final = "Also run the tests."
PARTS: Final = [{"type": "text", "text": WORDS}]
BEFORE: Final = [
    make_user_record("u1", None, "Build it."),
    make_answer_record("a1", "u1", "m1", "Working.", make_call_part("t1")),
]
RESULT: Final = make_user_record("u2", "a1", [make_result_part("t1")])
AFTER: Final = make_answer_record("a2", "u2", "m2", "Built and tested.")
SHAPES: Final[dict[str, list[Record]]] = {
    "attachment": [make_attachment(WORDS)],
    "parts": [make_attachment(PARTS)],
    "texts": [make_attachment([WORDS])],
    "linked beside the answer": [link(make_attachment(WORDS), "q1", "u2")],
    "no session": [
        {key: v for key, v in make_attachment(WORDS).items() if key != "sessionId"},
    ],
    "removed": [make_operation("enqueue", WORDS), make_operation("remove", WORDS)],
    "removed without a text": [make_operation("enqueue", PARTS), make_operation("remove")],
    "removed in parts": [make_operation("remove", PARTS, reason="absorbed_mid_turn")],
    "linked operations": [
        link(make_operation("enqueue", WORDS), "q1", "u2"),
        link(make_operation("remove", WORDS), "q2", "q1"),
    ],
    "sent next": [make_operation("enqueue", WORDS), make_operation("dequeue")],
    "queue and attachment": [
        make_operation("enqueue", WORDS),
        make_attachment(PARTS),
        make_operation("remove", WORDS),
    ],
    "attachment behind the queue": [
        make_operation("enqueue", WORDS),
        make_operation("dequeue"),
        make_attachment(WORDS),
    ],
    "twice by its source": [
        make_attachment(WORDS, source_uuid="s1"),
        link(make_attachment(WORDS, source_uuid="s1"), "q1", "u2"),
    ],
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_prompt_of_the_queue_is_one_message_at_its_time(shape: list[Record]) -> None:
    """Each shape of the record gives one message, behind the results and before the answer."""
    session = read_row(*BEFORE, RESULT, *shape, AFTER)
    assert list_flow(session) == [
        ("user", "Build it."),
        ("assistant", "Working."),
        ("tool", "ok"),
        ("user", WORDS),
        ("assistant", "Built and tested."),
    ]
    (message,) = [message for message in session.messages if message.text == WORDS]
    assert message.at is not None
    assert message.at.isoformat() == "2026-10-01T10:02:00+00:00"
    assert session.left_out == {}


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[list[Record], list[str]]:
    """Return the records of a conversation without a rewind, and the words of its person."""
    records: list[Record] = []
    words: list[str] = []
    parent: str | None = None
    for turn in range(draw(st.integers(1, 5))):
        text = draw(st.sampled_from(["Go on.", "Yes.", f"Question {turn}."]))
        words.append(text)
        records.append(make_user_record(f"u{turn}", parent, text))
        calls = make_answer_record(f"c{turn}", f"u{turn}", f"m{turn}", make_call_part(f"t{turn}"))
        records += [calls, make_user_record(f"r{turn}", f"c{turn}", [make_result_part(f"t{turn}")])]
        parent = f"r{turn}"
        for number in range(draw(st.integers(0, 2))):
            typed = draw(st.sampled_from(["Go on.", f"Typed {turn}.{number}"]))
            words.append(typed)
            content = draw(st.sampled_from([typed, [{"type": "text", "text": typed}]]))
            records.append(make_operation("enqueue", content))
            carrier = draw(st.sampled_from(["loose", "leaf", "linked", "remove", "both"]))
            if carrier in {"loose", "both"}:
                records.append(make_attachment(content))
            elif carrier in {"leaf", "linked"}:
                name = f"q{turn}.{number}"
                records.append(link(make_attachment(content), name, parent))
                parent = name if carrier == "linked" else parent
            if carrier != "loose":
                records.append(make_operation("remove", draw(st.sampled_from([content, None]))))
            else:
                records.append(make_operation("dequeue"))
        if draw(st.booleans()):
            records.append(make_other_record(f"p{turn}", f"c{turn}", "progress", data={}))
        records.append(make_answer_record(f"a{turn}", parent, f"n{turn}", f"Answer {turn}."))
        parent = f"a{turn}"
    return records, words


@given(transcripts())
def test_no_words_of_a_person_are_lost_without_a_rewind(
    made: tuple[list[Record], list[str]],
) -> None:
    """All that was typed is there once, in order, and nothing is counted as taken back."""
    records, words = made
    session = read_row(*records)
    assert list_texts(session, "user") == words
    assert session.left_out == {}
