"""Runs the real command, through pipes or on a terminal of a given size, against real servers."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = Path(sys.executable).with_name("leaderboard")
PATIENCE_S: Final = 120
"""How long a test waits for what must come; no test depends on how soon it does."""

_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78c])")


def environment(**more: str) -> dict[str, str]:
    """Return an environment that holds no key."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", **more}


@contextmanager
def provider(folder: Path, script: Mapping[str, object]) -> Generator[str]:
    """Serve a scripted provider from a process of its own; yield its address."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "script.json"
    file.write_text(json.dumps(script))
    served = subprocess.Popen(
        [sys.executable, "-m", "tests.runner.models.provider", "--script", str(file)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert served.stdout is not None
    try:
        yield served.stdout.readline().strip()
    finally:
        served.kill()
        served.wait()
        served.stdout.close()


class Terminal:
    """The command on a terminal; everything it drew is kept. A context manager."""

    def __init__(self, arguments: Sequence[str], *, columns: int = 80, rows: int = 40) -> None:
        """Start the command on a terminal of this size."""
        self.drawn = ""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(ROOT)
            os.execve(  # noqa: S606 - the command under test, in the child
                COMMAND, [str(COMMAND), *arguments], environment(TERM="xterm-256color")
            )
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._terminal)

    @property
    def pid(self) -> int:
        """The command's process."""
        return self._pid

    @property
    def text(self) -> str:
        """What was drawn, without what moves the cursor or colours."""
        return _ESCAPES.sub("", self.drawn)

    def wait_for(self, text: str) -> None:
        """Wait until ``text`` was drawn since the last wait ended."""
        self.wait_for_any(text)

    def wait_for_any(self, *texts: str) -> str:
        """Wait until one of ``texts`` was drawn; return it."""
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

    def ended(self) -> int:
        """Read to the end; return the exit code."""
        while self._read():
            pass
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bool:
        """Take in what was drawn; False where nothing will come any more."""
        ready, _, _ = select.select([self._terminal], [], [], PATIENCE_S)
        assert ready, f"nothing came for {PATIENCE_S} s after:\n{self.text}"
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # how Linux says that the other side was closed
            return False
        self.drawn += data.decode("utf-8", "replace")
        return bool(data)
