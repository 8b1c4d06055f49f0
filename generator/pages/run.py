"""The page of a run: its facts and all attempts."""

import json
import shlex
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from generator import site_links
from generator.blocks import attempt_rows
from generator.blocks.run_lines import build_run_line
from generator.blocks.shares import compute_share
from generator.read.summaries import RunSummary, get_category_key
from generator.render.templates import PageContext, Row
from generator.site_data import SiteBasics
from records.runs.hosts import (
    BUILD,
    HOST,
    count_answers,
    describe_host_mixture,
    format_name_counts,
)
from records.runs.sent_parameters import find_changed_parameters
from records.shapes.attempt import Outcome
from records.shapes.registry import LIMIT_PARAMETERS
from records.shapes.run import Executed, Run
from records.suites.experiments import DEFAULT
from records.text.run_days import describe_day, describe_when

_COMMON = 5
"""If so many attempts or more have the same fault, it is shown once above the table."""


def build_run_page(site: SiteBasics, summary: RunSummary, run: Run) -> PageContext:
    """Return the page of ``run``."""
    line, attempts = build_run_line(site, summary), run.attempts
    passed = f": {line.score.passes} of {line.score.judged} passed" if line.score else ""
    day, condition = describe_day(summary.head), site_links.describe_run_condition(summary)
    rows = [attempt_rows.build_attempt_row(site, summary, attempt) for attempt in attempts]
    for row in rows:
        steps = row.attempt.steps or ()
        durations = [step.duration_s for step in steps if step.duration_s is not None]
        # None if no step was measured.
        row.grading = sum(durations) if durations else None
    faults = Counter(row.fault for row in rows if row.fault is not None)
    ((fault, number),) = faults.most_common(1) or [("", 0)]
    # The earlier runs that were asked for answers of this run, the newest first.
    origins = Counter(
        (attempt.carried_over.asked_from, attempt.carried_over.run)
        for attempt in attempts
        if attempt.carried_over is not None
    )
    imported = summary.source is not None
    replies = [attempt.generation for attempt in attempts]
    return PageContext(
        "pages/run.html",
        f"{summary.name} {condition}{passed}, {day}, run {run.run_id[:8]}",
        site_links.build_run_path(run.run_id),
        f"What {summary.name} passed and failed {describe_when(summary.head)}, {condition}.",
        "models",
        guidelines=not summary.of_other_tool,
        line=line,
        host_mixture=describe_host_mixture(attempts),
        basics=site,
        carried=sorted(origins.items(), reverse=True),
        record=run,
        settings=attempt_rows.describe_settings(run),
        hosts={
            label: format_name_counts(count_answers(attempts, field))
            for label, field in (("Served by", HOST), ("Fingerprint", BUILD))
        },
        command=build_rerun_command(
            run,
            site.suites.get(run.benchmark_version, ()),
            registered=run.model.slug in site.slugs,
        ),
        common_fault=(fault, number) if number >= _COMMON else None,
        answers_published=not imported or bool(summary.kept),
        reasons_published=imported and any(each.reason is not None for each in attempts),
        # Lists that decide on the table's columns; Jinja2's filters take three times as long.
        has_tests=any(row.tests_passed for row in rows),
        graded=[row.grading for row in rows if row.grading is not None],
        priced=[reply.cost_usd for reply in replies if reply and reply.cost_usd is not None],
        failures=[row for row in rows if row.attempt.outcome is Outcome.FAILED],
        attempts=len(rows),
        groups=[
            Row(
                category=key,
                score=compute_share(summary.select_category(key)),
                rows=list(group),
            )
            for key, group in groupby(rows, key=lambda row: get_category_key(row.attempt.eval))
        ],
    )


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
    model, limit = run.model, run.model.max_output_tokens
    by_slug = registered or model.litellm_id is None
    parts = ["leaderboard", "run", "-m", (not by_slug and model.litellm_id) or model.slug]
    if not by_slug and model.slug.startswith(LOCAL):
        parts += ["--api-base", "URL"]
    if model.sent is not None and any(find_changed_parameters(model.parameters, model.sent)):
        # The request had another value of a parameter than the run asked for.
        parts.append("--allow-changed-parameters")
    if not by_slug:
        if limit is not None and not LIMIT_PARAMETERS & model.parameters.keys():
            parts += ["--max-tokens", str(limit)]
        for name, value in model.parameters.items():
            parts += ["--set", f"{name}={_write_value(value)}"]
    if run.experiment.name != DEFAULT:
        parts += ["-e", run.experiment.name]
        # The guidelines of another experiment are in a file that the record does not name.
        parts += ["--guidelines", "FILE"] if run.experiment.guidelines is not None else []
    chosen, unplanned = set(run.planned), set(evals) - set(run.planned)
    categories = {get_category_key(name) for name in chosen}
    if unplanned and not categories & {get_category_key(name) for name in unplanned}:
        parts += [part for category in sorted(categories) for part in ("-c", category)]
    elif unplanned:
        names = "|".join(sorted(chosen))
        parts += ["-f", f"^({names})$" if len(chosen) > 1 else f"^{names}$"]
    parts += ["--samples", str(run.samples)] if run.samples > 1 else []
    return shlex.join(parts)


def _write_value(value: object) -> str:
    """Return a value for `--set`: as JSON, but a text that is no JSON without quotes."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)
