"""The move of published runs to a new benchmark version, whose questions they were asked already.

Each run is copied to a folder of its own in ``data/local/minting``, where its answers are graded
again. A folder has the name of all that its verdicts depend on. So a killed move goes on there, and
nothing in ``data/runs`` changes before the version is minted.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter
from typing import NamedTuple

from records.archives.archive import compute_list_digest
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain
from records.reader import read_bytes, read_run
from records.runs.carrying import find_sharing_runs, list_carried_answers
from records.runs.standing import is_enough_of_levels, list_same_questions
from records.shapes.attempt import JUDGED, Attempt
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import Benchmark
from records.writer import open_atomic_file, write_run
from runner.errors import CannotRegradeError
from runner.grading.grade import Graders
from runner.runs.regrade import (
    Grading,
    RegradedAttempt,
    Regrading,
    StoredAnswer,
    check_regradable,
    list_intact_answers,
    regrade,
)

_FOLDER = "minting"


class Move(NamedTuple):
    """A run that moves to a new version."""

    run: Run
    """The run before."""
    moved: Run
    """The run afterwards, with its verdicts as they were until it is graded again."""
    folder: DataFolder
    """The folder in which it is graded again."""


def plan_moves(
    data: DataFolder, versions: Mapping[str, Benchmark], before: Benchmark, grading: Grading
) -> tuple[list[Move], list[tuple[Run, str]]]:
    """Return the published runs of ``before`` that move to today's version, and why others do not.

    A run moves if today's version asks enough of its evals in the same words. Its attempts at other
    evals are outdated there.
    """
    now = grading.version
    runs = [
        run
        for run in map(read_run, data.list_run_files())
        if run.benchmark_version == before.version
        and run.provenance.kind == "executed"
        and run.withdrawn is None
    ]
    moving_runs = {
        run.run_id: list_same_questions(
            run, versions.get(run.asked_version or before.version, before), now
        )
        for run in runs
    }
    taken_over = {
        answer.run: run.run_id
        for run in runs
        if is_enough_of_levels(moving_runs[run.run_id], now)
        for answer in list_carried_answers(run)
    }
    moves: list[Move] = []
    left: list[tuple[Run, str]] = []
    for run in runs:
        if (why := _find_obstacle(data, run, moving_runs[run.run_id], taken_over, now)) is not None:
            left.append((run, why))
            continue
        planned = moving_runs[run.run_id]
        attempts = sorted((*run.attempts, *run.outdated), key=attrgetter("place"))
        counted = tuple(attempt for attempt in attempts if attempt.eval in planned)
        changes = {
            "benchmark_version": now.version,
            "asked_version": run.asked_version or before.version,
            "planned": planned,
            "attempts": counted,
            "outdated": tuple(attempt for attempt in attempts if attempt.eval not in planned),
            "totals": compute_run_totals(counted),
        }
        moved = Run.model_validate(dict(run) | changes)
        # The folder is named after all that verdicts depend on, without the marks of tools, which a
        # killed command may have written since.
        published = sha256(read_bytes(data.get_run_file(*run.key))).hexdigest()
        digests = [now.evals[name].model_dump_json(exclude={"tools"}) for name in planned]
        name = compute_list_digest(published, grading.compute_tools_digest(), *digests)
        folder = DataFolder(data.local.root / _FOLDER / name[:16])
        moves.append(Move(run, moved, folder))
    return moves, left


def _find_obstacle(
    data: DataFolder, run: Run, evals: Sequence[str], taken: Mapping[str, str], now: Benchmark
) -> str | None:
    """Return why ``run`` stays in its version; None if it moves."""
    if not is_enough_of_levels(evals, now):
        return f"{len(evals)} of {len(now.evals)} evals ask what it was asked"
    if run.run_id in taken:
        return f"run {taken[run.run_id][:8]} took over its answers"
    if data.get_journal_file(*run.key).exists():
        return f"it has not ended: leaderboard run --resume {run.short_id}"
    try:
        check_regradable(run)
    except CannotRegradeError as error:
        return str(error)
    shared = find_sharing_runs(data, run, now.version)
    return f"run {shared[0].short_id} of {now.version} has its answers" if shared else None


def grade_copy(
    data: DataFolder, move: Move, graders: Graders, grading: Grading, *, proven: bool
) -> tuple[Run, list[RegradedAttempt]]:
    """Grade the answers of a run again in its folder; return the record there, and the results.

    If ``proven``, today's tools are known to judge as those of the version before. Then only
    answers whose grader is another one are graded.

    Raises:
        CannotRegradeError: the archive does not hold the graded answers.
        RecordsError: the archive is missing or damaged.
    """
    folder, key = move.folder, move.run.key
    record, journal = folder.get_run_file(*key), folder.get_journal_file(*key)
    if not (record.exists() or journal.exists()):
        _copy_archive(data, folder, move.run)
        write_run(folder, move.moved)
    # A complete copy is read, because a killed command may have put its archive into `data`.
    source, run = (data, move.moved) if journal.exists() else (folder, read_run(record))

    def needs_grading(answer: StoredAnswer) -> bool:
        is_same = grading.has_same_grader(answer) and answer.attempt.outcome in JUDGED
        return grading.is_stale(answer) and not (proven and is_same)

    results: list[RegradedAttempt] = []
    if stale := list_intact_answers(source, run, needs_grading):
        plan = Regrading(move.moved, folder, stale, move.moved.benchmark_version)
        regrade(plan, graders, grading, why=None, done=results.append)
        journal.unlink(missing_ok=True)
    return read_run(record), results


def list_changed_verdicts(run: Run, moved: Run) -> Iterator[tuple[Attempt, Attempt]]:
    """Yield the attempts, as before and now, whose outcome or first failed step differs."""
    before = {attempt.place: attempt for attempt in (*run.attempts, *run.outdated)}
    for attempt in moved.attempts:
        old = before[attempt.place]
        if (old.outcome, old.failed_step) != (attempt.outcome, attempt.failed_step):
            yield old, attempt


def write_moves(data: DataFolder, moves: Sequence[Move], version: str, why: str | None) -> None:
    """Put the graded runs in place of the published ones, as runs of ``version``.

    ``why`` becomes the reason of each replaced verdict. If the process is killed before the end,
    the next call of the command goes on with the rest.
    """
    for move in moves:
        _copy_archive(move.folder, data, move.run)
        moved = read_run(move.folder.get_run_file(*move.run.key))
        attempts = tuple(
            attempt.model_copy(
                update={
                    "earlier_verdicts": (
                        *attempt.earlier_verdicts[:-1],
                        attempt.earlier_verdicts[-1].model_copy(update={"replaced_because": why}),
                    )
                }
            )
            if len(attempt.earlier_verdicts) > len(before.earlier_verdicts)
            else attempt
            for before, attempt in zip(move.moved.attempts, moved.attempts, strict=True)
        )
        changes = {"benchmark_version": version, "attempts": attempts}
        write_run(data, moved.model_copy(update=changes))
    remove_copies(data)


def remove_copies(data: DataFolder) -> None:
    """Remove the folders in which runs were graded again."""
    shutil.rmtree(data.local.root / _FOLDER, ignore_errors=True)


def _copy_archive(source: DataFolder, target: DataFolder, run: Run) -> None:
    path = source.get_artifact_file(*run.key)
    if path.exists():
        with open_plain(path) as old, open_atomic_file(target.get_artifact_file(*run.key)) as new:
            shutil.copyfileobj(old, new)
