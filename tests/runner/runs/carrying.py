"""Runs with archives over a small suite that carry answers over and ask no provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from records.archives import archive
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Experiment, Run
from records.shapes.totals import compute_run_totals
from records.suites.eval_config import EvalConfig, EvalLimits, Pipeline
from records.writer import write_record, write_run
from runner.answers.prompt import PACKAGES, render_prompt
from runner.evals.discovery import Eval
from runner.runs.carry_over import CarryOver, plan_carry_over
from runner.runs.plan import RunPlan, make_run_id
from tests.records import examples
from tests.runner.small_suite import write_suite

if TYPE_CHECKING:
    from records.shapes.attempt import Attempt

NAMES = tuple(f"000-fundamentals/{number:03}-task" for number in range(3))
GUIDELINES = "Choose the right kind."
MODEL = examples.make_model(
    "maker/m",
    name="M",
    litellm_id="maker/m-1",
    parameters={"temperature": 1},
    sent={"temperature": 1},
    max_output_tokens=4096,
)
EXPERIMENT = Experiment(name="default", guidelines=sha256(GUIDELINES.encode()).hexdigest())
TOOLCHAIN: Mapping[str, str] = dict.fromkeys(PACKAGES, "1.0.0")


@dataclass
class Bench:
    """A suite of three evals and a data folder; versions have names of their own."""

    root: Path
    tasks: dict[str, str] = field(default_factory=lambda: dict.fromkeys(NAMES, "Write it."))
    version: str = "aaaaaaaaaaaa"

    def __post_init__(self) -> None:
        """Write the texts of which prompts are made."""
        write_suite(self.root / "evals")

    @property
    def data(self) -> DataFolder:
        """The data folder."""
        return DataFolder(self.root / "data")

    def make_evals(self) -> list[Eval]:
        """Return the evals with their current tasks."""
        config = EvalConfig(
            title="T",
            concept="C",
            why="W",
            guidelines=(),
            pipeline=Pipeline.FULL,
            limits=EvalLimits(),
        )
        home = self.root / "evals"
        return [Eval(name, home / name, task, config) for name, task in self.tasks.items()]

    def make_questions(self, began: datetime = examples.NOON, samples: int = 1) -> RunPlan:
        """Return the plan of a run of the model that begins at ``began``."""
        example = examples.make_run()
        assert example.harness is not None
        facts = {
            "run_id": make_run_id(),
            "model": MODEL,
            "experiment": EXPERIMENT,
            "benchmark_version": self.version,
            "date": began.date(),
            "started_at": began,
            "finished_at": began,
            "harness": example.harness.model_copy(update={"toolchain": TOOLCHAIN}),
            "planned": NAMES,
            "samples": samples,
            "attempts": (),
        }
        evals = {evaluation.name: evaluation for evaluation in self.make_evals()}
        return RunPlan(example.model_copy(update=facts), None, evals, GUIDELINES)

    def plan(self, asked: RunPlan, days: int = 90) -> CarryOver:
        """Return the plan of answers to carry over."""
        return plan_carry_over(asked.run, asked.evals, asked.guidelines, [self.data], days)

    def plan_as_if_alone(self, questions: RunPlan, run: Run) -> CarryOver:
        """Return the plan of answers to carry over if ``run`` did not exist."""
        path = self.data.get_run_file(*run.key)
        aside = path.rename(path.with_name(f".{path.name}"))
        try:
            return self.plan(questions)
        finally:
            aside.rename(path)

    def read_runs(self) -> list[Run]:
        """Return all runs."""
        return [read_run(path) for path in self.data.list_run_files()]

    def run(self, questions: RunPlan, carry_over: CarryOver | None = None) -> Run:
        """Record a run that answered ``questions``, some of them with carried over answers."""
        carried = {item.attempt.place: item for item in carry_over.answers} if carry_over else {}
        prompts = {
            item.name: render_prompt(item, questions.guidelines)
            for item in questions.evals.values()
        }
        attempts: list[Attempt] = []
        artifacts: list[archive.AttemptArtifact] = []
        for key in questions.run.iterate_places():
            source = carried.get(key)
            generation = source.attempt.generation if source else examples.make_generation()
            messages = tuple(archive.Message.model_validate(item) for item in prompts[key.eval])
            artifact = examples.make_artifact(key.eval, key.sample).model_copy(
                update={"messages": messages}
            )
            attempt = examples.make_attempt(key.eval, key.sample).model_copy(
                update={
                    "generation": generation,
                    "graded_at": questions.run.started_at,
                    "artifact": archive.compute_artifact_digest(artifact),
                    "carried_over": source.attempt.carried_over if source else None,
                }
            )
            attempts.append(attempt)
            artifacts.append(artifact)
        run = Run.model_validate(
            dict(questions.run)
            | {
                "carry_over_days": 90 if carry_over else None,
                "totals": compute_run_totals(attempts),
                "attempts": tuple(attempts),
            }
        )
        self.write(run, artifacts)
        return run

    def write(self, run: Run, artifacts: list[archive.AttemptArtifact] | None = None) -> None:
        """Write a record, with its archive where that is given, and its version."""
        digests = next(iter(examples.make_benchmark().evals.values()))
        version = {"version": run.benchmark_version, "evals": dict.fromkeys(NAMES, digests)}
        write_record(self.data.benchmarks, examples.make_benchmark().model_copy(update=version))
        write_run(self.data, run)
        if artifacts is not None:
            archive.write_archive(self.data.get_artifact_file(*run.key), artifacts)

    def start_new_version(self, *changed: str) -> None:
        """Change tasks, and go on to another version."""
        self.tasks |= {name: f"{self.tasks[name]} And more." for name in changed}
        self.version = sha256(f"{self.version}".encode()).hexdigest()[:12]
