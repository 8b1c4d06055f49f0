"""Rollouts of Codex since August 2026, with messages as completed items of a turn."""

from typing import Any

import pytest

from tests.review.session_imports.reading_formats import collect_facts
from tests.review.session_imports.transcripts import (
    Record,
    list_flow,
    list_texts,
    make_event,
    make_reply_item,
    make_request_item,
    make_session_meta,
    read_one,
    read_records,
)

pytestmark = pytest.mark.unit


def make_completed_item(kind: str, *parts: dict[str, Any], **more: object) -> Record:
    """Return the event of a complete item of a turn."""
    content = {"content": list(parts)} if parts else {}
    return make_event(
        "item_completed", turn_id="t", item={"type": kind, "id": "i"} | content | more
    )


def make_request_event(text: str) -> Record:
    """Return the event of a request."""
    return make_completed_item("UserMessage", {"type": "text", "text": text})


def test_a_history_before_the_first_event_is_read_by_its_look() -> None:
    """After an answer that comes before all events, a missing event proves nothing."""
    session = read_one(
        make_session_meta(),
        make_request_item("Old request."),
        make_reply_item("Old answer."),
        make_request_item("Injected."),
        make_request_item("Why?"),
        make_request_event("Why?"),
        make_reply_item("So."),
    )
    assert list_texts(session, "user") == ["Old request.", "Why?"]


def test_a_message_in_both_shapes_counts_once() -> None:
    """Some versions wrote both, in either order; the same request may be typed again."""
    both = [make_request_event("Go on."), make_event("user_message", message="Go on.")]
    records = [
        make_session_meta(),
        make_request_item("Go on."),
        *both,
        make_reply_item("1"),
        make_request_item("Go on."),
        *both[::-1],
    ]
    assert list_texts(read_one(*records, make_reply_item("2")), "user") == ["Go on.", "Go on."]


def test_a_file_of_completed_items_alone_is_read_from_them() -> None:
    """Pictures are read as well; a proposed plan is the model's."""
    session = read_one(
        make_session_meta(),
        make_completed_item(
            "UserMessage", {"type": "local_image", "path": "a.png"}, text="Plan it."
        ),
        make_completed_item("AgentMessage", {"type": "Text", "text": "I plan."}),
        make_completed_item("Plan", text="1. An index"),
        make_completed_item("Reasoning", summary_text=["hm"]),
    )
    assert list_flow(session) == [
        ("user", "[image]\nPlan it."),
        ("assistant", "I plan."),
        ("assistant", "1. An index"),
    ]
    assert session.left_out == {"image": 1}


def test_a_plan_that_an_answer_holds_counts_once() -> None:
    """The item of a plan is cut out of the answer."""
    answer = make_reply_item("<proposed_plan>\n1. An index\n</proposed_plan>")
    session = read_one(
        make_session_meta(),
        make_request_item("Plan it."),
        make_completed_item("Plan", text="1. An index\n"),
        answer,
    )
    assert len(list_texts(session, "assistant")) == 1


def test_an_event_without_words_is_no_answer() -> None:
    """Neither a plan nor an answer has a message then."""
    records = [
        make_session_meta(),
        make_completed_item("UserMessage", text="Plan it."),
        make_completed_item("Plan", text=" "),
    ]
    assert list_flow(read_one(*records, make_completed_item("AgentMessage"))) == [
        ("user", "Plan it.")
    ]


def test_a_head_with_a_blank_name_names_no_session() -> None:
    """Its older name counts, else the session has none."""
    older = read_one(make_session_meta("", session_id="older"), make_request_item("Why?"))
    nameless = read_one(make_session_meta(""), make_request_item("Why?"))
    assert [collect_facts(session)["identity"] for session in (older, nameless)] == ["older", None]


def test_bookkeeping_is_no_loss_and_agents_are_the_program() -> None:
    """Records of the state of the world, of usage and of deliveries hold no message."""
    kinds = ("world_state", "inter_agent_communication_metadata", "token_usage_record")
    session = read_one(
        make_session_meta(),
        make_request_item("Why?"),
        make_reply_item("So."),
        make_event("sub_agent_activity"),
        *({"type": kind, "payload": {"full": True}} for kind in kinds),
        {"type": "inter_agent_communication", "payload": {"content": "Done."}},
    )
    assert list_flow(session)[2:] == [("program", "Done.")]
    assert session.left_out == {}


def test_the_head_names_a_sub_agents_thread() -> None:
    """The source of the thread decides, and the reason names the parent thread."""
    head = make_session_meta(thread_source="subagent", parent_thread_id="parent-2")
    sessions, (problem,) = read_records(head, make_request_item("Why?"), make_reply_item("So."))
    assert not sessions
    assert not problem.wrong
    assert "parent-2" in problem.reason
