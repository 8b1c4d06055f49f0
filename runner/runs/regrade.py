"""Stored answers of finished runs, graded again: for new verdicts, or to verify the old.

A move is that of published runs to a new benchmark version, whose questions they were asked
already. Each run is copied to a folder of its own in ``data/local/minting``, where its answers are
graded again. A folder has the name of all that its verdicts depend on. So a killed move goes on
there, and nothing in ``data/runs`` changes before the version is minted.
"""

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from enum import StrEnum
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from records.archives.archive import Archive, AttemptArtifact, find_contradiction
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain
from records.journal.entries import make_opening_entry
from records.journal.journal import Journal
from records.reader import read_bytes, read_run
from records.runs.carrying import find_sharing_runs, list_carried_answers
from records.runs.standing import is_enough_of_levels, list_same_questions
from records.shapes.attempt import JUDGED, Attempt, AttemptKey, GradingKey, Outcome
from records.shapes.base import compute_list_digest
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT
from records.writer import open_atomic_file, write_run
from runner.errors import CannotRegradeError
from runner.evals.discovery import Eval
from runner.grading import grade
from runner.grading.answer_steps import GradingSettings
from runner.grading.worker.protocol import ALL_TESTS
from runner.python_toolchain import GradingToolchain
from runner.runs import record
from runner.runs.judge import name_judge


class StoredAnswer(NamedTuple):
    """An attempt that was graded, with its part of the archive."""

    attempt: Attempt
    kept: AttemptArtifact
    """The attempt's part of the archive."""
    reply: str
    """The text of the model."""

    @property
    def is_intact(self) -> bool:
        """True if the archive's answer has the digests that the record has of the graded answer."""
        return find_contradiction(self.attempt, self.kept) is None


def read_stored_answers(
    folder: DataFolder, run: Run, places: Collection[AttemptKey] | None = None
) -> Iterator[StoredAnswer]:
    """Yield the attempts of ``run`` that have a graded reply, in the record's order.

    Attempts whose provider failed and attempts of imported runs have no reply and are left out.
    ``places`` are the attempts to consider; None for all.

    Raises:
        MissingRecordError: the archive is missing though the record names it.
        InvalidRecordError: the archive is damaged, or larger than the limits.
    """
    graded = [
        candidate
        for candidate in run.attempts
        if candidate.artifact is not None and candidate.steps is not None
        if places is None or candidate.place in places
    ]
    if not graded:
        return
    with Archive(folder.get_artifact_file(*run.key)) as archive:
        for attempt in graded:
            artifact = archive.read(*attempt.place)
            if artifact.reply is not None:
                yield StoredAnswer(attempt, artifact, artifact.reply)


def list_intact_answers(
    folder: DataFolder, run: Run, needs_grading: Callable[[StoredAnswer], bool]
) -> list[StoredAnswer]:
    """Return the answers of ``run`` for which ``needs_grading`` holds.

    Raises:
        CannotRegradeError: the archive does not hold the graded answers.
        RecordsError: the archive is missing or damaged.
    """
    chosen: list[StoredAnswer] = []
    for answer in read_stored_answers(folder, run):
        if not answer.is_intact:
            raise CannotRegradeError(
                f"run {run.run_id}: the archive of {answer.attempt.eval} is not what was graded: "
                "see leaderboard check"
            )
        if needs_grading(answer):
            chosen.append(answer)
    return chosen


class Grading(NamedTuple):
    """Today's graders, with everything that their verdicts depend on."""

    version: Benchmark
    """The suite's benchmark version."""
    evals: Mapping[str, Eval]
    toolchain: GradingToolchain
    settings: GradingSettings

    def compute_verdict_key(self, answer: StoredAnswer) -> GradingKey | None:
        """Return the key of today's verdict on ``answer``; None if the suite lacks its eval."""
        evaluation = self.evals.get(answer.attempt.eval)
        if evaluation is None:
            return None
        return grade.compute_grading_key(
            evaluation,
            answer.kept.files,
            self.toolchain,
            self.settings.backend,
            judge_name=name_judge() if evaluation.asks_judge else None,
        )

    def compute_tools_digest(self) -> str:
        """Return the digest of today's emulator and tools, as in the keys of verdicts."""
        kind = next(iter(self.evals.values())).kind
        return grade.compute_tools_digest(kind, self.toolchain, self.settings.backend)

    def has_same_grader(self, answer: StoredAnswer) -> bool:
        """Return whether the eval still has the grader of the record's verdict."""
        published, today = answer.attempt.key, self.compute_verdict_key(answer)
        return published is not None and today is not None and published.grader == today.grader

    def make_submission(self, answer: StoredAnswer) -> grade.Submission:
        """Return ``answer`` for the graders; the suite has its eval."""
        return grade.Submission(self.evals[answer.attempt.eval], ALL_TESTS, reply=answer.reply)

    def is_stale(self, answer: StoredAnswer) -> bool:
        """Return whether today's verdict may differ from the record's.

        Always true for an attempt that is infrastructure.
        """
        infrastructure = answer.attempt.outcome is Outcome.INFRASTRUCTURE
        return infrastructure or answer.attempt.key != self.compute_verdict_key(answer)


def explain_misfit(run: Run, then: Benchmark | None, now: Benchmark) -> str | None:
    """Return why verdicts of today's graders on the answers of ``run`` would mean nothing, or None.

    An answer fits today's task only if the model was asked in the same words. So None is returned
    if the tasks, the prompt around them and the guidelines, if any were sent, are unchanged.
    """
    if run.benchmark_version == now.version:
        return None
    if then is None:
        return f"its benchmark version {run.benchmark_version} is not defined in benchmarks/"
    sent = run.experiment.name == DEFAULT
    changed = {
        "the evals of the suite": then.evals.keys() != now.evals.keys(),
        "the prompt around the tasks": then.system_prompt != now.system_prompt,
        "the guidelines that it was sent": sent and then.guidelines != now.guidelines,
    }
    tasks = {
        f"the task of {name}": name in now.evals and then.evals[name].task != now.evals[name].task
        for name in run.planned
    }
    changed_parts = [part for part, differs in (changed | tasks).items() if differs]
    return f"{', '.join(changed_parts)} changed" if changed_parts else None


class Regrading(NamedTuple):
    """A run and its attempts that have to be graded again."""

    run: Run
    folder: DataFolder
    """The data folder of the record: published or local."""
    stale: Sequence[StoredAnswer]
    """The attempts whose verdicts may differ today."""
    version: str
    """The benchmark version that the run belongs to afterwards: today's, or as before if the run
    answered other questions than today's."""


class RegradedAttempt(NamedTuple):
    """The result of grading one attempt again."""

    attempt: Attempt
    """The attempt with today's verdict; unchanged if today's graders reached none."""
    before: Outcome
    """The outcome before."""
    fault: str | None
    """The reason why they reached none; None if they reached one."""


def check_regradable(run: Run) -> None:
    """Check that ``run`` has answers to grade again; does not read its archive.

    Raises:
        CannotRegradeError: others published the run, or it has not ended.
    """
    if run.provenance.kind != "executed":
        raise CannotRegradeError(f"run {run.run_id} was published by others, without its answers")
    if run.status == "running":
        raise CannotRegradeError(
            f"run {run.run_id} has not ended: leaderboard run --resume {run.short_id}"
        )


def plan_regrading(
    folder: DataFolder,
    run: Run,
    then: Benchmark | None,
    grading: Grading,
    only: Collection[str] | None = None,
) -> Regrading:
    """Return the attempts of ``run`` whose verdicts may differ by today's graders.

    A run that answered other questions than today's stays in its version. Its attempts at evals
    whose grader is unchanged are still judged as that version says.

    Args:
        folder: the data folder of the run's record.
        run: a run that has ended.
        then: its benchmark version; None if it is not defined.
        grading: today's graders.
        only: the evals to consider; None for all.

    Raises:
        CannotRegradeError: others published the run, it has not ended, it answered other tasks
            and no verdict of an unchanged grader is stale, its archive does not hold the graded
            answers, or another run of today's version has its answers.
        RecordsError: the archive is missing or damaged.
    """
    check_regradable(run)
    misfit = explain_misfit(run, then, grading.version)
    version = run.benchmark_version if misfit else grading.version.version
    twice = find_sharing_runs(folder, run, version) if run.benchmark_version != version else []
    if twice:
        raise CannotRegradeError(
            f"run {run.run_id}: run {twice[0].run_id} of version {version} has its answers already"
        )

    def needs_grading(answer: StoredAnswer) -> bool:
        is_chosen = only is None or answer.attempt.eval in only
        fits = misfit is None or grading.has_same_grader(answer)
        return is_chosen and grading.is_stale(answer) and fits

    stale = list_intact_answers(folder, run, needs_grading)
    if misfit is not None and not stale:
        raise CannotRegradeError(f"run {run.run_id} answered other questions: {misfit}")
    return Regrading(run, folder, stale, version)


def regrade(
    plan: Regrading,
    graders: grade.Graders,
    grading: Grading,
    *,
    why: str | None,
    done: Callable[[RegradedAttempt], None],
) -> Run:
    """Grade the stale answers of ``plan`` and return the new record, which is on the disk.

    Each verdict is in the run's journal as soon as it is reached, before ``done`` receives it. So a
    killed regrading loses no verdict, and the next call goes on with the rest. If grading again
    reaches no verdict, the earlier verdict stays.
    """
    run = plan.run
    path = plan.folder.get_journal_file(*run.key)
    header = make_opening_entry(run.model_copy(update={"benchmark_version": plan.version}))
    record.prepare_journal(plan.folder, header)
    with Journal.open(path) as journal:
        # The journal may have verdicts of today's graders, from a killed regrading.
        keys = {place: attempt.key for place, attempt in journal.attempts.items()}
        remaining = [
            answer
            for answer in plan.stale
            if keys.get(answer.attempt.place) != grading.compute_verdict_key(answer)
        ]
        verdicts = {graders.submit(grading.make_submission(each)): each for each in remaining}
        for verdict in as_completed(verdicts):
            answer, result = verdicts.pop(verdict), verdict.result()
            attempt, fault = answer.attempt, result.reason
            if result.outcome is not Outcome.INFRASTRUCTURE:
                # The new verdict stands beside the earlier ones.
                replaced = attempt.build_verdict(replaced_because=why)
                earlier = (*attempt.earlier_verdicts, *(() if replaced is None else (replaced,)))
                generated = record.restore_generated(attempt, answer.kept)
                limit = run.model.max_output_tokens
                graded = record.make_judged_entry(generated, result, limit, earlier)
                journal.append(graded)
                attempt, fault = graded.attempt, None
            done(RegradedAttempt(attempt, answer.attempt.outcome, fault))
        return record.finish(plan.folder, path, run.finished_at)


class Reproduction(StrEnum):
    """The result of grading an answer again."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    """The same grader gives another verdict."""
    TAMPERED = "tampered"
    """The archive does not hold the answer that the record's verdict is about."""
    OTHER_GRADER = "other_grader"
    """This suite lacks the eval, or has another grader: check out the commit of the record."""
    INFRASTRUCTURE = "infrastructure"
    """This machine could not reach a verdict."""


class Verified(NamedTuple):
    """One attempt, graded again."""

    eval: str
    sample: int
    result: Reproduction
    published: str
    """The record's verdict, in words."""
    here: str | None
    """The result on this machine, in words; null if the answer was not graded."""
    same_toolchain: bool
    """True if Node, Convex and the other tools have the versions that the record names."""


def verify(
    answers: Sequence[StoredAnswer], graders: grade.Graders, grading: Grading
) -> Iterator[Verified]:
    """Yield the result of each of ``answers``, in their order, as soon as it is known.

    Equal replies to an eval are graded once: a baseline gives the same replies in each of its runs.
    """
    submitted: dict[tuple[str, str], Future[grade.GradingResult]] = {}
    verdicts: list[Future[grade.GradingResult] | None] = []
    for answer in answers:
        name_and_reply = answer.attempt.eval, answer.reply
        if not (answer.is_intact and grading.has_same_grader(answer)):
            verdicts.append(None)
            continue
        if name_and_reply not in submitted:
            submitted[name_and_reply] = graders.submit(grading.make_submission(answer))
        verdicts.append(submitted[name_and_reply])
    for answer, verdict in zip(answers, verdicts, strict=True):
        attempt, key = answer.attempt, grading.compute_verdict_key(answer)
        here = None
        if not answer.is_intact:
            reproduction = Reproduction.TAMPERED
        elif verdict is None:
            reproduction = Reproduction.OTHER_GRADER
        else:
            result = verdict.result()
            here = grade.describe_verdict(result)
            same = (result.outcome, result.failed_step) == (attempt.outcome, attempt.failed_step)
            reproduction = Reproduction.REPRODUCED if same else Reproduction.DIFFERS
            if result.outcome is Outcome.INFRASTRUCTURE:
                reproduction = Reproduction.INFRASTRUCTURE
        yield Verified(
            attempt.eval,
            attempt.sample,
            reproduction,
            published=grade.describe_verdict(attempt),
            here=here,
            same_toolchain=bool(key and attempt.key and key.toolchain == attempt.key.toolchain),
        )


_MOVES = "minting"


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
        folder = DataFolder(data.local.root / _MOVES / name[:16])
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
    data: DataFolder, move: Move, graders: grade.Graders, grading: Grading, *, proven: bool
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
        copy_file(data.get_artifact_file(*key), folder.get_artifact_file(*key))
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


class ChangedVerdict(NamedTuple):
    """An attempt whose verdict is another one after the move."""

    before: Attempt
    after: Attempt


def list_changed_verdicts(run: Run, moved: Run) -> Iterator[ChangedVerdict]:
    """Yield the attempts whose outcome or first failed step differs."""
    before = {attempt.place: attempt for attempt in (*run.attempts, *run.outdated)}
    for attempt in moved.attempts:
        old = before[attempt.place]
        if (old.outcome, old.failed_step) != (attempt.outcome, attempt.failed_step):
            yield ChangedVerdict(old, attempt)


def write_moves(data: DataFolder, moves: Sequence[Move], version: str, why: str | None) -> None:
    """Put the graded runs in place of the published ones, as runs of ``version``.

    ``why`` becomes the reason of each replaced verdict. If the process is killed before the end,
    the next call of the command goes on with the rest.
    """
    for move in moves:
        key = move.run.key
        copy_file(move.folder.get_artifact_file(*key), data.get_artifact_file(*key))
        moved = read_run(move.folder.get_run_file(*key))
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
    shutil.rmtree(data.local.root / _MOVES, ignore_errors=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file completely or not at all; a missing source is left out."""
    if source.exists():
        with open_plain(source) as old, open_atomic_file(target) as new:
            shutil.copyfileobj(old, new)
