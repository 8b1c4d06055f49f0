"""Labels of single turns at the desk."""

from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from records.sessions.session import EvalStatus
from review.store import SessionStore
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desking import read_form_fields

pytestmark = pytest.mark.unit

TALK = make_session(
    400,
    make_message("user", "Q1"),
    make_message("assistant", "A1"),
    make_message("user", "never answered"),
    make_message("user", "Q3"),
    make_message("assistant", "A3"),
)
PLACE = f"sessions/{TALK.id}"


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store with a session of three turns."""
    return store_of(tmp_path / "data", [TALK])


def _read_page(client: httpx.Client) -> LexborHTMLParser:
    return LexborHTMLParser(client.get(PLACE).raise_for_status().text)


def test_any_answer_has_a_status_a_note_and_an_expected_output(
    client: httpx.Client, store: SessionStore
) -> None:
    """The session's label stays that of the last answer, and `u` takes a turn's label back."""
    forms = _read_page(client).css(".turn form")
    assert [form.attributes["action"] for form in forms] == [f"/review/{PLACE}/turns/1"]
    sent = {"evalStatus": "incorrect", "evalNotes": "no\r\nindex", "expectedOutput": "A1, better"}
    answer = client.post(f"{PLACE}/turns/1", data={**read_form_fields(client, PLACE), **sent})
    assert answer.headers["location"] == f"/review/{PLACE}?part=1#message-2"
    labeled = store.read(TALK.id)
    assert labeled.turns == {
        1: {"evalStatus": "incorrect", "evalNotes": "no\nindex", "expectedOutput": "A1, better"}
    }
    assert labeled.session.eval_status is EvalStatus.NEEDS_REVIEW
    page = _read_page(client)
    assert "open" in page.css(".turn")[0].attributes
    assert page.css(".turn .label")[0].text() == "incorrect"
    assert page.css(".turn textarea")[0].text().strip() == "no\nindex"
    client.post("undo", data=read_form_fields(client, PLACE))
    assert store.read(TALK.id).turns == {}


def test_a_form_of_a_turn_that_nobody_touched_writes_nothing(
    client: httpx.Client, store: SessionStore
) -> None:
    """The texts are those that are there."""
    empty = {"evalNotes": "", "expectedOutput": ""}
    before = read_form_fields(client, PLACE)
    assert client.post(f"{PLACE}/turns/1", data={**before, **empty}).status_code == 303
    assert store.read(TALK.id).events == []
