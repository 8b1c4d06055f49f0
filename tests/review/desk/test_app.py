"""The desk over HTTP: its pages, and the labels that it writes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from records.sessions.session import EvalStatus
from review.desk.filters import format_query, parse_selection
from review.index.indexed_session import make_alias
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.desking import make_attempt_session, make_talk, read_form_fields
from tests.review.labelling import give_labels
from tests.site.test_links import list_complaints

pytestmark = pytest.mark.unit

ONE = "sessions/session-0100"


def test_every_page_is_there(client: httpx.Client) -> None:
    """Each page forbids storage in caches and use by other sites."""
    for path in ("", "evals", "export", "export?format=text&examples=no", ONE, "?q=query&page=1"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_a_label_is_written_as_an_event(client: httpx.Client, store: SessionStore) -> None:
    """The event has the desk and the digest of the transcript; notes and tags are saved as well."""
    fields = read_form_fields(client, ONE)
    answer = client.post(
        ONE,
        data={
            **fields,
            "evalStatus": "golden",
            "evalReady": "yes",
            "evalNotes": "clear\r\nand short",
            "more": "auth,  lists ,auth",
            "expectedOutput": "",
        },
    )
    assert answer.status_code == 303
    labeled = store.read("session-0100")
    assert labeled.session.eval_status is EvalStatus.GOLDEN
    assert labeled.session.eval_notes == "clear\nand short"
    assert labeled.session.eval_tags == ("auth", "lists")
    assert labeled.session.eval_ready
    assert {event.via for event in labeled.events} == {"desk"}
    assert {event.seen for event in labeled.events} == {fields["seen"]}
    assert len(labeled.events) == 4


def test_golden_and_eval_ready_are_given_by_one_field(
    client: httpx.Client, store: SessionStore
) -> None:
    """A blind form cannot give them, because it gives a status alone."""
    path = "sessions/session-0101"
    both = {"evalStatus": "golden_ready"}
    blind = f"blind/{make_alias('session-0101')}"
    refused = client.post(blind, data={**read_form_fields(client, blind), **both})
    assert refused.status_code == 400
    client.post(path, data={**read_form_fields(client, path), **both})
    session = store.read("session-0101").session
    assert (session.eval_status, session.eval_ready) == ("golden", True)


def test_the_verdict_of_the_grader_can_be_confirmed(
    client: httpx.Client, store: SessionStore
) -> None:
    """The same status from a person is a judgement; a second time it is none."""
    path = f"sessions/{make_attempt_session(2).id}"
    for _ in range(2):
        client.post(path, data={**read_form_fields(client, path), "evalStatus": "incorrect"})
    labeled = store.read(make_attempt_session(2).id)
    assert [event.field for event in labeled.events] == ["evalStatus"]
    assert labeled.session.reviewed_at is not None
    client.post(f"{path}/undo", data=read_form_fields(client, path))
    assert store.read(make_attempt_session(2).id).session.reviewed_at is None


def test_a_form_that_nobody_touched_changes_nothing(
    client: httpx.Client, store: SessionStore
) -> None:
    """Any texts of labels stay: browsers send their own line ends, and no NUL."""
    text = "\n a\r\nb\u200b\0\u2028 \U0001f680\n"
    give_labels(store, "session-0101", {"expectedOutput": text, "evalNotes": text})
    before = store.read("session-0101")
    sent = text.replace("\r\n", "\n").replace("\n", "\r\n").replace("\0", "\ufffd")
    answer = client.post(
        "sessions/session-0101",
        data={
            **read_form_fields(client, "sessions/session-0101"),
            "expectedOutput": sent,
            "evalNotes": sent,
        },
    )
    assert answer.status_code == 303
    assert store.read("session-0101").events == before.events


def test_two_who_change_the_same_are_shown_both_versions(
    client: httpx.Client, store: SessionStore
) -> None:
    """The answer is 412, and the later text stays in a form that can overwrite the other."""
    path = "sessions/session-0102"
    mine, theirs = read_form_fields(client, path), read_form_fields(client, path)
    assert client.post(path, data={**theirs, "evalNotes": "theirs"}).status_code == 303
    refused = client.post(path, data={**mine, "evalNotes": "mine & <b>", "evalStatus": "golden"})
    assert refused.status_code == 412
    page = LexborHTMLParser(refused.text)
    (row,) = (row for row in page.css("tbody tr") if "Notes" in row.text())
    assert [cell.text() for cell in row.css("td")] == ["theirs", "mine & <b>"]
    assert store.read("session-0102").session.eval_notes == "theirs"
    again = {
        str(field.attributes["name"]): field.attributes.get("value") or ""
        for field in page.css("main form input")
    }
    notes = page.css("textarea[name=evalNotes]")[0].text().removeprefix("\n")
    assert client.post(path, data={**again, "evalNotes": notes}).status_code == 303
    stored = store.read("session-0102").session
    assert (stored.eval_notes, stored.eval_status) == ("mine & <b>", EvalStatus.GOLDEN)


def test_if_match_states_the_version_too(client: httpx.Client, store: SessionStore) -> None:
    """The header is the ETag of the page, as in HTTP; without a version nothing is written."""
    path = "sessions/session-0103"
    tag = client.get(path).headers["etag"]
    token = {"token": read_form_fields(client, path)["token"]}
    assert client.post(path, data={**token, "evalStatus": "golden"}).status_code == 400
    wrong = client.post(path, data={**token, "evalStatus": "golden"}, headers={"If-Match": '"x"'})
    assert wrong.status_code == 412
    assert store.read("session-0103").events == []
    right = client.post(path, data={**token, "evalStatus": "golden"}, headers={"If-Match": tag})
    assert right.status_code == 303
    stale = client.post(f"{path}/undo", data=token, headers={"If-Match": tag})
    assert stale.status_code == 412


_SELECTIONS = st.builds(
    SessionSelection,
    statuses=st.frozensets(st.sampled_from(EvalStatus)),
    tags=st.frozensets(st.text(min_size=1, max_size=10), max_size=3),
    model=st.none() | st.text(min_size=1, max_size=10),
    source=st.none() | st.sampled_from(["attempt", "claude_code"]),
    since=st.none() | st.dates(),
    until=st.none() | st.dates(),
    ready=st.sampled_from([None, True, False]),
    text=st.none() | st.text(min_size=1, max_size=20),
)


@given(_SELECTIONS)
def test_a_filter_and_its_address_are_the_same(selection: SessionSelection) -> None:
    """The address of any selection gives that selection."""
    assert parse_selection(format_query(selection).removeprefix("?")) == selection


def test_many_are_changed_at_once(client: httpx.Client, store: SessionStore) -> None:
    """The sessions are those checked, or exactly those of the filter, on other pages as well."""
    token = {"token": read_form_fields(client, ONE)["token"]}
    chosen = {"filter": "", "which": "checked", "id": ["session-0104", "session-0105"]}
    answer = client.post("many", data={**token, **chosen, "evalReady": "yes", "add": "bulk, two"})
    assert "2 sessions changed" in LexborHTMLParser(answer.text).css("h1")[0].text()
    evals = LexborHTMLParser(client.get("evals?tag=bulk").text)
    assert len(evals.css("tbody tr")) == 2
    every = {"filter": "?tag=bulk", "which": "all", "remove": "two", "evalStatus": "correct"}
    wrong = client.post("many", data={**token, **every, "total": "3"})
    assert wrong.status_code == 412
    assert "selects 2 sessions" in wrong.text
    right = client.post("many", data={**token, **every, "total": "2"})
    assert right.status_code == 200
    for number in (104, 105):
        stored = store.read(f"session-0{number}").session
        assert (stored.eval_status, stored.eval_tags) == (EvalStatus.CORRECT, ("bulk",))
    for nothing in ({"evalReady": "yes"}, {"id": "session-0104"}):
        assert client.post("many", data={**token, "filter": "", **nothing}).status_code == 400


def test_an_attempt_without_a_session_shows_how_to_make_it(client: httpx.Client) -> None:
    """A button makes it, because this writes; a missing run is reported."""
    path = "attempts/7777777777777777/001-queries/001-list/1"
    page = LexborHTMLParser(client.get(path).text)
    assert page.css_first("main form[method=post] button") is not None
    answer = client.post(path, data={"token": read_form_fields(client, ONE)["token"]})
    assert answer.status_code == 404


def test_a_session_that_cannot_be_read_is_named(client: httpx.Client, store: SessionStore) -> None:
    """The list names it beside all others; its own page has the reason."""
    record = store.folder.get_session_file("session-0109")
    record.write_text(record.read_text().replace('"title"', '"tilte"'))
    store.write(make_talk(150))  # the folder changes, so that the index looks
    page = LexborHTMLParser(client.get("").text)
    assert "session-0109" in page.css(".problems")[0].text()
    assert client.get("sessions/session-0109").status_code == 409
    assert client.get("sessions/session-0108").status_code == 200


def test_an_index_that_another_process_makes_is_reported(
    client: httpx.Client, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of the error advises another try, once the desk has waited long enough."""
    monkeypatch.setattr("review.index.catching_up._PATIENCE_S", 0)
    assert client.get("").status_code == 200
    with closing(sqlite3.connect(store.folder.cache / "sessions.sqlite3")) as other:
        other.execute("BEGIN IMMEDIATE")
        store.write(make_talk(111))
        answer = client.get("")
    assert answer.status_code == 503
    assert "try again in a minute" in LexborHTMLParser(answer.text).css(".warning")[0].text()
    assert client.get("").status_code == 200


@pytest.mark.integration
def test_pages_are_valid_html(client: httpx.Client, tmp_path: Path) -> None:
    """The validator of the site's pages checks every kind, refused and hostile pages included."""
    paths = (
        "",
        "evals",
        "export?examples=no",
        ONE,
        "?sort=x",
        f"attempts/{'7' * 16}/001-a/001-b/1",
    )
    files: list[Path] = []
    for number, path in enumerate(paths):
        files.append(tmp_path / f"page-{number}.html")
        files[-1].write_text(client.get(path).text)
    assert "\n".join(list_complaints(files)) == ""
