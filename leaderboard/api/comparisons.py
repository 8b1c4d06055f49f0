"""Comparisons of models on golden sessions, as they are read through the API."""

from generator.scores.intervals import interval_over_sessions
from records.files.data_folder import DataFolder
from records.reader import read_comparison, read_judgements
from records.sessions.comparison import MetricName, ModelComparison
from records.shapes.base import Count, Dollars, ModelSlug, Moment, Record, RunId
from review.comparisons.results import ComparedRow, EstimatedMean, Preferred, compared_rows


class ShownMean(Record):
    """A mean over sessions with its 95% interval, all 0 to 1."""

    value: float
    """The mean."""
    low: float
    """The interval's lower end."""
    high: float
    """Its upper end."""


class ShownPreference(Record):
    """What people who saw no names found of a model's answers beside those of others."""

    wins: Count
    """How often it was better."""
    losses: Count
    """How often the other was."""
    equal: Count
    """How often they were as good."""
    share: ShownMean
    """Of the judgements those it won, with half of those that were equal: of each session first."""


class ShownModel(Record):
    """One model of a comparison."""

    model: ModelSlug
    """Who was asked."""
    answers: Count
    """Answers that were scored."""
    faults: Count
    """Requests that ended in a fault; they are part of no mean."""
    score: ShownMean | None
    """By the metric; null without an answer."""
    cost_usd: Dollars | None
    """Sum over the answers whose cost is known, in US dollars; null where none is."""
    cost_known_for: Count
    """How many these are."""
    preferred: ShownPreference | None
    """Null where nobody judged an answer of it."""


class ShownComparison(Record):
    """A comparison in short."""

    comparison_id: RunId
    """Its identity."""
    began_at: Moment
    """When it began."""
    metric: MetricName
    """How answers are scored."""
    sessions: Count
    """How many sessions each model is asked about."""
    missing: Count
    """Answers that are yet to come."""
    models: tuple[ShownModel, ...]
    """A row for each model, in the order of the record."""


class ComparisonList(Record):
    """Comparisons, the newest first."""

    comparisons: tuple[ShownComparison, ...]
    """All of them."""


def comparison_list(data: DataFolder) -> ComparisonList:
    """Return the comparisons of a data folder.

    Raises:
        InvalidRecordError: a record or a log of judgements cannot be read.
    """
    comparisons = [
        _shown(data.local, read_comparison(path)) for path in data.local.comparison_files()
    ]
    comparisons.sort(
        key=lambda comparison: (comparison.began_at, comparison.comparison_id), reverse=True
    )
    return ComparisonList(comparisons=tuple(comparisons))


def comparison_record(data: DataFolder, comparison_id: str) -> ModelComparison:
    """Return the record of a comparison, with every answer.

    Raises:
        MissingRecordError: there is none of this id.
        InvalidRecordError: it cannot be read.
    """
    return read_comparison(data.local.comparison_file(comparison_id))


def _shown(folder: DataFolder, comparison: ModelComparison) -> ShownComparison:
    events = read_judgements(folder.judgement_file(comparison.comparison_id))
    rows = compared_rows(comparison, events, interval_over_sessions)
    return ShownComparison(
        comparison_id=comparison.comparison_id,
        began_at=comparison.began_at,
        metric=comparison.metric,
        sessions=len(comparison.items),
        missing=len(comparison.items) * len(rows) - sum(row.answers for row in rows),
        models=tuple(map(_model, rows)),
    )


def _model(row: ComparedRow) -> ShownModel:
    return ShownModel(
        model=row.model,
        answers=row.answers,
        faults=row.faults,
        score=_mean(row.score) if row.score else None,
        cost_usd=row.cost_usd,
        cost_known_for=row.cost_known_for,
        preferred=_preference(row.preferred) if row.preferred else None,
    )


def _preference(found: Preferred) -> ShownPreference:
    return ShownPreference(
        wins=found.wins, losses=found.losses, equal=found.equal, share=_mean(found.share)
    )


def _mean(found: EstimatedMean) -> ShownMean:
    return ShownMean(value=found.value, low=found.low, high=found.high)
