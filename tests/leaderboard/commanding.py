"""Runs the real command, through pipes or on a terminal of a given size, against real servers."""

import fcntl
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import termios
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Run
from tests.runner.conftest import FIRST_STEP_ONLY, SlowProvider
from tests.support.warm_command import (
    ROOT,
    Argument,
    Ended,
    WarmCommand,
    get_installed_program,
    make_command_environment,
    run_command,
)

PATIENCE_S = 120
"""The longest wait of a test for an expected event; no test depends on its speed."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78c])")


@contextmanager
def serve_provider(folder: Path, script: Mapping[str, object], port: int = 0) -> Generator[str]:
    """Serve a scripted provider, with its log in ``folder``; yield its address."""
    folder.mkdir(parents=True, exist_ok=True)
    provider = SlowProvider(folder, script, port)
    try:
        yield provider.address
    finally:
        provider.end()


def run_installed(
    why: str, *arguments: Argument, variables: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> Ended:
    """Run the installed program as a true process; ``why`` is the reason for a true process."""
    return subprocess.run(
        [get_installed_program(why), *arguments],
        cwd=cwd,
        env=make_command_environment(**(variables or {})),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def run_on_data(data: DataFolder | Path, *arguments: Argument, code: int = 0) -> Ended:
    """Run a command over ``data``; it must end with ``code``. Answers fail at the first step."""
    folder = data.root if isinstance(data, DataFolder) else data
    return run_command(*arguments, "--data", folder, before=FIRST_STEP_ONLY, code=code)


@dataclass(frozen=True, slots=True)
class AskedSuite:
    """A suite, a data folder, and the provider that is asked when a model runs over the suite."""

    suite: Path
    data: DataFolder
    provider: SlowProvider

    @property
    def folders(self) -> tuple[str, ...]:
        """The options for suite and data."""
        return ("--evals", str(self.suite), "--data", str(self.data.root))

    @property
    def options(self) -> tuple[str, ...]:
        """The options of a run over the suite that asks the provider."""
        return ("--api-base", self.provider.address, *self.folders)

    def run(self, *arguments: Argument, code: int = 0) -> str:
        """Run models over the suite; return all output. The command must end with ``code``."""
        return self.call("run", *arguments, *self.options, code=code)

    def call(
        self, *arguments: Argument, code: int = 0, variables: Mapping[str, str] | None = None
    ) -> str:
        """Run a command whose answers fail at the first step; return all output."""
        done = run_command(*arguments, before=FIRST_STEP_ONLY, variables=variables, code=code)
        return done.stdout + done.stderr

    def read_local_runs(self) -> list[Run]:
        """Return the local runs, the earliest first."""
        runs = map(read_run, self.data.local.list_run_files())
        return sorted(runs, key=lambda run: run.began)

    def take_asked(self) -> list[int]:
        """Return the numbers of the evals that were asked since the last call, sorted."""
        numbers = self.provider.list_asked()
        self.provider.log.unlink(missing_ok=True)
        return sorted(numbers)


def record_prose_run(data: Path, provider: Path) -> Path:
    """Ask a model that answers in prose for one eval; return the record of the local run."""
    with serve_provider(provider, {"default": {"text": "Prose, no files."}}) as address:
        options = ("-m", "openai/small", "--api-base", address, "-f", "000-dome_functions")
        run_on_data(data, "run", *options)
    (record,) = (data / "local" / "runs").rglob("*.json")
    return record


def parse_next_command(output: str) -> list[str]:
    """Return the words of the command by which a run goes on, without the program's name."""
    _, *words = shlex.split(output.partition("Go on with:\n")[2].splitlines()[0])
    return words


class Terminal:
    """The command on a terminal, with all drawn text; a context manager."""

    def __init__(  # noqa: PLR0913 - what tests want to set
        self,
        arguments: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 40,
        true_process: str | None = None,
        variables: Mapping[str, str] | None = None,
        before: str | None = None,
    ) -> None:
        """Start the command on a terminal.

        Args:
            arguments: all that follows the name of the program.
            columns: the width of the terminal.
            rows: its height.
            true_process: the reason for a true process in place of a warm child.
            variables: further variables of the command's environment.
            before: function that a warm child calls before the command, as ``module:name``.
        """
        self.drawn = ""
        self._terminal, theirs = pty.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
        env = make_command_environment(**{"TERM": "xterm-256color", **(variables or {})})
        self._process: subprocess.Popen[bytes] | WarmCommand
        if true_process is None:
            self._process = WarmCommand(
                arguments, env=env, stdin=theirs, stdout=theirs, stderr=theirs, before=before
            )
        else:
            command = ["setsid", "--ctty", get_installed_program(true_process), *arguments]
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs
            )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    @property
    def pid(self) -> int:
        """The command's process."""
        return self._process.pid

    @property
    def text(self) -> str:
        """Text that was drawn, without escapes that move the cursor or colour."""
        return _ESCAPES.sub("", self.drawn)

    def wait_for(self, text: str) -> None:
        """Wait until ``text`` was drawn since the last wait ended."""
        self.wait_for_any(text)

    def wait_for_any(self, *texts: str) -> str:
        """Wait until a text of ``texts`` was drawn; return it."""
        ends_at = time.monotonic() + PATIENCE_S
        while True:
            for text in texts:
                if text in self.text:
                    return text
            assert time.monotonic() < ends_at, f"none of {texts} was drawn:\n{self.text}"
            assert self._read(), f"it ended before any of {texts} was drawn:\n{self.text}"

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def wait_for_end(self) -> int:
        """Read to the end; return the exit code."""
        while self._read():
            pass
        return self._process.wait()

    def _read(self) -> bool:
        """Read the new output of the terminal; return False at its end."""
        ready, _, _ = select.select([self._terminal], [], [], PATIENCE_S)
        assert ready, f"nothing came for {PATIENCE_S} s after:\n{self.text}"
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # Linux reports a closed terminal as an error
            return False
        self.drawn += data.decode("utf-8", "replace")
        return bool(data)
