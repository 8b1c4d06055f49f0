"""The journal of a run under way: one line of JSON for each finished stage; and its repair.

Only one process at a time can write a journal. A line is on the disk before its writer goes on.

After a crash, the last line may be incomplete. It was never reported as finished, and is left out.
Any other line that cannot be read is an error. `repair` moves damaged lines to a file beside the
journal, and lists the losses.

Replies and files can be large, so they stay in the file. Only verdicts and the offsets of entries
are kept in memory.
"""

import json
import math
import re
import shutil
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO, NamedTuple, Self

from records.archives.archive import AttemptArtifact, compute_artifact_digest
from records.errors import InvalidRecordError, RecordsError, RunInUseError
from records.files.data_folder import DAMAGED, JOURNAL
from records.files.plain_files import Log, lock_folder, open_plain, read_lines
from records.journal.entries import (
    Asking,
    Entry,
    Generated,
    Graded,
    Opened,
    build_artifact,
    encode_entry,
    make_opening_entry,
    parse_entry,
)
from records.shapes.attempt import (
    JUDGED,
    Attempt,
    AttemptKey,
    CostBasis,
    Generation,
    Outcome,
    TokensBasis,
)
from records.shapes.run import RUN_VERSION, Run
from records.shapes.totals import compute_run_totals
from records.writer import open_atomic_file


@dataclass(slots=True)
class _State:
    """The state of an attempt by its lines so far."""

    attempt: Attempt | None = None
    """The attempt with its verdict; None if its last answer has none."""
    graded: int | None = None
    """The offset of the verdict's line."""
    generated: int | None = None
    """The offset of the line of the last result, a reply or a fault."""
    is_whole: bool = False
    """Whether this result is a complete reply."""
    cost_usd: float = 0.0
    """The known cost in US dollars, without unsettled requests."""
    unsettled_usd: float = 0.0
    """The most that requests without any result may have cost, in US dollars."""

    @property
    def is_judged(self) -> bool:
        """Whether the attempt has a verdict other than infrastructure."""
        return self.attempt is not None and self.attempt.outcome in JUDGED


@dataclass(slots=True)
class Journal:
    """The contents of a journal: the plan, and the state of each attempt.

    If it was opened by `open`, only this process can append to it; a context manager, and safe for
    threads.
    """

    path: Path
    header: Opened
    """The first line, which has the plan of the run."""
    end: int = 0
    """The offset after the last whole line. A line after it was never reported as finished."""
    file: BinaryIO | None = None
    """The open file from which entries are read; if None, ``path`` is opened for each entry."""
    log: Log | None = None
    """The locked file to which lines are appended; None if the journal is only read."""
    _lock: Lock = field(default_factory=Lock)
    _states: defaultdict[AttemptKey, _State] = field(default_factory=lambda: defaultdict(_State))

    @staticmethod
    def write_whole(path: Path, plan: Opened, entries: Iterable[Generated | Graded]) -> None:
        """Write a journal with ``plan`` and all ``entries`` atomically.

        Raises:
            FileExistsError: there is a journal at ``path``.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        with lock_folder(path.parent):
            if path.exists():
                raise FileExistsError(f"{path}: the run has a journal already; resume it instead")
            with open_atomic_file(path) as file:
                file.write(encode_entry(plan))
                for entry in entries:
                    file.write(encode_entry(entry))

    @classmethod
    def replan(cls, path: Path, plan: Opened) -> None:
        """Replace the first line by ``plan`` if it differs; all other lines stay.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the journal cannot be read.
            RunInUseError: another process has the journal open.
        """
        with cls.open(path) as journal:
            if journal.header == plan:
                return
            with open_plain(path) as old, open_atomic_file(path) as file:
                old.readline()
                file.write(encode_entry(plan))
                shutil.copyfileobj(old, file)

    @classmethod
    def open(cls, path: Path) -> "Journal":
        """Open a journal to continue it; an incomplete last line is cut off.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the journal cannot be read.
            RunInUseError: another process has the journal open.
        """
        log = lock_journal(path)
        try:
            journal = read(path)
            journal.log = log.cut(journal.end)
        except BaseException:
            log.close()
            raise
        return journal

    @classmethod
    def replay(cls, path: Path, file: BinaryIO) -> Self:
        """Return the contents of the journal in ``file``; raises the errors of `read`."""
        lines = read_lines(file)
        _, first = next(lines, (0, b""))
        check_version(path, first)
        header = parse_entry(path, 0, first) if first else None
        if not isinstance(header, Opened):
            raise InvalidRecordError(path, "line 1", "does not open a run")
        journal = cls(path, header, end=len(first))
        for offset, line in lines:
            journal.note(parse_entry(path, offset, line), offset)
            journal.end = offset + len(line)
        return journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and so release its lock. All entries are on the disk already."""
        with self._lock:
            if self.log is not None:
                self.log.close()

    def append(self, entry: Asking | Generated | Graded) -> None:
        """Append ``entry``, which is on the disk when this returns.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
            OSError: the disk is full or gone; the journal is as before.
        """
        line = encode_entry(entry)
        with self._lock:
            if self.log is None:
                raise ValueError(f"{self.path}: was opened for reading")
            self.check_key(entry, self.end)
            offset = self.log.append(line)
            self.note(entry, offset)
            self.end = offset + len(line)

    @classmethod
    def from_record(cls, path: Path, run: Run) -> Self:
        """Return the journal at ``path`` of the recorded ``run``, as if it were reopened.

        It knows which answers came; the answers are in the run's archive.
        """
        journal = cls(path, make_opening_entry(run))
        for attempt in run.attempts:
            state = journal._states[attempt.place]
            state.cost_usd = attempt.most_usd
            if attempt.outcome is not Outcome.NOT_RUN:
                # A reply that grading could not judge has a list of steps, which may be empty.
                state.attempt, state.is_whole = attempt, attempt.steps is not None
        return journal

    @property
    def spent_usd(self) -> float:
        """The most that the run may have cost so far, in US dollars, as far as it is known."""
        states = self._states.values()
        return math.fsum(usd for each in states for usd in (each.cost_usd, each.unsettled_usd))

    @property
    def attempts(self) -> dict[AttemptKey, Attempt]:
        """The attempts with a verdict, sorted by eval and sample as in a record."""
        with self._lock:  # another thread may append
            states = sorted(self._states.items())
        return {place: state.attempt for place, state in states if state.attempt is not None}

    def find_unsettled_cost(self, place: AttemptKey) -> float:
        """Return the most, in US dollars, that requests without any result may have cost."""
        return self._states[place].unsettled_usd

    def list_unjudged(self) -> list[AttemptKey]:
        """Return the planned attempts that a resume has to ask for, or at least to grade."""
        places = self.header.run.iterate_places()
        return [place for place in places if not self._states[place].is_judged]

    def list_unanswered(self) -> list[AttemptKey]:
        """Return the planned attempts that a resume asks for."""
        return [place for place in self.list_unjudged() if not self._states[place].is_whole]

    def merge_into(self, run: Run) -> Run:
        """Return the record ``run`` with the verdicts of the journal, which are newer."""
        by_key = {attempt.place: attempt for attempt in run.attempts} | self.attempts
        attempts = tuple(by_key[key] for key in sorted(by_key))
        totals = compute_run_totals(attempts)
        return run.model_copy(update={"attempts": attempts, "totals": totals})

    def find_generation(self, place: AttemptKey) -> Generated | None:
        """Return the last result for an attempt, a reply or a fault; None if there is none."""
        entry = self._read_entry(self._states[place].generated)
        return entry if isinstance(entry, Generated) else None

    def read_attempt_artifacts(self) -> Iterator[AttemptArtifact]:
        """Yield the files of each judged attempt, sorted, with one attempt in memory at a time."""
        for place in self.attempts:
            if (artifact := self.read_attempt_artifact(place)) is not None:
                yield artifact

    def read_attempt_artifact(self, place: AttemptKey) -> AttemptArtifact | None:
        """Return the files of an attempt; None if it was not judged."""
        entry = self._read_entry(self._states[place].graded)
        if not isinstance(entry, Graded):
            return None
        return build_artifact(self.find_generation(place), entry)

    def check_key(self, entry: Asking | Generated | Graded, offset: int) -> AttemptKey:
        """Return the attempt of an entry at ``offset``.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
        """
        key = entry.place
        run = self.header.run
        if key.sample > run.samples or key.eval not in run.planned:
            reason = f"{key.eval} sample {key.sample} was not planned"
            raise InvalidRecordError(self.path, f"at byte {offset}", reason)
        return key

    def note(self, entry: Entry, offset: int) -> None:
        """Add the entry at ``offset``.

        Raises:
            InvalidRecordError: the run did not plan this attempt, or was opened already.
        """
        if isinstance(entry, Opened):
            raise InvalidRecordError(self.path, f"at byte {offset}", "opens the run a second time")
        state = self._states[self.check_key(entry, offset)]
        if isinstance(entry, Graded):
            state.attempt, state.graded = entry.attempt, offset
            return
        state.attempt = state.graded = None
        if isinstance(entry, Asking):
            state.unsettled_usd += entry.at_most_usd
            return
        state.generated, state.is_whole = offset, entry.is_whole
        if entry.carried_over is not None:
            return  # the run that asked paid for the answer
        # The cost is the provider's figure, or the most that it may be.
        unsettled, state.unsettled_usd = state.unsettled_usd, 0.0
        generation, failed = entry.generation, entry.failed_tries_usd
        reply = (generation.most_usd if generation else None) or 0.0
        if failed is not None and (generation is None or is_cost_known(generation)):
            state.cost_usd = reply + failed
        else:
            state.cost_usd += max(unsettled, reply + (failed or 0.0))

    def _read_entry(self, offset: int | None) -> Entry | None:
        if offset is None:
            return None
        with nullcontext(self.file) if self.file else open_plain(self.path) as file:
            file.seek(offset)
            return parse_entry(self.path, offset, file.readline())


def lock_journal(path: Path) -> Log:
    """Lock the journal at ``path`` until the log is closed, so that nobody else executes its run.

    Raises:
        MissingRecordError: there is no such file.
        RunInUseError: another process has the journal open.
    """
    try:
        return Log(path, wait=False)
    except BlockingIOError as error:
        raise RunInUseError(f"{path}: another process is executing this run") from error


def read(path: Path) -> Journal:
    """Return the contents of the journal at ``path``, without an incomplete last line.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the path is no plain file, or a complete line cannot be read.
        RecordsError: an earlier version of this program began the journal.
    """
    with open_replay(path) as journal:
        journal.file = None
        return journal


@contextmanager
def open_replay(path: Path) -> Generator[Journal]:
    """Yield the contents of the journal at ``path``, which stays open for the block.

    So its entries can be read even after its run has removed it.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the path is no plain file, or a complete line cannot be read.
        RecordsError: an earlier version of this program began the journal.
    """
    with open_plain(path) as file:
        try:
            journal = Journal.replay(path, file)
        except InvalidRecordError as error:
            run = path.name.removesuffix(JOURNAL)[:8]
            cure = f"`leaderboard check --repair {run}` sets damaged lines aside"
            reason = f"{error.reason}; {cure}, and lists the losses"
            raise InvalidRecordError(path, error.field, reason) from error
        journal.file = file
        yield journal


def check_version(path: Path, first: bytes) -> None:
    """Refuse a journal whose line ``first`` has an older version.

    Raises:
        RecordsError: an earlier version of this program began the journal.
    """
    try:
        version: object = json.loads(first)["run"]["schema_version"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return
    if isinstance(version, int) and version < RUN_VERSION:
        raise RecordsError(
            f"{path}: was begun by an earlier version of this program: resume the run with that "
            "version"
        )


def is_cost_known(generation: Generation) -> bool:
    """Return whether the most that a reply may have cost is known.

    In records of earlier versions it is missing if the provider reported neither cost nor tokens.
    """
    if generation.cost_at_most_usd is not None:
        return True
    if generation.cost_usd is None:
        return False
    reported = generation.cost_basis is CostBasis.REPORTED
    return reported or generation.tokens_basis is TokensBasis.REPORTED


_KIND = re.compile(rb'"entry":"(generated|graded)"')
_EVAL = re.compile(rb'"eval":"([^"]{1,200})"')
_SAMPLE = re.compile(rb'"sample":([0-9]{1,9})[,}]')


class Loss(NamedTuple):
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
        RecordsError: an earlier version of this program began the journal.
        InvalidRecordError: the first line is damaged, and ``plan`` is None.
    """
    aside = path.with_name(path.name.removesuffix(JOURNAL) + DAMAGED)
    result = Repair(path, aside)
    journal: Journal | None = None
    good_lines: list[tuple[int, int]] = []  # offset and size of each good line except the first
    lost: list[tuple[int, int]] = []
    with closing(lock_journal(path)), open_plain(path) as file:
        check_version(path, file.readline())
        file.seek(0)
        for number, (offset, line) in enumerate(read_lines(file), 1):
            try:
                entry = parse_entry(path, offset, line)
                if journal is None:
                    journal = _begin(path, plan, entry)
                    if journal.header is entry:
                        continue
                if isinstance(entry, Graded):
                    _check_answer(journal, entry, offset)
                journal.note(entry, offset)
                good_lines.append((offset, len(line)))
            except InvalidRecordError as error:
                journal = journal or _begin(path, plan, None)
                lost.append((offset, len(line)))
                # Kind and attempt of a damaged line, as far as they can be read.
                kind, name, sample = (each.search(line) for each in (_KIND, _EVAL, _SAMPLE))
                key = None
                if name and sample:
                    key = AttemptKey(name[1].decode("ascii", "replace"), int(sample[1]))
                word = kind[1].decode() if kind else "opened" if number == 1 else None
                result.losses.append(Loss(number, len(line), error.reason, word, key))
        if journal is None:
            raise InvalidRecordError(path, "", "holds nothing of a run; delete this journal")
        result.asked = journal.list_unanswered()
        result.graded = sorted({*journal.list_unjudged()} - {*result.asked})
        if lost:
            with Log(aside, make=True) as target:
                target.append(b"".join(_read_ranges(file, lost)))
            with open_atomic_file(path) as target:
                target.write(encode_entry(journal.header))
                target.writelines(_read_ranges(file, good_lines))
    return result


def _begin(path: Path, plan: Opened | None, entry: Entry | None) -> Journal:
    """Return the journal that ``entry`` opens; if it opens none, a journal with ``plan``."""
    if isinstance(entry, Opened):
        if plan is not None and entry.run.run_id != plan.run.run_id:
            raise InvalidRecordError(path, "", "opens another run than its record's")
        return Journal(path, entry)
    if plan is None:
        raise InvalidRecordError(
            path,
            "line 1",
            "is damaged, and the run has no record with its plan: delete this journal",
        )
    return Journal(path, plan)


def _check_answer(journal: Journal, entry: Graded, offset: int) -> None:
    """Refuse a verdict on an answer that was in a damaged line."""
    attempt = entry.attempt
    generation = journal.find_generation(journal.check_key(entry, offset))
    digest = generation and compute_artifact_digest(build_artifact(generation, entry))
    if digest is None or attempt.artifact not in {None, digest}:
        raise InvalidRecordError(journal.path, "", "judges an answer that is lost")


def _read_ranges(file: BinaryIO, ranges: list[tuple[int, int]]) -> Iterator[bytes]:
    for offset, size in ranges:
        file.seek(offset)
        yield file.read(size)
