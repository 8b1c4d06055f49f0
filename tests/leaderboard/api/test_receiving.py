"""Runs that come in over real HTTP, and everything that must not."""

import http.client
import json
import shutil
import socket
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from leaderboard.api.gate import ApiLimits
from leaderboard.api.receiving import Receiver
from leaderboard.api.wire import Channel, received, sent_attempt
from records.artifacts import Archive
from records.checks import check_all
from records.reader import read_run
from records.run import Fault, FaultClass, Outcome, Withdrawal
from records.writer import run_bytes, write_run
from runner.runs.publish import withdraw
from tests.leaderboard.api.serving import (
    Server,
    bearer,
    made_run,
    put,
    send_whole,
    served,
    server,
)
from tests.records import examples

RUN = made_run()
ID = RUN.run.run_id
FIRST = RUN.run.attempts[0]
ATTEMPT = f"/api/runs/{ID}/attempts/{FIRST.eval}/1"


@pytest.fixture
def made(tmp_path: Path) -> Server:
    """Return a data folder that knows a version, and keys."""
    return server(tmp_path)


@pytest.fixture
def client(made: Server) -> Generator[httpx.Client]:
    """Serve it; give a client that carries the development key."""
    with served(made) as found:
        yield found


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_is_sent_is_what_was_recorded(outcome: Outcome) -> None:
    """An attempt of each outcome comes through unchanged, what it wrote included."""
    whole = made_run(unfinished=True) if outcome is Outcome.NOT_RUN else made_run()
    attempt = whole.run.attempts[-1] if outcome is Outcome.NOT_RUN else whole.run.attempts[0]
    if outcome is Outcome.FAILED:
        attempt = whole.run.attempts[2]
    if outcome is Outcome.INFRASTRUCTURE:
        fault = Fault(kind=FaultClass.OUTAGE, evidence="it was dark")
        attempt = attempt.model_copy(update={"outcome": outcome, "fault": fault})
    assert attempt.outcome is outcome
    kept = whole.kept.get(attempt.eval)
    assert received(sent_attempt(attempt, kept), attempt.eval, 1) == (attempt, kept)


@pytest.mark.parametrize("channel", ["development", "production"])
@pytest.mark.parametrize("unfinished", [False, True])
def test_a_run_that_is_sent_becomes_the_same_record(
    made: Server, client: httpx.Client, channel: Channel, *, unfinished: bool
) -> None:
    """Byte for byte, with its archive, in the tree of its channel; `check` finds nothing wrong."""
    run = made_run(unfinished=unfinished)
    key = made.production if channel == "production" else made.development
    client.headers.update(bearer(key))
    send_whole(client, run, channel)
    folder = made.data if channel == "production" else made.data.local
    path = folder.run_file(run.run.model.slug, run.run.run_id)
    assert path.read_bytes() == run_bytes(run.run)
    with Archive(folder.artifact_file(run.run.model.slug, run.run.run_id)) as archive:
        assert {name: archive.read(name, 1) for name, _ in archive.places()} == run.kept
    assert check_all(made.data) == []
    assert client.get(f"/api/runs/{ID}/record").content == run_bytes(run.run)
    assert not list(made.data.inbox.iterdir())


def test_sending_again_changes_nothing(made: Server, client: httpx.Client) -> None:
    """A runner that did not hear the answer may ask the same again, also after the end."""
    assert client.post("/api/runs", json=RUN.start()).status_code == 201
    first = put(client, RUN, FIRST)
    before = made.written()
    again = put(client, RUN, FIRST)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert client.post("/api/runs", json=RUN.start()).status_code == 200
    assert made.written() == before
    for attempt in RUN.run.attempts[1:]:
        put(client, RUN, attempt)
    for _ in range(2):
        answer = client.post(f"/api/runs/{ID}/finish", json=RUN.end)
        assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert put(client, RUN, FIRST).status_code == 200
    assert check_all(made.data) == []


def test_the_state_says_what_is_missing(client: httpx.Client) -> None:
    """By which a runner knows what to send after it was away."""
    client.post("/api/runs", json=RUN.start())
    receipt = put(client, RUN, FIRST).json()
    state = client.get(f"/api/runs/{ID}").json()
    assert state["attempts"] == [{"eval": FIRST.eval, "sample": 1, **receipt}]
    assert (state["status"], state["planned"], state["received"]) == ("receiving", 3, 1)
    assert state["sent_by"] == "runner"


def test_a_run_goes_on_after_its_end(made: Server, client: httpx.Client) -> None:
    """An attempt without a verdict gets one; those that have one keep it."""
    half = made_run(unfinished=True)
    send_whole(client, half)
    assert client.get(f"/api/runs/{ID}").json()["status"] == "aborted"
    last = RUN.run.attempts[-1]
    assert put(client, RUN, last).status_code == 409
    assert client.post("/api/runs", json=RUN.start()).status_code == 200
    assert put(client, RUN, last).status_code == 201
    changed = FIRST.model_copy(update={"failed_tries_usd": 9.0})
    assert put(client, RUN, changed).status_code == 409
    assert client.post(f"/api/runs/{ID}/finish", json=RUN.end).json()["status"] == "completed"
    record = read_run(made.data.local.run_file(RUN.run.model.slug, ID))
    assert record == RUN.run
    assert check_all(made.data) == []


def test_a_run_that_is_withdrawn_while_it_goes_on_stays_withdrawn(
    made: Server, client: httpx.Client
) -> None:
    """Its end changes what was received, and not what a maintainer said; after that it is over."""
    send_whole(client, made_run(unfinished=True))
    assert client.post("/api/runs", json=RUN.start()).status_code == 200
    folder = made.data.local
    path = folder.run_file(RUN.run.model.slug, ID)
    withdraw(folder, read_run(path), "somebody", "sent with another model's key")
    assert put(client, RUN, RUN.run.attempts[-1]).status_code == 201
    assert client.post(f"/api/runs/{ID}/finish", json=RUN.end).json()["status"] == "completed"
    record = read_run(path)
    assert record.withdrawn == Withdrawal(by="somebody", reason="sent with another model's key")
    assert record.attempts == RUN.run.attempts
    assert check_all(made.data) == []
    again = client.post("/api/runs", json=RUN.start())
    assert (again.status_code, "withdrawn" in again.json()["error"]) == (409, True)


def test_a_run_that_is_over_is_not_received_again(made: Server, client: httpx.Client) -> None:
    """Begun again it is still completed, also where an attempt was regraded here since."""
    send_whole(client, RUN)
    folder = made.data.local
    path = folder.run_file(RUN.run.model.slug, ID)
    run = read_run(path)
    first = run.attempts[0].model_copy(update={"reason": "graded again"})
    write_run(folder, run.model_copy(update={"attempts": (first, *run.attempts[1:])}))
    before = made.written()
    begun = client.post("/api/runs", json=RUN.start())
    assert (begun.status_code, begun.json()["status"]) == (200, "completed")
    refused = put(client, RUN, FIRST)
    assert (refused.status_code, refused.json()["error"]) == (
        409,
        "the attempt has another verdict here",
    )
    assert client.get(f"/api/runs/{ID}").json()["status"] == "completed"
    assert made.written() == before
    assert list(made.data.inbox.iterdir()) == []


def test_an_end_that_was_cut_off_is_done_again(
    made: Server, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Killed between record and removal the inbox is still there: the same end makes the same."""
    client.post("/api/runs", json=RUN.start())
    for attempt in RUN.run.attempts:
        put(client, RUN, attempt)
    inbox = made.data.inbox / ID
    aside = tmp_path_factory.mktemp("aside") / ID
    shutil.copytree(inbox, aside)
    client.post(f"/api/runs/{ID}/finish", json=RUN.end)
    whole = made.written()
    shutil.copytree(aside, inbox)
    (made.data.inbox / f".{'b' * 32}.done").mkdir()  # what a kill while removing leaves
    assert client.get(f"/api/runs/{ID}").json()["status"] == "receiving"
    answer = client.post(f"/api/runs/{ID}/finish", json=RUN.end)
    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert made.written() == whole
    Receiver(made.data)
    assert list(made.data.inbox.iterdir()) == []
    assert check_all(made.data) == []


def test_lists_and_scores(made: Server, client: httpx.Client) -> None:
    """Runs page by page; scores are those of the leaderboard."""
    ids = [letter * 32 for letter in "abc"]
    for run_id in ids:
        send_whole(client, made_run(run_id))
    client.post("/api/runs", json=made_run("d" * 32).start())
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 3}
    while True:
        page = client.get("/api/runs", params=query).json()
        seen += [row["run_id"] for row in page["runs"]]
        if page["after"] is None:
            break
        query["after"] = page["after"]
    assert sorted(seen) == [*ids, "d" * 32]
    assert client.get("/api/runs", params={"model": "other/model"}).json()["runs"] == []
    (row,) = client.get("/api/scores").json()["scores"]
    assert (row["model"], row["runs"], row["evals"]) == (RUN.run.model.slug, 3, 3)
    assert row["score"] == pytest.approx(2 / 3)
    production = bearer(made.production)
    assert client.get("/api/scores", headers=production).json() == {"scores": []}
    assert client.get("/api/runs", headers=production).json() == {"runs": [], "after": None}


def test_scores_name_models_as_the_site_does(made: Server, client: httpx.Client) -> None:
    """By the registry, whatever their records say; without an entry there, as they do."""
    send_whole(client, RUN)
    (row,) = client.get("/api/scores").json()["scores"]
    assert (row["name"], row["provider"]) == (RUN.run.model.name, RUN.run.model.provider)
    registry = f"""
        schema_version = 1
        models = []
        [[described]]
        slug = "{RUN.run.model.slug}"
        name = "Example, as it is called"
        provider = "Its maker"
        family = "Example"
        released = 2026-09-22
        source = "https://example.org/"
    """
    made.data.models_file.write_text(registry)
    (row,) = client.get("/api/scores").json()["scores"]
    assert (row["name"], row["provider"]) == ("Example, as it is called", "Its maker")


# Refusals. Whatever is refused has written nothing.


def test_channels_are_apart(made: Server, client: httpx.Client) -> None:
    """A key touches runs of its channel only, and a runner that states the other is told so."""
    production = bearer(made.production)
    before = made.written()
    for start, headers in ((RUN.start("production"), None), (RUN.start(), production)):
        answer = client.post("/api/runs", json=start, headers=headers)
        assert (answer.status_code, answer.json()["parameter"]) == (403, "channel")
        assert "--publish" in answer.json()["error"]
    assert made.written() == before
    assert client.post("/api/runs", json=RUN.start("production"), headers=production).is_success
    before = made.written()
    assert client.get(f"/api/runs/{ID}").status_code == 403
    assert put(client, RUN, FIRST).status_code == 403
    assert client.post(f"/api/runs/{ID}/finish", json=RUN.end).status_code == 403
    assert client.get(f"/api/runs/{ID}/record").status_code == 404
    assert client.post("/api/runs", json=RUN.start()).status_code == 403
    version = examples.benchmark().model_dump(mode="json")
    sent = client.put(f"/api/benchmarks/{version['version']}", json=version, headers=production)
    assert sent.status_code == 403
    assert made.written() == before


def test_keys_that_do_not_hold(made: Server, client: httpx.Client) -> None:
    """Missing, wrong, revoked, expired and out-of-scope keys, at every operation that needs one."""
    revoked = made.keys.create("gone", ("runs:write", "runs:read", "sessions:read"), None)
    made.keys.revoke("gone")
    expired = made.keys.create("old", ("runs:write", "runs:read", "sessions:read"), 1)
    past = datetime.now(UTC) - timedelta(days=1)
    listed = json.loads(made.data.keys_file.read_text())
    for one in listed:
        if one["name"] == "old":
            one["expires_at"] = past.isoformat()
    made.data.keys_file.write_text(json.dumps(listed))
    wrong = ["", "Bearer", "Bearer osk_", f"Bearer osk_{'0' * 40}", f"Basic {made.development}"]
    wrong += [f"Bearer {revoked}", f"Bearer {expired}", f"Bearer {made.development[:-1]}"]
    wrong += [f"Bearer {made.development}0", f"Bearer {made.development} {made.development}"]
    before = made.written()
    for header in wrong:
        for method, path, body in _asked():
            answer = client.request(method, path, json=body, headers={"Authorization": header})
            assert answer.status_code == 401, (header, path)
            assert answer.headers["www-authenticate"].startswith("Bearer")
    twice = [("Authorization", f"Bearer {made.development}")] * 2
    with httpx.Client(base_url=client.base_url) as other:
        assert other.get("/api/runs", headers=twice).status_code == 401
    narrow = made.keys.create("narrow", ("sessions:read",), None)
    for method, path, body in _asked():
        answer = client.request(method, path, json=body, headers=bearer(narrow))
        assert answer.status_code == 403, path
        assert "narrow may sessions:read" in answer.json()["error"]
    assert made.written() == before


def _asked() -> Iterator[tuple[str, str, Any]]:
    yield "POST", "/api/runs", RUN.start()
    yield "PUT", ATTEMPT, RUN.body(FIRST)
    yield "POST", f"/api/runs/{ID}/finish", RUN.end
    yield "GET", "/api/runs", None
    yield "GET", f"/api/runs/{ID}", None
    yield "GET", f"/api/runs/{ID}/record", None
    yield "GET", "/api/scores", None


def test_every_field_wrong_in_every_way(made: Server, client: httpx.Client) -> None:
    """400 that names the field; nothing is written."""
    client.post("/api/runs", json=RUN.start())
    before = made.written()
    other = made_run("b" * 32).start()
    for path, method, body in (("/api/runs", "POST", other), (ATTEMPT, "PUT", RUN.body(FIRST))):
        for field in body:
            for wrong in _wrong():
                if _may_be(field, wrong):
                    continue
                answer = client.request(
                    method,
                    path,
                    content=json.dumps(body | {field: wrong}),
                    headers={"Content-Type": "application/json"},
                )
                assert answer.status_code == 400, (field, wrong, answer.text)
                named = answer.json()["parameter"].split(".")
                # What has several shapes is named with the one that was meant, or as a whole.
                assert field in named or field == "outcome", (field, wrong, named)
            if field != "earlier_verdicts":
                less = {name: value for name, value in body.items() if name != field}
                assert client.request(method, path, json=less).status_code == 400, field
        assert client.request(method, path, json=body | {"more": 1}).status_code == 400
    assert made.written() == before


def _wrong() -> Iterator[object]:
    """Yield values of which a field takes one at most."""
    yield from (None, 7.5, "x\0", True, 10**400, "é" * 300)
    yield from ([], [[]], {}, {"a": 1})


def _may_be(field: str, value: object) -> bool:
    nullable = {"budget_usd", "generation", "failed_tries_usd", "reason", "graded_at", "key"}
    return (
        (value is None and field in nullable | {"steps", "tests"})
        or (value == 7.5 and field in {"budget_usd", "failed_tries_usd"})
        or (isinstance(value, str) and field == "reason")
        or (value == [] and field in {"steps", "tests", "earlier_verdicts"})
    )


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"finished_at": NaN}', b"[" * 100_000,
     b'{"finished_at": "2026-11-21T12:00:00Z", "finished_at": "2026-11-21T13:00:00Z"}',
     b'{"finished_at": "2026-11-21T12:00:00"}', b'{"finished_at": 1764000000}'],
)  # fmt: skip
def test_bodies_that_are_no_json_of_the_shape(
    made: Server, client: httpx.Client, content: bytes
) -> None:
    """400, also where a name stands twice, of which parsers would keep one."""
    client.post("/api/runs", json=RUN.start())
    before = made.written()
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"/api/runs/{ID}/finish", content=content, headers=headers)
    assert answer.status_code == 400
    assert made.written() == before


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
    made: Server, client: httpx.Client, headers: dict[str, str], status: int
) -> None:
    """Of other types, of pages of other sites, or for another host: refused, and JSON says why."""
    before = made.written()
    sent = {"Content-Type": "application/json", **headers}
    answer = client.post("/api/runs", content=json.dumps(RUN.start()), headers=sent)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert made.written() == before


@pytest.mark.parametrize(
    "name",
    [
        *("..", ".", "%2e%2e", "..%2f..%2fkeys.json", "%00", "~root", "C:aaaaaaaaaaaaaaaaaaaa"),
        *("a" * 15, "A" * 32, "a" * 41, "a" * 31 + "/", "a" * 32 + "%0a", "a" * 32 + ";x"),
        *("%ff" * 16, "%ef%bd%81" * 16),
    ],
)
def test_path_tricks(made: Server, client: httpx.Client, name: str) -> None:
    """Names that are none are not found; none reaches another file."""
    before = made.written()
    asked = [("GET", f"/api/runs/{name}{end}", None) for end in ("", "/record", "/finish")]
    asked += [
        ("PUT", f"/api/runs/{tail}", json.dumps(RUN.body(FIRST)))
        for tail in (
            f"{name}/attempts/{FIRST.eval}/1",
            f"{ID}/attempts/{name}/000-eval/1",
            f"{ID}/attempts/{FIRST.eval}/{name}",
        )
    ]
    asked.append(("PUT", f"/api/benchmarks/{name}", "{}" if name.startswith("a") else "[]"))
    headers = {**bearer(made.development), "Content-Type": "application/json"}
    for method, path, body in asked:
        # httpx would tidy such paths up.
        raw = http.client.HTTPConnection(client.base_url.host, client.base_url.port or 0, 60)
        with closing(raw):
            raw.request(method, path, body, headers)
            assert raw.getresponse().status in {400, 404, 405}, path
    assert made.written() == before


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../b", "a//b", ".", "", "a\\b", "a\0b"])
def test_files_that_would_leave_their_folder(made: Server, client: httpx.Client, path: str) -> None:
    """An answer's files stay below the attempt's folder of the archive."""
    client.post("/api/runs", json=RUN.start())
    before = made.written()
    body = RUN.body(FIRST)
    body["artifact"]["files"] = {path: "x"}
    assert client.put(ATTEMPT, json=body).status_code == 400
    assert made.written() == before


@pytest.mark.parametrize("place", ["999-no/000-eval/1", f"{FIRST.eval}/2", f"{FIRST.eval}/0"])
def test_attempts_that_were_not_planned(client: httpx.Client, place: str) -> None:
    """404: the run has no such place."""
    client.post("/api/runs", json=RUN.start())
    answer = client.put(f"/api/runs/{ID}/attempts/{place}", json=RUN.body(FIRST))
    assert answer.status_code == 404


def test_contradictions(made: Server, client: httpx.Client) -> None:
    """An unknown version, a strange eval, another run of the id, times that cannot be."""
    start = RUN.start()
    before = made.written()
    for change in (
        {"benchmark_version": "ffffffffffff"},
        {"planned": ["999-no/000-eval"]},
    ):
        assert client.post("/api/runs", json=start | change).status_code == 409
    assert made.written() == before
    client.post("/api/runs", json=start)
    before = made.written()
    assert client.post("/api/runs", json=start | {"samples": 2}).status_code == 409
    assert client.post("/api/runs", json=start | {"run_id": "a" * 31 + "b"}).status_code == 409
    early = RUN.body(FIRST) | {"graded_at": "2020-01-01T00:00:00Z"}
    assert client.put(ATTEMPT, json=early).status_code == 409
    put(client, RUN, FIRST)
    end = {"finished_at": "2020-01-01T00:00:00Z"}
    assert client.post(f"/api/runs/{ID}/finish", json=end).status_code == 409
    assert not made.data.local.run_file(RUN.run.model.slug, ID).exists()
    assert len(made.written()) == len(before) + 1


def test_a_development_version_is_defined_first(client: httpx.Client) -> None:
    """A run of a suite that nobody minted brings its definition along."""
    version = "a" * 12
    known = examples.benchmark().model_copy(update={"version": version, "minted_at": None})
    body = known.model_dump(mode="json")
    start = RUN.start() | {"benchmark_version": version}
    answer = client.post("/api/runs", json=start)
    assert answer.status_code == 409
    assert f"PUT /api/benchmarks/{version}" in answer.json()["error"]
    assert client.put(f"/api/benchmarks/{version}", json=body).status_code == 200
    assert client.put(f"/api/benchmarks/{version}", json=body).status_code == 200
    assert client.put(f"/api/benchmarks/{'b' * 12}", json=body).status_code == 409
    changed = body | {"digest": "a" * 12 + "b" * 52}
    assert client.put(f"/api/benchmarks/{version}", json=changed).status_code == 409
    assert client.post("/api/runs", json=start).status_code == 201


def test_large_bodies(made: Server, client: httpx.Client) -> None:
    """100 MB are refused, whether announced or not, and read to the end so that this is heard."""
    client.post("/api/runs", json=RUN.start())
    before = made.written()
    headers = {"Content-Type": "application/json"}
    whole = b"[" + b" " * 100_000_000
    assert client.put(ATTEMPT, content=whole, headers=headers).status_code == 413
    pieces = (b" " * 1_000_000 for _ in range(100))
    assert client.put(ATTEMPT, content=pieces, headers=headers).status_code == 413
    assert made.written() == before


def test_slow_and_cut_off_bodies(made: Server) -> None:
    """A body that does not come is waited for only so long; others are answered meanwhile."""
    limits = ApiLimits(body_s=1.0)
    with served(made, limits) as client:
        before = made.written()
        address = (client.base_url.host, client.base_url.port)
        head = (
            f"POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
            f"{made.development}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
        ).encode()
        with (
            socket.create_connection(address, 60) as slow,
            socket.create_connection(address) as cut,
        ):
            slow.sendall(head + b"{")
            cut.sendall(head + b"{")
            cut.close()
            assert client.get("/openapi.json").status_code == 200
            assert slow.recv(100).startswith(b"HTTP/1.1 408 ")
        assert made.written() == before


def test_rates(made: Server) -> None:
    """A key that asks too often, and an address without a key that holds, are told to wait."""
    # A request is given back after a quarter of an hour: however slow the machine is, none is here.
    limits = ApiLimits(requests_per_s=0.001, burst=3, refused_per_s=0.001, refused_burst=2)
    with served(made, limits) as client:
        codes = [client.get("/api/runs").status_code for _ in range(5)]
        assert codes == [200, 200, 200, 429, 429]
        waiting = client.get("/api/runs")
        assert 0 < int(waiting.headers["retry-after"]) <= 1001
        wrong = bearer("osk_" + "0" * 40)
        codes = [client.get("/api/runs", headers=wrong).status_code for _ in range(4)]
        assert codes == [401, 401, 429, 429]
        assert client.get("/api/runs", headers=bearer(made.production)).status_code == 200


def test_the_last_use_of_a_key_is_noted(made: Server, client: httpx.Client) -> None:
    """To the minute; a key that was never accepted has none, and revoking is not undone by it."""
    client.get("/api/runs")
    used = {one.name: one.last_used_at for one in made.keys.listed()}
    assert used["runner"] is not None
    assert used["board"] is None
    made.keys.revoke("runner")
    assert client.get("/api/runs").status_code == 401
    assert made.data.keys_file.stat().st_mode & 0o777 == 0o600


def test_no_answer_and_no_file_holds_a_key(made: Server, client: httpx.Client) -> None:
    """Not even in what says that it is wrong."""
    send_whole(client, RUN)
    for answer in (client.get(f"/api/runs/{ID}"), client.get("/api/runs", params={"x": "y"})):
        assert made.development not in answer.text
    for path in made.data.root.rglob("*"):
        if path.is_file():
            assert made.development.encode() not in path.read_bytes()


def test_a_damaged_file_is_named_in_the_log(
    made: Server, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asks hears 500 in JSON without its path, and whoever runs the server reads it."""
    send_whole(client, RUN)
    path = made.data.local.run_file(RUN.run.model.slug, ID)
    path.write_text("{")
    before = made.written()
    for method, address, body in (
        ("POST", "/api/runs", RUN.start()),
        ("PUT", ATTEMPT, RUN.body(FIRST)),
        ("POST", f"/api/runs/{ID}/finish", RUN.end),
        ("GET", f"/api/runs/{ID}", None),
        ("GET", f"/api/runs/{ID}/record", None),
    ):
        caplog.clear()
        answer = client.request(method, address, json=body)
        assert answer.status_code == 500, address
        assert answer.json()["error"].endswith("its log says which")
        assert str(made.data.root) not in answer.text
        (told,) = caplog.messages
        assert told.startswith(f"{method} {address}: {path}: ")
    assert made.written() == before
    assert list(made.data.inbox.iterdir()) == []
    caplog.clear()
    for _ in range(2):
        assert client.get("/api/runs").json()["runs"] == []
    (told,) = caplog.messages
    assert told.startswith(f"left out: {path}: ")
    key = made.data.keys_file.read_bytes()
    made.data.keys_file.write_text("{")
    assert client.get("/api/runs").status_code == 500
    made.data.keys_file.write_bytes(key)
    assert client.get("/api/runs").status_code == 200
