"""The receiver of runs from other machines.

While a run is received, its plan and a file for each attempt are in `data/local/inbox/<run id>/`.
Each file is written as a whole, and is on the disk before the runner gets the answer. When the
runner reports the end of the run, the record and the archive are made from these files, and the
inbox is removed. If the server is killed at any moment, the same request repeats this work.
"""

import shutil
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from generator.tables.run_columns import list_recorded
from leaderboard.api import run_shapes
from leaderboard.api.keys import ApiKey
from leaderboard.api.run_shapes import ApiError
from records.archives.archive import Archive, AttemptArtifact, write_archive
from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.files.data_folder import RECORD, DataFolder
from records.files.plain_files import lock_folder, make_durable
from records.reader import find_benchmark, read_record, read_run
from records.runs.carrying import find_broken_promise
from records.shapes.attempt import JUDGED, Attempt, AttemptKey, Outcome, make_attempt
from records.shapes.base import Name, Record
from records.shapes.run import Executed, Run
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import Benchmark
from records.writer import encode_record, write_atomically, write_record, write_run

PLAN = "run.json"


class KnownRun(Record):
    """A run of this server: its plan in the inbox, or its record."""

    channel: run_shapes.Channel
    """The channel of the run, which decides the folder of its record."""
    sent_by: Name | None
    """The name of the key with which the run was begun; null in place of a record."""
    run: Run
    """The run; a plan has no attempts."""


class InboxAttempt(Record):
    """An attempt that was received."""

    attempt: Attempt
    """The attempt, as it will be recorded."""
    kept: AttemptArtifact | None
    """The artifact; null if the attempt was not run."""


def read_plan(inbox: Path) -> KnownRun | None:
    """Return the plan of the run in a folder of the inbox; null if there is none.

    Raises:
        InvalidRecordError: the plan cannot be read.
    """
    path = inbox / PLAN
    try:
        plan = read_record(KnownRun, path)
    except MissingRecordError:
        return None
    if plan.sent_by is None:
        raise InvalidRecordError(path, "sent_by", "a run in the inbox has the name of a key")
    return plan


def build_entry_path(inbox: Path, place: AttemptKey) -> Path:
    """Return the path of the file of an attempt, which may not exist."""
    return inbox / f"{place.eval.replace('/', '.')}.{place.sample}.json"


read_entry = partial(read_record, InboxAttempt)


def find_damage(data: DataFolder) -> Iterator[InvalidRecordError]:
    """Yield the problems of runs in the inbox, each with its remedy."""
    for inbox in sorted(data.inbox.glob("[!.]*/")):
        try:
            plan = read_plan(inbox)
        except InvalidRecordError as error:
            yield _build_problem(error, "remove the folder, and its runner sends the run anew")
            continue
        if plan is None:
            continue
        expected = {build_entry_path(inbox, place): place for place in plan.run.iterate_places()}
        for path in sorted(inbox.glob("[!.]*")):
            if path.name == PLAN:
                continue
            place = expected.get(path)
            if place is None:
                yield InvalidRecordError(path, "", "is no attempt that the run plans: remove it")
                continue
            try:
                attempt = read_entry(path).attempt
            except MissingRecordError:
                continue  # the run ended meanwhile
            except InvalidRecordError as error:
                yield _build_problem(error, "remove it, and its runner sends the attempt again")
                continue
            if attempt.place != place:
                yield InvalidRecordError(
                    path, "", "holds another attempt than its name says: remove it"
                )


def find_abandoned(data: DataFolder) -> Iterator[Path]:
    """Yield folders that a killed server left: without a plan, or not yet removed at the end."""
    yield from sorted(data.inbox.glob(".*.done"))
    for inbox in sorted(data.inbox.glob("[!.]*/")):
        if not (inbox / PLAN).exists():
            yield inbox


def _build_problem(error: InvalidRecordError, mending: str) -> InvalidRecordError:
    return InvalidRecordError(error.path, error.field, f"{error.reason}: {mending}")


def check_carried(folders: Iterable[DataFolder], run: Run, attempt: Attempt) -> None:
    """Check a carried-over attempt of ``run`` against the run in ``folders`` that asked for it.

    Does nothing for other attempts.

    Raises:
        ApiError: 409, the run that asked is missing, or its attempt or answer differs.
    """
    carried = attempt.carried_over
    if carried is None:
        return
    try:
        Run.model_validate(dict(run) | {"status": "running", "attempts": (attempt,)})
    except ValidationError as error:
        raise ApiError(
            409, "does not fit carry_over_days, started_at or run_id of the run", "carried_over"
        ) from error
    paths = [folder.get_run_file(run.model.slug, carried.run) for folder in folders]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise ApiError(
            409,
            f"run {carried.run}, which asked for the answer, is not recorded here: send it first",
            "carried_over",
        )
    if (why := find_broken_promise(run, attempt, read_run(path))) is not None:
        raise ApiError(409, why, "carried_over")


class Receiver:
    """Receives runs into a data folder."""

    def __init__(self, data: DataFolder) -> None:
        """Store the data folder, and remove inboxes that a killed server has only half removed."""
        self._data = data
        for leftover in data.inbox.glob(".*.done"):
            shutil.rmtree(leftover, ignore_errors=True)

    def get_folder(self, channel: run_shapes.Channel) -> DataFolder:
        """Return the data folder for the records of a channel."""
        return self._data if channel == "production" else self._data.local

    def define(self, key: ApiKey, version: str, benchmark: Benchmark) -> None:
        """Store the definition of a benchmark version for development runs.

        Raises:
            ApiError: 403, the key is of the production channel, whose versions are minted.
            ApiError: 409, ``benchmark`` defines another version, or the version has another
                definition here.
        """
        if key.channel == "production":
            raise ApiError(
                403,
                "versions of published runs are minted, by leaderboard suite mint, and not sent",
            )
        if benchmark.version != version or not benchmark.digest.startswith(version):
            raise ApiError(409, f"the definition is not of version {version}", "version")
        stored_benchmark = find_benchmark(self._data, version)
        if stored_benchmark is None:
            write_record(self._data.local.benchmarks, benchmark)
        elif (
            stored_benchmark.digest != benchmark.digest or stored_benchmark.evals != benchmark.evals
        ):
            raise ApiError(409, f"version {version} has another definition here", "version")

    def start(self, key: ApiKey, start: run_shapes.RunStart) -> tuple[run_shapes.RunState, bool]:
        """Begin to receive a run, or go on; return its state, and true if it is new here.

        Raises:
            ApiError: 403, the channel of the runner is not that of the key.
            ApiError: 409, a different run has the id here, or the version is not known.
        """
        if start.channel != key.channel:
            raise ApiError(
                403,
                f"the key {key.name} is of the channel {key.channel}, and the runner states "
                f"{start.channel}: a {key.channel} run is made "
                f"{'with' if key.channel == 'production' else 'without'} --publish",
                "channel",
            )
        run = run_shapes.make_empty_run(start)
        self._check_version(run, start.channel)
        inbox = self._data.inbox / run.run_id
        with self._lock_inbox(inbox, make=True):
            try:
                stored_plan = read_plan(inbox)
                record = self._find_record(run.run_id)
                if known := stored_plan or record:
                    _check_same(known, start.channel, run)
                else:
                    self._check_identity(run)
            except (ApiError, RecordsError):
                with suppress(OSError):  # it holds a run that goes on
                    inbox.rmdir()
                raise
            is_over = record and record.run.status == "completed" and not record.run.unjudged
            if stored_plan is None and record is not None and is_over:
                # An inbox for a run that is over would never be removed, as no attempt can change.
                with suppress(OSError):  # something else lies in it
                    inbox.rmdir()
                return _build_state(record, record.run.attempts), False
            sent_by = stored_plan.sent_by if stored_plan else key.name
            plan = KnownRun(channel=start.channel, sent_by=sent_by, run=run)
            if plan != stored_plan:
                write_atomically(inbox / PLAN, encode_record(plan))
            return _build_state(plan, self._read_attempts(inbox, plan).values()), known is None

    def put(
        self,
        key: ApiKey,
        run_id: str,
        place: AttemptKey,
        sent: run_shapes.SentAttempt,
    ) -> tuple[run_shapes.AttemptReceipt, bool]:
        """Write an attempt to the disk; return its receipt, and true if anything changed.

        Raises:
            ApiError: 404, there is no such run, or the run did not plan the attempt.
            ApiError: 403, the run is of the other channel.
            ApiError: 409, the run has ended, or the attempt has another verdict here, or the
                run from which its answer was carried over is not here.
        """
        attempt, artifact = sent.to_records(place.eval, place.sample)
        receipt = run_shapes.AttemptReceipt(digest=run_shapes.compute_attempt_digest(attempt))
        with self._open_run(key, run_id) as (inbox, known):
            run = known.run
            if place.eval not in run.planned or place.sample > run.samples:
                raise ApiError(404, "the run did not plan this attempt", "sample")
            before = self._list_recorded_attempts(known).get(place)
            with suppress(MissingRecordError):
                before = read_entry(build_entry_path(inbox, place)).attempt
            if before == attempt:
                return receipt, False
            if before is not None and before.outcome in JUDGED:
                raise ApiError(409, "the attempt has another verdict here", "sample")
            if known.sent_by is None:
                raise ApiError(409, "the run has ended: start it again to go on", "run_id")
            began, judged = run.started_at, attempt.graded_at
            if began is not None and judged is not None and judged < began:
                raise ApiError(409, "graded_at is before the run's started_at", "graded_at")
            folders = dict.fromkeys((self.get_folder(known.channel), self._data))
            check_carried(folders, run, attempt)
            entry = InboxAttempt(attempt=attempt, kept=artifact)
            write_atomically(
                build_entry_path(inbox, place), entry.model_dump_json().encode() + b"\n"
            )
            return receipt, True

    def finish(self, key: ApiKey, run_id: str, end: run_shapes.RunEnd) -> run_shapes.RunState:
        """Write the record and the archive of a received run; return its state.

        Raises:
            ApiError: 404, there is no such run.
            ApiError: 403, the run is of the other channel.
            ApiError: 409, the time of the end is before the verdict on an attempt.
        """
        with self._open_run(key, run_id) as (inbox, plan):
            if plan.sent_by is None:
                return _build_state(plan, plan.run.attempts)
            attempts = self._read_attempts(inbox, plan)
            moments = [attempt.graded_at for attempt in attempts.values() if attempt.graded_at]
            if end.finished_at < max([*moments, plan.run.started_at or end.finished_at]):
                raise ApiError(
                    409, "finished_at is before the time of a received verdict", "finished_at"
                )
            # Attempts that were not sent are not run.
            whole = tuple(
                attempts.get(place) or make_attempt(*place, Outcome.NOT_RUN)
                for place in plan.run.iterate_places()
            )
            complete = all(attempt.outcome is not Outcome.NOT_RUN for attempt in whole)
            ended = {
                "status": "completed" if complete else "aborted",
                "finished_at": end.finished_at,
                "totals": compute_run_totals(whole),
                "attempts": whole,
            }
            run = Run.model_validate(dict(plan.run) | ended)
            if (before := self._find_earlier_record(plan)) is not None:
                # Maintainers may have set these fields here, and the runner does not have them.
                fields = ("published_because", "withdrawn", "undone_withdrawals")
                run = run.model_copy(update={field: getattr(before, field) for field in fields})
            folder = self.get_folder(plan.channel)
            path = folder.get_artifact_file(run.model.slug, run_id)
            write_archive(path, self._read_artifacts(inbox, path, run))
            write_run(folder, run)
            # Renamed first, so that a half-removed inbox never looks like a run.
            inbox.replace(finished_inbox := inbox.with_name(f".{run_id}.done"))
            make_durable(inbox.parent)
            shutil.rmtree(finished_inbox, ignore_errors=True)
            record = KnownRun(channel=plan.channel, sent_by=None, run=run)
            return _build_state(record, attempts.values())

    def read_run_state(self, key: ApiKey, run_id: str) -> run_shapes.RunState:
        """Return the state of a run, with the attempts that are on this server.

        Raises:
            ApiError: 404, there is no such run.
            ApiError: 403, the run is of the other channel.
        """
        with self._open_run(key, run_id) as (inbox, known):
            if known.sent_by is None:
                return _build_state(known, known.run.attempts)
            return _build_state(known, self._read_attempts(inbox, known).values())

    def read_run_record(self, key: ApiKey, run_id: str) -> Run:
        """Return the record of a run that has ended.

        Raises:
            ApiError: 404, there is no such record.
            ApiError: 403, the run is of the other channel.
        """
        record = self._find_record(run_id)
        if record is None:
            raise ApiError(404, "there is no record of such a run", "run_id")
        _check_channel(key, record.channel)
        return record.run

    def list_unfinished(self, channel: run_shapes.Channel) -> Iterator[run_shapes.RunBrief]:
        """Yield the runs of a channel that are being received."""
        for path in sorted(self._data.inbox.glob("[!.]*")):
            with suppress(InvalidRecordError), self._lock_inbox(path):
                plan = read_plan(path)
                if plan is not None and plan.channel == channel:
                    yield build_run_brief(plan, self._read_attempts(path, plan).values())

    @contextmanager
    def _lock_inbox(self, inbox: Path, *, make: bool = False) -> Generator[None]:
        """Lock the inbox of a run against other threads and processes; ``make`` creates it first.

        An inbox that does not exist is not locked.
        """
        with ExitStack() as stack:
            while make or inbox.exists():
                if make and not inbox.exists():
                    inbox.mkdir(parents=True, exist_ok=True)
                    make_durable(inbox.parent)
                with suppress(MissingRecordError):  # it was finished meanwhile
                    stack.enter_context(lock_folder(inbox))
                    break
            yield

    @contextmanager
    def _open_run(self, key: ApiKey, run_id: str) -> Generator[tuple[Path, KnownRun]]:
        """Yield the locked inbox of a run, and its plan; its record if there is no plan.

        Raises:
            ApiError: 404, there is no such run.
            ApiError: 403, the run is of the other channel.
        """
        inbox = self._data.inbox / run_id
        with self._lock_inbox(inbox):
            known = read_plan(inbox) or self._find_record(run_id)
            if known is None:
                raise ApiError(404, "there is no such run: start it first", "run_id")
            _check_channel(key, known.channel)
            yield inbox, known

    def _find_record(self, run_id: str) -> KnownRun | None:
        for channel in run_shapes.CHANNELS:
            for path in self.get_folder(channel).list_run_files():
                if path.name == run_id + RECORD:
                    return KnownRun(channel=channel, sent_by=None, run=read_run(path))
        return None

    def _find_earlier_record(self, plan: KnownRun) -> Run | None:
        """Return the record of a run that goes on although it had ended; None if there is none."""
        folder, run = self.get_folder(plan.channel), plan.run
        with suppress(MissingRecordError):
            return read_run(folder.get_run_file(*run.key))
        return None

    def _list_recorded_attempts(self, known: KnownRun) -> dict[AttemptKey, Attempt]:
        """Return the attempts in the record of a run; none if it has no record yet."""
        record = known.run if known.sent_by is None else self._find_earlier_record(known)
        return {attempt.place: attempt for attempt in record.attempts} if record else {}

    def _read_attempts(self, inbox: Path, plan: KnownRun) -> dict[AttemptKey, Attempt]:
        """Return the attempts of a run: those in its record, replaced by those in the inbox."""
        reached = {
            key: attempt
            for key, attempt in self._list_recorded_attempts(plan).items()
            if attempt.outcome is not Outcome.NOT_RUN
        }
        new = [read_entry(path).attempt for path in sorted(inbox.glob("[0-9]*"))]
        return reached | {attempt.place: attempt for attempt in new}

    def _read_artifacts(self, inbox: Path, path: Path, run: Run) -> Iterator[AttemptArtifact]:
        """Yield the artifact of each attempt: from the inbox, else from the existing archive."""
        for attempt in run.attempts:
            if attempt.artifact is None:
                continue
            with suppress(MissingRecordError):
                artifact = read_entry(build_entry_path(inbox, attempt.place)).kept
                if artifact is not None:
                    yield artifact
                continue
            with Archive(path) as archive:
                yield archive.read(*attempt.place)

    def _check_version(self, run: Run, channel: run_shapes.Channel) -> None:
        version = run.benchmark_version
        benchmark = find_benchmark(self._data, version)
        minted = self._data.benchmarks.get_file(version)
        if channel == "production" and not minted.exists():
            raise ApiError(
                409, f"benchmark version {version} is not minted here", "benchmark_version"
            )
        if benchmark is None:
            raise ApiError(
                409,
                f"benchmark version {version} is not known here: PUT /api/benchmarks/{version}",
                "benchmark_version",
            )
        strays = sorted(set(run.planned) - benchmark.evals.keys())
        if strays:
            raise ApiError(409, f"{strays[0]} is no eval of version {version}", "planned")

    def _check_identity(self, run: Run) -> None:
        """Check that no other run of the model has an id with the same first 8 characters.

        Raises:
            ApiError: 409, another run has.
        """
        for channel in run_shapes.CHANNELS:
            folder = self.get_folder(channel).get_run_file(*run.key).parent
            if any(folder.glob(f"{run.short_id}*")):
                raise ApiError(409, "another run of the model begins so", "run_id")
        for other in self._data.inbox.glob(f"{run.short_id}*"):
            plan = read_plan(other) if other.name != run.run_id else None
            if plan is not None and plan.run.model.slug == run.model.slug:
                raise ApiError(409, "another run of the model begins so", "run_id")


def _build_state(known: KnownRun, attempts: Collection[Attempt]) -> run_shapes.RunState:
    """Return the state of a run with these attempts."""
    digests = tuple(
        run_shapes.ReceivedDigest(
            eval=attempt.eval,
            sample=attempt.sample,
            digest=run_shapes.compute_attempt_digest(attempt),
        )
        for attempt in sorted(attempts, key=lambda attempt: attempt.place)
    )
    row = build_run_brief(known, attempts)
    return run_shapes.RunState(**dict(row), attempts=digests, sent_by=known.sent_by)


def build_run_brief(known: KnownRun, attempts: Collection[Attempt]) -> run_shapes.RunBrief:
    """Return a run with these attempts in short."""
    run, outcomes = known.run, [attempt.outcome for attempt in attempts]
    return run_shapes.RunBrief.model_validate(
        {
            "run_id": run.run_id,
            "channel": known.channel,
            "model": run.model.slug,
            "experiment": run.experiment.name,
            "benchmark_version": run.benchmark_version,
            "status": "receiving" if known.sent_by else run.status,
            "date": run.date,
            "started_at": run.started_at,
            "planned": run.planned_attempts,
            "received": len(outcomes) - outcomes.count(Outcome.NOT_RUN),
            "passed": outcomes.count(Outcome.PASSED),
            "failed": outcomes.count(Outcome.FAILED),
            **list_recorded(run),
        }
    )


def _check_channel(key: ApiKey, channel: run_shapes.Channel) -> None:
    if key.channel != channel:
        raise ApiError(403, f"the key {key.name} is of the channel {key.channel}", "Authorization")


def _check_same(known: KnownRun, channel: run_shapes.Channel, run: Run) -> None:
    """Check that a run is the one that is known here, and may go on."""
    known_run = known.run
    if known.channel != channel:
        raise ApiError(403, f"the run is of the channel {known.channel} here", "channel")
    if not isinstance(known_run.provenance, Executed) or known_run.withdrawn is not None:
        raise ApiError(409, "the run was published by others, or withdrawn", "run_id")
    for field in run_shapes.RunStart.model_fields:
        if field in {"channel", "budget_usd"}:  # a resumed run may have more to spend
            continue
        if getattr(known_run, field) != getattr(run, field):
            raise ApiError(409, f"the run has another {field} here", field)
