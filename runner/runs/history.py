"""The earlier runs of a model under an experiment: their results, and those to go on with."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.journal.journal import Journal, read
from records.reader import read_record
from records.runs.run_lookup import StoredRun, list_stored_runs
from records.shapes.attempt import JUDGED, Attempt, Outcome
from records.shapes.run import Executed, Run
from records.shapes.trial import GuidelinesTrial
from records.suites.experiments import is_of_a_trial

OLDEST = timedelta(days=14)
"""The greatest age of a run to go on with. Providers change models, and the answers of a run should
come from a single model."""


@dataclass(frozen=True)
class History:
    """The runs of one model under one experiment of one benchmark version.

    Runs over a part of the suite, and stopped or killed runs, count with the attempts they have.
    """

    runs: Sequence[Run]
    """One run or more, the latest last; unfinished runs have the attempts of their journals."""
    is_local: bool
    """True if one of the runs is in data/local/, not published."""

    @property
    def latest(self) -> Run:
        """The run that began last."""
        return self.runs[-1]

    @cached_property
    def attempts(self) -> Mapping[str, tuple[Attempt, ...]]:
        """The attempts of each eval that have a verdict, in the latest run with such an attempt.

        If no run has a verdict on an eval, its attempts are the infrastructure attempts of the
        latest run with such attempts. Evals that were never attempted are left out.
        """
        judged: dict[str, list[Attempt]] = {}
        unjudged: dict[str, list[Attempt]] = {}
        for run in self.runs:
            for outcomes, latest in ((JUDGED, judged), ({Outcome.INFRASTRUCTURE}, unjudged)):
                new: defaultdict[str, list[Attempt]] = defaultdict(list)
                for attempt in run.attempts:
                    if attempt.outcome in outcomes:
                        new[attempt.eval].append(attempt)
                latest.update(new)
        return {
            name: tuple(eval_attempts)
            for name, eval_attempts in sorted((unjudged | judged).items())
        }

    def list_failed_evals(self) -> list[str]:
        """Return the evals that did not pass, infrastructure included, sorted."""
        return [
            name
            for name, attempts in self.attempts.items()
            if any(attempt.outcome is not Outcome.PASSED for attempt in attempts)
        ]


def read_histories(data: DataFolder, benchmark_version: str) -> Mapping[tuple[str, str], History]:
    """Return the history per (model slug, experiment), published and development runs together.

    Left out are withdrawn runs, runs with other guidelines than the latest run, and runs of a
    trial of the guidelines.

    Raises:
        InvalidRecordError: a record or a journal cannot be read.
    """
    groups: defaultdict[tuple[str, str], list[tuple[Run, bool]]] = defaultdict(list)
    for stored in list_stored_runs(data):
        with suppress(MissingRecordError):  # removed meanwhile
            run = stored.read_so_far()
            counts = run.withdrawn is None and not is_of_a_trial(run.experiment.name)
            if counts and run.benchmark_version == benchmark_version:
                groups[run.model.slug, run.experiment.name].append((run, stored.is_local))
    histories: dict[tuple[str, str], History] = {}
    for key, runs in sorted(groups.items()):
        ordered = sorted(runs, key=lambda pair: (pair[0].began, pair[0].run_id))
        latest, _ = ordered[-1]
        alike = [pair for pair in ordered if pair[0].experiment == latest.experiment]
        is_local = any(is_local for _, is_local in alike)
        histories[key] = History([run for run, _ in alike], is_local)
    return histories


class UnfinishedRun(NamedTuple):
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
    stored_runs: Iterable[StoredRun], planned: Run, today: date
) -> UnfinishedRun | None:
    """Return the run to go on with instead of ``planned``; None if there is none.

    It is the latest of ``stored_runs`` that differs from ``planned`` only in its start: the same
    model with the same parameters, experiment, evals and benchmark version. None is returned if
    that run has all its verdicts, or began more than `OLDEST` before ``today``.

    Raises:
        InvalidRecordError: a record or a journal cannot be read.
    """
    of_model = attrgetter("slug", "litellm_id", "parameters", "max_output_tokens", "origin")
    of_run = attrgetter("experiment", "benchmark_version", "planned", "samples")
    alike = [
        (stored.folder, run)
        for stored in stored_runs
        if stored.slug == planned.model.slug
        for run in [stored.read()]
        if isinstance(run.provenance, Executed)
        and run.withdrawn is None
        and of_model(run.model) == of_model(planned.model)
        and of_run(run) == of_run(planned)
    ]
    if not alike:
        return None
    folder, latest = max(alike, key=lambda pair: (pair[1].began, pair[1].run_id))
    # The runs of trials are only resumed with their trial.
    if today - latest.date > OLDEST or find_trial_of_run(folder, latest) is not None:
        return None
    return find_rest(folder, latest)


def find_trial_of_run(folder: DataFolder, run: Run) -> GuidelinesTrial | None:
    """Return the trial in ``folder`` that ``run`` belongs to; None if it belongs to none."""
    trials = (read_record(GuidelinesTrial, path) for path in folder.trials.list_files())
    of_run = (trial for trial in trials if run.run_id in {each.run_id for each in trial.runs})
    return next(of_run, None)


def find_rest(folder: DataFolder, run: Run) -> UnfinishedRun | None:
    """Return the rest of a run in ``folder``; None if nothing is left to do.

    Raises:
        InvalidRecordError: the journal cannot be read.
    """
    path = folder.get_journal_file(*run.key)
    try:
        state = read(path)
    except MissingRecordError:
        if run.status == "completed" and not run.unjudged:
            return None
        state = Journal.from_record(path, run)
    questions = tuple(place.eval for place in state.list_unanswered())
    verdicts = run.planned_attempts - len(state.list_unjudged())
    return UnfinishedRun(run, questions, verdicts, state.spent_usd)
