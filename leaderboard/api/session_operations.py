"""The operations of the API on sessions: reading, labelling, exports, and comparisons."""

from functools import partial
from typing import Final

from pydantic import TypeAdapter

from generator.scores.intervals import compute_session_interval
from leaderboard.api.errors import NotThereError
from leaderboard.api.export import HEADERS, ExportQuery, ExportSummary, SessionExports
from leaderboard.api.operations import Asked, Operation
from leaderboard.api.request_checks import SMALL_BODY
from leaderboard.api.session_labels import SessionLabels
from leaderboard.api.session_shapes import (
    ChangedLabels,
    ReviewerQuery,
    SessionChange,
    SessionPage,
    SessionsQuery,
    ShownSession,
    TurnChange,
    UndoneChange,
)
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.sessions.comparison import MetricName, ModelComparison
from records.shapes.base import Count, Dollars, ModelSlug, Moment, Record, RunId
from review.comparisons.judgement_log import ComparisonStore
from review.comparisons.results import make_comparison_rows
from review.desk.guard import LARGEST_FORM
from review.exports.formats import FORMATS
from review.store import SessionStore


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


_SESSION: Final = "/api/sessions/{session_id}"


class SessionOperations:
    """The operations on the sessions of a data folder."""

    def __init__(self, data: DataFolder) -> None:
        """Store the data folder; nothing is read yet."""
        self._data = data
        self._exports = SessionExports(SessionStore(data))
        self._labels = SessionLabels(SessionStore(data))

    def list_operations(self) -> list[Operation]:
        """Return these operations, for the table of all operations."""
        return [
            *self._list_reading_operations(),
            *self._list_labelling_operations(),
            *self._list_exporting_operations(),
            *self._list_comparing_operations(),
        ]

    def _list_reading_operations(self) -> list[Operation]:
        reading = partial(Operation, scopes=("sessions:write",))
        return [
            reading(
                "listSessions",
                "GET",
                "/api/sessions",
                "List sessions by their ids, with their labels.",
                lambda asked: self._labels.list_sessions(asked.query, asked.key.name),
                {200: ("Sessions.", SessionPage)},
                query=SessionsQuery,
            ),
            reading(
                "getSession",
                "GET",
                _SESSION,
                "A session with its transcript, as the reviewer may see it.",
                lambda asked: self._labels.show_session(
                    asked.path["session_id"], asked.query, asked.key.name
                ),
                {200: ("The session.", ShownSession)},
                query=ReviewerQuery,
            ),
        ]

    def _list_labelling_operations(self) -> list[Operation]:
        labelling = partial(Operation, scopes=("sessions:write",), refusals=(409,))
        return [
            labelling(
                "labelSession",
                "POST",
                f"{_SESSION}/labels",
                "Label a session: status, mark, notes, tags, expected output.",
                lambda asked: self._labels.label_session(
                    asked.path["session_id"], asked.body, asked.key.name
                ),
                {200: ("The labels now.", ChangedLabels)},
                body=TypeAdapter(SessionChange),
                largest_body=LARGEST_FORM,
            ),
            labelling(
                "labelTurn",
                "POST",
                f"{_SESSION}/turns/{{turn}}/labels",
                "Label one turn: status, notes, expected output.",
                lambda asked: self._labels.label_turn(
                    asked.path["session_id"], int(asked.path["turn"]), asked.body, asked.key.name
                ),
                {200: ("The labels now.", ChangedLabels)},
                body=TypeAdapter(TurnChange),
                largest_body=LARGEST_FORM,
            ),
            labelling(
                "undoLabel",
                "POST",
                f"{_SESSION}/undo",
                "Take back the reviewer's latest change of labels.",
                lambda asked: self._labels.undo_change(
                    asked.path["session_id"], asked.body, asked.key.name
                ),
                {200: ("The labels now.", ChangedLabels)},
                body=TypeAdapter(UndoneChange),
                largest_body=SMALL_BODY,
            ),
        ]

    def _list_exporting_operations(self) -> list[Operation]:
        headers = "; ".join(f"{name}: {words}" for name, words in HEADERS.items())
        types = " ".join(dict.fromkeys(form.media_type.split(";")[0] for form in FORMATS.values()))
        reading = partial(Operation, scopes=("sessions:read",), query=ExportQuery)
        return [
            reading(
                "exportSessions",
                "GET",
                "/api/export",
                "Labelled sessions as a file that other programs load.",
                lambda asked: self._exports.stream_file(asked.query),
                {200: (f"The file. Headers: {headers}.", types)},
                refusals=(404, 409),
            ),
            reading(
                "countExport",
                "GET",
                "/api/export/counts",
                "The contents of such a file, and what is left out of it.",
                lambda asked: self._exports.count_export(asked.query),
                {200: ("Counts.", ExportSummary)},
                refusals=(404,),
            ),
        ]

    def _list_comparing_operations(self) -> list[Operation]:
        reading = partial(Operation, scopes=("sessions:read",))
        return [
            reading(
                "listComparisons",
                "GET",
                "/api/comparisons",
                "Comparisons of models on golden sessions, the newest first, with their results.",
                lambda _: build_comparison_list(self._data),
                {200: ("Comparisons.", ComparisonList)},
            ),
            reading(
                "getComparison",
                "GET",
                "/api/comparisons/{comparison_id}",
                "The record of a comparison: prompts, models, answers, scores, costs.",
                self._show_comparison,
                {200: ("The record.", ModelComparison)},
            ),
        ]

    def _show_comparison(self, asked: Asked) -> ModelComparison:
        try:
            return ComparisonStore(self._data.local).read(asked.path["comparison_id"])
        except MissingRecordError as error:
            raise NotThereError("there is no such comparison", "comparison_id") from error
