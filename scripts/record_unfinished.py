"""Writes the records of runs below data/ that were killed: their verdicts are committed then.

A record of a run that was stopped gently is there already, and stays as it is. The journal of a run
that can go on stays, too. It runs by the project's own Python.
"""

# ruff: noqa: INP001 - a script

import sys
from pathlib import Path

from records.folder import DataFolder
from records.journal import in_use
from runner.runs.record import finish


def main() -> None:
    """Write the records."""
    published = DataFolder(Path("data"))
    for data in (published, published.local):
        for journal in list(data.journal_files()):
            if not in_use(journal):
                run = finish(data, journal)
                sys.stdout.write(
                    f"run {run.run_id[:8]}: {run.unjudged} attempts are left; {run.status}\n"
                )


if __name__ == "__main__":
    main()
