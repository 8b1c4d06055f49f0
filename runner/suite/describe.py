"""The texts of a suite with graders in TypeScript, stored because pages are built without it."""

from datetime import UTC, datetime

from records.files.data_folder import DataFolder
from records.suites.suite_description import DescribedEval, SuiteDescription
from records.writer import write_suite
from runner.evals.discovery import Eval, Suite
from runner.evals.typescript_suites import name_suite
from runner.suite.vitest_tests import list_vitest_tests


def describe_suite(suite: Suite, version: str) -> SuiteDescription:
    """Return the texts of a suite whose benchmark version is ``version``.

    Raises:
        InvalidEvalError: a file of a reference answer cannot be used.
    """
    return SuiteDescription(
        schema_version=1,
        version=version,
        name=name_suite(suite.root),
        described_at=datetime.now(UTC).replace(microsecond=0),
        evals={evaluation.name: _describe(evaluation) for evaluation in suite.evals},
    )


def write_description(suite: Suite, version: str, folder: DataFolder) -> None:
    """Write the texts of a suite to a data folder, unless the folder has those of the version."""
    if not folder.get_suite_file(version).exists():
        write_suite(folder, describe_suite(suite, version))


def _describe(evaluation: Eval) -> DescribedEval:
    text = evaluation.grader.read_text("utf-8", errors="replace")
    return DescribedEval(
        title=evaluation.config.title,
        pipeline=evaluation.config.pipeline,
        task=evaluation.task,
        reference=evaluation.read_answer(),
        tests=tuple(test.title for test in list_vitest_tests(evaluation.grader.name, text)),
    )
