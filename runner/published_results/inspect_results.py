"""Results in logs of Inspect, `.eval` or JSON, read without Inspect.

A `.eval` file is a ZIP: `header.json` describes the run, `samples/<id>_epoch_<n>.json` are its
samples. A log that was never finished has `_journal/start.json` instead of the header. A `.json`
log is the same in one object.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from records.files.inspect_archives import (
    HEADER,
    LARGEST_SAMPLE,
    START,
    choose_description_file,
    is_packed_log,
    list_samples,
)
from records.files.packed_files import ZIP, open_packed, unpack
from records.shapes.attempt import Outcome
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from runner.published_results.board_results import (
    BoardResults,
    ModelResults,
    SampleResult,
    list_planned,
    make_board_results,
)
from runner.published_results.inspect_samples import LogSample, judge_sample, keep_sample
from runner.published_results.result_choices import ResultChoices, ScoreJudge, choose_score
from runner.published_results.result_file import Fields, ResultFile

LARGEST_LOG: Final = 2 * 1024 * 1024 * 1024
"""Bytes of all unpacked samples of a log."""
_LONGEST_TITLE: Final = 150
"""Characters of a task with its arguments."""
_DIGITS: Final = 8
_PARAMETERS: Final = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "seed",
    "reasoning_effort",
    "reasoning_tokens",
)
"""Settings of a request that are kept; others may hold headers with keys."""
_FINISHED: Final = "success"
_UNFINISHED: Final = ("started", "cancelled", "error")


@dataclass(frozen=True, slots=True)
class _OpenLog:
    """A log: its description, and its samples, each with its place in the file."""

    fields: Fields
    samples: Iterator[tuple[str, Fields]]


def recognises(file: ResultFile) -> bool:
    """Return whether a file is an archive of a log, or a log in JSON."""
    if is_packed_log(file.data):
        return True
    ran = file.fields.get("eval")
    return isinstance(ran, dict) and "run_id" in ran


def read(file: ResultFile, choices: ResultChoices) -> BoardResults:
    """Return the results in a log.

    Raises:
        InvalidRecordError: the log is damaged, has no sample, or has values of unknown meaning.
    """
    log = _open_log(file)
    ran = file.require_object(log.fields.get("eval"), "eval")
    status = log.fields.get("status", "started")
    if status not in (_FINISHED, *_UNFINISHED):
        raise file.make_error("status", f"unknown status {status!r:.60}")
    task = file.get_text(ran, "task", "eval")
    model = file.get_text(ran, "model", "eval")
    samples = [keep_sample(file, place, sample, model) for place, sample in log.samples]
    score = _choose_score(file, log, samples, choices)
    judge = ScoreJudge(file.path, choices.passes_at)
    results = [judge_sample(file, task, sample, score, judge) for sample in samples]
    results += _list_not_reached(file, ran, task, results)
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.INSPECT,
        tool=_describe_tool(file, ran),
        name=_name_benchmark(file, ran, task),
        score=score,
        runs=(_make_run(file, log.fields, ran, results, is_whole=status == _FINISHED),),
    )


def _make_run(
    file: ResultFile, log: Fields, ran: Fields, results: list[SampleResult], *, is_whole: bool
) -> ModelResults:
    stats = file.require_object(log.get("stats") or {}, "stats")
    settings = file.require_object(
        ran.get("model_generate_config") or {}, "eval.model_generate_config"
    )
    place, began = "stats.started_at", stats.get("started_at")
    if not began:
        place, began = "eval.created", ran.get("created")
    name = "eval_id" if ran.get("eval_id") is not None else "run_id"
    return file.validate_facts(
        ModelResults,
        "eval",
        model=ran["model"],
        variant=_describe_variant(file, ran, settings),
        identity="" if ran.get(name) is None else file.get_text(ran, name, "eval"),
        parameters={name: settings[name] for name in _PARAMETERS if settings.get(name) is not None},
        began_at=file.parse_moment(began, place),
        ended_at=file.parse_moment(stats.get("completed_at"), "stats.completed_at"),
        is_whole=is_whole,
        results=tuple(results),
    )


def _describe_variant(file: ResultFile, ran: Fields, settings: Fields) -> str | None:
    """Return the solver and the effort with which a model was asked, if the log names any."""
    parts = [ran.get("solver"), settings.get("reasoning_effort")]
    return file.shorten(" ".join(str(part) for part in parts if part), 100)


def _describe_tool(file: ResultFile, ran: Fields) -> str:
    version = file.require_object(ran.get("packages") or {}, "eval.packages").get("inspect_ai")
    return f"Inspect {file.shorten(version, 40) or 'of an unknown version'}"


def _name_benchmark(file: ResultFile, ran: Fields, task: str) -> str:
    """Return the task with its arguments: with others it is another benchmark."""
    arguments = file.require_object(ran.get("task_args") or {}, "eval.task_args")
    listed = ", ".join(
        f"{name}={_format_value(value)}" for name, value in sorted(arguments.items())
    )
    whole = f"{task} ({listed})" if listed else task
    shown = file.shorten(whole, _LONGEST_TITLE) or task
    # Arguments that differ behind the cut are different, too.
    is_cut = len(whole) > _LONGEST_TITLE
    digest = compute_texts_digest(file.clean(whole))[:_DIGITS]
    return f"{shown} {digest}" if is_cut else shown


def _format_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _open_log(file: ResultFile) -> _OpenLog:
    if not file.data.startswith(ZIP):
        log = file.required_fields
        samples = file.require_list(log.get("samples") or [], "samples")
        return _OpenLog(
            log,
            (
                (f"samples.{number}", file.require_object(sample, f"samples.{number}"))
                for number, sample in enumerate(samples)
            ),
        )
    return _open_archive(file)


def _open_archive(file: ResultFile) -> _OpenLog:
    archive = open_packed(file.path, file.data)
    names = archive.namelist()
    head = choose_description_file(names)
    if head not in names:
        raise file.make_error("", f"has neither {HEADER} nor {START}: it is no log of Inspect")
    members = sorted(list_samples(names))

    def read_samples() -> Iterator[tuple[str, Fields]]:
        left = LARGEST_LOG
        for name in members:
            data = unpack(archive, file.path, name, min(LARGEST_SAMPLE, left))
            left -= len(data)
            yield name, file.require_object(file.parse(data, name), name)

    log = file.require_object(
        file.parse(unpack(archive, file.path, head, LARGEST_SAMPLE), head), head
    )
    return _OpenLog(log, read_samples())


def _choose_score(
    file: ResultFile, log: _OpenLog, samples: Sequence[LogSample], choices: ResultChoices
) -> str:
    names: dict[str, None] = {}
    for sample in samples:
        names |= dict.fromkeys(sample.scores)
    if not samples:
        status = log.fields.get("status")
        raise file.make_error("samples", f"there is none, the log's status is {status!r:.30}")
    return choose_score(file.path, list(names), choices, "scores")


def _list_not_reached(
    file: ResultFile, ran: Fields, task: str, results: list[SampleResult]
) -> Iterator[SampleResult]:
    """Yield the samples of the run's data set that have no result."""
    dataset = file.require_object(ran.get("dataset") or {}, "eval.dataset")
    planned = list_planned(file, dataset.get("sample_ids"), "eval.dataset.sample_ids")
    reached = {result.sample for result in results}
    for identity in planned:
        if identity not in reached:
            yield file.validate_facts(
                SampleResult,
                "eval.dataset.sample_ids",
                task=task,
                sample=identity,
                outcome=Outcome.NOT_RUN,
            )
