"""Records for the start of tests of this package."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

from records.archives.archive import (
    AttemptArtifact,
    Message,
    compute_answer_digest,
    compute_artifact_digest,
    write_archive,
)
from records.files.data_folder import DataFolder
from records.journal.entries import Opened
from records.journal.journal import Journal
from records.shapes.attempt import (
    Attempt,
    AttemptKey,
    CostBasis,
    Fault,
    FaultClass,
    Generation,
    GradingKey,
    Outcome,
    Step,
    StepName,
    Test,
    Tokens,
    TokensBasis,
)
from records.shapes.failure_classes import FailureClass
from records.shapes.report import Report, encode_report
from records.shapes.run import RUN_VERSION, Executed, Experiment, Harness, Imported, Run, RunModel
from records.shapes.totals import compute_run_totals
from records.shapes.trial import Edition, GuidelinesTrial, TrialRun
from records.suites.benchmark import Benchmark, EvalDigests
from records.writer import write_atomically, write_record, write_run

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SLUG = "openai/gpt-example"
REPLY = "# Files"
FILES = {"convex/schema.ts": "export default 1;\n", "package.json": "{}"}


def make_digest(letter: str = "a") -> str:
    """Return a text in the form of a digest."""
    return letter * 64


def make_eval_name(number: int) -> str:
    """Return the name of the eval with this number."""
    return f"{number // 15:03d}-category/{number % 15:03d}-eval"


def make_generation(cost_usd: float | None = 0.25, **fields: object) -> Generation:
    """Return a generation of 1.5 s; ``fields`` win."""
    generation = Generation(
        duration_s=1.5,
        time_to_first_token_s=0.25,
        finish_reason="stop",
        answered_by=None,
        tries=1,
        tokens=Tokens(input=1000, cached_input=None, output=500, reasoning=100),
        tokens_basis=TokensBasis.REPORTED,
        cost_usd=cost_usd,
        cost_basis=CostBasis.UNKNOWN if cost_usd is None else CostBasis.ESTIMATED,
        reply_digest=sha256(REPLY.encode()).hexdigest(),
    )
    return Generation.model_validate(dict(generation) | fields)


def make_attempt(
    name: str, sample: int = 1, outcome: Outcome = Outcome.PASSED, **fields: object
) -> Attempt:
    """Return an attempt with all its steps and eight tests; on failure a test of them fails.

    An attempt that was not run has neither. ``fields`` win.
    """
    failed = outcome is Outcome.FAILED
    reached = outcome is not Outcome.NOT_RUN
    fault = Fault(kind=FaultClass.BACKEND, evidence="it said so")
    attempt = Attempt(
        eval=name,
        sample=sample,
        outcome=outcome,
        failed_step=StepName.TESTS if failed else None,
        reason="test_rejects_bad_input failed" if failed else None,
        fault=fault if outcome is Outcome.INFRASTRUCTURE else None,
        steps=tuple(
            Step(
                name=step,
                outcome=Outcome.FAILED if failed and step is StepName.TESTS else Outcome.PASSED,
                duration_s=0.125,
                message=None,
            )
            for step in StepName
        )
        if reached
        else None,
        tests=tuple(
            Test(
                name=f"test_{number}",
                title="Messages of a channel come newest first.",
                outcome=Outcome.FAILED if failed and number == 0 else Outcome.PASSED,
                duration_s=0.01,
                message="assert ['a'] == ['b']" if failed and number == 0 else None,
            )
            for number in range(8)
        )
        if reached
        else None,
        generation=make_generation(),
        failed_tries_usd=None,
        graded_at=NOON,
        key=GradingKey(
            answer=compute_answer_digest(FILES), grader=make_digest("d"), toolchain=make_digest("e")
        ),
        artifact=None,
    )
    return Attempt.model_validate(dict(attempt) | fields)


def make_model(slug: str = SLUG, **fields: object) -> RunModel:
    """Return a model as a run has it, named by its slug; ``fields`` win."""
    model: dict[str, object] = {
        "slug": slug,
        "name": slug,
        "provider": "Maker",
        "litellm_id": slug,
        "kind": "llm",
        "parameters": {},
        "max_output_tokens": None,
        "origin": None,
    }
    return RunModel.model_validate(model | fields)


def make_run(
    run_id: str = "a" * 32,
    evals: int = 3,
    *,
    planned: Sequence[str] | None = None,
    planned_only: bool = False,
    **fields: object,
) -> Run:
    """Return a completed run in which every third attempt failed, or only its plan.

    It is over as many ``evals``, or over those ``planned``. ``fields`` win.
    """
    if planned is None:
        planned = [make_eval_name(number) for number in range(evals)]
    attempts = tuple(
        make_attempt(name, outcome=Outcome.FAILED if number % 3 == 2 else Outcome.PASSED)
        for number, name in enumerate(planned)
    )
    if planned_only:
        attempts = ()
    run = Run(
        schema_version=RUN_VERSION,
        run_id=run_id,
        model=make_model(
            name="GPT Example", provider="OpenAI", parameters={"temperature": 0.5, "seed": None}
        ),
        experiment=Experiment(name="default", guidelines=make_digest("f")),
        benchmark_version="0123456789ab",
        provenance=Executed(kind="executed"),
        status="running" if planned_only else "completed",
        date=date(2026, 11, 21),
        started_at=NOON,
        finished_at=None if planned_only else NOON,
        harness=Harness(
            version="0.1.0",
            git_commit=None,
            toolchain={"node": "20.1.0"},
            backend="embedded",
            sandbox="bwrap",
            install="linked",
        ),
        planned=tuple(planned),
        samples=1,
        budget_usd=None,
        totals=compute_run_totals(attempts),
        withdrawn=None,
        attempts=attempts,
    )
    return Run.model_validate(dict(run) | fields)


def with_attempts(run: Run, attempts: Iterable[Attempt], **fields: object) -> Run:
    """Return a run with other attempts, the sums over them, and other ``fields``."""
    listed = tuple(attempts)
    totals = compute_run_totals(listed)
    return run.model_copy(update={"attempts": listed, "totals": totals, **fields})


def with_model(run: Run, **fields: object) -> Run:
    """Return a run of a model with other ``fields``."""
    return run.model_copy(update={"model": run.model.model_copy(update=fields)})


def with_harness(run: Run, **fields: object) -> Run:
    """Return a run by a program with other ``fields``."""
    assert run.harness is not None
    return run.model_copy(update={"harness": run.harness.model_copy(update=fields)})


def make_imported(**fields: object) -> Imported:
    """Return the origin of a run that another publisher made; ``fields`` win."""
    origin: dict[str, object] = {
        "kind": "imported",
        "importer": "published_analyses",
        "source": "owner/name@0123456:reports/a.md",
        "source_digest": make_digest(),
        "corrected_passed": None,
    }
    return Imported.model_validate(origin | fields)


def make_report(
    run: Run, kind: FailureClass | None = FailureClass.MODEL_FAULT, **fields: object
) -> Report:
    """Return the report on a run, with the class ``kind`` for each failure; ``fields`` win."""
    failed = [attempt.eval for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    report: dict[str, object] = {
        "schema_version": 2,
        "run": run.run_id,
        "author": "a maintainer",
        "date": NOON.date(),
        "planned": len(run.attempts),
        "passed": len(run.attempts) - len(failed),
        "failures": [{"eval": name, "class": kind, "note": "wrong"} for name in failed],
        "text": "What happened.\n",
    }
    return Report.model_validate(report | fields)


def write_report(folder: DataFolder, report: Report, slug: str = SLUG) -> Path:
    """Write a report on a run of a model; return its file."""
    path = folder.get_report_file(slug, report.run, report.date)
    write_atomically(path, encode_report(report).encode())
    return path


def create_journal(path: Path, plan: Opened) -> Journal:
    """Make a journal with ``plan`` as its first line, and return it open."""
    Journal.write_whole(path, plan, ())
    return Journal.open(path)


def list_ungraded(state: Journal) -> list[AttemptKey]:
    """Return the places of a journal with a reply that waits for its verdict, sorted."""
    return sorted({*state.list_unjudged()} - {*state.list_unanswered()})


def make_benchmark(evals: int | Sequence[str] = 3, **fields: object) -> Benchmark:
    """Return the benchmark version that `make_run` belongs to, over as many evals or over these.

    ``fields`` win.
    """
    digests = EvalDigests(task=make_digest(), grader=make_digest(), config=make_digest())
    names = [make_eval_name(number) for number in range(evals)] if isinstance(evals, int) else evals
    benchmark = Benchmark(
        schema_version=1,
        version="0123456789ab",
        title=f"2026-11 · {len(names)} evals",
        protocol=1,
        digest=make_digest(),
        system_prompt=make_digest(),
        guidelines=make_digest("f"),
        guidelines_tokens=1200,
        evals=dict.fromkeys(names, digests),
        minted_at=NOON,
        source=None,
    )
    return Benchmark.model_validate(dict(benchmark) | fields)


def write_runs(folder: DataFolder, *runs: Run, evals: int = 3) -> DataFolder:
    """Write the example version over as many evals, and runs of it; return the folder."""
    write_record(folder.benchmarks, make_benchmark(evals))
    for run in runs:
        write_run(folder, run)
    return folder


def make_artifact(name: str, sample: int = 1, **fields: object) -> AttemptArtifact:
    """Return the files and texts of an attempt; ``fields`` win."""
    artifact = AttemptArtifact(
        eval=name,
        sample=sample,
        messages=(Message(role="system", content="You write Convex code."),),
        reply=REPLY,
        files=FILES,
        logs={"tests": "8 passed"},
    )
    return AttemptArtifact.model_validate(dict(artifact) | fields)


def write_answers(
    folder: DataFolder, run: Run, answers: Iterable[AttemptArtifact] | None = None
) -> Run:
    """Write the archive of a run with these answers, or with an example at each attempt.

    Return the run with their digests.
    """
    if answers is None:
        answers = [make_artifact(attempt.eval, attempt.sample) for attempt in run.attempts]
    kept = {(answer.eval, answer.sample): answer for answer in answers}
    write_archive(folder.get_artifact_file(*run.key), kept.values())
    digests = {key: compute_artifact_digest(answer) for key, answer in kept.items()}
    attempts = tuple(
        attempt.model_copy(update={"artifact": digests.get((attempt.eval, attempt.sample))})
        for attempt in run.attempts
    )
    return run.model_copy(update={"attempts": attempts})


def make_trial_run(
    letter: str, edition: Edition = Edition.WHOLE, section: str | None = None, **fields: object
) -> TrialRun:
    """Return a run of a trial, with an id of this letter; ``fields`` win."""
    run: dict[str, object] = {
        "run_id": letter * 32,
        "model": SLUG,
        "experiment": "default" if section is None else f"ablated-{section}",
        "edition": edition,
        "section": section,
        "section_tokens": None if section is None else 100,
        "tokens": 1000,
    }
    return TrialRun.model_validate(run | fields)


def make_trial(*runs: TrialRun, **fields: object) -> GuidelinesTrial:
    """Return an ablation by ``runs``, or of one section by two example runs; ``fields`` win."""
    left_out = make_trial_run("b", Edition.LEFT_OUT, "kinds", tokens=900)
    trial: dict[str, object] = {
        "schema_version": 1,
        "trial_id": "d" * 32,
        "kind": "ablation",
        "benchmark_version": "feedfacecafe",
        "revision": None,
        "changed": (),
        "began_at": NOON,
        "budget_usd": None,
        "runs": runs or (make_trial_run("a"), left_out),
    }
    return GuidelinesTrial.model_validate(trial | fields)
