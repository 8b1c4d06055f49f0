"""Unfinished runs: the search for a run to go on with, and its work left to do."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.journal.entries import list_planned_attempts
from records.journal.replay import read
from records.reader import read_trial
from records.shapes.attempt import JUDGED, Attempt
from records.shapes.run import Executed, Run
from runner.runs.history import read_runs

OLDEST: Final = timedelta(days=14)
"""The greatest age of a run to go on with. Providers change models, and the answers of a run should
come from a single model."""


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run without all its verdicts, with the work left for a resume."""

    run: Run
    """The run as recorded; a killed run has no attempts here, as they are in its journal."""
    questions: tuple[str, ...]
    """The eval of each attempt that has to be asked. Attempts that only wait for a verdict are left
    out."""
    verdicts: int
    """The number of attempts with a verdict."""
    spent_usd: float
    """The most dollars that the run may have been billed so far, as far as costs are known."""


def find_unfinished(
    folders: Iterable[DataFolder], planned: Run, today: date
) -> UnfinishedRun | None:
    """Return the run to go on with instead of ``planned``; None if there is none.

    It is the latest run in ``folders`` that differs from ``planned`` only in its start: the same
    model with the same parameters, experiment, evals and benchmark version. None is returned if
    that run has all its verdicts, or began more than `OLDEST` before ``today``.

    Raises:
        InvalidRecordError: a record or a journal cannot be read.
    """
    alike = [
        (folder, run)
        for folder in folders
        for run in read_runs(folder, planned.model.slug)
        if _is_alike(run, planned)
    ]
    if not alike:
        return None
    folder, latest = max(alike, key=lambda pair: (pair[1].began, pair[1].run_id))
    if latest.run_id in _find_trial_runs(folder) or today - latest.date > OLDEST:
        return None
    return find_rest(folder, latest)


def find_rest(folder: DataFolder, run: Run) -> UnfinishedRun | None:
    """Return the rest of a run in ``folder``; None if nothing is left to do.

    Raises:
        InvalidRecordError: the journal cannot be read.
    """
    with suppress(MissingRecordError):
        state = read(folder.get_journal_file(run.model.slug, run.run_id))
        places = list_planned_attempts(run)
        questions = tuple(place.eval for place in places if not state.is_answered(place))
        verdicts = sum(attempt.outcome in JUDGED for attempt in state.attempts.values())
        return UnfinishedRun(run, questions, verdicts, state.spent_usd)
    if run.status == "completed" and not run.unjudged:
        return None
    asked_again = {
        (attempt.eval, attempt.sample) for attempt in run.attempts if not _is_answered(attempt)
    }
    missing = set(run.iterate_places()) - {
        (attempt.eval, attempt.sample) for attempt in run.attempts
    }
    return UnfinishedRun(
        run,
        tuple(name for name, _ in sorted(asked_again | missing)),
        sum(attempt.outcome in JUDGED for attempt in run.attempts),
        sum(count_spent(attempt) for attempt in run.attempts),
    )


def _is_alike(run: Run, planned: Run) -> bool:
    """Return whether a run and ``planned`` differ only in their start."""
    if not isinstance(run.provenance, Executed) or run.withdrawn is not None:
        return False
    same_model = all(
        getattr(run.model, field) == getattr(planned.model, field)
        for field in ("slug", "litellm_id", "parameters", "max_output_tokens", "origin")
    )
    return same_model and all(
        getattr(run, field) == getattr(planned, field)
        for field in ("experiment", "benchmark_version", "planned", "samples")
    )


def _find_trial_runs(folder: DataFolder) -> set[str]:
    """Return the ids of the runs of trials, which are only resumed with their trial."""
    trials = map(read_trial, folder.list_trial_files())
    return {member.run_id for trial in trials for member in trial.runs}


def _is_answered(attempt: Attempt) -> bool:
    """Return whether a resume sends no request for an attempt, and at most grades its reply.

    A stored reply that grading could not judge has a list of steps, which may be empty.
    """
    graded = attempt.steps is not None and attempt.fault is not None
    return attempt.outcome in JUDGED or graded


def count_spent(attempt: Attempt) -> float:
    """Return the most dollars that an attempt may have been billed; 0 if it was carried over."""
    if attempt.carried_over is not None:
        return 0.0
    reply = attempt.generation.most_usd if attempt.generation else None
    return (reply or 0.0) + (attempt.failed_tries_usd or 0.0)
