"""`GET /api/export` over real HTTP: with a key, without one, and asked in every wrong way."""

import json
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

import httpx
import pytest

from leaderboard.api.keys import SCOPES, KeyStore
from records.folder import DataFolder
from records.writer import write_audit
from review.errors import KeyNameError
from review.exports.formats import FORMATS
from review.store import SessionStore
from tests.leaderboard.api.serving import Server, bearer, served
from tests.review.corpus import NASTY
from tests.review.desking import attempt
from tests.review.test_desk_order import drawn

pytestmark = pytest.mark.integration

PATH: Final = "/api/export"
READY: Final = "session-0000"


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return the nasty sessions, of which one is marked as an example."""
    folder = DataFolder(tmp_path)
    store = SessionStore(folder)
    for session in NASTY:
        store.write(session)
    store.label(READY, {"evalReady": True}, via="cli")
    return folder


@pytest.fixture
def keys(data: DataFolder) -> KeyStore:
    """Return the keys."""
    return KeyStore(data.keys_file)


@pytest.fixture
def client(data: DataFolder, keys: KeyStore) -> Generator[httpx.Client]:
    """Serve the API on loopback; give a client of it that carries no key."""
    with served(Server(data, keys, "none", "none")) as found:
        del found.headers["Authorization"]
        yield found


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_served(client: httpx.Client, keys: KeyStore, name: str) -> None:
    """As a file with a name, of the examples only."""
    key = keys.create("laptop", SCOPES, None)
    answer = client.get(PATH, params={"format": name}, headers=bearer(key))
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert "session-0004" not in answer.text
    assert answer.text.strip()


def test_parameters_select(client: httpx.Client, keys: KeyStore) -> None:
    """Status, tag and limit; DeepEval is what one gets unasked."""
    headers = bearer(keys.create("laptop", SCOPES, None))
    whole = client.get(PATH, headers=headers)
    assert [row["source_file"] for row in json.loads(whole.text)] == [READY, READY]
    for params in ({"status": "incorrect"}, {"tag": "none"}):
        assert client.get(PATH, params=params, headers=headers).json() == []
    found = client.get(PATH, params={"tag": "auth", "limit": 1}, headers=headers)
    assert len(found.json()) == 2


def test_what_an_audit_waits_for_is_not_served(
    client: httpx.Client, keys: KeyStore, data: DataFolder
) -> None:
    """Until somebody has judged it blind: a filter by status would tell its verdict."""
    one, store = attempt(1), SessionStore(data)
    store.write(one)
    store.label(one.id, {"evalReady": True}, via="cli")
    headers = bearer(keys.create("laptop", SCOPES, None))

    def served() -> set[str]:
        answer = client.get(PATH, params={"format": "huggingface"}, headers=headers)
        return {json.loads(line)["id"] for line in answer.text.splitlines()}

    assert served() == {READY, one.id}
    write_audit(data, drawn(1))
    assert served() == {READY}
    store.label(one.id, {"evalStatus": "correct"}, via="cli", blind=True)
    assert served() == {READY, one.id}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("format=csv", "format"),
        ("status=great", "status"),
        ("limit=0", "limit"),
        ("limit=-1", "limit"),
        ("limit=1e3", "limit"),
        ("limit=9999999999", "limit"),
        ("status=golden&status=correct", "status"),
        ("sort=id", "sort"),
        ("format=", "format"),
    ],
)
def test_a_wrong_parameter_is_named(
    client: httpx.Client, keys: KeyStore, query: str, parameter: str
) -> None:
    """400, and no silent default."""
    answer = client.get(f"{PATH}?{query}", headers=bearer(keys.create("k", SCOPES, None)))
    assert (answer.status_code, answer.json()["parameter"]) == (400, parameter)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer osk_" + "0" * 40},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer osk_" + "é" * 40},
    ],
)
def test_without_a_key_nothing_is_told(
    client: httpx.Client, keys: KeyStore, headers: Mapping[str, str]
) -> None:
    """401 with what is wanted; wrong parameters are not even looked at."""
    keys.create("laptop", SCOPES, None)
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = client.get(f"{PATH}?format=csv", headers=raw)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_revoked_and_expired_keys_hold_no_more(client: httpx.Client, keys: KeyStore) -> None:
    """At the next request, without a restart."""
    key = keys.create("laptop", SCOPES, None)
    assert client.get(PATH, headers=bearer(key)).status_code == 200
    keys.revoke("laptop")
    assert client.get(PATH, headers=bearer(key)).status_code == 401
    with pytest.raises(KeyNameError, match="no such key holds"):
        keys.revoke("laptop")
    renewed = keys.create("laptop", SCOPES, 1)
    assert client.get(PATH, headers=bearer(renewed)).status_code == 200


def test_only_get_is_answered(client: httpx.Client, keys: KeyStore) -> None:
    """405 with what is allowed."""
    key = keys.create("laptop", SCOPES, None)
    answer = client.post(PATH, headers=bearer(key))
    assert answer.status_code == 405
    assert "GET" in answer.headers["allow"]


def test_a_key_is_kept_as_a_hash(keys: KeyStore, data: DataFolder) -> None:
    """In a file that nobody else reads; the key itself is in no file."""
    key = keys.create("laptop", SCOPES, None)
    assert key.startswith("osk_")
    text = data.keys_file.read_text("utf-8")
    assert key not in text
    assert key.removeprefix("osk_") not in text
    assert data.keys_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["laptop", "", "a b", "../x", "x" * 41])
def test_names_of_keys(keys: KeyStore, name: str) -> None:
    """One key of a name, and a name that is one."""
    keys.create("laptop", SCOPES, None)
    with pytest.raises(KeyNameError):
        keys.create(name, SCOPES, None)
