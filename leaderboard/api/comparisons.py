"""The shapes and the reading of comparisons of models on golden sessions, for the API."""

from generator.scores.intervals import compute_session_interval
from records.files.data_folder import DataFolder
from records.sessions.comparison import MetricName, ModelComparison
from records.shapes.base import Count, Dollars, ModelSlug, Moment, Record, RunId
from review.comparisons.judgement_log import ComparisonStore
from review.comparisons.results import make_comparison_rows


class ShownMean(Record):
    """A mean over sessions with its 95% interval; all values are from 0 to 1."""

    value: float
    """The mean."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


class ShownPreference(Record):
    """Judgements of people who compared answers of a model with other answers, without names."""

    wins: Count
    """The number of judgements that the model's answer is better."""
    losses: Count
    """The number of judgements that the other answer is better."""
    equal: Count
    """The number of judgements that both are as good."""
    share: ShownMean
    """The share of judgements that the model won, with half of the equal ones: the mean over
    sessions of each session's share."""


class ShownModel(Record):
    """A model of a comparison."""

    model: ModelSlug
    """The model."""
    answers: Count
    """The number of answers with a score."""
    faults: Count
    """The number of requests that ended in a fault; they are part of no mean."""
    score: ShownMean | None
    """The score by the metric; null if there is no answer."""
    cost_usd: Dollars | None
    """The sum of the known costs of answers, in US dollars; null if none is known."""
    cost_known_for: Count
    """The number of answers whose cost is known."""
    preferred: ShownPreference | None
    """The judgements of people; null if nobody judged an answer of the model."""


class ShownComparison(Record):
    """A comparison in short."""

    comparison_id: RunId
    """The id of the comparison."""
    began_at: Moment
    """The time of its start."""
    metric: MetricName
    """The metric by which answers get their scores."""
    sessions: Count
    """The number of sessions that each model is asked about."""
    missing: Count
    """The number of answers that have not come yet."""
    models: tuple[ShownModel, ...]
    """The results of each model, in the order of the record."""


class ComparisonList(Record):
    """Comparisons, the newest first."""

    comparisons: tuple[ShownComparison, ...]
    """All comparisons."""


def build_comparison_list(data: DataFolder) -> ComparisonList:
    """Return the comparisons of a data folder.

    Raises:
        InvalidRecordError: a record or a log of judgements cannot be read.
    """
    store = ComparisonStore(data.local)
    comparisons = (_summarize(store, comparison) for comparison in store.list_comparisons())
    return ComparisonList(comparisons=tuple(comparisons))


def _summarize(store: ComparisonStore, comparison: ModelComparison) -> ShownComparison:
    events = store.read_log(comparison.comparison_id)
    rows = make_comparison_rows(comparison, events, compute_session_interval)
    return ShownComparison(
        comparison_id=comparison.comparison_id,
        began_at=comparison.began_at,
        metric=comparison.metric,
        sessions=len(comparison.items),
        missing=len(comparison.items) * len(rows) - sum(row.answers for row in rows),
        models=tuple(ShownModel.model_validate(row, from_attributes=True) for row in rows),
    )
