"""Runs by the beginnings of their ids: development runs and published runs are looked up together.

A beginning that fits no run, or several, is answered with the runs that may be meant.
"""

import difflib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from records.errors import AmbiguousRunError, MissingRecordError, RecordsError
from records.files.data_folder import JOURNAL, RECORD, DataFolder
from records.journal import replay
from records.reader import read_bytes, read_run
from records.shapes.run import Run

SHORTEST_BEGINNING: Final = 4
"""Characters; fewer fit by chance."""
MOST_LISTED: Final = 10
"""The most runs that are listed where a beginning fits several."""
_NEAREST: Final = 3
_NEWEST: Final = 5
_SHORT_ID: Final = 8
"""Characters of an id that commands print."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Where a run lies; a run that was killed as it began has a journal and no record."""

    run_id: str
    slug: str
    """The model, by the folder that the run lies in."""
    folder: DataFolder
    """The published folder or the local folder."""
    is_local: bool
    record: Path | None
    journal: Path | None
    """Of a run that is going or was interrupted."""

    def read(self) -> Run:
        """Return its record; the plan of its journal where there is no record yet.

        Raises:
            RecordsError: it cannot be read, or is gone by now.
        """
        if self.record is not None:
            with suppress(MissingRecordError):
                return read_run(self.record)
        path = self.journal or self.folder.journal_file(self.slug, self.run_id)
        return replay.read(path).header.run

    def record_file(self) -> Path:
        """Return the path of its record.

        Raises:
            MissingRecordError: it has none yet.
        """
        if self.record is None:
            raise MissingRecordError(f"{self.journal}: the run was stopped as it began: no record")
        return self.record


class _Slug(BaseModel):
    model_config = ConfigDict(extra="ignore")
    slug: str = "unknown model"
    name: str = "unknown experiment"


class _Heading(BaseModel):
    """The fields of a record that name a run; records of every schema version have it."""

    model_config = ConfigDict(extra="ignore")
    model: _Slug = _Slug()
    experiment: _Slug = _Slug()
    date: str = "unknown date"
    started_at: str | None = None


def stored_runs(data: DataFolder) -> list[StoredRun]:
    """Return every run of ``data``, published and local, sorted by id; each once.

    A run that a killed `leaderboard publish` left in both folders counts as published.
    """
    by_id: dict[str, StoredRun] = {}
    for folder, is_local in ((data, False), (data.local, True)):
        for path in folder.run_files():
            run = _at(path, RECORD, folder, is_local=is_local)
            by_id.setdefault(run.run_id, replace(run, record=path))
        for path in folder.journal_files():
            run = _at(path, JOURNAL, folder, is_local=is_local)
            run_so_far = by_id.setdefault(run.run_id, run)
            if run_so_far.is_local == is_local:
                by_id[run.run_id] = replace(run_so_far, journal=path)
    return [by_id[run_id] for run_id in sorted(by_id)]


def find_run(data: DataFolder, beginning: str) -> StoredRun:
    """Return the run whose id begins so, published or local.

    Raises:
        MissingRecordError: there is none; the error lists the nearest runs and the newest.
        AmbiguousRunError: there are several, which the error lists, or the beginning is too short.
    """
    runs = stored_runs(data)
    alike = [run for run in runs if beginning and run.run_id.startswith(beginning)]
    exact = [run for run in alike if run.run_id == beginning]
    if exact:
        return exact[0]
    check_beginning(beginning, "run")
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise AmbiguousRunError(
            f"{data.root}: {beginning!r} begins the ids of {len(alike)} runs: give more of it",
            _listed(alike),
        )
    raise MissingRecordError(
        f"{data.root}: no run whose id begins with {beginning!r}", _proposals(runs, beginning)
    )


def check_beginning(beginning: str, kind: str) -> None:
    """See that the beginning of an id is long enough to mean one record of a ``kind``.

    Raises:
        AmbiguousRunError: it is not.
    """
    if len(beginning) < SHORTEST_BEGINNING:
        ids = "`leaderboard runs list` has the ids" if kind == "run" else "its id has more"
        raise AmbiguousRunError(
            f"{beginning!r}: at least {SHORTEST_BEGINNING} characters of a {kind}'s id are needed; "
            f"{ids}"
        )


def _at(path: Path, suffix: str, folder: DataFolder, *, is_local: bool) -> StoredRun:
    slug = f"{path.parent.parent.name}/{path.parent.name}"
    run_id = path.name.removesuffix(suffix)
    is_journal = suffix == JOURNAL
    return StoredRun(
        run_id,
        slug,
        folder,
        is_local,
        record=None if is_journal else path,
        journal=path if is_journal else None,
    )


def _proposals(runs: Sequence[StoredRun], beginning: str) -> tuple[str, ...]:
    """Return lines with the runs of the nearest ids, then with the newest runs."""
    by_start: dict[str, list[StoredRun]] = {}
    for run in runs:
        by_start.setdefault(run.run_id[: len(beginning)], []).append(run)
    close = difflib.get_close_matches(beginning.lower(), by_start, n=_NEAREST, cutoff=0.6)
    near = [run for start in close for run in by_start[start]][:_NEAREST]
    lines: list[str] = []
    if near:
        lines += ["nearest ids:", *(f"  {line}" for line in _lines(near))]
    if runs:
        lines += ["newest runs:", *(f"  {line}" for line in _lines(_newest_first(runs)[:_NEWEST]))]
    return tuple(lines)


def _listed(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Return a line for each run, newest first; of many the number that is left out."""
    lines = _lines(_newest_first(runs)[:MOST_LISTED])
    left_out = len(runs) - len(lines)
    return (*lines, f"and {left_out} more: leaderboard runs list") if left_out else tuple(lines)


def _newest_first(runs: Iterable[StoredRun]) -> list[StoredRun]:
    def began(run: StoredRun) -> tuple[str, str, str]:
        heading = _heading(run)
        return heading.date, heading.started_at or "", run.run_id

    return sorted(runs, key=began, reverse=True)


def _lines(runs: Sequence[StoredRun]) -> list[str]:
    """Return id, model, experiment, date and place of each run; ids as long as tells them apart."""
    ids = {run.run_id for run in runs}
    longest = max(map(len, ids), default=_SHORT_ID)
    lengths = range(_SHORT_ID, longest)
    length = next((n for n in lengths if len({run_id[:n] for run_id in ids}) == len(ids)), longest)
    return [f"{run.run_id[:length]}  {_described(run)}" for run in runs]


def _described(run: StoredRun) -> str:
    heading = _heading(run)
    folder = "local" if run.is_local else "published"
    return f"{heading.model.slug}  {heading.experiment.name}  {heading.date}  {folder}"


def _heading(run: StoredRun) -> _Heading:
    """Return the name of a run; a record that cannot be read is known by its folder alone."""
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
