"""Repair of a journal: damaged lines are moved to a file beside it, and losses are listed."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from records.archives.archive import compute_artifact_digest
from records.errors import InvalidRecordError
from records.files.data_folder import DAMAGED, JOURNAL
from records.files.plain_files import open_plain, open_to_append
from records.journal.entries import (
    Asking,
    AttemptKey,
    Generated,
    Graded,
    Opened,
    build_artifact,
    encode_entry,
    list_planned_attempts,
    parse_entry,
)
from records.journal.journal import lock_journal
from records.journal.replay import JournalState, check_version, is_torn
from records.writer import open_atomic_file

_KIND: Final = re.compile(rb'"entry":"(generated|graded)"')
_EVAL: Final = re.compile(rb'"eval":"([^"]{1,200})"')
_SAMPLE: Final = re.compile(rb'"sample":([0-9]{1,9})[,}]')


@dataclass(frozen=True, slots=True)
class Loss:
    """A damaged line that was set aside."""

    number: int
    """Number of the line in the journal, from 1."""
    size: int
    """Bytes of the line."""
    reason: str
    """The fault of the line."""
    kind: str | None
    """opened, generated or graded; None if the kind cannot be read."""
    place: AttemptKey | None
    """The attempt of the line; None if it cannot be read."""


@dataclass(slots=True)
class Repair:
    """The result of the repair of a journal."""

    journal: Path
    aside: Path
    """The file to which damaged lines were moved."""
    losses: list[Loss] = field(default_factory=list[Loss])
    """Lines that were set aside; if empty, nothing was changed."""
    asked: list[AttemptKey] = field(default_factory=list[AttemptKey])
    """Attempts that have no answer now; a resume asks for their answers."""
    graded: list[AttemptKey] = field(default_factory=list[AttemptKey])
    """Attempts that have an answer but no verdict; a resume grades them."""


def repair(path: Path, plan: Opened | None) -> Repair:
    """Move damaged lines of the journal at ``path`` to a file beside it.

    If an answer was in a damaged line, the verdict on it is moved, too. ``plan`` replaces a damaged
    first line.

    Raises:
        MissingRecordError: there is no such journal.
        RunInUseError: another process is executing the run.
        OlderJournalError: an earlier version of this program began the journal.
        InvalidRecordError: the first line is damaged, and ``plan`` is None.
    """
    aside = path.with_name(path.name.removesuffix(JOURNAL) + DAMAGED)
    result = Repair(path, aside)
    with lock_journal(path), open_plain(path) as file:
        check_version(path, file.readline())
        file.seek(0)
        reading = _Reading(path, plan, result)
        for number, (offset, line) in enumerate(_read_lines(file), 1):
            reading.take(number, offset, line)
        state = reading.state
        if state is None:
            raise InvalidRecordError(path, "", "holds nothing of a run; delete this journal")
        run = state.header.run
        places = list_planned_attempts(run)
        result.asked = [key for key in places if state.find_generation(*key) is None]
        result.graded = sorted({*places} - {*result.asked} - state.attempts.keys())
        if result.losses:
            _set_aside(aside, file, reading.lost)
            _write_rest(path, state.header, file, reading.kept)
    return result


class _Reading:
    """The separation of good lines from damaged lines, as far as the journal was read."""

    def __init__(self, path: Path, plan: Opened | None, journal_repair: Repair) -> None:
        self._path = path
        self._plan = plan
        self._repair = journal_repair
        self.state: JournalState | None = None
        self.kept: list[tuple[int, int]] = []
        """Offset and size of each good line except the first."""
        self.lost: list[tuple[int, int]] = []

    def take(self, number: int, offset: int, line: bytes) -> None:
        try:
            entry = parse_entry(self._path, offset, line)
            if self.state is None and isinstance(entry, Opened):
                self.state = self._begin_state(entry)
                return
            self._note(entry, offset)
        except InvalidRecordError as error:
            self.lost.append((offset, len(line)))
            kind, key = _identify_line(line)
            kind = "opened" if number == 1 and kind is None else kind
            self._repair.losses.append(Loss(number, len(line), error.reason, kind, key))
            self._require_state()
        else:
            self.kept.append((offset, len(line)))

    def _begin_state(self, entry: Opened) -> JournalState:
        if self._plan is not None and entry.run.run_id != self._plan.run.run_id:
            raise InvalidRecordError(self._path, "", "opens another run than its record's")
        return JournalState(self._path, entry)

    def _note(self, entry: Opened | Asking | Generated | Graded, offset: int) -> None:
        state = self._require_state()
        if isinstance(entry, Opened):
            raise InvalidRecordError(self._path, "", "opens the run a second time")
        state.check(entry, offset)
        if isinstance(entry, Graded):
            attempt = entry.attempt
            generation = state.find_last_result(attempt.eval, attempt.sample)
            digest = (
                None
                if generation is None
                else compute_artifact_digest(build_artifact(generation, entry))
            )
            if digest is None or attempt.artifact not in {None, digest}:
                raise InvalidRecordError(self._path, "", "judges an answer that is lost")
        state.note(entry, offset)

    def _require_state(self) -> JournalState:
        if self.state is None:
            if self._plan is None:
                raise InvalidRecordError(
                    self._path,
                    "line 1",
                    "is damaged, and the run has no record that says what it set out to do: "
                    "delete this journal",
                )
            self.state = JournalState(self._path, self._plan)
        return self.state


def _read_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its offset. An incomplete last line, never reported, is left out."""
    offset = 0
    while line := file.readline():
        if not line.endswith(b"\n") or is_torn(line, file):
            return
        yield offset, line
        offset += len(line)


def _identify_line(line: bytes) -> tuple[str | None, AttemptKey | None]:
    """Return kind and attempt of a damaged line, as far as they can be read."""
    kind, name, sample = (pattern.search(line) for pattern in (_KIND, _EVAL, _SAMPLE))
    key = None
    if name and sample:
        key = AttemptKey(name[1].decode("ascii", "replace"), int(sample[1]))
    return kind[1].decode() if kind else None, key


def _set_aside(aside: Path, file: BinaryIO, lines: list[tuple[int, int]]) -> None:
    with open_to_append(aside) as target:
        _copy_lines(file, target, lines)
        target.flush()
        os.fsync(target.fileno())


def _write_rest(path: Path, header: Opened, file: BinaryIO, lines: list[tuple[int, int]]) -> None:
    with open_atomic_file(path) as target:
        target.write(encode_entry(header))
        _copy_lines(file, target, lines)


def _copy_lines(source: BinaryIO, target: BinaryIO, lines: list[tuple[int, int]]) -> None:
    for offset, size in lines:
        source.seek(offset)
        target.write(source.read(size))
