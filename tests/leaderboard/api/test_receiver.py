"""Runs that a server receives over real HTTP, and the runs that it must refuse."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from leaderboard.api.receiver import Receiver
from leaderboard.api.run_shapes import Channel, SentAttempt
from records.archives.archive import Archive, AttemptArtifact
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from records.shapes.attempt import Fault, FaultClass, Outcome
from records.shapes.run import Run, Withdrawal
from records.writer import encode_run, write_record, write_run
from runner.runs.publish import add_withdrawal
from tests.leaderboard.api.serving import (
    MadeRun,
    Server,
    make_bearer_header,
    make_run_with_answers,
    put,
    send_whole,
)
from tests.records import examples
from tests.runner.runs.carrying import NAMES, Bench

pytestmark = pytest.mark.integration

RUN = make_run_with_answers()
ID = RUN.run.run_id
FIRST = RUN.run.attempts[0]
ATTEMPT = f"/api/runs/{ID}/attempts/{FIRST.eval}/1"


@pytest.mark.parametrize("outcome", list(Outcome))
def test_the_sent_results_are_the_recorded_results(outcome: Outcome) -> None:
    """An attempt of each outcome comes through unchanged, with its artifact."""
    whole = (
        make_run_with_answers(unfinished=True)
        if outcome is Outcome.NOT_RUN
        else make_run_with_answers()
    )
    attempt = whole.run.attempts[-1] if outcome is Outcome.NOT_RUN else whole.run.attempts[0]
    if outcome is Outcome.FAILED:
        attempt = whole.run.attempts[2]
    if outcome is Outcome.INFRASTRUCTURE:
        fault = Fault(kind=FaultClass.OUTAGE, evidence="it was dark")
        attempt = attempt.model_copy(update={"outcome": outcome, "fault": fault})
    assert attempt.outcome is outcome
    artifact = whole.artifacts.get(attempt.eval)
    assert SentAttempt.from_attempt(attempt, artifact).to_records(attempt.eval, 1) == (
        attempt,
        artifact,
    )


def test_answers_are_carried_over_from_runs_that_are_here(
    made: Server, client: httpx.Client, tmp_path: Path
) -> None:
    """The source run is sent first; attempts that contradict it, or the limit, are refused."""
    bench = Bench(tmp_path / "elsewhere")
    first = bench.run(bench.make_questions())
    bench.start_new_version(NAMES[1])
    questions = bench.make_questions(examples.NOON + timedelta(days=3))
    second = bench.run(questions, bench.plan(questions))
    for path in bench.data.benchmarks.list_files():
        write_record(made.data.benchmarks, read_benchmark(path))
    source, carrying = (MadeRun(run, _read_kept(bench.data, run)) for run in (first, second))
    carried = second.attempts[0]
    assert carried.carried_over is not None
    assert client.post("/api/runs", json=carrying.build_start()).status_code == 201
    early = put(client, carrying, carried)
    assert (early.status_code, "send it first" in early.json()["error"]) == (409, True)
    send_whole(client, source)
    for change in ({"run": second.run_id}, {"asked_from": examples.NOON - timedelta(days=88)}):
        false = carried.carried_over.model_copy(update=change)
        wrong = put(client, carrying, carried.model_copy(update={"carried_over": false}))
        assert (wrong.status_code, wrong.json()["parameter"]) == (409, "carried_over")
    bare = carrying.build_body(carried) | {"generation": None}
    path = f"/api/runs/{second.run_id}/attempts/{carried.eval}/1"
    assert client.put(path, json=bare).status_code == 400
    for attempt in second.attempts:
        assert put(client, carrying, attempt).status_code == 201
    assert client.post(f"/api/runs/{second.run_id}/finish", json=carrying.end).status_code == 200
    recorded = read_run(made.data.local.get_run_file("maker/m", second.run_id))
    assert recorded == second
    assert check_all(made.data) == []


def _read_kept(data: DataFolder, run: Run) -> dict[str, AttemptArtifact]:
    with Archive(data.get_artifact_file(*run.key)) as archive:
        return {name: archive.read(name, 1) for name in run.planned}


@pytest.mark.parametrize("channel", ["development", "production"])
@pytest.mark.parametrize("unfinished", [False, True])
def test_a_run_that_is_sent_becomes_the_same_record(
    made: Server, client: httpx.Client, channel: Channel, *, unfinished: bool
) -> None:
    """Record and archive are the same bytes, in the channel's tree; `check` finds no fault."""
    run = make_run_with_answers(unfinished=unfinished)
    key = made.production if channel == "production" else made.development
    client.headers.update(make_bearer_header(key))
    send_whole(client, run, channel)
    folder = made.data if channel == "production" else made.data.local
    path = folder.get_run_file(*run.run.key)
    assert path.read_bytes() == encode_run(run.run)
    with Archive(folder.get_artifact_file(*run.run.key)) as archive:
        assert {name: archive.read(name, 1) for name, _ in archive.list_places()} == run.artifacts
    assert check_all(made.data) == []
    assert client.get(f"/api/runs/{ID}/record").content == encode_run(run.run)
    assert not list(made.data.inbox.iterdir())


def test_sending_again_changes_nothing(made: Server, client: httpx.Client) -> None:
    """A runner that did not get the answer may send the same again, also after the end."""
    assert client.post("/api/runs", json=RUN.build_start()).status_code == 201
    first = put(client, RUN, FIRST)
    before = made.read_data_files()
    again = put(client, RUN, FIRST)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert client.post("/api/runs", json=RUN.build_start()).status_code == 200
    assert made.read_data_files() == before
    for attempt in RUN.run.attempts[1:]:
        put(client, RUN, attempt)
    for _ in range(2):
        answer = client.post(f"/api/runs/{ID}/finish", json=RUN.end)
        assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert put(client, RUN, FIRST).status_code == 200
    assert check_all(made.data) == []


def test_the_state_names_missing_parts(client: httpx.Client) -> None:
    """A runner that was away learns from the state which attempts to send."""
    client.post("/api/runs", json=RUN.build_start())
    receipt = put(client, RUN, FIRST).json()
    state = client.get(f"/api/runs/{ID}").json()
    assert state["attempts"] == [{"eval": FIRST.eval, "sample": 1, **receipt}]
    assert (state["status"], state["planned"], state["received"]) == ("receiving", 3, 1)
    assert state["sent_by"] == "runner"


def test_a_run_goes_on_after_its_end(made: Server, client: httpx.Client) -> None:
    """An attempt without a verdict gets a verdict; other attempts keep theirs."""
    half = make_run_with_answers(unfinished=True)
    send_whole(client, half)
    assert client.get(f"/api/runs/{ID}").json()["status"] == "aborted"
    last = RUN.run.attempts[-1]
    assert put(client, RUN, last).status_code == 409
    assert client.post("/api/runs", json=RUN.build_start()).status_code == 200
    assert put(client, RUN, last).status_code == 201
    changed = FIRST.model_copy(update={"failed_tries_usd": 9.0})
    assert put(client, RUN, changed).status_code == 409
    assert client.post(f"/api/runs/{ID}/finish", json=RUN.end).json()["status"] == "completed"
    record = read_run(made.data.local.get_run_file(RUN.run.model.slug, ID))
    assert record == RUN.run
    assert check_all(made.data) == []


def test_a_run_that_is_withdrawn_while_it_goes_on_stays_withdrawn(
    made: Server, client: httpx.Client
) -> None:
    """The end of the run adds attempts, and keeps the withdrawal; later the run is refused."""
    send_whole(client, make_run_with_answers(unfinished=True))
    assert client.post("/api/runs", json=RUN.build_start()).status_code == 200
    folder = made.data.local
    path = folder.get_run_file(RUN.run.model.slug, ID)
    moment = datetime(2026, 11, 21, tzinfo=UTC)
    write_run(folder, add_withdrawal(read_run(path), "somebody", "another model's key", moment))
    assert put(client, RUN, RUN.run.attempts[-1]).status_code == 201
    assert client.post(f"/api/runs/{ID}/finish", json=RUN.end).json()["status"] == "completed"
    record = read_run(path)
    assert record.withdrawn == Withdrawal(by="somebody", reason="another model's key", at=moment)
    assert record.attempts == RUN.run.attempts
    assert check_all(made.data) == []
    again = client.post("/api/runs", json=RUN.build_start())
    assert (again.status_code, "withdrawn" in again.json()["error"]) == (409, True)


def test_a_run_that_is_over_is_not_received_again(made: Server, client: httpx.Client) -> None:
    """A new begin finds it completed, also where an attempt was regraded here since."""
    send_whole(client, RUN)
    folder = made.data.local
    path = folder.get_run_file(RUN.run.model.slug, ID)
    run = read_run(path)
    first = run.attempts[0].model_copy(update={"reason": "graded again"})
    write_run(folder, run.model_copy(update={"attempts": (first, *run.attempts[1:])}))
    before = made.read_data_files()
    begun = client.post("/api/runs", json=RUN.build_start())
    assert (begun.status_code, begun.json()["status"]) == (200, "completed")
    refused = put(client, RUN, FIRST)
    assert (refused.status_code, refused.json()["error"]) == (
        409,
        "the attempt has another verdict here",
    )
    assert client.get(f"/api/runs/{ID}").json()["status"] == "completed"
    assert made.read_data_files() == before
    assert list(made.data.inbox.iterdir()) == []


def test_an_end_that_was_cut_off_is_done_again(
    made: Server, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """After a kill between record and removal the inbox remains; the end has the same result."""
    client.post("/api/runs", json=RUN.build_start())
    for attempt in RUN.run.attempts:
        put(client, RUN, attempt)
    inbox = made.data.inbox / ID
    aside = tmp_path_factory.mktemp("aside") / ID
    shutil.copytree(inbox, aside)
    client.post(f"/api/runs/{ID}/finish", json=RUN.end)
    whole = made.read_data_files()
    shutil.copytree(aside, inbox)
    (made.data.inbox / f".{'b' * 32}.done").mkdir()  # left by a kill while removing
    assert client.get(f"/api/runs/{ID}").json()["status"] == "receiving"
    answer = client.post(f"/api/runs/{ID}/finish", json=RUN.end)
    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert made.read_data_files() == whole
    Receiver(made.data)
    assert list(made.data.inbox.iterdir()) == []
    assert check_all(made.data) == []


def test_lists_and_scores(made: Server, client: httpx.Client) -> None:
    """Runs come page by page; scores are those of the leaderboard."""
    ids = [letter * 32 for letter in "abc"]
    for run_id in ids:
        send_whole(client, make_run_with_answers(run_id))
    client.post("/api/runs", json=make_run_with_answers("d" * 32).build_start())
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
    production = make_bearer_header(made.production)
    assert client.get("/api/scores", headers=production).json() == {"scores": []}
    assert client.get("/api/runs", headers=production).json() == {"runs": [], "after": None}


def test_scores_name_models_as_the_site_does(made: Server, client: httpx.Client) -> None:
    """Names come from the registry; for models without an entry, from the records."""
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


def test_runs_and_scores_carry_why_they_were_published(made: Server, client: httpx.Client) -> None:
    """Scores have each reason once, the newest run first; null if all their runs are reliable."""
    for letter in "abc":
        send_whole(client, make_run_with_answers(letter * 32))
    (row,) = client.get("/api/scores").json()["scores"]
    assert row["published_because"] is None
    reasons = {"a": "a first look", "b": None, "c": "one task was refused"}
    for path in made.data.local.list_run_files():
        run = read_run(path)
        write_run(
            made.data.local,
            run.model_copy(update={"published_because": reasons[run.run_id[0]]}),
        )
    page = client.get("/api/runs").json()["runs"]
    assert {row["run_id"][0]: row["published_because"] for row in page} == reasons
    (row,) = client.get("/api/scores").json()["scores"]
    assert row["published_because"] == "one task was refused\na first look"
    state = client.get(f"/api/runs/{'c' * 32}").json()
    assert state["published_because"] == "one task was refused"


def test_channels_are_apart(made: Server, client: httpx.Client) -> None:
    """A key touches runs of its channel only; the refusal names the parameter and the option."""
    production = make_bearer_header(made.production)
    before = made.read_data_files()
    for start, headers in ((RUN.build_start("production"), None), (RUN.build_start(), production)):
        answer = client.post("/api/runs", json=start, headers=headers)
        assert (answer.status_code, answer.json()["parameter"]) == (403, "channel")
        assert "--publish" in answer.json()["error"]
    assert made.read_data_files() == before
    assert client.post(
        "/api/runs", json=RUN.build_start("production"), headers=production
    ).is_success
    before = made.read_data_files()
    assert client.get(f"/api/runs/{ID}").status_code == 403
    assert put(client, RUN, FIRST).status_code == 403
    assert client.post(f"/api/runs/{ID}/finish", json=RUN.end).status_code == 403
    assert client.get(f"/api/runs/{ID}/record").status_code == 404
    assert client.post("/api/runs", json=RUN.build_start()).status_code == 403
    version = examples.make_benchmark().model_dump(mode="json")
    sent = client.put(f"/api/benchmarks/{version['version']}", json=version, headers=production)
    assert sent.status_code == 403
    assert made.read_data_files() == before


def test_a_development_version_is_defined_first(client: httpx.Client) -> None:
    """A run of a suite that is not minted brings its definition along."""
    version = "a" * 12
    definition = examples.make_benchmark().model_copy(
        update={"version": version, "minted_at": None}
    )
    body = definition.model_dump(mode="json")
    start = RUN.build_start() | {"benchmark_version": version}
    answer = client.post("/api/runs", json=start)
    assert answer.status_code == 409
    assert f"PUT /api/benchmarks/{version}" in answer.json()["error"]
    assert client.put(f"/api/benchmarks/{version}", json=body).status_code == 200
    assert client.put(f"/api/benchmarks/{version}", json=body).status_code == 200
    assert client.put(f"/api/benchmarks/{'b' * 12}", json=body).status_code == 409
    changed = body | {"digest": "a" * 12 + "b" * 52}
    assert client.put(f"/api/benchmarks/{version}", json=changed).status_code == 409
    assert client.post("/api/runs", json=start).status_code == 201


def test_a_damaged_file_is_named_in_the_log(
    made: Server, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """The client gets a 500 in JSON without the path; the log of the server has the path."""
    send_whole(client, RUN)
    path = made.data.local.get_run_file(RUN.run.model.slug, ID)
    path.write_text("{")
    before = made.read_data_files()
    for method, address, body in (
        ("POST", "/api/runs", RUN.build_start()),
        ("PUT", ATTEMPT, RUN.build_body(FIRST)),
        ("POST", f"/api/runs/{ID}/finish", RUN.end),
        ("GET", f"/api/runs/{ID}", None),
        ("GET", f"/api/runs/{ID}/record", None),
    ):
        caplog.clear()
        answer = client.request(method, address, json=body)
        assert answer.status_code == 500, address
        assert answer.json()["error"].endswith("the server's log names it")
        assert str(made.data.root) not in answer.text
        (message,) = caplog.messages
        assert message.startswith(f"{method} {address}: {path}: ")
    assert made.read_data_files() == before
    assert list(made.data.inbox.iterdir()) == []
    caplog.clear()
    for _ in range(2):
        assert client.get("/api/runs").json()["runs"] == []
    (message,) = caplog.messages
    assert message.startswith(f"left out: {path}: ")
    key = made.data.keys_file.read_bytes()
    made.data.keys_file.write_text("{")
    assert client.get("/api/runs").status_code == 500
    made.data.keys_file.write_bytes(key)
    assert client.get("/api/runs").status_code == 200
