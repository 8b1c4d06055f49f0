"""The page of one run: its facts and every attempt."""

from collections.abc import Mapping
from itertools import groupby

from generator.contexts.runs import AttemptGroup, AttemptLine, RunPage
from generator.contexts.shared import Blame, Fact
from generator.corpus import EvalResult, RunSummary
from generator.pages.lines import blame_of, blames, run_line, share
from generator.pages.material import Surroundings
from generator.pages.names import (
    DEFAULT,
    attempt_anchor,
    attempt_path,
    category,
    category_of,
    eval_path,
    frame,
    run_path,
)
from generator.render import dollars, seconds
from records.run import Attempt, Executed, Imported, Outcome, Run


def run_page(material: Surroundings, summary: RunSummary, run: Run) -> RunPage:
    """Gather the page of ``run``."""
    line = run_line(material, summary)
    said = blames(material, run.run_id)
    lines = [attempt_line(summary, attempt, said) for attempt in run.attempts]
    results: dict[str, list[EvalResult]] = {}
    for name, result in summary.results.items():
        results.setdefault(category_of(name), []).append(result)
    return RunPage(
        frame=frame(
            f"{line.model.name}, {line.experiment}, {line.date}",
            run_path(run.run_id),
            f"What {line.model.name} passed and failed on {line.date}, {line.experiment}.",
        ),
        line=line,
        facts=_facts(run),
        command=_command(run),
        groups=[
            AttemptGroup(
                category=category(key),
                score=share(results.get(key, ())),
                attempts=list(attempts),
            )
            for key, attempts in groupby(lines, key=lambda one: category_of(one.eval))
        ],
    )


def _command(run: Run) -> str | None:
    """Return what runs the same again."""
    if not isinstance(run.provenance, Executed):
        return None
    condition = "" if run.experiment.name == DEFAULT else f" -e {run.experiment.name}"
    samples = f" --samples {run.samples}" if run.samples > 1 else ""
    return f"leaderboard run -m {run.model.slug}{condition}{samples}"


def attempt_line(
    summary: RunSummary,
    attempt: Attempt,
    said: Mapping[tuple[str, int | None], Blame],
) -> AttemptLine:
    """Return an attempt as its run's table shows it."""
    passed = sum(test.outcome is Outcome.PASSED for test in attempt.tests or ())
    durations = [step.duration_s for step in attempt.steps or () if step.duration_s is not None]
    kept = summary.artifact is not None and attempt.artifact is not None
    failed = attempt.outcome is Outcome.FAILED
    return AttemptLine(
        anchor=attempt_anchor(attempt.eval, attempt.sample),
        eval=attempt.eval,
        sample=attempt.sample,
        outcome=attempt.outcome.value,
        failed_step=attempt.failed_step.value if attempt.failed_step else None,
        reason=attempt.reason,
        fault=f"{attempt.fault.kind.value}: {attempt.fault.evidence}" if attempt.fault else None,
        tests=f"{passed} of {len(attempt.tests)}" if attempt.tests else "",
        grading_s=sum(durations) if durations else None,
        cost_usd=attempt.generation.cost_usd if attempt.generation else None,
        href=attempt_path(summary.run_id, attempt.eval, attempt.sample) if kept else None,
        eval_href=eval_path(attempt.eval),
        blame=blame_of(said, attempt.eval, attempt.sample) if failed else None,
        regraded=_regraded(attempt),
    )


def _regraded(attempt: Attempt) -> str | None:
    if not attempt.earlier_verdicts:
        return None
    last = attempt.earlier_verdicts[-1]
    return f"graded {last.outcome.value} on {last.graded_at.date()} by an earlier grader"


def _facts(run: Run) -> list[Fact]:
    facts = [Fact("Run", run.run_id)]
    if isinstance(run.provenance, Imported):
        facts.append(Fact("Published at", run.provenance.source))
    if run.harness:
        tools = ", ".join(f"{name} {version}" for name, version in run.harness.toolchain.items())
        facts += [
            Fact("Graded by", f"convex-leaderboard {run.harness.version}"),
            Fact("Commit", run.harness.git_commit or "not known"),
            Fact("Backend", run.harness.backend),
            Fact("Sandbox", run.harness.sandbox),
            Fact("Packages", run.harness.install),
            Fact("Toolchain", tools),
        ]
    if run.model.parameters:
        parameters = ", ".join(f"{name} = {value}" for name, value in run.model.parameters.items())
        facts.append(Fact("Parameters", parameters))
    return facts + _totals(run)


def _totals(run: Run) -> list[Fact]:
    totals = run.totals
    facts: list[Fact] = []
    if totals.cost_usd is not None:
        facts.append(
            Fact("Cost", f"{dollars(totals.cost_usd)} over {totals.cost_known_for} attempts")
        )
    if totals.generation_s is not None:
        known = totals.generation_known_for
        facts.append(Fact("Generation", f"{seconds(totals.generation_s)} over {known} attempts"))
    if totals.grading_s is not None:
        facts.append(Fact("Grading", seconds(totals.grading_s)))
    if totals.tokens.output is not None:
        facts.append(
            Fact("Tokens", f"{totals.tokens.input or 0:,} in, {totals.tokens.output:,} out")
        )
    return facts
