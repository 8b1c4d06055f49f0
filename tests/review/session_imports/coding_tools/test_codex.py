"""Rollouts of Codex of all versions: rules for several records, and records in any order."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review.session_imports.reading_formats import read_row, read_rows
from tests.review.session_imports.transcripts import (
    Record,
    list_texts,
    make_event,
    make_reply_item,
    make_request_item,
    make_response_item,
    make_session_meta,
)

pytestmark = pytest.mark.unit

AGENTS = "# AGENTS.md instructions for /srv/app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
ENVIRONMENT = "<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>"
HELLO = [
    make_session_meta(),
    make_request_item("Why is it slow?"),
    make_reply_item("No index."),
]


def make_typed_event(text: str) -> Record:
    """Return the event of a request that was typed."""
    return make_event("user_message", message=text, images=[])


def make_completed_item(kind: str, *parts: Record, **more: object) -> Record:
    """Return the event of a complete item of a turn."""
    content = {"content": list(parts)} if parts else {}
    return make_event(
        "item_completed", turn_id="t", item={"type": kind, "id": "i"} | content | more
    )


def make_completed_request(text: str) -> Record:
    """Return the event of a request."""
    return make_completed_item("UserMessage", {"type": "text", "text": text})


def make_turn_context(model: str) -> Record:
    """Return the context of a turn."""
    return {"type": "turn_context", "payload": {"cwd": "/projects/shop", "model": model}}


def make_usage_event(total: tuple[int, int, int, int], last: tuple[int, int, int, int]) -> Record:
    """Return an event with the usage so far and of the last answer."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    sums, news = (dict(zip(names, counts, strict=True)) for counts in (total, last))
    return make_event("token_count", info={"total_token_usage": sums, "last_token_usage": news})


@pytest.mark.parametrize(
    "text",
    [
        "Why does it print <environment_context>?",
        f"{ENVIRONMENT} is in my log",
        "# AGENTS.md instructions are ignored, why?",
        "<div>a page</div>",
    ],
)
def test_a_person_who_quotes_the_program_stays_a_person(text: str) -> None:
    """The request is kept as it is."""
    assert list_texts(
        read_row(make_session_meta(), make_request_item(text), make_reply_item("So.")), "user"
    ) == [text]


@pytest.mark.parametrize("make_typed", [make_typed_event, make_completed_request])
def test_events_name_the_requests_that_were_typed(make_typed: Callable[[str], Record]) -> None:
    """Any other text is the program's, even if it looks like a request.

    A text that an event names is a person's, even if it looks like the program's.
    """
    session = read_row(
        make_session_meta(),
        make_request_item(AGENTS),
        make_request_item("Why is it slow?"),
        make_typed("Why is it slow?"),
        make_reply_item("No index."),
        make_request_item("Injected by a version of tomorrow."),
        make_request_item(ENVIRONMENT),
        make_typed(ENVIRONMENT),
        make_reply_item("Yes?"),
    )
    assert list_texts(session, "user") == ["Why is it slow?", ENVIRONMENT]
    assert list_texts(session, "program") == [AGENTS, "Injected by a version of tomorrow."]


@pytest.mark.parametrize(
    ("turns", "questions", "gone"),
    [
        (1, ["Q1", "Q2", "Q4"], 2),
        (2, ["Q1", "Q4"], 4),
        (9, ["Q4"], 6),
        (0, ["Q1", "Q2", "Q3", "Q4"], 0),
    ],
)
def test_turns_that_were_rolled_back_are_gone(turns: int, questions: list[str], gone: int) -> None:
    """They are counted; the next turn continues from the turn before them."""
    talk = [
        record
        for n in (1, 2, 3)
        for record in (make_request_item(f"Q{n}"), make_reply_item(f"A{n}"))
    ]
    rolled = make_event("thread_rolled_back", num_turns=turns)
    session = read_row(
        make_session_meta(), *talk, rolled, make_request_item("Q4"), make_reply_item("A4")
    )
    assert list_texts(session, "user") == questions
    assert session.left_out.get("message taken back", 0) == gone


def make_call_item(kind: str, **more: object) -> Record:
    """Return an item of the call ``c``."""
    return make_response_item(type=kind, call_id="c", **more)


LS = {"command": ["ls"]}
CALLS: list[tuple[str, str, str, list[Record]]] = [
    (
        *("shell", '{"a": 1}', "ok"),
        [
            make_call_item("function_call", name="shell", arguments='{"a": 1}'),
            make_call_item("function_call_output", output="ok"),
        ],
    ),
    (
        *("apply_patch", "*** Begin", '{"output": "Done"}'),
        [
            make_call_item("custom_tool_call", name="apply_patch", input="*** Begin"),
            make_call_item("custom_tool_call_output", output='{"output": "Done"}'),
        ],
    ),
    (
        *("local_shell", '{"type": "exec", "command": ["ls"]}', "a.ts"),
        [
            make_call_item("local_shell_call", action={"type": "exec", **LS}),
            make_call_item("function_call_output", output={"content": "a.ts"}),
        ],
    ),
    (
        *("local_shell", '{"command": ["ls"]}', "a.ts"),
        [
            make_response_item(type="local_shell_call", id="c", action=LS),
            make_call_item("local_shell_call_output", output="a.ts"),
        ],
    ),
    (
        *("tool_search", '{"query": "mail"}', "two tools"),
        [
            make_call_item("tool_search_call", arguments={"query": "mail"}),
            make_call_item("tool_search_output", tools="two tools"),
        ],
    ),
    (
        *("web_search", '{"query": "rain"}', "[the result is not in the rollout]"),
        [make_response_item(type="web_search_call", id="c", action={"query": "rain"})],
    ),
    (
        *("image_generation", "a cat", "[image]"),
        [
            make_response_item(
                type="image_generation_call", id="c", revised_prompt="a cat", result="iVBO"
            )
        ],
    ),
    (
        *("view_image", "{}", "[image]"),
        [
            make_call_item("function_call", name="view_image", arguments="{}"),
            make_call_item("function_call_output", output=[{"type": "input_image"}]),
        ],
    ),
]
"""The tool, its arguments, its result and the records of each kind of call."""


@pytest.mark.parametrize(("tool", "given_to", "answer", "records"), CALLS)
def test_each_kind_of_call_has_its_result(
    tool: str, given_to: str, answer: str, records: list[Record]
) -> None:
    """A record that appears twice counts once."""
    session = read_row(*HELLO[:2], *records, *records, make_reply_item("Done."))
    called, result = session.messages[1], session.messages[2]
    (call,) = called.tool_calls
    assert (call.name, call.arguments, called.text) == (tool, given_to, "")
    assert (result.role, result.text, result.tool_call_id) == ("tool", answer, call.id)
    assert len(session.messages) == 4


def test_kinds_that_nobody_knows_are_counted() -> None:
    """Items, events and records are counted; an unknown role is a problem of its line."""
    session = read_row(
        *HELLO,
        make_response_item(type="hologram"),
        make_event("hologram"),
        {"type": "dream", "payload": {"a": 1}},
    )
    assert session.left_out == {
        "record of kind response_item hologram": 1,
        "record of kind event_msg hologram": 1,
        "record of kind dream": 1,
    }
    wizard = make_response_item(type="message", role="wizard", content="x")
    (session,), (problem,) = read_rows(*HELLO, wizard)
    assert (problem.line, problem.reason) == (4, "role wizard is not known")
    assert len(session.messages) == 2


def test_a_large_first_record_hides_nothing() -> None:
    """The head holds all instructions."""
    sessions, _ = read_rows(make_session_meta(base_instructions={"text": "x" * 90_000}), *HELLO[1:])
    assert len(sessions) == 1


LONG = [
    *HELLO,
    make_turn_context("gpt-5"),
    make_usage_event((9, 0, 5, 0), (9, 0, 5, 0)),
    make_event("user_message", message="Why is it slow?"),
    make_event("thread_rolled_back", num_turns=1),
    *(record for _, _, _, records in CALLS for record in records),
    {"type": "compacted", "payload": {"message": "Summary"}},
]


@given(st.lists(st.sampled_from(LONG), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_records_in_any_order_and_often_end_no_import(
    records: list[Record], order: random.Random
) -> None:
    """Each call and each result is read once, between any other records."""
    order.shuffle(records)
    sessions, problems = read_rows(make_session_meta(), *records)
    assert not [problem for problem in problems if problem.wrong]
    for session in sessions:
        results = [message.tool_call_id for message in session.messages if message.role == "tool"]
        assert len(results) == len(set(results))
