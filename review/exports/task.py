"""An export: a selection, a format and options, with the same plan and file for all callers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import cast

from records.archives.archive import compute_list_digest
from records.sessions.dataset import DatasetVersion
from review.datasets import VersionedSession, read_members
from review.exports.choice import TurnRows
from review.exports.export_plan import ExportPlan, plan_export
from review.exports.formats import ExportCounts, ExportFormat, encode_rows, format_rows, make_rows
from review.exports.rows import ExportOptions, Row
from review.exports.shared_rows import FEWEST, can_share, make_rows_in_workers
from review.labeled_session import LabeledSession
from review.selected import IndexOfIds, select_sessions
from review.selection import SessionSelection
from review.store import SessionProblem, SessionStore


@dataclass(frozen=True, slots=True)
class ExportTask:
    """An export: its sessions and its format."""

    store: SessionStore
    selection: SessionSelection
    form: ExportFormat
    options: ExportOptions
    version: DatasetVersion | None = None
    """The version whose members and labels are exported; None for the present sessions."""
    index: IndexOfIds | None = None
    """The index that finds selected sessions; None to read all files."""

    def scan_sessions(self) -> Iterator[LabeledSession | VersionedSession | SessionProblem]:
        """Yield the sessions, and a problem for each that cannot be exported."""
        if self.version is not None:
            return read_members(self.store, self.version, self.selection)
        return select_sessions(self.store, self.selection, self.index)

    def make_export_plan(self) -> ExportPlan:
        """Return the plan of the export."""
        return plan_export(self.scan_sessions(), self.form, self.options)

    def make_quick_plan(self) -> ExportPlan:
        """Return a plan that is quick to make, without strings that look like secrets.

        If rows are whole sessions, it has only a size, that of the files. If rows are turns, each
        row repeats the messages before it, so sessions are read and counted.
        """
        if isinstance(self.form.rows, TurnRows):
            return plan_export(
                self.scan_sessions(), self.form, self.options, counts_lookalikes=False
            )
        folder = self.store.folder
        ids = self.selection.ids
        paths = map(folder.get_session_file, ids) if ids else folder.list_session_files()
        return ExportPlan(size=sum(path.stat().st_size for path in paths if path.exists()))

    def format_file(self, plan: ExportPlan, counts: ExportCounts) -> Iterator[str]:
        """Yield the text of the file; ``counts`` grows meanwhile."""
        return format_rows(self._make_export_rows(plan, counts), self.form)

    def encode_file(self, plan: ExportPlan, counts: ExportCounts) -> Iterator[bytes]:
        """Yield the bytes of the file; ``counts`` grows meanwhile.

        Raises:
            MissingPackageError: the format needs a package that is not installed.
        """
        return encode_rows(self._make_export_rows(plan, counts), self.form)

    def _make_export_rows(self, plan: ExportPlan, counts: ExportCounts) -> Iterator[Row]:
        paths = self._list_shareable_paths()
        if not paths:
            return make_rows(self.scan_sessions(), self.form, self._named, counts, plan.repeated)
        options = self._named

        def make(part: Sequence[Path], part_counts: ExportCounts) -> Iterator[Row]:
            sessions = (
                session
                for session in self.store.scan(part)
                if isinstance(session, SessionProblem) or self.selection.selects(session)
            )
            return make_rows(sessions, self.form, options, part_counts, plan.repeated)

        return make_rows_in_workers(make, paths, counts)

    def _list_shareable_paths(self) -> Sequence[Path]:
        """Return the paths of all sessions if worker processes can share the work; else none."""
        chosen = (self.index, self.version, self.options.limit)
        is_part = bool(self.selection.ids) or any(restriction is not None for restriction in chosen)
        if is_part or not can_share():
            return ()
        paths = [*self.store.folder.list_session_files()]
        return paths if len(paths) >= FEWEST else ()

    @property
    def _named(self) -> ExportOptions:
        """The options; if they name no dataset, its name is made from the version or selection."""
        if self.options.dataset:
            return self.options
        if self.version is not None:
            return replace(self.options, dataset=self.version.name)
        chosen = [
            getattr(self.selection, field.name)
            for field in fields(self.selection)
            if field.name not in {"without", "limit"}
        ]
        return replace(self.options, dataset=compute_list_digest(*map(_format_value, chosen)))


def _format_value(value: object) -> str:
    if isinstance(value, frozenset):
        return repr(sorted(map(str, cast("frozenset[object]", value))))
    return repr(value)
