"""The client of the server that runs are sent to."""

import ipaddress
import os
import re
from typing import Any, Final, Self
from urllib.parse import urlsplit

import click
import httpx
from pydantic import ValidationError

from leaderboard.api.wire import (
    ApiProblem,
    AttemptReceipt,
    Channel,
    RunEnd,
    RunState,
    attempt_record_digest,
    sent_attempt,
    start_of,
)
from records.artifacts import AttemptArtifact
from records.base import Record
from records.benchmark import Benchmark
from records.run import Attempt, Run

KEY_VARIABLE: Final = "LEADERBOARD_REPORT_KEY"
"""Where the key stands: never on a command line, which other users of the machine can read."""

_KEY: Final = re.compile(r"osk_[0-9a-f]{40}")
_TRY_AGAIN: Final = frozenset({408, 425, 429})
_SERVER_FAULT: Final = 500
_TIMEOUT_S: Final = 60.0


class RefusedError(click.ClickException):
    """The server refuses, and would again: the message says what is to be fixed."""

    def __init__(self, message: str, parameter: str | None = None) -> None:
        """Keep what is wrong, where the server names it."""
        super().__init__(message)
        self.parameter: Final = parameter


class AwayError(Exception):
    """The server does not answer, or cannot now: worth another try."""


def report_key() -> str:
    """Return the key from the environment.

    Raises:
        UsageError: there is none, or what is there is none.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if _KEY.fullmatch(key) is None:
        what = "is no key of a server" if key else "is not set"
        raise click.UsageError(
            f"{KEY_VARIABLE} {what}: put the key that `leaderboard keys create` printed there, "
            "in the environment or in .env"
        )
    return key


def server_address(text: str) -> str:
    """Return the address of a server without what it need not have.

    Raises:
        UsageError: it is none, or the key would be sent to it unencrypted.
    """
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise click.UsageError(f"{text}: is no address: {error}") from error
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        raise click.UsageError(f"{text}: is no address of a server, such as https://host")
    if parts.username is not None or parts.password is not None:
        raise click.UsageError(f"an address holds no key: set {KEY_VARIABLE} instead")
    if parts.scheme == "http" and not _is_own(host):
        raise click.UsageError(f"{text}: would send the key unencrypted; use https://")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class ScoresClient:
    """A connection to one server; a context manager."""

    def __init__(self, address: str, key: str) -> None:
        """Ask ``address``, as `server_address` returns it."""
        self.address: Final = address
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {key}"},
            timeout=_TIMEOUT_S,
            follow_redirects=False,
            # A proxy of the environment would be sent the key unencrypted, over the network.
            trust_env=address.startswith("https:"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def start(self, run: Run, channel: Channel, benchmark: Benchmark | None) -> RunState:
        """Begin to send a run, or go on; the server hears of its version where it does not know it.

        Raises:
            RefusedError: the key may not do it, or the server has another run of this id.
            AwayError: the server does not answer.
        """
        body = start_of(run, channel)
        try:
            return self._asked("POST", "/api/runs", body, RunState)
        except RefusedError as error:
            unknown = error.parameter == "benchmark_version"
            if not unknown or benchmark is None or channel == "production":
                raise
        self._asked("PUT", f"/api/benchmarks/{benchmark.version}", benchmark, Benchmark)
        return self._asked("POST", "/api/runs", body, RunState)

    def put(self, run: Run, attempt: Attempt, kept: AttemptArtifact | None) -> None:
        """Send an attempt; it is on the server's disk when this returns.

        Raises:
            RefusedError: the server has another verdict, or makes another record of it.
            AwayError: the server does not answer.
        """
        place = f"{attempt.eval}/{attempt.sample}"
        try:
            body = sent_attempt(attempt, kept)
        except ValueError as error:
            raise RefusedError(f"run {run.run_id}: {place} cannot be sent: {error}") from error
        path = f"/api/runs/{run.run_id}/attempts/{place}"
        receipt = self._asked("PUT", path, body, AttemptReceipt)
        if receipt.digest != attempt_record_digest(attempt):
            raise RefusedError(
                f"run {run.run_id}: {self.address} made another record of {place}: "
                "is it of another version than this program?"
            )

    def finish(self, run: Run) -> RunState:
        """Say that a run has ended.

        Raises:
            RefusedError: the server refuses.
            AwayError: the server does not answer.
        """
        if run.finished_at is None:
            raise RefusedError(f"run {run.run_id} has not ended: leaderboard run --resume")
        body = RunEnd(finished_at=run.finished_at)
        return self._asked("POST", f"/api/runs/{run.run_id}/finish", body, RunState)

    def _asked(self, method: str, path: str, body: Record, shape: type[Any]) -> Any:  # noqa: ANN401
        """Return the answer to a request, of a shape."""
        content = body.model_dump_json()
        headers = {"Content-Type": "application/json"}
        try:
            answer = self._http.request(
                method, self.address + path, content=content, headers=headers
            )
        except httpx.TransportError as error:
            raise AwayError(f"{type(error).__name__}: {error}".rstrip(": ")) from error
        if answer.status_code in _TRY_AGAIN or answer.status_code >= _SERVER_FAULT:
            raise AwayError(f"it answers {answer.status_code}{_reason(answer)}")
        try:
            if answer.is_success:
                return shape.model_validate_json(answer.content)
            problem = ApiProblem.model_validate_json(answer.content)
        except ValidationError as error:
            raise RefusedError(
                f"{self.address} answers {answer.status_code}, and not as a server of scores does"
            ) from error
        raise RefusedError(f"{self.address}: {problem.error}", problem.parameter)


def _reason(answer: httpx.Response) -> str:
    """Return what an answer says is wrong; nothing where it is not the server that speaks."""
    try:
        return f": {ApiProblem.model_validate_json(answer.content).error}"
    except ValidationError:
        return ""


def _is_own(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
