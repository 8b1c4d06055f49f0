"""The next session, and the facts that an audit hides at the desk and in the terminal."""

import json
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from click import Command
from click.testing import CliRunner, Result
from selectolax.lexbor import LexborHTMLParser

from generator.scores.intervals import compute_session_interval
from leaderboard.commands.datasets import export_command
from leaderboard.commands.sessions import list_command
from records.files.data_folder import DataFolder
from records.sessions.audit import Audit
from records.writer import write_record
from review.desk.desk import Desk
from review.desk.queue import find_next, select_queue
from review.index.indexed_session import make_alias
from review.selection import SessionSelection
from review.store import SessionStore
from tests.records.sessions import audits
from tests.review.corpus import store_of
from tests.review.desking import make_attempt_session, make_desk_client, make_talk, read_form_fields
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("queued", "current", "following"),
    [
        *(("abc", None, "a"), ("abc", "a", "b"), ("abc", "b", "c"), ("abc", "c", "a")),
        *(("abc", "gone", "a"), ("a", "a", None), ("", None, None)),
    ],
)
def test_next_goes_round(queued: str, current: str | None, following: str | None) -> None:
    """After the last session comes the first session that was left out, if another is left."""
    assert find_next([*queued], current) == following


def make_audit(*numbers: int) -> Audit:
    """Return an audit that drew these failed attempts."""
    return audits.make_audit(
        *(
            audits.make_audit_item(number, session=make_attempt_session(number).id)
            for number in numbers
        )
    )


def test_attempts_of_an_audit_are_judged_first_and_blind(tmp_path: Path) -> None:
    """Their order is the audit's; until then no list has them, and their page hides the verdict."""
    store = store_of(
        tmp_path / "data",
        [make_talk(100), make_attempt_session(1), make_attempt_session(2), make_attempt_session(3)],
    )
    write_record(store.folder.audits, make_audit(3, 1))
    first, second = make_attempt_session(3), make_attempt_session(1)
    with make_desk_client(store) as client:
        following = client.get("next").headers["location"]
        assert following == f"/review/blind/{make_alias(first.id)}"
        direct = client.get(f"sessions/{first.id}")
        assert direct.headers["location"] == following
        assert first.title not in client.get("").text
        token = read_form_fields(client, "sessions/session-0100")["token"]
        many = {"token": token, "filter": "", "id": first.id, "evalStatus": "golden"}
        assert "to be judged blind" in client.post("many", data=many).text
        path = following.removeprefix("/review/")
        saved = client.post(
            path, data={**read_form_fields(client, path), "evalStatus": "incorrect"}
        )
        after = client.get(saved.headers["location"].removeprefix("/review/"))
        assert after.headers["location"] == f"/review/blind/{make_alias(second.id)}"
        assert "incorrect" in _find_row(client, first.title)
    (event,) = store.read(first.id).events
    assert (event.blind, event.via, event.after) == (True, "desk", "incorrect")
    new_desk = Desk(SessionStore(DataFolder(store.folder.root)), tmp_path, compute_session_interval)
    assert select_queue(new_desk, new_desk.labels.group_ids(), SessionSelection())[0] == second.id


@pytest.mark.parametrize(
    "filtered",
    [
        "status=incorrect",
        f"model={quote('maker/secret-model', safe='')}",
        "since=2026-01-01&until=2030-01-01",
        "q=003-list",
        "tag=of-others",
    ],
)
def test_no_filter_shows_sessions_to_be_judged_blind(client: httpx.Client, filtered: str) -> None:
    """A match would reveal facts: lists, counts, next session and neighbours omit the attempt."""
    for path in ("", "evals"):
        page = LexborHTMLParser(client.get(f"{path}?{filtered}").text)
        assert [row.text() for row in page.css("tbody tr") if "003-list" in row.text()] == []
    counts = LexborHTMLParser(client.get("?q=003-list").text).css(".counts b")
    assert [element.text() for element in counts] == ["0"] * 4
    following = client.get(f"next?{filtered}&after={make_alias('session-0100')}")
    assert make_alias(make_attempt_session(3).id) not in following.headers.get("location", "")
    beside = client.get(f"sessions/{make_attempt_session(1).id}?{filtered}").text
    assert make_alias(make_attempt_session(3).id) not in beside
    assert make_attempt_session(3).id not in beside


@pytest.mark.parametrize("filtered", ["", "&status=incorrect", "&q=003-list"])
def test_no_export_holds_sessions_to_be_judged_blind(client: httpx.Client, filtered: str) -> None:
    """Rows have the verdict, and the dialog's counts would reveal a match with a filter."""
    for examples in ("yes", "no"):
        query = f"format=huggingface&examples={examples}{filtered}"
        page = LexborHTMLParser(client.get(f"export?{query}").text)
        rows = client.get(f"export/file?{query}").text.splitlines()
        assert page.css("main h2")[0].text().split()[0] == str(len(rows))
        assert [row for row in rows if "003-list" in row] == []
        notes = [note.text() for note in page.css(".note")]
        assert [note for note in notes if note.startswith("1 session drawn for an audit is in no")]
        assert "003-list" not in "".join(row.text() for row in page.css("pre.row"))


@pytest.mark.parametrize("filtered", [(), ("--status", "incorrect", "--search", "003-list")])
def test_no_command_lists_sessions_to_be_judged_blind(
    store: SessionStore, filtered: tuple[str, ...]
) -> None:
    """Neither the list nor an export has them; their number is given with any filter."""

    def run(command: Command, *arguments: str) -> Result:
        words = [*arguments, *filtered, "--data", str(store.folder.root)]
        return CliRunner().invoke(command, words, catch_exceptions=False)

    done = run(list_command)
    assert "003-list" not in done.stdout
    assert "without 1 session that must be judged blind for an audit" in done.stderr
    rows = json.loads(run(list_command, "--json").stdout)
    assert make_attempt_session(3).id not in [row["id"] for row in rows]
    out = run(export_command, "--all", "--format", "huggingface")
    assert "003-list" not in out.stdout
    assert "without 1 session" in out.stderr


def test_the_address_of_a_blind_page_shows_no_filter(client: httpx.Client) -> None:
    """An address with a filter leads to the address without it, as does every later form."""
    record = make_attempt_session(3)
    plain = f"/review/blind/{make_alias(record.id)}"
    for path in (
        f"sessions/{record.id}?status=incorrect",
        f"blind/{make_alias(record.id)}?model=m",
    ):
        assert client.get(path).headers["location"] == plain
    page = LexborHTMLParser(client.get(plain.removeprefix("/review/")).text)
    addresses = [str(a.attributes["href"]) for a in page.css(".near a, nav.parts a")]
    assert [a for a in addresses if "status" in a or "model" in a] == []
    assert page.css(".near a[rel]") == []
    assert [form.attributes["action"] for form in page.css("form#judge")] == [plain]


def test_all_of_a_filter_are_those_that_its_list_shows(
    client: httpx.Client, store: SessionStore
) -> None:
    """Attempts that wait for an audit are not counted or changed; a checked attempt is reported."""
    token = read_form_fields(client, "sessions/session-0100")["token"]
    many = {"token": token, "filter": "?status=incorrect", "which": "all", "add": "bulk"}
    assert client.post("many", data={**many, "total": "3"}).status_code == 412
    client.post("many", data={**many, "total": "2"}).raise_for_status()
    checked = {**many, "which": "checked", "id": make_attempt_session(3).id}
    assert "to be judged blind" in client.post("many", data=checked).text
    tagged = {labeled.session.id: labeled.session.eval_tags for labeled in store}
    assert tagged[make_attempt_session(3).id] == ("of-others",)
    assert tagged[make_attempt_session(2).id] == ("bulk",)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store with an attempt that an audit drew and another person tagged and marked."""
    sessions = [
        make_talk(100),
        make_attempt_session(1),
        make_attempt_session(2),
        make_attempt_session(3),
    ]
    store = store_of(tmp_path / "data", sessions)
    give_labels(
        store,
        make_attempt_session(3).id,
        {"evalTags": ["of-others"], "evalReady": True},
        via="cli",
        reviewer="p9",
    )
    write_record(store.folder.audits, make_audit(3))
    return store


def _find_row(client: httpx.Client, title: str) -> str:
    rows = LexborHTMLParser(client.get("").text).css("tbody tr")
    return next(row.text() for row in rows if title in row.text())


def test_the_last_session_that_was_put_off_is_named_as_left(tmp_path: Path) -> None:
    """Only a status ends the work on it; the page leads back to it."""
    store = store_of(tmp_path / "one", [make_talk(100)])
    client = make_desk_client(store)
    left = client.get(f"/next?done={make_alias('session-0100')}").text
    assert "One session is left" in left
    assert "Every session was judged" not in left
