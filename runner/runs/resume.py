"""Resumption of a run that was interrupted, or has attempts without a verdict.

A resumed run is the same run. All options and files that could change its record are compared
before any request, and a difference is refused: the message names the option or file to change.
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
"""The command that makes trials of each kind, and goes on with them."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that goes on."""

    run: Run
    destination: Destination
    """The data folder of its record."""
    plan: RunPlan | None
    """The plan for the rest; None where each of its attempts has a verdict."""


def plan_resumed(
    beginning: str, destination: Destination, settings: RunSettings, *, is_alone: bool = True
) -> Resumed:
    """Plan the rest of the run whose id starts with ``beginning``, in its own data folder.

    Where it is not alone, ``settings`` that only other runs need are left out.

    Raises:
        MissingRecordError, AmbiguousRunError: there is no such run, or there are several.
        CannotResumeError: it would no longer be the same run.
        RunInUseError: another process is executing it.
    """
    own_destination, run = _find(beginning, destination)
    _refuse_trials(run, destination.data)
    if isinstance(run.provenance, Imported):
        raise CannotResumeError(f"run {run.run_id} was published by others, and not made here")
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
        CannotResumeError: its model would differ, or be asked at another address.
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
    """Return ``settings`` without guidelines, address and terms that only other runs need."""
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
    """Refuse a run of a trial: alone it would leave the other runs and their common budget."""
    for folder in (data.local, data):
        for trial in map(read_trial, folder.trial_files()):
            if run.run_id in {trial_run.run_id for trial_run in trial.runs}:
                raise CannotResumeError(
                    f"run {run.run_id} takes turns with others: "
                    f"leaderboard {TRIAL_COMMANDS[trial.kind]} --resume {trial.trial_id[:8]}"
                )


def _find(beginning: str, destination: Destination) -> tuple[Destination, Run]:
    stored = find_run(destination.data, beginning)
    return replace(destination, publish=not stored.is_local), stored.read()


def ended(destination: Destination, run: Run) -> Run | None:
    """Return the record of a run without anything left to do; None where there is a rest.

    A run that was killed at its end has all its verdicts, and its journal still, or a half-written
    file, which is removed.
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
    """Check that a run would go on over the same suite, with the same grading.

    Raises:
        CannotResumeError: it would not.
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
    """Check that answers are graded with the same options as before.

    The options are given anew, not taken from the record: a record may come from a stranger, and
    could ask to run a model's code without a jail.
    """
    if run.harness is None:
        return
    for option in ("backend", "sandbox"):
        then, now = getattr(run.harness, option), getattr(settings, option)
        if then != now:
            raise CannotResumeError(
                f"run {run.run_id} was graded with --{option} {then}, not {now}: "
                f"give --{option} {then}, or begin a new run"
            )
    if run.harness.install != INSTALL:
        raise CannotResumeError(
            f"run {run.run_id} was graded with --install {run.harness.install}, which this program "
            "no longer has: begin a new run"
        )


def _experiment(run: Run, suite: Suite, guidelines: Path | None) -> ExperimentSetup:
    name = run.experiment.name
    built_in = name in {DEFAULT, NO_GUIDELINES}
    if built_in and guidelines is not None:
        raise CannotResumeError(
            f"run {run.run_id} is of the experiment {name}: leave --guidelines out"
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
    """Return the entry to ask for the rest of ``run``: the entry of its slug, unchanged since.

    Two entries may share a litellm id and send different parameters, so the slug decides; the
    litellm id names a model that was given by hand.

    Raises:
        CannotResumeError: the model, its parameters or its address would differ from the start of
            the run: no key is ever sent to another address.
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
            f"run {run.run_id} was begun without --budget, and sends no limit on replies, which a "
            "budget needs: leave --budget out, or begin a new run"
        )
    now = asked_model(entry, dry.sent)
    _refuse_differences(run, _differences_sent(run.model, now, source))
    key_for(entry)
    return entry


def _refuse_differences(run: Run, differences: Iterator[str]) -> None:
    for difference in differences:
        raise CannotResumeError(f"run {run.run_id} {difference}, or begin a new run")


def _differences(then: RunModel, now: RunModel, source: object) -> Iterator[str]:
    """Yield the differences in the requests to the model, as far as its entry has them."""
    for field in ("litellm_id", "parameters"):
        yield from _difference(field, then, now, source)
    # Records of older versions have no origin, so that of a local model's run is unknown.
    unknown = then.origin is None and then.slug.startswith(f"{LOCAL}/")
    if now.origin != then.origin and not unknown:
        other = "its provider's own address" if then.origin is None else "another address"
        yield (
            f"asked {then.slug} at {other}: give the same with --api-base, api_base in {source}, "
            "or in the environment"
        )


def _differences_sent(then: RunModel, now: RunModel, source: object) -> Iterator[str]:
    """Yield the differences in the parameters that the model would be sent."""
    yield from _difference("max_output_tokens", then, now, source)
    # Records of older versions do not have the sent parameters.
    if then.sent is not None and now.sent != then.sent:
        yield (
            f"sent {then.slug} {json.dumps(then.sent)}, and now that would be "
            f"{json.dumps(now.sent)}: change {source}, or the version of litellm, back"
        )


def _difference(field: str, then: RunModel, now: RunModel, source: object) -> Iterator[str]:
    if getattr(now, field) != getattr(then, field):
        yield (
            f"asked {then.slug} with {field} {getattr(then, field)}, and by {source} it would be "
            f"{getattr(now, field)}: change it back"
        )
