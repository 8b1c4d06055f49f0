"""Rows of Every Eval Ever's samples as results: verdict, content, tokens, cost and time."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from records.foreign.files import FilePart
from records.shapes.attempt import CostBasis, Generation, Outcome, StepName, TokensBasis
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import compute_texts_digest
from runner.published_results.board_results import LONGEST_NAME, LONGEST_REASON, SampleResult
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}")
_DECIMAL: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,25})?(?:e-[0-9]{1,3})?")


def get_score_name(part: FilePart) -> str:
    """Return the name of the score that a row or an entry of an aggregate is of."""
    return str(part.get("evaluation_result_id") or part.get("evaluation_name"))


def read_rows(task: str, rows: list[FilePart], choices: ResultChoices) -> Iterator[SampleResult]:
    """Yield the result of each row; a sample that comes again is a repetition."""
    seen = Counter[tuple[str, str]]()
    for row in rows:
        sample = row.get_text("sample_id")
        content = _digest_content(row)
        seen[sample, content] += 1
        details = row.get_part("metadata")
        outcome, reason = _read_verdict(row, choices)
        yield row.file.validate_facts(
            SampleResult,
            row.place,
            task=task,
            sample=sample,
            content=content,
            repetition=_read_repetition(details) or seen[sample, content],
            outcome=outcome,
            failed_step=_read_failed_step(details) if outcome is Outcome.FAILED else None,
            reason=reason or details.get_line("reason", LONGEST_REASON),
            generation=_read_generation(row, details),
        )


def _read_verdict(row: FilePart, choices: ResultChoices) -> tuple[Outcome, str | None]:
    """Return the verdict on a row: that of the file, unless the user named a lowest score.

    For a score between 0 and 1 the verdict of the file is no verdict: converters write the mean of
    several answers there, and call it correct.
    """
    if row.get("error") is not None:
        message = row.get_line("error", LONGEST_REASON)
        return Outcome.INFRASTRUCTURE, message or "an error without words"
    evaluation = row.require_part("evaluation")
    is_correct, score = evaluation.get("is_correct"), evaluation.get("score")
    if not isinstance(is_correct, bool):
        raise evaluation.make_error("is_correct", "is neither true nor false")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise evaluation.make_error("score", "is no number")
    if not abs(score) <= LARGEST_AMOUNT:
        reason = f"is no number from -{LARGEST_AMOUNT:.0f} to {LARGEST_AMOUNT:.0f}"
        raise evaluation.make_error("score", reason)
    is_pass = choices.is_pass(row.file.path, score, evaluation.name_place("score"))
    passed = is_correct if choices.passes_at is None else is_pass
    return (Outcome.PASSED if passed else Outcome.FAILED), None


def _digest_content(row: FilePart) -> str:
    """Return the digest of a sample's content: that of the file if it has one."""
    named = row.get("sample_hash")
    if isinstance(named, str) and named:
        return named if _DIGEST.fullmatch(named) else compute_texts_digest(named)
    asked = row.require_part("input")
    parts = [asked.get("raw"), asked.get("reference"), asked.get("choices")]
    return compute_texts_digest(json.dumps(parts, sort_keys=True))


def _read_repetition(details: FilePart) -> int | None:
    """Return which answer a row is of, if its details say so, as those of our own exports do."""
    named = details.get("sample" if "page" in details.fields else "epoch")
    return int(named) if isinstance(named, str) and _NUMBER.fullmatch(named) else None


def _read_failed_step(details: FilePart) -> StepName | None:
    """Return the step at which an answer failed, if the details name one that exists here."""
    named = details.get("failed_step")
    return next((step for step in StepName if step == named), None)


def _read_generation(row: FilePart, details: FilePart) -> Generation | None:
    """Return tokens, cost and time; the details have those that the schema has no field for."""
    usage, numbers = row.get_part("token_usage"), _parse_numbers(details)

    def get_tokens(name: str, listed: str | None = None) -> int | None:
        count = usage.get_count(listed or name)
        return numbers.get_count(name) if count is None else count

    made = make_generation(
        input_tokens=get_tokens("input_tokens"),
        cached_input_tokens=get_tokens("cached_input_tokens", "input_tokens_cache_read"),
        output_tokens=get_tokens("output_tokens"),
        reasoning_tokens=get_tokens("reasoning_tokens"),
        cost_usd=numbers.get_number("cost_usd"),
        duration_s=_read_seconds(row, "duration", "generation_time", "latency"),
        finish_reason=details.get_line("finish_reason", LONGEST_NAME),
    )
    if made is None:
        return None
    first = _read_seconds(row, "time_to_first_token")
    facts = _read_own_facts(made, details) | {"time_to_first_token_s": first}
    return made.model_copy(update=facts)


def _read_own_facts(made: Generation, details: FilePart) -> dict[str, object]:
    """Return the facts of a reply that only our own exports have, in their details."""
    if "page" not in details.fields:
        return {}
    facts: dict[str, object] = {
        name: details.get_line(name, LONGEST_NAME)
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


def _parse_numbers(details: FilePart) -> FilePart:
    """Return the details that are numbers, which the format keeps as texts."""
    texts = {name: value for name, value in details.fields.items() if isinstance(value, str)}
    numbers = {name: float(text) for name, text in texts.items() if _DECIMAL.fullmatch(text)}
    return FilePart(details.file, details.place, numbers)


def _read_seconds(row: FilePart, exact: str, *rounded: str) -> float | None:
    """Return a time of an answer: to the last digit, if the details have it.

    Args:
        row: the row.
        exact: the name of the time in our own exports, without its unit.
        rounded: the names in the schema, without their unit, the best first; ``exact`` if missing.
    """
    times = row.get_part("performance")
    whole = _parse_numbers(times.get_part("additional_details")).get_number(f"{exact}_s")
    if whole is not None:
        return whole
    milliseconds = (times.get_number(f"{name}_ms") for name in rounded or (exact,))
    return next((time / 1000 for time in milliseconds if time is not None), None)
