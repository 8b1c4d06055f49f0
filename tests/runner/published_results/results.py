"""Files of results, and their import into an empty data folder."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from records.shapes.attempt import Attempt
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from review.redaction import redact_text
from runner.published_results.board_import import PlannedImport
from runner.published_results.board_results import ResultChoices
from runner.published_results.result_importers import import_results

Change = Mapping[str, object] | Callable[[Any], object]
"""A change of JSON: new values by their places, or a function that changes it."""
GONE = object()
"""The value of a place that is removed."""
FILES = Path(__file__).parent / "files"
"""Files that the other tools wrote; README.md there has their commands."""


def change_json(document: Any, change: Change) -> None:  # noqa: ANN401 - any JSON
    """Change values of JSON; a place is a path such as ``rows.0.score``, ``*`` is each item."""
    if callable(change):
        change(document)
        return
    for place, value in change.items():
        _set_value(document, place.split("."), value)


def _set_value(holder: Any, names: Sequence[str], value: object) -> None:  # noqa: ANN401 - any JSON
    name, *rest = names
    is_list = isinstance(holder, list)
    for key in range(len(holder)) if name == "*" else [int(name) if is_list else name]:
        if rest:
            _set_value(holder[key], rest, value)
        elif value is GONE:
            del holder[key]
        else:
            holder[key] = deepcopy(value)


def import_files(
    folder: DataFolder,
    *paths: Path,
    score: str | None = None,
    passes_at: float | None = None,
    source: str | None = None,
    format_name: str | None = None,
) -> PlannedImport:
    """Import files as the command does."""
    choices = ResultChoices(score=score, passes_at=passes_at, source=source)
    return import_results(paths, folder, choices, redact_text, format_name)


def catch_refusal(
    folder: DataFolder,
    *paths: Path,
    score: str | None = None,
    passes_at: float | None = None,
    format_name: str | None = None,
) -> str:
    """Return why files are refused, after the path; nothing may be written then."""
    with pytest.raises(InvalidRecordError) as error:
        import_files(folder, *paths, score=score, passes_at=passes_at, format_name=format_name)
    assert not folder.root.exists()
    return str(error.value).removeprefix(f"{error.value.path}: ")


def read_runs(folder: DataFolder) -> list[Run]:
    """Return the runs of a folder by model."""
    return [read_run(path) for path in folder.list_run_files()]


def read_benchmarks(folder: DataFolder) -> list[Benchmark]:
    """Return the versions of a folder."""
    return [read_benchmark(path) for path in folder.benchmarks.list_files()]


def read_outcomes(folder: DataFolder, run: Run) -> dict[str, str]:
    """Return the outcome of each attempt at its first repetition, by the sample's title."""
    titles = {
        name: digests.title or ""
        for benchmark in read_benchmarks(folder)
        for name, digests in benchmark.evals.items()
    }
    return {titles[a.eval]: a.outcome.value for a in run.attempts if a.sample == 1}


def find_attempt(folder: DataFolder, run: Run, title: str) -> Attempt:
    """Return the first attempt at the sample of this title."""
    names = [
        name
        for benchmark in read_benchmarks(folder)
        for name, digests in benchmark.evals.items()
        if digests.title == title
    ]
    return next(attempt for attempt in run.attempts if attempt.eval in names)
