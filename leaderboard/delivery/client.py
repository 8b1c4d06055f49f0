"""The client for the server that receives runs."""

import ipaddress
import os
import re
from contextlib import suppress
from time import monotonic, sleep
from typing import Any, Final, Self
from urllib.parse import urlsplit

import click
import httpx
from pydantic import ValidationError

from leaderboard.api import run_shapes
from records.archives.archive import AttemptArtifact
from records.shapes.attempt import Attempt
from records.shapes.base import Record
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.text.visible import make_one_line
from runner.models.requests.routes import check_proxies, describe_route

KEY_VARIABLE = "LEADERBOARD_REPORT_KEY"
"""The variable for the key, which other users of the machine could read on a command line."""

_KEY = re.compile(r"osk_[0-9a-f]{40}")
_TRY_AGAIN = frozenset({408, 425, 429})
_CONTRADICTED = 409
_LIMITED = 429
_SERVER_FAULT = 500
_TIMEOUT_S = 60.0
_PAUSES_S = (0.2, 1.0)
"""The pauses before a request is repeated, because a gateway may then reach another server."""
_REPEAT_WITHIN_S = 90.0
"""The most seconds from the first try to a repetition; the first try may take a minute."""


_OF_VERDICTS = frozenset({"sample", "finished_at"})
"""The parameters that a server names in its error if it has other or later verdicts of a run."""


class RefusedError(click.ClickException):
    """A refusal that the server would repeat; the message names the fault to fix."""

    def __init__(self, message: str, parameter: str | None = None) -> None:
        """Store the wrong parameter, if the server names it."""
        super().__init__(message)
        self.parameter: Final = parameter


class OtherVerdictsError(RefusedError):
    """A refusal because the server has other verdicts, as another machine also went on with it."""


class AwayError(Exception):
    """The server does not answer now; a later try may succeed."""

    def __init__(self, reason: str, *, repeatable: bool = True) -> None:
        """Store whether the same request may succeed if it is repeated within seconds."""
        super().__init__(reason)
        self.repeatable: Final = repeatable


def read_report_key() -> str:
    """Return the key from the environment.

    Raises:
        UsageError: the variable is not set, or its value is no key.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if _KEY.fullmatch(key) is None:
        problem = "is no key of a server" if key else "is not set"
        raise click.UsageError(
            f"{KEY_VARIABLE} {problem}: put the key that `leaderboard keys create` printed there, "
            "in the environment or in .env"
        )
    return key


def parse_server_address(text: str) -> str:
    """Return the address of a server without a slash at its end.

    Raises:
        UsageError: the address is invalid, or the key would be sent to it unencrypted.
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
        """Prepare the connection; ``address`` is a result of `parse_server_address`.

        Raises:
            BadAddressError: a variable sets a proxy that cannot be used.
        """
        self.address: Final = address
        # Without encryption, a proxy of the environment would get the key over the network.
        self._uses_proxies = address.startswith("https:")
        if self._uses_proxies:
            check_proxies()
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {key}"},
            timeout=_TIMEOUT_S,
            follow_redirects=False,
            trust_env=self._uses_proxies,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def start(
        self, run: Run, channel: run_shapes.Channel, benchmark: Benchmark | None
    ) -> run_shapes.RunState:
        """Begin to send a run, or go on; return the state of the run on the server.

        If the server lacks the benchmark version of a development run, ``benchmark`` is sent, too.

        Raises:
            RefusedError: the key does not permit it, or the server has another run with this id.
            AwayError: the server does not answer.
        """
        body = run_shapes.build_run_start(run, channel)
        try:
            return self._ask("POST", "/api/runs", body, run_shapes.RunState)
        except RefusedError as error:
            unknown = error.parameter == "benchmark_version"
            if not unknown or benchmark is None or channel == "production":
                raise
        self._ask("PUT", f"/api/benchmarks/{benchmark.version}", benchmark, Benchmark)
        return self._ask("POST", "/api/runs", body, run_shapes.RunState)

    def put(self, run: Run, attempt: Attempt, artifact: AttemptArtifact | None) -> None:
        """Send an attempt; it is on the server's disk when the call returns.

        Raises:
            OtherVerdictsError: the server has another verdict.
            RefusedError: the server refuses the attempt, or records it in a different form.
            AwayError: the server does not answer.
        """
        attempt_name = f"{attempt.eval}/{attempt.sample}"
        try:
            body = run_shapes.SentAttempt.from_attempt(attempt, artifact)
        except ValueError as error:
            raise RefusedError(
                f"run {run.run_id}: {attempt_name} cannot be sent: {error}"
            ) from error
        path = f"/api/runs/{run.run_id}/attempts/{attempt_name}"
        try:
            receipt = self._ask("PUT", path, body, run_shapes.AttemptReceipt)
        except OtherVerdictsError as error:
            raise OtherVerdictsError(f"{attempt_name}: {error.message}", error.parameter) from error
        if receipt.digest != run_shapes.compute_attempt_digest(attempt):
            raise RefusedError(
                f"run {run.run_id}: {self.address} made another record of {attempt_name}: "
                "is it of another version than this program?"
            )

    def finish(self, run: Run) -> run_shapes.RunState:
        """Report the end of a run; return its state on the server.

        Raises:
            OtherVerdictsError: the server has later verdicts.
            RefusedError: the run has not ended, or the server refuses it.
            AwayError: the server does not answer.
        """
        if run.finished_at is None:
            raise RefusedError(f"run {run.run_id} has not ended: leaderboard run --resume")
        body = run_shapes.RunEnd(finished_at=run.finished_at)
        return self._ask("POST", f"/api/runs/{run.run_id}/finish", body, run_shapes.RunState)

    def _ask(self, method: str, path: str, body: Record, shape: type[Any]) -> Any:  # noqa: ANN401
        """Return the answer to a request as an object of the class ``shape``.

        The request is repeated if the server does not answer. This is safe, because the server
        accepts the same request twice.
        """
        until = monotonic() + _REPEAT_WITHIN_S
        for pause in _PAUSES_S:
            try:
                return self._ask_once(method, path, body, shape)
            except AwayError as error:
                if not error.repeatable or monotonic() + pause > until:
                    raise
                sleep(pause)
        return self._ask_once(method, path, body, shape)

    def _ask_once(self, method: str, path: str, body: Record, shape: type[Any]) -> Any:  # noqa: ANN401
        content = body.model_dump_json()
        headers = {"Content-Type": "application/json"}
        try:
            answer = self._http.request(
                method, self.address + path, content=content, headers=headers
            )
        except httpx.RequestError as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            route = f"; {describe_route(self.address)}" if self._uses_proxies else ""
            raise AwayError(f"{reason}{route}") from error
        status, problem = answer.status_code, None
        with suppress(ValidationError):  # the answer is not from the server itself
            problem = run_shapes.ApiProblem.model_validate_json(answer.content)
        if status in _TRY_AGAIN or status >= _SERVER_FAULT:
            reason = f": {problem.error}" if problem is not None else ""
            raise AwayError(f"it answers {status}{reason}", repeatable=status != _LIMITED)
        if answer.is_success:
            try:
                return shape.model_validate_json(answer.content)
            except ValidationError as error:
                if error.errors(include_url=False)[0]["type"] == "json_invalid":
                    raise AwayError(_describe_foreign_answer(answer)) from error
                raise RefusedError(
                    f"{self.address} answers {status}, and not as a server of scores of this "
                    "version does"
                ) from error
        if problem is None:
            raise AwayError(_describe_foreign_answer(answer))
        if status == _CONTRADICTED and problem.parameter in _OF_VERDICTS:
            raise OtherVerdictsError(problem.error, problem.parameter)
        raise RefusedError(f"{self.address}: {problem.error}", problem.parameter)


def _describe_foreign_answer(answer: httpx.Response) -> str:
    """Return a description of an answer that does not come from the server, such as a proxy's."""
    target = answer.headers.get("location")
    redirect = (
        f", a redirect to {make_one_line(target, 100)}" if answer.is_redirect and target else ""
    )
    return (
        f"it answers {answer.status_code}{redirect}, and not as a server of scores does; "
        "is its address right?"
    )


def _is_own(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
