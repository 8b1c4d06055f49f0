"""The journal of a run that is going: one line of JSON for each finished stage, on the disk.

A line is there whole or, after a crash, torn as the last one; a torn line was never reported as
finished and is dropped. Everything else that does not read is an error. Only one process at a
time may write a journal.

Replies and files can be large, so they stay in the file: in memory are the verdicts and where
each entry lies.
"""

import fcntl
import json
import math
import os
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import Annotated, BinaryIO, Final, Literal, NamedTuple, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from records.artifacts import AttemptArtifact, Message
from records.base import Dollars, EvalName, OutsideText, Record
from records.errors import InvalidRecordError, MissingRecordError, OlderJournalError, RunInUseError
from records.folder import JOURNAL
from records.reader import invalid
from records.run import (
    RUN_VERSION,
    Attempt,
    CostBasis,
    Fault,
    Generation,
    Run,
    TokensBasis,
)
from records.writer import atomic_file


class AttemptKey(NamedTuple):
    """One sample of one eval."""

    eval: str
    sample: int


class Opened(Record):
    """The first line: the run as it was planned."""

    entry: Literal["opened"] = "opened"
    """Always opened."""
    schema_version: Literal[1] = 1
    """Version of the journal's shape."""
    run: Run
    """The run without attempts: all that its record needs besides them."""

    @model_validator(mode="after")
    def _is_only_a_plan(self) -> Self:
        if self.run.attempts:
            raise ValueError("run.attempts must be empty in a journal's first line")
        return self


class Asking(Record):
    """A request is about to go out, under a budget.

    What becomes of it stands in the next `Generated` of the place. Where none follows, the process
    was killed or stopped meanwhile, and the request may have been billed all the same.
    """

    entry: Literal["asking"] = "asking"
    """Always asking."""
    eval: EvalName
    """The eval asked for."""
    sample: Annotated[int, Field(ge=1)]
    """Which sample of it."""
    at_most_usd: Dollars
    """The most that it may be billed, in US dollars."""


class Generated(Record):
    """A model was asked. A later line for the same place replaces this and its verdict."""

    entry: Literal["generated"] = "generated"
    """Always generated."""
    eval: EvalName
    """The eval asked for."""
    sample: Annotated[int, Field(ge=1)]
    """Which sample of it."""
    messages: tuple[Message, ...]
    """What was asked; empty for baselines."""
    reply: OutsideText | None
    """The raw reply; null where none came."""
    generation: Generation | None
    """How it came about; null for baselines and where no reply came."""
    fault: Fault | None
    """Why no usable reply came; null where one did."""
    failed_tries_usd: Dollars | None = None
    """The most that requests for this attempt without a usable reply may have been billed, in US
    dollars, those before an earlier resume included; null where it is not known."""


class Graded(Record):
    """An attempt was judged. A later line for the same place replaces this."""

    entry: Literal["graded"] = "graded"
    """Always graded."""
    attempt: Attempt
    """The attempt with its verdict."""
    files: Mapping[str, OutsideText]
    """What the reply unpacked to, by path."""
    logs: Mapping[str, OutsideText]
    """Output of the steps that ran, by step name."""


Entry = Annotated[Opened | Asking | Generated | Graded, Field(discriminator="entry")]

_ENTRY: Final[TypeAdapter[Opened | Asking | Generated | Graded]] = TypeAdapter(Entry)


@dataclass(slots=True)
class JournalState:
    """What a journal says: the plan, the verdicts so far, and where the large parts lie."""

    path: Path
    header: Opened
    attempts: dict[AttemptKey, Attempt] = field(default_factory=dict[AttemptKey, Attempt])
    """Verdicts so far, in the order they were reached."""
    torn: int = 0
    """Bytes of a torn last line, which were never reported as finished."""
    _generated: dict[AttemptKey, int] = field(default_factory=dict[AttemptKey, int])
    _graded: dict[AttemptKey, int] = field(default_factory=dict[AttemptKey, int])
    _answered: set[AttemptKey] = field(default_factory=set[AttemptKey])
    _costs: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])
    """What is known to have gone into each place, in dollars, but for its unsettled requests."""
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
        return tuple(self.attempts[place] for place in sorted(self.attempts))

    def ungraded(self) -> list[AttemptKey]:
        """Return the places with a reply that waits for its verdict, sorted."""
        return sorted(self._answered - self._graded.keys())

    def generated(self, evaluation: str, sample: int) -> Generated | None:
        """Return the finished generation of a place; None where no reply came yet."""
        place = AttemptKey(evaluation, sample)
        return self._generation_at(place) if place in self._answered else None

    def asked(self, evaluation: str, sample: int) -> Generated | None:
        """Return what was last asked for a place, a reply or a fault; None where nothing was."""
        return self._generation_at(AttemptKey(evaluation, sample))

    def graded_entries(self) -> Iterator[Graded]:
        """Yield the verdicts with files and logs, sorted, one in memory at a time."""
        for place in sorted(self._graded):
            entry = self._entry_at(self._graded[place])
            if isinstance(entry, Graded):
                yield entry

    def artifacts(self) -> Iterator[AttemptArtifact]:
        """Yield what each judged attempt wrote, sorted, for the run's archive."""
        for graded in self.graded_entries():
            place = AttemptKey(graded.attempt.eval, graded.attempt.sample)
            yield artifact(self._generation_at(place), graded)

    def artifact(self, evaluation: str, sample: int) -> AttemptArtifact | None:
        """Return what the attempt of a place wrote; None where it was not judged."""
        place = AttemptKey(evaluation, sample)
        entry = self._entry_at(self._graded[place]) if place in self._graded else None
        return artifact(self._generation_at(place), entry) if isinstance(entry, Graded) else None

    def check(self, entry: Asking | Generated | Graded, offset: int) -> None:
        """See that an entry belongs to this run.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
        """
        place = _place(entry)
        run = self.header.run
        if place.sample > run.samples or place.eval not in run.planned:
            reason = f"{place.eval} sample {place.sample} was not planned"
            raise InvalidRecordError(self.path, f"at byte {offset}", reason)

    def note(self, entry: Asking | Generated | Graded, offset: int) -> None:
        """Take in an entry that lies at ``offset``."""
        place = _place(entry)
        if isinstance(entry, Asking):
            self._unsettled[place] = self._unsettled.get(place, 0.0) + entry.at_most_usd
            return
        if isinstance(entry, Graded):
            self._graded[place] = offset
            self.attempts[place] = entry.attempt
            return
        self._settle(place, entry)
        self._generated[place] = offset
        self._graded.pop(place, None)
        self.attempts.pop(place, None)
        if entry.reply is None:
            self._answered.discard(place)
        else:
            self._answered.add(place)

    def _settle(self, place: AttemptKey, entry: Generated) -> None:
        """Take what a place cost by the provider's word, else the most that it may have cost."""
        unsettled = self._unsettled.pop(place, 0.0)
        generation, failed = entry.generation, entry.failed_tries_usd
        reply = (generation.cost_usd if generation else None) or 0.0
        if failed is not None and (generation is None or _told(generation)):
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
        with self.path.open("rb") as file:
            file.seek(offset)
            return parsed(self.path, offset, file.readline())


def artifact(generated: Generated | None, graded: Graded) -> AttemptArtifact:
    """Return what an attempt wrote, from its two journal entries."""
    return AttemptArtifact(
        eval=graded.attempt.eval,
        sample=graded.attempt.sample,
        messages=generated.messages if generated else (),
        reply=generated.reply if generated else None,
        files=graded.files,
        logs=graded.logs,
    )


@contextmanager
def held(path: Path) -> Generator[FileIO]:
    """Keep other processes from executing the run of the journal at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        RunInUseError: another process has it open.
    """
    file = _opened_alone(path)
    with closing(file):
        yield file


def in_use(path: Path) -> bool:
    """Say whether a process executes the run of the journal at ``path``, or has just done so."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except (BlockingIOError, FileNotFoundError):
        return True


def check_version(path: Path, first: bytes) -> None:
    """See that the journal which begins with the line ``first`` is not of an older version.

    Raises:
        OlderJournalError: it is.
    """
    version = version_of(first)
    if version is not None and version < RUN_VERSION:
        raise OlderJournalError(
            f"{path}: was begun by an earlier version of this program; `leaderboard migrate` "
            "rewrites it"
        )


def version_of(first: bytes) -> int | None:
    """Return the schema version of the run in a journal's first line; None where none is said."""
    try:
        version: object = json.loads(first)["run"]["schema_version"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return version if isinstance(version, int) else None


def read(path: Path) -> JournalState:
    """Return what the journal at ``path`` says, dropping a torn last line.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: a line other than a torn last one cannot be read.
        OlderJournalError: it was begun by an earlier version of this program.
    """
    try:
        with path.open("rb") as file:
            return _state(path, file)
    except FileNotFoundError as error:
        raise MissingRecordError(f"{path}: there is no such journal") from error
    except InvalidRecordError as error:
        run = path.name.removesuffix(JOURNAL)[:8]
        cure = f"`leaderboard repair {run}` sets damaged lines aside, and says what is lost"
        raise InvalidRecordError(path, error.field, f"{error.reason}; {cure}") from error


class Journal:
    """A journal open for writing by this process alone; a context manager, safe across threads."""

    def __init__(self, state: JournalState, file: FileIO) -> None:
        """Use `create` or `open` instead."""
        self._state = state
        self._file = file
        self._lock = Lock()

    @classmethod
    def create(cls, path: Path, plan: Opened) -> Self:
        """Begin a journal with ``plan`` as its first line.

        Raises:
            FileExistsError: there is one already.
        """
        cls.write_whole(path, plan, ())
        return cls.open(path)

    @staticmethod
    def write_whole(path: Path, plan: Opened, entries: Iterable[Generated | Graded]) -> None:
        """Write a journal with ``plan`` and all ``entries``: ``path`` holds all of it or nothing.

        Raises:
            FileExistsError: there is one already.
        """
        with _alone_in(path.parent):
            if path.exists():
                raise FileExistsError(f"{path}: the run has a journal already; resume it instead")
            with atomic_file(path) as file:
                file.write(encoded(plan))
                for entry in entries:
                    file.write(encoded(entry))

    @classmethod
    def replan(cls, path: Path, plan: Opened) -> None:
        """Put ``plan`` in place of the first line where it differs; all other lines stay.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: it cannot be read.
            RunInUseError: another process has it open.
        """
        with cls.open(path) as journal:
            if journal.header == plan:
                return
            with path.open("rb") as old, atomic_file(path) as file:
                old.readline()
                file.write(encoded(plan))
                shutil.copyfileobj(old, file)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal to go on with it; a torn last line is cut off.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: it cannot be read.
            RunInUseError: another process has it open.
        """
        file = _opened_alone(path)
        try:
            state = read(path)
            _cut(file, state.torn)
        except BaseException:
            file.close()
            raise
        return cls(state, file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file. Everything appended is on the disk already."""
        with self._lock:
            self._file.close()

    def append(self, entry: Asking | Generated | Graded) -> None:
        """Put ``entry`` on the disk; it is there when this returns.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
            OSError: the disk is full or gone; nothing of the entry stays behind.
        """
        line = encoded(entry)
        with self._lock:
            offset = self._file.seek(0, os.SEEK_END)
            self._state.check(entry, offset)
            try:
                _write_durably(self._file, line)
            except OSError:
                self._file.truncate(offset)
                raise
            self._state.note(entry, offset)

    @property
    def header(self) -> Opened:
        """The plan."""
        return self._state.header

    @property
    def attempts(self) -> Mapping[AttemptKey, Attempt]:
        """A copy of the verdicts so far."""
        with self._lock:
            return dict(self._state.attempts)

    def settled(self) -> tuple[Attempt, ...]:
        """Return the verdicts so far, sorted by eval and sample."""
        with self._lock:
            return self._state.settled()

    def generated(self, evaluation: str, sample: int) -> Generated | None:
        """Return the finished generation of a place; None where no reply came yet."""
        with self._lock:
            return self._state.generated(evaluation, sample)

    def asked(self, evaluation: str, sample: int) -> Generated | None:
        """Return what was last asked for a place, a reply or a fault; None where nothing was."""
        with self._lock:
            return self._state.asked(evaluation, sample)

    def unsettled(self, evaluation: str, sample: int) -> float:
        """Return the most, in dollars, that requests of which nothing was heard may have cost."""
        with self._lock:
            return self._state.unsettled(evaluation, sample)


def _state(path: Path, file: BinaryIO) -> JournalState:
    first = file.readline()
    check_version(path, first)
    header = parsed(path, 0, first) if first.endswith(b"\n") else None
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
    """Say whether a line is the last and was never whole, as after a loss of power."""
    if line.rstrip(b"\n").endswith(b"}") and line.startswith(b"{") and b"\0" not in line:
        return False
    here = file.tell()
    is_last = not file.read(1)
    file.seek(here)
    return is_last


def _take(state: JournalState, offset: int, line: bytes) -> None:
    entry = parsed(state.path, offset, line)
    if isinstance(entry, Opened):
        raise InvalidRecordError(state.path, f"at byte {offset}", "opens the run a second time")
    state.check(entry, offset)
    state.note(entry, offset)


def parsed(path: Path, offset: int, line: bytes) -> Opened | Asking | Generated | Graded:
    """Return the entry of a line.

    Raises:
        InvalidRecordError: it holds none.
    """
    try:
        return _ENTRY.validate_json(line, strict=True)
    except ValidationError as error:
        found = invalid(path, error)
        raise InvalidRecordError(path, f"at byte {offset}: {found.field}", found.reason) from error


def encoded(entry: Opened | Asking | Generated | Graded) -> bytes:
    """Return the line of an entry."""
    return entry.model_dump_json().encode() + b"\n"


def _place(entry: Asking | Generated | Graded) -> AttemptKey:
    source = entry.attempt if isinstance(entry, Graded) else entry
    return AttemptKey(source.eval, source.sample)


def _told(generation: Generation) -> bool:
    """Say whether the provider told what its reply cost, or of how many tokens it was."""
    if generation.cost_usd is None:
        return False
    reported = generation.cost_basis is CostBasis.REPORTED
    return reported or generation.tokens_basis is TokensBasis.REPORTED


def _write_durably(file: FileIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())


def _cut(file: FileIO, torn: int) -> None:
    if torn:
        file.truncate(file.seek(0, os.SEEK_END) - torn)
        os.fsync(file.fileno())


def _opened_alone(path: Path) -> FileIO:
    """Open a journal for writing, and lock it."""
    try:
        file = path.open("r+b", buffering=0)
    except FileNotFoundError as error:
        raise MissingRecordError(f"{path}: there is no such journal") from error
    try:
        _lock(path, file)
        _check_same(path, file)
    except BaseException:
        file.close()
        raise
    return file


def _lock(path: Path, file: FileIO) -> None:
    """Lock by flock: the kernel lets go of it however this process ends."""
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RunInUseError(f"{path}: another process is executing this run") from error


def _check_same(path: Path, file: FileIO) -> None:
    """See that ``path`` is the file that was locked: it may have been finished just before."""
    try:
        same = os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        same = False
    if not same:
        raise RunInUseError(f"{path}: another process has just executed this run; look again")


@contextmanager
def _alone_in(folder: Path) -> Generator[None]:
    """Wait until no other process makes a journal in ``folder``; a lock as in `_lock`."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
