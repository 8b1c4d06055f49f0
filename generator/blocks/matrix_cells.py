"""The cells of evals by models: a symbol in each, and a link where an attempt did not pass.

A page holds a cell for every eval and model, thousands of them, so that each is as short as it can
be: a passed attempt is found by the heads of its row and column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from generator.facts.attributions import Attribution, Attributions, attribution_of_any
from generator.facts.titles import SYMBOLS
from generator.facts.urls import attempt_href
from generator.read.summaries import RunSummary
from generator.scores.leaderboards import Entry, Leaderboard
from records.text.escaping import escaped, trusted


@dataclass(frozen=True, slots=True)
class Cells:
    """The rows of a matrix."""

    rows: Mapping[str, str]
    """By eval, HTML: a cell for each model."""
    marks: frozenset[str]
    """Letters of the attributions."""
    passed_by_all: frozenset[str]
    """Evals that every model of the matrix passes in every attempt; baselines are not asked."""


@dataclass(frozen=True, slots=True)
class EvalStanding:
    """How a model fares at one eval."""

    passed: int
    """Attempts of the runs that count."""
    judged: int
    step: str | None
    """Step of the newest failed attempt; None where none failed or it is not known."""
    reason: str | None
    """Why it failed; None where none failed or it is not known."""
    attribution: Attribution | None
    """Attribution of that failure by the newest report."""
    answer: str
    """Where that attempt is shown, or the newest one where none failed."""
    href: str
    """Where the report speaks of it, else the answer."""

    @property
    def outcome(self) -> str:
        """passed, failed or, where attempts differ, partly."""
        if self.passed == self.judged:
            return "passed"
        return "failed" if self.passed == 0 else "partly"


def cells(
    root: str, leaderboard: Leaderboard, entries: Sequence[Entry], said: Mapping[str, Attributions]
) -> Cells:
    """Return a row of cells for each eval; ``said`` has attributions by run."""
    evals = leaderboard.scored.evals
    columns = [list(standings(evals, entry, said)) for entry in entries]
    by_eval = {name: [column[number] for column in columns] for number, name in enumerate(evals)}
    models = [not entry.newest.baseline for entry in entries]
    met = [entry for row in by_eval.values() for entry in row]
    return Cells(
        rows={
            name: trusted("".join([cell(root, entry) for entry in row]))
            for name, row in by_eval.items()
        },
        marks=frozenset(entry.attribution.mark for entry in met if entry.attribution is not None),
        passed_by_all=frozenset(
            name
            for name, row in by_eval.items()
            if any(models) and all(entry.outcome == "passed" for entry in compress(row, models))
        ),
    )


def standings(
    evals: Sequence[str], entry: Entry, said: Mapping[str, Attributions]
) -> Iterator[EvalStanding]:
    """Yield how an entry fares at each of ``evals``; ``said`` has attributions by run.

    It leads to the newest report's entry on a failure, which leads on to the answer; else to the
    answer, the newest that failed where any did.
    """
    pool = entry.row.pool
    passed: list[int] = pool.passed.tolist()
    judged: list[int] = pool.judged.tolist()
    failed: list[list[bool]] = np.stack([run.passed < run.judged for run in pool.runs]).T.tolist()
    for name, yes, of, where in zip(evals, passed, judged, failed, strict=True):
        failing = [run for run, here in zip(entry.runs, where, strict=True) if here]
        run = failing[0] if failing else entry.newest
        attribution = _attribution(failing, said, name)
        answer = attempt_href(run, name)
        yield EvalStanding(
            yes,
            of,
            run.results[name].failed_step if failing else None,
            run.reasons.get(name) if failing else None,
            attribution,
            answer,
            answer if attribution is None else attribution.href,
        )


def _attribution(
    failing: Sequence[RunSummary], said: Mapping[str, Attributions], name: str
) -> Attribution | None:
    """Return the attribution of a failure by the newest report."""
    for run in failing:
        attributed = said[run.run_id]
        if attributed and (attribution := attribution_of_any(attributed, name)):
            return attribution
    return None


def cell(root: str, standing: EvalStanding) -> str:
    """Return a table cell, HTML; a standing that is not passed is a link that begins with ``root``.

    Its title has the number of passed attempts and the step where the newest failed; a report's
    words on that stand where the link leads. The outcome's word stands in an ``i`` out of sight.
    """
    outcome, attribution = standing.outcome, standing.attribution
    symbol = SYMBOLS[outcome]
    if outcome == "passed":
        return f'<td class="m passed">{symbol}<i> passed</i></td>'
    title = f"{standing.passed}/{standing.judged}"
    title += f", {escaped(standing.step)}" if standing.step else ""
    words, mark = outcome, ""
    if attribution is not None:
        words = f"{outcome}, {escaped(attribution.kind)}"
        mark = f'<span class="mark" aria-hidden="true">{attribution.mark}</span>'
    return (
        f'<td class="m {outcome}"><a href="{root}{escaped(standing.href)}" title="{title}">{symbol}'
        f"<i> {words}</i>{mark}</a></td>"
    )
