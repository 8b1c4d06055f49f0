"""Plans of runs: one model under one experiment over selected evals, by a command's settings."""

import difflib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from records.files.data_folder import DataFolder
from records.files.name_patterns import EXPERIMENT_NAME
from records.reader import read_models
from records.shapes.attempt import SentValue
from records.shapes.base import RunId, compute_text_digest
from records.shapes.registry import ModelEntry
from records.shapes.run import RUN_VERSION, Executed, Experiment, Harness, Run, RunModel
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, NO_GUIDELINES, is_of_a_trial
from records.writer import tidy_beside, write_record
from runner.errors import BadSelectionError, NotPublishableError
from runner.evals.discovery import Eval, Suite
from runner.grading.answer_steps import GradingSettings
from runner.models.api_keys import read_key
from runner.models.baselines import BASELINES, find_baseline
from runner.models.costs import bound_output
from runner.models.registry import Terms, parse_terms, refuse_shared_slugs, resolve_model
from runner.models.sent import make_dry_request
from runner.runs.carry_over import CarryOver, plan_carry_over
from runner.runs.history import read_histories
from runner.runs.provenance import check_host, compute_origin, find_address, make_harness
from runner.suite.mint import make_benchmark

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings(GradingSettings):
    """The settings of runs and of their grading.

    A resume needs these settings again: the settings of grading, a guidelines file, the address
    and the terms of a model given by id, and a new budget. It takes all others from the record.
    """

    models: Sequence[str] = ()
    """Slugs of models in the registry or of baselines, or litellm ids."""
    pattern: str | None = None
    """A regular expression that selects evals by name; None for all."""
    categories: Sequence[str] = ()
    """Categories of evals; empty for all."""
    levels: Sequence[str] = ()
    """Levels of evals; empty for all."""
    experiment: str | None = None
    """Name of the experiment; None for the default, or for the name of the guidelines file."""
    guidelines: Path | None = None
    """Path of guidelines to send instead of the suite's."""
    samples: int = 1
    """The number of attempts at each eval."""
    budget_usd: float | None = None
    """The most dollars that the runs of a command may cost together, all their resumes included.
    None sets no limit; a resumed run then keeps its own."""
    concurrency: int | None = None
    """The most requests at once per provider; None if the program decides."""
    ahead: int | None = None
    """The most answers of a provider without a verdict; None for `compute_default_limit`."""
    api_base: str | None = None
    """Address of a server with the OpenAI protocol, for models given by litellm id."""
    max_tokens: int | None = None
    """The most tokens of a reply, for models given by litellm id."""
    parameters: Sequence[str] = ()
    """KEY=VALUE of each request, for models given by litellm id."""
    price: str | None = None
    """IN/OUT, the price of models given by litellm id."""
    allow_changed: bool = False
    """True if a model may be asked although litellm drops or changes one of its parameters."""
    failed_only: bool = False
    """True if each model is asked only the evals that did not pass when last judged."""
    carry_over_days: int | None = None
    """The greatest age, in days, of an earlier run's answer that is not asked for again; None if
    all answers are asked for."""
    publish: bool = False
    """True if the runs are published at their end."""

    @property
    def terms(self) -> Terms:
        """The terms of models given by litellm id, from their options.

        Raises:
            BadSelectionError: an option has an invalid value, or contradicts another option.
        """
        return parse_terms(self.max_tokens, self.parameters, self.price)


class ExperimentSetup(NamedTuple):
    """An experiment with its guidelines."""

    name: str
    guidelines: str | None
    """The text that is sent; None if none is sent."""

    def make_experiment(self) -> Experiment:
        """Return the experiment for the record of a run."""
        text = self.guidelines
        digest = None if text is None else compute_text_digest(text)
        return Experiment(name=self.name, guidelines=digest)


class RunPlan(NamedTuple):
    """The plan of a run, with all that its attempts need."""

    run: Run
    entry: ModelEntry | None
    """The model to ask; None for a baseline, and if no question of the run is left."""
    evals: Mapping[str, Eval]
    """The planned evals by name."""
    guidelines: str | None
    """The text that is sent; None if none is sent."""
    carry_over: CarryOver | None = None
    """The answers of earlier runs that a new run takes over; None if it asks for all answers."""


def make_experiment_setup(
    suite: Suite, name: str | None, guidelines_file: Path | None
) -> ExperimentSetup:
    """Return the experiment called ``name``; without name and file the default experiment.

    A guidelines file makes an experiment of its own, named after the file unless ``name`` is given.

    Raises:
        BadSelectionError: the name is invalid or reserved, or no built-in experiment has it
            and no file is given; or a file is given that is empty or cannot be read, or whose
            experiment would have the name of a built-in experiment.
    """
    if name is not None and re.fullmatch(EXPERIMENT_NAME, name) is None:
        safe = _make_safe_name(name)
        example = f", such as {safe}" if safe else ""
        raise BadSelectionError(
            f"-e {name}: the name of an experiment has small letters, digits, - and _, begins with "
            f"one of the first two, and has at most 40 characters{example}"
        )
    if name is not None and is_of_a_trial(name):
        raise BadSelectionError(
            f"-e {name}: names that begin like this are reserved for `leaderboard ablate`; "
            "choose another"
        )
    if guidelines_file is not None:
        source = f"--guidelines {guidelines_file}"
        own_name = name or _make_safe_name(guidelines_file.stem)
        if not own_name or is_of_a_trial(own_name):
            raise BadSelectionError(
                f"{source}: no name for an experiment can be made of this file name; give one with "
                "-e"
            )
        if own_name in {DEFAULT, NO_GUIDELINES}:
            raise BadSelectionError(
                f"{source}: an experiment with its own guidelines cannot be called {own_name}; "
                "name it with -e"
            )
        try:
            text = guidelines_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadSelectionError(f"{source}: cannot be read: {error}") from error
        if not text.strip():
            raise BadSelectionError(
                f"{source}: holds no text; to send no guidelines, give -e {NO_GUIDELINES}"
            )
        return ExperimentSetup(own_name, text)
    if name is None or name == DEFAULT:
        return ExperimentSetup(DEFAULT, suite.guidelines)
    if name == NO_GUIDELINES:
        return ExperimentSetup(NO_GUIDELINES, None)
    close = difflib.get_close_matches(name, (DEFAULT, NO_GUIDELINES), n=1)
    nearest = f"close to it is {close[0]}; " if close else ""
    raise BadSelectionError(
        f"unknown experiment {name!r}: {nearest}use {DEFAULT}, {NO_GUIDELINES}, "
        "or give its text with --guidelines FILE"
    )


def _make_safe_name(text: str) -> str:
    """Return the valid experiment name most like ``text``; empty if no character is left."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")[:40]


def make_run_id() -> RunId:
    """Return a random id for a run: 160 bits in lower-case base32."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(32))


def make_plan(  # noqa: PLR0913 - each argument is one independent part of a run's identity
    *,
    model: ModelEntry | str,
    experiment: ExperimentSetup,
    evals: Sequence[Eval],
    benchmark_version: str,
    samples: int,
    harness: Harness | None,
    budget_usd: float | None = None,
    sent: Mapping[str, SentValue] | None = None,
) -> RunPlan:
    """Return the plan of a new run. ``model`` is a registry entry or a baseline's slug.

    ``sent`` has the parameters of the run's requests; None if they are unknown.
    """
    now = datetime.now(UTC)
    if isinstance(model, str):
        asked_model = RunModel(
            slug=model,
            name=BASELINES[model],
            provider="Baseline",
            litellm_id=None,
            kind="baseline",
            parameters={},
            max_output_tokens=None,
            origin=None,
        )
    else:
        asked_model = make_asked_model(model, sent)
    run = Run(
        schema_version=RUN_VERSION,
        run_id=make_run_id(),
        model=asked_model,
        experiment=experiment.make_experiment(),
        benchmark_version=benchmark_version,
        provenance=Executed(kind="executed"),
        status="running",
        date=now.date(),
        started_at=now,
        finished_at=None,
        harness=harness,
        planned=tuple(sorted(evaluation.name for evaluation in evals)),
        samples=samples,
        budget_usd=budget_usd,
        totals=compute_run_totals(()),
        withdrawn=None,
        attempts=(),
    )
    return RunPlan(
        run=run,
        entry=None if isinstance(model, str) else model,
        evals={evaluation.name: evaluation for evaluation in evals},
        guidelines=experiment.guidelines,
    )


def make_asked_model(entry: ModelEntry, sent: Mapping[str, SentValue] | None = None) -> RunModel:
    """Return the model of ``entry`` for the record of a run.

    ``sent`` has the parameters of the run's requests; None if they are unknown.

    Raises:
        BadAddressError: the entry's address is invalid.
    """
    address = find_address(entry)
    return RunModel(
        slug=entry.slug,
        name=entry.name,
        provider=entry.provider,
        litellm_id=entry.litellm_id,
        kind="llm",
        parameters=dict(entry.parameters),
        sent=None if sent is None else dict(sent),
        max_output_tokens=entry.output_limit,
        origin=None if address is None else compute_origin(address),
    )


class Destination(NamedTuple):
    """The suite of runs, and the data folders of their records."""

    suite: Suite
    data: DataFolder
    publish: bool = False
    """True if runs are written to data/ itself instead of data/local/."""

    @property
    def folder(self) -> DataFolder:
        """The data folder that runs are written to."""
        return self.data if self.publish else self.data.local


class RunScope(NamedTuple):
    """The experiments and evals of new runs, and the folders of their records."""

    destination: Destination
    experiments: Sequence[ExperimentSetup]
    evals: Sequence[Eval]


class PlannedRuns(NamedTuple):
    """The plans of runs that one command executes or resumes together."""

    plans: Sequence[RunPlan]
    destination: Destination
    """The suite and the data folder of all these runs."""
    over: Sequence[Run] = ()
    """The runs to resume that have nothing left to do."""
    budget_usd: float | None = None
    """The most dollars that all these runs may cost together; None if there is no limit."""
    spent_usd: float = 0.0
    """The part of the budget that the runs of ``over`` have spent, at most."""

    @property
    def runs(self) -> list[Run]:
        """All of these runs, as recorded or planned; those with nothing left to do come first."""
        return [*self.over, *(plan.run for plan in self.plans)]


def plan_runs(settings: RunSettings, scope: RunScope) -> list[RunPlan]:
    """Plan a run for each model of ``settings`` under each experiment of ``scope``.

    Raises:
        UserError: a model is unknown, a key is missing, parameters would not be sent, --failed
            finds nothing to repeat, or the benchmark version is not minted.
        RequestNotMadeError: a model's request could not be made, because a program failed.
    """
    destination = scope.destination
    version = define_version(destination).version
    harness = make_harness(destination.suite.root, settings.backend, settings.sandbox)
    with_keys = settings.carry_over_days is None
    plans = draft_plans(settings, scope, version, harness=harness, with_keys=with_keys)
    for plan in plans:
        if plan.entry is not None:
            read_key(plan.entry)
    return plans


def draft_plans(
    settings: RunSettings,
    scope: RunScope,
    version: str,
    *,
    harness: Harness | None = None,
    with_keys: bool = False,
) -> list[RunPlan]:
    """Return a plan for each model under each experiment; it may be of a version not yet minted.

    Without ``harness`` the plans are good for forecasts only. It is made to carry answers over,
    because the versions of packages must be the same. With ``with_keys`` the keys of the
    models must be set. A run to be published takes over answers only of published runs, so that
    readers can see them.

    Raises:
        UserError: a model is unknown, two models share a slug, a key is missing, parameters would
            not be sent, or --failed finds nothing to repeat.
        RequestNotMadeError: a model's request could not be made, because a program failed.
    """
    suite, data, days = scope.destination.suite, scope.destination.data, settings.carry_over_days
    if harness is None and days is not None:
        harness = make_harness(suite.root, settings.backend, settings.sandbox)
    models: list[tuple[ModelEntry | str, Mapping[str, SentValue] | None]] = [
        resolve_asked_model(name, data, settings, with_key=with_keys)
        if (baseline := find_baseline(name)) is None
        else (baseline, None)
        for name in settings.models
    ]
    refuse_shared_slugs(model for model, _ in models if not isinstance(model, str))
    plans: list[RunPlan] = []
    for model, sent in models:
        slug = model if isinstance(model, str) else model.slug
        for experiment in scope.experiments:
            evals = scope.evals
            if settings.failed_only:
                earlier = read_histories(data, version).get((slug, experiment.name))
                if earlier is None:
                    raise BadSelectionError(
                        f"--failed: {slug} has no run of the suite under {experiment.name}"
                    )
                failed = set(earlier.list_failed_evals())
                evals = [evaluation for evaluation in evals if evaluation.name in failed]
                if not evals:
                    raise BadSelectionError(
                        f"--failed: none of the selected evals failed in the runs of {slug} under "
                        f"{experiment.name}"
                    )
            plan = make_plan(
                model=model,
                experiment=experiment,
                evals=evals,
                benchmark_version=version,
                samples=settings.samples,
                harness=harness,
                budget_usd=settings.budget_usd,
                sent=sent,
            )
            if days is not None and plan.entry is not None:
                folders = [data] if settings.publish else [data.local, data]
                carried = plan_carry_over(plan.run, plan.evals, plan.guidelines, folders, days)
                plan = plan._replace(
                    run=plan.run.model_copy(update={"carry_over_days": days}),
                    entry=plan.entry if carried.asked else None,
                    carry_over=carried,
                )
            plans.append(plan)
    return plans


def define_version(destination: Destination) -> Benchmark:
    """Return the benchmark version of the suite; nothing is written.

    Raises:
        NotPublishableError: the runs are to be published, and data/benchmarks/ lacks the version.
    """
    defined = make_benchmark(destination.suite)
    is_minted = destination.data.benchmarks.get_file(defined.version).exists()
    if destination.publish and not is_minted:
        raise NotPublishableError(
            f"benchmark version {defined.version} of {destination.suite.root} is not minted: "
            "run `leaderboard suite mint` and commit what it writes"
        )
    return defined


def write_version(destination: Destination) -> Benchmark:
    """Write the benchmark version of the suite to data/local/ if it is not minted; return it.

    Raises:
        NotPublishableError: the runs are to be published, and data/benchmarks/ lacks the version.
    """
    defined = define_version(destination)
    if destination.data.benchmarks.get_file(defined.version).exists():
        return defined
    benchmarks = destination.data.local.benchmarks
    tidy_beside(benchmarks.get_file(defined.version))
    if not benchmarks.get_file(defined.version).exists():
        write_record(benchmarks, defined)
    if destination.suite.kind.is_of_others:
        # Imported only for suites with graders in TypeScript, because it loads syntax trees.
        from runner.suite.vitest_tests import write_description  # noqa: PLC0415

        write_description(destination.suite, defined.version, destination.data.local)
    return defined


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
