"""Processor time of a cold build of the shipped records, in turn with another checkout's.

Run with ``python -m tests.benchmarks.bench_cold_build [--rounds N] [--against FOLDER]``, where
FOLDER is a checkout in which `make setup` has ended. Each build is a whole process, `python -m
leaderboard build`, with its workers: Python's modules are compiled, and all caches are removed.
The clock is not compared, because it depends on the machine's other work.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class BuildTime:
    """The time of one build in seconds."""

    processor: float
    """Processor time of the command and its workers."""
    wall: float


def main() -> None:
    """Build each checkout in turn, and print processor times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    here = {"this checkout": ROOT}
    checkouts = {f"{options.against}": options.against, **here} if options.against else here
    with tempfile.TemporaryDirectory(prefix="bench-cold-build-") as workspace:
        for checkout in checkouts.values():
            _build(checkout, Path(workspace) / "compiling")
        times: dict[str, list[BuildTime]] = {name: [] for name in checkouts}
        for number in range(options.rounds):
            for name, checkout in checkouts.items():
                times[name].append(_build(checkout, Path(workspace) / f"{number}" / checkout.name))
            rounds = (f"{name} {builds[-1].processor:.2f} s" for name, builds in times.items())
            sys.stdout.write(f"round {number + 1}: {', '.join(rounds)}\n")
            sys.stdout.flush()
    medians = {
        name: statistics.median(build.processor for build in builds)
        for name, builds in times.items()
    }
    for name, median in medians.items():
        wall = statistics.median(build.wall for build in times[name])
        sys.stdout.write(f"{name}: median {median:.2f} s of processor time, {wall:.1f} s long\n")
    if options.against:
        other, own = medians.values()
        sys.stdout.write(f"processor time: {100 * (own / other - 1):+.0f}%\n")


def _build(checkout: Path, out: Path) -> BuildTime:
    """Build the site of ``checkout`` into the new folder ``out``; return the time."""
    shutil.rmtree(checkout / "site_templates" / "__pycache__", ignore_errors=True)
    python = checkout / ".venv" / "bin" / "python"
    out.parent.mkdir(parents=True, exist_ok=True)
    began, before = time.monotonic(), os.times()
    subprocess.run(
        [python, "-m", "leaderboard", "build", "--out", out],
        cwd=checkout,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = os.times()
    processor = (
        after.children_user - before.children_user + after.children_system - before.children_system
    )
    return BuildTime(processor, time.monotonic() - began)


if __name__ == "__main__":
    main()
