"""Samples of a log of Inspect: what is kept of each, and its result.

A log may hold a thousand times as much as is read: conversations, events, the state of tools. Of
each sample only the facts of its result stay in memory.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from records.foreign.fields import as_fields
from records.foreign.files import FilePart, ForeignFile
from records.foreign.inspect_logs import Attachments, read_inspect_usage
from records.shapes.attempt import Generation, Outcome
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import compute_texts_digest
from runner.published_results.board_results import LONGEST_REASON, SampleResult
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices

_LETTERS: Final[Mapping[str, float]] = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}
"""Values of Inspect's scorers: correct, incorrect, no answer, partially correct."""
_MOST_SCORES: Final = 1_000
"""Scores of one sample, with the values of scores that have several."""
_LONGEST_VALUE: Final = 60
"""Characters of a value of unknown meaning, for a message."""


class SampleScore(NamedTuple):
    """A value of a scorer, and why it is so."""

    value: float | str | None
    """None where the scorer gave none."""
    explanation: str | None


@dataclass(frozen=True, slots=True)
class LogSample:
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
    texts = Attachments(
        sample.get_part("attachments").fields,
        lambda reason: sample.file.make_error(sample.place, reason),
    )
    epoch = sample.get_count("epoch")
    return LogSample(
        place=sample.place,
        identity=_read_identity(sample),
        content=_digest_content(sample, texts),
        epoch=1 if epoch is None else epoch,
        fault=_read_fault(sample),
        scores=dict(_read_scores(sample, texts)),
        limit=sample.get_part("limit").get_line("type", _LONGEST_VALUE),
        generation=_read_generation(sample, model),
    )


def judge_sample(  # noqa: PLR0913, PLR0917 - the sample, and what is known of its log
    file: ForeignFile,
    task: str,
    sample: LogSample,
    score: str | None,
    choices: ResultChoices,
    ended: str | None,
) -> SampleResult:
    """Return the result of a sample by the score that decides.

    ``ended`` is why a log ended early, and so why a sample has no score.

    Raises:
        InvalidRecordError: the value of the score has no known meaning.
    """
    outcome, reason = _read_verdict(file, sample, score, choices)
    if outcome is Outcome.INFRASTRUCTURE and ended is not None and not sample.scores:
        reason = sample.fault or ended
    return file.validate_facts(
        SampleResult,
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
    file: ForeignFile, sample: LogSample, score: str | None, choices: ResultChoices
) -> tuple[Outcome, str | None]:
    """Return the verdict on a sample and its reason; a fault of the machinery is none."""
    if sample.fault is not None:
        return Outcome.INFRASTRUCTURE, sample.fault
    value, explanation = sample.scores.get(score or "", (None, None))
    if value is None or value != value:  # noqa: PLR0124 - Inspect writes NaN for no score
        reason = file.shorten(f"was not scored by {score}", LONGEST_REASON)
        return Outcome.INFRASTRUCTURE, reason
    at = f"{sample.place}.scores.{score}"
    if choices.is_pass(file.path, _read_number(file, value, at), at):
        return Outcome.PASSED, None
    return Outcome.FAILED, explanation or (
        f"reached its {sample.limit} limit" if sample.limit else None
    )


def _read_number(file: ForeignFile, value: float | str, location: str) -> float:
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value]
    elif abs(value) <= LARGEST_AMOUNT:
        return float(value)
    letters = ", ".join(_LETTERS)
    raise file.make_error(location, f"unknown value {value!r:.60}: {letters}, or a number")


def _read_identity(sample: FilePart) -> str:
    identity = sample.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        raise sample.make_error("id", "is neither a text nor a number")
    return str(identity)


def _read_fault(sample: FilePart) -> str | None:
    """Return why a sample has no verdict, if it was invalidated or ended in an error."""
    if sample.get("invalidation"):
        return "the sample was invalidated after the run"
    if sample.get("error") is None:
        return None
    message = sample.require_part("error").get_line("message", LONGEST_REASON)
    return message or "ended in an error without a message"


def _read_scores(sample: FilePart, texts: Attachments) -> Iterator[tuple[str, SampleScore]]:
    """Yield each score by its name; a score of several values has a name for each."""
    answer = _read_answer(sample, texts)
    by_scorer = sample.get_part("scores")
    number = 0
    for name in by_scorer.fields:
        score = by_scorer.require_part(name)
        explanation = _read_explanation(score, texts, answer)
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
            yield score_name, SampleScore(_shorten_value(value), explanation)


def _shorten_value(value: object) -> float | str | None:
    """Return a value of a score; a list or a long text as its beginning, for a message."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return (value if isinstance(value, str) else repr(value))[:_LONGEST_VALUE]


def _read_explanation(score: FilePart, texts: Attachments, answer: str) -> str | None:
    """Return a scorer's explanation; None if it is the answer, or its beginning.

    Scorers that compare texts give the answer for their explanation.
    """
    text = _read_whole_text(score.get("explanation"), texts).strip()
    extracted = _read_whole_text(score.get("answer"), texts).strip()
    is_answer = answer.startswith(text) or text == extracted
    return None if is_answer else score.file.shorten(text, LONGEST_REASON)


def _read_answer(sample: FilePart, texts: Attachments) -> str:
    """Return the text of the model's last answer; empty where the sample has none."""
    return _read_whole_text(as_fields(sample.get("output")).get("completion"), texts).strip()


def _read_whole_text(value: object, texts: Attachments) -> str:
    """Return a text, from the attachments if it is kept there; empty if there is none."""
    return (texts.find(value) or "") if isinstance(value, str) else ""


def _digest_content(sample: FilePart, texts: Attachments) -> str:
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
    tokens = read_inspect_usage(usage.get_count)
    seconds = sample.get_number("working_time")
    if seconds is None:
        seconds = sample.get_number("total_time")
    return make_generation(
        input_tokens=tokens.input,
        cached_input_tokens=tokens.cached_input,
        output_tokens=tokens.output,
        reasoning_tokens=tokens.reasoning,
        cost_usd=usage.get_number("total_cost"),
        duration_s=seconds,
    )
