"""Events of Copilot's agent: a test for each kind that changes the conversation or its facts."""

from itertools import count

import pytest

from tests.review.session_imports.reading_formats import read_row
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
