"""Time and memory of `leaderboard snapshot` over many records.

Run with ``python -m tests.benchmarks.bench_snapshot [--runs N] [--records mixed|published|own]``:
the records are those of `bench_site`. The figures are of the whole process with its workers.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from records.files.data_folder import DataFolder
from tests.benchmarks.process_memory import measure_memory_mib
from tests.benchmarks.site_corpus import Records, write_corpus

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Take one snapshot, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--records", type=Records, default=Records.MIXED, choices=[*Records])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-snapshot-") as folder:
        workspace = Path(folder)
        write_corpus(DataFolder(workspace / "data"), options.runs, options.records)
        # Its templates are compiled beside it, so it gets its own.
        shutil.copytree(ROOT / "site_templates", workspace / "templates")
        _measure(workspace)


def _measure(workspace: Path) -> None:
    folders = ["--data", "data", "--templates", "templates", "--evals", str(ROOT / "evals")]
    command = [sys.executable, "-m", "leaderboard", "snapshot", "--out", "snapshot", *folders]
    began, before, peak = time.monotonic(), os.times(), 0.0
    with subprocess.Popen(command, cwd=workspace) as process:
        while process.poll() is None:
            peak = max(peak, measure_memory_mib(process.pid))
            time.sleep(0.25)
    wall, after = time.monotonic() - began, os.times()
    if process.returncode:
        raise ChildProcessError(f"leaderboard snapshot ended with {process.returncode}")
    user = after.children_user - before.children_user
    processor = user + after.children_system - before.children_system
    print(f"{wall:.1f} s on the clock, {processor:.1f} s of processor time, {peak:.0f} MiB")


if __name__ == "__main__":
    main()
