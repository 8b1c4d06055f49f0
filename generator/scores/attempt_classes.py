"""Whose fault each failed attempt is, by a report: one class per attempt."""

from collections.abc import Mapping, Sequence

from generator.read.summaries import EvalResult
from records.report import ClassedFailure


def attempt_classes(
    failures: Sequence[ClassedFailure], results: Mapping[str, EvalResult]
) -> dict[str, tuple[str, ...]]:
    """Return the class of each failed attempt that a report's ``failures`` class, by eval.

    An entry for one sample speaks for that one; an entry without a sample speaks for all failed
    ones that have no entry of their own.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in {failure.eval: None for failure in failures}:
        result = results.get(name)
        failed = result.judged - result.passed if result else 0
        said = [failure for failure in failures if failure.eval == name]
        single = [failure for failure in said if failure.sample is not None]
        rest = [failure for failure in said if failure.sample is None]
        each = [*single, *(rest * max(0, failed - len(single)))]
        found[name] = tuple(one.failure_class.value for one in each if one.failure_class)
    return found
