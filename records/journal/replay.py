"""Reads a journal: verdicts so far, costs, and where replies and files lie.

A line is there whole or, after a crash, torn as the last one; a torn line was never reported as
finished and is dropped. Everything else that does not read is an error.

Replies and files can be large, so they stay in the file: in memory are the verdicts and where
each entry lies.
"""

import math
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from records.archives.archive import AttemptArtifact
from records.errors import InvalidRecordError, MissingRecordError, OlderJournalError
from records.files.data_folder import JOURNAL
from records.files.plain_files import open_plain
from records.journal.entries import (
    Asking,
    AttemptKey,
    Generated,
    Graded,
    Opened,
    artifact,
    parse_entry,
    place_of,
    version_of,
)
from records.shapes.attempt import Attempt, CostBasis, Generation, Outcome, TokensBasis
from records.shapes.run import RUN_VERSION


@dataclass(slots=True)
class JournalState:
    """The contents of a journal: the plan, the verdicts so far, and where the large parts lie."""

    path: Path
    header: Opened
    attempts: dict[AttemptKey, Attempt] = field(default_factory=dict[AttemptKey, Attempt])
    """Verdicts so far, in the order they were reached."""
    torn: int = 0
    """Bytes of a torn last line, which were never reported as finished."""
    file: BinaryIO | None = None
    """The open file to read entries from; None opens ``path`` for each of them."""
    _generated: dict[AttemptKey, int] = field(default_factory=dict[AttemptKey, int])
    _graded: dict[AttemptKey, int] = field(default_factory=dict[AttemptKey, int])
    _answered: set[AttemptKey] = field(default_factory=set[AttemptKey])
    _costs: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])
    """The known cost of each place, in dollars, but for its unsettled requests."""
    _unsettled: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])

    @property
    def spent_usd(self) -> float:
        """The most that the run may have been billed so far, as far as that is known."""
        return math.fsum([*self._costs.values(), *self._unsettled.values()])

    def unsettled(self, evaluation: str, sample: int) -> float:
        """Return the most, in dollars, that requests of which nothing was heard may have cost."""
        return self._unsettled.get(AttemptKey(evaluation, sample), 0.0)

    def settled(self) -> tuple[Attempt, ...]:
        """Return the verdicts so far, sorted by eval and sample as a record wants them."""
        return tuple(self.attempts[key] for key in sorted(self.attempts))

    def generated(self, evaluation: str, sample: int) -> Generated | None:
        """Return the finished generation of a place; None where no reply came yet."""
        key = AttemptKey(evaluation, sample)
        return self._generation_at(key) if key in self._answered else None

    def asked(self, evaluation: str, sample: int) -> Generated | None:
        """Return the last result for a place, a reply or a fault; None where nothing was."""
        return self._generation_at(AttemptKey(evaluation, sample))

    def is_answered(self, place: AttemptKey) -> bool:
        """Return whether a whole reply is there, or a verdict other than infrastructure."""
        attempt = self.attempts.get(place)
        if attempt is not None and attempt.outcome is not Outcome.INFRASTRUCTURE:
            return True
        generated = self._generation_at(place)
        return generated is not None and generated.is_whole

    def graded_entries(self) -> Iterator[Graded]:
        """Yield the verdicts with files and logs, sorted, one in memory at a time."""
        for key in sorted(self._graded):
            entry = self._entry_at(self._graded[key])
            if isinstance(entry, Graded):
                yield entry

    def artifacts(self) -> Iterator[AttemptArtifact]:
        """Yield the files of each judged attempt, sorted, for the run's archive."""
        for graded in self.graded_entries():
            key = AttemptKey(graded.attempt.eval, graded.attempt.sample)
            yield artifact(self._generation_at(key), graded)

    def artifact(self, evaluation: str, sample: int) -> AttemptArtifact | None:
        """Return the files of the attempt of a place; None where it was not judged."""
        key = AttemptKey(evaluation, sample)
        entry = self._entry_at(self._graded[key]) if key in self._graded else None
        return artifact(self._generation_at(key), entry) if isinstance(entry, Graded) else None

    def check(self, entry: Asking | Generated | Graded, offset: int) -> None:
        """See that an entry belongs to this run.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
        """
        key = place_of(entry)
        run = self.header.run
        if key.sample > run.samples or key.eval not in run.planned:
            reason = f"{key.eval} sample {key.sample} was not planned"
            raise InvalidRecordError(self.path, f"at byte {offset}", reason)

    def note(self, entry: Asking | Generated | Graded, offset: int) -> None:
        """Take in an entry that lies at ``offset``."""
        key = place_of(entry)
        if isinstance(entry, Asking):
            self._unsettled[key] = self._unsettled.get(key, 0.0) + entry.at_most_usd
            self._graded.pop(key, None)
            self.attempts.pop(key, None)
            return
        if isinstance(entry, Graded):
            self._graded[key] = offset
            self.attempts[key] = entry.attempt
            return
        self._settle(key, entry)
        self._generated[key] = offset
        self._graded.pop(key, None)
        self.attempts.pop(key, None)
        if entry.reply is None:
            self._answered.discard(key)
        else:
            self._answered.add(key)

    def _settle(self, place: AttemptKey, entry: Generated) -> None:
        """Take the cost of a place by the provider's word, else the most that it may have cost."""
        if entry.carried_over is not None:
            return  # it was paid for by the run that asked
        unsettled = self._unsettled.pop(place, 0.0)
        generation, failed = entry.generation, entry.failed_tries_usd
        reply = (generation.most_usd if generation else None) or 0.0
        if failed is not None and (generation is None or _is_known(generation)):
            self._costs[place] = reply + failed
        else:
            at_most = max(unsettled, reply + (failed or 0.0))
            self._costs[place] = self._costs.get(place, 0.0) + at_most

    def _generation_at(self, place: AttemptKey) -> Generated | None:
        if place not in self._generated:
            return None
        entry = self._entry_at(self._generated[place])
        return entry if isinstance(entry, Generated) else None

    def _entry_at(self, offset: int) -> Opened | Asking | Generated | Graded:
        if self.file is not None:
            return _entry(self.path, self.file, offset)
        with open_plain(self.path) as file:
            return _entry(self.path, file, offset)


def read(path: Path) -> JournalState:
    """Return the contents of the journal at ``path``, dropping a torn last line.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: it is no plain file, or a line before the last cannot be read.
        OlderJournalError: it was begun by an earlier version of this program.
    """
    with _opened(path) as file:
        return _read_state(path, file)


@contextmanager
def open_replay(path: Path) -> Generator[JournalState]:
    """Keep the journal at ``path`` open: its entries can be read after its run has removed it.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: a line other than a torn last line cannot be read.
        OlderJournalError: it was begun by an earlier version of this program.
    """
    with _opened(path) as file:
        state = _read_state(path, file)
        state.file = file
        yield state


def _opened(path: Path) -> BinaryIO:
    try:
        return open_plain(path)
    except MissingRecordError as error:
        raise MissingRecordError(f"{path}: there is no such journal") from error


def _read_state(path: Path, file: BinaryIO) -> JournalState:
    try:
        return _state(path, file)
    except InvalidRecordError as error:
        run = path.name.removesuffix(JOURNAL)[:8]
        cure = f"`leaderboard repair {run}` sets damaged lines aside, and says what is lost"
        raise InvalidRecordError(path, error.field, f"{error.reason}; {cure}") from error


def _entry(path: Path, file: BinaryIO, offset: int) -> Opened | Asking | Generated | Graded:
    file.seek(offset)
    return parse_entry(path, offset, file.readline())


def check_version(path: Path, first: bytes) -> None:
    """See that the journal which begins with the line ``first`` is not of an older version.

    Raises:
        OlderJournalError: it is.
    """
    version = version_of(first)
    if version is not None and version < RUN_VERSION:
        raise OlderJournalError(
            f"{path}: was begun by an earlier version of this program: resume the run with that one"
        )


def _state(path: Path, file: BinaryIO) -> JournalState:
    first = file.readline()
    check_version(path, first)
    header = parse_entry(path, 0, first) if first.endswith(b"\n") else None
    if not isinstance(header, Opened):
        raise InvalidRecordError(path, "line 1", "does not open a run")
    state = JournalState(path, header)
    offset = len(first)
    while line := file.readline():
        torn = not line.endswith(b"\n")
        if torn or is_torn(line, file):
            state.torn = len(line)
            break
        _take(state, offset, line)
        offset += len(line)
    return state


def is_torn(line: bytes, file: BinaryIO) -> bool:
    """Return whether a line is the last and was never whole, as after a loss of power."""
    if line.rstrip(b"\n").endswith(b"}") and line.startswith(b"{") and b"\0" not in line:
        return False
    here = file.tell()
    is_last = not file.read(1)
    file.seek(here)
    return is_last


def _take(state: JournalState, offset: int, line: bytes) -> None:
    entry = parse_entry(state.path, offset, line)
    if isinstance(entry, Opened):
        raise InvalidRecordError(state.path, f"at byte {offset}", "opens the run a second time")
    state.check(entry, offset)
    state.note(entry, offset)


def _is_known(generation: Generation) -> bool:
    """Return whether the most is known that a reply may have been billed.

    Records of earlier versions do not have it where the provider reported neither cost nor tokens.
    """
    if generation.cost_at_most_usd is not None:
        return True
    if generation.cost_usd is None:
        return False
    reported = generation.cost_basis is CostBasis.REPORTED
    return reported or generation.tokens_basis is TokensBasis.REPORTED
