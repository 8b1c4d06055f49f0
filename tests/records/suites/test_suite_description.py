"""The texts of a suite from elsewhere: read as written, and compared with their version."""

from pathlib import Path

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.suites.benchmark import compute_texts_digest
from records.suites.eval_config import DescribedEval, Pipeline, SuiteDescription
from records.writer import write_record
from tests.records import examples

pytestmark = pytest.mark.unit

TASK = "Write convex/index.ts.\n"


def _write(data: DataFolder, **changes: object) -> Path:
    version = examples.make_benchmark(1)
    name, digests = next(iter(version.evals.items()))
    digests = digests.model_copy(update={"task": compute_texts_digest(TASK)})
    write_record(data.benchmarks, version.model_copy(update={"evals": {name: digests}}))
    described = DescribedEval(
        title="One eval",
        pipeline=Pipeline.FULL,
        task=TASK,
        reference={"convex/index.ts": "export {};\n"},
        tests=("a group > a test",),
    )
    suite = SuiteDescription(
        schema_version=1,
        version=version.version,
        name="our suite",
        described_at=examples.NOON,
        evals={name: described.model_copy(update=changes)},
    )
    path = write_record(data.suites, suite)
    assert read_record(SuiteDescription, path) == suite
    return path


def test_a_right_description_has_no_problem(tmp_path: Path) -> None:
    """The texts are read as they were written, and agree with the version."""
    _write(DataFolder(tmp_path))

    assert check_all(DataFolder(tmp_path)) == []


def test_another_task_is_a_problem(tmp_path: Path) -> None:
    """A task whose digest is not the version's is named by its eval."""
    path = _write(DataFolder(tmp_path), task="Another task.\n")

    problems = check_all(DataFolder(tmp_path))

    assert [(problem.path, problem.field) for problem in problems] == [
        (path, f"evals.{examples.make_eval_name(0)}.task")
    ]


def test_an_eval_that_only_one_of_them_has_is_a_problem(tmp_path: Path) -> None:
    """The message names each such eval, on either side."""
    data = DataFolder(tmp_path)
    path = _write(data)
    suite = read_record(SuiteDescription, path)
    (described,) = suite.evals.values()
    write_record(
        data.suites, suite.model_copy(update={"evals": {examples.make_eval_name(1): described}})
    )

    problems = check_all(data)

    assert [(problem.path, problem.field) for problem in problems] == [
        (path, f"evals.{examples.make_eval_name(number)}") for number in (0, 1)
    ]


def test_a_description_without_its_version_is_a_problem(tmp_path: Path) -> None:
    """Texts of an undefined version have no use."""
    data = DataFolder(tmp_path)
    path = _write(data)
    for defined in data.benchmarks.list_files():
        defined.unlink()

    problems = check_all(data)

    assert [(problem.path, problem.field) for problem in problems] == [(path, "version")]
