"""Sessions of Copilot, OpenCode, Gemini CLI, Cursor and SpecStory: a test for each kind of part."""

import json
from itertools import count

import pytest

from records.sessions.session import FromFile, Session
from review.session_imports.common.drafts import make_imported_session_id
from tests.review.session_imports.reading_formats import make_source, read_row, read_source
from tests.review.session_imports.transcripts import SESSION, Record, list_flow, list_texts

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
    session = read_row(*records)
    assert list_texts(session, "user") == ["Q", *left, "Good"]
    assert session.left_out == {"message taken back": 2 - len(left)}


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
    session = read_row(
        make_start_event(),
        make_request_event("Q"),
        make_request_event("Go on.", **facts),
        make_answer_event("A"),
    )
    assert list_flow(session)[1] == (role, "Go on.")


def make_message_record(name: str, role: str, *parts: object, **info: object) -> Record:
    """Return a message; a text is a part."""
    listed = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    time = {"created": 1_790_000_000_000}
    return {"info": {"id": name, "role": role, "time": time, **info}, "parts": listed}


def make_export(*messages: Record, **info: object) -> Record:
    """Return an export."""
    head = {"id": "ses_1", "title": "Fixing", "directory": "/projects/shop", **info}
    return {"info": head, "messages": list(messages)}


def read(*messages: Record, **info: object) -> Session:
    """Return the session of an export of these messages."""
    return read_row(make_export(*messages, **info))


HELLO = (
    make_message_record("a", "user", "Why?"),
    make_message_record("b", "assistant", "No index."),
)


@pytest.mark.parametrize(("total", "output"), [(167, 7), (165, 5), (None, 5)])
def test_reasoning_beside_the_output_is_part_of_it(total: int | None, output: int) -> None:
    """The total shows whether the output includes it; versions without a total include it."""
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 50}}
    session = read(
        HELLO[0], make_message_record("b", "assistant", "Hi", tokens=tokens | {"total": total})
    )
    assert session.totals.tokens.output == output


def test_the_exports_session_is_its_identity() -> None:
    """The export may be an object, an array, or several lines."""
    for data in (make_export(*HELLO), [make_export(*HELLO)]):
        for indent in (None, 2):
            (session,), _ = read_source(make_source(json.dumps(data, indent=indent), "any.json"))
            assert session.id == make_imported_session_id("opencode", "ses_1")
            assert isinstance(session.source, FromFile)
            assert session.source.identity == "ses_1"


HEAD: Record = {"sessionId": SESSION, "projectHash": "abc", "startTime": "2026-04-01T10:00:00Z"}
ANSWER: Record = {"id": "a", "type": "gemini", "content": "A"}


def make_request_record(content: object, **more: object) -> Record:
    """Return a request."""
    return {"id": "q", "type": "user", "content": content, **more}


@pytest.mark.parametrize("as_parts", [False, True])
def test_files_that_the_program_added_are_its_own(*, as_parts: bool) -> None:
    """The request is the text before them, and the title."""
    lines = ["Explain @a.ts", "--- Content from referenced files ---", "Content from @a.ts:", "x"]
    content = [{"text": line} for line in lines] if as_parts else "\n".join(lines)
    session = read_row(HEAD, make_request_record(content), ANSWER)
    assert [role for role, _ in list_flow(session)] == ["user", "program", "assistant"]
    assert list_texts(session, "user") == ["Explain @a.ts"]
    assert session.title == "Explain @a.ts"


@pytest.mark.parametrize(
    "text",
    [
        "This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday.",
        "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the result:\n",
        "System: Please continue.",
    ],
)
def test_texts_in_the_place_of_a_request_are_the_programs(text: str) -> None:
    """The program's answer to the first text is its own as well."""
    acknowledged = {"id": "b", "type": "gemini", "content": "Got it. Thanks for the context!"}
    before = make_request_record(text, id="p")
    session = read_row(HEAD, before, acknowledged, make_request_record("Q"), ANSWER)
    assert [role for role, _ in list_flow(session)] == ["program", "program", "user", "assistant"]
    assert session.title == "Q"


@pytest.mark.parametrize(
    ("speaker", "model"),
    [
        ("Agent (model gpt-5, mode Agent)", "gpt-5"),
        ("Agent (claude-opus-4-6 2026-05-01 10:00:05Z)", "claude-opus-4-6"),
        ("Agent (2026-05-01 10:00:05Z)", None),
        ("Agent (2026-05-01T10:00:05Z)", None),
        ("Assistant", None),
    ],
)
def test_a_speakers_line_may_name_the_model(speaker: str, model: str | None) -> None:
    """SpecStory has two forms of this line."""
    text = f"<!-- Generated by SpecStory -->\n\n_**User**_\n\nQ\n\n---\n\n_**{speaker}**_\n\nA\n"
    (session,), problems = read_source(make_source(text, "a.md"))
    assert not problems
    assert (list_flow(session), session.model) == ([("user", "Q"), ("assistant", "A")], model)


@pytest.mark.parametrize("line", ["Agent - sidechain (haiku)", "Agent (haiku) (sidechain)"])
def test_sub_agents_are_counted(line: str) -> None:
    """Sub-agents give no answers, and their model is not the session's."""
    text = (
        "<!-- Generated by SpecStory -->\n\n_**User**_\n\nQ\n\n---\n\n"
        f"_**{line}**_\n\nsub\n\n---\n\n_**Agent (opus)**_\n\nA\n"
    )
    (session,), _ = read_source(make_source(text, "a.md"))
    assert (list_texts(session, "assistant"), session.model) == (["A"], "opus")
    assert session.left_out == {"sub-agent record": 1}
