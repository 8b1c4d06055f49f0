"""Reader of a journal: verdicts, costs, and the offsets of replies and files.

After a crash, the last line may be incomplete. It was never reported as finished, and is left out.
Any other line that cannot be read is an error.

Replies and files can be large, so they stay in the file. Only verdicts and the offsets of entries
are kept in memory.
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
    build_artifact,
    get_attempt_key,
    parse_entry,
    parse_schema_version,
)
from records.shapes.attempt import Attempt, CostBasis, Generation, Outcome, TokensBasis
from records.shapes.run import RUN_VERSION, Run
from records.shapes.totals import compute_run_totals


@dataclass(slots=True)
class JournalState:
    """The contents of a journal: the plan, the verdicts, and the offsets of entries."""

    path: Path
    header: Opened
    attempts: dict[AttemptKey, Attempt] = field(default_factory=dict[AttemptKey, Attempt])
    """Verdicts so far, in the order in which they were reached."""
    torn: int = 0
    """Bytes of an incomplete last line, which was never reported as finished."""
    file: BinaryIO | None = None
    """The open file from which entries are read; if None, ``path`` is opened for each entry."""
    _generated: dict[AttemptKey, int] = field(default_factory=dict[AttemptKey, int])
    _graded: dict[AttemptKey, int] = field(default_factory=dict[AttemptKey, int])
    _answered: set[AttemptKey] = field(default_factory=set[AttemptKey])
    _costs: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])
    """The known cost of each attempt, in US dollars, without its unsettled requests."""
    _unsettled: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])

    @property
    def spent_usd(self) -> float:
        """The most that the run may have cost so far, in US dollars, as far as it is known."""
        return math.fsum([*self._costs.values(), *self._unsettled.values()])

    def find_unsettled_cost(self, evaluation: str, sample: int) -> float:
        """Return the most, in US dollars, that requests without any result may have cost."""
        return self._unsettled.get(AttemptKey(evaluation, sample), 0.0)

    def list_attempts(self) -> tuple[Attempt, ...]:
        """Return the attempts with a verdict, sorted by eval and sample as in a record."""
        return tuple(self.attempts[key] for key in sorted(self.attempts))

    def merge_into(self, run: Run) -> Run:
        """Return the record ``run`` with the verdicts of the journal, which are newer."""
        recorded = {AttemptKey(attempt.eval, attempt.sample): attempt for attempt in run.attempts}
        by_key = recorded | self.attempts
        attempts = tuple(by_key[key] for key in sorted(by_key))
        totals = compute_run_totals(attempts)
        return run.model_copy(update={"attempts": attempts, "totals": totals})

    def find_generation(self, evaluation: str, sample: int) -> Generated | None:
        """Return the last generation of an attempt; None if it has no reply yet."""
        key = AttemptKey(evaluation, sample)
        return self._read_generation(key) if key in self._answered else None

    def find_last_result(self, evaluation: str, sample: int) -> Generated | None:
        """Return the last result for an attempt, a reply or a fault; None if there is none."""
        return self._read_generation(AttemptKey(evaluation, sample))

    def is_answered(self, place: AttemptKey) -> bool:
        """Return whether an attempt has a whole reply, or a verdict other than infrastructure."""
        attempt = self.attempts.get(place)
        if attempt is not None and attempt.outcome is not Outcome.INFRASTRUCTURE:
            return True
        generated = self._read_generation(place)
        return generated is not None and generated.is_whole

    def read_graded_entries(self) -> Iterator[Graded]:
        """Yield the verdicts with files and logs, sorted, with one in memory at a time."""
        for key in sorted(self._graded):
            entry = self._read_entry(self._graded[key])
            if isinstance(entry, Graded):
                yield entry

    def read_attempt_artifacts(self) -> Iterator[AttemptArtifact]:
        """Yield the files of each judged attempt for the run's archive, sorted."""
        for graded in self.read_graded_entries():
            key = AttemptKey(graded.attempt.eval, graded.attempt.sample)
            yield build_artifact(self._read_generation(key), graded)

    def read_attempt_artifact(self, evaluation: str, sample: int) -> AttemptArtifact | None:
        """Return the files of an attempt; None if it was not judged."""
        key = AttemptKey(evaluation, sample)
        entry = self._read_entry(self._graded[key]) if key in self._graded else None
        return (
            build_artifact(self._read_generation(key), entry) if isinstance(entry, Graded) else None
        )

    def check(self, entry: Asking | Generated | Graded, offset: int) -> None:
        """Refuse an entry that does not belong to this run.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
        """
        key = get_attempt_key(entry)
        run = self.header.run
        if key.sample > run.samples or key.eval not in run.planned:
            reason = f"{key.eval} sample {key.sample} was not planned"
            raise InvalidRecordError(self.path, f"at byte {offset}", reason)

    def note(self, entry: Asking | Generated | Graded, offset: int) -> None:
        """Add the entry at ``offset`` to the state."""
        key = get_attempt_key(entry)
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
        """Set the cost of an attempt to the provider's figure, or to the most that it may be."""
        if entry.carried_over is not None:
            return  # the run that asked paid for the answer
        unsettled = self._unsettled.pop(place, 0.0)
        generation, failed = entry.generation, entry.failed_tries_usd
        reply = (generation.most_usd if generation else None) or 0.0
        if failed is not None and (generation is None or _is_known(generation)):
            self._costs[place] = reply + failed
        else:
            at_most = max(unsettled, reply + (failed or 0.0))
            self._costs[place] = self._costs.get(place, 0.0) + at_most

    def _read_generation(self, place: AttemptKey) -> Generated | None:
        if place not in self._generated:
            return None
        entry = self._read_entry(self._generated[place])
        return entry if isinstance(entry, Generated) else None

    def _read_entry(self, offset: int) -> Opened | Asking | Generated | Graded:
        if self.file is not None:
            return _read_entry_at(self.path, self.file, offset)
        with open_plain(self.path) as file:
            return _read_entry_at(self.path, file, offset)


def read(path: Path) -> JournalState:
    """Return the contents of the journal at ``path``, without an incomplete last line.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the path is no plain file, or a complete line cannot be read.
        OlderJournalError: an earlier version of this program began the journal.
    """
    with _open_journal(path) as file:
        return _read_state(path, file)


@contextmanager
def open_replay(path: Path) -> Generator[JournalState]:
    """Yield the contents of the journal at ``path``, which stays open for the block.

    So its entries can be read even after its run has removed it.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the path is no plain file, or a complete line cannot be read.
        OlderJournalError: an earlier version of this program began the journal.
    """
    with _open_journal(path) as file:
        state = _read_state(path, file)
        state.file = file
        yield state


def _open_journal(path: Path) -> BinaryIO:
    try:
        return open_plain(path)
    except MissingRecordError as error:
        raise MissingRecordError(f"{path}: there is no such journal") from error


def _read_state(path: Path, file: BinaryIO) -> JournalState:
    try:
        return _build_state(path, file)
    except InvalidRecordError as error:
        run = path.name.removesuffix(JOURNAL)[:8]
        cure = f"`leaderboard check --repair {run}` sets damaged lines aside, and lists the losses"
        raise InvalidRecordError(path, error.field, f"{error.reason}; {cure}") from error


def _read_entry_at(path: Path, file: BinaryIO, offset: int) -> Opened | Asking | Generated | Graded:
    file.seek(offset)
    return parse_entry(path, offset, file.readline())


def check_version(path: Path, first: bytes) -> None:
    """Refuse a journal whose line ``first`` has an older version.

    Raises:
        OlderJournalError: an earlier version of this program began the journal.
    """
    version = parse_schema_version(first)
    if version is not None and version < RUN_VERSION:
        raise OlderJournalError(
            f"{path}: was begun by an earlier version of this program: resume the run with that "
            "version"
        )


def _build_state(path: Path, file: BinaryIO) -> JournalState:
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
    """Return whether a line is the last and incomplete in spite of its newline.

    A loss of power can have this effect.
    """
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
    """Return whether the most that a reply may have cost is known.

    In records of earlier versions it is missing if the provider reported neither cost nor tokens.
    """
    if generation.cost_at_most_usd is not None:
        return True
    if generation.cost_usd is None:
        return False
    reported = generation.cost_basis is CostBasis.REPORTED
    return reported or generation.tokens_basis is TokensBasis.REPORTED
