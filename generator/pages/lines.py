"""Runs as lines of a list, shares, scores and differences as pages show them."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from generator.charts.bars import whisker
from generator.contexts.shared import Blame, HeatCell, Link, ModelLink, RunLine, Score, Share
from generator.corpus import EvalResult, FiledReport, RunSummary
from generator.pages.names import experiment, model_link, report_path, run_path
from generator.pages.surroundings import Surroundings
from records.report import FailureClass

if TYPE_CHECKING:
    # Only named here: statistics take long to import, and pages of runs need none.
    from generator.pages.boards import Standing

FEWEST = 10
"""Evals that a percentage needs; a cell of fewer shows its count first."""

_LEVELS = (40, 50, 60, 70, 80, 85, 90, 95, 100)
"""Percentages at which a cell's colour grows stronger: finer where models differ."""

CLASSES: Mapping[FailureClass, tuple[str, str]] = {
    FailureClass.MODEL_FAULT: ("model fault", "m"),
    FailureClass.OVERLY_STRICT: ("overly strict grader", "s"),
    FailureClass.AMBIGUOUS_TASK: ("ambiguous task", "a"),
    FailureClass.KNOWN_GAP: ("known gap", "g"),
    FailureClass.HARNESS_FAULT: ("harness fault", "h"),
}
"""What a reader calls a class of failure, and its letter in a matrix."""

NOT_CLASSED = ("not classed", "?")


def share(results: Iterable[EvalResult]) -> Share | None:
    """Count evals passed among those judged; an eval with several attempts counts its mean."""
    rates = [result.passed / result.judged for result in results if result.judged]
    return Share(_tidy(sum(rates)), len(rates)) if rates else None


def run_share(run: RunSummary) -> Share | None:
    """Count evals passed among those judged of a whole run."""
    tally = run.tally
    return Share(_tidy(tally.evals_passed), tally.evals_judged) if tally.evals_judged else None


def standing_share(standing: "Standing", evals: Sequence[str]) -> Share:
    """Return a standing's share of ``evals``, of which there must be one."""
    return Share(_tidy(standing.passed(evals)), len(evals))


def pooled(shares: Iterable[Share]) -> Share | None:
    """Add shares up."""
    known = list(shares)
    judged = sum(one.judged for one in known)
    return Share(_tidy(sum(one.passed for one in known)), judged) if judged else None


def mean_of(standings: "Sequence[Standing]", name: str) -> Share | None:
    """Add up how ``standings`` fare at one eval; None where there are none."""
    passed = sum([one.passes[name] for one in standings])
    return Share(_tidy(passed), len(standings)) if standings else None


def _tidy(value: float) -> float:
    """Drop what adding floats in some order left behind."""
    return round(value, 9)


def score(found: Share, low: float | None, high: float | None) -> Score:
    """Return a share with its interval and its drawing."""
    return Score(found, low, high, whisker(found.percent, low, high))


def heat(shares: Sequence[Share | None], *, best: float | None) -> list[HeatCell | None]:
    """Return shares as coloured cells; those of ``best`` percent are marked."""
    return [one and heat_cell(one, best) for one in shares]


def heat_cell(found: Share, best: float | None) -> HeatCell:
    """Return a share as a coloured cell."""
    return HeatCell(
        share=found,
        level=bisect_right(_LEVELS, found.percent),
        best=best is not None and found.percent >= best,
        counted=found.judged < FEWEST,
    )


def run_line(material: Surroundings, run: RunSummary) -> RunLine:
    """Return a run as other pages list it."""
    return RunLine(
        run_id=run.run_id,
        href=run_path(run.run_id),
        model=linked(run),
        experiment=experiment(run.experiment),
        version_title=material.version_title(run.version),
        version_href=material.version_href(run.version),
        date=run.date,
        status=run.status,
        score=run_share(run),
        unjudged=run.tally.planned - run.tally.judged,
        source=run.source,
        withdrawn=run.withdrawn,
        corrected_passed=run.corrected_passed,
        local=run.local,
        reports=[
            Link(filed_path(filed), report_title(filed, run.name))
            for filed in material.reports.get(run.run_id, ())
        ],
    )


def linked(run: RunSummary) -> ModelLink:
    """Return the run's model as other pages name it."""
    return model_link(run.slug, run.name, run.provider)


def filed_path(filed: FiledReport) -> str:
    """Return where a report's page stands."""
    return report_path(filed.slug, filed.file_name)


def report_title(filed: FiledReport, model: str) -> str:
    """Return a report's headline, or who it is about."""
    return filed.report.title or f"{model}: {filed.report.passed} of {filed.report.planned} passed"


Blames = Mapping[tuple[str, int | None], Blame]
"""What reports say of a run's failures, by eval and sample; without a sample of all of them."""


def blames(material: Surroundings, run_id: str) -> Blames:
    """Return what the newest report on a run says of each failure."""
    return _blames(tuple(material.reports.get(run_id, ())))


@lru_cache(maxsize=1 << 13)
def _blames(reports: tuple[FiledReport, ...]) -> Blames:
    found: dict[tuple[str, int | None], Blame] = {}
    for filed in reports:
        page = filed_path(filed)
        for number, failure in enumerate(filed.report.failures, start=1):
            label, mark = NOT_CLASSED
            if failure.failure_class is not None:
                label, mark = CLASSES[failure.failure_class]
            blame = Blame(label, mark, failure.note, f"{page}#failure-{number}")
            found.setdefault((failure.eval, failure.sample), blame)
    return found


def blame_of(found: Blames, evaluation: str, sample: int) -> Blame | None:
    """Return what is said of one sample, or of all samples of its eval."""
    return found.get((evaluation, sample)) or found.get((evaluation, None))


def blame_of_any(found: Blames, evaluation: str) -> Blame | None:
    """Return what is said of an eval: of all its samples, else of the first that has a word."""
    whole = found.get((evaluation, None))
    if whole:
        return whole
    samples = [sample for name, sample in found if name == evaluation and sample]
    return found[evaluation, min(samples)] if samples else None
