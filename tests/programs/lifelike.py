"""A data folder after a month of measuring: eleven models on the suite's own version.

    python -m tests.programs.lifelike FOLDER

FOLDER gets the shipped records and invented ones: eleven models of invented makers, with one to
three runs each under both conditions. They have costs, times, tokens and three reports. Nimbus
Max is free, the cost of Forge 70 is unknown, and an attempt of Skerry 4 has no verdict. An ablation
asks Forge 400 without each of six sections of the guidelines. The answers are reference answers
and wrong variants of the suite, so `leaderboard check` accepts the archives. The same seed makes
the same records. `leaderboard serve --data FOLDER` shows them.
"""

import argparse
import math
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random

from generator.read.suite_texts import read_eval_texts
from records.archives import archive
from records.files.data_folder import DataFolder
from records.guidelines.sections import GuidelinesTokens, read_guidelines_tokens
from records.shapes.attempt import (
    Attempt,
    CostBasis,
    Fault,
    FaultClass,
    Generation,
    Outcome,
    Step,
    StepName,
    Test,
    Tokens,
)
from records.shapes.failure_classes import FailureClass
from records.shapes.run import Experiment, Run
from records.shapes.trial import Edition, TrialRun
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, LEFT_OUT, NO_GUIDELINES, PLACEBO
from records.writer import write_record, write_run
from runner.evals.calibrations import Calibration
from runner.evals.discovery import Eval, discover
from tests.records import examples


@dataclass(frozen=True, slots=True)
class Invented:
    """A model that does not exist."""

    maker: str
    name: str
    skill: float
    """Skill in the units of the evals' difficulties; 0 passes half of the suite."""
    gain: float
    """Gain of skill by the guidelines."""
    runs: int
    seconds: float
    """Seconds of generation, for an answer of usual length."""
    price: float | None
    """Dollars for a thousand output tokens; None for an unknown cost."""
    effort: str | None = None

    @property
    def slug(self) -> str:
        """The model's name in commands."""
        return f"{self.maker}/{self.name}".lower().replace(" ", "-")


MODELS = (
    Invented("Aster", "Comet 5", 3.4, 0.8, 3, 62.0, 0.060, "high"),
    Invented("Aster", "Comet 5 Small", 1.9, 0.9, 3, 21.0, 0.006, "medium"),
    Invented("Borealis", "Polaris 4.7", 3.0, 0.5, 3, 95.0, 0.024),
    Invented("Borealis", "Polaris 4.7 Flash", 1.6, 0.6, 2, 9.0, 0.002),
    Invented("Cirrus", "Nimbus Max", 2.2, 1.2, 2, 48.0, 0.0),
    Invented("Cirrus", "Nimbus Mini", 0.1, 0.7, 1, 14.0, 0.001),
    Invented("Delta", "Estuary 2", 2.7, 0.0, 3, 71.0, 0.041, "low"),
    Invented("Ember", "Forge 70", 0.8, 1.0, 2, 33.0, None),
    Invented("Ember", "Forge 400", 1.8, 0.9, 1, 80.0, 0.015),
    Invented("Fjord", "Skerry 3", -0.6, 0.4, 2, 18.0, 0.004),
    Invented("Fjord", "Skerry 4", 2.9, 0.7, 1, 55.0, 0.030),
)


ROOT = Path(__file__).parents[2]
VERSION = "f5c55844280a"
FIRST_DAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
_ENDING = frozenset({StepName.FILESYSTEM, StepName.INSTALL, StepName.DEPLOY})
"""Steps whose failure ends an attempt."""


_SPOILED = "Skerry 4"
"""The model with an attempt without guidelines that has no verdict."""
_REPORTED = ("Comet 5", "Nimbus Mini", "Estuary 2")
_ABLATED = "Forge 400"
"""The model that is asked without sections of the guidelines, too."""
_LOSSES = {
    "reading-data": 0.0,
    "schema-and-indexes": 0.45,
    "scheduling-and-crons": 0.3,
    "testing": 0.0,
    "validators": 0.15,
    "writing-data": 0.05,
}
"""Share of the passed evals of a section that fail without it."""
_PLACEBOS = ("schema-and-indexes", "scheduling-and-crons")
_WAVERING = 0.03
"""Share of evals that end otherwise by chance, with the same text."""
_CLASS_WORDS = {
    FailureClass.KNOWN_GAP: "The guidelines do not mention it.",
    FailureClass.OVERLY_STRICT: "The task does not forbid it, and the grader refuses it.",
}


@dataclass(frozen=True, slots=True)
class Task:
    """An eval, and the known answers to it."""

    evaluation: Eval
    task: str
    sections: frozenset[str]
    """Sections of the guidelines that it exercises."""
    difficulty: float
    right: Mapping[str, str]
    wrong: Sequence[Calibration]
    tests: Mapping[str, str]
    """First lines of the docstrings of the grader's tests, by name."""


Answer = tuple[Task, Calibration | None]
"""A task, and the wrong variant that is handed in; None for the reference answer."""


def main() -> int:
    """Write the folder; return 2 where it exists already."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if options.folder.exists():
        sys.stderr.write(f"{options.folder}: is there already\n")
        return 2
    runs = write_lifelike(options.folder, options.seed)
    sys.stdout.write(f"{runs} runs of {len(MODELS)} invented models in {options.folder}\n")
    return 0


def write_lifelike(root: Path, seed: int = 7) -> int:
    """Write the folder, and return the number of its invented runs."""
    shutil.copytree(ROOT / "data", root, ignore=shutil.ignore_patterns("local", ".cache"))
    folder = DataFolder(root)
    benchmark = Benchmark.model_validate_json(folder.benchmarks.get_file(VERSION).read_bytes())
    dice = Random(seed)  # noqa: S311 - the same records every time
    tasks = list(_read_tasks(dice, benchmark))
    made = 0
    for day, model in enumerate(MODELS):
        for guided in (True, False):
            for number in range(model.runs):
                began = FIRST_DAY + timedelta(days=2 * day, hours=5 * number + (2 if guided else 0))
                answers = [_choose_answer(dice, task, model, guided=guided) for task in tasks]
                run = _write_run(
                    dice,
                    folder,
                    benchmark,
                    answers=answers,
                    model=model,
                    began=began,
                    experiment=Experiment(
                        name=DEFAULT if guided else NO_GUIDELINES,
                        guidelines=benchmark.guidelines if guided else None,
                    ),
                )
                made += 1
                if guided and number == 0 and model.name in _REPORTED:
                    _write_report(dice, folder, run, answers)
                if guided and model.name == _ABLATED:
                    made += _write_ablation(dice, folder, benchmark, model, run, answers)
    return made


def _read_tasks(dice: Random, benchmark: Benchmark) -> Iterator[Task]:
    for evaluation in discover(ROOT / "evals").evals:
        if evaluation.name not in benchmark.evals:
            continue
        right = evaluation.read_answer()
        variants = evaluation.load_calibrations()
        tests = read_eval_texts(evaluation.folder).tests
        yield Task(
            evaluation=evaluation,
            task=(evaluation.folder / "TASK.txt").read_text(encoding="utf-8"),
            sections=frozenset(evaluation.config.guidelines),
            difficulty=dice.gauss(0.8, 1.5),
            right=right,
            wrong=[variant for variant in variants if variant.kind == "fail"],
            tests={test.name: test.sentence for test in tests},
        )


def _choose_answer(dice: Random, task: Task, model: Invented, *, guided: bool) -> Answer:
    """Return the model's answer to a task: right by a chance of its skill, or one wrong variant."""
    skill = model.skill + (model.gain if guided else 0.0)
    chance = 1 / (1 + math.exp(task.difficulty - skill))
    return task, None if dice.random() < chance else dice.choice(task.wrong)


def _write_ablation(  # noqa: PLR0913, PLR0917 - what its runs are made from
    dice: Random,
    folder: DataFolder,
    benchmark: Benchmark,
    model: Invented,
    whole: Run,
    answers: Sequence[Answer],
) -> int:
    """Write an ablation whose run with the whole text is ``whole``; return its other runs."""
    counted = read_guidelines_tokens(ROOT / "evals")
    assert counted is not None
    entries = [_make_trial_run(whole, Edition.WHOLE, None, counted)]
    texts = [(Edition.LEFT_OUT, LEFT_OUT, section) for section in _LOSSES]
    texts += [(Edition.PLACEBO, PLACEBO, section) for section in _PLACEBOS]
    for edition, beginning, section in texts:
        name = f"{beginning}{section}"
        run = _write_run(
            dice,
            folder,
            benchmark,
            answers=[_without(dice, answer, section) for answer in answers],
            model=model,
            began=whole.started_at or FIRST_DAY,
            experiment=Experiment(name=name, guidelines=sha256(name.encode()).hexdigest()),
        )
        entries.append(_make_trial_run(run, edition, section, counted))
    trial = examples.make_trial(
        *entries,
        trial_id=sha256(whole.run_id.encode()).hexdigest()[:32],
        benchmark_version=VERSION,
        began_at=whole.started_at or FIRST_DAY,
    )
    write_record(folder.trials, trial)
    return len(texts)


def _make_trial_run(
    run: Run, edition: Edition, section: str | None, tokens: GuidelinesTokens
) -> TrialRun:
    length = None if section is None else tokens.sections[section]
    whole = tokens.tokens - tokens.sections["components"]  # The text of VERSION is without it.
    return TrialRun(
        run_id=run.run_id,
        model=run.model.slug,
        experiment=run.experiment.name,
        edition=edition,
        section=section,
        section_tokens=length,
        tokens=whole - (length or 0 if edition is Edition.LEFT_OUT else 0),
    )


def _without(dice: Random, answer: Answer, section: str) -> Answer:
    """Return the answer to the same task without a section: most are the same."""
    task, variant = answer
    if dice.random() < _WAVERING:
        return task, dice.choice(task.wrong) if variant is None else None
    if variant is None and section in task.sections and dice.random() < _LOSSES[section]:
        return task, dice.choice(task.wrong)
    return answer


def _write_run(  # noqa: PLR0913 - what a run is made from
    dice: Random,
    folder: DataFolder,
    benchmark: Benchmark,
    *,
    answers: Sequence[Answer],
    model: Invented,
    began: datetime,
    experiment: Experiment,
) -> Run:
    run_id = "".join(dice.choices("abcdefghijklmnopqrstuvwxyz234567", k=32))
    attempts: list[Attempt] = []
    artifacts: list[archive.AttemptArtifact] = []
    spoiled = model.name == _SPOILED and experiment.name == NO_GUIDELINES
    for number, (task, variant) in enumerate(answers):
        if spoiled and number == 17:
            example = examples.make_attempt(task.evaluation.name, outcome=Outcome.INFRASTRUCTURE)
            fault = Fault(kind=FaultClass.PROVIDER_ERROR, evidence="HTTP 503: overloaded")
            unknown = dict.fromkeys(("steps", "tests", "generation", "graded_at", "key"))
            attempts.append(example.model_copy(update={"fault": fault, **unknown}))
            continue
        attempt, artifact = _make_attempt(
            dice,
            benchmark,
            task=task,
            variant=variant,
            model=model,
            began=began,
            guided=experiment.guidelines is not None,
        )
        attempts.append(attempt)
        artifacts.append(artifact)
    base = examples.make_run()
    effort = {} if model.effort is None else {"reasoning_effort": model.effort}
    run = examples.with_attempts(
        base,
        attempts,
        run_id=run_id,
        model=base.model.model_copy(
            update={
                "slug": model.slug,
                "name": model.name,
                "provider": model.maker,
                "litellm_id": f"openai/{model.slug.partition('/')[2]}",
                "parameters": effort,
                "sent": {"max_completion_tokens": 32_000, **effort},
                "max_output_tokens": 32_000,
            }
        ),
        experiment=experiment,
        benchmark_version=VERSION,
        date=began.date(),
        started_at=began,
        finished_at=began + timedelta(minutes=40),
        planned=tuple(task.evaluation.name for task, _ in answers),
        published_because="an invented run for the tests" if spoiled else None,
    )
    archive.write_archive(folder.get_artifact_file(model.slug, run_id), artifacts)
    write_run(folder, run)
    return run


def _make_attempt(  # noqa: PLR0913 - what an attempt is made from
    dice: Random,
    benchmark: Benchmark,
    *,
    task: Task,
    variant: Calibration | None,
    model: Invented,
    began: datetime,
    guided: bool,
) -> tuple[Attempt, archive.AttemptArtifact]:
    files = task.right if variant is None else variant.files
    reply = "".join(f"# {path}\n```ts\n{text}\n```\n" for path, text in sorted(files.items()))
    name = task.evaluation.name
    artifact = archive.AttemptArtifact(
        eval=name,
        sample=1,
        messages=(archive.Message(role="user", content=task.task),),
        reply=reply,
        files=dict(files),
        logs={},
    )
    outcome = Outcome.PASSED if variant is None else Outcome.FAILED
    failed = None if variant is None else variant.step
    example = examples.make_attempt(name, outcome=outcome)
    key = {
        "answer": archive.compute_answer_digest(files),
        "grader": benchmark.evals[name].grader or examples.make_digest("d"),
    }
    facts = {
        "failed_step": failed,
        "reason": None if variant is None else _find_reason(task, variant),
        "steps": tuple(_make_steps(dice, failed)),
        "tests": None if failed in _ENDING else tuple(_make_tests(dice, task, variant)),
        "generation": _make_generation(dice, model, reply, guided=guided),
        "graded_at": began + timedelta(minutes=dice.randrange(2, 39)),
        "key": example.key and example.key.model_copy(update=key),
        "artifact": archive.compute_artifact_digest(artifact),
    }
    return example.model_copy(update=facts), artifact


def _find_reason(task: Task, variant: Calibration) -> str:
    functions = [name.partition("[")[0] for name in variant.tests]
    sentences = [task.tests[name] for name in functions if name in task.tests]
    return sentences[0] if sentences else variant.reason


def _make_steps(dice: Random, failed: StepName | None) -> Iterator[Step]:
    for name in StepName:
        outcome = Outcome.FAILED if name is failed else Outcome.PASSED
        yield Step(
            name=name, outcome=outcome, duration_s=round(dice.uniform(0.05, 0.6), 3), message=None
        )
        if outcome is Outcome.FAILED and name in _ENDING:
            return


def _make_tests(dice: Random, task: Task, variant: Calibration | None) -> Iterator[Test]:
    failing = variant.tests if variant and variant.step is StepName.TESTS else ()
    refused = {name.partition("[")[0] for name in failing}
    for name, title in task.tests.items():
        failed = name in refused
        yield Test(
            name=name,
            title=title,
            outcome=Outcome.FAILED if failed else Outcome.PASSED,
            duration_s=round(dice.uniform(0.005, 0.05), 4),
            message=variant.reason if failed and variant else None,
        )


def _make_generation(dice: Random, model: Invented, reply: str, *, guided: bool) -> Generation:
    output = len(reply) // 4 + int(dice.expovariate(1 / 900))
    reasoning = output // 2 if model.effort else None
    price = model.price
    facts = {
        "duration_s": round(model.seconds * dice.uniform(0.5, 1.8), 2),
        "time_to_first_token_s": round(dice.uniform(0.3, 4.0), 2),
        "answered_by": model.slug.partition("/")[2],
        "tokens": Tokens(
            input=8_600 if guided else 1_200,
            cached_input=7_000 if guided else 0,
            output=output,
            reasoning=reasoning,
        ),
        "cost_basis": CostBasis.UNKNOWN if price is None else CostBasis.ESTIMATED,
        "reply_digest": sha256(reply.encode()).hexdigest(),
    }
    cost_usd = None if price is None else round(output / 1000 * price, 6)
    return examples.make_generation(cost_usd).model_copy(update=facts)


def _write_report(dice: Random, folder: DataFolder, run: Run, answers: Sequence[Answer]) -> None:
    reasons = {task.evaluation.name: variant.reason for task, variant in answers if variant}
    failed = [attempt for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    classes = [FailureClass.MODEL_FAULT] * 6 + [FailureClass.KNOWN_GAP] * 3
    classes += [FailureClass.OVERLY_STRICT]
    report = examples.make_report(
        run,
        benchmark_version=run.benchmark_version,
        experiment=run.experiment.name,
        author="the tests",
        date=run.date + timedelta(days=1),
        failures=tuple(
            _class_failure(attempt, dice.choice(classes), reasons[attempt.eval])
            for attempt in failed
        ),
        text=f"# What failed\n\n{len(failed)} of {len(run.attempts)} answers failed.\n",
    )
    examples.write_report(folder, report, run.model.slug)


def _class_failure(attempt: Attempt, kind: FailureClass, reason: str) -> Mapping[str, object]:
    words = _CLASS_WORDS.get(kind)
    return {
        "eval": attempt.eval,
        "step": attempt.failed_step,
        "class": kind,
        "note": f"{reason} {words}" if words else reason,
        "message": attempt.reason,
    }


if __name__ == "__main__":
    sys.exit(main())
