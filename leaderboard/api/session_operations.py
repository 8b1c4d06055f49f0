"""The operations of the API on sessions: reading, labelling, exports, and comparisons."""

from functools import partial
from typing import Final

from pydantic import TypeAdapter

from leaderboard.api.comparisons import ComparisonList, build_comparison_list
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
from records.sessions.comparison import ModelComparison
from review.comparisons.judgement_log import ComparisonStore
from review.desk.guard import LARGEST_FORM
from review.exports.formats import FORMATS
from review.store import SessionStore

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
