"""The API on loopback, runs to send to it, and the files that it writes."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from leaderboard.api.app import build_api_app
from leaderboard.api.keys import SCOPES, KeyStore
from leaderboard.api.request_checks import ApiLimits
from leaderboard.api.run_shapes import Channel, SentAttempt, build_run_start
from records.archives.archive import AttemptArtifact, compute_artifact_digest
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.writer import write_record
from tests.records import examples
from tests.support.applications import serve_on_loopback

GENEROUS = ApiLimits(requests_per_s=1e6, burst=10**6, refused_per_s=1e6, refused_burst=10**6)
"""Limits that no test meets by chance."""


@dataclass(frozen=True)
class Server:
    """A server of the API, and keys of both channels with all rights."""

    data: DataFolder
    keys: KeyStore
    development: str
    production: str

    def read_data_files(self) -> dict[str, bytes]:
        """Return every file of the data folder except for the keys, whose last use may change."""
        paths = sorted(path for path in self.data.root.rglob("*") if path.is_file())
        files = [path for path in paths if "keys.json" not in path.name]
        return {path.relative_to(self.data.root).as_posix(): path.read_bytes() for path in files}


def make_server(root: Path, evals: int = 3) -> Server:
    """Return a data folder that knows a benchmark version, and keys."""
    data = DataFolder(root)
    write_record(data.benchmarks, examples.make_benchmark(evals))
    keys = KeyStore(data.keys_file)
    development = keys.create("runner", SCOPES, None)
    return Server(data, keys, development, keys.create("board", SCOPES, None, "production"))


@contextmanager
def serve_api(made: Server, limits: ApiLimits = GENEROUS) -> Generator[httpx.Client]:
    """Serve the API on loopback; yield a client that carries the development key."""
    with (
        serve_on_loopback(build_api_app(made.data, limits)) as address,
        httpx.Client(
            base_url=address, headers=make_bearer_header(made.development), timeout=60
        ) as client,
    ):
        yield client


def make_bearer_header(key: str) -> dict[str, str]:
    """Return the header that carries a key."""
    return {"Authorization": f"Bearer {key}"}


@dataclass(frozen=True)
class MadeRun:
    """A run that was made elsewhere, with the artifacts of its attempts."""

    run: Run
    artifacts: Mapping[str, AttemptArtifact]

    def build_start(self, channel: Channel = "development") -> dict[str, Any]:
        """Return the request that begins the run."""
        return build_run_start(self.run, channel).model_dump(mode="json")

    def build_body(self, attempt: Attempt) -> dict[str, Any]:
        """Return the request that sends an attempt of the run."""
        artifact = self.artifacts.get(attempt.eval)
        return SentAttempt.from_attempt(attempt, artifact).model_dump(mode="json")

    @property
    def end(self) -> dict[str, Any]:
        """The request that ends the run."""
        assert self.run.finished_at is not None
        return {"finished_at": self.run.finished_at.isoformat()}


def make_run_with_answers(
    run_id: str = "a" * 32, *, evals: int = 3, unfinished: bool = False
) -> MadeRun:
    """Return a run of which every third attempt failed, or the last was not made."""
    run = examples.make_run(run_id, evals)
    artifacts = {name: examples.make_artifact(name) for name in run.planned}
    attempts = [
        attempt.model_copy(update={"artifact": compute_artifact_digest(artifacts[attempt.eval])})
        for attempt in run.attempts
    ]
    if unfinished:
        last = attempts[-1]
        nothing = {
            **dict.fromkeys(
                ("failed_step", "reason", "steps", "tests", "key", "artifact", "graded_at")
            ),
            "outcome": Outcome.NOT_RUN,
        }
        attempts[-1] = last.model_copy(update=nothing)
        del artifacts[last.eval]
    fields = {
        "attempts": tuple(attempts),
        "totals": compute_run_totals(attempts),
        "status": "aborted" if unfinished else "completed",
    }
    return MadeRun(Run.model_validate(dict(run) | fields), artifacts)


def put(client: httpx.Client, made: MadeRun, attempt: Attempt) -> httpx.Response:
    """Send an attempt."""
    path = f"/api/runs/{made.run.run_id}/attempts/{attempt.eval}/{attempt.sample}"
    return client.put(path, json=made.build_body(attempt))


def send_whole(client: httpx.Client, made: MadeRun, channel: Channel = "development") -> None:
    """Send a run from its beginning to its end."""
    assert client.post("/api/runs", json=made.build_start(channel)).status_code == 201
    for attempt in made.run.attempts:
        assert put(client, made, attempt).status_code == 201
    path = f"/api/runs/{made.run.run_id}/finish"
    assert client.post(path, json=made.end).status_code == 200
