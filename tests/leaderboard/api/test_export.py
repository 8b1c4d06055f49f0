"""`GET /api/export` over real HTTP: with a key, without a key, and with every wrong request."""

import json
from collections.abc import Generator, Mapping
from pathlib import Path

import httpx
import pytest

from leaderboard.api.keys import SCOPES, KeyStore
from records.files.data_folder import DataFolder
from records.writer import write_record
from review.datasets import make_version
from review.errors import ReviewError
from review.exports.formats import FORMATS
from review.store import SessionStore
from tests.leaderboard.api.serving import Server, make_bearer_header, serve_api
from tests.review.corpus import NASTY, store_of
from tests.review.desk.test_order import make_audit
from tests.review.desking import make_attempt_session
from tests.review.labelling import give_labels

pytestmark = pytest.mark.integration

PATH = "/api/export"
READY = "session-0000"


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return the nasty sessions, with a single session marked as an example."""
    store = store_of(tmp_path, NASTY)
    give_labels(store, READY, {"evalReady": True})
    return store.folder


@pytest.fixture
def keys(data: DataFolder) -> KeyStore:
    """Return the keys."""
    return KeyStore(data.keys_file)


@pytest.fixture
def client(data: DataFolder, keys: KeyStore) -> Generator[httpx.Client]:
    """Serve the API on loopback; yield a client of it without a key."""
    with serve_api(Server(data, keys, "none", "none")) as connection:
        del connection.headers["Authorization"]
        yield connection


@pytest.fixture
def reader(client: httpx.Client, keys: KeyStore) -> httpx.Client:
    """Return the client, with a key."""
    client.headers.update(make_bearer_header(keys.create("reader", SCOPES, None)))
    return client


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_served(reader: httpx.Client, name: str) -> None:
    """Each format is a file with a name, and has the examples only."""
    answer = reader.get(PATH, params={"format": name})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert "session-0004" not in answer.text
    assert answer.text.strip()


def test_parameters_select(reader: httpx.Client) -> None:
    """Status, tag, limit, turns and context select; DeepEval is the default format."""
    whole = reader.get(PATH)
    assert [row["source_file"] for row in json.loads(whole.text)] == [READY, READY]
    for params in ({"status": "incorrect"}, {"tag": "none"}):
        assert reader.get(PATH, params=params).json() == []
    answer = reader.get(PATH, params={"tag": "auth", "limit": 1})
    assert len(answer.json()) == 1
    last = reader.get(PATH, params={"turns": "last", "context": "none"})
    assert [(row["input"], row["context"]) for row in last.json()] == [("And the index?", [])]


@pytest.mark.parametrize("between", ["&ids=", ","])
def test_sessions_are_named_by_their_ids(
    reader: httpx.Client, data: DataFolder, between: str
) -> None:
    """The parameter for ids may be repeated, or have several ids."""
    store = SessionStore(data)
    for number in (4, 5):
        give_labels(store, f"session-{number:04}", {"evalReady": True})
    answer = reader.get(f"{PATH}?format=huggingface&ids=session-0000{between}session-0004")
    ids = [json.loads(line)["id"] for line in answer.text.splitlines()]
    assert ids == ["session-0000", "session-0004"]


def test_counts_come_with_the_file_and_before_it(reader: httpx.Client) -> None:
    """Counts are in headers, and in JSON with every reason."""
    counts = reader.get(f"{PATH}/counts?format=openai").json()
    assert (counts["sessions"], counts["rows"]) == (1, 1)
    answer = reader.get(f"{PATH}?format=openai")
    assert (answer.headers["export-sessions"], answer.headers["export-rows"]) == ("1", "1")
    assert answer.headers["export-unreadable"] == "0"
    assert answer.headers["export-lookalikes"] == str(counts["lookalikes"]) == "0"
    assert int(answer.headers["export-size"]) == counts["size"]
    assert abs(counts["size"] - len(answer.content)) < 500


def test_an_empty_file_shows_how_many_sessions_are_not_eval_ready(
    reader: httpx.Client, data: DataFolder
) -> None:
    """Golden sessions without the mark are counted by the query's other conditions."""
    store = SessionStore(data)
    for number in (4, 5):
        give_labels(store, f"session-{number:04}", {"evalStatus": "golden"})
    give_labels(store, "session-0005", {"evalTags": ["auth"]})
    give_labels(store, READY, {"evalReady": False})
    members = [store.read(f"session-{number:04}") for number in (0, 4, 5)]
    make_version(data, "mixed", members)
    for query, expected in (
        ("status=golden", 3),
        ("status=golden&tag=auth", 2),
        ("status=golden&version=mixed", 3),
        ("status=correct", 0),
    ):
        answer = reader.get(f"{PATH}?{query}")
        assert (answer.json(), answer.headers["export-not-ready"]) == ([], str(expected))
        counts = reader.get(f"{PATH}/counts?{query}").json()
        assert (counts["sessions"], counts["not_ready"]) == (0, expected)


@pytest.mark.parametrize("damaged", ["record", "log"])
def test_a_damaged_file_hides_no_other(
    reader: httpx.Client, data: DataFolder, damaged: str
) -> None:
    """A damaged file is counted in a header, and named by its id in the counts."""
    ids = {"record": data.get_session_file, "log": data.get_label_file}
    path = ids[damaged]("session-0006")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{broken\n")
    answer = reader.get(f"{PATH}?format=huggingface")
    assert answer.status_code == 200
    assert [json.loads(line)["id"] for line in answer.text.splitlines()] == [READY]
    assert answer.headers["export-unreadable"] == "1"
    counts = reader.get(f"{PATH}/counts?format=huggingface").json()
    assert counts["unreadable"] == ["session-0006"]


def test_a_lost_expected_output_is_refused_before_the_first_byte(
    reader: httpx.Client, data: DataFolder
) -> None:
    """The refusal is a 409 with the ids; the counts have the reasons."""
    store = SessionStore(data)
    give_labels(store, "session-0002", {"evalReady": True, "expectedOutput": "IDEAL"})
    answer = reader.get(PATH)
    assert answer.status_code == 409
    assert "session-0002" in answer.json()["error"]
    counts = reader.get(f"{PATH}/counts").json()
    assert counts["lost"] == {"session-0002": ["it holds no request of a user"]}
    assert reader.get(f"{PATH}?ids={READY}").status_code == 200
    assert reader.get(f"{PATH}?format=text").status_code == 200


def test_sessions_that_an_audit_waits_for_are_not_served(
    reader: httpx.Client, data: DataFolder
) -> None:
    """An attempt is served after the blind judgement: else filters would reveal its verdict."""
    session, store = make_attempt_session(1), SessionStore(data)
    store.write(session)
    give_labels(store, session.id, {"evalReady": True})

    def list_exported_ids() -> set[str]:
        answer = reader.get(PATH, params={"format": "huggingface"})
        return {json.loads(line)["id"] for line in answer.text.splitlines()}

    assert list_exported_ids() == {READY, session.id}
    write_record(data.audits, make_audit(1))
    assert list_exported_ids() == {READY}
    give_labels(store, session.id, {"evalStatus": "correct"}, blind=True)
    assert list_exported_ids() == {READY, session.id}


@pytest.mark.parametrize(
    ("query", "parameter", "status"),
    [
        ("format=csv", "format", 400),
        ("status=great", "status", 400),
        ("limit=0", "limit", 400),
        ("limit=-1", "limit", 400),
        ("limit=1e3", "limit", 400),
        ("limit=9999999999", "limit", 400),
        ("limit=%201", "limit", 400),
        ("limit=1%20", "limit", 400),
        ("limit=%D9%A1", "limit", 400),
        ("ids=../../etc", "ids", 400),
        ("context=some", "context", 400),
        ("status=golden&status=correct", "status", 400),
        ("sort=id", "sort", 400),
        ("format=", "format", 400),
        ("ids=session-0004", "ids", 404),
        ("ids=session-0000&ids=session-9999", "ids", 404),
        ("version=none", "version", 404),
    ],
)
def test_a_wrong_parameter_is_named(
    reader: httpx.Client, query: str, parameter: str, status: int
) -> None:
    """The answer is 400, or 404 for things that are not there: no default, no shorter file.

    The answer to a wrong format has the names of all formats.
    """
    answer = reader.get(f"{PATH}?{query}")
    assert (answer.status_code, answer.json()["parameter"]) == (status, parameter)
    assert parameter != "format" or all(name in answer.json()["error"] for name in FORMATS)


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
def test_without_a_key_nothing_is_reported(
    client: httpx.Client, keys: KeyStore, headers: Mapping[str, str]
) -> None:
    """The answer is a 401 with the expected scheme; wrong parameters are not read."""
    keys.create("laptop", SCOPES, None)
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = client.get(f"{PATH}?format=csv", headers=raw)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", ["laptop", "", "a b", "../x", "x" * 41])
def test_names_of_keys(keys: KeyStore, name: str) -> None:
    """Used names and invalid names are refused; the name of a revoked key is free again."""
    keys.create("laptop", SCOPES, None)
    reason = "is a key already" if name == "laptop" else "is no name of a key"
    with pytest.raises(ReviewError, match=reason):
        keys.create(name, SCOPES, None)
    keys.revoke("laptop")
    with pytest.raises(ReviewError, match="no valid key has this name"):
        keys.revoke("laptop")
    keys.create("laptop", SCOPES, None)
