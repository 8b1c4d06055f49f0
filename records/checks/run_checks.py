"""Checks of runs: alone, against their benchmark version and archive, and against each other.

The check of a folder, with the parts that apply to all kinds of records, is here, too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

from records import reader
from records.archives import archive
from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.files.data_folder import DataFolder, RecordFiles
from records.grouping import group_values
from records.runs.carrying import AskedAnswer, find_broken_promise, list_carried_answers
from records.shapes.attempt import Attempt, Outcome
from records.shapes.base import compute_text_digest
from records.shapes.run import Executed, Imported, Run
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import Benchmark

Content = TypeVar("Content")


class FolderCheck:
    """The check of a data folder without its ``local`` part: its problems so far."""

    def __init__(self, folder: DataFolder, shared: DataFolder | None) -> None:
        """Begin the check of a folder.

        Args:
            folder: the folder to check.
            shared: the published folder if ``folder`` is its ``local`` part, else None.
        """
        self.folder = folder
        self.shared = shared
        self.home = shared or folder
        """The folder with the published records."""
        self.problems: list[InvalidRecordError] = []

    def add(self, path: Path, field: str, reason: str) -> None:
        """Add a problem in the order of the files."""
        self.problems.append(InvalidRecordError(path, field, reason))

    def read(self, path: Path, read: Callable[[Path], Content]) -> Content | None:
        """Return the content of a file; if it cannot be read, add a problem and return None."""
        try:
            return read(path)
        except InvalidRecordError as error:
            self.problems.append(copy(error))  # without the frames that hold the file's bytes
        except RecordsError as error:
            self.add(path, "", str(error).removeprefix(f"{path}: "))
        return None

    def read_records(
        self, files: RecordFiles, model: type[reader.AnyRecord]
    ) -> Iterator[tuple[Path, reader.AnyRecord]]:
        """Yield the path and the record of each file of a kind that can be read.

        A problem is added for each other file. Problems of paths and of repeated keys are added,
        too.
        """
        for path in files.list_files():
            record = self.read(path, partial(reader.read_record, model))
            if record is not None:
                self.check_place(path, files.field, files.get_file(getattr(record, files.field)))
                self.check_keys(path, reader.read_bytes(path))
                yield path, record

    def check_place(self, path: Path, field: str, expected: Path) -> None:
        """Check that a record is at the path that its content demands."""
        if path != expected:
            self.add(path, field, f"belongs at {expected} by its content")

    def check_keys(self, path: Path, data: bytes) -> None:
        """Check that no key occurs more than once in an object of a JSON file."""
        for name in reader.find_duplicate_keys(data):
            self.add(path, name, "is repeated in one object")


class CheckedRun(NamedTuple):
    """The facts of a run for checks across files; whole runs would take too much memory."""

    path: Path
    run_id: str
    slug: str
    benchmark_version: str
    experiment: str
    planned: int
    passed: int
    failed: frozenset[tuple[str, int]]
    """Attempts that failed."""
    is_withdrawn: bool
    has_moved: bool
    carried: frozenset[AskedAnswer]
    """Answers that other runs asked for."""


def check_run(
    check: FolderCheck, path: Path, benchmarks: Mapping[str, Benchmark], imports: frozenset[str]
) -> CheckedRun | None:
    """Check a run, and return its facts for checks across files; None if it cannot be read."""
    folder = check.folder
    data = check.read(path, reader.read_bytes)
    run = None if data is None else check.read(path, lambda file: reader.parse_run(file, data))
    if data is None or run is None:
        return None
    check.check_place(path, "run_id", folder.get_run_file(*run.key))
    check.check_keys(path, data)
    benchmark = benchmarks.get(run.benchmark_version)
    if benchmark is None:
        reason = f"{run.benchmark_version} is not defined in benchmarks/"
        check.add(path, "benchmark_version", reason)
    elif strays := sorted(set(run.planned) - benchmark.evals.keys()):
        check.add(path, "planned", f"not in {run.benchmark_version}: {', '.join(strays[:3])}")
    if run.asked_version is not None and run.asked_version not in benchmarks:
        check.add(path, "asked_version", f"{run.asked_version} is not defined in benchmarks/")
    expected = compute_run_totals(run.attempts)
    for name in type(expected).model_fields:
        stated, total = getattr(run.totals, name), getattr(expected, name)
        if stated != total:
            check.add(path, f"totals.{name}", f"is {stated}, the attempts sum to {total}")
    check_times(check, path, run)
    if isinstance(run.provenance, Imported) and run.provenance.source_digest not in imports:
        check.add(path, "provenance.source_digest", "no file in imports/ has it")
    if run.lacks_reason and check.shared is None:
        reason = (
            f"is missing: files of the program differed from commit {run.changed_commit}, so the "
            "run needs a reason to be published"
        )
        check.add(path, "published_because", reason)
    check_carried_answers(check, path, run)
    # The archive of a run that has not finished may hold attempts that its record lacks yet.
    if not folder.get_journal_file(*run.key).exists():
        check_archive(check, path, run)
    return CheckedRun(
        path=path,
        run_id=run.run_id,
        slug=run.model.slug,
        benchmark_version=run.benchmark_version,
        experiment=run.experiment.name,
        planned=run.planned_attempts,
        passed=run.passed,
        failed=frozenset(a.place for a in run.attempts if a.outcome is Outcome.FAILED),
        is_withdrawn=run.withdrawn is not None,
        has_moved=run.asked_version is not None,
        carried=list_carried_answers(run),
    )


def check_times(check: FolderCheck, path: Path, run: Run) -> None:
    """Check that no time is before an earlier step of the run."""
    began, ended = run.started_at, run.finished_at
    if began is not None and began.date() != run.date:
        check.add(path, "date", f"is {run.date}, the run began at {began.isoformat()}")
    if began is not None and ended is not None and ended < began:
        check.add(path, "finished_at", "is before started_at")
    for number, undone in enumerate(run.undone_withdrawals):
        if undone.at is not None and undone.undone_at < undone.at:
            check.add(path, f"undone_withdrawals.{number}.undone_at", "is before at")
    for attempt in run.attempts:
        judged, field = attempt.graded_at, f"{_name_attempt(attempt)}.graded_at"
        if judged is None:
            continue
        if began is not None and judged < began:
            check.add(path, field, "is before the run's started_at")
        if ended is not None and judged > ended and not attempt.earlier_verdicts:
            check.add(path, field, "is after the run's finished_at")


def _name_attempt(attempt: Attempt) -> str:
    """Return the place of an attempt in a run, in the form of `records.files.problems`."""
    return f"attempts[{attempt.eval} sample {attempt.sample}]"


def compute_import_digests(folder: DataFolder) -> frozenset[str]:
    """Return the digests of the files in `imports/`."""
    files = [path for path in folder.imports.glob("*") if path.is_file() and not path.is_symlink()]
    return frozenset(sha256(reader.read_bytes(path)).hexdigest() for path in files)


def check_archive(check: FolderCheck, path: Path, run: Run) -> None:
    """Check that a run's archive has the attempts of its record."""
    attempts = (*run.attempts, *run.outdated)
    if isinstance(run.provenance, Executed):
        for attempt in attempts:
            if attempt.key is not None and attempt.artifact is None:
                reason = "is null, yet the attempt was graded: nothing shows what was"
                check.add(path, f"{_name_attempt(attempt)}.artifact", reason)
    promised = [attempt for attempt in attempts if attempt.artifact is not None]
    if not promised:
        return
    archive_path = check.folder.get_artifact_file(*run.key)
    try:
        with archive.Archive(archive_path) as archived:
            for attempt in promised:
                artifact = archived.read(*attempt.place)
                if wrong := archive.find_contradiction(attempt, artifact):
                    name = f"{attempt.eval}/{attempt.sample}"
                    check.add(archive_path, name, f"{wrong} {path.name} recorded")
    except InvalidRecordError as error:
        check.add(error.path, error.field, error.reason)
    except MissingRecordError as error:
        check.add(path, "attempts", f"artifact missing: {error}")


def check_ids(check: FolderCheck, runs: Sequence[CheckedRun]) -> None:
    """Check that no two runs have the same id, or the same first eight characters of it.

    Names of reports have only these eight characters.
    """
    owners = group_values((run.run_id, run) for run in runs)
    beginnings = group_values(((run.slug, run.run_id[:8]), run) for run in runs)
    for run_id, same in owners.items():
        for run in same[1:]:
            check.add(run.path, "run_id", f"{run_id} is also at {same[0].path}")
    for (_, beginning), alike in beginnings.items():
        for run in alike[1:]:
            if run.run_id != alike[0].run_id:
                check.add(run.path, "run_id", f"begins with {beginning} like {alike[0].run_id}")


def check_answers_counted_once(check: FolderCheck, runs: Sequence[CheckedRun]) -> None:
    """Check that no two runs of a version have the same answer: scores count an answer once.

    A run that moved to the version does not count beside one that took over its answers.
    """
    valid_runs = [run for run in runs if not run.is_withdrawn]
    version_of = {run.run_id: run.benchmark_version for run in valid_runs if not run.has_moved}
    first: dict[tuple[str, AskedAnswer], str] = {}
    for run in valid_runs:
        own = run.benchmark_version
        for answer in sorted(run.carried):
            other = first.setdefault((own, answer), run.run_id)
            if version_of.get(answer.run) == own:
                other = answer.run
            if other != run.run_id:
                reason = (
                    f"the answer to {answer.eval} sample {answer.sample} is in run {other}, too, "
                    f"of the same version {own}: withdraw one of them"
                )
                check.add(run.path, "attempts", reason)
                break


def check_carried_answers(check: FolderCheck, path: Path, run: Run) -> None:
    """Check the answers that a run carried over against the runs that asked.

    A development run's source may be gone; that of a published run must be there.
    """
    carried = group_values(
        (attempt.carried_over.run, (number, attempt))
        for number, attempt in enumerate(run.attempts)
        if attempt.carried_over is not None
    )
    slug = run.model.slug
    for run_id, attempts in carried.items():
        field = f"attempts.{attempts[0][0]}.carried_over"
        homes = (check.folder, check.home)
        home = next((each for each in homes if each.get_run_file(slug, run_id).exists()), None)
        if home is None:
            if check.shared is None:
                check.add(path, f"{field}.run", f"{run_id} is no run of {slug} here")
            continue
        try:
            origin = reader.read_run(home.get_run_file(slug, run_id))
        except RecordsError as error:
            check.add(path, f"{field}.run", f"{error}")
            continue
        try:
            with archive.Archive(home.get_artifact_file(slug, run_id)) as archived:
                for number, attempt in attempts:
                    why = find_broken_promise(run, attempt, origin) or _compare_archive(
                        archived.read(*attempt.place), attempt
                    )
                    if why is not None:
                        check.add(path, f"attempts.{number}.carried_over", why)
        except RecordsError as error:
            check.add(path, field, f"{error}")


def _compare_archive(artifact: archive.AttemptArtifact, attempt: Attempt) -> str | None:
    """Return how the archived attempt of the run that asked differs from ``attempt``; else None."""
    carried, generation = attempt.carried_over, attempt.generation
    if carried is None or archive.compute_prompt_digest(artifact.messages) != carried.prompt:
        return "the run that asked has other messages in its archive"
    reply = None if artifact.reply is None else compute_text_digest(artifact.reply)
    if generation is None or reply != generation.reply_digest:
        return "the run that asked has another reply in its archive"
    return None
