"""Records of results of another benchmark: its version, and a run for each model and variant.

Names of other tools become parts of addresses, so letters outside of their forms are replaced; a
digest keeps names apart that would become equal.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from records.runs.model_slugs import make_model_slug
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome, make_attempt
from records.shapes.run import RUN_VERSION, Experiment, Imported, Run, RunModel
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import (
    Benchmark,
    EvalDigests,
    ImportedBenchmark,
    compute_texts_digest,
)
from records.suites.experiments import DEFAULT
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.published_results.board_results import (
    BoardResults,
    ModelResults,
    SampleKey,
)

_OTHER_WORDS = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"(\d{1,18})")
_TASK_LETTERS = 40
_SAMPLE_LETTERS = 40
_VERSION_LETTERS = 24
_DIGITS = 8
_MOST_NAMED = 3


class NamedBoard(NamedTuple):
    """A benchmark version of another tool, and the evals that its samples are."""

    benchmark: Benchmark
    evals: Mapping[SampleKey, str]


def make_board(results: BoardResults) -> NamedBoard:
    """Return the benchmark version of results: its samples, and how they were judged."""
    labels: dict[SampleKey, str] = {}  # the first that a run gives to a sample
    for result in results.list_results():
        label = f"{result.task} {result.label or result.sample}"[:200]
        labels.setdefault(result.key, label)
    evals = name_evals(labels)
    # Other verdicts make another version.
    passes_at = "" if results.passes_at is None else repr(float(results.passes_at))
    judged_by = results.format.value, results.score or "", passes_at
    lines = sorted("\0".join(key) for key in evals)
    digest = compute_texts_digest(results.name, *judged_by, *lines)
    grader = compute_texts_digest(*judged_by) if results.score else None
    letters = _join_words(results.name, "-", _VERSION_LETTERS)
    samples = format_count(len(evals), "sample")
    decided = f" · {make_one_line(results.score, 40)}" if results.score else ""
    benchmark = make_imported_benchmark(
        version=f"{letters}-{digest[:12]}" if letters else digest[:12],
        title=f"{make_one_line(results.name, 120)} · {samples}{decided}",
        digest=digest,
        evals={
            name: EvalDigests(
                task=key.content or None, grader=grader, config=None, title=labels[key]
            )
            for key, name in sorted(evals.items(), key=lambda pair: pair[1])
        },
        source=results.source or results.format.tool,
        imported=ImportedBenchmark(
            name=results.name,
            format=results.format,
            score=results.score,
            passes_at=results.passes_at,
        ),
    )
    return NamedBoard(benchmark, evals)


def make_imported_benchmark(**facts: Any) -> Benchmark:  # noqa: ANN401 - checked by the record
    """Return a benchmark version of others, whose prompts are unknown."""
    unknown = ("protocol", "system_prompt", "guidelines", "guidelines_tokens", "minted_at")
    fields: dict[str, Any] = dict.fromkeys(unknown)
    return Benchmark(schema_version=1, **fields, **facts)


def make_imported_run(
    model: tuple[str, str, str],
    attempts: tuple[Attempt, ...],
    **facts: Any,  # noqa: ANN401 - checked by the record
) -> Run:
    """Return the record of a run of others.

    Args:
        model: slug, name and provider of the model.
        attempts: the attempts of the run.
        facts: other fields of the run, and the parameters of the model's requests.
    """
    slug, name, provider = model
    unknown = ("started_at", "finished_at", "harness", "budget_usd", "withdrawn")
    fields: dict[str, Any] = dict.fromkeys(unknown)
    fields |= {"status": "completed", "samples": 1, **facts}
    return Run(
        schema_version=RUN_VERSION,
        model=RunModel(
            slug=slug,
            name=name,
            provider=provider,
            litellm_id=None,
            kind="llm",
            parameters=fields.pop("parameters", {}),
            max_output_tokens=None,
            origin=None,
        ),
        totals=compute_run_totals(attempts),
        attempts=attempts,
        **fields,
    )


def make_run(
    results: BoardResults, board: NamedBoard, model: ModelResults, kept_digest: str, today: date
) -> Run:
    """Return the run of a model in one variant; ``today`` is its day if it has no day.

    The id is the same for the same run, whichever file has it. Each sample has its attempts in
    order; those without a result were not run.
    """
    version = board.benchmark.version
    identity = model.identity or compute_texts_digest(
        *sorted(result.model_dump_json() for result in model.results)
    )
    parts = results.format.value, version, model.model, model.variant or "", identity
    planned = tuple(sorted(board.evals.values()))
    by_place = {(board.evals[result.key], result.repetition): result for result in model.results}
    places = [(name, number + 1) for name in planned for number in range(count_repetitions(model))]
    attempts: list[Attempt] = []
    for place in places:
        if (result := by_place.get(place)) is None:
            if model.is_whole:
                attempts.append(make_attempt(*place, Outcome.NOT_RUN))
            continue
        fault: Fault | None = None
        if result.outcome is Outcome.INFRASTRUCTURE:
            fault = Fault(kind=result.fault or FaultClass.OUTAGE, evidence=result.reason or "")
        has_reason = result.outcome in {Outcome.FAILED, Outcome.NOT_RUN}
        attempts.append(
            make_attempt(
                *place,
                result.outcome,
                failed_step=result.failed_step,
                reason=result.reason if has_reason else None,
                fault=fault,
                generation=result.generation,
            )
        )
    tool = results.tool or results.format.tool
    return make_imported_run(
        name_model(model.model, model.variant),
        tuple(attempts),
        run_id=compute_texts_digest(*parts)[:32],
        parameters=model.parameters,
        experiment=Experiment(name=DEFAULT, guidelines=None),
        benchmark_version=version,
        provenance=Imported(
            kind="imported",
            importer=results.format.value,
            # Precise enough to look up: an address becomes a link.
            source=results.source or f"{results.file} ({tool}, sha256 {results.file_digest[:12]})",
            source_digest=kept_digest,
            corrected_passed=None,
            day_of_import=model.began_at is None and model.day is None,
        ),
        status="completed" if model.is_whole else "aborted",
        date=model.began_at.date() if model.began_at else model.day or today,
        started_at=model.began_at,
        finished_at=model.ended_at,
        planned=planned,
        samples=count_repetitions(model),
    )


def count_repetitions(model: ModelResults) -> int:
    """Return the number of a run's attempts at each sample."""
    return max(result.repetition for result in model.results)


def name_evals(keys: Iterable[SampleKey]) -> dict[SampleKey, str]:
    """Return the eval that each sample is in records, the tasks and samples in natural order.

    The name ends in a digest of the sample, so that evals of several benchmarks never share a
    page, unless they are the same sample.
    """
    by_task: dict[str, list[SampleKey]] = {}
    for key in sorted(keys, key=lambda key: [*map(_split_natural_parts, key)]):
        by_task.setdefault(key.task, []).append(key)
    names: dict[SampleKey, str] = {}
    for number, (task, samples) in enumerate(by_task.items()):
        category = f"{number:03d}-{_join_words(task, '_', _TASK_LETTERS) or 'task'}"
        width = max(3, len(str(len(samples))))
        for sample_number, key in enumerate(samples, 1):
            digest = compute_texts_digest(*key)[:_DIGITS]
            letters = _join_words(key.sample, "_", _SAMPLE_LETTERS)
            names[key] = (
                f"{category}/{sample_number:0{width}d}-{f'{letters}_' if letters else ''}{digest}"
            )
    return names


def name_model(model: str, variant: str | None) -> tuple[str, str, str]:
    """Return slug, name and provider of a model as a file names it, in one of its variants."""
    above, _, name = model.rpartition("/")
    maker = above.rpartition("/")[2]
    shown_name = make_one_line(name or model, 120)
    whole = shown_name if variant is None else f"{shown_name} ({make_one_line(variant, 70)})"
    slug = make_model_slug(model, maker, name, variant)
    return slug, whole, make_one_line(maker, 200) or "not named"


def _split_natural_parts(text: str) -> list[tuple[int, int, str]]:
    """Return parts of a text by which ``q9`` comes before ``q10``."""
    parts = _NUMBER.split(text)
    return [
        (0, int(part), part) if part.isdecimal() and part.isascii() else (1, 0, part)
        for part in parts
    ]


def _join_words(text: str, between: str, most: int) -> str:
    return _OTHER_WORDS.sub(between, text.lower()[: most * 4]).strip(between)[:most].strip(between)


def name_tasks(tasks: Iterable[str]) -> str:
    """Return the name of a benchmark of these tasks, for files that do not name it."""
    names = sorted(set(tasks), key=_split_natural_parts)
    beginning = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return make_one_line(f"{beginning} and {more} more" if more > 0 else beginning, 150)
