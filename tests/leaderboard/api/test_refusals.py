"""Requests that a server must refuse: over real HTTP, and no file is written."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from leaderboard.api.request_checks import ApiLimits
from tests.leaderboard.api import serving

pytestmark = pytest.mark.integration

RUN = serving.make_run_with_answers()
ID = RUN.run.run_id
FIRST = RUN.run.attempts[0]
ATTEMPT = f"/api/runs/{ID}/attempts/{FIRST.eval}/1"


def test_keys_that_do_not_hold(made: serving.Server, client: httpx.Client) -> None:
    """Missing, wrong, revoked, expired and out-of-scope keys are refused by every operation."""
    revoked = made.keys.create("gone", ("runs:write", "runs:read", "sessions:read"), None)
    made.keys.revoke("gone")
    expired = made.keys.create("old", ("runs:write", "runs:read", "sessions:read"), 1)
    past = datetime.now(UTC) - timedelta(days=1)
    listed = json.loads(made.data.keys_file.read_text())
    for entry in listed:
        if entry["name"] == "old":
            entry["expires_at"] = past.isoformat()
    made.data.keys_file.write_text(json.dumps(listed))
    wrong = ["", "Bearer", "Bearer osk_", f"Bearer osk_{'0' * 40}", f"Basic {made.development}"]
    wrong += [f"Bearer {revoked}", f"Bearer {expired}", f"Bearer {made.development[:-1]}"]
    wrong += [f"Bearer {made.development}0", f"Bearer {made.development} {made.development}"]
    before = made.read_data_files()
    for header in wrong:
        for method, path, body in _list_requests():
            answer = client.request(method, path, json=body, headers={"Authorization": header})
            assert answer.status_code == 401, (header, path)
            assert answer.headers["www-authenticate"].startswith("Bearer")
    twice = [("Authorization", f"Bearer {made.development}")] * 2
    with httpx.Client(base_url=client.base_url) as other:
        assert other.get("/api/runs", headers=twice).status_code == 401
    narrow = made.keys.create("narrow", ("sessions:read",), None)
    for method, path, body in _list_requests():
        answer = client.request(method, path, json=body, headers=serving.make_bearer_header(narrow))
        assert answer.status_code == 403, path
        assert "narrow may sessions:read" in answer.json()["error"]
    assert made.read_data_files() == before


def _list_requests() -> Iterator[tuple[str, str, Any]]:
    yield "POST", "/api/runs", RUN.build_start()
    yield "PUT", ATTEMPT, RUN.build_body(FIRST)
    yield "POST", f"/api/runs/{ID}/finish", RUN.end
    yield "GET", "/api/runs", None
    yield "GET", f"/api/runs/{ID}", None
    yield "GET", f"/api/runs/{ID}/record", None
    yield "GET", "/api/scores", None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"finished_at": NaN}', b"[" * 100_000,
     b'{"finished_at": "2026-11-21T12:00:00Z", "finished_at": "2026-11-21T13:00:00Z"}',
     b'{"finished_at": "2026-11-21T12:00:00"}', b'{"finished_at": 1764000000}'],
)  # fmt: skip
def test_bodies_that_are_no_json_of_the_shape(
    made: serving.Server, client: httpx.Client, content: bytes
) -> None:
    """The answer is a 400, also for a repeated name, of which parsers would keep a single value."""
    client.post("/api/runs", json=RUN.build_start())
    before = made.read_data_files()
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"/api/runs/{ID}/finish", content=content, headers=headers)
    assert answer.status_code == 400
    named = "finished_at" if b"finished_at" in content else "body"
    assert answer.json()["parameter"] == named
    assert made.read_data_files() == before


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": "application/json; charset=latin-1"}, 415),
        ({"Content-Encoding": "gzip"}, 415),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "elsewhere.example"}, 421),
        ({"Host": "[::1"}, 421),
        ({"Host": ""}, 421),
    ],
)
def test_requests_that_come_from_elsewhere(
    made: serving.Server, client: httpx.Client, headers: dict[str, str], status: int
) -> None:
    """Wrong types, pages of other sites and other hosts are refused, with a reason in JSON."""
    before = made.read_data_files()
    sent = {"Content-Type": "application/json", **headers}
    answer = client.post("/api/runs", content=json.dumps(RUN.build_start()), headers=sent)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert made.read_data_files() == before


@pytest.mark.parametrize(
    "name",
    [
        *("..", ".", "%2e%2e", "..%2f..%2fkeys.json", "%00", "~root", "C:aaaaaaaaaaaaaaaaaaaa"),
        *("a" * 15, "A" * 32, "a" * 41, "a" * 31 + "/", "a" * 32 + "%0a", "a" * 32 + ";x"),
        *("%ff" * 16, "%ef%bd%81" * 16),
    ],
)
def test_path_tricks(made: serving.Server, client: httpx.Client, name: str) -> None:
    """Invalid names are not found; none reaches another file."""
    before = made.read_data_files()
    requests = [("GET", f"/api/runs/{name}{end}", None) for end in ("", "/record", "/finish")]
    requests += [
        ("PUT", f"/api/runs/{tail}", json.dumps(RUN.build_body(FIRST)))
        for tail in (
            f"{name}/attempts/{FIRST.eval}/1",
            f"{ID}/attempts/{name}/000-eval/1",
            f"{ID}/attempts/{FIRST.eval}/{name}",
        )
    ]
    requests.append(("PUT", f"/api/benchmarks/{name}", "{}" if name.startswith("a") else "[]"))
    headers = {**serving.make_bearer_header(made.development), "Content-Type": "application/json"}
    for method, path, body in requests:
        # httpx would tidy such paths up.
        raw = http.client.HTTPConnection(client.base_url.host, client.base_url.port or 0, 60)
        with closing(raw):
            raw.request(method, path, body, headers)
            assert raw.getresponse().status in {400, 404, 405}, path
    assert made.read_data_files() == before


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../b", "a//b", ".", "", "a\\b", "a\0b"])
def test_files_that_would_leave_their_folder(
    made: serving.Server, client: httpx.Client, path: str
) -> None:
    """An answer's files stay below the attempt's folder of the archive."""
    client.post("/api/runs", json=RUN.build_start())
    before = made.read_data_files()
    body = RUN.build_body(FIRST)
    body["artifact"]["files"] = {path: "x"}
    assert client.put(ATTEMPT, json=body).status_code == 400
    assert made.read_data_files() == before


def test_methods_that_are_not_answered(client: httpx.Client) -> None:
    """HEAD is answered as GET, without a body; other methods get the names of those that are."""
    found = client.head("/openapi.json")
    assert (found.status_code, found.content) == (200, b"")
    assert client.head(f"/api/runs/{ID}/finish").headers["allow"] == "POST"
    refused = client.delete("/api/runs")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST, GET")
    assert refused.json()["error"] == "DELETE is not answered here: POST, GET"


@pytest.mark.parametrize("place", ["999-no/000-eval/1", f"{FIRST.eval}/2", f"{FIRST.eval}/0"])
def test_attempts_that_were_not_planned(client: httpx.Client, place: str) -> None:
    """The answer is 404: the run has no such place."""
    client.post("/api/runs", json=RUN.build_start())
    answer = client.put(f"/api/runs/{ID}/attempts/{place}", json=RUN.build_body(FIRST))
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"outcome": "failed", "failed_step": None}, "failed_step"),
        ({"outcome": "infrastructure", "fault": None}, "fault"),
        ({"artifact": None}, "artifact"),
        ({"outcome": "not_run", "artifact": None}, "key"),
    ],
)
def test_the_field_that_contradicts_others_is_named(
    made: serving.Server, client: httpx.Client, change: dict[str, Any], field: str
) -> None:
    """A sender learns which field of an attempt to mend."""
    client.post("/api/runs", json=RUN.build_start())
    before = made.read_data_files()
    answer = client.put(ATTEMPT, json=RUN.build_body(FIRST) | change)
    assert answer.status_code == 400, answer.text
    assert answer.json()["parameter"] == field
    assert made.read_data_files() == before


def test_contradictions(made: serving.Server, client: httpx.Client) -> None:
    """An unknown version, a strange eval, another run of the id, impossible times are refused."""
    start = RUN.build_start()
    before = made.read_data_files()
    for change in (
        {"benchmark_version": "ffffffffffff"},
        {"planned": ["999-no/000-eval"]},
    ):
        assert client.post("/api/runs", json=start | change).status_code == 409
    assert made.read_data_files() == before
    client.post("/api/runs", json=start)
    before = made.read_data_files()
    assert client.post("/api/runs", json=start | {"samples": 2}).status_code == 409
    assert client.post("/api/runs", json=start | {"run_id": "a" * 31 + "b"}).status_code == 409
    early = RUN.build_body(FIRST) | {"graded_at": "2020-01-01T00:00:00Z"}
    assert client.put(ATTEMPT, json=early).status_code == 409
    serving.put(client, RUN, FIRST)
    end = {"finished_at": "2020-01-01T00:00:00Z"}
    assert client.post(f"/api/runs/{ID}/finish", json=end).status_code == 409
    assert not made.data.local.get_run_file(RUN.run.model.slug, ID).exists()
    assert len(made.read_data_files()) == len(before) + 1


def begin_request(made: serving.Server, client: httpx.Client) -> tuple[tuple[str, int], bytes]:
    """Return the server's address, and the head of a request with a body of 100 bytes."""
    head = (
        f"POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
        f"{made.development}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    )
    return (client.base_url.host, client.base_url.port or 0), head.encode()


def test_slow_and_cut_off_bodies(made: serving.Server) -> None:
    """The wait for a body has a limit; other requests are answered meanwhile."""
    limits = ApiLimits(body_s=1.0)
    with serving.serve_api(made, limits) as client:
        before = made.read_data_files()
        address, head = begin_request(made, client)
        with (
            socket.create_connection(address, 60) as slow,
            socket.create_connection(address) as cut,
        ):
            slow.sendall(head + b"{")
            cut.sendall(head + b"{")
            cut.close()
            assert client.get("/openapi.json").status_code == 200
            assert slow.recv(100).startswith(b"HTTP/1.1 408 ")
        assert made.read_data_files() == before


def test_rates(made: serving.Server) -> None:
    """Too many requests of a key, or of an address without a valid key, get a time to wait."""
    # A request is given back after a quarter of an hour: however slow the machine is, none is here.
    limits = ApiLimits(requests_per_s=0.001, burst=3, refused_per_s=0.001, refused_burst=2)
    with serving.serve_api(made, limits) as client:
        codes = [client.get("/api/runs").status_code for _ in range(5)]
        assert codes == [200, 200, 200, 429, 429]
        waiting = client.get("/api/runs")
        assert 0 < int(waiting.headers["retry-after"]) <= 1001
        wrong = serving.make_bearer_header("osk_" + "0" * 40)
        codes = [client.get("/api/runs", headers=wrong).status_code for _ in range(4)]
        assert codes == [401, 401, 429, 429]
        assert (
            client.get("/api/runs", headers=serving.make_bearer_header(made.production)).status_code
            == 200
        )


def test_the_last_use_of_a_key_is_noted(made: serving.Server, client: httpx.Client) -> None:
    """Only accepted keys have a last use, kept to the minute; a revoked key stays revoked."""
    client.get("/api/runs")
    used = {key.name: key.last_used_at for key in made.keys.read_keys()}
    assert used["runner"] is not None
    assert used["board"] is None
    made.keys.revoke("runner")
    assert client.get("/api/runs").status_code == 401
    assert made.data.keys_file.stat().st_mode & 0o777 == 0o600


def test_no_answer_and_no_file_holds_a_key(made: serving.Server, client: httpx.Client) -> None:
    """No answer has the key, not even the error about a wrong request."""
    serving.send_whole(client, RUN)
    for answer in (client.get(f"/api/runs/{ID}"), client.get("/api/runs", params={"x": "y"})):
        assert made.development not in answer.text
    for path in made.data.root.rglob("*"):
        if path.is_file():
            assert made.development.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("method", "path", "size", "status"),
    [
        ("POST", "/api/runs", 1024 * 1024 + 1, 413),
        ("POST", "/api/runs", 1024 * 1024, 400),
        ("POST", f"/api/runs/{ID}/finish", 256 * 1024 + 1, 413),
        ("PUT", ATTEMPT, 16 * 1024 * 1024 + 1, 413),
        ("PUT", ATTEMPT, 1024 * 1024 + 1, 400),
    ],
)
@pytest.mark.parametrize("announced", [True, False])
def test_each_operation_has_a_limit_of_its_own(  # noqa: PLR0913 - the request and its answer
    client: httpx.Client, method: str, path: str, size: int, status: int, *, announced: bool
) -> None:
    """A larger body is refused with the limit, also if the request does not announce its size."""
    body = b" " * size
    content = body if announced else iter([body[: size // 2], body[size // 2 :]])
    headers = {"Content-Type": "application/json"}
    answer = client.request(method, path, content=content, headers=headers)
    assert answer.status_code == status
    if status == 413:
        assert " bytes of this operation" in answer.json()["error"]


def test_bodies_wait_for_the_space_of_others(made: serving.Server) -> None:
    """A body that is under way takes the whole space; the next one waits, or gets a 503."""
    limits = serving.GENEROUS._replace(bodies=100, space_s=0.2)
    with serving.serve_api(made, limits) as client:
        address, head = begin_request(made, client)
        with socket.create_connection(address, 60) as slow:
            slow.sendall(head + b"{")
            busy = _post_until(client, 503)
            assert int(busy.headers["retry-after"]) >= 1
            assert client.get("/openapi.json").status_code == 200
            slow.sendall(b" " * 99)
            assert slow.recv(100).startswith(b"HTTP/1.1 400 ")
        assert _post_until(client, 400).status_code == 400


def _post_until(client: httpx.Client, status: int) -> httpx.Response:
    """Send an invalid start until the answer has this status, for a minute at most."""
    ends_at = time.monotonic() + 60
    while True:
        answer = client.post("/api/runs", json={"a": "b"})
        if answer.status_code == status or time.monotonic() > ends_at:
            return answer
