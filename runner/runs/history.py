"""The earlier runs of a model under an experiment: their results, and those to go on with."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from operator import attrgetter
from typing import Final

from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.journal.journal import read
from records.reader import read_record, read_run
from records.shapes.attempt import JUDGED, Attempt, Outcome
from records.shapes.run import Executed, Run
from records.shapes.trial import GuidelinesTrial
from records.suites.experiments import is_of_a_trial

OLDEST: Final = timedelta(days=14)
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
    for folder, is_local in ((data, False), (data.local, True)):
        for run in read_runs(folder):
            counts = run.withdrawn is None and not is_of_a_trial(run.experiment.name)
            if counts and run.benchmark_version == benchmark_version:
                journal, so_far = folder.get_journal_file(run.model.slug, run.run_id), run
                with suppress(MissingRecordError):
                    so_far = read(journal).merge_into(run)
                groups[run.model.slug, run.experiment.name].append((so_far, is_local))
    histories: dict[tuple[str, str], History] = {}
    for key, runs in sorted(groups.items()):
        ordered = sorted(runs, key=lambda pair: (pair[0].began, pair[0].run_id))
        latest, _ = ordered[-1]
        alike = [pair for pair in ordered if pair[0].experiment == latest.experiment]
        is_local = any(is_local for _, is_local in alike)
        histories[key] = History([run for run, _ in alike], is_local)
    return histories


def read_runs(folder: DataFolder, slug: str | None = None) -> Iterator[Run]:
    """Yield the runs of a folder, or of one model in it.

    A run that has only a journal is yielded as it was planned.
    """
    home = None if slug is None else folder.get_run_file(slug, "0" * 16).parent
    seen: set[str] = set()
    for path in folder.list_run_files():
        if home in {None, path.parent}:
            run = read_run(path)
            seen.add(run.run_id)
            yield run
    for path in folder.list_journal_files():
        # A run that was killed at its start may have a journal, and no record yet.
        with suppress(MissingRecordError):
            if home in {None, path.parent} and (run := read(path).header.run).run_id not in seen:
                yield run


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
    of_model = attrgetter("slug", "litellm_id", "parameters", "max_output_tokens", "origin")
    of_run = attrgetter("experiment", "benchmark_version", "planned", "samples")
    alike = [
        (folder, run)
        for folder in folders
        for run in read_runs(folder, planned.model.slug)
        if isinstance(run.provenance, Executed)
        and run.withdrawn is None
        and of_model(run.model) == of_model(planned.model)
        and of_run(run) == of_run(planned)
    ]
    if not alike:
        return None
    folder, latest = max(alike, key=lambda pair: (pair[1].began, pair[1].run_id))
    trials = (read_record(GuidelinesTrial, path) for path in folder.trials.list_files())
    # The runs of trials are only resumed with their trial.
    of_trials = {member.run_id for trial in trials for member in trial.runs}
    if latest.run_id in of_trials or today - latest.date > OLDEST:
        return None
    return find_rest(folder, latest)


def find_rest(folder: DataFolder, run: Run) -> UnfinishedRun | None:
    """Return the rest of a run in ``folder``; None if nothing is left to do.

    Raises:
        InvalidRecordError: the journal cannot be read.
    """
    with suppress(MissingRecordError):
        state = read(folder.get_journal_file(run.model.slug, run.run_id))
        places = list(run.iterate_places())
        questions = tuple(place.eval for place in places if not state.is_answered(place))
        verdicts = sum(attempt.outcome in JUDGED for attempt in state.attempts.values())
        return UnfinishedRun(run, questions, verdicts, state.spent_usd)
    if run.status == "completed" and not run.unjudged:
        return None
    asked_again = {
        attempt.place
        for attempt in run.attempts
        # A stored reply that grading could not judge has a list of steps, which may be empty.
        if attempt.outcome not in JUDGED and (attempt.steps is None or attempt.fault is None)
    }
    missing = set(run.iterate_places()) - {attempt.place for attempt in run.attempts}
    return UnfinishedRun(
        run,
        tuple(name for name, _ in sorted(asked_again | missing)),
        sum(attempt.outcome in JUDGED for attempt in run.attempts),
        sum(count_spent(attempt) for attempt in run.attempts),
    )


def count_spent(attempt: Attempt) -> float:
    """Return the most dollars that an attempt may have been billed; 0 if it was carried over."""
    if attempt.carried_over is not None:
        return 0.0
    reply = attempt.generation.most_usd if attempt.generation else None
    return (reply or 0.0) + (attempt.failed_tries_usd or 0.0)
