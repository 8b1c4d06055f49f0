"""The records of stopped and killed runs, written below data/ so that their verdicts are committed.

git ignores data/local/, so a local run with a verdict is published; its journal, with which another
night continues it, moves with it. A run without a verdict is continued from the artifact alone. A
run that was stopped gently has its record already. The project's own Python executes this script.
"""

# ruff: noqa: INP001 - a script

import sys
from pathlib import Path

from ask_model import WHY

from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.files.plain_files import is_locked
from records.shapes.attempt import JUDGED
from records.shapes.run import Run
from runner.errors import NotPublishableError
from runner.runs.publish import publish
from runner.runs.record import finish


def main() -> None:
    """Write the records, and publish runs with a verdict."""
    data = DataFolder(Path("data"))
    for folder in (data, data.local):
        for journal in list(folder.list_journal_files()):
            if is_locked(journal):
                continue
            run = finish(folder, journal)
            print_line(run, f"{run.unjudged} attempts are left; {run.status}")
            if folder != data and any(attempt.outcome in JUDGED for attempt in run.attempts):
                publish_with_journal(data, run)


def publish_with_journal(data: DataFolder, run: Run) -> None:
    """Publish a local run, and move its journal, if it has one, beside the published record."""
    local = data.local.get_journal_file(*run.key)
    published = data.get_journal_file(*run.key)
    if local.exists():
        published.parent.mkdir(parents=True, exist_ok=True)
        local.replace(published)
    try:
        publish(data, run, WHY)
    except (NotPublishableError, RecordsError) as error:
        if published.exists():
            published.replace(local)
        print_line(run, f"stays local: {error}")


def print_line(run: Run, words: str) -> None:
    """Print a line about a run."""
    sys.stdout.write(f"run {run.short_id}: {words}\n")


if __name__ == "__main__":
    main()
