"""Look-up of runs by the beginnings of their ids, among development runs and published runs.

If a beginning fits no run or several, the error lists the runs that may be meant.
"""

import difflib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from records.errors import AmbiguousRunError, MissingRecordError, RecordsError
from records.files.data_folder import JOURNAL, RECORD, DataFolder, get_model_slug
from records.grouping import group_values
from records.journal.journal import read as read_journal
from records.reader import read_bytes, read_run
from records.shapes.run import Run

SHORTEST_BEGINNING = 4
"""Characters of a beginning; a shorter beginning may fit by chance."""
MOST_LISTED = 10
"""The most runs in a list of the runs that a beginning fits."""
_NEAREST = 3
_NEWEST = 5
_SHORT_ID = 8
"""Characters of an id that commands print."""


class StoredRun(NamedTuple):
    """The paths of a run. A run that was killed when it began has a journal and no record."""

    run_id: str
    slug: str
    """The slug of the model, by the folder of the run."""
    folder: DataFolder
    """The published folder or the local folder."""
    is_local: bool
    record: Path | None
    journal: Path | None
    """The journal of a run that is under way or was interrupted; else None."""

    def read(self) -> Run:
        """Return the record of the run, or the plan in its journal if there is no record yet.

        Raises:
            RecordsError: the file cannot be read, or was removed meanwhile.
        """
        if self.record is not None:
            with suppress(MissingRecordError):
                return read_run(self.record)
        path = self.journal or self.folder.get_journal_file(self.slug, self.run_id)
        return read_journal(path).header.run

    def read_so_far(self) -> Run:
        """Return the run with the verdicts of its journal, which are newer than its record.

        Raises:
            RecordsError: the record or the journal cannot be read, or was removed meanwhile.
        """
        run = self.read()
        with suppress(MissingRecordError):
            return run if self.journal is None else read_journal(self.journal).merge_into(run)
        return self.read()  # the run has ended meanwhile

    def get_record_file(self) -> Path:
        """Return the path of the run's record.

        Raises:
            MissingRecordError: there is no record yet.
        """
        if self.record is None:
            raise MissingRecordError(
                f"{self.journal}: the run was stopped when it began, and has no record"
            )
        return self.record


class _Slug(BaseModel):
    slug: str = "unknown model"
    name: str = "unknown experiment"


class _Heading(BaseModel):
    """The fields of a record that describe a run to people; all schema versions have them."""

    model: _Slug = _Slug()
    experiment: _Slug = _Slug()
    date: str = "unknown date"
    started_at: str | None = None


def list_stored_runs(data: DataFolder) -> list[StoredRun]:
    """Return each run of ``data`` once, published and local, sorted by id.

    A killed `leaderboard publish` may leave a run in both folders. Such a run counts as published.
    """
    by_id: dict[str, StoredRun] = {}
    for folder, is_local in ((data, False), (data.local, True)):
        for path in folder.list_run_files():
            run_id, slug = path.name.removesuffix(RECORD), get_model_slug(path)
            by_id.setdefault(run_id, StoredRun(run_id, slug, folder, is_local, path, None))
        for path in folder.list_journal_files():
            run_id, slug = path.name.removesuffix(JOURNAL), get_model_slug(path)
            run = by_id.setdefault(run_id, StoredRun(run_id, slug, folder, is_local, None, path))
            if run.is_local == is_local:
                by_id[run_id] = run._replace(journal=path)
    return [by_id[run_id] for run_id in sorted(by_id)]


def find_run(data: DataFolder, beginning: str) -> StoredRun:
    """Return the run, published or local, whose id begins with ``beginning``.

    Raises:
        MissingRecordError: there is none; the error lists the nearest runs and the newest.
        AmbiguousRunError: there are several, which the error lists, or the beginning is too short.
    """
    runs = list_stored_runs(data)
    alike = [run for run in runs if beginning and run.run_id.startswith(beginning)]
    exact = [run for run in alike if run.run_id == beginning]
    if exact:
        return exact[0]
    check_beginning(beginning, "run")
    if len(alike) == 1:
        return alike[0]
    if alike:
        lines = _format_runs(_sort_newest_first(alike)[:MOST_LISTED])
        if (left_out := len(alike) - len(lines)) > 0:
            lines.append(f"and {left_out} more: leaderboard runs")
        raise AmbiguousRunError(
            f"{data.root}: {beginning!r} begins the ids of {len(alike)} runs: give more of it",
            lines,
        )
    # The runs with the nearest ids are listed, then the newest runs.
    by_start = group_values((run.run_id[: len(beginning)], run) for run in runs)
    close = difflib.get_close_matches(beginning.lower(), by_start, n=_NEAREST, cutoff=0.6)
    near = [run for start in close for run in by_start[start]][:_NEAREST]
    newest = _sort_newest_first(runs)[:_NEWEST]
    lines = list[str]()
    for heading, listed in (("nearest ids:", near), ("newest runs:", newest)):
        if listed:
            lines += [heading, *(f"  {line}" for line in _format_runs(listed))]
    raise MissingRecordError(f"{data.root}: no run whose id begins with {beginning!r}", lines)


def check_beginning(beginning: str, kind: str) -> None:
    """Refuse a beginning of an id that is too short to mean one record of a ``kind``.

    Raises:
        AmbiguousRunError: the beginning is too short.
    """
    if len(beginning) < SHORTEST_BEGINNING:
        ids = "`leaderboard runs` has the ids" if kind == "run" else "its id has more"
        raise AmbiguousRunError(
            f"{beginning!r}: at least {SHORTEST_BEGINNING} characters of a {kind}'s id are needed; "
            f"{ids}"
        )


def _sort_newest_first(runs: Iterable[StoredRun]) -> list[StoredRun]:
    def began(run: StoredRun) -> tuple[str, str, str]:
        heading = _read_heading(run)
        return heading.date, heading.started_at or "", run.run_id

    return sorted(runs, key=began, reverse=True)


def _format_runs(runs: Sequence[StoredRun]) -> list[str]:
    """Return a line for each run: id, model, experiment, date and folder.

    Ids are cut at the length at which they differ.
    """
    ids = {run.run_id for run in runs}
    longest = max(map(len, ids), default=_SHORT_ID)
    lengths = range(_SHORT_ID, longest)
    length = next((n for n in lengths if len({run_id[:n] for run_id in ids}) == len(ids)), longest)
    return [f"{run.run_id[:length]}  {_describe_run(run)}" for run in runs]


def _describe_run(run: StoredRun) -> str:
    heading = _read_heading(run)
    folder = "local" if run.is_local else "published"
    return f"{heading.model.slug}  {heading.experiment.name}  {heading.date}  {folder}"


def _read_heading(run: StoredRun) -> _Heading:
    """Return the heading of a run; if its file cannot be read, only the slug of its folder."""
    unknown = _Heading(model=_Slug(slug=run.slug))
    try:
        if run.record is not None:
            return _Heading.model_validate_json(read_bytes(run.record))
        if run.journal is not None:
            first = read_bytes(run.journal).split(b"\n", 1)[0]
            return _Heading.model_validate(json.loads(first)["run"])
    except (RecordsError, ValidationError, ValueError, LookupError, TypeError, RecursionError):
        return unknown
    return unknown
