"""The matrix of evals by models: its head, and cells with a link if an attempt failed.

A page has thousands of cells, so each is as short as possible: a cell in which every attempt
passed has no link, since the eval and the model are linked at its row and its column.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from generator import site_links
from generator.blocks.attributions import Attribution, find_attribution
from generator.render.templates import Row
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_data import SiteData
from records.runs.failure_words import FailureWords
from records.text.visible import make_one_line


def count_models(health: Mapping[str, EvalHealth]) -> int:
    """Return the number of models whose answers give the health of evals; 0 without evals."""
    return next((health_of_eval.models for health_of_eval in health.values()), 0)


class EvalStanding(NamedTuple):
    """The result of a model at one eval, over its runs that count."""

    passed: int
    """The number of passed attempts."""
    judged: int
    step: str | None
    """The failed step of the newest failed attempt; None if none failed or it is not known."""
    why: FailureWords | None
    """Why the newest failed attempt failed; None if none failed or it is not known."""
    attribution: Attribution | None
    """The attribution of the newest failure that a report explains; None if there is none."""
    answer: str
    """The address of the newest failed attempt; if none failed, of the newest attempt."""
    href: str
    """The address of the report's paragraph on the failure; without a report, `answer`."""

    publisher: bool = False
    """Whether `why` has the words of the publisher of imported results."""

    @property
    def explanation(self) -> str:
        """Step and reason of the newest failed attempt, and the attribution by a report."""
        why, words = self.step or "step not published", str(self.why or "")
        if words:
            why += f", by its publisher: {words}" if self.publisher else f": {words}"
        if self.attribution is None:
            return why
        note = make_one_line(self.attribution.note)
        repeated = not note or note == words
        return f"{why} ({self.attribution.kind}{'' if repeated else f': {note}'})"

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, or ``partly`` if attempts differ."""
        if self.passed == self.judged:
            return "passed"
        return "failed" if self.passed == 0 else "partly"

    @property
    def symbol(self) -> str:
        """The symbol of the outcome."""
        return site_links.SYMBOLS[self.outcome]


def build_matrix_rows(site: SiteData, leaderboard: Leaderboard, entries: Sequence[Entry]) -> Row:
    """Return a row of cells for each eval, the letters of attributions in them, for the legend.

    And the evals that every model, baselines left out, passes in every attempt.
    """
    evals = leaderboard.scored.evals
    columns = [list(build_eval_standings(site, evals, entry)) for entry in entries]
    by_eval = {name: [column[number] for column in columns] for number, name in enumerate(evals)}
    models = [not entry.newest.baseline for entry in entries]
    met = [entry for row in by_eval.values() for entry in row]
    return Row(
        rows=by_eval,
        marks=frozenset(entry.attribution.mark for entry in met if entry.attribution is not None),
        passed_by_all=frozenset(
            name
            for name, row in by_eval.items()
            if any(models) and all(entry.outcome == "passed" for entry in compress(row, models))
        ),
    )


def build_eval_standings(
    site: SiteData, evals: Sequence[str], entry: Entry
) -> Iterator[EvalStanding]:
    """Yield an entry's result at each of ``evals``."""
    pool = entry.row.pool
    passed: list[int] = pool.passed.tolist()
    judged: list[int] = pool.judged.tolist()
    failed: list[list[bool]] = np.stack([run.passed < run.judged for run in pool.runs]).T.tolist()
    for name, yes, of, where in zip(evals, passed, judged, failed, strict=True):
        failing = [run for run, here in zip(entry.runs, where, strict=True) if here]
        run = failing[0] if failing else entry.list_runs(name)[0]
        attributions = (find_attribution(site, each.run_id, name) for each in failing)
        attribution = next(filter(None, attributions), None)
        answer = site_links.build_attempt_href(run, name)
        yield EvalStanding(
            yes,
            of,
            run.results[name].failed_step if failing else None,
            next(filter(None, (each.words for each in run.failures.get(name, ()))), None)
            if failing
            else None,
            attribution,
            answer,
            answer if attribution is None else attribution.href,
            run.source is not None,
        )
