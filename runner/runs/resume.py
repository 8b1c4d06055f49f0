"""Resumption of runs that were interrupted, or that have attempts without a verdict.

A resumed run stays the same run. So before any request, all options and files that could change
the run's record are compared with the record. If one differs, the resumption is refused, and the
message names the option or file to change.
"""

import json
from dataclasses import replace

from records.files.data_folder import DataFolder
from records.journal.journal import Journal
from records.reader import read_models
from records.runs.run_lookup import find_run
from records.shapes.registry import ModelEntry
from records.shapes.run import Imported, Run, RunModel
from records.writer import tidy
from runner.errors import CannotResumeError
from runner.evals.discovery import Suite
from runner.grading.answer_steps import GradingSettings
from runner.models.api_keys import read_key
from runner.models.costs import bound_output
from runner.models.registry import LOCAL, keep_slug, resolve_model
from runner.models.sent import make_dry_request
from runner.runs.history import find_rest, find_trial_of_run
from runner.runs.plan import (
    DEFAULT,
    NO_GUIDELINES,
    Destination,
    ExperimentSetup,
    PlannedRuns,
    RunPlan,
    RunSettings,
    make_asked_model,
    make_experiment_setup,
)
from runner.runs.provenance import check_host
from runner.runs.record import finish
from runner.suite.mint import make_benchmark
from runner.toolchain import INSTALL

_OPTIONS = "the options given"
"""The source of a model's facts in messages, if the model has no entry, or --api-base is given."""


def plan_resumed(
    beginning: str, destination: Destination, settings: RunSettings, *, is_alone: bool = True
) -> PlannedRuns:
    """Plan the rest of the run whose id starts with ``beginning``; it may be published or local.

    A run that needs no further attempt is completed at once, and has no plan.

    ``is_alone`` is false if one command resumes several runs. Then those ``settings`` are ignored
    that this run does not need, because another run may need them: guidelines, unless it has its
    own; the address, unless it asks a server by its address; limit, parameters and price, if its
    model has an entry and is not on such a server.

    Raises:
        MissingRecordError: no run has such an id.
        AmbiguousRunError: several runs have such an id.
        CannotResumeError: the run cannot be resumed, or would no longer be the same run.
        RunInUseError: another process is executing the run.
    """
    stored = find_run(destination.data, beginning)
    own_destination, run = destination._replace(publish=not stored.is_local), stored.read()
    # Refuse a run of a trial: the runs of a trial share a budget and take turns.
    data = destination.data
    for folder in (data.local, data):
        if (trial := find_trial_of_run(folder, run)) is not None:
            raise CannotResumeError(
                f"run {run.run_id} belongs to a trial, and a trial is resumed as a whole: give "
                f"leaderboard ablate --resume {trial.trial_id[:8]}"
            )
    if isinstance(run.provenance, Imported):
        raise CannotResumeError(
            f"run {run.run_id} was published by others: only a run that this program made can be "
            "resumed"
        )
    if run.withdrawn is not None:
        raise CannotResumeError(f"run {run.run_id} was withdrawn: {run.withdrawn.reason}")
    finished = finish_if_judged(own_destination, run)
    if finished is not None:
        return PlannedRuns((), own_destination, over=(finished,))
    if not is_alone:
        has_own_guidelines = run.experiment.name not in {DEFAULT, NO_GUIDELINES}
        is_served = run.model.slug.startswith(f"{LOCAL}/")
        is_listed = run.model.slug in {entry.slug for entry in read_models(data).models}
        if is_listed and not is_served:
            settings = replace(settings, max_tokens=None, parameters=(), price=None)
        settings = replace(
            settings,
            guidelines=settings.guidelines if has_own_guidelines else None,
            api_base=settings.api_base if is_served else None,
        )
    check_circumstances(run, destination.suite, settings)
    name = run.experiment.name
    built_in = name in {DEFAULT, NO_GUIDELINES}
    if built_in and settings.guidelines is not None:
        raise CannotResumeError(
            f"run {run.run_id} belongs to the experiment {name}: leave --guidelines out"
        )
    if not built_in and settings.guidelines is None:
        raise CannotResumeError(
            f"run {run.run_id} has guidelines of its own, called {name}: "
            "give the same file with --guidelines"
        )
    experiment = make_experiment_setup(destination.suite, name, settings.guidelines)
    if experiment.make_experiment() != run.experiment:
        raise CannotResumeError(
            f"run {run.run_id} was sent other guidelines than {settings.guidelines} has now: "
            "give a file with the former text with --guidelines"
        )
    plan = plan_rest(run, own_destination, experiment, settings)
    return PlannedRuns((plan,), own_destination, budget_usd=plan.run.budget_usd)


def plan_rest(
    run: Run, destination: Destination, experiment: ExperimentSetup, settings: RunSettings
) -> RunPlan:
    """Plan the attempts of ``run`` that are left; ``experiment`` is the one that it began under.

    Raises:
        CannotResumeError: the model, its parameters or its address would not be those of the
            record.
    """
    unfinished = find_rest(destination.folder, run)
    entry: ModelEntry | None = None
    if run.model.kind != "baseline" and unfinished is not None and unfinished.questions:
        name = f"run {run.run_id}"
        entry = find_model_again(name, run.model, run.budget_usd, destination.data, settings)
    if settings.budget_usd is not None:
        run = run.model_copy(update={"budget_usd": settings.budget_usd})
    evals = {
        evaluation.name: evaluation
        for evaluation in destination.suite.evals
        if evaluation.name in run.planned
    }
    return RunPlan(run, entry, evals, experiment.guidelines)


def finish_if_judged(destination: Destination, run: Run) -> Run | None:
    """Return the complete record of ``run``; None if an attempt has no verdict.

    If the run was killed after its last verdict, its journal is still there. Then the record is
    made from the journal, and the journal is removed. In every case, half-written files of the run
    are removed first.
    """
    tidy(destination.folder, *run.key)
    path = destination.folder.get_journal_file(*run.key)
    if not path.exists():
        return run if run.status == "completed" and not run.unjudged else None
    with Journal.open(path) as opened:
        return None if opened.list_unjudged() else finish(destination.folder, path)


def check_circumstances(run: Run, suite: Suite, settings: GradingSettings) -> None:
    """Check that ``suite`` and the grading options in ``settings`` are those of the run's record.

    The user has to give the options again. They are not taken from the record, because the record
    may be a stranger's, and could turn the jail off.

    Raises:
        CannotResumeError: the suite or an option differs.
    """
    version = make_benchmark(suite).version
    if run.benchmark_version != version:
        raise CannotResumeError(
            f"run {run.run_id} belongs to benchmark version {run.benchmark_version}, but the suite "
            f"at {suite.root} is version {version}: check out the suite of the run's version, or "
            "name its folder with --evals"
        )
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


def find_model_again(
    name: str,
    then: RunModel,
    budget_usd: float | None,
    data: DataFolder,
    settings: RunSettings,
) -> ModelEntry:
    """Return the model to go on asking, after a check that it is unchanged.

    ``name`` is the name of the work in messages, such as `run 4p2bzjf`. ``then`` and ``budget_usd``
    are model and budget in its record.

    The model is the registry's entry with the slug of the record. The litellm id does not identify
    an entry, because two entries may have the same id and send different parameters. It is used
    only for a model without an entry.

    Raises:
        CannotResumeError: the model, its parameters or its address would differ from those at the
            start. So no key is ever sent to another address.
    """
    slug = then.slug
    models_file, api_base = data.models_file, settings.api_base
    registry = read_models(data)
    entry = {entry.slug: entry for entry in registry.models}.get(slug)
    if api_base is None and entry is None and slug.startswith(f"{LOCAL}/"):
        raise CannotResumeError(
            f"{name} asked a server by its address: give the same address with --api-base"
        )
    by_hand = entry is None or api_base is not None
    terms = settings.terms
    if entry is None or by_hand or not terms.unsaid:
        wanted = (by_hand and then.litellm_id) or slug
        entry = resolve_model(wanted, registry, api_base=api_base, terms=terms)
        entry = keep_slug(entry, then, registry) if by_hand else entry
    if entry.slug != slug:
        reason = (
            f"{slug} is no model of {models_file} now"
            if api_base is None
            else f"it asked {slug} without --api-base: leave --api-base out"
        )
        raise CannotResumeError(f"{name} cannot ask its model any more: {reason}")
    if budget_usd is not None:
        entry = bound_output(entry)
    source = _OPTIONS if by_hand else str(models_file)
    _check_same(name, then, make_asked_model(entry), source, "litellm_id", "parameters")
    dry = make_dry_request(entry, allow_changed=settings.allow_changed)
    check_host(entry, dry.host)
    entry = dry.entry
    if budget_usd is None and settings.budget_usd is not None and entry.output_limit is None:
        raise CannotResumeError(
            f"{name} began without --budget and without a limit on replies, which a "
            "budget needs: leave --budget out, or begin a new one"
        )
    now = make_asked_model(entry, dry.sent)
    _check_same(name, then, now, source, "max_output_tokens")
    read_key(entry)
    return entry


def _check_same(name: str, then: RunModel, now: RunModel, source: str, *fields: str) -> None:
    """Check that the model has the same values of ``fields``, address and sent parameters.

    ``source`` is `_OPTIONS`, or the path of the file with the model's entry.

    Raises:
        CannotResumeError: one of them differs.
    """
    # Records of older versions have neither origin nor sent parameters.
    is_known = then.origin is not None or not then.slug.startswith(f"{LOCAL}/")
    differences = [
        f"asked {then.slug} with {field} {getattr(then, field)}, but according to {source} "
        f"it would now be {getattr(now, field)}: change it back"
        for field in fields
        if getattr(now, field) != getattr(then, field)
    ]
    if now.origin != then.origin and is_known:
        other = "its provider's own address" if then.origin is None else "another address"
        differences.append(f"asked {then.slug} at {other}: {_name_remedy(then, source)}")
    if then.sent is not None and now.sent not in (None, then.sent):
        differences.append(
            f"sent {then.slug} the parameters {json.dumps(then.sent)}, and would now send "
            f"{json.dumps(now.sent)}: change {source} or the version of litellm back"
        )
    if differences:
        raise CannotResumeError(f"{name} {differences[0]}, or begin a new one")


def _name_remedy(then: RunModel, source: str) -> str:
    """Return the change after which requests would go to the address of the record."""
    if then.origin is None:
        variable = "unset the variable that holds another address, such as OPENAI_BASE_URL"
        return variable if source == _OPTIONS else f"remove api_base from {source}, or {variable}"
    if source != _OPTIONS:
        return f"give the same address as api_base in {source}, or in the environment"
    if then.slug.startswith(f"{LOCAL}/"):
        return "give the same address with --api-base"
    return "give the same address in the environment, in a variable such as OPENAI_BASE_URL"
