"""Regrading: today's graders judge the stored answers of finished runs; no model is asked."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass

from records.files.data_folder import DataFolder
from records.journal.entries import AttemptKey, Graded
from records.journal.journal import Journal
from records.runs.carrying import find_sharing_runs
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from runner.errors import CannotRegradeError
from runner.grading.grade import GradingResult
from runner.grading.graders import Graders
from runner.runs.record import finish, make_opening_entry, reopen, restore_generated
from runner.runs.stored import Grading, StoredAnswer, explain_misfit, read_stored_answers
from runner.runs.verdicts import with_digest, with_verdict


@dataclass(frozen=True, slots=True)
class Regrading:
    """A run and its attempts that have to be graded again."""

    run: Run
    folder: DataFolder
    """The data folder of the record: published or local."""
    stale: Sequence[StoredAnswer]
    """The attempts whose verdicts may differ today."""
    version: str
    """The benchmark version that the run belongs to afterwards: today's, or as before if the run
    answered other questions than today's."""


@dataclass(frozen=True, slots=True)
class RegradedAttempt:
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
            f"run {run.run_id} has not ended: leaderboard run --resume {run.run_id[:8]}"
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
    stale: list[StoredAnswer] = []
    for answer in read_stored_answers(folder, run):
        if not answer.is_intact:
            raise CannotRegradeError(
                f"run {run.run_id}: the archive of {answer.attempt.eval} is not what was graded: "
                "see leaderboard check"
            )
        if only is not None and answer.attempt.eval not in only:
            continue
        if grading.is_stale(answer) and (misfit is None or grading.has_same_grader(answer)):
            stale.append(answer)
    if misfit is not None and not stale:
        raise CannotRegradeError(f"run {run.run_id} answered other questions: {misfit}")
    return Regrading(run, folder, stale, version)


def regrade(
    plan: Regrading,
    graders: Graders,
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
    path = plan.folder.get_journal_file(run.model.slug, run.run_id)
    header = make_opening_entry(run.model_copy(update={"benchmark_version": plan.version}))
    if path.exists():
        Journal.replan(path, header)
    else:
        reopen(plan.folder, run, header)
    with Journal.open(path) as journal:
        remaining = [answer for answer in plan.stale if _is_left(answer, journal, grading)]
        verdicts = {graders.submit(grading.make_submission(each)): each for each in remaining}
        for verdict in as_completed(verdicts):
            answer, result = verdicts.pop(verdict), verdict.result()
            attempt, fault = answer.attempt, result.reason
            if result.outcome is not Outcome.INFRASTRUCTURE:
                graded = _regrade_answer(answer, result, why, run.model.max_output_tokens)
                journal.append(with_digest(restore_generated(attempt, answer.kept), graded))
                attempt, fault = graded.attempt, None
            done(RegradedAttempt(attempt, answer.attempt.outcome, fault))
        return finish(plan.folder, path, run.finished_at)


def _is_left(answer: StoredAnswer, journal: Journal, grading: Grading) -> bool:
    """Return whether the journal has no verdict of today's graders, from a killed regrading."""
    judged = journal.attempts.get(AttemptKey(answer.attempt.eval, answer.attempt.sample))
    return judged is None or judged.key != grading.compute_verdict_key(answer) or judged.key is None


def _regrade_answer(
    answer: StoredAnswer, result: GradingResult, why: str | None, limit: int | None
) -> Graded:
    """Return the journal's entry of an answer with its new verdict beside the earlier ones."""
    attempt = answer.attempt
    replaced = attempt.build_verdict(replaced_because=why)
    earlier = (*attempt.earlier_verdicts, *(() if replaced is None else (replaced,)))
    so_far = attempt.model_copy(update={"earlier_verdicts": earlier})
    after = with_verdict(so_far, result, answer.reply, limit)
    return Graded(attempt=after, files=result.files, logs=result.logs)
