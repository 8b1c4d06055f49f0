"""Histories: the results of all earlier runs of a model under an experiment."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.journal.entries import AttemptKey
from records.journal.replay import read
from records.reader import read_run
from records.shapes.attempt import JUDGED, Attempt, Outcome
from records.shapes.run import Run
from records.suites.experiments import is_of_a_trial


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
                so_far = _with_journal(folder, run)
                groups[run.model.slug, run.experiment.name].append((so_far, is_local))
    return {key: _make_history(runs) for key, runs in sorted(groups.items())}


def _make_history(runs: Sequence[tuple[Run, bool]]) -> History:
    ordered = sorted(runs, key=lambda pair: (pair[0].began, pair[0].run_id))
    condition = ordered[-1][0].experiment
    alike = [pair for pair in ordered if pair[0].experiment == condition]
    return History([run for run, _ in alike], is_local=any(is_local for _, is_local in alike))


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


def _with_journal(folder: DataFolder, run: Run) -> Run:
    try:
        state = read(folder.get_journal_file(run.model.slug, run.run_id))
    except MissingRecordError:
        return run
    made = {AttemptKey(each.eval, each.sample): each for each in run.attempts} | state.attempts
    return run.model_copy(update={"attempts": tuple(made[key] for key in sorted(made))})
