"""A seeded folder of records for measuring builds: the same seed and number, the same bytes."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

from records.archives import archive
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Outcome, Step, StepName
from records.shapes.failure_classes import FailureClass
from records.shapes.run import Run
from records.writer import encode_run, write_record
from tests.records import examples

EVALS = 100
MODELS = 30
RUNS_PER_REPORT = 5
SUITE = Path(__file__).parents[2] / "evals"
VERSION = "feedfacecafe"
_CONDITIONS = ("default", "default", "no_guidelines")
_REASONS = (
    "A call that gives an argument is refused. DID NOT RAISE FunctionFailed",
    "Messages of a channel come newest first: assert ['a'] == ['b']",
    "Type 'string' is not assignable to type 'Id<\"users\">'",
)
_PROSE = (
    "Most failures share one cause: the answer *reads* the index by `_creationTime` and sorts the"
    " rest in memory, see [the guidelines](https://docs.convex.dev/database/reading-data).\n"
)


_ENDING = frozenset({StepName.FILESYSTEM, StepName.INSTALL, StepName.DEPLOY})
"""Steps whose failure ends an attempt."""


@dataclass(frozen=True, slots=True)
class EvalFiles:
    """The texts of an eval that the attempts at it are made of."""

    task: str
    reference: dict[str, str]
    """Files of the reference answer, by path."""


def list_eval_names() -> list[str]:
    """Return the names of all evals, sorted: those of the suite, then as many others as needed."""
    folders = sorted(path.parent for path in SUITE.glob("[0-9]*/[0-9]*/eval.toml"))
    names = [f"{folder.parent.name}/{folder.name}" for folder in folders]
    more = [f"{900 + n // 15:03d}-category/{n % 15:03d}-eval" for n in range(EVALS)]
    return [*names, *more][:EVALS]


def write_corpus(
    folder: DataFolder,
    runs: int,
    *,
    archives: int = 0,
    seed: int = 7,
) -> None:
    """Write ``runs`` runs of 100 evals by 30 models, and a report on every fifth.

    Every other model has runs of this program; those of the rest are as imported from elsewhere.

    The newest ``archives`` runs of this program have archives: for each attempt the prompt, the
    reply, logs and the reference's files with every fifth line changed.
    """
    dice = Random(seed)  # noqa: S311 - the same corpus every time
    names = list_eval_names()
    write_record(folder.benchmarks, examples.make_benchmark(names, version=VERSION))
    own = [number for number in range(runs) if _is_own(number)]
    archived = set(own[max(0, len(own) - archives) :])
    texts = _read_eval_files(names) if archives else {}
    for number in range(runs):
        made = _make_run(dice, names, number)
        if number in archived:
            answer_dice = Random(made.run_id)  # noqa: S311 - the records are the same without archives
            answers = [
                _make_artifact(answer_dice, attempt, texts[attempt.eval])
                for attempt in made.attempts
            ]
            made = examples.write_answers(folder, made, answers)
        path = folder.get_run_file(*made.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not forced to the disk file by file: the loss of a corpus does no harm.
        path.write_bytes(encode_run(made))
        if number % RUNS_PER_REPORT == 0:
            _write_report(dice, folder, made)


def _is_own(number: int) -> bool:
    """Return whether a run is of this program: 200 KB, with steps, tests, generations and digests.

    The others are as imported from elsewhere, 29 KB: outcome, step and reason of each attempt.
    """
    return number % MODELS % 2 == 1


def _read_eval_files(names: list[str]) -> dict[str, EvalFiles]:
    """Return the texts of each eval; one that the suite does not have gets those of another."""
    folders = sorted(path.parent for path in SUITE.glob("[0-9]*/[0-9]*/eval.toml"))
    texts: list[EvalFiles] = []
    for folder in folders:
        answer = sorted(path for path in (folder / "answer").rglob("*") if path.is_file())
        files = {path.relative_to(folder / "answer").as_posix(): path for path in answer}
        reference = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
        texts.append(EvalFiles((folder / "TASK.txt").read_text(encoding="utf-8"), reference))
    return {name: texts[number % len(texts)] for number, name in enumerate(names)}


def _make_artifact(dice: Random, attempt: Attempt, texts: EvalFiles) -> archive.AttemptArtifact:
    files = {path: _change_file(dice, text) for path, text in texts.reference.items()}
    blocks = (f"## {path}\n\n```ts\n{text}```\n" for path, text in files.items())
    prompt = (SUITE / "guidelines.md").read_text(encoding="utf-8")
    failed = f"\nFAILED {attempt.reason}\n" * 20 if attempt.reason else ""
    return archive.AttemptArtifact(
        eval=attempt.eval,
        sample=attempt.sample,
        messages=(
            archive.Message(
                role="system", content="You are a senior engineer who writes backends."
            ),
            archive.Message(role="user", content=f"{prompt}\n# Task\n\n{texts.task}"),
        ),
        reply="# Files\n\n" + "\n".join(blocks),
        files=files,
        logs={
            "filesystem": "".join(f"{path}  {len(text)} bytes\n" for path, text in files.items()),
            "tests": "8 tests\n" + failed,
        },
    )


def _change_file(dice: Random, text: str) -> str:
    """Return a file with every fifth line left out, written twice, or with a comment."""
    lines: list[str] = []
    for line in text.split("\n"):
        change = dice.randrange(15)
        new = {0: [], 1: [line, line], 2: [f"{line} // {dice.randrange(1000)}"]}
        lines += new.get(change, [line])
    return "\n".join(lines)


def _make_run(dice: Random, names: list[str], number: int) -> Run:
    model = number % MODELS
    own = _is_own(number)
    chance = 0.55 + 0.4 * model / MODELS
    attempts = tuple(_make_attempt(dice, name, chance, own=own) for name in names)
    base = examples.make_run()
    return examples.with_attempts(
        base,
        attempts,
        run_id=f"{number:08d}{dice.randrange(16**24):024x}",
        model=examples.make_model(
            f"maker-{model % 6}/model-{model}",
            name=f"Model {model}",
            provider=f"Maker {model % 6}",
            litellm_id=None,
        ),
        experiment=base.experiment.model_copy(
            update={"name": _CONDITIONS[number // MODELS % len(_CONDITIONS)]}
        ),
        benchmark_version=VERSION,
        date=date(2024, 1, 1) + timedelta(days=number // 6),
        planned=tuple(names),
    )


def _make_attempt(dice: Random, name: str, chance: float, *, own: bool) -> Attempt:
    failed = None if dice.random() < chance else dice.choice(list(StepName))
    outcome = Outcome.FAILED if failed else Outcome.PASSED
    verdict = {
        "failed_step": failed,
        "reason": dice.choice(_REASONS) if failed else None,
    }
    if own:
        whole = examples.make_attempt(name, outcome=outcome)
        return whole.model_copy(update={**verdict, **_select_reached(whole, failed)})
    unknown = dict.fromkeys(
        ("failed_tries_usd", "fault", "steps", "tests", "generation", "graded_at", "key")
    )
    return Attempt.model_validate(
        {"eval": name, "sample": 1, "outcome": outcome, "artifact": None, **verdict, **unknown}
    )


def _select_reached(whole: Attempt, failed: StepName | None) -> dict[str, object]:
    """Return the steps and tests that an attempt reached before its failure at a step."""
    steps: list[Step] = []
    for step in whole.steps or ():
        outcome = Outcome.FAILED if step.name is failed else Outcome.PASSED
        steps.append(step.model_copy(update={"outcome": outcome}))
        if outcome is Outcome.FAILED and failed in _ENDING:
            return {"steps": tuple(steps), "tests": None}
    return {"steps": tuple(steps)}


def _write_report(dice: Random, folder: DataFolder, made: Run) -> None:
    failed = [attempt.eval for attempt in made.attempts if attempt.outcome is Outcome.FAILED]
    failures = tuple(
        {"eval": name, "class": dice.choice(list(FailureClass)), "note": "It is wrong."}
        for name in failed[:12]
    )
    text = "# What failed\n\n" + f"## Part\n\n{_PROSE}\n- one\n- two\n\n" * 6
    report = examples.make_report(made, failures=failures, date=made.date, text=text)
    examples.write_report(folder, report, made.model.slug)
