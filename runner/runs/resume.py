"""Resumption of runs that were interrupted, or have attempts without a verdict.

A resumed run stays the same run. All options and files that could change its record are compared
before any request. A difference is refused; the message names the option or file to change.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from records.files.data_folder import DataFolder
from records.files.leftovers import tidy
from records.journal.journal import Journal
from records.reader import read_models, read_trial
from records.runs.run_lookup import find_run
from records.shapes.attempt import Outcome
from records.shapes.registry import ModelEntry
from records.shapes.run import Imported, Run, RunModel
from runner.errors import CannotResumeError
from runner.evals.discovery import Suite
from runner.models.api_keys import key_for
from runner.models.costs.output_limits import bounded
from runner.models.registry import LOCAL, resolve_model
from runner.models.sent import dry_request
from runner.runs.plan import (
    DEFAULT,
    NO_GUIDELINES,
    ExperimentSetup,
    RunPlan,
    asked_model,
    experiment_setup,
)
from runner.runs.provenance import check_host
from runner.runs.record import finish
from runner.runs.run_planning import Destination
from runner.runs.settings import GradingSettings, RunSettings
from runner.runs.unfinished import find_rest
from runner.suite.mint import benchmark
from runner.toolchain import INSTALL

TRIAL_COMMANDS: Final = {"ablation": "ablate", "check": "guidelines check"}
"""The command that makes and resumes the trials of each kind."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that goes on."""

    run: Run
    destination: Destination
    """The data folder of its record."""
    plan: RunPlan | None
    """The plan for the rest of the run; None if each of its attempts has a verdict."""


def plan_resumed(
    beginning: str, destination: Destination, settings: RunSettings, *, is_alone: bool = True
) -> Resumed:
    """Plan the rest of the run whose id starts with ``beginning``, published or local.

    If other runs are resumed with it (``is_alone`` is false), ``settings`` that only they need are
    ignored.

    Raises:
        MissingRecordError, AmbiguousRunError: no run has such an id, or several have.
        CannotResumeError: the run would no longer be the same.
        RunInUseError: another process is executing the run.
    """
    own_destination, run = _find(beginning, destination)
    _refuse_trials(run, destination.data)
    if isinstance(run.provenance, Imported):
        raise CannotResumeError(
            f"run {run.run_id} was published by others: only runs of this program can be resumed"
        )
    if run.withdrawn is not None:
        raise CannotResumeError(f"run {run.run_id} was withdrawn: {run.withdrawn.reason}")
    finished = ended(own_destination, run)
    if finished is not None:
        return Resumed(finished, own_destination, None)
    if not is_alone:
        settings = _drop_needless(settings, run, destination.data)
    check_circumstances(run, destination.suite, settings)
    experiment = _experiment(run, destination.suite, settings.guidelines)
    return Resumed(run, own_destination, plan_rest(run, own_destination, experiment, settings))


def plan_rest(
    run: Run, destination: Destination, experiment: ExperimentSetup, settings: RunSettings
) -> RunPlan:
    """Plan the rest of a run that began under ``experiment``.

    Raises:
        CannotResumeError: the model would differ, or be asked at another address.
    """
    unfinished = find_rest(destination.folder, run)
    is_asked = (
        run.model.kind != "baseline" and unfinished is not None and bool(unfinished.questions)
    )
    entry = entry_to_ask(run, destination, settings) if is_asked else None
    if settings.budget_usd is not None:
        run = run.model_copy(update={"budget_usd": settings.budget_usd})
    evals = {
        evaluation.name: evaluation
        for evaluation in destination.suite.evals
        if evaluation.name in run.planned
    }
    return RunPlan(run, entry, evals, experiment.guidelines)


def _drop_needless(settings: RunSettings, run: Run, data: DataFolder) -> RunSettings:
    """Return ``settings`` without the guidelines, address and terms that ``run`` does not need."""
    is_own = run.experiment.name not in {DEFAULT, NO_GUIDELINES}
    is_served = run.model.slug.startswith(f"{LOCAL}/")
    is_listed = run.model.slug in {entry.slug for entry in read_models(data).models}
    if is_listed and not is_served:
        settings = replace(settings, max_tokens=None, parameters=(), price=None)
    return replace(
        settings,
        guidelines=settings.guidelines if is_own else None,
        api_base=settings.api_base if is_served else None,
    )


def _refuse_trials(run: Run, data: DataFolder) -> None:
    """Refuse a run of a trial, because all runs of a trial share turns and a budget.

    Raises:
        CannotResumeError: the run belongs to a trial; the message has the command that resumes it.
    """
    for folder in (data.local, data):
        for trial in map(read_trial, folder.trial_files()):
            if run.run_id in {trial_run.run_id for trial_run in trial.runs}:
                raise CannotResumeError(
                    f"run {run.run_id} belongs to a trial, which is resumed as a whole: "
                    f"leaderboard {TRIAL_COMMANDS[trial.kind]} --resume {trial.trial_id[:8]}"
                )


def _find(beginning: str, destination: Destination) -> tuple[Destination, Run]:
    stored = find_run(destination.data, beginning)
    return replace(destination, publish=not stored.is_local), stored.read()


def ended(destination: Destination, run: Run) -> Run | None:
    """Return the record of ``run`` if nothing is left to do; else None.

    A run that was killed at its end may have all its verdicts, but still its journal or a
    half-written file. Then the record is completed, and these files are removed.
    """
    tidy(destination.folder, run.model.slug, run.run_id)
    path = destination.folder.journal_file(run.model.slug, run.run_id)
    if not path.exists():
        return run if run.status == "completed" and not run.unjudged else None
    with Journal.open(path) as opened:
        planned = len(run.planned) * run.samples
        settled = opened.settled()
        if len(settled) < planned or any(a.outcome is Outcome.INFRASTRUCTURE for a in settled):
            return None
        return finish(destination.folder, path)


def check_circumstances(run: Run, suite: Suite, settings: GradingSettings) -> None:
    """Check that ``suite`` and the grading ``settings`` are those of ``run``.

    Raises:
        CannotResumeError: one of them differs.
    """
    _check_suite(run, suite)
    _check_grading(run, settings)


def _check_suite(run: Run, suite: Suite) -> None:
    version = benchmark(suite).version
    if run.benchmark_version != version:
        raise CannotResumeError(
            f"run {run.run_id} belongs to benchmark version {run.benchmark_version}, the suite at "
            f"{suite.root} is {version}: check out the suite as it was, or name it with --evals"
        )


def _check_grading(run: Run, settings: GradingSettings) -> None:
    """Check that ``settings`` are the grading options of the run's record.

    The user gives the options again. They are not taken from the record, because a stranger's
    record could turn the jail off.
    """
    if run.harness is None:
        return
    for option in ("backend", "sandbox"):
        then, now = getattr(run.harness, option), getattr(settings, option)
        if then is not None and then != now:
            raise CannotResumeError(
                f"run {run.run_id} was graded with --{option} {then}, not {now}: "
                f"give --{option} {then}, or begin a new run"
            )
    if run.harness.install not in {INSTALL, None}:
        raise CannotResumeError(
            f"run {run.run_id} was graded with --install {run.harness.install}, which this program "
            "does not have: begin a new run"
        )


def _experiment(run: Run, suite: Suite, guidelines: Path | None) -> ExperimentSetup:
    name = run.experiment.name
    built_in = name in {DEFAULT, NO_GUIDELINES}
    if built_in and guidelines is not None:
        raise CannotResumeError(
            f"run {run.run_id} belongs to the experiment {name}: leave --guidelines out"
        )
    if not built_in and guidelines is None:
        raise CannotResumeError(
            f"run {run.run_id} was sent guidelines of its own, called {name}: "
            "give the same file with --guidelines"
        )
    experiment = experiment_setup(suite, name, guidelines)
    if experiment.record() != run.experiment:
        raise CannotResumeError(
            f"run {run.run_id} was sent other guidelines than {guidelines} holds now: "
            "give the file as it was with --guidelines"
        )
    return experiment


def entry_to_ask(run: Run, destination: Destination, settings: RunSettings) -> ModelEntry:
    """Return the model to ask for the rest of ``run``, unchanged since the run began.

    It is the registry's entry with the slug of the run, because two entries may share a litellm id
    and send different parameters. A model without an entry is found by its litellm id.

    Raises:
        CannotResumeError: the model, its parameters or its address would differ from the start of
            the run. No key is ever sent to another address.
    """
    slug, models_file, api_base = run.model.slug, destination.data.models_file, settings.api_base
    registry = read_models(destination.data)
    entry = {entry.slug: entry for entry in registry.models}.get(slug)
    if api_base is None and entry is None and slug.startswith(f"{LOCAL}/"):
        raise CannotResumeError(
            f"run {run.run_id} asked a server by its address: give the same with --api-base"
        )
    by_hand = entry is None or api_base is not None
    terms = settings.terms
    if entry is None or by_hand or not terms.unsaid:
        name = (by_hand and run.model.litellm_id) or slug
        entry = resolve_model(name, registry, api_base=api_base, terms=terms)
    if entry.slug != slug:
        cure = (
            f"{slug} is no model of {models_file} now"
            if api_base is None
            else f"it asked {slug} without --api-base: leave --api-base out"
        )
        raise CannotResumeError(f"run {run.run_id} cannot ask its model any more: {cure}")
    if run.budget_usd is not None:
        entry = bounded(entry)
    source = "the options given" if by_hand else models_file
    _refuse_differences(run, _differences(run.model, asked_model(entry), source))
    dry = dry_request(entry, allow_changed=settings.allow_changed)
    check_host(entry, dry.host)
    entry = dry.entry
    if run.budget_usd is None and settings.budget_usd is not None and entry.output_limit is None:
        raise CannotResumeError(
            f"run {run.run_id} began without --budget and limits no reply, as a budget needs: "
            "leave --budget out, or begin a new run"
        )
    now = asked_model(entry, dry.sent)
    _refuse_differences(run, _differences_sent(run.model, now, source))
    key_for(entry)
    return entry


def _refuse_differences(run: Run, differences: Iterator[str]) -> None:
    for difference in differences:
        raise CannotResumeError(f"run {run.run_id} {difference}, or begin a new run")


def _differences(then: RunModel, now: RunModel, source: object) -> Iterator[str]:
    """Yield the differences in the requests that come from the model's entry and its address."""
    for field in ("litellm_id", "parameters"):
        yield from _difference(field, then, now, source)
    # Records of older versions have no origin, so the address of a local model's run is unknown.
    unknown = then.origin is None and then.slug.startswith(f"{LOCAL}/")
    if now.origin != then.origin and not unknown:
        other = "its provider's own address" if then.origin is None else "another address"
        yield (
            f"asked {then.slug} at {other}: give the same with --api-base, api_base in {source}, "
            "or in the environment"
        )


def _differences_sent(then: RunModel, now: RunModel, source: object) -> Iterator[str]:
    """Yield the differences in the parameters that requests to the model would have."""
    yield from _difference("max_output_tokens", then, now, source)
    # Records of older versions do not have the sent parameters.
    if then.sent is not None and now.sent != then.sent:
        yield (
            f"sent {then.slug} {json.dumps(then.sent)}, and would now send "
            f"{json.dumps(now.sent)}: change {source}, or the version of litellm, back"
        )


def _difference(field: str, then: RunModel, now: RunModel, source: object) -> Iterator[str]:
    if getattr(now, field) != getattr(then, field):
        yield (
            f"asked {then.slug} with {field} {getattr(then, field)}, and by {source} it would be "
            f"{getattr(now, field)}: change it back"
        )
