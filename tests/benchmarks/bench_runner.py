"""Cost of the whole runner with a hundred attempts in flight: memory and processor time each.

Run with ``python -m tests.benchmarks.bench_runner [--kilobytes N] [--pieces N]``. In a real
`leaderboard run` every attempt ends at its first step: the rest is the runner's own work. Once
a baseline answers, which asks nobody; once a local server that speaks the OpenAI protocol, which
adds the cost of litellm and of the client below it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.leaderboard.commanding import serve_provider
from tests.runner.conftest import ROOT, write_prose_suite

EVALS = 600
IN_FLIGHT = 100
PATTERNS = ("000-task", ".")
MOST_MB = 300
MOST_MS = 10


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one run in its process."""

    peak_mb: float
    cpu_s: float
    wall_s: float


def main() -> None:
    """Measure runs of one and of many attempts; the difference is the cost of attempts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kilobytes", type=int, default=8, help="size of a reply")
    parser.add_argument("--pieces", type=int, default=1, help="pieces a reply comes in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        suite = write_prose_suite(workspace / "suite", EVALS)
        own_ms = _compute_attempt_ms(
            [_measure_baseline(workspace, suite, pattern) for pattern in PATTERNS]
        )
        measured = [_measure_server(workspace, suite, pattern, options) for pattern in PATTERNS]
        _, many = measured
    print(f"{EVALS} attempts, {IN_FLIGHT} in flight, replies of {options.kilobytes} KB")
    print(f"  peak memory of the runner   {many.peak_mb:7.1f} MB (at most {MOST_MB})")
    print(f"  processor time per attempt  {own_ms:7.2f} ms without asking (at most {MOST_MS})")
    asking_ms = _compute_attempt_ms(measured)
    print(f"                              {asking_ms:7.2f} ms with litellm's asking")
    print(f"  wall                        {many.wall_s:7.2f} s")
    sys.exit(many.peak_mb > MOST_MB or own_ms > MOST_MS)


def _compute_attempt_ms(costs: list[Cost]) -> float:
    """Return the cost of an attempt, from runs of one and of all, without the cost of a start."""
    few, many = costs
    return 1000 * (many.cpu_s - few.cpu_s) / (EVALS - 1)


def _measure_baseline(workspace: Path, suite: Path, pattern: str) -> Cost:
    return _measure_command([*_build_command(workspace, suite, pattern), "-m", "baseline/empty"])


def _measure_server(
    workspace: Path, suite: Path, pattern: str, options: argparse.Namespace
) -> Cost:
    text = "Prose without files. " * (options.kilobytes * 1000 // 21)
    piece = max(1, len(text) // options.pieces)
    script = {"default": {"text": text, "piece": piece, "delay_s": 2.0}}
    with serve_provider(workspace, script) as address:
        # With an entry, since a server given by address gets single requests at first.
        models = workspace / "data" / "models.toml"
        models.parent.mkdir(exist_ok=True)
        models.write_text(
            'schema_version = 1\n[[models]]\nslug = "bench/x"\nname = "x"\nprovider = "bench"\n'
            f'litellm_id = "openai/x"\napi_base = "{address}"\n'
            f"limits = {{ concurrency = {IN_FLIGHT} }}\n"
        )
        asking = ("-m", "bench/x")
        return _measure_command([*_build_command(workspace, suite, pattern), *asking])


def _build_command(workspace: Path, suite: Path, pattern: str) -> list[str]:
    return [
        *(sys.executable, "-m", "leaderboard", "run", "-f", pattern),
        *("--concurrency", str(IN_FLIGHT)),
        *("--evals", str(suite), "--data", str(workspace / "data")),
    ]


def _measure_command(command: list[str]) -> Cost:
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
