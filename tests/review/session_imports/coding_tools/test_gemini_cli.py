"""Sessions of Gemini CLI: texts that it adds to requests, or writes in their place."""

import pytest

from tests.review.session_imports.reading_formats import read_row
from tests.review.session_imports.transcripts import SESSION, Record, list_flow, list_texts

pytestmark = pytest.mark.unit

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
