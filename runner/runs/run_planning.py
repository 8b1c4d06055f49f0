"""The planning of runs from the settings of a command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from records.files.data_folder import DataFolder
from records.files.leftovers import tidy_beside
from records.reader import read_models
from records.shapes.attempt import SentValue
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.writer import write_benchmark
from runner.errors import BadSelectionError, NotMintedError
from runner.evals.discovery import Eval, Suite
from runner.models.api_keys import read_key
from runner.models.baselines import find_baseline
from runner.models.costs.prices import bound_output
from runner.models.registry import refuse_shared_slugs, resolve_model
from runner.models.sent import make_dry_request
from runner.python_toolchain import find_grading_toolchain
from runner.runs.carried_answers import CarryOver
from runner.runs.carry_over import Questions, plan_carry_over
from runner.runs.history import read_histories
from runner.runs.plan import ExperimentSetup, RunPlan, make_asked_model, make_plan
from runner.runs.provenance import check_host, find_address, make_harness
from runner.runs.settings import RunSettings
from runner.suite.mint import make_benchmark


@dataclass(frozen=True, slots=True)
class Destination:
    """The suite of runs, and the data folders of their records."""

    suite: Suite
    data: DataFolder
    publish: bool = False
    """True if runs are written to data/ itself instead of data/local/."""

    @property
    def folder(self) -> DataFolder:
        """The data folder that runs are written to."""
        return self.data if self.publish else self.data.local


@dataclass(frozen=True, slots=True)
class RunScope:
    """The experiments and evals of new runs, and the folders of their records."""

    destination: Destination
    experiments: Sequence[ExperimentSetup]
    evals: Sequence[Eval]


@dataclass(frozen=True, slots=True)
class PlannedRuns:
    """The plans of runs that one command executes or resumes together."""

    plans: Sequence[RunPlan]
    destination: Destination
    """The suite and the data folder of all these runs."""
    over: Sequence[Run] = ()
    """The runs to resume that have nothing left to do."""
    budget_usd: float | None = None
    """The most dollars that the runs of ``plans`` may cost together; None if there is no limit."""


def plan_runs(settings: RunSettings, scope: RunScope) -> list[RunPlan]:
    """Plan a run for each model of ``settings`` under each experiment of ``scope``.

    Raises:
        UserError: a model is unknown, a key is missing, parameters would not be sent, --failed
            finds nothing to repeat, or the benchmark version is not minted.
        RequestNotMadeError: a model's request could not be made, because a program failed.
    """
    version = define_version(scope.destination).version
    suite_root = scope.destination.suite.root
    graded_by = make_harness(suite_root, settings.backend, settings.sandbox)
    chosen = select_runs(settings, scope, version, with_keys=settings.carry_over_days is None)
    plans = [
        make_plan(
            model=selected_run.model,
            experiment=selected_run.experiment,
            evals=selected_run.evals,
            benchmark_version=version,
            samples=settings.samples,
            harness=graded_by,
            budget_usd=settings.budget_usd,
            sent=selected_run.sent,
            carry_over=selected_run.carry_over,
        )
        for selected_run in chosen
    ]
    for plan in plans:
        if plan.entry is not None:
            read_key(plan.entry)
    return plans


@dataclass(frozen=True, slots=True)
class SelectedRun:
    """A model, and the evals that a run would ask it."""

    model: ModelEntry | str
    """The entry of the model to ask, or the slug of a baseline."""
    experiment: ExperimentSetup
    evals: Sequence[Eval]
    sent: Mapping[str, SentValue] | None = None
    """The parameters of its requests; None for a baseline."""
    carry_over: CarryOver | None = None
    """The answers of earlier runs that are not asked for again; None if all are asked for."""


def select_runs(
    settings: RunSettings, scope: RunScope, version: str, *, with_keys: bool = True
) -> list[SelectedRun]:
    """Return the evals for each model under each experiment; nothing is written.

    With ``with_keys`` the keys of the models must be set.

    Raises:
        UserError: a model is unknown, two models share a slug, a key is missing, parameters would
            not be sent, or --failed finds nothing to repeat.
        RequestNotMadeError: a model's request could not be made, because a program failed.
    """
    models = [
        _resolve_model(name, scope.destination.data, settings, with_key=with_keys)
        for name in settings.models
    ]
    refuse_shared_slugs(model for model, _ in models if not isinstance(model, str))
    runs = [
        SelectedRun(
            model,
            experiment,
            _select_evals(settings, scope, version, _get_slug(model), experiment.name),
            sent,
        )
        for model, sent in models
        for experiment in scope.experiments
    ]
    if settings.carry_over_days is None:
        return runs
    days = settings.carry_over_days
    return [_carry_over(run, settings, scope.destination, version, days) for run in runs]


def _carry_over(
    run: SelectedRun, settings: RunSettings, destination: Destination, version: str, days: int
) -> SelectedRun:
    """Return ``run`` with the answers of earlier runs that it takes over; a baseline unchanged.

    A run to be published takes over answers only of published runs, so that readers can see them.
    """
    if isinstance(run.model, str):
        return run
    data = destination.data
    questions = Questions(
        model=make_asked_model(run.model, run.sent),
        experiment=run.experiment.make_experiment(),
        evals=run.evals,
        samples=settings.samples,
        guidelines=run.experiment.guidelines,
        version=version,
        toolchain=find_grading_toolchain(destination.suite.root).get_versions(),
        began=datetime.now(UTC),
    )
    folders = [data] if settings.publish else [data.local, data]
    return replace(run, carry_over=plan_carry_over(questions, folders, days))


def define_version(destination: Destination) -> Benchmark:
    """Return the benchmark version of the suite; nothing is written.

    Raises:
        NotMintedError: the runs are to be published, and data/benchmarks/ lacks the version.
    """
    defined = make_benchmark(destination.suite)
    is_minted = destination.data.get_benchmark_file(defined.version).exists()
    if destination.publish and not is_minted:
        raise NotMintedError(
            f"benchmark version {defined.version} of {destination.suite.root} is not minted: "
            "run `leaderboard suite mint` and commit what it writes"
        )
    return defined


def write_version(destination: Destination) -> Benchmark:
    """Write the benchmark version of the suite to data/local/ if it is not minted; return it.

    Raises:
        NotMintedError: the runs are to be published, and data/benchmarks/ lacks the version.
    """
    defined = define_version(destination)
    if destination.data.get_benchmark_file(defined.version).exists():
        return defined
    tidy_beside(destination.data.local.get_benchmark_file(defined.version))
    if not destination.data.local.get_benchmark_file(defined.version).exists():
        write_benchmark(destination.data.local, defined)
    if destination.suite.kind.is_of_others:
        # Imported only for suites with graders in TypeScript, because it loads syntax trees.
        from runner.suite.describe import write_description  # noqa: PLC0415

        write_description(destination.suite, defined.version, destination.data.local)
    return defined


def _select_evals(
    settings: RunSettings, scope: RunScope, version: str, slug: str, experiment: str
) -> Sequence[Eval]:
    if not settings.failed_only:
        return scope.evals
    earlier = read_histories(scope.destination.data, version).get((slug, experiment))
    if earlier is None:
        raise BadSelectionError(f"--failed: {slug} has no run of the suite under {experiment}")
    failed = set(earlier.list_failed_evals())
    chosen = [evaluation for evaluation in scope.evals if evaluation.name in failed]
    if not chosen:
        raise BadSelectionError(
            f"--failed: none of the selected evals failed in the runs of {slug} under {experiment}"
        )
    return chosen


def _resolve_model(
    name: str, data: DataFolder, settings: RunSettings, *, with_key: bool
) -> tuple[ModelEntry | str, Mapping[str, SentValue] | None]:
    """Return the slug of a baseline and None, else a model's entry and the parameters it is sent.

    ``with_key`` requires the model's key.
    """
    if (slug := find_baseline(name)) is not None:
        return slug, None
    return resolve_asked_model(name, data, settings, with_key=with_key)


def resolve_asked_model(
    name: str, data: DataFolder, settings: RunSettings, *, with_key: bool
) -> tuple[ModelEntry, Mapping[str, SentValue]]:
    """Return the entry of a model, and the parameters that it is sent.

    Raises:
        UserError: the model is unknown, its parameters would not be sent, or its key is missing
            and ``with_key`` is true.
        RequestNotMadeError: its request could not be made, because a program failed.
    """
    entry = resolve_model(
        name,
        read_models(data),
        api_base=settings.api_base,
        terms=settings.terms,
        with_key=with_key,
    )
    if settings.budget_usd is not None:
        entry = bound_output(entry)
    find_address(entry)  # first, so that the message names an invalid address
    dry = make_dry_request(entry, allow_changed=settings.allow_changed)
    check_host(entry, dry.host)
    return dry.entry, dry.sent


def _get_slug(model: ModelEntry | str) -> str:
    return model if isinstance(model, str) else model.slug
