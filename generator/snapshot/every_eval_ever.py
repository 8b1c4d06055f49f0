"""The two files of a run for Every Eval Ever: its scores (the aggregate), and its attempts.

Scores are overall, by category, and attributed. Attempts belong to the overall score. Their store
takes a new identity for a new result. So identities are made of the run's own id, and times are
those of the run, never of the export.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from generator import site_links
from generator.exports.formats import build_terms
from generator.read.summaries import RunSummary
from generator.render.template_filters import format_value
from generator.scores.inputs import ScoredVersion, build_run_results, pool_runs
from generator.scores.score_estimate import Estimate, estimate, score_attributed
from generator.site_data import SiteBasics
from generator.tables.columns import ResultTable, build_frame
from generator.tables.run_columns import DetailedAttempt, list_attempt_sources
from records.runs.sent_parameters import EFFORT
from records.shapes.attempt import JUDGED, Attempt, Generation, Outcome
from records.shapes.run import Executed, Imported, Run


def format_details(values: Mapping[str, object]) -> dict[str, str]:
    """Return the known values as texts: texts as they are, all others as JSON."""
    return {name: format_value(value) for name, value in values.items() if value is not None}


SCHEMA_VERSION = "0.3.0"
"""The version of the schema that is written."""

OVERALL = "overall"
"""The identity of the score of a run that its attempts belong to; the same in each run."""

_OTHER = re.compile(r"[^a-z0-9]+")


class RunIdentity(NamedTuple):
    """A run under the names of Every Eval Ever."""

    collection: str
    """The benchmark version, which no other board may call so."""
    model_id: str
    """``developer/model``, of which both are names of folders."""
    evaluation_id: str
    """The run."""
    evaluation_name: str
    """Version and condition: results of two conditions are never one."""
    seconds: int
    """When the run ended, or the midnight that stands for it, in seconds since 1970."""
    uuid: str
    """A UUID of version 4 that is made of the run's id."""

    @property
    def aggregate_path(self) -> str:
        """Where the file of scores stands."""
        return f"data/{self.collection}/{self.model_id}/{self.uuid}.json"

    @property
    def samples_path(self) -> str:
        """Where the file of attempts stands."""
        return f"data/{self.collection}/{self.model_id}/{self.uuid}_samples.jsonl"


def make_title_slug(title: str) -> str:
    """Return the title of a site as a name of files."""
    return _OTHER.sub("-", title.lower()).strip("-") or "leaderboard"


def build_run_identity(title: str, run: Run) -> RunIdentity:
    """Name a run; ``title`` is that of the site."""
    collection = f"{make_title_slug(title)}-{run.benchmark_version}"
    model_id = run.model.slug.replace(":", "-").rstrip(".")
    midnight = datetime.combine(run.date, time(), UTC)
    return RunIdentity(
        collection=collection,
        model_id=model_id,
        evaluation_id=f"{collection}/{model_id.replace('/', '_')}/{run.run_id}",
        evaluation_name=f"{collection}/{run.experiment.name}",
        seconds=int((run.finished_at or run.started_at or midnight).timestamp()),
        uuid=str(UUID(bytes=sha256(run.run_id.encode()).digest()[:16], version=4)),
    )


_INTERVAL = "Wilson's, over evals; attempts at one eval are taken together"
_OWN_ARGUMENTS = ("temperature", "top_p", "top_k")
"""Parameters for which the schema has a field of numbers."""


def _build_aggregate(
    basics: SiteBasics,
    identity: RunIdentity,
    run: RunSummary,
    record: Run,
    samples: Mapping[str, object],
) -> dict[str, Any]:
    """Return the file of a run's scores; ``samples`` tell the size and digest of the other file."""
    settings, model, harness = basics.settings, record.model, record.harness
    version = record.benchmark_version
    benchmark = basics.summaries.benchmarks.get(version)
    address = benchmark.source_address if benchmark else None
    imported = record.provenance if isinstance(record.provenance, Imported) else None
    publisher = address if imported else None
    time_field = {} if record.day_of_import else {"evaluation_timestamp": str(identity.seconds)}
    timestamp_is = None
    if record.day_of_import:
        timestamp_is = "midnight of the day of the import, UTC; the source names no day"
    elif record.finished_at is None and record.started_at is None:
        timestamp_is = "midnight of the day, UTC"
    # Who ran the evals: the maker of the model, somebody else, or nobody knows.
    relationship = "other" if run.of_other_tool else "third_party"
    source = {
        "source_name": settings.title,
        "source_type": "evaluation_run",
        "source_organization_name": settings.find_publisher(publisher) or settings.title,
        "source_organization_url": publisher or settings.base,
        "evaluator_relationship": "first_party" if run.baseline else relationship,
        "additional_details": format_details(
            {
                **build_terms(basics),
                "run_id": record.run_id,
                "page": settings.base + site_links.build_run_path(record.run_id),
                "record_sha256": run.digest,
                "benchmark_version": version,
                "experiment": record.experiment.name,
                "status": record.status,
                "date": None if record.day_of_import else record.date.isoformat(),
                "started_at": record.started_at and record.started_at.isoformat(),
                "finished_at": record.finished_at and record.finished_at.isoformat(),
                "day_of_import": record.day_of_import or None,
                "timestamp_is": timestamp_is,
                "imported_from": imported.source if imported else None,
            }
        ),
    }
    library: dict[str, Any] = {"name": "unknown", "version": "unknown"}
    if harness is not None:
        tools = {f"toolchain.{name}": version for name, version in harness.toolchain.items()}
        program = {
            "git_commit": harness.git_commit,
            "backend": harness.backend,
            "install": harness.install,
        }
        library = {
            "name": "convex-leaderboard",  # as an installed package
            "version": harness.version,
            "additional_details": format_details(program | tools),
        }
    described = basics.summaries.registry.get(model.slug)
    weights = described and described.weights
    # Asked at the provider's own address, which the record tells by naming no other.
    is_managed = model.litellm_id is not None and model.origin is None
    managed = "externally_managed" if is_managed else "unknown"
    faults = [
        [
            attempt.eval,
            attempt.sample,
            attempt.outcome,
            fault and fault.kind,
            fault and fault.evidence,
        ]
        for attempt in record.attempts
        if attempt.outcome not in JUDGED
        for fault in (attempt.fault,)
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": identity.evaluation_id,
        **time_field,
        "retrieved_timestamp": str(identity.seconds),
        "source_metadata": source,
        "eval_library": library,
        "model_info": {
            "name": run.name,
            "id": identity.model_id,
            "developer": run.provider,
            "additional_details": format_details(
                {
                    "deployment_type": "self_deployed" if run.baseline else managed,
                    "model_availability": f"{weights}_weights" if weights else "unknown",
                    "slug": model.slug,
                    "kind": model.kind,
                    "litellm_id": model.litellm_id,
                    "family": described and described.family,
                    "released": described and described.released and f"{described.released}",
                }
            ),
        },
        "evaluation_results": [
            {
                "evaluation_result_id": level,
                "evaluation_name": identity.evaluation_name + below,
                "source_data": {
                    "dataset_name": identity.collection,
                    "source_type": "url",
                    "url": [address or settings.base + site_links.build_version_path(version)],
                    "additional_details": format_details(
                        {
                            "title": basics.find_version_title(version),
                            "digest": benchmark.digest if benchmark else None,
                            "evals": len(benchmark.evals) if benchmark else None,
                            "guidelines": record.experiment.guidelines,
                        }
                    ),
                },
                **time_field,
                "metric_config": {
                    "evaluation_description": about,
                    "metric_id": title.lower().replace(" ", "_"),
                    "metric_name": title,
                    "metric_kind": "pass_rate",
                    "metric_unit": "proportion",
                    "lower_is_better": False,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 1,
                },
                "score_details": {
                    "score": score.value,
                    "details": format_details({**details, "scored": score.attempts}),
                    "uncertainty": {
                        "confidence_interval": {
                            "lower": score.interval.low,
                            "upper": score.interval.high,
                            "confidence_level": 0.95,
                            "method": _INTERVAL,
                        },
                        "num_samples": score.evals,
                    },
                },
                "generation_config": _build_generation(record),
            }
            for level, below, (title, about), score, details in _list_scores(basics, run, record)
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": identity.samples_path,
            "hash_algorithm": "sha256",
            **samples,
            "additional_details": format_details({"without_verdict": faults or None}),
        },
    }


_PASS_RATE = ("Pass rate", "Mean over evals of the mean over attempts.")
_ATTRIBUTED = (
    "Attributed pass rate",
    "The pass rate without failures that a person lays on grader, task or machinery.",
)


def _list_scores(
    basics: SiteBasics, run: RunSummary, record: Run
) -> Iterator[tuple[str, str, tuple[str, str], Estimate, Mapping[str, object]]]:
    """Yield each score: its level, the end of its name, its metric, the estimate, and details.

    Attempts belong to the overall score alone, so none counts twice.
    """
    scored = ScoredVersion.from_evals(run.version, run.results)
    reports = basics.reports.get(run.run_id, ())
    failures = reports[0].report.failures if reports else None
    pool = pool_runs([build_run_results(scored, run, failures)])
    if (overall := estimate(pool)) is not None:
        ends = Counter(attempt.outcome for attempt in record.attempts)
        counts = {
            "planned": record.planned_attempts,
            "samples": record.samples,
            "passed": ends[Outcome.PASSED],
            "failed": ends[Outcome.FAILED],
            "spoiled": ends[Outcome.INFRASTRUCTURE],
            "not_run": ends[Outcome.NOT_RUN],
        }
        yield OVERALL, "", _PASS_RATE, overall, counts
    for category, indexes in scored.by_category.items():
        if (score := estimate(pool.select_evals(indexes))) is not None:
            yield f"category/{category}", f"/{category}", _PASS_RATE, score, {}
    # The score without failures that the newest report lays on others.
    attributed = score_attributed(pool)
    if attributed is not None:
        aside = int(pool.set_aside.sum())
        details = {"set_aside": aside, "report_by": reports[0].report.author}
        yield "attributed", "", _ATTRIBUTED, attributed, details


def _build_generation(record: Run) -> dict[str, Any]:
    """Return the parameters; those for which the schema has no field are details."""
    model, harness = record.model, record.harness
    parameters = model.parameters
    arguments: dict[str, Any] = {
        name: value
        for name in _OWN_ARGUMENTS
        if isinstance(value := parameters.get(name), int | float) and not isinstance(value, bool)
    }
    if model.max_output_tokens is not None:
        arguments["max_tokens"] = model.max_output_tokens
    if (effort := parameters.get(EFFORT)) is not None:
        arguments["reasoning"] = effort != "none"
    if harness is not None:
        arguments["sandbox"] = {"type": harness.sandbox}
    further_parameters = {
        name: value for name, value in parameters.items() if name not in arguments
    }
    sent = None if model.sent is None else json.dumps(model.sent, ensure_ascii=False)
    return {
        "generation_args": arguments,
        "additional_details": format_details({**further_parameters, "sent": sent}),
    }


class RunDocuments(NamedTuple):
    """The files of a run."""

    identity: RunIdentity
    aggregate: bytes
    """Its scores, as JSON."""
    samples: bytes
    """Its attempts, JSON on each line."""


_ENCODER = json.JSONEncoder(separators=(",", ":"))
"""Writes ASCII: their reader splits lines at U+2028, too, which JSON may hold as it is."""


def run_documents(basics: SiteBasics, run: RunSummary, record: Run) -> RunDocuments | None:
    """Return both files of a run; None if the run was withdrawn or no attempt has a verdict."""
    if not site_links.is_in_every_eval_ever(run):
        return None
    settings, identity = basics.settings, build_run_identity(basics.settings.title, record)
    benchmark = basics.summaries.benchmarks.get(record.benchmark_version)
    shared = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": identity.evaluation_id,
        "model_id": identity.model_id,
        "evaluation_name": identity.evaluation_name,
        "evaluation_result_id": OVERALL,
    }
    # The schema demands one of three kinds of interaction, also where none is known.
    is_own = isinstance(record.provenance, Executed)
    is_stated = is_own or (benchmark is not None and settings.asks_once(benchmark.source))
    note = None if is_stated else "assumed; the source does not tell it"
    # The same task has the same digest in each version.
    tasks = {name: digests.task for name, digests in benchmark.evals.items()} if benchmark else {}
    lines: list[str] = []
    frame = build_frame(DetailedAttempt, list_attempt_sources(run, record), _DETAILS)
    for attempt, details in zip(record.attempts, _DETAILS.list_rows(frame), strict=True):
        if attempt.outcome in JUDGED:
            details["graded_at"] = attempt.graded_at.isoformat() if attempt.graded_at else None
            tokens = attempt.generation.tokens if attempt.generation else None
            if tokens is not None and (tokens.input is None or tokens.output is None):
                # The object of tokens would not be whole, so the known numbers stand here.
                details |= {f"{name}_tokens": count for name, count in tokens}
            page = settings.base + site_links.build_attempt_href(run, attempt.eval, attempt.sample)
            task_page = settings.base + site_links.build_eval_path(attempt.eval)
            is_right = attempt.outcome is Outcome.PASSED
            row: dict[str, Any] = {
                "sample_id": attempt.eval,
                "sample_hash": tasks.get(attempt.eval),
                "interaction_type": "single_turn",
                "input": {"raw": task_page, "reference": []},
                "output": {"raw": []},
                "answer_attribution": [],
                "evaluation": {"score": float(is_right), "is_correct": is_right},
                "token_usage": build_token_usage(attempt.generation),
                "performance": _build_performance(attempt),
                "metadata": format_details(details | {"page": page, "interaction_type_is": note}),
            }
            lines.append(f"{_ENCODER.encode(shared | row)}\n")
    samples = "".join(lines).encode()
    aggregate = _build_aggregate(
        basics,
        identity,
        run,
        record,
        {"checksum": sha256(samples).hexdigest(), "total_rows": len(lines)},
    )
    # On one line: indented, JSON is written by Python's own encoder, which takes ten times as long.
    text = json.dumps(aggregate, ensure_ascii=False)
    return RunDocuments(identity, f"{text}\n".encode(), samples)


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


_DETAILS = ResultTable(
    "details",
    DetailedAttempt,
    (
        *("category", "sample", "failed_step", "reason", "tests", "tests_passed", "graded_at"),
        *("failed_tries_usd", "carried_over_from", "finish_reason", "answered_by", "served_by"),
        *("system_fingerprint", "tries", "tokens_basis", "cost_usd", "cost_basis"),
        "reply_digest",
    ),
)
"""The facts on an attempt for which the schema has no field."""
