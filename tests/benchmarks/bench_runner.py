"""What the whole runner costs with a hundred attempts in flight: memory, and processor time each.

Run with ``python -m tests.benchmarks.bench_runner [--kilobytes N] [--pieces N]``. A real
`leaderboard run` asks a local server that speaks the OpenAI protocol and answers prose, so that
every attempt ends at its first step: what is left is the runner's own work.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.runner.conftest import ROOT, write_prose_suite

EVALS = 200
IN_FLIGHT = 100
MOST_MB = 300


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost its process."""

    peak_mb: float
    cpu_s: float
    wall_s: float


def main() -> None:
    """Measure runs of one and of many attempts; the difference is what attempts cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kilobytes", type=int, default=8, help="size of a reply")
    parser.add_argument("--pieces", type=int, default=1, help="pieces a reply comes in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        suite = place / "suite"
        suite.mkdir()
        write_prose_suite(suite, EVALS)
        few = _run(place, suite, "000-task", options)
        many = _run(place, suite, ".", options)
    each_ms = 1000 * (many.cpu_s - few.cpu_s) / (EVALS - 1)
    print(f"{EVALS} attempts, {IN_FLIGHT} in flight, replies of {options.kilobytes} KB")
    print(f"  peak memory of the runner   {many.peak_mb:7.1f} MB (at most {MOST_MB})")
    print(f"  processor time per attempt  {each_ms:7.2f} ms")
    print(f"  wall                        {many.wall_s:7.2f} s")
    sys.exit(many.peak_mb > MOST_MB)


def _run(place: Path, suite: Path, pattern: str, options: argparse.Namespace) -> Cost:
    text = "Prose without files. " * (options.kilobytes * 1000 // 21)
    script = place / "script.json"
    piece = max(1, len(text) // options.pieces)
    script.write_text(json.dumps({"default": {"text": text, "piece": piece, "delay_s": 2.0}}))
    provider = subprocess.Popen(
        [sys.executable, "-m", "tests.runner.generation.provider", "--script", str(script)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert provider.stdout is not None
    address = provider.stdout.readline().strip()
    try:
        return _measured(
            [
                *(str(Path(sys.executable).with_name("leaderboard")), "run", "-m", "openai/x"),
                *("--api-base", address, "--concurrency", str(IN_FLIGHT), "-f", pattern),
                *("--evals", str(suite), "--data", str(place / "data")),
            ]
        )
    finally:
        provider.kill()
        provider.wait()
        provider.stdout.close()


def _measured(command: list[str]) -> Cost:
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    status, stat = Path(f"/proc/{process.pid}/status"), Path(f"/proc/{process.pid}/stat")
    peak_kb, ticks = 0, 0
    while process.poll() is None:
        try:
            lines = status.read_text().splitlines()
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            break
        peak_kb = max(peak_kb, *(int(line.split()[1]) for line in lines if "VmHWM" in line), 0)
        ticks = int(fields[11]) + int(fields[12])
        time.sleep(0.02)
    process.wait()
    return Cost(peak_kb / 1000, ticks / os.sysconf("SC_CLK_TCK"), time.monotonic() - began)


if __name__ == "__main__":
    main()
