"""`leaderboard regrade` and `leaderboard verify` once their options are read."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random

import click

from leaderboard.exits import CHECK_FAILED, DONE, INFRASTRUCTURE
from leaderboard.revisions import changed_evals
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.reader import read_benchmark, read_run
from records.run import Run
from records.run_lookup import find_run
from records.showing import one_line
from runner.errors import CannotRegradeError
from runner.evals.discovery import Suite, discover
from runner.grading.toolchain import find_toolchain
from runner.runs.launch import open_grading
from runner.runs.regrade import RegradedAttempt, Regrading, plan_regrading, regrade
from runner.runs.request import Destination, Machine, defined_version
from runner.runs.stored import Grading, stored_answers
from runner.runs.verify import Reproduction, Verified, verify
from runner.suite.mint import benchmark

__all__ = ["Chosen", "Machine", "regrade_runs", "verify_runs"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which runs the user named."""

    beginnings: Sequence[str]
    """Of run ids."""
    data_root: Path
    evals_root: Path
    everything: bool
    """Every published run that was made here, and was not withdrawn."""

    def runs(self) -> list[tuple[DataFolder, Run]]:
        """Return the runs with the folder that each is in.

        Raises:
            UsageError: no run was named, or runs and --all.
            MissingRecordError, AmbiguousRunError: there is no such run, or there are several.
        """
        if bool(self.beginnings) is self.everything:
            raise click.UsageError("which runs? Name them by the beginnings of their ids, or --all")
        data = DataFolder(self.data_root)
        if not self.everything:
            stored = {one.run_id: one for one in map(partial(find_run, data), self.beginnings)}
            return [(one.folder, one.read()) for one in stored.values()]
        runs = map(read_run, data.run_files())
        return [
            (data, run)
            for run in runs
            if run.provenance.kind == "executed" and run.withdrawn is None
        ]


def regrade_runs(chosen: Chosen, machine: Machine, since: str | None, why: str | None) -> int:
    """Grade again what is stale; return the exit code."""
    data, suite = DataFolder(chosen.data_root), discover(chosen.evals_root)
    runs = chosen.runs()
    grading = _today(suite, machine)
    only = None if since is None else changed_evals(suite, since)
    plans = list(_plans(runs, data, grading, only, skip=chosen.everything))
    for plan in plans:
        published = plan.folder.root == data.root
        defined_version(Destination(suite, data, publish=published))
    waiting = [one for one in plans if one.stale or one.run.benchmark_version != one.version]
    if not waiting:
        say("nothing to grade again: no verdict depends on what changed")
        return DONE
    unreached = 0
    with open_grading(machine, suite) as service:
        for plan in waiting:
            say(f"{_title(plan.run)}: {len(plan.stale)} of {len(plan.run.attempts)} to grade again")
            results: list[RegradedAttempt] = []
            regrade(plan, service, grading, workers=machine.graders, why=why, done=results.append)
            _say_regraded(plan, results)
            unreached += sum(not one.reached for one in results)
    return INFRASTRUCTURE if unreached else DONE


def verify_runs(
    chosen: Chosen, machine: Machine, sample: int | None, seed: int, *, as_json: bool
) -> int:
    """Grade published answers once more; return the exit code."""
    suite = discover(chosen.evals_root)
    grading = _today(suite, machine)
    answers = [
        (run, answer) for folder, run in chosen.runs() for answer in stored_answers(folder, run)
    ]
    if sample is not None and sample < len(answers):
        dice = Random(seed)  # noqa: S311 - no secret
        answers = [answers[at] for at in sorted(dice.sample(range(len(answers)), sample))]
    counts: Counter[Reproduction] = Counter()
    rows: list[dict[str, object]] = []
    with open_grading(machine, suite) as service:
        found = verify([answer for _, answer in answers], service, grading, machine.graders)
        for (run, _), one in zip(answers, found, strict=True):
            counts[one.result] += 1
            rows.append({"run": run.run_id, **asdict(one)})
            if not as_json and one.result is not Reproduction.REPRODUCED:
                say(_line(run, one))
    if as_json:
        say_json(rows)
    else:
        said = ", ".join(f"{counts[one]} {one.replace('_', ' ')}" for one in counts)
        say(f"{len(answers)} attempts: {said or 'none keeps an answer'}")
    if counts[Reproduction.DIFFERS] or counts[Reproduction.TAMPERED]:
        return CHECK_FAILED
    return INFRASTRUCTURE if counts[Reproduction.INFRASTRUCTURE] else DONE


def _today(suite: Suite, machine: Machine) -> Grading:
    evals = {one.name: one for one in suite.evals}
    return Grading(benchmark(suite), evals, find_toolchain(suite.root), machine)


def _plans(
    runs: Sequence[tuple[DataFolder, Run]],
    data: DataFolder,
    grading: Grading,
    only: frozenset[str] | None,
    *,
    skip: bool,
) -> Iterator[Regrading]:
    """Yield what is to be done for each run; with ``skip``, say of some why nothing is."""
    files = chain(data.local.benchmark_files(), data.benchmark_files())
    versions = {one.version: one for one in map(read_benchmark, files)}
    for folder, run in runs:
        try:
            yield plan_regrading(folder, run, versions.get(run.benchmark_version), grading, only)
        except CannotRegradeError as error:
            if not skip:
                raise
            say(f"left as it is: {error}")


def _say_regraded(plan: Regrading, results: Sequence[RegradedAttempt]) -> None:
    for one in results:
        name = f"  {one.attempt.eval} sample {one.attempt.sample}"
        if not one.reached:
            say(f"{name}: no verdict, and so the old one stays: {one_line(one.fault or '')}")
        elif one.attempt.outcome is not one.before:
            say(f"{name}: {one.before} before, {one.attempt.outcome} now")
    for path in plan.folder.report_files():
        if path.name.startswith(plan.run.run_id[:8]):
            say(f"  {path} says what was: leaderboard report {plan.run.run_id[:8]} --update")
    if plan.run.benchmark_version != plan.version:
        say(f"  now of benchmark version {plan.version}, before of {plan.run.benchmark_version}")


def _line(run: Run, one: Verified) -> str:
    where = f"{_title(run)} {one.eval} sample {one.sample}: {one.result.replace('_', ' ')}"
    here = f"; here: {one.here}" if one.here else ""
    tools = "" if one.same_toolchain else " (with another toolchain)"
    return one_line(f"{where}{tools}; published: {one.published}{here}")


def _title(run: Run) -> str:
    return f"{run.model.slug} {run.experiment.name} {run.run_id[:8]}"
