"""Rollouts of Codex: one test for each kind of record, of all versions of the format."""

import random
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.sessions.session import FromFile
from review.session_imports.common.drafts import make_imported_session_id
from tests.review.session_imports.coding_tools.test_codex_turn_items import (
    make_request_event as make_completed_request,
)
from tests.review.session_imports.transcripts import (
    SESSION,
    Record,
    list_flow,
    list_texts,
    make_event,
    make_reply_item,
    make_request_item,
    make_response_item,
    make_session_meta,
    read_one,
    read_records,
)

pytestmark = pytest.mark.unit

AGENTS: Final = (
    "# AGENTS.md instructions for /srv/app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
)
ENVIRONMENT: Final = "<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>"
HELLO: Final = [
    make_session_meta(),
    make_request_item("Why is it slow?"),
    make_reply_item("No index."),
]


def make_typed_event(text: str) -> Record:
    """Return the event of a request that was typed."""
    return make_event("user_message", message=text, images=[])


def make_turn_context(model: str) -> Record:
    """Return the context of a turn."""
    return {"type": "turn_context", "payload": {"cwd": "/projects/shop", "model": model}}


def make_usage_event(total: tuple[int, int, int, int], last: tuple[int, int, int, int]) -> Record:
    """Return an event with the usage so far and of the last answer."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    sums, news = (dict(zip(names, counts, strict=True)) for counts in (total, last))
    return make_event("token_count", info={"total_token_usage": sums, "last_token_usage": news})


def test_model_and_usage_stand_in_other_records() -> None:
    """The turn's context has the model; counts that grow, and may repeat, have the usage."""
    first, second = (900, 300, 50, 20), (1100, 800, 40, 10)
    session = read_one(
        make_session_meta(),
        make_event("token_count", info=None),
        make_request_item("Why?"),
        make_turn_context("gpt-5.3-codex"),
        make_reply_item("No index."),
        make_usage_event(first, first),
        make_usage_event(first, first),
        make_request_item("Add one."),
        make_turn_context("gpt-5.4"),
        make_reply_item("Added."),
        make_usage_event((2000, 1100, 90, 30), second),
    )
    tokens = session.totals.tokens
    counts = (tokens.input, tokens.cached_input, tokens.output, tokens.reasoning)
    assert counts == (2000, 1100, 90, 30)
    answers = [message for message in session.messages if message.role == "assistant"]
    assert [message.model for message in answers] == ["gpt-5.3-codex", "gpt-5.4"]
    assert [message.tokens and message.tokens.output for message in answers] == [50, 40]
    assert (session.model, session.project) == ("gpt-5.4", "shop")


def test_a_count_that_begins_anew_is_added() -> None:
    """A process that continued the file may count from nothing."""
    session = read_one(
        *HELLO,
        make_usage_event((9, 0, 5, 0), (9, 0, 5, 0)),
        make_usage_event((4, 0, 3, 0), (4, 0, 3, 0)),
    )
    assert (session.totals.tokens.input, session.totals.tokens.output) == (13, 8)


def test_instructions_and_environment_are_the_programs() -> None:
    """Both may be in the item of the request."""
    session = read_one(
        make_session_meta(),
        make_request_item(AGENTS),
        make_request_item(ENVIRONMENT),
        make_request_item(f"{AGENTS}\n{ENVIRONMENT}"),
        make_request_item(ENVIRONMENT, "Why is it slow?"),
        make_reply_item("No index."),
        make_request_item("<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
        make_request_item("<user_shell_command>\n<command>ls</command>\n</user_shell_command>"),
    )
    roles = [role for role, _ in list_flow(session)]
    assert roles == [*["program"] * 4, "user", "assistant", "program", "program"]
    assert list_texts(session, "user") == ["Why is it slow?"]
    assert session.title == "Why is it slow?"


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
        read_one(make_session_meta(), make_request_item(text), make_reply_item("So.")), "user"
    ) == [text]


@pytest.mark.parametrize("make_typed", [make_typed_event, make_completed_request])
def test_events_name_the_requests_that_were_typed(make_typed: Callable[[str], Record]) -> None:
    """Any other text is the program's, even if it looks like a request.

    A text that an event names is a person's, even if it looks like the program's.
    """
    session = read_one(
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


def test_events_of_earlier_versions_name_their_kind() -> None:
    """Such events were written for instructions and the environment as well."""
    session = read_one(
        make_session_meta(),
        make_request_item(ENVIRONMENT),
        make_event("user_message", message=ENVIRONMENT, kind="environment_context"),
        make_request_item("Why is it slow?"),
        make_event("user_message", message="Why is it slow?", kind="plain"),
        make_reply_item("No index."),
    )
    assert list_flow(session) == [
        ("program", ENVIRONMENT),
        ("user", "Why is it slow?"),
        ("assistant", "No index."),
    ]


def test_an_event_may_come_before_its_item_and_hold_a_part_of_it() -> None:
    """Tags surround pictures in the item, and the same text may be typed twice."""
    picture = {"type": "input_image", "image_url": "data:image/png;base64,iVBO"}
    parts: list[dict[str, Any]] = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        picture,
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "What is wrong?"},
    ]
    go_on = make_event("user_message", message="continue")
    session = read_one(
        make_session_meta(),
        make_event("user_message", message="What is wrong?", images=[picture["image_url"]]),
        make_response_item(type="message", role="user", content=parts),
        make_reply_item("A border."),
        go_on,
        make_request_item("continue"),
        make_reply_item("1"),
        make_request_item("continue"),
        go_on,
        make_reply_item("2"),
    )
    assert list_texts(session, "user") == ["[image]\nWhat is wrong?", "continue", "continue"]
    assert session.left_out == {"image": 1}


def test_a_file_of_events_alone_is_read_from_them() -> None:
    """Some versions keep no items."""
    session = read_one(
        make_session_meta(),
        make_event("user_message", message="Why?", images=["a.png"]),
        make_event("agent_message", message="No index."),
    )
    assert list_flow(session) == [("user", "[image]\nWhy?"), ("assistant", "No index.")]


def test_events_that_repeat_items_are_read_once() -> None:
    """The answer, its reasoning and the calls are read once."""
    session = read_one(
        *HELLO,
        make_event("agent_message", message="No index."),
        make_event("agent_reasoning", text="hm"),
        make_event("exec_command_end", call_id="c", stdout="x"),
        make_event("task_complete", last_agent_message="No index."),
        make_response_item(type="reasoning", summary=[{"type": "summary_text", "text": "hm"}]),
    )
    assert list_flow(session) == [("user", "Why is it slow?"), ("assistant", "No index.")]
    assert session.left_out == {"reasoning": 1}


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
    session = read_one(
        make_session_meta(), *talk, rolled, make_request_item("Q4"), make_reply_item("A4")
    )
    assert list_texts(session, "user") == questions
    assert session.left_out.get("message taken back", 0) == gone


def make_call_item(kind: str, **more: object) -> Record:
    """Return an item of the call ``c``."""
    return make_response_item(type=kind, call_id="c", **more)


LS: Final = {"command": ["ls"]}
CALLS: Final[list[tuple[str, str, str, list[Record]]]] = [
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
    session = read_one(*HELLO[:2], *records, *records, make_reply_item("Done."))
    called, result = session.messages[1], session.messages[2]
    (call,) = called.tool_calls
    assert (call.name, call.arguments, called.text) == (tool, given_to, "")
    assert (result.role, result.text, result.tool_call_id) == ("tool", answer, call.id)
    assert len(session.messages) == 4


def test_a_search_without_a_name_is_kept() -> None:
    """The number of the record is its name; the missing result is counted."""
    search = make_response_item(
        type="web_search_call", status="completed", action={"query": "rain"}
    )
    session = read_one(*HELLO, search)
    (call,) = session.messages[2].tool_calls
    assert session.messages[3].tool_call_id == call.id
    assert session.left_out == {"server tool result": 1}


def test_a_compaction_takes_nothing_back() -> None:
    """Its summary is the program's; the repeated history is not read again."""
    history = [{"type": "message", "role": "user", "content": "Why is it slow?"}]
    compacted = {
        "type": "compacted",
        "payload": {"message": "Summary", "replacement_history": history},
    }
    session = read_one(
        *HELLO,
        compacted,
        make_response_item(type="compaction", encrypted_content="x"),
        make_request_item("Go on."),
    )
    assert list_flow(session)[2:] == [("program", "Summary"), ("user", "Go on.")]
    assert session.left_out == {"compaction": 1}


def test_errors_and_messages_between_agents_are_the_programs() -> None:
    """Neither is an answer."""
    between = make_response_item(type="agent_message", author="a", recipient="b", content="done")
    session = read_one(*HELLO, make_event("error", message="overloaded"), between)
    assert list_flow(session)[2:] == [("program", "overloaded"), ("program", "done")]


def test_developers_instructions_are_system_messages() -> None:
    """They were system messages for the model."""
    instructions = make_response_item(
        type="message", role="developer", content=[{"type": "input_text", "text": "Be"}]
    )
    assert list_flow(read_one(make_session_meta(), instructions, *HELLO[1:]))[0] == (
        "system",
        "Be",
    )


def test_kinds_that_nobody_knows_are_counted() -> None:
    """Items, events and records are counted; an unknown role is a problem of its line."""
    session = read_one(
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
    (session,), (problem,) = read_records(*HELLO, wizard)
    assert (problem.line, problem.reason) == (4, "role wizard is not known")
    assert len(session.messages) == 2


def test_rollouts_without_envelopes_are_read() -> None:
    """Rollouts until September 2025 have a head, bare items, and marks of states."""
    bare = [record["payload"] for record in (make_request_item(ENVIRONMENT), *HELLO[1:])]
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}
    head = {"id": SESSION, "timestamp": "2025-09-02T17:17:41.762Z", "instructions": None}
    output = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    session = read_one(head, {"record_type": "state"}, *bare, call, output)
    assert [role for role, _ in list_flow(session)] == [
        "program",
        "user",
        *["assistant"] * 2,
        "tool",
    ]
    assert session.id == make_imported_session_id("codex", SESSION)
    assert session.created_at is not None
    assert session.left_out == {}


def test_the_first_rollouts_are_read() -> None:
    """They were one object with the session and its items."""
    items = [record["payload"] for record in HELLO[1:]]
    shell = {"type": "local_shell_call", "id": "c", "action": {"command": ["ls"]}}
    document = {
        "session": {"id": SESSION, "timestamp": "2025-05-01T10:00:00Z"},
        "items": [*items, shell],
    }
    session = read_one(document)
    assert [text for _, text in list_flow(session)] == [
        "Why is it slow?",
        "No index.",
        "local_shell",
    ]
    assert session.id == make_imported_session_id("codex", SESSION)


def test_the_rollouts_own_name_is_its_identity() -> None:
    """Heads of other sessions may follow; a longer version is the same session."""
    first = read_one(*HELLO)
    (longer,), _ = read_records(
        *HELLO, make_session_meta("another"), make_request_item("And?"), name="copy.jsonl"
    )
    assert first.id == longer.id == make_imported_session_id("codex", SESSION)
    assert isinstance(first.source, FromFile)
    assert first.source.identity == SESSION


def test_a_name_that_a_person_gave_is_the_title() -> None:
    """The last name counts."""
    names = [make_event("thread_name_updated", thread_name=name) for name in ("one", "two")]
    assert read_one(*HELLO, *names).title == "two"


def test_a_sub_agents_rollout_belongs_to_its_session() -> None:
    """The file is left out with that reason, which is no fault of the file."""
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "parent-1", "depth": 1}}}
    for source, parent in ((spawned, "parent-1"), ({"subagent": "review"}, "another")):
        sessions, (problem,) = read_records(make_session_meta(source=source), *HELLO[1:])
        assert not sessions
        assert (problem.wrong, problem.left_out) == (False, "sub-agent transcript")
        assert parent in problem.reason


def test_a_rollout_without_a_conversation_is_no_fault() -> None:
    """The program was opened and closed."""
    sessions, (problem,) = read_records(make_session_meta(), make_turn_context("gpt-5"))
    assert not sessions
    assert not problem.wrong


def test_a_large_first_record_hides_nothing() -> None:
    """The head holds all instructions."""
    sessions, _ = read_records(
        make_session_meta(base_instructions={"text": "x" * 90_000}), *HELLO[1:]
    )
    assert len(sessions) == 1


LONG: Final = [
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
    sessions, problems = read_records(make_session_meta(), *records)
    assert not [problem for problem in problems if problem.wrong]
    for session in sessions:
        results = [message.tool_call_id for message in session.messages if message.role == "tool"]
        assert len(results) == len(set(results))
