"""The promises of the documentation that the desk follows, in the order of its sentences.

They are tried on the demonstration sessions, in the desk and over HTTP.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Final, get_args

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.api.keys import KeyStore
from records.files.data_folder import DataFolder
from records.sessions.labels import LabelName
from records.sessions.session import EvalStatus, Session
from review.store import SessionStore
from tests.leaderboard.api.serving import SCOPES, Server, make_bearer_header, serve_api
from tests.programs.demo_sessions import DEMO_FOLDER, ROOT
from tests.review.corpus import make_message, make_session
from tests.review.desking import read_form_fields
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration

OPEN: Final = "b11c949e168eff4aa9d628cde5a5fb22"
"""A session that nobody labelled."""


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return the store of a copy of the demonstration."""
    shutil.copytree(DEMO_FOLDER / "sessions", tmp_path / "data" / "sessions")
    return SessionStore(DataFolder(tmp_path / "data"))


def label_open_session(client: httpx.Client, store: SessionStore, **fields: str) -> Session:
    """Save a form of the open session; return the session."""
    path = f"sessions/{OPEN}"
    answer = client.post(path, data={**read_form_fields(client, path), **fields})
    assert answer.status_code == 303
    return store.read(OPEN).session


def export_sessions(name: str, store: SessionStore, *sessions: Session) -> str:
    """Return the export of sessions after writing them into a store."""
    for record in sessions:
        store.write(record)
    command = ("export", "--format", name, "--source", "chat", "--all")
    done = run_command(*command, "--data", store.folder.root)
    assert done.returncode == 0, done.stderr
    return done.stdout


def list_linked_sessions(client: httpx.Client, path: str) -> set[str]:
    """Return the ids of the sessions that a list of the desk links."""
    return set(re.findall(r"sessions/([0-9a-f]{32})", client.get(path).raise_for_status().text))


def test_evals_holds_the_eval_ready_and_filters_by_status(
    client: httpx.Client, store: SessionStore
) -> None:
    """The view lists marked sessions, also by status, and is in the navigation."""
    ready = [item.session for item in store if item.session.eval_ready]
    assert list_linked_sessions(client, "evals") == {item.id for item in ready}
    golden = {item.id for item in ready if item.eval_status is EvalStatus.GOLDEN}
    assert list_linked_sessions(client, "evals?status=golden") == golden
    navigation = LexborHTMLParser(client.get("").text).css("nav a")
    assert any((item.attributes["href"] or "").endswith("/review/evals") for item in navigation)


def test_a_session_gets_status_notes_tags_and_a_mark(
    client: httpx.Client, store: SessionStore
) -> None:
    """One form saves them; a marked session is among the evals, with the time of its judgement."""
    before = store.read(OPEN).session
    assert (before.eval_status, before.reviewed_at) == (EvalStatus.NEEDS_REVIEW, None)
    after = label_open_session(
        client, store, evalStatus="golden", evalReady="yes", evalNotes="why", more="auth"
    )
    assert (after.eval_status, after.eval_ready) == (EvalStatus.GOLDEN, True)
    assert (after.eval_notes, after.eval_tags) == ("why", ("auth",))
    assert after.reviewed_at is not None
    assert OPEN in list_linked_sessions(client, "evals")


@pytest.mark.parametrize("status", EvalStatus)
def test_the_four_statuses_stand_there_with_their_meanings(
    client: httpx.Client, status: EvalStatus
) -> None:
    """They are beside the buttons of a session."""
    page = LexborHTMLParser(client.get(f"sessions/{OPEN}").text)
    (button,) = page.css(f'form#judge [name=evalStatus][value="{status.value}"]')
    assert button is not None
    meanings = {
        EvalStatus.GOLDEN: "ground truth",
        EvalStatus.CORRECT: "acceptable",
        EvalStatus.INCORRECT: "wrong or harmful",
        EvalStatus.NEEDS_REVIEW: "not judged",
    }
    text = page.body.text(separator=" ").casefold() if page.body else ""
    assert meanings[status] in text


def test_an_import_needs_review(tmp_path: Path) -> None:
    """The status stays until a judgement."""
    path = tmp_path / "chats.jsonl"
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    path.write_text(json.dumps({"messages": talk}))
    data = ("--data", tmp_path / "data")
    assert run_command("session", "import", path, *data).returncode == 0
    (row,) = json.loads(run_command("session", "list", "--json", *data).stdout)
    assert (row["evalStatus"], row["evalReady"]) == ("needs_review", False)


def test_labels_have_the_documented_names() -> None:
    """Records and logs have the same names."""
    names = {"evalReady", "evalStatus", "evalNotes", "evalTags", "expectedOutput"}
    assert set(get_args(LabelName)) == names
    assert names | {"reviewedAt"} <= make_session(1).model_dump(by_alias=True).keys()


def test_deepeval_has_an_object_for_each_exchange(store: SessionStore) -> None:
    """Each has all messages before it; a trailing request does not lose the expected output."""
    messages = [
        message
        for number in range(1, 6)
        for message in (make_message("user", f"Q{number}"), make_message("assistant", f"A{number}"))
    ]
    judged = make_session(
        1,
        *messages,
        make_message("user", "/exit"),
        eval_status=EvalStatus.GOLDEN,
        eval_ready=True,
        expected_output="IDEAL",
    )
    rows = json.loads(export_sessions("deepeval", store, judged))
    assert [row["input"] for row in rows] == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    fields = {"input", "actual_output", "expected_output", "context", "retrieval_context"}
    assert all(fields <= row.keys() for row in rows)
    assert [row["expected_output"] for row in rows] == ["A1", "A2", "A3", "A4", "IDEAL"]
    before = json.dumps(rows[-1]["context"])
    assert all(text in before for text in ("Q1", "A1", "Q4", "A4"))
    assert rows[0]["context"] == []


def test_openai_lines_and_text_have_the_documented_shape(store: SessionStore) -> None:
    """System, user and assistant keep their order; the text has a heading, messages, and a rule."""
    judged = make_session(
        1,
        make_message("system", "You help."),
        make_message("user", "Q"),
        make_message("assistant", "A"),
        eval_status=EvalStatus.GOLDEN,
        title="A title",
    )
    line = json.loads(export_sessions("openai", store, judged))
    assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant"]
    text = export_sessions("text", store)
    positions = [
        text.index(part)
        for part in ("## Session: A title", "**User:** Q", "**Assistant:** A", "---")
    ]
    assert positions == sorted(positions)


def test_a_key_exports_by_format_and_status(store: SessionStore) -> None:
    """The request is that of the documentation's curl; another key is refused."""
    keys = KeyStore(store.folder.keys_file)
    key = keys.create("laptop", SCOPES, None)
    assert key.startswith("osk_")
    ready = [item.session for item in store if item.session.eval_ready]
    golden = {item.id for item in ready if item.eval_status is EvalStatus.GOLDEN}
    with serve_api(Server(store.folder, keys, "none", "none")) as client:
        parameters = {"format": "deepeval", "status": "golden"}
        answer = client.get("/api/export", params=parameters, headers=make_bearer_header(key))
        assert {row["source_file"] for row in answer.json()} == golden
        tagged = client.get(
            "/api/export", params={**parameters, "tag": "queries"}, headers=make_bearer_header(key)
        )
        queries = {item.id for item in ready if "queries" in item.eval_tags} & golden
        assert {row["source_file"] for row in tagged.json()} == queries
        limited = client.get(
            "/api/export", params={**parameters, "limit": "1"}, headers=make_bearer_header(key)
        )
        assert len(limited.json()) <= 2
        assert (
            client.get("/api/export", headers={"Authorization": "Bearer osk_x"}).status_code == 401
        )


def test_the_documented_request_labels_a_session_that_waits(store: SessionStore) -> None:
    """The body and the address are those of the curl command of docs/hosting.md."""
    text = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    request = re.search(r"-d '([^']+)' \\\n +http://[^/]+(/api/sessions/(\w+)/labels)", text)
    assert request is not None
    body, path, session_id = request.groups()
    assert store.read(session_id).session.eval_status is EvalStatus.NEEDS_REVIEW
    keys = KeyStore(store.folder.keys_file)
    key = keys.create("team", ("sessions:write",), None)
    with serve_api(Server(store.folder, keys, "none", "none")) as client:
        answer = client.post(path, json=json.loads(body), headers=make_bearer_header(key))
    assert answer.status_code == 200, answer.text
    (event, *_) = store.read(session_id).events
    assert (event.via, event.reviewer) == ("api", "p1")
    assert store.read(session_id).session.eval_status == json.loads(body)["evalStatus"]
