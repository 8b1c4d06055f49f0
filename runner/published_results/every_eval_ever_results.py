"""Results in files of Every Eval Ever 0.3: an aggregate (JSON) and its samples (JSON Lines).

The aggregate describes the model and the scores, its samples have the verdicts: both are needed.
They belong together by ``evaluation_id``.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from records.shapes.attempt import Generation, Outcome
from records.suites.benchmark import digest_of_texts
from records.suites.result_formats import ResultFormat
from runner.published_results.board_import import ReadBoard
from runner.published_results.board_names import name_tasks
from runner.published_results.board_results import (
    LONGEST_REASON,
    MOST_RESULTS,
    BoardResults,
    ModelResults,
    SampleResult,
)
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices, ScoreJudge, choose_score
from runner.published_results.result_file import Fields, ResultFile, shorten

_VERSION: Final = "0.3."
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_PARAMETERS: Final = ("temperature", "top_p", "top_k", "max_tokens", "reasoning")


@dataclass(frozen=True, slots=True)
class _InstanceRow:
    """A line of a file of samples."""

    file: ResultFile
    place: str
    fields: Fields

    @property
    def score(self) -> str:
        """The name of the score that the row is of."""
        return str(self.fields.get("evaluation_result_id") or self.fields["evaluation_name"])


def recognises(file: ResultFile) -> bool:
    """Return whether a file is an aggregate, or samples of one."""
    if "evaluation_results" in file.fields:
        return "evaluation_id" in file.fields
    first = file.first_line
    return "evaluation_id" in first and "sample_id" in first


def read(files: Sequence[ResultFile], choices: ResultChoices) -> Iterator[ReadBoard]:
    """Yield the results of each aggregate, with the samples that the files have of it.

    Raises:
        InvalidRecordError: an aggregate has no samples, samples have no aggregate, or a field is
            missing or wrong.
    """
    aggregates = {file.digest: file for file in files if "evaluation_results" in file.fields}
    rows = _rows_by_evaluation(file for file in files if file.digest not in aggregates)
    for file in aggregates.values():
        identity = file.text_at(file.fields, "evaluation_id", "")
        if (own := rows.pop(identity, None)) is None:
            raise file.wrong(
                "evaluation_id",
                f"no file has samples of {identity}: name its _samples.jsonl too, since scores "
                "alone are no results",
            )
        yield ReadBoard(file.path, _read_aggregate(file, own, choices))
    for identity, left in rows.items():
        raise left[0].file.wrong(
            left[0].place, f"no file is the aggregate of {identity}: name it too"
        )


def _rows_by_evaluation(files: Iterator[ResultFile]) -> dict[str, list[_InstanceRow]]:
    rows: dict[str, list[_InstanceRow]] = {}
    for file in files:
        for number, (place, fields) in enumerate(file.lines(), 1):
            if number > MOST_RESULTS:
                raise file.wrong(place, f"more than {MOST_RESULTS} rows")
            _check_version(file, fields, place)
            file.text_at(fields, "evaluation_name", place)
            identity = file.text_at(fields, "evaluation_id", place)
            rows.setdefault(identity, []).append(_InstanceRow(file, place, fields))
    return rows


def _check_version(file: ResultFile, fields: Fields, place: str) -> None:
    version = file.text_at(fields, "schema_version", place)
    if not version.startswith(_VERSION):
        where = f"{place}.schema_version" if place else "schema_version"
        raise file.wrong(where, f"is {version}: only {_VERSION}x is read")


def _read_aggregate(
    file: ResultFile, rows: list[_InstanceRow], choices: ResultChoices
) -> BoardResults:
    aggregate = file.fields
    _check_version(file, aggregate, "")
    _check_samples(file, aggregate, rows)
    by_task: dict[str, list[_InstanceRow]] = {}
    for row in rows:
        by_task.setdefault(str(row.fields["evaluation_name"]), []).append(row)
    decided = {task: _of_one_score(file, each, choices) for task, each in by_task.items()}
    results = [
        result
        for task, each in decided.items()
        for result in _read_rows(task, each, choices.passes_at)
    ]
    chosen = {row.score for each in decided.values() for row in each}
    described = list(_described(file, aggregate, chosen, choices.passes_at))
    results += _not_reached(file, described, results)
    library = file.object_of(aggregate.get("eval_library"), "eval_library")
    scores = sorted({each[0].score for each in decided.values()} - set(decided))
    return BoardResults(
        format=ResultFormat.EVERY_EVAL_EVER,
        tool=shorten(f"{library.get('name')} {library.get('version')}", 150),
        file=file.name,
        file_digest=file.digest,
        source=choices.source,
        name=choices.name or name_tasks(by_task),
        score=shorten(", ".join(scores), 150),
        passes_at=choices.passes_at,
        runs=(_run(file, aggregate, described, results),),
    )


def _of_one_score(
    file: ResultFile, rows: list[_InstanceRow], choices: ResultChoices
) -> list[_InstanceRow]:
    """Return the rows of the score that decides."""
    names = list(dict.fromkeys(row.score for row in rows))
    score = choose_score(file.path, names, choices, "evaluation_results")
    return [row for row in rows if row.score == score]


def _check_samples(file: ResultFile, aggregate: Fields, rows: list[_InstanceRow]) -> None:
    """Refuse samples that are not those of the aggregate, by checksum and number."""
    detailed = file.object_of(
        aggregate.get("detailed_evaluation_results") or {}, "detailed_evaluation_results"
    )
    total = file.count_at(detailed, "total_rows", "detailed_evaluation_results")
    if total is not None and total != len(rows):
        raise file.wrong(
            "detailed_evaluation_results.total_rows", f"is {total}, there are {len(rows)} rows"
        )
    digests = {row.file.digest for row in rows}
    checksum = detailed.get("checksum")
    if detailed.get("hash_algorithm") == "sha256" and checksum and digests != {checksum}:
        raise file.wrong(
            "detailed_evaluation_results.checksum", "is not that of the file of samples"
        )


def _read_rows(
    task: str, rows: list[_InstanceRow], passes_at: float | None
) -> Iterator[SampleResult]:
    """Yield the result of each row; a sample that comes again is a repetition."""
    seen = Counter[tuple[str, str]]()
    for row in rows:
        file, place, fields = row.file, row.place, row.fields
        sample = file.text_at(fields, "sample_id", place)
        content = _content(file, place, fields)
        seen[sample, content] += 1
        outcome, reason = _verdict(file, place, fields, passes_at)
        yield file.valid(
            SampleResult,
            place,
            task=task,
            sample=sample,
            content=content,
            repetition=seen[sample, content],
            outcome=outcome,
            reason=reason,
            generation=_generation(file, place, fields),
        )


def _verdict(
    file: ResultFile, place: str, fields: Fields, passes_at: float | None
) -> tuple[Outcome, str | None]:
    """Return the verdict on a row: that of the file, unless the user named a lowest score.

    For a score between 0 and 1 the verdict of the file is no verdict: converters write the mean of
    several answers there, and call it correct.
    """
    if (error := fields.get("error")) is not None:
        return Outcome.INFRASTRUCTURE, shorten(error, LONGEST_REASON) or "an error without words"
    at = f"{place}.evaluation"
    evaluation = file.object_of(fields.get("evaluation"), at)
    is_correct, score = evaluation.get("is_correct"), evaluation.get("score")
    if not isinstance(is_correct, bool):
        raise file.wrong(f"{at}.is_correct", "is neither true nor false")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise file.wrong(f"{at}.score", "is no number")
    is_pass = ScoreJudge(file.path, passes_at).is_pass(score, f"{at}.score")
    passed = is_correct if passes_at is None else is_pass
    return (Outcome.PASSED if passed else Outcome.FAILED), None


def _content(file: ResultFile, place: str, fields: Fields) -> str:
    """Return the digest of a sample's content: that of the file if it has one."""
    named = fields.get("sample_hash")
    if isinstance(named, str) and named:
        return named if _DIGEST.fullmatch(named) else digest_of_texts(named)
    asked = file.object_of(fields.get("input"), f"{place}.input")
    parts = [asked.get("raw"), asked.get("reference"), asked.get("choices")]
    return digest_of_texts(json.dumps(parts, sort_keys=True))


def _generation(file: ResultFile, place: str, fields: Fields) -> Generation | None:
    usage = file.object_of(fields.get("token_usage") or {}, f"{place}.token_usage")
    times = file.object_of(fields.get("performance") or {}, f"{place}.performance")
    milliseconds = file.number_at(times, "generation_time_ms", f"{place}.performance")
    if milliseconds is None:
        milliseconds = file.number_at(times, "latency_ms", f"{place}.performance")
    at = f"{place}.token_usage"
    return make_generation(
        input_tokens=file.count_at(usage, "input_tokens", at),
        cached_input_tokens=file.count_at(usage, "input_tokens_cache_read", at),
        output_tokens=file.count_at(usage, "output_tokens", at),
        reasoning_tokens=file.count_at(usage, "reasoning_tokens", at),
        duration_s=None if milliseconds is None else milliseconds / 1000,
    )


def _described(
    file: ResultFile, aggregate: Fields, scores: set[str], passes_at: float | None
) -> Iterator[Fields]:
    """Yield the aggregate's descriptions of the scores that decide."""
    listed = file.list_of(aggregate.get("evaluation_results"), "evaluation_results")
    for number, item in enumerate(listed):
        fields = file.object_of(item, f"evaluation_results.{number}")
        name = fields.get("evaluation_result_id") or fields.get("evaluation_name")
        if name in scores:
            metric = file.object_of(
                fields.get("metric_config"), f"evaluation_results.{number}.metric_config"
            )
            if metric.get("lower_is_better") is not False and passes_at is not None:
                raise file.wrong(
                    f"evaluation_results.{number}.metric_config.lower_is_better",
                    "is not false: --pass-at names the lowest score that passes",
                )
            yield fields


def _not_reached(
    file: ResultFile, described: list[Fields], results: list[SampleResult]
) -> Iterator[SampleResult]:
    """Yield the samples of the data set that have no row."""
    reached = {(result.task, result.sample) for result in results}
    for fields in described:
        task = file.text_at(fields, "evaluation_name", "evaluation_results")
        data = file.object_of(fields.get("source_data"), "evaluation_results.source_data")
        planned = file.list_of(data.get("sample_ids") or [], "source_data.sample_ids")
        for sample in dict.fromkeys(map(str, planned)):
            if (task, sample) not in reached:
                yield file.valid(
                    SampleResult,
                    "source_data.sample_ids",
                    task=task,
                    sample=sample,
                    outcome=Outcome.NOT_RUN,
                )


def _run(
    file: ResultFile, aggregate: Fields, described: list[Fields], results: list[SampleResult]
) -> ModelResults:
    model = file.object_of(aggregate.get("model_info"), "model_info")
    config: Mapping[str, object] = described[0] if described else {}
    settings = file.object_of(config.get("generation_config") or {}, "generation_config")
    arguments = file.object_of(settings.get("generation_args") or {}, "generation_args")
    details = file.object_of(settings.get("additional_details") or {}, "additional_details")
    began = aggregate.get("evaluation_timestamp") or config.get("evaluation_timestamp")
    began_at = file.moment_of(began, "evaluation_timestamp")
    retrieved = file.moment_of(aggregate.get("retrieved_timestamp"), "retrieved_timestamp")
    return file.valid(
        ModelResults,
        "",
        model=file.text_at(model, "id", "model_info"),
        variant=shorten(details.get("reasoning_effort"), 100),
        identity=file.text_at(aggregate, "evaluation_id", ""),
        parameters={
            name: arguments[name] for name in _PARAMETERS if arguments.get(name) is not None
        },
        began_at=began_at,
        day=retrieved.date() if retrieved and not began_at else None,
        results=tuple(results),
    )
