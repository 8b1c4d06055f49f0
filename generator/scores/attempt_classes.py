"""The classes of failed attempts by a report, one class for each attempt."""

from collections.abc import Mapping, Sequence

from generator.read.summaries import EvalResult
from records.shapes.report import ClassedFailure


def list_attempt_classes(
    failures: Sequence[ClassedFailure], results: Mapping[str, EvalResult]
) -> dict[str, tuple[str, ...]]:
    """Return the classes of failed attempts by eval, from the ``failures`` of a report.

    A failure with a sample is about that sample. A failure without one is about all failed samples
    that have no failure of their own. Attempts without a class are left out.
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
            failure.failure_class.value for failure in each if failure.failure_class
        )
    return by_eval
