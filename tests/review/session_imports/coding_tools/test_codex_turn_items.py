"""Rollouts of Codex since August 2026, with messages as completed items of a turn."""

from typing import Any

import pytest

from tests.review.session_imports.reading_formats import session_facts
from tests.review.session_imports.transcripts import (
    Record,
    asked,
    event,
    flow,
    meta,
    read_one,
    read_records,
    replied,
    texts,
)

pytestmark = pytest.mark.unit


def completed(kind: str, *parts: dict[str, Any], **more: object) -> Record:
    """Return the event of a complete item of a turn."""
    content = {"content": list(parts)} if parts else {}
    return event("item_completed", turn_id="t", item={"type": kind, "id": "i"} | content | more)


def typed(text: str) -> Record:
    """Return the event of a request."""
    return completed("UserMessage", {"type": "text", "text": text})


def test_items_name_the_requests_that_were_typed() -> None:
    """Texts before the first request are the program's, of any look."""
    session = read_one(
        [
            meta(history_mode="paginated"),
            asked("# AGENTS.md\nBe brief."),
            asked("Why is it slow?"),
            typed("Why is it slow?"),
            replied("No index."),
            asked("Injected by a version of tomorrow."),
            asked("Add one."),
            typed("Add one."),
            replied("Added."),
        ]
    )
    assert texts(session, "user") == ["Why is it slow?", "Add one."]
    assert texts(session, "program") == [
        "# AGENTS.md\nBe brief.",
        "Injected by a version of tomorrow.",
    ]
    assert session.title == "Why is it slow?"


def test_a_history_before_the_first_event_is_read_by_its_look() -> None:
    """After an answer that comes before all events, a missing event proves nothing."""
    session = read_one(
        [
            *(meta(), asked("Old request."), replied("Old answer."), asked("Injected.")),
            *(asked("Why?"), typed("Why?"), replied("So.")),
        ]
    )
    assert texts(session, "user") == ["Old request.", "Why?"]


def test_a_message_that_is_told_of_in_both_shapes_counts_once() -> None:
    """Some versions wrote both, in either order; the same request may be typed again."""
    both = [typed("Go on."), event("user_message", message="Go on.")]
    records = [meta(), asked("Go on."), *both, replied("1"), asked("Go on."), *both[::-1]]
    assert texts(read_one([*records, replied("2")]), "user") == ["Go on.", "Go on."]


def test_a_file_of_completed_items_alone_is_read_from_them() -> None:
    """Pictures are read as well; a proposed plan is the model's."""
    session = read_one(
        [
            meta(),
            completed("UserMessage", {"type": "local_image", "path": "a.png"}, text="Plan it."),
            completed("AgentMessage", {"type": "Text", "text": "I plan."}),
            completed("Plan", text="1. An index"),
            completed("Reasoning", summary_text=["hm"]),
        ]
    )
    assert flow(session) == [
        ("user", "[image]\nPlan it."),
        ("assistant", "I plan."),
        ("assistant", "1. An index"),
    ]
    assert session.left_out == {"image": 1}


def test_a_plan_that_an_answer_holds_counts_once() -> None:
    """The item of a plan is cut out of the answer."""
    answer = replied("<proposed_plan>\n1. An index\n</proposed_plan>")
    session = read_one([meta(), asked("Plan it."), completed("Plan", text="1. An index\n"), answer])
    assert len(texts(session, "assistant")) == 1


def test_an_event_without_words_is_no_answer() -> None:
    """Neither a plan nor an answer has a message then."""
    records = [meta(), completed("UserMessage", text="Plan it."), completed("Plan", text=" ")]
    assert flow(read_one([*records, completed("AgentMessage")])) == [("user", "Plan it.")]


def test_a_head_with_a_blank_name_names_no_session() -> None:
    """Its older name counts, else the session has none."""
    older = read_one([meta("", session_id="older"), asked("Why?")])
    nameless = read_one([meta(""), asked("Why?")])
    assert [session_facts(session)["identity"] for session in (older, nameless)] == ["older", None]


def test_bookkeeping_is_no_loss_and_agents_are_the_program() -> None:
    """Records of the state of the world, of usage and of deliveries hold no message."""
    kinds = ("world_state", "inter_agent_communication_metadata", "token_usage_record")
    session = read_one(
        [
            *(meta(), asked("Why?"), replied("So."), event("sub_agent_activity")),
            *({"type": kind, "payload": {"full": True}} for kind in kinds),
            {"type": "inter_agent_communication", "payload": {"content": "Done."}},
        ]
    )
    assert flow(session)[2:] == [("program", "Done.")]
    assert session.left_out == {}


def test_the_head_names_a_sub_agents_thread() -> None:
    """The source of the thread decides, and the reason names the parent thread."""
    head = meta(thread_source="subagent", parent_thread_id="parent-2")
    sessions, (problem,) = read_records([head, asked("Why?"), replied("So.")])
    assert not sessions
    assert not problem.wrong
    assert "parent-2" in problem.reason
