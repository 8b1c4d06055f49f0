"""The plan of a run: one model under one experiment over selected evals."""

import difflib
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from records.files.name_patterns import EXPERIMENT_NAME
from records.shapes.attempt import SentValue
from records.shapes.base import RunId
from records.shapes.registry import ModelEntry
from records.shapes.run import RUN_VERSION, Executed, Experiment, Harness, Run, RunModel
from records.shapes.totals import compute_run_totals
from records.suites.experiments import DEFAULT, NO_GUIDELINES, is_of_a_trial
from runner.errors import UnknownExperimentError
from runner.evals.discovery import Eval, Suite
from runner.models.baselines import BASELINES
from runner.runs.carried_answers import CarriedAnswer, CarryOver
from runner.runs.provenance import compute_origin, find_address

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True, slots=True)
class ExperimentSetup:
    """An experiment with its guidelines."""

    name: str
    guidelines: str | None
    """The text that is sent; None if none is sent."""

    def make_experiment(self) -> Experiment:
        """Return the experiment for the record of a run."""
        text = self.guidelines
        digest = None if text is None else hashlib.sha256(text.encode()).hexdigest()
        return Experiment(name=self.name, guidelines=digest)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The plan of a run, with all that its attempts need."""

    run: Run
    entry: ModelEntry | None
    """The model to ask; None for a baseline, and if no question of the run is left."""
    evals: Mapping[str, Eval]
    """The planned evals by name."""
    guidelines: str | None
    """The text that is sent; None if none is sent."""
    carried: Sequence[CarriedAnswer] = ()
    """Answers of earlier runs that a new run takes over."""


def make_experiment_setup(
    suite: Suite, name: str | None, guidelines_file: Path | None
) -> ExperimentSetup:
    """Return the experiment called ``name``; without name and file the default experiment.

    A guidelines file makes an experiment of its own, named after the file unless ``name`` is given.

    Raises:
        UnknownExperimentError: the name is invalid or reserved, or no built-in experiment has it
            and no file is given; or a file is given that is empty or cannot be read, or whose
            experiment would have the name of a built-in experiment.
    """
    if name is not None and re.fullmatch(EXPERIMENT_NAME, name) is None:
        raise UnknownExperimentError(
            f"-e {name}: the name of an experiment has small letters, digits, - and _, begins with "
            f"one of the first two, and has at most 40 characters{_suggest_name(name)}"
        )
    if name is not None and is_of_a_trial(name):
        raise UnknownExperimentError(
            f"-e {name}: names that begin like this are reserved for `leaderboard ablate` and "
            "`leaderboard guidelines check`; choose another"
        )
    if guidelines_file is not None:
        return _with_file(name or _make_safe_name(guidelines_file.stem), guidelines_file)
    if name is None or name == DEFAULT:
        return ExperimentSetup(DEFAULT, suite.guidelines)
    if name == NO_GUIDELINES:
        return ExperimentSetup(NO_GUIDELINES, None)
    close = difflib.get_close_matches(name, (DEFAULT, NO_GUIDELINES), n=1)
    nearest = f"close to it is {close[0]}; " if close else ""
    raise UnknownExperimentError(
        f"unknown experiment {name!r}: {nearest}use {DEFAULT}, {NO_GUIDELINES}, "
        "or give its text with --guidelines FILE"
    )


def _make_safe_name(text: str) -> str:
    """Return the valid experiment name most like ``text``; empty if no character is left."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")[:40]


def _suggest_name(name: str) -> str:
    return f", such as {safe}" if (safe := _make_safe_name(name)) else ""


def _with_file(name: str, path: Path) -> ExperimentSetup:
    if not name or is_of_a_trial(name):
        raise UnknownExperimentError(
            f"--guidelines {path}: no name for an experiment can be made of this file name; give "
            "one with -e"
        )
    if name in {DEFAULT, NO_GUIDELINES}:
        raise UnknownExperimentError(
            f"--guidelines {path}: an experiment with its own guidelines cannot be called {name}; "
            "name it with -e"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnknownExperimentError(f"--guidelines {path}: cannot be read: {error}") from error
    if not text.strip():
        raise UnknownExperimentError(
            f"--guidelines {path}: holds no text; to send no guidelines, give -e {NO_GUIDELINES}"
        )
    return ExperimentSetup(name, text)


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
    carry_over: CarryOver | None = None,
) -> RunPlan:
    """Return the plan of a new run. ``model`` is a registry entry or a baseline's slug.

    ``sent`` has the parameters of the run's requests; None if they are unknown. ``carry_over`` has
    the answers of earlier runs that are not asked for again; None if all answers are asked for.
    """
    now = datetime.now(UTC) if carry_over is None else carry_over.began
    run = Run(
        schema_version=RUN_VERSION,
        run_id=make_run_id(),
        model=_make_baseline_model(model)
        if isinstance(model, str)
        else make_asked_model(model, sent),
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
        carry_over_days=None if carry_over is None else carry_over.days,
        budget_usd=budget_usd,
        totals=compute_run_totals(()),
        withdrawn=None,
        attempts=(),
    )
    nothing_to_ask = carry_over is not None and not carry_over.asked
    return RunPlan(
        run=run,
        entry=None if isinstance(model, str) or nothing_to_ask else model,
        evals={evaluation.name: evaluation for evaluation in evals},
        guidelines=experiment.guidelines,
        carried=() if carry_over is None else carry_over.answers,
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


def _make_baseline_model(slug: str) -> RunModel:
    return RunModel(
        slug=slug,
        name=BASELINES[slug],
        provider="Baseline",
        litellm_id=None,
        kind="baseline",
        parameters={},
        max_output_tokens=None,
        origin=None,
    )
