"""Checks of the texts of suites that are kept elsewhere, against their benchmark versions."""

from collections.abc import Mapping

from records.checks.findings import Problem, read_at_their_places
from records.files.data_folder import DataFolder
from records.reader import read_suite
from records.suites.benchmark import Benchmark, compute_texts_digest


def check_suites(
    folder: DataFolder, benchmarks: Mapping[str, Benchmark], problems: list[Problem]
) -> None:
    """Check that each text of a suite is that of its benchmark version."""
    for path, suite in read_at_their_places(
        problems, folder.list_suite_files(), read_suite, "version", folder.get_suite_file
    ):
        benchmark = benchmarks.get(suite.version)
        if benchmark is None:
            problems.append(Problem(path, "version", "no benchmark version is defined under it"))
            continue
        for name in sorted(suite.evals.keys() | benchmark.evals.keys()):
            described, defined = suite.evals.get(name), benchmark.evals.get(name)
            if described is None or defined is None:
                reason = "is in only one of this file and the benchmark version"
                problems.append(Problem(path, f"evals.{name}", reason))
            elif defined.task not in {None, compute_texts_digest(described.task)}:
                reason = "its text is not that of the benchmark version"
                problems.append(Problem(path, f"evals.{name}.task", reason))
