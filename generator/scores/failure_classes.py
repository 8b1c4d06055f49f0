"""Whose fault each failed attempt is, by a report: one class per attempt."""

from collections.abc import Mapping

from generator.read.summaries import EvalResult, ReportSummary


def attempt_classes(
    report: ReportSummary, results: Mapping[str, EvalResult]
) -> dict[str, tuple[str, ...]]:
    """Return the class of each failed attempt that ``report`` classes, by eval.

    An entry for one sample speaks for that one; an entry without a sample speaks for all failed
    ones that have no entry of their own.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in {failure.eval: None for failure in report.failures}:
        result = results.get(name)
        failed = result.judged - result.passed if result else 0
        said = [failure for failure in report.failures if failure.eval == name]
        single = [failure for failure in said if failure.sample is not None]
        rest = [failure for failure in said if failure.sample is None]
        each = [*single, *(rest * max(0, failed - len(single)))]
        found[name] = tuple(one.failure_class.value for one in each if one.failure_class)
    return found
