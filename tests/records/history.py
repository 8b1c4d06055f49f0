"""A git repository whose history adds runs to a data folder."""

from collections.abc import Sequence
from pathlib import Path

from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.writer import write_record, write_run
from tests.records import examples
from tests.support.git import commit_all, run_git

EVALS = 8
"""Evals of the benchmark version, and of each run."""


def run_of(letter: str, outcome: Outcome) -> Run:
    """Return a run in which all evals have this outcome."""
    run = examples.make_run(letter * 32, evals=EVALS)
    attempts = tuple(examples.make_attempt(name, outcome=outcome) for name in run.planned)
    return run.model_copy(update={"attempts": attempts})


def write_history(parent: Path, tags: Sequence[str]) -> DataFolder:
    """Make a repository in a folder and return its data.

    A commit adds a run that passes, a later one a run that fails; the tags name them.
    """
    folder = DataFolder(parent / "repository" / "data")
    folder.root.mkdir(parents=True)
    run_git(parent, "init", "--quiet", "--initial-branch=main", "repository")
    benchmark = examples.make_benchmark()
    name = next(iter(benchmark.evals))
    evals = {examples.make_eval_name(number): benchmark.evals[name] for number in range(EVALS)}
    write_record(folder.benchmarks, benchmark.model_copy(update={"evals": evals}))
    for letter, outcome, tag in zip("ab", (Outcome.PASSED, Outcome.FAILED), tags, strict=True):
        write_run(folder, run_of(letter, outcome))
        commit(folder, tag)
    return folder


def commit(data: DataFolder, tag: str) -> None:
    """Commit all files, and name the commit."""
    commit_all(data.root, tag)
    run_git(data.root, "tag", tag)
