"""Sessions of Claude Code: usage, titles, identity, sub-agents, and records of each kind."""

import pytest

from records.sessions.session import FromFile
from review.session_imports.common.drafts import make_imported_session_id
from review.session_imports.session_importers import UnknownFileError
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
    make_user_record,
    read_one,
    read_records,
)

pytestmark = pytest.mark.unit


def test_usage_and_model_are_those_of_the_last_record_of_an_answer() -> None:
    """Earlier records of a streamed answer hold placeholders."""
    first = make_answer_record("a1", "u1", "m1", {"type": "thinking", "thinking": "hm"}, output=2)
    first["message"]["model"] = "claude-early"
    records = [
        make_user_record("u1", None, "List the orders."),
        first,
        make_answer_record("a2", "a1", "m1", "Use the index.", output=2),
        make_answer_record("a3", "a2", "m1", make_call_part("t1", file="a.ts"), output=431),
        make_user_record("u2", "a3", [make_result_part("t1")]),
        make_answer_record("a4", "u2", "m2", "Done.", output=120),
    ]
    session = read_one(*records)
    assert list_flow(session) == [
        ("user", "List the orders."),
        ("assistant", "Use the index."),
        ("tool", "ok"),
        ("assistant", "Done."),
    ]
    assert session.totals.tokens.output == 551
    assert session.totals.tokens.input == 2206
    assert session.totals.tokens.cached_input == 2000
    assert session.messages[1].model == "claude-sonnet-4-5"
    assert session.project == "shop"
    assert session.left_out == {"reasoning": 1}


def test_pictures_are_named_where_they_stood() -> None:
    """A name marks each picture in requests and in results; a picture alone is a request."""
    picture = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo="}}
    session = read_one(
        make_user_record("u1", None, [picture]),
        make_answer_record("a1", "u1", "m1", make_call_part("t1")),
        make_user_record(
            "u2",
            "a1",
            [make_result_part("t1", [picture, {"type": "text", "text": "a screen"}])],
        ),
        make_user_record("u3", "u2", [picture, {"type": "text", "text": "What is wrong?"}]),
    )
    assert list_texts(session, "user") == ["[image]", "[image]\nWhat is wrong?"]
    assert list_texts(session, "tool") == ["[image]\na screen"]
    assert session.left_out == {"image": 3}


BOOKKEEPING: list[Record] = [
    {"type": "summary", "summary": "Fixing", "leafUuid": "a1"},
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"files": ["x"] * 9000}},
    {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": "x"},
    {"type": "last-prompt", "lastPrompt": "x", "leafUuid": "a1", "sessionId": SESSION},
    {"type": "permission-mode", "permissionMode": "plan", "sessionId": SESSION},
    {"type": "mode", "mode": "default", "sessionId": SESSION},
    {"type": "ai-title", "aiTitle": "Fixing", "sessionId": SESSION},
    {"type": "pr-link", "prUrl": "https://example.org/1", "sessionId": SESSION},
    {"type": "content-replacement", "replacements": [], "sessionId": SESSION},
    {"type": "task-summary", "summary": "x", "sessionId": SESSION},
    make_other_record("p1", "a1", "progress", data={"type": "hook_progress"}),
]


@pytest.mark.parametrize("record", BOOKKEEPING, ids=lambda record: str(record["type"]))
def test_records_of_the_programs_own_are_no_messages(record: Record) -> None:
    """Such records are no loss anywhere, even as parents of messages."""
    plain = read_one(*HELLO)
    for records in ([record, *HELLO], [*HELLO, record], [HELLO[0], record, HELLO[1]]):
        session = read_one(*records)
        assert session.messages == plain.messages
        assert session.left_out == {}
    if "uuid" in record:
        later = [record, make_user_record("u2", "p1", "Go on.")]
        assert list_texts(read_one(*HELLO, *later), "user")[-1] == "Go on."


def test_records_of_unknown_kinds_are_counted() -> None:
    """The count shows that not all was read."""
    odd = [make_other_record("x1", "a1", "hologram"), {"type": "hologram", "sessionId": SESSION}]
    session = read_one(*HELLO, *odd, make_user_record("u2", "x1", "Go on."))
    assert session.left_out == {"record of kind hologram": 2}
    assert list_texts(session, "user") == ["Why is the page slow?", "Go on."]


def test_a_name_that_a_person_gave_is_the_title() -> None:
    """The last name counts; a title that the program made up is no name."""
    names = [
        {"type": "ai-title", "aiTitle": "Slow page", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "shop-1", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "shop-2", "sessionId": SESSION},
    ]
    assert read_one(*HELLO, *names).title == "shop-2"


def test_the_files_session_is_its_identity() -> None:
    """A longer version of the file, under another name, is the same session."""
    first = read_one(*HELLO)
    (longer,), _ = read_records(
        *HELLO, make_user_record("u2", "a1", "And?"), name="copy of it.jsonl"
    )
    assert first.id == longer.id == make_imported_session_id("claude_code", SESSION)
    assert isinstance(first.source, FromFile)
    assert first.source.identity == SESSION


def test_a_session_that_was_continued_under_another_id_is_one() -> None:
    """The session has the later id: the file of the earlier id is another session."""
    later = [
        make_user_record("u2", "a1", "And?", sessionId="later"),
        make_answer_record("a2", "u2", "m2", "So."),
    ]
    later[1]["sessionId"] = "later"
    session = read_one(*HELLO, *later)
    assert list_texts(session, "user") == ["Why is the page slow?", "And?"]
    assert session.id == make_imported_session_id("claude_code", "later")


def test_two_sessions_in_one_file_are_two() -> None:
    """In files that were joined, no record links the two sessions."""
    second = [
        make_user_record("v1", None, "Another?", sessionId="b"),
        make_answer_record("b1", "v1", "m9", "Yes."),
    ]
    second[1]["sessionId"] = "b"
    sessions, problems = read_records(*HELLO, *second)
    assert not problems
    assert [list_texts(session, "user") for session in sessions] == [
        ["Why is the page slow?"],
        ["Another?"],
    ]
    assert {session.id for session in sessions} == {
        make_imported_session_id("claude_code", n) for n in (SESSION, "b")
    }


def test_a_sub_agents_file_belongs_to_its_session() -> None:
    """The file is left out with that reason, which is no fault of the file."""
    helper = [record | {"isSidechain": True, "agentId": "a1b2"} for record in HELLO]
    sessions, (problem,) = read_records(*helper, name="agent-a1b2.jsonl")
    assert not sessions
    assert (problem.wrong, problem.left_out) == (False, "sub-agent transcript")
    assert SESSION in problem.reason


def test_a_sub_agents_records_are_counted() -> None:
    """Files of older versions have these records between those of the session."""
    helper = [
        make_user_record("h1", None, "Find the callers.", isSidechain=True),
        make_answer_record("h2", "h1", "h9", "Three.", isSidechain=True),
    ]
    session = read_one(
        HELLO[0], helper[0], HELLO[1], helper[1], make_user_record("u2", "a1", "Thanks.")
    )
    assert list_texts(session, "user") == ["Why is the page slow?", "Thanks."]
    assert session.left_out == {"sub-agent record": 2}


def test_a_file_without_a_conversation_is_no_fault() -> None:
    """Programs leave such files behind when nobody asked anything."""
    sessions, (problem,) = read_records(*BOOKKEEPING)
    assert not sessions
    assert not problem.wrong


def test_a_stream_of_the_program_is_read_too() -> None:
    """Its records follow one another, and the last record has the cost."""

    def make_stream_record(record: Record) -> Record:
        return {"type": record["type"], "message": record["message"], "session_id": SESSION}

    head = {"type": "system", "subtype": "init", "session_id": SESSION, "tools": ["Bash"]}
    end = {"type": "result", "subtype": "success", "session_id": SESSION, "total_cost_usd": 0.25}
    session = read_one(head, *map(make_stream_record, HELLO), end)
    assert [text for _, text in list_flow(session)] == ["Why is the page slow?", "It reads all."]
    assert session.totals.cost_usd == 0.25
    assert session.id == make_imported_session_id("claude_code", SESSION)


def test_the_end_of_a_turn_of_a_stream_has_its_usage() -> None:
    """Answers of a stream have placeholders; pieces repeat the answers."""
    piece = {"type": "stream_event", "session_id": SESSION, "event": {"type": "message_start"}}
    usage = {"input_tokens": 5, "cache_read_input_tokens": 9, "output_tokens": 50}
    end = {"type": "result", "session_id": SESSION, "usage": usage, "total_cost_usd": 0.5}
    session = read_one(*HELLO, piece, end, end)
    assert (session.totals.tokens.input, session.totals.tokens.output) == (28, 100)
    assert session.left_out == {}


def test_a_log_of_another_program_is_no_transcript() -> None:
    """A kind and a session are names that other programs write as well."""
    typed = {"sessionId": SESSION, "messageId": 0, "type": "user", "message": "Why?"}
    with pytest.raises(UnknownFileError):
        read_records(typed, {"type": "hologram", "sessionId": SESSION})


def test_costs_and_times_of_older_versions_are_kept() -> None:
    """Older versions wrote them beside the message."""
    records = [HELLO[0], HELLO[1] | {"costUSD": 0.5, "durationMs": 1500}]
    totals = read_one(*records).totals
    assert (totals.cost_usd, totals.duration_s) == (0.5, 1.5)
