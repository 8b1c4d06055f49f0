"""The cells of evals by models: a link in each, large enough for a finger."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generator.read.summaries import RunSummary
from generator.render.escaping import escaped, trusted
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site.attributions import Attribution, Attributions, attribution_of_any
from generator.site.labels import SYMBOLS
from generator.site.urls import attempt_href


@dataclass(frozen=True, slots=True)
class Cells:
    """What stands in the rows of a matrix."""

    rows: Mapping[str, str]
    """By eval, HTML: a cell for each model."""
    marks: frozenset[str]
    """The letters of what reports say."""


@dataclass(frozen=True, slots=True)
class EvalStanding:
    """How a model fares at one eval."""

    passed: int
    """Attempts of the runs that count."""
    judged: int
    step: str | None
    """Where the newest attempt that failed did so; None where none failed or nobody said."""
    attribution: Attribution | None
    """What the newest report says of that failure."""
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
    """Return a row of cells for each eval; ``said`` is what reports say, by run."""
    marks: set[str] = set()
    columns = [list(_column(root, leaderboard.scored.evals, one, said, marks)) for one in entries]
    rows = {
        name: trusted("".join([column[place] for column in columns]))
        for place, name in enumerate(leaderboard.scored.evals)
    }
    return Cells(rows, frozenset(marks))


def _column(
    root: str,
    evals: Sequence[str],
    entry: Entry,
    said: Mapping[str, Attributions],
    marks: set[str],
) -> Iterator[str]:
    """Yield a cell for each eval."""
    name = escaped(entry.newest.name)
    for one in standings(evals, entry, said):
        label = f"{name}: passed {one.passed} of {one.judged}"
        label += f", {one.step}" if one.step else ""
        href, attribution = f"{root}{escaped(one.href)}", one.attribution
        if attribution is None:
            yield _cell(one.outcome, one.outcome, href, label, "")
        else:
            marks.add(attribution.mark)
            kind = escaped(attribution.kind)
            label += f". {kind}" + (f": {escaped(attribution.note)}" if attribution.note else "")
            mark = f'<span class="mark" aria-hidden="true">{attribution.mark}</span>'
            yield _cell(one.outcome, f"{one.outcome}, {kind}", href, label, mark)


def standings(
    evals: Sequence[str], entry: Entry, said: Mapping[str, Attributions]
) -> Iterator[EvalStanding]:
    """Yield how an entry fares at each of ``evals``; ``said`` is what reports say, by run.

    It leads to what the newest report says of a failure, which leads on to the answer; else to the
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
            attribution,
            answer,
            answer if attribution is None else attribution.href,
        )


def _attribution(
    failing: Sequence[RunSummary], said: Mapping[str, Attributions], name: str
) -> Attribution | None:
    """Return what the newest report says of a failure."""
    for run in failing:
        found = said[run.run_id]
        if found and (attribution := attribution_of_any(found, name)):
            return attribution
    return None


def _cell(outcome: str, told: str, href: str, label: str, mark: str) -> str:
    return (
        f'<td class="m {outcome}"><a href="{href}" title="{label}">{SYMBOLS[outcome]}'
        f'<span class="vh"> {told}</span>{mark}</a></td>'
    )
