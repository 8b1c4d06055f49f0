"""Results in logs of Inspect, `.eval` or JSON, read without Inspect.

A `.eval` file is a ZIP: `header.json` describes the run, `samples/<id>_epoch_<n>.json` are its
samples. A log that was never finished has `_journal/start.json` instead of the header. A `.json`
log is the same in one object.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from records.foreign import inspect_logs
from records.foreign.fields import as_fields
from records.foreign.files import FilePart, ForeignFile
from records.shapes.attempt import Generation, Outcome
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from runner.published_results import board_results

LARGEST_LOG = 2 * 1024 * 1024 * 1024
"""Bytes of all unpacked samples of a log."""
_LONGEST_TITLE = 150
"""Characters of a task with its arguments."""
_DIGITS = 8
_PARAMETERS = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "seed",
    "reasoning_effort",
    "reasoning_tokens",
)
"""Settings of a request that are kept; others may hold headers with keys."""
_FINISHED = "success"
_UNFINISHED = ("started", "cancelled", "error")
_LETTERS: Mapping[str, float] = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}
"""Values of Inspect's scorers: correct, incorrect, no answer, partially correct."""
_MOST_SCORES = 1_000
"""Scores of one sample, with the values of scores that have several."""
_LONGEST_VALUE = 60
"""Characters of a value of unknown meaning, for a message."""


def recognises(file: ForeignFile) -> bool:
    """Return whether a file is an archive of a log, or a log in JSON."""
    if inspect_logs.is_packed_log(file.data):
        return True
    ran = file.fields.get("eval")
    return isinstance(ran, dict) and "run_id" in ran


def read(file: ForeignFile, choices: board_results.ResultChoices) -> board_results.BoardResults:
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
    ended = None  # why the log has no result for some samples: its error, or how it ended
    if status == "error":
        message = log.get_part("error").get_line("message", board_results.LONGEST_REASON)
        whole = f"the run ended in an error: {message or 'without a message'}"
        ended = file.shorten(whole, board_results.LONGEST_REASON) or whole
    elif status != _FINISHED:
        is_cancelled = status == "cancelled"
        ended = "the run was cancelled" if is_cancelled else "the run was never finished"
    if not samples and ended is None:
        raise file.make_error("samples", f"there is none, the log's status is {status!r:.30}")
    scores = list(dict.fromkeys(name for sample in samples for name in sample.scores))
    if ended is not None and not scores:
        # Those that the log would have, if it ended before the first of them.
        scorers = ran.list_parts("scorers") if ran.get("scorers") else ()
        scores = list(dict.fromkeys(each.get_text("name").rpartition("/")[2] for each in scorers))
    score = choices.choose_score(file.path, scores, "scores") if scores or not ended else None
    results = [judge_sample(file, task, sample, score, choices, ended) for sample in samples]
    results += board_results.list_not_reached(ran.get_part("dataset"), task, results, ended)
    if not results:
        raise file.make_error("samples", f"there is none, and the log names none: {ended}")
    version = ran.get_part("packages").get_line("inspect_ai", 40)
    # With other arguments the task is another benchmark, also if they differ behind the cut.
    arguments = sorted(ran.get_part("task_args").fields.items())
    listed = ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, sort_keys=True)}"
        for name, value in arguments
    )
    whole = f"{task} ({listed})" if listed else task
    title = file.shorten(whole, _LONGEST_TITLE) or task
    if len(whole) > _LONGEST_TITLE:
        title = f"{title} {compute_texts_digest(file.clean(whole))[:_DIGITS]}"
    return board_results.make_board_results(
        file,
        choices,
        format=ResultFormat.INSPECT,
        tool=f"Inspect {version or 'of an unknown version'}",
        name=title,
        score=score,
        runs=(_make_run(log, ran, results, is_whole=ended is None),),
    )


def _make_run(
    log: FilePart, ran: FilePart, results: list[board_results.SampleResult], *, is_whole: bool
) -> board_results.ModelResults:
    stats = log.get_part("stats")
    settings = ran.get_part("model_generate_config")
    asked = [ran.get("solver"), settings.get("reasoning_effort")]
    name = "eval_id" if ran.get("eval_id") is not None else "run_id"
    return ran.file.validate_facts(
        board_results.ModelResults,
        "eval",
        model=ran.get("model"),
        variant=ran.file.shorten(" ".join(str(part) for part in asked if part), 100),
        identity="" if ran.get(name) is None else ran.get_text(name),
        parameters=settings.select_fields(_PARAMETERS),
        began_at=stats.get_moment("started_at") or ran.get_moment("created"),
        ended_at=stats.get_moment("completed_at"),
        is_whole=is_whole,
        results=tuple(results),
    )


def _open_log(file: ForeignFile) -> tuple[FilePart, Iterator[FilePart]]:
    """Return the description of a log, and its samples."""
    if not file.data.startswith(inspect_logs.ZIP):
        log = file.root
        return log, log.list_parts("samples") if log.get("samples") else iter(())
    packed = inspect_logs.open_packed(file.path, file.data)

    def read_samples() -> Iterator[FilePart]:
        left = LARGEST_LOG
        for name in sorted(packed.samples):
            data = packed.unpack(name, min(inspect_logs.LARGEST_SAMPLE, left))
            left -= len(data)
            yield file.parse_part(data, name)

    log = file.parse_part(packed.unpack(packed.head), packed.head)
    return FilePart(file, "", log.fields), read_samples()


class SampleScore(NamedTuple):
    """A value of a scorer, and why it is so."""

    value: float | str | None
    """None where the scorer gave none."""
    explanation: str | None


class LogSample(NamedTuple):
    """What is kept of a sample."""

    place: str
    identity: str
    content: str
    """Digest of its question, choices and right answer."""
    epoch: int
    fault: str | None
    """Why it has no verdict, whichever score decides."""
    scores: Mapping[str, SampleScore]
    limit: str | None
    """The limit that the answer reached."""
    generation: Generation | None


def keep_sample(sample: FilePart, model: str) -> LogSample:
    """Return what is kept of a sample.

    Raises:
        InvalidRecordError: a field is missing or wrong.
    """
    texts = inspect_logs.Attachments(
        sample.get_part("attachments").fields,
        lambda reason: sample.file.make_error(sample.place, reason),
    )
    epoch, identity = sample.get_count("epoch"), sample.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        raise sample.make_error("id", "is neither a text nor a number")
    fault = None
    if sample.get("invalidation"):
        fault = "the sample was invalidated after the run"
    elif sample.get("error") is not None:
        message = sample.require_part("error").get_line("message", board_results.LONGEST_REASON)
        fault = message or "ended in an error without a message"
    return LogSample(
        place=sample.place,
        identity=str(identity),
        content=_digest_content(sample, texts),
        epoch=1 if epoch is None else epoch,
        fault=fault,
        scores=dict(_read_scores(sample, texts)),
        limit=sample.get_part("limit").get_line("type", _LONGEST_VALUE),
        generation=_read_generation(sample, model),
    )


def judge_sample(  # noqa: PLR0913, PLR0917 - the sample, and what is known of its log
    file: ForeignFile,
    task: str,
    sample: LogSample,
    score: str | None,
    choices: board_results.ResultChoices,
    ended: str | None,
) -> board_results.SampleResult:
    """Return the result of a sample by the score that decides.

    ``ended`` is why a log ended early, and so why a sample has no score.

    Raises:
        InvalidRecordError: the value of the score has no known meaning.
    """
    outcome, reason = _read_verdict(file, sample, score, choices)
    if outcome is Outcome.INFRASTRUCTURE and ended is not None and not sample.scores:
        reason = sample.fault or ended
    return file.validate_facts(
        board_results.SampleResult,
        sample.place,
        task=task,
        sample=sample.identity,
        content=sample.content,
        repetition=sample.epoch,
        outcome=outcome,
        reason=reason,
        generation=sample.generation,
    )


def _read_verdict(
    file: ForeignFile, sample: LogSample, score: str | None, choices: board_results.ResultChoices
) -> tuple[Outcome, str | None]:
    """Return the verdict on a sample and its reason; a fault of the machinery is none."""
    if sample.fault is not None:
        return Outcome.INFRASTRUCTURE, sample.fault
    value, explanation = sample.scores.get(score or "", (None, None))
    if value is None or value != value:  # noqa: PLR0124 - Inspect writes NaN for no score
        reason = file.shorten(f"was not scored by {score}", board_results.LONGEST_REASON)
        return Outcome.INFRASTRUCTURE, reason
    scores = FilePart(file, f"{sample.place}.scores", {})
    number = _LETTERS.get(value) if isinstance(value, str) else value
    if number is None or abs(number) > LARGEST_AMOUNT:
        letters = ", ".join(_LETTERS)
        raise scores.make_error(str(score), f"unknown value {value!r:.60}: {letters}, or a number")
    if choices.is_pass(scores, str(score), float(number)):
        return Outcome.PASSED, None
    return Outcome.FAILED, explanation or (
        f"reached its {sample.limit} limit" if sample.limit else None
    )


def _read_scores(
    sample: FilePart, texts: inspect_logs.Attachments
) -> Iterator[tuple[str, SampleScore]]:
    """Yield each score by its name; a score of several values has a name for each."""
    completion = as_fields(sample.get("output")).get("completion")
    answer = _read_whole_text(completion, texts).strip()  # the last one
    by_scorer = sample.get_part("scores")
    number = 0
    for name in by_scorer.fields:
        score = by_scorer.require_part(name)
        text = _read_whole_text(score.get("explanation"), texts).strip()
        extracted = _read_whole_text(score.get("answer"), texts).strip()
        # Scorers that compare texts give the answer, or its beginning, for their explanation.
        is_answer = answer.startswith(text) or text == extracted
        explanation = None if is_answer else score.file.shorten(text, board_results.LONGEST_REASON)
        whole = score.get("value")
        values = (
            {f"{name}.{part}": each for part, each in cast("Mapping[str, Any]", whole).items()}
            if isinstance(whole, dict)
            else {name: whole}
        )
        number += len(values)
        if number > _MOST_SCORES:
            raise sample.make_error("scores", f"more than {_MOST_SCORES} values")
        for score_name, value in values.items():
            # Of a list or a long text the beginning is kept, for a message.
            is_plain = value is None or isinstance(value, bool | int | float)
            shown = (value if isinstance(value, str) else repr(value))[:_LONGEST_VALUE]
            yield score_name, SampleScore(value if is_plain else shown, explanation)


def _read_whole_text(value: object, texts: inspect_logs.Attachments) -> str:
    """Return a text, from the attachments if it is kept there; empty if there is none."""
    return (texts.find(value) or "") if isinstance(value, str) else ""


def _digest_content(sample: FilePart, texts: inspect_logs.Attachments) -> str:
    """Return a digest of a sample's question, choices and right answer."""
    question = sample.get("input")
    if isinstance(question, list):
        # Messages have ids that are drawn anew for each run.
        question = [
            {name: message.get(name) for name in ("role", "content")}
            for message in sample.list_parts("input")
        ]
    asked = [question, sample.get("choices"), sample.get("target")]
    return compute_texts_digest(json.dumps(texts.fill(asked), ensure_ascii=True, sort_keys=True))


def _read_generation(sample: FilePart, model: str) -> Generation | None:
    usage = sample.get_part("model_usage").get_part(model)
    seconds = sample.get_number("working_time")
    if seconds is None:
        seconds = sample.get_number("total_time")
    return board_results.make_generation(
        inspect_logs.read_inspect_usage(usage.get_count),
        cost_usd=usage.get_number("total_cost"),
        duration_s=seconds,
    )
