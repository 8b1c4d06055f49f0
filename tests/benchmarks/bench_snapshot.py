"""Time and memory of `leaderboard snapshot` over many records.

Run with ``python -m tests.benchmarks.bench_snapshot [--runs N]``: the records are those of
`bench_site`. The figures are of the whole process with its workers.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from records.files.data_folder import DataFolder
from tests.benchmarks.measured_process import measure_process
from tests.benchmarks.site_corpus import write_corpus

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Take one snapshot, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-snapshot-") as folder:
        workspace = Path(folder)
        write_corpus(DataFolder(workspace / "data"), options.runs)
        # Its templates are compiled beside it, so it gets its own.
        shutil.copytree(ROOT / "site_templates", workspace / "templates")
        _measure(workspace)


def _measure(workspace: Path) -> None:
    folders = ["--data", "data", "--templates", "templates", "--evals", str(ROOT / "evals")]
    command = [sys.executable, "-m", "leaderboard", "snapshot", "--out", "snapshot", *folders]
    cost = measure_process(command, workspace, memory=True)
    print(
        f"{cost.wall_s:.1f} s on the clock, {cost.processor_s:.1f} s of processor time, "
        f"{cost.peak_mib:.0f} MiB"
    )


if __name__ == "__main__":
    main()
