"""Edits after which benchmarks of the site build a part of it again."""

from pathlib import Path

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.attempt import Attempt, Outcome, StepName
from records.writer import write_run


def flip(data: DataFolder, path: Path) -> None:
    """Give an attempt the opposite outcome."""
    run = read_run(path)
    first = run.attempts[0]
    passed = first.outcome is Outcome.PASSED
    update = {
        "outcome": Outcome.FAILED if passed else Outcome.PASSED,
        "failed_step": StepName.TESTS if passed else None,
        "reason": "Otherwise." if passed else None,
        "steps": None,
        "tests": None,
    }
    other = Attempt.model_validate(first.model_copy(update=update).model_dump())
    write_run(data, run.model_copy(update={"attempts": (other, *run.attempts[1:])}))


def append(path: Path, text: str) -> None:
    """Add to the end of a file."""
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def replace(path: Path, old: str, new: str) -> None:
    """Put ``new`` in place of the first ``old`` of a file."""
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
