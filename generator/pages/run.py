"""The page of a run: its facts and all attempts."""

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from generator.blocks.attempt_rows import (
    AttemptColumns,
    AttemptRow,
    build_attempt_rows,
    choose_attempt_columns,
    describe_fault,
    format_tests_passed,
    sum_grading_seconds,
)
from generator.blocks.fact_list import Fact, build_setting_facts, list_facts
from generator.facts.run_lines import AskingRun, build_run_line, list_asking_runs
from generator.facts.shares import RunLine, Share, compute_share
from generator.facts.site_data import SiteBasics
from generator.facts.titles import build_category, find_eval_title
from generator.facts.urls import Category, build_attempt_href, build_page_frame, build_run_path
from generator.read.summaries import RunSummary, get_category_key
from generator.render.environment import Frame
from generator.render.template_filters import (
    build_source_href,
    format_dollars_or_dash,
    format_seconds,
)
from records.runs.hosts import (
    count_by_fingerprint,
    count_by_host,
    describe_host_mixture,
    format_name_counts,
)
from records.runs.sent_parameters import find_changed_parameters
from records.shapes.attempt import Attempt, Outcome, StepName
from records.shapes.registry import LIMIT_PARAMETERS
from records.shapes.run import Executed, Imported, Run, RunModel, Totals
from records.suites.experiments import DEFAULT
from records.suites.result_formats import OTHER_TOOLS
from records.text.run_days import describe_day, describe_when

_COMMON: Final = 5
"""If so many attempts or more have the same fault, it is shown once above the table."""


class AttemptGroup(NamedTuple):
    """The attempts of a category."""

    category: Category
    score: Share | None
    rows: Sequence[AttemptRow]


class RunFailure(NamedTuple):
    """A failed attempt in the list before the table."""

    title: str
    """The title of the eval."""
    sample: int
    href: str
    """The address of the attempt's page, else of its row on this page, below the root."""
    where: str
    """The failed step, such as ``tests, 7 of 8 passed``; empty if it is not known."""


class RunPage(NamedTuple):
    """The page of a run."""

    template = "pages/run.html"

    frame: Frame
    line: RunLine
    host_mixture: str | None
    """A sentence on several hosts that answered; None if only one is known."""
    carried: Sequence[AskingRun]
    """The earlier runs that asked for answers of this run."""
    facts: Sequence[Fact]
    command: str | None
    """The command that repeats the run; None for imported runs."""
    failures: Sequence[RunFailure]
    attempts: int
    """The number of rows of the table."""
    common_fault: tuple[str, int] | None
    """The fault that many attempts have, and their number, shown above the table; None for none."""
    answers_published: bool
    """Whether answers can be shown; false for an imported run without published answers."""
    reasons_published: bool
    """Whether the publisher of an imported run gave reasons for failures."""
    columns: AttemptColumns
    groups: Sequence[AttemptGroup]


def build_run_page(site: SiteBasics, summary: RunSummary, run: Run) -> RunPage:
    """Return the page of ``run``."""
    line = build_run_line(site, summary)
    passed = f": {line.score.passes} of {line.score.judged} passed" if line.score else ""
    head = build_page_frame(
        f"{line.model.name} {line.experiment}{passed}, {describe_day(line)}, run {run.run_id[:8]}",
        build_run_path(run.run_id),
        f"What {line.model.name} passed and failed {describe_when(line)}, {line.experiment}.",
        "models",
        guidelines=not summary.of_other_tool,
    )
    results, slices = summary.results.values(), summary.results.plan.categories
    common = _find_common_fault(run.attempts)
    rows = build_attempt_rows(site, summary, run.attempts, common and common[0])
    return RunPage(
        frame=head,
        line=line,
        host_mixture=describe_host_mixture(run.attempts),
        carried=list_asking_runs(site, run),
        facts=_build_facts(run),
        command=build_rerun_command(
            run,
            site.suites.get(run.benchmark_version, ()),
            registered=run.model.slug in site.slugs,
        ),
        failures=_build_failures(site, summary, run),
        attempts=len(run.attempts),
        common_fault=common,
        answers_published=summary.source is None or bool(summary.kept),
        reasons_published=summary.source is not None
        and any(attempt.reason is not None for attempt in run.attempts),
        columns=choose_attempt_columns(run.attempts),
        groups=[
            AttemptGroup(
                category=build_category(key),
                score=compute_share(results[slices[key]]),
                rows=list(group),
            )
            for key, group in groupby(rows, key=_find_row_category)
        ],
    )


def _build_failures(site: SiteBasics, summary: RunSummary, run: Run) -> list[RunFailure]:
    return [
        RunFailure(
            title=find_eval_title(site, attempt.eval),
            sample=attempt.sample,
            href=build_attempt_href(summary, attempt.eval, attempt.sample),
            where=_describe_failed_step(attempt),
        )
        for attempt in run.attempts
        if attempt.outcome is Outcome.FAILED
    ]


def _find_common_fault(attempts: Sequence[Attempt]) -> tuple[str, int] | None:
    faults = Counter(
        describe_fault(attempt.fault) for attempt in attempts if attempt.fault is not None
    )
    ((words, number),) = faults.most_common(1) or [("", 0)]
    return (words, number) if number >= _COMMON else None


def _describe_failed_step(attempt: Attempt) -> str:
    step = attempt.failed_step
    if step is None:
        return ""
    tests = format_tests_passed(attempt) if step is StepName.TESTS else ""
    return f"{step.value}, {tests} passed" if tests else step.value


def _find_row_category(row: AttemptRow) -> str:
    return get_category_key(row.attempt.eval)


def _build_facts(run: Run) -> list[Fact]:
    facts = [Fact("Run", run.run_id)]
    if isinstance(run.provenance, Imported):
        label = "Read from" if _is_of_other_tool(run) else "Published at"
        source = run.provenance.source
        facts.append(Fact(label, source, build_source_href(source)))
    if run.published_because is not None:
        facts.append(Fact("Published all the same, because", run.published_because))
    facts += build_setting_facts(run)
    if run.harness:
        tools = ", ".join(f"{name} {version}" for name, version in run.harness.toolchain.items())
        rows = {
            "Graded by": f"leaderboard {run.harness.version}",
            "Commit": run.harness.git_commit or "not known",
            "Backend": run.harness.backend,
            "Sandbox": run.harness.sandbox,
            "Packages": run.harness.install,
            "Toolchain": tools,
        }
        facts += list_facts(rows)
    # Hosts that replies name, sums of known amounts, then amounts that are not known.
    hosts = {
        "Served by": count_by_host(run.attempts),
        "Fingerprint": count_by_fingerprint(run.attempts),
    }
    facts += [Fact(label, format_name_counts(counts)) for label, counts in hosts.items() if counts]
    return [*facts, *list_facts(_describe_totals(run.totals)), *_build_unknown_facts(run)]


def _is_of_other_tool(run: Run) -> bool:
    """Return whether a run is of a benchmark of another tool."""
    return isinstance(run.provenance, Imported) and run.provenance.importer in OTHER_TOOLS


def _describe_totals(totals: Totals) -> dict[str, str | None]:
    cost, failed_tries = map(format_dollars_or_dash, (totals.cost_usd, totals.failed_tries_usd))
    generation, grading = map(format_seconds, (totals.generation_s, totals.grading_s))
    read, written = totals.tokens.input or 0, totals.tokens.output
    return {
        "Cost": None
        if totals.cost_usd is None
        else f"{cost} over {totals.cost_known_for} attempts",
        "Failed tries": f"{failed_tries} at most, besides the cost"
        if totals.failed_tries_usd
        else None,
        "Generation": None
        if totals.generation_s is None
        else f"{generation} over {totals.generation_known_for} attempts",
        "Grading": None if totals.grading_s is None else grading,
        "Tokens": None if written is None else f"{read:,} in, {written:,} out",
    }


def _build_unknown_facts(run: Run) -> list[Fact]:
    """Return a fact about the amounts that no attempt has, such as `not published`."""
    amounts = {
        "tests": _is_of_other_tool(run) or any(attempt.tests for attempt in run.attempts),
        "times": any(sum_grading_seconds(attempt) is not None for attempt in run.attempts),
        "cost": run.totals.cost_usd is not None,
    }
    missing = [name for name, has_amount in amounts.items() if not has_amount]
    if isinstance(run.provenance, Imported):
        return [Fact(", ".join(missing).capitalize(), "not published")] if missing else []
    if "cost" not in missing:
        return []
    nobody_asked = all(attempt.carried_over is not None for attempt in run.attempts)
    free = run.model.kind == "baseline" or (nobody_asked and bool(run.attempts))
    return [Fact("Cost", "none" if free else "not known")]


LOCAL = "local/"
"""The beginning of the slugs of models on servers that were given by their address."""


def build_rerun_command(run: Run, evals: Iterable[str], *, registered: bool) -> str | None:
    """Return the command that repeats a run; None for an imported run.

    ``evals`` are the evals of the run's version. The command has the slug of a model that is
    ``registered`` in models.toml, and else its litellm id. The address of a server is a
    placeholder, because records have no addresses.
    """
    if not isinstance(run.provenance, Executed):
        return None
    parts = ["leaderboard", "run", *_build_model_options(run, registered=registered)]
    if run.experiment.name != DEFAULT:
        parts += ["-e", run.experiment.name]
        # The guidelines of another experiment are in a file that the record does not name.
        parts += ["--guidelines", "FILE"] if run.experiment.guidelines is not None else []
    parts += _build_selection_options(run.planned, evals)
    parts += ["--samples", str(run.samples)] if run.samples > 1 else []
    return shlex.join(parts)


def _build_model_options(run: Run, *, registered: bool) -> list[str]:
    model = run.model
    if registered or model.litellm_id is None:
        return [
            "-m",
            model.slug,
            *(["--allow-changed-parameters"] if _has_changed_parameters(model) else []),
        ]
    options = ["--api-base", "URL"] if model.slug.startswith(LOCAL) else []
    options += ["--allow-changed-parameters"] if _has_changed_parameters(model) else []
    limit = model.max_output_tokens
    if limit is not None and not LIMIT_PARAMETERS & model.parameters.keys():
        options += ["--max-tokens", str(limit)]
    for name, value in model.parameters.items():
        options += ["--set", f"{name}={_write_value(value)}"]
    return ["-m", model.litellm_id, *options]


def _has_changed_parameters(model: RunModel) -> bool:
    """Return whether the request had another value of a parameter than the run asked for."""
    return model.sent is not None and any(find_changed_parameters(model.parameters, model.sent))


def _write_value(value: object) -> str:
    """Return a value for `--set`: as JSON, but a text that is no JSON without quotes."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def _build_selection_options(planned: Iterable[str], evals: Iterable[str]) -> list[str]:
    """Return the options that select the planned evals, by category if that is exact."""
    chosen, unplanned = set(planned), set(evals) - set(planned)
    if not unplanned:
        return []
    categories = {get_category_key(name) for name in chosen}
    if not categories & {get_category_key(name) for name in unplanned}:
        return [part for category in sorted(categories) for part in ("-c", category)]
    return ["-f", f"^({'|'.join(sorted(chosen))})$" if len(chosen) > 1 else f"^{min(chosen)}$"]
