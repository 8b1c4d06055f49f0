"""Results in logs of Inspect, `.eval` or JSON, read without Inspect.

A `.eval` file is a ZIP: `header.json` describes the run, `samples/<id>_epoch_<n>.json` are its
samples. A log that was never finished has `_journal/start.json` instead of the header. A `.json`
log is the same in one object.
"""

import json
from collections.abc import Iterator
from typing import Final

from records.files.packed_files import ZIP, open_packed, unpack
from records.foreign.files import FilePart, ForeignFile
from records.foreign.inspect_logs import (
    HEADER,
    LARGEST_SAMPLE,
    START,
    choose_description_file,
    is_packed_log,
    list_samples,
)
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from runner.published_results.board_results import (
    LONGEST_REASON,
    BoardResults,
    ModelResults,
    SampleResult,
    list_not_reached,
    make_board_results,
)
from runner.published_results.inspect_samples import judge_sample, keep_sample
from runner.published_results.result_choices import ResultChoices, choose_score

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


def recognises(file: ForeignFile) -> bool:
    """Return whether a file is an archive of a log, or a log in JSON."""
    if is_packed_log(file.data):
        return True
    ran = file.fields.get("eval")
    return isinstance(ran, dict) and "run_id" in ran


def read(file: ForeignFile, choices: ResultChoices) -> BoardResults:
    """Return the results in a log.

    Raises:
        InvalidRecordError: the log is damaged, has no sample, or has values of unknown meaning.
    """
    log, parts = _open_log(file)
    ran = log.require_part("eval")
    status = log.fields.get("status", "started")
    if status not in (_FINISHED, *_UNFINISHED):
        raise file.make_error("status", f"unknown status {status!r:.60}")
    task = ran.get_text("task")
    model = ran.get_text("model")
    samples = [keep_sample(part, model) for part in parts]
    ended = None if status == _FINISHED else _explain_end(log, status)
    if not samples and ended is None:
        raise file.make_error("samples", f"there is none, the log's status is {status!r:.30}")
    scores = list(dict.fromkeys(name for sample in samples for name in sample.scores))
    if ended is not None and not scores:
        scores = _list_scorers(ran)
    score = choose_score(file.path, scores, choices, "scores") if scores or not ended else None
    results = [judge_sample(file, task, sample, score, choices, ended) for sample in samples]
    results += list_not_reached(ran.get_part("dataset"), task, results, ended)
    if not results:
        raise file.make_error("samples", f"there is none, and the log names none: {ended}")
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.INSPECT,
        tool=_describe_tool(ran),
        name=_name_benchmark(ran, task),
        score=score,
        runs=(_make_run(log, ran, results, is_whole=ended is None),),
    )


def _explain_end(log: FilePart, status: str) -> str:
    """Return why a log has no result for some samples: its error, or how it ended."""
    if status != "error":
        return "the run was cancelled" if status == "cancelled" else "the run was never finished"
    error = log.get_part("error").get_line("message", LONGEST_REASON)
    whole = f"the run ended in an error: {error or 'without a message'}"
    return log.file.shorten(whole, LONGEST_REASON) or whole


def _list_scorers(ran: FilePart) -> list[str]:
    """Return the scores that a log would have, if it ended before the first of them."""
    scorers = ran.list_parts("scorers") if ran.get("scorers") else ()
    return list(dict.fromkeys(each.get_text("name").rpartition("/")[2] for each in scorers))


def _make_run(
    log: FilePart, ran: FilePart, results: list[SampleResult], *, is_whole: bool
) -> ModelResults:
    stats = log.get_part("stats")
    settings = ran.get_part("model_generate_config")
    began = stats.get("started_at")
    name = "eval_id" if ran.get("eval_id") is not None else "run_id"
    return ran.file.validate_facts(
        ModelResults,
        "eval",
        model=ran.get("model"),
        variant=_describe_variant(ran, settings),
        identity="" if ran.get(name) is None else ran.get_text(name),
        parameters=settings.select_fields(_PARAMETERS),
        began_at=stats.get_moment("started_at") if began else ran.get_moment("created"),
        ended_at=stats.get_moment("completed_at"),
        is_whole=is_whole,
        results=tuple(results),
    )


def _describe_variant(ran: FilePart, settings: FilePart) -> str | None:
    """Return the solver and the effort with which a model was asked, if the log names any."""
    parts = [ran.get("solver"), settings.get("reasoning_effort")]
    return ran.file.shorten(" ".join(str(part) for part in parts if part), 100)


def _describe_tool(ran: FilePart) -> str:
    version = ran.get_part("packages").get_line("inspect_ai", 40)
    return f"Inspect {version or 'of an unknown version'}"


def _name_benchmark(ran: FilePart, task: str) -> str:
    """Return the task with its arguments: with others it is another benchmark."""
    arguments = sorted(ran.get_part("task_args").fields.items())
    listed = ", ".join(f"{name}={_format_value(value)}" for name, value in arguments)
    whole = f"{task} ({listed})" if listed else task
    title = ran.file.shorten(whole, _LONGEST_TITLE) or task
    # Arguments that differ behind the cut are different, too.
    is_cut = len(whole) > _LONGEST_TITLE
    digest = compute_texts_digest(ran.file.clean(whole))[:_DIGITS]
    return f"{title} {digest}" if is_cut else title


def _format_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _open_log(file: ForeignFile) -> tuple[FilePart, Iterator[FilePart]]:
    """Return the description of a log, and its samples."""
    if not file.data.startswith(ZIP):
        log = file.root
        return log, log.list_parts("samples") if log.get("samples") else iter(())
    archive = open_packed(file.path, file.data)
    names = archive.namelist()
    head = choose_description_file(names)
    if head not in names:
        raise file.make_error("", f"has neither {HEADER} nor {START}: it is no log of Inspect")
    members = sorted(list_samples(names))

    def read_samples() -> Iterator[FilePart]:
        left = LARGEST_LOG
        for name in members:
            data = unpack(archive, file.path, name, min(LARGEST_SAMPLE, left))
            left -= len(data)
            yield file.parse_part(data, name)

    log = file.parse_part(unpack(archive, file.path, head, LARGEST_SAMPLE), head)
    return FilePart(file, "", log.fields), read_samples()
