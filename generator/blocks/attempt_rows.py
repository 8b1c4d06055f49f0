"""The rows of the attempts on a run's page, and words for attempts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from generator.facts import attributions
from generator.facts.site_data import SiteBasics
from generator.facts.titles import find_eval_title
from generator.facts.urls import build_attempt_anchor, build_eval_path, build_kept_attempt_href
from generator.read.summaries import RunSummary
from generator.render.cells import Writer, choose_dollars_writer, choose_seconds_writer
from generator.render.environment import Row
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome


def choose_attempt_columns(attempts: Sequence[Attempt]) -> Row:
    """Return the optional columns that have a value for at least one of ``attempts``."""
    return Row(
        tests=any(attempt.tests for attempt in attempts),
        grading=any(sum_grading_seconds(attempt) is not None for attempt in attempts),
        cost=any(_get_cost(attempt) is not None for attempt in attempts),
    )


def build_attempt_rows(
    site: SiteBasics, summary: RunSummary, attempts: Sequence[Attempt], above: str | None = None
) -> Iterator[Row]:
    """Yield a row for each attempt, with amounts in the same units and digits.

    Rows refer to the fault ``above``, which the page states above the table.
    """
    grading = choose_seconds_writer(map(sum_grading_seconds, attempts))
    cost = choose_dollars_writer(map(_get_cost, attempts))
    run_attributions = attributions.collect_attributions(site, summary.run_id)
    for attempt in attempts:
        name, sample = attempt.eval, attempt.sample
        has_page = summary.artifact is not None and attempt.artifact is not None
        fault = describe_fault(attempt.fault) if attempt.fault else None
        yield Row(
            attempt=attempt,
            anchor=build_attempt_anchor(name, sample),
            title=find_eval_title(site, name),
            href=build_kept_attempt_href(summary.run_id, name, sample)
            if has_page
            else build_eval_path(name),
            slug=name.partition("/")[2],
            tests=format_tests_passed(attempt),
            grading=_build_amount_cell(sum_grading_seconds(attempt), grading),
            cost=_build_amount_cell(_get_cost(attempt), cost),
            fault="as said above" if fault is not None and fault == above else fault,
            attribution=attributions.find_sample_attribution(run_attributions, name, sample)
            if run_attributions and attempt.outcome is Outcome.FAILED
            else None,
            regraded=describe_regrading(attempt),
        )


def _build_amount_cell(value: float | None, write: Writer) -> Row | None:
    return None if value is None else Row(value=value, text=write(value))


def _get_cost(attempt: Attempt) -> float | None:
    return attempt.generation.cost_usd if attempt.generation else None


def describe_regrading(attempt: Attempt) -> str | None:
    """Return the latest of the earlier verdicts in words; None if there is none."""
    if not attempt.earlier_verdicts:
        return None
    last = attempt.earlier_verdicts[-1]
    return f"graded {last.outcome.value} before, on {last.graded_at.date()}"


def format_tests_passed(attempt: Attempt) -> str:
    """Return how many of the tests passed, such as `3 of 5`; empty if it is not known."""
    return f"{attempt.tests_passed} of {len(attempt.tests)}" if attempt.tests else ""


def sum_grading_seconds(attempt: Attempt) -> float | None:
    """Return the seconds of all measured grading steps together; None if none was measured."""
    durations = [step.duration_s for step in attempt.steps or () if step.duration_s is not None]
    return sum(durations) if durations else None


_FAULTS: Final[Mapping[FaultClass, str]] = {
    FaultClass.RATE_LIMITED: "the provider's limit of requests",
    FaultClass.PROVIDER_ERROR: "an error of the provider",
    FaultClass.PROVIDER_TIMEOUT: "the provider did not answer in time",
    FaultClass.CONNECTION_LOST: "the connection was lost",
    FaultClass.MALFORMED_REPLY: "the reply could not be read",
    FaultClass.EMPTY_REPLY: "the reply was empty",
    FaultClass.TRUNCATED_BY_SERVER: "the server cut the reply off",
    FaultClass.PROMPT_CUT_BY_SERVER: "the server cut the prompt",
    FaultClass.LIMIT_IGNORED: "the server ignored the limit on the reply",
    FaultClass.CONTENT_FILTER: "the provider's filter kept the reply back",
    FaultClass.AUTHENTICATION: "the provider did not accept the key",
    FaultClass.REFUSED_REQUEST: "the provider refused the request",
    FaultClass.BUDGET: "the budget was used up",
    FaultClass.SANDBOX: "the sandbox failed",
    FaultClass.BACKEND: "the backend failed",
    FaultClass.TOOLCHAIN: "the toolchain failed",
    FaultClass.GRADER: "the grader failed",
    FaultClass.OUTAGE: "an outage around the run",
}
"""The words for each class of fault."""


def describe_fault(fault: Fault) -> str:
    """Return a fault in words: its class and its evidence."""
    return f"{_FAULTS[fault.kind]}: {fault.evidence}"
