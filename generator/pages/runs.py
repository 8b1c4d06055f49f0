"""The page of one run: its facts and every attempt."""

from itertools import groupby

from generator.contexts import AttemptGroup, AttemptLine, Fact, RunPage
from generator.corpus import Corpus, RunSummary
from generator.pages.lines import run_line, share
from generator.pages.names import attempt_path, category, eval_path, frame, run_path
from generator.render import dollars, seconds
from records.run import Attempt, Imported, Outcome, Run


def run_page(corpus: Corpus, summary: RunSummary, run: Run, evals: frozenset[str]) -> RunPage:
    """Gather the page of ``run``; ``evals`` names the evals that have a page."""
    line = run_line(corpus, summary)
    lines = [attempt_line(summary, attempt, evals) for attempt in run.attempts]
    return RunPage(
        frame=frame(f"{line.name}, {line.experiment}, {line.date}", run_path(run.run_id)),
        line=line,
        facts=_facts(run),
        groups=[
            AttemptGroup(
                category=category(key),
                score=share(r for name, r in summary.results.items() if name.startswith(key)),
                attempts=list(attempts),
            )
            for key, attempts in groupby(lines, key=lambda one: one.eval.partition("/")[0])
        ],
    )


def attempt_line(summary: RunSummary, attempt: Attempt, evals: frozenset[str]) -> AttemptLine:
    """Return an attempt as its run's table shows it."""
    passed = sum(test.outcome is Outcome.PASSED for test in attempt.tests or ())
    durations = [step.duration_s for step in attempt.steps or () if step.duration_s is not None]
    kept = summary.artifact is not None and attempt.artifact is not None
    return AttemptLine(
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
        eval_href=eval_path(attempt.eval) if attempt.eval in evals else None,
    )


def _facts(run: Run) -> list[Fact]:
    facts = [Fact("Run", run.run_id), Fact("Experiment", run.experiment.name)]
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
