"""A seeded folder of records for every kind of page, with hostile text."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

from records.archives import archive
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome, Verdict
from records.shapes.failure_classes import FailureClass
from records.shapes.run import Experiment, Run, Withdrawal
from records.shapes.trial import Edition
from records.suites.experiments import LEFT_OUT, PLACEBO
from records.writer import write_record, write_run
from tests.records import examples

SUITE = Path(__file__).parents[2] / "evals"
VERSION = "feedfacecafe"
HARM = "<script>document.title='owned'</script>{{ 7*7 }}\u202egnp.exe\x00\x1b[31m"
"""Possible content of a hostile name, log or answer."""

RIGHT_TO_LEFT = "\u05d3\u05d2\u05dd"
"""A word of a script that is written from right to left."""

HARMFUL_FILE = "convex/<img src=x onerror=alert(1)>{{ 7*7 }}\u202est.js"
_HARMFUL_TEST = "test_\"><b onclick=alert(1)>{{ 7*7 }}\u202e['&]"
_HARMFUL_TEXT = f"""# Title

[a](javascript:alert(1)) [b](JavaScript:alert(2)) [c][d] <javascript:alert(3)>
[e](data:text/html,<script>alert(4)</script>) ![f](https://elsewhere.test/x.png)
<img src=x onerror=alert(5)> <svg/onload=alert(6)> {HARM}

[d]: javascript:alert(7)

## Part

| a | b |
|---|---|
| 1 | {"w" * 300} |

```ts
const x = "{"y" * 300}";
```
"""
_TEN_MB = 10_000_000

_CONDITIONS = ("default", "default", "no_guidelines")
_CHANCES = (0.95, 0.9, 0.9, 0.8, 0.6, 0.4)


@dataclass(frozen=True, slots=True)
class Names:
    """Addresses of the pages of some records."""

    model: str
    run: str
    attempt: str
    """Address of the own page of an attempt that a report names."""
    attempts: str
    """Address of all attempts of its category."""
    report: str
    eval: str
    pair: str
    """Address of a page on two runs of the same model."""
    broken: str
    """Address of attempts, one of them without a verdict."""


def write_corpus(folder: DataFolder, models: int = 6) -> Names:
    """Write a benchmark version over the suite's evals, runs of ``models``, archives, reports."""
    dice = Random(3)  # noqa: S311 - the same corpus every time
    evals = _list_evals()
    write_record(folder.benchmarks, examples.make_benchmark(evals, version=VERSION))
    runs = [
        _make_run(dice, evals, number, condition, order)
        for number in range(models)
        for order, condition in enumerate(_CONDITIONS)
    ]
    answered = _choose_answered(runs[0])
    written = [_write(folder, item, answered) for item in runs]
    withdrawn = _make_withdrawn_run(written[0])
    write_run(folder, withdrawn)
    broken = _make_artifact(withdrawn.attempts[0], 1000)
    archive.write_archive(folder.get_artifact_file(*withdrawn.key), [broken])
    report = _write_harmful_report(folder, written[0])
    _write_ablation(folder, dice, evals)
    first = written[0]
    failed = next(item for item in first.attempts if item.outcome is Outcome.FAILED)
    return Names(
        model=f"models/{first.model.slug}/",
        run=f"runs/{first.run_id}/",
        attempt=f"runs/{first.run_id}/{failed.eval}/",
        attempts=f"runs/{first.run_id}/{failed.eval.partition('/')[0]}/",
        report=report,
        pair=f"diff/{first.run_id}/{written[1].run_id}/",
        eval=f"evals/{failed.eval}/",
        broken=f"runs/{withdrawn.run_id}/{withdrawn.attempts[0].eval.partition('/')[0]}/",
    )


def write_field(folder: DataFolder, models: int, runs: int = 1) -> None:
    """Write ``runs`` of many models with and without guidelines each, and no archives.

    The first run of every tenth model has a report.
    """
    dice = Random(5)  # noqa: S311 - the same corpus every time
    evals = _list_evals()
    write_record(folder.benchmarks, examples.make_benchmark(evals, version=VERSION))
    for number in range(models):
        conditions = ["default"] * runs + ["no_guidelines"] * runs
        for order, condition in enumerate(conditions):
            written = examples.with_model(
                _make_run(dice, evals, number, condition, order),
                name=f"model-{number}-thinking-preview-2026-11",
                kind="baseline" if number % 50 == 0 else "llm",
            )
            write_run(folder, written)
            if order == 0 and number % 10 == 1:
                _write_harmful_report(folder, written)


def _list_evals() -> list[str]:
    return sorted(
        f"{path.parent.parent.name}/{path.parent.name}"
        for path in SUITE.glob("[0-9]*/[0-9]*/eval.toml")
    )


def _make_run(dice: Random, evals: list[str], number: int, condition: str, order: int) -> Run:
    chance = _CHANCES[number % len(_CHANCES)] - (0.25 if condition == "no_guidelines" else 0)
    name = f"Model {number} {HARM}" if number == 1 else f"Model {number}"
    if number == 2:
        name = "An-exceedingly-long-model-name-" + "x" * 120 + f" {RIGHT_TO_LEFT} 2"
    attempts = tuple(_make_attempt(dice, name, chance, number) for name in evals)
    return examples.with_attempts(
        examples.make_run(),
        attempts,
        run_id=f"{number:03d}{order}" + "a" * 28,
        model=examples.make_model(
            f"maker{number % 4}/model-{number}" + (":free" if number == 3 else ""),
            name=name,
            provider=f"Maker {number % 4}" + (f" {HARM}" if number == 1 else ""),
            litellm_id=f"maker/model-{number}",
            kind="baseline" if number == 5 else "llm",
            parameters={"<i>effort": HARM} if number == 1 else {},
        ),
        experiment=Experiment(
            name=condition,
            guidelines=None if condition == "no_guidelines" else examples.make_digest(),
        ),
        benchmark_version=VERSION,
        date=date(2026, 11, 1) + timedelta(days=number + 3 * order),
        planned=tuple(evals),
    )


def _make_attempt(dice: Random, name: str, chance: float, number: int) -> Attempt:
    outcome = Outcome.PASSED if dice.random() < chance else Outcome.FAILED
    made = examples.make_attempt(name, outcome=outcome)
    cost = None if number == 4 else round(0.02 * (number + 1) * dice.uniform(0.5, 1.5), 4)
    # The second model answers at the second request.
    tries = 2 if number == 1 else 1
    update: dict[str, object] = {"generation": examples.make_generation(cost, tries=tries)}
    if outcome is Outcome.FAILED and made.tests:
        message = f"assert {HARM!r} == 'a'\n{HARM}{'z' * 500}"
        broken = made.tests[0].model_copy(
            update={"name": _HARMFUL_TEST, "title": HARM, "message": message}
        )
        update["tests"] = (broken, *made.tests[1:])
        update["reason"] = HARM
        steps = made.steps or ()
        update["steps"] = tuple(step.model_copy(update={"message": HARM}) for step in steps)
    return made.model_copy(update=update)


def _choose_answered(first: Run) -> set[str]:
    """Return the evals with stored answers: every third, and the failures of the first run.

    Each attempt has a page, and the pages of these show all that such pages show.
    """
    evals = [attempt.eval for attempt in first.attempts]
    return {
        *evals[::3],
        *(attempt.eval for attempt in first.attempts if attempt.outcome is Outcome.FAILED),
    }


def _write(folder: DataFolder, made: Run, answered: set[str]) -> Run:
    """Write a run with an archive of the answers to some evals; the first is graded twice."""
    longest = _TEN_MB if made.run_id.startswith("0000") else 100_000
    artifacts = [
        _make_artifact(attempt, longest) for attempt in made.attempts if attempt.eval in answered
    ]
    whole = examples.write_answers(folder, made, artifacts)
    first, *remaining = whole.attempts
    if first.key is not None:
        earlier = Verdict(
            graded_at=examples.NOON,
            key=first.key,
            outcome=Outcome.FAILED,
            failed_step=first.failed_step,
            reason=None,
        )
        twice = first.model_copy(update={"earlier_verdicts": (earlier,)})
        whole = examples.with_attempts(whole, (twice, *remaining))
    write_run(folder, whole)
    return whole


def _make_artifact(made: Attempt, longest: int) -> archive.AttemptArtifact:
    answer = SUITE / made.eval / "answer"
    files = {
        path.relative_to(answer).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(answer.rglob("*.ts*"))
        if "_generated" not in path.parts
    }
    log, reply = "passed\n", f"# Files\n{HARM}"
    if made.outcome is Outcome.FAILED:
        log = f"{HARM}\n" + "a line of a long log\n" * 1000
        reply += "\na line of a long reply" * (longest // 23 + 1)
        first = next(iter(files))
        lines = files[first].splitlines()
        files[first] = "\n".join([*lines[:3], f"// {HARM}", *lines[5:], "export const more = 1;"])
        files[HARMFUL_FILE] = f"// {HARM}\n"
        files["convex/extra.ts"] = f"export const text = `{HARM}`;\n" + "x" * 3000 + "\n"
    return archive.AttemptArtifact(
        eval=made.eval,
        sample=made.sample,
        messages=(
            archive.Message(role="system", content="You write Convex code."),
            archive.Message(role="user", content=f"The task. {HARM}"),
        ),
        reply=reply,
        files=files,
        logs={"deploy": "ready\n", "tests": log},
    )


def _make_withdrawn_run(made: Run) -> Run:
    """Return a withdrawn run of the same model; its machinery had failed at first."""
    first, *remaining = (
        judged.model_copy(update={"artifact": None, "earlier_verdicts": ()})
        for judged in made.attempts
    )
    broken = examples.make_attempt(
        first.eval,
        outcome=Outcome.INFRASTRUCTURE,
        artifact=archive.compute_artifact_digest(_make_artifact(first, 1000)),
        fault=Fault(kind=FaultClass.BACKEND, evidence=f"it said {HARM}"),
        reason=f"it said {HARM}",
    )
    return examples.with_attempts(
        made,
        (broken, *remaining),
        run_id="w" * 32,
        date=date(2026, 10, 1),
        withdrawn=Withdrawal(by="the maintainers", reason=f"a faulty grader {HARM}"),
    )


def _write_ablation(folder: DataFolder, dice: Random, evals: list[str]) -> None:
    """Write an ablation of one section by a model with a hostile name, with its placebo."""
    names = ("default", f"{LEFT_OUT}validators", f"{PLACEBO}validators")
    runs: list[Run] = []
    for order, name in enumerate(names, start=4):
        made = _make_run(dice, evals, 1, "no_guidelines" if order > 4 else name, order)
        experiment = Experiment(name=name, guidelines=examples.make_digest(str(order)))
        runs.append(made.model_copy(update={"experiment": experiment}))
        write_run(folder, runs[-1])
    entries = (
        examples.make_trial_run(
            "a",
            edition,
            None if edition is Edition.WHOLE else "validators",
            run_id=made.run_id,
            model=made.model.slug,
            experiment=made.experiment.name,
            section_tokens=None if edition is Edition.WHOLE else 572,
            tokens=5765 if edition is not Edition.LEFT_OUT else 5193,
        )
        for made, edition in zip(runs, Edition, strict=False)
    )
    trial = examples.make_trial(*entries, trial_id="t" * 32, benchmark_version=VERSION)
    write_record(folder.trials, trial)


def _write_harmful_report(folder: DataFolder, made: Run) -> str:
    failed = [attempt.eval for attempt in made.attempts if attempt.outcome is Outcome.FAILED]
    kinds = [FailureClass.OVERLY_STRICT, *FailureClass]
    report = examples.make_report(
        made,
        author=f"a maintainer {HARM}",
        date=date(2026, 11, 20),
        source=f"https://elsewhere.test/{HARM}",
        failures=tuple(
            {"eval": name, "class": kinds[position % len(kinds)], "note": f"wrong {HARM}"}
            for position, name in enumerate(failed)
        ),
        patterns=(f"several {HARM}",),
        actions=(f"mend the grader {HARM}",),
        net_impact=f"one more pass {HARM}",
        text=_HARMFUL_TEXT,
    )
    path = examples.write_report(folder, report, made.model.slug)
    return f"reports/{made.model.slug}/{path.stem}/"
