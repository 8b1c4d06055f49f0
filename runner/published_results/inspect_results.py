"""Results in logs of Inspect, `.eval` or JSON, read without Inspect.

A `.eval` file is a ZIP: `header.json` describes the run, `samples/<id>_epoch_<n>.json` are its
samples. A log that was never finished has `_journal/start.json` instead of the header. A `.json`
log is the same in one object.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from records.files.packed_files import ZIP, open_packed, unpack
from records.shapes.attempt import Generation, Outcome
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import digest_of_texts
from records.suites.result_formats import ResultFormat
from runner.published_results.board_results import (
    LONGEST_REASON,
    BoardResults,
    ModelResults,
    SampleResult,
    make_board_results,
)
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices, ScoreJudge, choose_score
from runner.published_results.result_file import Fields, ResultFile

LARGEST_SAMPLE: Final = 64 * 1024 * 1024
"""Bytes of one unpacked sample; a larger one is refused."""
LARGEST_LOG: Final = 2 * 1024 * 1024 * 1024
"""Bytes of all unpacked samples of a log."""
_HEADER: Final = "header.json"
_START: Final = "_journal/start.json"
_ATTACHMENT: Final = "attachment://"
_LETTERS: Final[Mapping[str, float]] = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}
"""Values of Inspect's scorers: correct, incorrect, no answer, partially correct."""
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


@dataclass(frozen=True, slots=True)
class _SampleReader:
    """Reads the samples of one log."""

    file: ResultFile
    task: str
    model: str
    score: str
    judge: ScoreJudge

    def read(self, place: str, sample: Fields) -> SampleResult:
        """Return the result of a sample."""
        file = self.file
        identity = _identity(file, place, sample)
        outcome, reason = self._verdict(place, sample)
        return file.valid(
            SampleResult,
            place,
            task=self.task,
            sample=identity,
            content=_content(file, place, sample),
            repetition=sample.get("epoch", 1),
            outcome=outcome,
            reason=reason,
            generation=self._generation(place, sample),
        )

    def _verdict(self, place: str, sample: Fields) -> tuple[Outcome, str | None]:
        """Return the verdict on a sample and its reason; a fault of the machinery is none."""
        if sample.get("invalidation"):
            return Outcome.INFRASTRUCTURE, "the sample was invalidated after the run"
        if (error := sample.get("error")) is not None:
            fields = self.file.object_of(error, f"{place}: error")
            message = self.file.shorten(fields.get("message"), LONGEST_REASON)
            return Outcome.INFRASTRUCTURE, message or "ended in an error without a message"
        scores = _scores(self.file, place, sample)
        if self.score not in scores:
            return Outcome.INFRASTRUCTURE, f"was not scored by {self.score}"
        value, explanation = scores[self.score]
        if value is None or value != value:  # noqa: PLR0124 - Inspect writes NaN for no score
            return Outcome.INFRASTRUCTURE, f"was not scored by {self.score}"
        at = f"{place}: scores.{self.score}"
        if self.judge.is_pass(self._number(value, at), at):
            return Outcome.PASSED, None
        limit = self.file.object_of(sample.get("limit") or {}, f"{place}: limit").get("type")
        reason = explanation or (f"reached its {limit} limit" if limit else None)
        return Outcome.FAILED, self.file.shorten(reason, LONGEST_REASON)

    def _number(self, value: object, place: str) -> float:
        if isinstance(value, str) and value in _LETTERS:
            return _LETTERS[value]
        if isinstance(value, bool | int | float) and abs(value) <= LARGEST_AMOUNT:
            return float(value)
        letters = ", ".join(_LETTERS)
        raise self.file.wrong(place, f"unknown value {value!r:.60}: {letters}, or a number")

    def _generation(self, place: str, sample: Fields) -> Generation | None:
        file, at = self.file, f"{place}: model_usage"
        by_model = file.object_of(sample.get("model_usage") or {}, at)
        usage = file.object_of(by_model.get(self.model) or {}, at)
        output = file.count_at(usage, "output_tokens", at)
        every = file.count_at(usage, "total_tokens", at)
        seconds = file.number_at(sample, "working_time", place)
        if seconds is None:
            seconds = file.number_at(sample, "total_time", place)
        return make_generation(
            # Inspect counts cached input apart from other input: all input is what is no output.
            input_tokens=None if every is None or output is None else max(0, every - output),
            cached_input_tokens=file.count_at(usage, "input_tokens_cache_read", at),
            output_tokens=output,
            reasoning_tokens=file.count_at(usage, "reasoning_tokens", at),
            cost_usd=file.number_at(usage, "total_cost", at),
            duration_s=seconds,
        )


def recognises(file: ResultFile) -> bool:
    """Return whether a file is an archive of a log, or a log in JSON."""
    if file.data.startswith(ZIP):
        return _HEADER.encode() in file.data or _START.encode() in file.data
    ran = file.fields.get("eval")
    return isinstance(ran, dict) and "run_id" in ran


def read(file: ResultFile, choices: ResultChoices) -> BoardResults:
    """Return the results in a log.

    Raises:
        InvalidRecordError: the log is damaged, has no sample, or has values of unknown meaning.
    """
    log = _open_log(file)
    ran = file.object_of(log.fields.get("eval"), "eval")
    status = log.fields.get("status", "started")
    if status not in {_FINISHED, *_UNFINISHED}:
        raise file.wrong("status", f"unknown status {status!r:.60}")
    samples = list(log.samples)
    task = file.text_at(ran, "task", "eval")
    score = _choose_score(file, log, samples, choices)
    model = file.text_at(ran, "model", "eval")
    reader = _SampleReader(file, task, model, score, ScoreJudge(file.path, choices.passes_at))
    results = [reader.read(place, sample) for place, sample in samples]
    results += _not_reached(file, ran, task, results)
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.INSPECT,
        tool=_tool(file, ran),
        name=_benchmark_name(file, ran, task),
        score=score,
        runs=(_run(file, log.fields, ran, results, is_whole=status == _FINISHED),),
    )


def _run(
    file: ResultFile, log: Fields, ran: Fields, results: list[SampleResult], *, is_whole: bool
) -> ModelResults:
    stats = file.object_of(log.get("stats") or {}, "stats")
    settings = file.object_of(ran.get("model_generate_config") or {}, "eval.model_generate_config")
    began = stats.get("started_at") or ran.get("created")
    name = "eval_id" if ran.get("eval_id") is not None else "run_id"
    return file.valid(
        ModelResults,
        "eval",
        model=ran["model"],
        variant=_variant(file, ran, settings),
        identity="" if ran.get(name) is None else file.text_at(ran, name, "eval"),
        parameters={name: settings[name] for name in _PARAMETERS if settings.get(name) is not None},
        began_at=file.moment_of(began, "stats.started_at"),
        ended_at=file.moment_of(stats.get("completed_at"), "stats.completed_at"),
        is_whole=is_whole,
        results=tuple(results),
    )


def _variant(file: ResultFile, ran: Fields, settings: Fields) -> str | None:
    """Return the solver and the effort with which a model was asked, if the log names any."""
    parts = [ran.get("solver"), settings.get("reasoning_effort")]
    return file.shorten(" ".join(str(part) for part in parts if part), 100)


def _tool(file: ResultFile, ran: Fields) -> str:
    version = file.object_of(ran.get("packages") or {}, "eval.packages").get("inspect_ai")
    return f"Inspect {file.shorten(version, 40) or 'of an unknown version'}"


def _benchmark_name(file: ResultFile, ran: Fields, task: str) -> str:
    """Return the task with its arguments: with others it is another benchmark."""
    arguments = file.object_of(ran.get("task_args") or {}, "eval.task_args")
    listed = ", ".join(f"{name}={_text_of(value)}" for name, value in sorted(arguments.items()))
    whole = f"{task} ({listed})" if listed else task
    return file.shorten(whole, 150) or task


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _open_log(file: ResultFile) -> _OpenLog:
    if not file.data.startswith(ZIP):
        log = file.whole
        samples = file.list_of(log.get("samples") or [], "samples")
        return _OpenLog(
            log,
            (
                (f"samples.{number}", file.object_of(sample, f"samples.{number}"))
                for number, sample in enumerate(samples)
            ),
        )
    return _open_archive(file)


def _open_archive(file: ResultFile) -> _OpenLog:
    archive = open_packed(file.path, file.data)
    names = archive.namelist()
    head = _HEADER if _HEADER in names else _START
    if head not in names:
        raise file.wrong("", f"has neither {_HEADER} nor {_START}: it is no log of Inspect")
    members = sorted(
        {name for name in names if name.startswith("samples/") and name.endswith(".json")}
    )

    def samples() -> Iterator[tuple[str, Fields]]:
        left = LARGEST_LOG
        for name in members:
            data = unpack(archive, file.path, name, min(LARGEST_SAMPLE, left))
            left -= len(data)
            yield name, _without_conversation(file.object_of(file.parse(data, name), name))

    log = file.object_of(file.parse(unpack(archive, file.path, head, LARGEST_SAMPLE), head), head)
    return _OpenLog(log, samples())


_CONVERSATION: Final = ("messages", "output", "events", "store")


def _without_conversation(sample: Fields) -> Fields:
    """Return a sample without the parts that are not read and take the most memory."""
    return {name: value for name, value in sample.items() if name not in _CONVERSATION}


def _identity(file: ResultFile, place: str, sample: Fields) -> str:
    identity = sample.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        raise file.wrong(f"{place}: id", "is neither a text nor a number")
    return str(identity)


def _choose_score(
    file: ResultFile, log: _OpenLog, samples: list[tuple[str, Fields]], choices: ResultChoices
) -> str:
    names: dict[str, None] = {}
    for place, sample in samples:
        names |= dict.fromkeys(_scores(file, place, sample))
    if not samples:
        status = log.fields.get("status")
        raise file.wrong("samples", f"there is none, the log's status is {status!r:.30}")
    return choose_score(file.path, list(names), choices, "scores")


def _scores(file: ResultFile, place: str, sample: Fields) -> dict[str, tuple[object, object]]:
    """Return value and explanation of each score; a score of several values has a name for each."""
    scores: dict[str, tuple[object, object]] = {}
    by_scorer = file.object_of(sample.get("scores") or {}, f"{place}: scores")
    for name, value in by_scorer.items():
        fields = file.object_of(value, f"{place}: scores.{name}")
        whole = fields.get("value")
        if isinstance(whole, dict):
            for part, each in cast("Mapping[str, Any]", whole).items():
                scores[f"{name}.{part}"] = each, fields.get("explanation")
        else:
            scores[name] = whole, fields.get("explanation")
    return scores


def _content(file: ResultFile, place: str, sample: Fields) -> str:
    """Return a digest of a sample's question, choices and right answer."""
    texts = file.object_of(sample.get("attachments") or {}, f"{place}: attachments")
    question = sample.get("input")
    if isinstance(question, list):
        # Messages have ids that are drawn anew for each run.
        question = [
            {name: message.get(name) for name in ("role", "content")}
            for message in (
                file.object_of(each, f"{place}: input") for each in cast("list[object]", question)
            )
        ]
    asked = [question, sample.get("choices"), sample.get("target")]
    parts = _with_attachments(file, place, asked, texts)
    return digest_of_texts(json.dumps(parts, ensure_ascii=True, sort_keys=True))


def _with_attachments(file: ResultFile, place: str, value: object, texts: Fields) -> object:
    """Put the long texts back that a log keeps apart, as `attachment://<digest>`."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        text = texts.get(value.removeprefix(_ATTACHMENT))
        if not isinstance(text, str):
            raise file.wrong(place, f"{value:.80} is not among its attachments")
        return text
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_with_attachments(file, place, item, texts) for item in items]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {name: _with_attachments(file, place, each, texts) for name, each in fields.items()}
    return value


def _not_reached(
    file: ResultFile, ran: Fields, task: str, results: list[SampleResult]
) -> Iterator[SampleResult]:
    """Yield the samples of the run's data set that have no result."""
    dataset = file.object_of(ran.get("dataset") or {}, "eval.dataset")
    planned = file.list_of(dataset.get("sample_ids") or [], "eval.dataset.sample_ids")
    reached = {result.sample for result in results}
    for identity in dict.fromkeys(map(str, planned)):
        if identity not in reached:
            yield file.valid(
                SampleResult,
                "eval.dataset.sample_ids",
                task=task,
                sample=identity,
                outcome=Outcome.NOT_RUN,
            )
