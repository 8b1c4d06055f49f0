"""Ten thousand sessions: how long importing and exporting them takes, and how much memory.

    python -m tests.benchmarks.bench_sessions

Each format is exported by a process of its own, whose processor time and peak memory the kernel
tells. Ends with 1 where an export takes more than 10 s of a processor or 200 MB. Names of formats
after the command measure these alone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from review.exports.formats import FORMATS

SESSIONS: Final = 10_000
LIMIT_S: Final = 10
LIMIT_MB: Final = 200
_COMMAND: Final = Path(sys.executable).with_name("leaderboard")
_SAID: Final = "Use an index instead of a filter, since a filter reads every document. " * 8


class Took(NamedTuple):
    """What a command took."""

    wall_s: float
    processor_s: float
    memory_mb: float

    def __str__(self) -> str:
        return f"{self.wall_s:4.1f} s {self.processor_s:8.1f} s {self.memory_mb:4.0f} MB"


def main() -> int:
    """Import, export in every format, and say what each took; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        chats, data = Path(folder) / "chats.jsonl", Path(folder) / "data"
        with chats.open("w", encoding="utf-8") as file:
            for number in range(SESSIONS):
                file.write(json.dumps({"messages": _messages(number)}) + "\n")
        took = _measured("session", "import", chats, "--data", data)
        print(f"{SESSIONS} sessions, {chats.stat().st_size / 1e6:.0f} MB")
        print(f"{'':<18}  wall  processor  memory")
        print(f"{'import':<18}{took}", flush=True)
        failed = False
        for name in sys.argv[1:] or (*FORMATS, "parquet"):
            out = Path(folder) / f"out.{name}"
            arguments = ("export", "--format", name, "--all", "--out", out, "--data", data)
            took = _measured(*arguments)
            much = took.processor_s > LIMIT_S or took.memory_mb > LIMIT_MB
            failed = failed or much
            print(f"{name:<18}{took}{'  too much' if much else ''}", flush=True)
    return 1 if failed else 0


def _messages(number: int) -> list[dict[str, str]]:
    turns = [(f"question {number}.{turn}: {_SAID}", f"answer: {_SAID}") for turn in range(3)]
    return [
        {"role": role, "content": text}
        for turn in turns
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]


def _measured(*arguments: str | Path) -> Took:
    """Run the command; return what it took."""
    began = time.monotonic()
    process = subprocess.Popen(
        [_COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))} ended with {process.returncode}")
    return Took(
        wall_s=time.monotonic() - began,
        processor_s=used.ru_utime + used.ru_stime,
        memory_mb=used.ru_maxrss * 1024 / 1e6,
    )


if __name__ == "__main__":
    sys.exit(main())
