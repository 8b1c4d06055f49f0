"""The `leaderboard` command in forked children of an interpreter with all imports done.

A true process of the command spends a second on imports. `WarmCommand` asks
`tests.support.warm_server`, of which each process of pytest has one, for a child with arguments,
environment, folder and streams of its own; the child ends as the installed program does. Only the
hash seed is that of the server.
"""

import atexit
import functools
import json
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent

_LONGEST_S = 120
"""Time after which `run_command` kills a command, unless the test gives another."""
Argument = str | Path
Stream = int | IO[Any]
Ended = subprocess.CompletedProcess[str]
"""Exit code and output of a command."""


def make_command_environment(**more: str) -> dict[str, str]:
    """Return an environment without keys; coverage is measured in it if the tests measure it."""
    measuring = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("COVERAGE_") or name == "PYTEST_CURRENT_TEST"
    }
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", **measuring, **more}


def get_installed_program(why: str) -> Path:
    """Return the installed program, for the few tests that a warm child would prove less by.

    Args:
        why: the reason, for a reader who counts true processes.
    """
    assert why
    return BIN / "leaderboard"


class WarmCommand:
    """A command that runs; its methods are those of `subprocess.Popen` that tests use."""

    def __init__(  # noqa: PLR0913 - as many as of the class that it stands for
        self,
        arguments: Sequence[Argument],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.DEVNULL,
        stderr: Stream = subprocess.DEVNULL,
        before: str | None = None,
        program: Path = BIN / "leaderboard",
        server: socket.socket | None = None,
    ) -> None:
        """Start the command.

        Args:
            arguments: all that follows the name of the program.
            env: all of its environment; by default an environment without keys.
            cwd: its working directory.
            stdin: as of `subprocess.Popen`; a terminal becomes the controlling terminal.
            stdout: as of `subprocess.Popen`; text is read from a pipe.
            stderr: as of `subprocess.Popen`, no pipe.
            before: function that the child calls before the command, as ``module:name``.
            program: path by which the command was called.
            server: connection to another server than this process's own.
        """
        # The server forks where no audit hook of this process notices: a unit test must not do so.
        sys.audit("subprocess.Popen", str(program), [*map(str, arguments)], str(cwd), env)
        env = make_command_environment() if env is None else env
        # Python reads these variables at its start, which is over in the server.
        assert not {"PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED"} & env.keys()
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        request = {
            "arguments": [str(program), *map(str, arguments)],
            "env": dict(env),
            "cwd": str(cwd),
            "before": before,
        }
        self._answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, ExitStack() as opened:
            sent = [theirs.fileno()]
            for stream in (stdin, stdout, stderr):
                sent.append(sent[2] if stream == subprocess.STDOUT else self._open(stream, opened))
            socket.send_fds(server or start_server(), [json.dumps(request).encode()], sent)
        self.pid = self._receive()
        """Process of the command."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.stdout is not None:
            self.stdout.close()
        self.wait()

    def poll(self) -> int | None:
        """Return the exit code or minus the signal; None while the command runs."""
        if self.returncode is None and select.select([self._answers], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; return the exit code, or minus the signal."""
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("leaderboard", timeout or 0)
            self.returncode = self._receive()
            self._answers.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, None]:
        """Read the piped output to its end, and wait for the end."""
        assert self.stdout is not None
        with self.stdout:
            text = self.stdout.read()
        self.wait(timeout)
        return text, None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _open(self, stream: Stream, opened: ExitStack) -> int:
        """Return the descriptor that the child gets; one opened for it alone is closed later."""
        if not isinstance(stream, int):
            return stream.fileno()
        if stream == subprocess.DEVNULL:
            descriptor = os.open(os.devnull, os.O_RDWR)
        elif stream == subprocess.PIPE:
            reading, descriptor = os.pipe()
            self.stdout = open(reading, encoding="utf-8")  # noqa: PTH123, SIM115 - closed by the user
        else:
            return stream
        opened.callback(os.close, descriptor)
        return descriptor

    def _receive(self) -> int:
        answer = self._answers.recv(64)
        assert answer, "the server of commands has ended"
        return int(answer)


def run_command(  # noqa: PLR0913 - what tests want to set
    *arguments: Argument,
    variables: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    text: str = "",
    timeout: float = _LONGEST_S,
    before: str | None = None,
    code: int | None = None,
) -> Ended:
    """Run the command to its end; return its exit code and all that it printed.

    Args:
        arguments: all that follows the name of the program.
        variables: further variables of its environment, which has no keys.
        cwd: its working directory.
        text: its standard input.
        timeout: seconds after which it is killed.
        before: function that the child calls before the command, as ``module:name``.
        code: the exit code that the test expects; None for any.
    """
    with ExitStack() as files:
        streams = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3)]
        stdin, stdout, stderr = streams
        stdin.write(text)
        stdin.seek(0)
        env = make_command_environment(**(variables or {}))
        running = WarmCommand(
            arguments, env=env, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr, before=before
        )
        try:
            ended = running.wait(timeout)
        finally:
            running.kill()
            running.wait()
        stdout.seek(0)
        stderr.seek(0)
        names = [str(argument) for argument in arguments]
        done = Ended(names, ended, stdout.read(), stderr.read())
    assert code is None or code == ended, done.stdout + done.stderr
    return done


@functools.cache
def make_warm_program(before: str | None = None) -> Path:
    """Return a program for shells and scripts that runs each call in a warm child.

    The process that starts the shell passes the descriptor of `start_server` on. Signals are not.

    Args:
        before: function that the child calls before the command, as ``module:name``.
    """
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    program = folder / "leaderboard"
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
        f"from tests.support.warm_command import call; call({start_server().fileno()}, {before!r})"
    )
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -S -c {shlex.quote(code)} "$0" "$@"\n')
    program.chmod(0o755)
    return program


def call(server: int, before: str | None) -> None:
    """Run the command with this process's arguments, environment and streams; end as it does."""
    program, *arguments = sys.argv[1:]
    running = WarmCommand(
        arguments,
        env=os.environ,
        cwd=Path.cwd(),
        stdin=0,
        stdout=1,
        stderr=2,
        before=before,
        program=Path(program),
        server=socket.socket(fileno=server),
    )
    code = running.wait()
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


@functools.cache
def start_server() -> socket.socket:
    """Return the connection to this process's server; the first call starts it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        # Imports read all of them: the server needs no plugins, and must not have threads.
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.warm_server", str(theirs.fileno())],
            cwd=ROOT,
            env=make_command_environment(
                PYDANTIC_DISABLE_PLUGINS="__all__",
                OPENBLAS_NUM_THREADS="1",
                JE_ARROW_MALLOC_CONF="background_thread:false",
            ),
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
