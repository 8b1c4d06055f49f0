"""The rows of the attempts on a run's page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from generator.facts.attributions import Attributions, find_sample_attribution
from generator.facts.urls import build_attempt_anchor, build_eval_path, build_kept_attempt_href
from generator.read.summaries import RunSummary
from generator.render.column_units import Writer, choose_dollars_writer, choose_seconds_writer
from generator.render.outcome_tag import render_outcome_tag
from generator.render.template_filters import MISSING
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome, StepName
from records.text.escaping import SHORT, escape_html, mark_safe, with_code

_FAILED = Outcome.FAILED
_UNKNOWN = f'<td class="num" data-value="">{MISSING}</td>\n'


class AttemptColumns(NamedTuple):
    """Which optional columns the table of attempts has: those with a value in some row."""

    tests: bool
    grading: bool
    cost: bool


def choose_attempt_columns(attempts: Sequence[Attempt]) -> AttemptColumns:
    """Return the optional columns that have a value for at least one of ``attempts``."""
    return AttemptColumns(
        tests=any(attempt.tests for attempt in attempts),
        grading=any(sum_grading_seconds(attempt) is not None for attempt in attempts),
        cost=any(_get_cost(attempt) is not None for attempt in attempts),
    )


@dataclass(frozen=True, slots=True)
class AmountWriters:
    """The functions that write the amounts of a run's attempts, in all tables of its page."""

    grading: Writer
    cost: Writer


def choose_amount_writers(attempts: Sequence[Attempt]) -> AmountWriters:
    """Return functions that write the amounts of ``attempts`` with the same unit and digits."""
    return AmountWriters(
        grading=choose_seconds_writer(map(sum_grading_seconds, attempts)),
        cost=choose_dollars_writer(map(_get_cost, attempts)),
    )


def _get_cost(attempt: Attempt) -> float | None:
    return attempt.generation.cost_usd if attempt.generation else None


def render_attempt_rows(  # noqa: PLR0913 - only the page has all these values
    root: str,
    summary: RunSummary,
    attempts: Iterable[Attempt],
    run_attributions: Attributions,
    title: Callable[[str], str],
    *,
    columns: AttemptColumns,
    writers: AmountWriters,
    above: str | None = None,
) -> str:
    """Return a row for each attempt, as HTML.

    Args:
        root: the way from the page to the site's root, such as `../../`.
        summary: the run.
        attempts: the attempts, in the order of the rows.
        run_attributions: the attributions of the run's failures.
        title: returns the title of an eval.
        columns: the optional columns of the table.
        writers: write the amounts.
        above: the fault that the page states above the table; rows refer to it.
    """
    rows: list[str] = []
    for attempt in attempts:
        name, sample = attempt.eval, attempt.sample
        has_page = summary.artifact is not None and attempt.artifact is not None
        path = build_kept_attempt_href(summary.run_id, name, sample) if has_page else None
        rows.append(
            _render_name_cell(root, attempt, title(name), path)
            + _render_further_cells(root, attempt, run_attributions, columns, writers, above=above)
        )
    return mark_safe("".join(rows))


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


def _render_name_cell(root: str, attempt: Attempt, title: str, path: str | None) -> str:
    """Return the cell of an attempt's name, a link to ``path``; if None, to the eval's page."""
    if path is None:
        return _render_linked_name_cell(root, attempt.eval, attempt.sample, title)
    before, after = _render_name_cell_parts(attempt.eval, attempt.sample, title)
    return f"{before}{root}{path}{after}"


@lru_cache(maxsize=1 << 12)
def _render_linked_name_cell(root: str, name: str, sample: int, title: str) -> str:
    """Return the cell of the name of an attempt without a page: a link to the eval's page."""
    before, after = _render_name_cell_parts(name, sample, title)
    return f"{before}{root}{build_eval_path(name)}{after}"


def _render_further_cells(  # noqa: PLR0913 - see `render_attempt_rows`
    root: str,
    attempt: Attempt,
    run_attributions: Attributions,
    columns: AttemptColumns,
    writers: AmountWriters,
    *,
    above: str | None,
) -> str:
    """Return the cells after the name."""
    outcome, step, reason = attempt.outcome, attempt.failed_step, attempt.reason
    bare = attempt.steps is None and attempt.tests is None and attempt.generation is None
    alone = attempt.fault is None and not attempt.earlier_verdicts
    noted = run_attributions and outcome is _FAILED
    if bare and alone and not noted and (reason is None or len(reason) < SHORT):
        return _render_unmeasured_cells(outcome, step, reason, columns)
    measured = (
        _render_blank_cells(columns) if bare else _render_amount_cells(attempt, columns, writers)
    )
    why = _render_why_cell(root, attempt, run_attributions, above)
    return f"{_render_verdict_cells(outcome, step)}{measured}{why}"


@lru_cache(maxsize=1 << 12)
def _render_unmeasured_cells(
    outcome: Outcome, step: StepName | None, reason: str | None, columns: AttemptColumns
) -> str:
    """Return the cells of an attempt without amounts; imported runs have many equal ones."""
    why = _render_reason_cell(with_code(reason) if reason else "")
    return f"{_render_verdict_cells(outcome, step)}{_render_blank_cells(columns)}{why}"


def _render_blank_cells(columns: AttemptColumns) -> str:
    """Return the cells of amounts of an attempt of which nothing was measured."""
    tests = '<td class="num"></td>\n' if columns.tests else ""
    return f"{tests}{_UNKNOWN * (columns.grading + columns.cost)}"


@lru_cache(maxsize=1 << 12)
def _render_name_cell_parts(name: str, sample: int, title: str) -> tuple[str, str]:
    """Return the text before and after the address in the cell of an attempt's name."""
    number = f" #{sample}" if sample > 1 else ""
    slug = escape_html(name.split("/")[1])
    return (
        (
            f'<tr id="{build_attempt_anchor(name, sample)}">\n'
            f'<th scope="row" data-value="{name}"><a href="'
        ),
        (
            f'">{escape_html(title)}</a>{number}</th>\n'
            f'<td class="slug"><code class="provider">{slug}</code></td>\n'
        ),
    )


@lru_cache(maxsize=1 << 8)
def _render_verdict_cells(outcome: Outcome, step: StepName | None) -> str:
    name, where = outcome.value, step.value if step else ""
    tag = render_outcome_tag(name)
    return f'<td data-value="{name}">{tag}</td>\n<td data-value="{where}">{where}</td>\n'


def _render_amount_cells(attempt: Attempt, columns: AttemptColumns, writers: AmountWriters) -> str:
    cells = f'<td class="num">{format_tests_passed(attempt)}</td>\n' if columns.tests else ""
    if columns.grading:
        cells += _render_amount_cell(sum_grading_seconds(attempt), writers.grading)
    if columns.cost:
        cells += _render_amount_cell(_get_cost(attempt), writers.cost)
    return cells


def _render_amount_cell(value: float | None, written: Writer) -> str:
    if value is None:
        return _UNKNOWN
    return f'<td class="num" data-value="{value}">{written(value)}</td>\n'


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


def _render_why_cell(
    root: str, attempt: Attempt, run_attributions: Attributions, above: str | None
) -> str:
    reason, fault = attempt.reason, attempt.fault
    parts: list[str] = []
    if fault is not None:
        words = describe_fault(fault)
        parts.append("as said above" if words == above else escape_html(words))
    elif reason is not None:
        parts.append(with_code(reason))
    if run_attributions and attempt.outcome is Outcome.FAILED:
        attribution = find_sample_attribution(run_attributions, attempt.eval, attempt.sample)
        if attribution is not None:
            href, kind = escape_html(attribution.href), escape_html(attribution.kind)
            parts.append(f'<a class="blame" href="{root}{href}">{kind}</a>')
            if attribution.note != reason:
                parts.append(f'<span class="note">{escape_html(attribution.note)}</span>')
    if attempt.earlier_verdicts:
        parts.append(f"<small>{describe_regrading(attempt)}</small>")
    return _render_reason_cell(" ".join(parts))


def _render_reason_cell(why: str) -> str:
    return f'<td class="text">{why}</td>\n</tr>\n'
