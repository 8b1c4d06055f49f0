"""Events of Copilot's agent: a test for each kind that changes the conversation or its facts."""

from itertools import count

import pytest

from tests.review.session_imports.transcripts import (
    SESSION,
    Record,
    list_flow,
    list_texts,
    read_one,
    read_records,
)

pytestmark = pytest.mark.unit

_names = count(1)


def make_event(kind: str, /, **data: object) -> Record:
    """Return an event."""
    return {"type": kind, "id": f"e{next(_names)}", "timestamp": "2026-04-01T10:00:00Z"} | {
        "data": data
    }


def make_start_event(**more: object) -> Record:
    """Return the first event of a session."""
    return make_event("session.start", sessionId=SESSION, **more)


def make_request_event(text: str, **more: object) -> Record:
    """Return a request."""
    return make_event("user.message", content=text, **more)


def make_answer_event(text: str, **more: object) -> Record:
    """Return an answer."""
    return make_event("assistant.message", content=text, **more)


def test_the_model_may_change() -> None:
    """A switch or a resumed session may change the model; an answer may name its own."""
    session = read_one(
        make_start_event(selectedModel="gpt-5"),
        make_request_event("Q"),
        make_answer_event("1"),
        make_event("session.model_change", newModel="claude-sonnet-4.5"),
        make_answer_event("2"),
        make_event("session.resume", selectedModel="gpt-6"),
        make_answer_event("3"),
        make_answer_event("4", model="gpt-4.1"),
    )
    models = [message.model for message in session.messages if message.role == "assistant"]
    assert models == ["gpt-5", "claude-sonnet-4.5", "gpt-6", "gpt-4.1"]


def test_the_end_of_a_process_has_the_usage() -> None:
    """Usage is per model and includes the cached input; a process may write it twice."""

    def make_end_event(begin: int, output: int) -> Record:
        usage = {"inputTokens": 100, "cacheReadTokens": 40, "outputTokens": output}
        metrics = {"gpt-5": {"usage": usage}}
        return make_event("session.shutdown", sessionStartTime=begin, modelMetrics=metrics)

    answer = make_answer_event("A", outputTokens=7)
    session = read_one(
        make_start_event(),
        make_request_event("Q"),
        answer,
        make_end_event(1, 7),
        make_end_event(1, 9),
        make_end_event(2, 5),
    )
    tokens = session.totals.tokens
    assert (tokens.input, tokens.cached_input, tokens.output) == (200, 80, 14)


def make_rewind_event(event: Record, **more: object) -> Record:
    """Return a rewind to an event."""
    return make_event("session.snapshot_rewind", upToEventId=event["id"], **more)


@pytest.mark.parametrize(
    ("count", "left"), [({}, []), ({"eventsRemoved": 2}, []), ({"eventsRemoved": 1}, ["Bad"])]
)
def test_a_rewind_takes_messages_back(count: Record, left: list[str]) -> None:
    """The named event goes as well, unless the number of removed events excludes it."""
    bad = make_request_event("Bad")
    records = [
        make_start_event(),
        make_request_event("Q"),
        make_answer_event("A"),
        bad,
        make_answer_event("B"),
        make_rewind_event(bad, **count),
        make_request_event("Good"),
    ]
    session = read_one(*records)
    assert list_texts(session, "user") == ["Q", *left, "Good"]
    assert session.left_out == {"message taken back": 2 - len(left)}


def test_a_rewind_may_follow_another() -> None:
    """Removed events do not count again, and a rewind to them has no effect."""
    first, second = make_request_event("First"), make_request_event("Second")
    session = read_one(
        make_start_event(),
        make_request_event("Q"),
        make_answer_event("A"),
        first,
        second,
        make_rewind_event(first, eventsRemoved=2),
        make_request_event("Third"),
        make_answer_event("C"),
        make_rewind_event(second),
    )
    assert [text for _, text in list_flow(session)] == ["Q", "A", "Third", "C"]
    assert session.left_out == {"message taken back": 2}


def test_sub_agents_are_counted() -> None:
    """Their messages and calls name the call that began them."""
    session = read_one(
        make_start_event(),
        make_request_event("Q"),
        make_answer_event("sub", parentToolCallId="t1"),
        make_event("tool.execution_start", toolCallId="x", toolName="v", parentToolCallId="t1"),
        make_event("tool.execution_complete", toolCallId="x", result="r", parentToolCallId="t1"),
        make_answer_event("A"),
    )
    assert list_flow(session) == [("user", "Q"), ("assistant", "A")]
    assert session.left_out == {"message of a helper": 1}


@pytest.mark.parametrize(
    ("facts", "role"),
    [
        ({}, "user"),
        ({"source": "user"}, "user"),
        ({"source": "skill-pdf"}, "program"),
        ({"source": "autopilot"}, "program"),
        ({"isAutopilotContinuation": True}, "program"),
    ],
)
def test_the_source_of_a_request_is_its_author(facts: Record, role: str) -> None:
    """A source that is no person is the program, under any name."""
    session = read_one(
        make_start_event(),
        make_request_event("Q"),
        make_request_event("Go on.", **facts),
        make_answer_event("A"),
    )
    assert list_flow(session)[1] == (role, "Go on.")


def test_commands_of_a_person_are_no_calls_of_the_model() -> None:
    """Commands, their output and notices belong to the program."""
    session = read_one(
        make_start_event(),
        make_request_event("Q"),
        make_answer_event("A"),
        make_event("tool.user_requested", toolCallId="u", toolName="bash", arguments={"c": "ls"}),
        make_event("tool.execution_start", toolCallId="u", toolName="bash"),
        make_event("tool.execution_complete", toolCallId="u", result={"content": "a.ts"}),
        make_event("system.notification", content="An agent is done."),
    )
    assert [role for role, _ in list_flow(session)] == ["user", "assistant", *["program"] * 3]
    assert list_texts(session, "program")[1:] == ["a.ts", "An agent is done."]


def test_a_result_may_name_no_call() -> None:
    """An id that is no text, as in a damaged file, counts as none: the open call is answered."""
    call: dict[str, object] = {"name": "bash", "arguments": {}, "toolCallId": "c"}
    session = read_one(
        make_start_event(),
        make_request_event("Q"),
        make_answer_event("", toolRequests=[call]),
        make_event("tool.execution_complete", toolCallId=["c"], result={"content": "a.ts"}),
    )
    assert session.messages[-1].role == "tool"
    assert session.messages[-1].tool_call_id == "c"


def test_pictures_are_named_where_they_were_attached() -> None:
    """The type of a file, or of the data, shows that it is a picture."""
    pictures = [{"type": "image", "displayName": "a.png"}, {"type": "blob", "mimeType": "image/x"}]
    session = read_one(
        make_start_event(), make_request_event("Q", attachments=pictures), make_answer_event("A")
    )
    assert list_texts(session, "user") == ["Q\n[image]\n[image]"]
    assert session.left_out == {"image": 2}


def test_a_stream_without_a_beginning_is_read() -> None:
    """Its end names the session."""
    end = {"type": "result", "sessionId": SESSION, "exitCode": 0}
    session = read_one(make_request_event("Q"), make_answer_event("A"), end)
    assert session.source.kind == "file"
    assert session.source.identity == SESSION


def test_the_text_of_a_request_may_stand_in_parts_alone() -> None:
    """Older versions of the chat wrote it so."""
    parts = [{"kind": "text", "text": "Why "}, {"kind": "text", "text": "so?"}]
    request = {"message": {"parts": parts}, "response": [{"value": "A"}]}
    session = read_one({"sessionId": SESSION, "responderUsername": "x", "requests": [request]})
    assert list_flow(session) == [("user", "Why so?"), ("assistant", "A")]


def test_a_session_in_which_nobody_spoke_is_no_fault() -> None:
    """The program was opened and closed."""
    sessions, (problem,) = read_records(make_start_event())
    assert not sessions
    assert not problem.wrong
