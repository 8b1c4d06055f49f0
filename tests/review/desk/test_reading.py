"""Reading at the desk: search in transcripts, plain texts, and rows of a list."""

import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from review.desk.transcript import find_places
from review.store import SessionStore
from tests.review.corpus import CALL, make_message, make_session, store_of
from tests.review.desking import make_desk_client
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit


def test_a_text_is_found_in_all_parts_and_folds(client: httpx.Client, store: SessionStore) -> None:
    """Results of tools, shown with their call, and other pages are searched; folds open."""
    loud = [make_message("tool", f"line {number}", tool_call_id="none") for number in range(150)]
    store.write(
        make_session(
            400,
            make_message("user", "Where is the Needle?"),
            make_message("assistant", "I look.", tool_calls=(CALL,)),
            make_message("tool", "a needle, and a NEEDLE", tool_call_id=CALL.id),
            *loud,
            make_message("user", "and now?"),
            make_message("assistant", "The needle is gone."),
        )
    )
    text = client.get("sessions/session-0400?find=needle&part=1").text
    page = LexborHTMLParser(text)
    assert page.css(".found .note")[0].text().startswith("4 places hold")
    addresses = [str(link.attributes["href"]) for link in page.css(".found a")]
    assert [address.partition("#")[2] for address in addresses] == [
        "message-1",
        "message-2",
        "message-2",
        "message-155",
    ]
    assert "part=2" in addresses[-1]
    assert "open" in page.css("details.tool")[0].attributes
    last = LexborHTMLParser(client.get(addresses[-1].removeprefix("/review/")).text)
    assert last.css_first("#message-155") is not None
    nothing = LexborHTMLParser(client.get("sessions/session-0400?find=haystack").text)
    assert nothing.css(".found .note")[0].text().startswith("0 places hold")
    assert client.get("sessions/session-0400?find=" + "x" * 201).status_code == 400


@given(st.lists(st.text(alphabet="aAbßİ\n "), max_size=4), st.text(alphabet="aAbß", min_size=1))
def test_each_place_shows_the_text_that_was_looked_for(texts: list[str], wanted: str) -> None:
    """This holds for letters of any case folding."""
    matches = find_places(make_session(1, *(make_message("user", text) for text in texts)), wanted)
    assert all(match.text.casefold() == wanted.casefold() for match in matches)
    assert len(matches) == sum(text.casefold().count(wanted.casefold()) for text in texts)


def test_a_session_is_there_as_json_and_its_messages_as_text(
    client: httpx.Client, store: SessionStore
) -> None:
    """The record has the labels of exports; a text is never a page, with any content."""
    store.write(
        make_session(
            401, make_message("user", "<script>1</script>\nq"), make_message("assistant", "a")
        )
    )
    give_labels(store, "session-0401", {"evalStatus": "golden"})
    answer = client.get("sessions/session-0401/raw")
    assert answer.headers["content-type"].startswith("application/json")
    record = json.loads(answer.text)
    assert (record["id"], record["evalStatus"]) == ("session-0401", "golden")
    text = client.get("sessions/session-0401/messages/1")
    assert (text.text, text.headers["content-type"]) == (
        "<script>1</script>\nq",
        "text/plain; charset=utf-8",
    )
    for number in (0, 3):
        assert client.get(f"sessions/session-0401/messages/{number}").status_code == 404


def test_equal_titles_are_distinguished_in_the_list(tmp_path: Path) -> None:
    """Short ids and the beginnings of answers separate them."""
    sessions = [
        make_session(
            number, make_message("user", "Q1"), make_message("assistant", answer), title="Q1"
        )
        for number, answer in ((1, "By an  index."), (2, "By a\nscan."))
    ]
    with make_desk_client(store_of(tmp_path / "data", sessions)) as client:
        rows = LexborHTMLParser(client.get("").text).css("tbody th small")
        assert sorted(" ".join(row.text().split()) for row in rows) == [
            "session-0001 By an index.",
            "session-0002 By a scan.",
        ]


@pytest.mark.parametrize(
    ("order", "first"), [("title", "A"), ("newest", "C"), ("oldest", "B"), ("judged", "B")]
)
def test_lists_have_four_orders(tmp_path: Path, order: str, first: str) -> None:
    """Pages of sessions keep the order: the next session is that of the list."""
    days = {"A": "2026-01-02", "B": "2026-01-01", "C": "2026-01-03"}
    messages = (make_message("user", "q"), make_message("assistant", "a"))
    sessions = [
        make_session(number, *messages, title=title, created_at=f"{day}T00:00:00Z")
        for number, (title, day) in enumerate(days.items())
    ]
    store = store_of(tmp_path / "data", sessions)
    give_labels(store, "session-0001", {"evalStatus": "golden"})
    with make_desk_client(store) as client:
        links = LexborHTMLParser(client.get(f"?order={order}").text).css("[data-row]")
        assert links[0].text() == first
        page = LexborHTMLParser(
            client.get(str(links[0].attributes["href"]).removeprefix("/review/")).text
        )
        assert page.css(".near a[rel=next]")[0].attributes["href"] == links[1].attributes["href"]
        assert client.get("?order=size").status_code == 400


def test_checked_sessions_are_exported(client: httpx.Client) -> None:
    """Their ids are exported, eval-ready or not; no address has the token of the form."""
    token = LexborHTMLParser(client.get("").text).css(".many [name=token]")[0].attributes["value"]
    sent = {"token": token or "", "filter": "", "which": "checked", "to": "export"}
    answer = client.post("many", data={**sent, "id": ["session-0100", "session-0102"]})
    address = answer.headers["location"]
    assert address == "/review/export?ids=session-0100&ids=session-0102"
    page = LexborHTMLParser(client.get(address.removeprefix("/review/")).text)
    assert "of 2 sessions" in " ".join(page.css("h2")[0].text().split())
    every = client.post("many", data={**sent, "filter": "?tag=none", "which": "all"})
    assert every.headers["location"] == "/review/export?tag=none"
    assert client.post("many", data=sent).status_code == 400
