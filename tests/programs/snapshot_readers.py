"""Loads a snapshot of the published results in the programs that it is made for.

    python -m tests.programs.snapshot_readers                      # both
    python -m tests.programs.snapshot_readers mlcroissant

uv fetches the programs. Every Eval Ever needs Python 3.12, which has to be installed. Ends with 1
if a program finds a fault.
"""

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from generator.snapshot.snapshot import take_snapshot
from generator.sources import Sources
from records.files.data_folder import DataFolder

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")

_LOAD_TABLES = """
import json, sys
import mlcroissant

dataset = mlcroissant.Dataset(jsonld=sys.argv[1])
rows = {file["path"]: file["rows"] for file in json.load(open(sys.argv[2]))["files"]}
for table in dataset.metadata.record_sets:
    found = sum(1 for _ in dataset.records(record_set=table.id))
    (wanted,) = {rows[path] for path in rows if path.partition(".")[0] == table.id}
    print(f"{table.id}: {found} of {wanted} rows", flush=True)
    assert found == wanted, table.id
"""


def main() -> int:
    """Take a snapshot and have it read; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    readers = parser.parse_args().readers or list(READERS)
    if unknown := set(readers) - READERS.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "snapshot"
        data = DataFolder(ROOT / "data")
        sources = Sources(data, ROOT / "site_templates", ROOT / "evals", local=False)
        take_snapshot(sources, folder)
        codes = {name: READERS[name](folder) for name in readers}
    for name, code in codes.items():
        sys.stdout.write(f"{name}: {'fine' if code == 0 else f'ended with {code}'}\n")
    return 1 if any(codes.values()) else 0


def _run_every_eval_ever(folder: Path) -> int:
    """Have their own command check all files; a warning counts as a fault, as in their store."""
    for path in sorted((folder / "every-eval-ever").iterdir()):
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    package = ["--from", "every-eval-ever==0.3.0"]
    command = ["every_eval_ever", "validate", "data/*/*/*/*.json", "data/*/*/*/*.jsonl"]
    return _run([str(UV), "tool", "run", "--python", "3.12", *package, *command], folder)


def _run_mlcroissant(folder: Path) -> int:
    """Have every table loaded by its description."""
    packages = ["--with", "mlcroissant==1.1.1", "--with", "pyarrow==26.0.1"]
    script = ["python", "-c", _LOAD_TABLES, "croissant.json", "manifest.json"]
    return _run([str(UV), "run", "--no-project", "--isolated", *packages, *script], folder)


def _run(command: list[str], folder: Path) -> int:
    return subprocess.run(command, cwd=folder, check=False).returncode


READERS: Mapping[str, Callable[[Path], int]] = {
    "every_eval_ever": _run_every_eval_ever,
    "mlcroissant": _run_mlcroissant,
}
"""The programs that read a snapshot."""

if __name__ == "__main__":
    sys.exit(main())
