"""The jailed process that renders pages: its start, its commands, its end."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, cast

from runner.errors import JailBrokenError, JailEndedError, ToolchainBrokenError
from runner.jail import NODE_MODULES, PROJECT, Bind, Jail, JailLimits, JailSpec
from runner.jail.waits import MOST, Patience, Waits, read_line
from runner.programs import PROGRAMS, programs, start
from runner.toolchain import Toolchain
from runner.ui.errors import UiBroken, UiFailed
from runner.ui.page import Json

_START_S: Final = 30.0
_BACKEND: Final = "/backend"
_LIMITS: Final = JailLimits(wall_s=600, cpu_s=120, memory_mb=1500)
_SHOWN: Final = 2000
_STARVED: Final = 0.25
"""A wait in which so much of the time was waiting for a processor shows nothing."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where pages are rendered, what of, and the backend that they talk to.

    ``socket`` is the Unix socket of the backend; ``origin`` and ``site_origin`` are the addresses
    that it goes by.
    """

    jail: Jail
    toolchain: Toolchain
    project: Path
    socket: Path
    origin: str
    site_origin: str
    backend: tuple[int, ...] = ()
    """The processes that hold the backend; none where they are not known."""
    patience_s: float = 10.0
    """How long a page may take to answer before it is taken to hang."""


class Renderer:
    """One renderer process. Not for use from several threads at once."""

    def __init__(self, setting: Setting) -> None:
        """Start it, without waiting until it is ready. Raises UiBroken when that cannot be."""
        # What is not a reply to us lacks this, whatever a component finds a way to print.
        self._token = secrets.token_hex(16)
        self._patience_s = setting.patience_s
        self._rendered = False
        self._end: str | None = None
        try:
            self._process = setting.jail.start(_spec(setting), stdin=True)
            self._process.send(f"{self._token}\n".encode())
        except (JailBrokenError, JailEndedError, ToolchainBrokenError) as error:
            raise UiBroken(f"the page renderer did not start: {error}") from error
        self._waits = Waits(self._process.pid, *setting.backend)
        self._asked = 0
        self._ready = False

    @property
    def is_alive(self) -> bool:
        """Whether it takes commands."""
        return self._end is None

    def ask(self, command: str, *, extra_s: float = 0.0, **details: Json) -> Json:
        """Give a command and return its result; ``extra_s`` is time that it may wait by itself.

        Raises UiFailed where the page is to blame, also for an endless loop and for ending the
        process; UiBroken where no component had run yet, or the grader asked for what cannot be.
        """
        if self._end is not None:
            raise UiFailed(self._end)
        if not self._ready:
            self._exchange(None, _START_S)
            self._ready = True
        self._rendered = self._rendered or command == "render"
        asked = {"command": command, **details}
        timeout_s = self._patience_s + 3 * extra_s
        for _ in range(MOST - 1 if extra_s else 0):
            before = self._waited_s()
            answer = self._exchange(asked, timeout_s)
            # The page waits by the clock, and may have had no processor for much of that.
            if "failed" not in answer or self._waited_s() - before <= extra_s * _STARVED:
                return self._result(answer)
        return self._result(self._exchange(asked, timeout_s))

    def close(self) -> None:
        """End it and all that runs in it."""
        self._end = self._end or "the page was closed"
        self._process.kill()

    def _exchange(self, asked: Mapping[str, Json] | None, timeout_s: float) -> Mapping[str, Json]:
        """Give a command and read its answer; without one, what is said at the start."""
        patience = Patience(timeout_s, self._waited_s)
        try:
            if asked is not None:
                # Numbered: a test that ran out of time may have left an answer that nobody read.
                self._asked += 1
                self._process.send(json.dumps({"id": self._asked, **asked}).encode() + b"\n")
            while (answer := self._read(patience)) is None:
                pass
        except TimeoutError:
            self._gone(f"the page did not answer within {timeout_s:g} s: its code never yields")
        except JailEndedError as error:
            self._gone(f"the page ended the process that renders it: {error}")
        return answer

    def _waited_s(self) -> float:
        """Return how long this process and the backend have waited for a processor."""
        return self._waits()

    def _read(self, patience: Patience) -> Mapping[str, Json] | None:
        """Read a line; None where it is not the answer waited for."""
        line, token = read_line(self._process, patience), self._token.encode()
        if not line.startswith(token):
            return None
        try:
            answer: Json = json.loads(line.removeprefix(token))
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or "id" not in answer:
            self._gone("something else than the renderer answered for the page")
        said = cast("Mapping[str, Json]", answer)
        return said if said["id"] == self._asked else None

    def _gone(self, reason: str) -> NoReturn:
        self.close()
        self._end = reason
        if self._process.killed_by_stranger:
            raise UiBroken(f"the page renderer was killed: {reason}")
        if self._rendered:
            raise UiFailed(reason)
        said = self._process.stderr().decode("utf-8", "replace")[-_SHOWN:]
        raise UiBroken(f"the page renderer did not start: {reason}: {said}")

    def _result(self, answer: Mapping[str, Json]) -> Json:
        if "failed" in answer:
            raise UiFailed(_explained(answer))
        if "broken" in answer and not self._rendered:
            raise UiBroken(f"the page renderer: {answer['broken']}")
        if "result" not in answer:
            # The component runs beside the renderer, and may have said this in its place.
            raise UiFailed(f"the page cannot be worked with: {answer.get('broken', 'no result')}")
        return answer["result"]


def _spec(setting: Setting) -> JailSpec:
    return JailSpec(
        command=(
            *start("renderer.cjs"),
            *("--project", PROJECT),
            *("--packages", NODE_MODULES),
            *("--vendor", f"{PROGRAMS}/vendor.js"),
            *("--backend", f"{_BACKEND}/{setting.socket.name}"),
            *("--origin", setting.origin),
            *("--site-origin", setting.site_origin),
        ),
        binds=(
            *setting.toolchain.binds(),
            programs(setting.jail, setting.toolchain),
            Bind(setting.project, PROJECT),
            Bind(setting.socket.parent, _BACKEND),
        ),
        cwd=PROJECT,
        limits=_LIMITS,
    )


def _explained(answer: Mapping[str, Json]) -> str:
    shown = str(answer.get("text", ""))[:_SHOWN]
    parts = [str(answer["failed"])]
    parts.append(f"The page shows:\n{shown}" if shown else "The page is empty.")
    errors = [str(error) for error in answer.get("errors", [])]
    if errors:
        parts.append("Errors on the page:\n" + "\n".join(errors)[:_SHOWN])
    return "\n".join(parts)
