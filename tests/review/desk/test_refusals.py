"""Refusals of the desk over HTTP: nothing of a refused request is written."""

import hashlib
import http.client
import threading
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from review.desk.guard import LARGEST_FORM, FormToken
from review.store import SessionStore
from tests.review.corpus import store_of
from tests.review.desking import make_every_kind, read_form_fields, serve_desk

pytestmark = pytest.mark.unit

ONE = "sessions/session-0100"


def _compute_tree_digest(store: SessionStore) -> str:
    """Return a digest of all files of sessions."""
    files = sorted(store.folder.local.sessions.folder.iterdir())
    parts = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return "\n".join(parts)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SessionStore:
    """The store of the desk, which no test here changes."""
    return store_of(tmp_path_factory.mktemp("desk") / "data", make_every_kind())


@pytest.fixture(scope="module")
def address(store: SessionStore) -> Generator[str]:
    """The address of the desk, for requests that no client sends."""
    with serve_desk(store) as address:
        yield address


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "elsewhere.example"}, 421),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/json"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
@pytest.mark.parametrize("path", [ONE, f"{ONE}/undo", "many", "blind/0123456789abcdef01234567"])
def test_forms_of_other_sites_are_refused(
    client: httpx.Client, store: SessionStore, path: str, headers: Mapping[str, str], status: int
) -> None:
    """The right token does not help, and nothing is written."""
    before = _compute_tree_digest(store)
    fields = {**read_form_fields(client, ONE), "evalStatus": "incorrect", "id": "session-0100"}
    answer = client.post(
        path,
        content=urlencode(fields),
        headers={"Content-Type": "application/x-www-form-urlencoded", **headers},
    )
    assert answer.status_code == status
    assert _compute_tree_digest(store) == before


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"token": None}, 403),
        ({"token": ""}, 403),
        ({"token": "0" * 40}, 403),
        ({"token": "\u00e9"}, 403),
        ({"version": None}, 400),
        ({"version": "0" * 64}, 412),
        ({"evalStatus": "great"}, 400),
        ({"evalStatus": ["golden", "correct"]}, 400),
        ({"use": "everything"}, 400),
        ({"then": "elsewhere"}, 400),
        ({"more": "x" * 61}, 400),
        ({"evalNotes": "x" * LARGEST_FORM}, 413),
        ({f"field{number}": "x" for number in range(6000)}, 400),
    ],
)
def test_wrong_forms_write_nothing(
    client: httpx.Client, store: SessionStore, change: Mapping[str, Any], status: int
) -> None:
    """The status is 4xx, and a wrong field is named."""
    before = _compute_tree_digest(store)
    sent = {**read_form_fields(client, ONE), "evalStatus": "incorrect", **change}
    answer = client.post(
        ONE, data={name: value for name, value in sent.items() if value is not None}
    )
    assert answer.status_code == status
    assert _compute_tree_digest(store) == before


def test_a_body_that_is_no_form_is_refused(client: httpx.Client) -> None:
    """The body has bytes that are no text, or percent signs that are no characters."""
    for content in (b"\xff\xfe=1", b"token=%ff%fe", b""):
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = client.post(ONE, content=content, headers=headers)
        assert answer.status_code in {400, 403}, content


@pytest.mark.integration
@pytest.mark.parametrize(
    "path",
    [
        "sessions/..%2F..%2Fmodels",
        "sessions/%2e%2e%2f%2e%2e%2fkeys",
        "sessions/session-0100%00",
        "sessions/session-0100%0A",
        "sessions/..\\session-0100",
        "sessions/" + "a" * 300,
        "sessions/nobody-of-this-name",
        "blind/session-0100",
        "assets/../pages.py",
        "assets/%2e%2e%2fpages.py",
        "assets/nothing.css",
        "attempts/4p2bzjf5m6urabcd/../../x/1",
        "nowhere",
    ],
)
def test_names_that_are_none_are_not_found(address: str, path: str) -> None:
    """The status is 404 for the raw address."""
    parts = urlsplit(address)
    raw = http.client.HTTPConnection(parts.netloc, timeout=60)
    raw.putrequest("GET", f"{parts.path}{path}", skip_host=True)
    raw.putheader("Host", parts.netloc)
    raw.endheaders()
    assert raw.getresponse().status == 404
    raw.close()


def test_other_methods_are_not_allowed(client: httpx.Client) -> None:
    """The status is 405 for a method that the path does not have."""
    assert client.put(ONE).status_code == 405
    assert client.get("many").status_code == 405


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("status=great", "status"),
        ("since=yesterday", "since"),
        ("since=2026-13-01", "since"),
        ("model=a&model=b", "model"),
        ("sort=title", "sort"),
        ("ready=maybe", "ready"),
        ("page=0", "page"),
        ("page=x", "page"),
        ("q=" + "x" * 201, "q"),
        ("source=%3Cscript%3E", "source"),
    ],
)
def test_a_wrong_parameter_is_named(client: httpx.Client, query: str, named: str) -> None:
    """The status is 400, without a silent default."""
    answer = client.get(f"?{query}")
    assert answer.status_code == 400
    assert LexborHTMLParser(answer.text).css("main .warning")[0].text().startswith(f"{named}: ")


@pytest.mark.parametrize("left", [None, b"", b"0" * 39, b"\xff" * 40])
def test_a_token_that_is_none_is_made_anew(tmp_path: Path, left: bytes | None) -> None:
    """An empty file would let a form without a token pass; a new token stays over restarts."""
    token_path = tmp_path / "local" / "desk.token"
    if left is not None:
        token_path.parent.mkdir()
        token_path.write_bytes(left)
    token = FormToken(token_path)
    assert not token.fits("")
    assert token.fits(FormToken(token_path).value)
    assert len(token.value) == 40
    assert [path.name for path in token_path.parent.iterdir()] == ["desk.token"]
    assert token_path.stat().st_mode & 0o777 == 0o600


def test_requests_that_come_together_get_the_same_token(tmp_path: Path) -> None:
    """A second token would make the pages that were already sent useless."""
    token_path = tmp_path / "desk.token"
    people = 8
    together = threading.Barrier(people)

    def ask(_: int) -> str:
        token = FormToken(token_path)
        together.wait()
        return token.value

    with ThreadPoolExecutor(people) as threads:
        for _ in range(40):
            token_path.unlink(missing_ok=True)
            assert len(set(threads.map(ask, range(people)))) == 1
