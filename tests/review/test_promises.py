"""The promises of the documentation that the desk follows, in the order of its sentences.

They are tried on the demonstration sessions, in the desk and over HTTP.
"""

import json
import re
import shutil
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.api.keys import KeyStore
from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus
from review.store import SessionStore
from tests.leaderboard.api.serving import Server, make_bearer_header, serve_api
from tests.programs.demo_sessions import DEMO_FOLDER, ROOT

pytestmark = pytest.mark.integration


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return the store of a copy of the demonstration."""
    shutil.copytree(DEMO_FOLDER / "sessions", tmp_path / "data" / "sessions")
    return SessionStore(DataFolder(tmp_path / "data"))


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
