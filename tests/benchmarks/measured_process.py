"""Time and memory of a whole process with its children."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """The cost of a command."""

    wall_s: float
    processor_s: float
    """Processor time of all its processes."""
    peak_mib: float
    """The most memory of all its processes; what they share counts once. 0 if not measured."""


def measure_process(
    command: Sequence[str | Path],
    folder: Path,
    more: Mapping[str, str] | None = None,
    *,
    memory: bool = False,
) -> Cost:
    """Run a command, and return its cost; to measure ``memory`` slows it down.

    Python may keep compiled modules, as an installed program does.

    Raises:
        ChildProcessError: the command failed.
    """
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    } | dict(more or {})
    began, before, peak = time.perf_counter(), os.times(), 0.0
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL
    ) as process:
        while memory and process.poll() is None:
            peak = max(peak, sum(map(_read_share_mib, _list_family(process.pid))))
            time.sleep(0.1)
    wall, after = time.perf_counter() - began, os.times()
    if process.returncode:
        raise ChildProcessError(f"{command[0]} ended with {process.returncode}")
    user = after.children_user - before.children_user
    return Cost(wall, user + after.children_system - before.children_system, peak)


def _list_family(pid: int) -> list[int]:
    pids = [pid]
    for parent in pids:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return pids


def _read_share_mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
