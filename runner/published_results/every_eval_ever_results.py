"""Results in files of Every Eval Ever 0.3: an aggregate (JSON) and its samples (JSON Lines).

The aggregate describes the model and the scores, its samples have the verdicts: both are needed.
They belong together by ``evaluation_id``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from records.shapes.attempt import Outcome
from records.suites.result_formats import ResultFormat
from runner.published_results.board_import import ReadBoard
from runner.published_results.board_names import name_tasks
from runner.published_results.board_results import (
    LONGEST_REASON,
    BoardResults,
    ModelResults,
    SampleResult,
    list_planned,
    make_board_results,
)
from runner.published_results.every_eval_ever_rows import InstanceRow, get_score_name, read_rows
from runner.published_results.result_choices import ResultChoices, choose_score
from runner.published_results.result_file import Fields, ResultFile

_VERSION: Final = "0.3."
_PARTS: Final = 5
"""Parts of an entry of results without a verdict: sample, repetition, end, fault and its sign."""
_OWN_DETAILS: Final = "source_metadata.additional_details"
"""The field with details of our own exports."""
_PARAMETERS: Final = ("temperature", "top_p", "top_k", "max_tokens", "reasoning")


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
    samples = {file.digest: file for file in files if file.digest not in aggregates}
    rows = _group_rows(samples.values())
    for file in aggregates.values():
        identity = file.get_text(file.fields, "evaluation_id", "")
        if (own := rows.pop(identity, None)) is None:
            raise file.make_error(
                "evaluation_id",
                f"no file has samples of {identity}: name its _samples.jsonl too, since scores "
                "alone are no results",
            )
        yield ReadBoard(file.path, _read_aggregate(file, own, choices))
    for identity, left in rows.items():
        raise left[0].file.make_error(
            left[0].place, f"no file is the aggregate of {identity}: name it too"
        )


def _group_rows(files: Iterable[ResultFile]) -> dict[str, list[InstanceRow]]:
    rows: dict[str, list[InstanceRow]] = {}
    for file in files:
        for place, fields in file.read_lines():
            _check_version(file, fields, place)
            file.get_text(fields, "evaluation_name", place)
            identity = file.get_text(fields, "evaluation_id", place)
            rows.setdefault(identity, []).append(InstanceRow(file, place, fields))
    return rows


def _check_version(file: ResultFile, fields: Fields, place: str) -> None:
    version = file.get_text(fields, "schema_version", place)
    if not version.startswith(_VERSION):
        where = f"{place}.schema_version" if place else "schema_version"
        raise file.make_error(where, f"is {version}: only {_VERSION}x is read")


def _read_aggregate(
    file: ResultFile, rows: list[InstanceRow], choices: ResultChoices
) -> BoardResults:
    aggregate = file.fields
    _check_version(file, aggregate, "")
    _check_samples(file, aggregate, rows)
    by_task: dict[str, list[InstanceRow]] = {}
    for row in rows:
        by_task.setdefault(str(row.fields["evaluation_name"]), []).append(row)
    decided = {task: _select_score_rows(file, each, choices) for task, each in by_task.items()}
    results = [
        result
        for task, each in decided.items()
        for result in read_rows(task, each, choices.passes_at)
    ]
    chosen = {row.score for each in decided.values() for row in each}
    described = list(_find_descriptions(file, aggregate, chosen, choices.passes_at))
    results += _without_verdict(file, aggregate, min(by_task))
    results += _list_not_reached(file, described, results)
    library = file.require_object(aggregate.get("eval_library"), "eval_library")
    scores = sorted({each[0].score for each in decided.values()} - set(decided))
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.EVERY_EVAL_EVER,
        tool=file.shorten(f"{library.get('name')} {library.get('version')}", 150),
        name=name_tasks(by_task),
        score=file.shorten(", ".join(scores), 150),
        runs=(_make_run(file, aggregate, described, results),),
    )


def _select_score_rows(
    file: ResultFile, rows: list[InstanceRow], choices: ResultChoices
) -> list[InstanceRow]:
    """Return the rows of the score that decides."""
    names = list(dict.fromkeys(row.score for row in rows))
    score = choose_score(file.path, names, choices, "evaluation_results")
    return [row for row in rows if row.score == score]


def _check_samples(file: ResultFile, aggregate: Fields, rows: list[InstanceRow]) -> None:
    """Refuse samples that are not those of the aggregate, by checksum and number."""
    detailed = file.require_object(
        aggregate.get("detailed_evaluation_results") or {}, "detailed_evaluation_results"
    )
    total = file.get_count(detailed, "total_rows", "detailed_evaluation_results")
    if total is not None and total != len(rows):
        raise file.make_error(
            "detailed_evaluation_results.total_rows", f"is {total}, there are {len(rows)} rows"
        )
    digests = list(dict.fromkeys(row.file.digest for row in rows))
    checksum = detailed.get("checksum")
    if detailed.get("hash_algorithm") == "sha256" and checksum and digests != [checksum]:
        raise file.make_error(
            "detailed_evaluation_results.checksum", "is not that of the file of samples"
        )


def _find_descriptions(
    file: ResultFile, aggregate: Fields, scores: set[str], passes_at: float | None
) -> Iterator[Fields]:
    """Yield the aggregate's descriptions of the scores that decide."""
    listed = file.require_list(aggregate.get("evaluation_results"), "evaluation_results")
    for number, item in enumerate(listed):
        fields = file.require_object(item, f"evaluation_results.{number}")
        if get_score_name(fields) in scores:
            metric = file.require_object(
                fields.get("metric_config"), f"evaluation_results.{number}.metric_config"
            )
            if metric.get("lower_is_better") is not False and passes_at is not None:
                raise file.make_error(
                    f"evaluation_results.{number}.metric_config.lower_is_better",
                    "is not false: --pass-at names the lowest score that passes",
                )
            yield fields


def _without_verdict(file: ResultFile, aggregate: Fields, task: str) -> Iterator[SampleResult]:
    """Yield the results without a verdict, which have no row: our own exports list them."""
    place = "detailed_evaluation_results.additional_details.without_verdict"
    detailed = file.require_object(aggregate.get("detailed_evaluation_results") or {}, place)
    details = file.require_object(detailed.get("additional_details") or {}, place)
    listed = details.get("without_verdict")
    if listed is None:
        return
    items = file.require_list(file.parse(str(listed).encode(), place), place)
    for number, item in enumerate(items, 1):
        file.check_row(number, place)
        parts = file.require_list(item, place)
        if len(parts) != _PARTS:
            raise file.make_error(
                place, f"has {len(parts)} parts, not sample, repetition, end, fault and its sign"
            )
        sample, repetition, outcome, fault, sign = parts
        if outcome not in (Outcome.INFRASTRUCTURE, Outcome.NOT_RUN):
            raise file.make_error(place, f"unknown end {outcome!r:.40}")
        reason = file.shorten(sign, LONGEST_REASON) or "the file says no more"
        yield file.validate_facts(
            SampleResult,
            place,
            task=task,
            sample=sample,
            repetition=repetition,
            outcome=outcome,
            reason=reason if outcome == Outcome.INFRASTRUCTURE else None,
            fault=fault,
        )


def _list_not_reached(
    file: ResultFile, described: list[Fields], results: list[SampleResult]
) -> Iterator[SampleResult]:
    """Yield the samples of the data set that have no row."""
    reached = {(result.task, result.sample) for result in results}
    for fields in described:
        task = file.get_text(fields, "evaluation_name", "evaluation_results")
        data = file.require_object(fields.get("source_data"), "evaluation_results.source_data")
        for sample in list_planned(file, data.get("sample_ids"), "source_data.sample_ids"):
            if (task, sample) not in reached:
                yield file.validate_facts(
                    SampleResult,
                    "source_data.sample_ids",
                    task=task,
                    sample=sample,
                    outcome=Outcome.NOT_RUN,
                )


def _read_own_times(file: ResultFile, aggregate: Fields) -> Fields:
    """Return the details of our own exports: day, beginning and end of the run."""
    source = file.require_object(aggregate.get("source_metadata") or {}, "source_metadata")
    details = source.get("additional_details")
    return file.require_object(details or {}, _OWN_DETAILS)


def _make_run(
    file: ResultFile, aggregate: Fields, described: list[Fields], results: list[SampleResult]
) -> ModelResults:
    model = file.require_object(aggregate.get("model_info"), "model_info")
    config: Mapping[str, object] = described[0] if described else {}
    settings = file.require_object(config.get("generation_config") or {}, "generation_config")
    arguments = file.require_object(settings.get("generation_args") or {}, "generation_args")
    details = file.require_object(settings.get("additional_details") or {}, "additional_details")
    own = _read_own_times(file, aggregate)
    place = "evaluation_timestamp"
    began = aggregate.get(place) or config.get(place)
    if "date" in own:
        place, began = f"{_OWN_DETAILS}.started_at", own.get("started_at")
    began_at = file.parse_moment(began, place)
    retrieved = file.parse_moment(aggregate.get("retrieved_timestamp"), "retrieved_timestamp")
    is_day_known = own.get("day_of_import") != "true"
    return file.validate_facts(
        ModelResults,
        "",
        model=file.get_text(model, "id", "model_info"),
        variant=file.shorten(details.get("reasoning_effort"), 100),
        identity=file.get_text(aggregate, "evaluation_id", ""),
        parameters={
            name: arguments[name] for name in _PARAMETERS if arguments.get(name) is not None
        },
        began_at=began_at,
        ended_at=file.parse_moment(own.get("finished_at"), f"{_OWN_DETAILS}.finished_at"),
        day=retrieved.date() if retrieved and is_day_known and not began_at else None,
        results=tuple(results),
    )
