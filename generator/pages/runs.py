"""The page of one run: its facts and every attempt."""

from itertools import groupby

from generator.contexts.runs import AttemptGroup, RunPage
from generator.contexts.shared import Fact
from generator.corpus import RunSummary
from generator.pages.again import same_again
from generator.pages.lines import blames, run_line, share
from generator.pages.names import category, category_of, frame, run_path
from generator.pages.rows.attempts import attempt_rows
from generator.pages.surroundings import Surroundings
from generator.render import dollars, seconds
from records.run import Attempt, Imported, Run


def run_page(material: Surroundings, summary: RunSummary, run: Run) -> RunPage:
    """Gather the page of ``run``."""
    line = run_line(material, summary)
    said = blames(material, run.run_id)
    around = frame(
        f"{line.model.name}, {line.experiment}, {line.date}",
        run_path(run.run_id),
        f"What {line.model.name} passed and failed on {line.date}, {line.experiment}.",
    )
    results, places = summary.results.values(), summary.results.plan.categories
    return RunPage(
        frame=around,
        line=line,
        facts=_facts(run),
        command=same_again(
            run,
            material.suites.get(run.benchmark_version, ()),
            registered=run.model.slug in material.slugs,
        ),
        groups=[
            AttemptGroup(
                category=category(key),
                score=share(results[places[key]]),
                rows=attempt_rows(around.root, summary, attempts, said),
            )
            for key, attempts in groupby(run.attempts, key=_category)
        ],
    )


def _category(attempt: Attempt) -> str:
    return category_of(attempt.eval)


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
