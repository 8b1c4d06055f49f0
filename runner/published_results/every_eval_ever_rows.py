"""Rows of Every Eval Ever's samples as results: verdict, content, tokens, cost and time."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from records.shapes.attempt import CostBasis, Generation, Outcome, StepName, TokensBasis
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import compute_texts_digest
from runner.published_results.board_results import LONGEST_NAME, LONGEST_REASON, SampleResult
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ScoreJudge
from runner.published_results.result_file import Fields, ResultFile

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}")
_DECIMAL: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,25})?(?:e-[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """A line of a file of samples."""

    file: ResultFile
    place: str
    fields: Fields

    @property
    def score(self) -> str:
        """The name of the score that the row is of."""
        return get_score_name(self.fields)


def get_score_name(fields: Fields) -> str:
    """Return the name of the score that a row or an entry of an aggregate is of."""
    return str(fields.get("evaluation_result_id") or fields.get("evaluation_name"))


def read_rows(
    task: str, rows: list[InstanceRow], passes_at: float | None
) -> Iterator[SampleResult]:
    """Yield the result of each row; a sample that comes again is a repetition."""
    seen = Counter[tuple[str, str]]()
    for row in rows:
        file, place, fields = row.file, row.place, row.fields
        sample = file.get_text(fields, "sample_id", place)
        content = _digest_content(file, place, fields)
        seen[sample, content] += 1
        details = file.require_object(fields.get("metadata") or {}, f"{place}.metadata")
        outcome, reason = _read_verdict(file, place, fields, passes_at)
        yield file.validate_facts(
            SampleResult,
            place,
            task=task,
            sample=sample,
            content=content,
            repetition=_read_repetition(details) or seen[sample, content],
            outcome=outcome,
            failed_step=_read_failed_step(details) if outcome is Outcome.FAILED else None,
            reason=reason or file.shorten(details.get("reason"), LONGEST_REASON),
            generation=_read_generation(file, place, fields, details),
        )


def _read_verdict(
    file: ResultFile, place: str, fields: Fields, passes_at: float | None
) -> tuple[Outcome, str | None]:
    """Return the verdict on a row: that of the file, unless the user named a lowest score.

    For a score between 0 and 1 the verdict of the file is no verdict: converters write the mean of
    several answers there, and call it correct.
    """
    if (error := fields.get("error")) is not None:
        message = file.shorten(error, LONGEST_REASON)
        return Outcome.INFRASTRUCTURE, message or "an error without words"
    at = f"{place}.evaluation"
    evaluation = file.require_object(fields.get("evaluation"), at)
    is_correct, score = evaluation.get("is_correct"), evaluation.get("score")
    if not isinstance(is_correct, bool):
        raise file.make_error(f"{at}.is_correct", "is neither true nor false")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise file.make_error(f"{at}.score", "is no number")
    if not abs(score) <= LARGEST_AMOUNT:
        reason = f"is no number from -{LARGEST_AMOUNT:.0f} to {LARGEST_AMOUNT:.0f}"
        raise file.make_error(f"{at}.score", reason)
    is_pass = ScoreJudge(file.path, passes_at).is_pass(score, f"{at}.score")
    passed = is_correct if passes_at is None else is_pass
    return (Outcome.PASSED if passed else Outcome.FAILED), None


def _digest_content(file: ResultFile, place: str, fields: Fields) -> str:
    """Return the digest of a sample's content: that of the file if it has one."""
    named = fields.get("sample_hash")
    if isinstance(named, str) and named:
        return named if _DIGEST.fullmatch(named) else compute_texts_digest(named)
    asked = file.require_object(fields.get("input"), f"{place}.input")
    parts = [asked.get("raw"), asked.get("reference"), asked.get("choices")]
    return compute_texts_digest(json.dumps(parts, sort_keys=True))


def _read_repetition(details: Fields) -> int | None:
    """Return which answer a row is of, if its details say so, as those of our own exports do."""
    named = details.get("sample") if "page" in details else details.get("epoch")
    return int(named) if isinstance(named, str) and _NUMBER.fullmatch(named) else None


def _read_failed_step(details: Fields) -> StepName | None:
    """Return the step at which an answer failed, if the details name one that exists here."""
    named = details.get("failed_step")
    return next((step for step in StepName if step == named), None)


def _read_generation(
    file: ResultFile, place: str, fields: Fields, details: Fields
) -> Generation | None:
    """Return tokens, cost and time; the details have those that the schema has no field for."""
    usage = file.require_object(fields.get("token_usage") or {}, f"{place}.token_usage")
    at = f"{place}.token_usage"
    counts = {
        "input_tokens": file.get_count(usage, "input_tokens", at),
        "cached_input_tokens": file.get_count(usage, "input_tokens_cache_read", at),
        "output_tokens": file.get_count(usage, "output_tokens", at),
        "reasoning_tokens": file.get_count(usage, "reasoning_tokens", at),
    }
    within = f"{place}.metadata"
    known = {
        name: file.get_count(_parse_numbers(details), name, within) if count is None else count
        for name, count in counts.items()
    }
    made = make_generation(
        input_tokens=known["input_tokens"],
        cached_input_tokens=known["cached_input_tokens"],
        output_tokens=known["output_tokens"],
        reasoning_tokens=known["reasoning_tokens"],
        cost_usd=file.get_number(_parse_numbers(details), "cost_usd", within),
        duration_s=_read_seconds(file, place, fields, "duration", "generation_time", "latency"),
        finish_reason=file.shorten(details.get("finish_reason"), LONGEST_NAME),
    )
    if made is None:
        return None
    first = _read_seconds(file, place, fields, "time_to_first_token")
    facts = _read_own_facts(file, made, details) | {"time_to_first_token_s": first}
    return made.model_copy(update=facts)


def _read_own_facts(file: ResultFile, made: Generation, details: Fields) -> dict[str, object]:
    """Return the facts of a reply that only our own exports have, in their details."""
    if "page" not in details:
        return {}
    facts: dict[str, object] = {
        name: file.shorten(details.get(name), LONGEST_NAME)
        for name in ("answered_by", "served_by", "system_fingerprint")
    }
    tries = details.get("tries")
    if isinstance(tries, str) and _NUMBER.fullmatch(tries):
        facts["tries"] = int(tries)
    digest = details.get("reply_digest")
    if isinstance(digest, str) and _DIGEST.fullmatch(digest):
        facts["reply_digest"] = digest
    if made.cost_usd is not None and details.get("cost_basis") == CostBasis.ESTIMATED:
        facts["cost_basis"] = CostBasis.ESTIMATED
    is_reported = made.tokens_basis is TokensBasis.REPORTED
    if is_reported and details.get("tokens_basis") == TokensBasis.COUNTED:
        facts["tokens_basis"] = TokensBasis.COUNTED
    return facts


def _parse_numbers(details: Fields) -> Fields:
    """Return the details that are numbers, which the format keeps as texts."""
    texts = {name: value for name, value in details.items() if isinstance(value, str)}
    return {name: float(text) for name, text in texts.items() if _DECIMAL.fullmatch(text)}


def _read_seconds(
    file: ResultFile, place: str, fields: Fields, exact: str, *rounded: str
) -> float | None:
    """Return a time of an answer: to the last digit, if the details have it.

    Args:
        file: the file of the row.
        place: the row's place in it.
        fields: the row.
        exact: the name of the time in our own exports, without its unit.
        rounded: the names in the schema, without their unit, the best first; ``exact`` if missing.
    """
    at = f"{place}.performance"
    times = file.require_object(fields.get("performance") or {}, at)
    details = file.require_object(times.get("additional_details") or {}, f"{at}.additional_details")
    whole = file.get_number(_parse_numbers(details), f"{exact}_s", f"{at}.additional_details")
    if whole is not None:
        return whole
    milliseconds = (file.get_number(times, f"{name}_ms", at) for name in rounded or (exact,))
    return next((time / 1000 for time in milliseconds if time is not None), None)
