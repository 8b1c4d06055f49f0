"""The attempts of a run as Every Eval Ever's samples: one line for each attempt with a verdict.

An attempt without a verdict has no line, since a line has to say right or wrong. Neither tasks nor
answers are in the lines: whole solutions in datasets end up in training sets. Each line leads to
the page that shows them.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from generator.facts.urls import build_attempt_href, build_eval_path
from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary
from generator.snapshot.every_eval_ever.identity import (
    OVERALL,
    SCHEMA_VERSION,
    RunIdentity,
    format_details,
)
from generator.tables.columns import ResultTable, build_frame
from generator.tables.run_columns import AttemptFrame, list_attempt_sources
from records.shapes.attempt import JUDGED, Attempt, Generation, Outcome
from records.shapes.run import Executed, Run
from records.suites.benchmark import Benchmark

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
"""Writes ASCII: their reader splits lines at U+2028, too, which JSON may hold as it is."""


def format_sample_lines(
    settings: SiteSettings,
    identity: RunIdentity,
    run: RunSummary,
    record: Run,
    benchmark: Benchmark | None,
) -> Iterator[str]:
    """Yield a line for each attempt with a verdict.

    Args:
        settings: those of the site, whose pages the lines name.
        identity: the run's names.
        run: its summary.
        record: its record.
        benchmark: its benchmark version, if that is defined.
    """
    shared = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": identity.evaluation_id,
        "model_id": identity.model_id,
        "evaluation_name": identity.evaluation_name,
        "evaluation_result_id": OVERALL,
    }
    of_run = {"interaction_type_is": _choose_interaction_note(settings, record, benchmark)}
    # The same task has the same digest in each version.
    tasks = {name: digests.task for name, digests in benchmark.evals.items()} if benchmark else {}
    for attempt, facts in zip(record.attempts, _list_details(run, record), strict=True):
        if attempt.outcome in JUDGED:
            page = settings.base + build_attempt_href(run, attempt.eval, attempt.sample)
            details = facts | {"page": page} | of_run
            row = _build_row(attempt, tasks.get(attempt.eval), settings.base)
            yield _ENCODER.encode(shared | row | {"metadata": format_details(details)})


def _choose_interaction_note(
    settings: SiteSettings, record: Run, benchmark: Benchmark | None
) -> str | None:
    """Return the note on an interaction that is not known; the schema demands one of three."""
    is_own = isinstance(record.provenance, Executed)
    is_stated = benchmark is not None and settings.asks_once(benchmark.source)
    return None if is_own or is_stated else "assumed; the source does not tell it"


def _build_row(attempt: Attempt, task: str | None, base: str) -> dict[str, Any]:
    is_right = attempt.outcome is Outcome.PASSED
    return {
        "sample_id": attempt.eval,
        "sample_hash": task,
        "interaction_type": "single_turn",
        "input": {"raw": f"{base}{build_eval_path(attempt.eval)}", "reference": []},
        "output": {"raw": []},
        "answer_attribution": [],
        "evaluation": {"score": float(is_right), "is_correct": is_right},
        "token_usage": build_token_usage(attempt.generation),
        "performance": _build_performance(attempt),
    }


def build_token_usage(generation: Generation | None) -> dict[str, int | None] | None:
    """Return the tokens of a reply; None where input or output is not known."""
    if generation is None:
        return None
    tokens = generation.tokens
    if tokens.input is None or tokens.output is None:
        return None
    return {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "input_tokens_cache_read": tokens.cached_input,
        "reasoning_tokens": tokens.reasoning,
    }


def _build_performance(attempt: Attempt) -> dict[str, Any] | None:
    generation = attempt.generation
    if generation is None:
        return None
    whole, first = generation.duration_s, generation.time_to_first_token_s
    return {
        "latency_ms": _to_milliseconds(whole),
        "time_to_first_token_ms": _to_milliseconds(first),
        "additional_details": format_details({"duration_s": whole, "time_to_first_token_s": first}),
    }


def _to_milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 3)


_DETAILS: Final = ResultTable(
    "details",
    AttemptFrame,
    (
        *("category", "sample", "failed_step", "reason", "tests", "tests_passed", "graded_at"),
        *("failed_tries_usd", "carried_over_from", "finish_reason", "answered_by", "served_by"),
        *("system_fingerprint", "tries", "tokens_basis", "cost_usd", "cost_basis"),
        "reply_digest",
    ),
)
"""The facts on an attempt for which the schema has no field."""


def _list_details(run: RunSummary, record: Run) -> Iterator[dict[str, object]]:
    """Yield the facts on each attempt for which the schema has no field."""
    frame = build_frame(AttemptFrame, list_attempt_sources(run, record), _DETAILS)
    for attempt, row in zip(record.attempts, _DETAILS.list_rows(frame), strict=True):
        details = dict(zip(_DETAILS.names, row, strict=True))
        details["graded_at"] = attempt.graded_at.isoformat() if attempt.graded_at else None
        tokens = attempt.generation.tokens if attempt.generation else None
        if tokens is not None and (tokens.input is None or tokens.output is None):
            # The object of tokens would not be whole, so the known numbers stand here.
            details |= {f"{name}_tokens": count for name, count in tokens}
        yield details
