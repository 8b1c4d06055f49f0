"""Whose fault each failed attempt is, by a report: one class per attempt."""

from collections.abc import Mapping, Sequence

from generator.read.summaries import EvalResult
from records.shapes.report import ClassedFailure


def attempt_classes(
    failures: Sequence[ClassedFailure], results: Mapping[str, EvalResult]
) -> dict[str, tuple[str, ...]]:
    """Return the class of each failed attempt that a report's ``failures`` class, by eval.

    An entry for one sample speaks for that sample; an entry without a sample speaks for all failed
    ones that have no entry of their own.
    """
    by_eval: dict[str, tuple[str, ...]] = {}
    for name in {failure.eval: None for failure in failures}:
        result = results.get(name)
        failed = result.judged - result.passed if result else 0
        of_eval = [failure for failure in failures if failure.eval == name]
        single = [failure for failure in of_eval if failure.sample is not None]
        general = [failure for failure in of_eval if failure.sample is None]
        each = [*single, *(general * max(0, failed - len(single)))]
        by_eval[name] = tuple(
            failure_classed.failure_class.value
            for failure_classed in each
            if failure_classed.failure_class
        )
    return by_eval
