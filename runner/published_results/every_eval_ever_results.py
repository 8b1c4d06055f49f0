"""Results in files of Every Eval Ever 0.3: an aggregate (JSON) and its samples (JSON Lines).

The aggregate describes the model and the scores, its samples have the verdicts: both are needed.
They belong together by ``evaluation_id``.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from records.foreign.files import FilePart, ForeignFile
from records.shapes.attempt import CostBasis, Generation, Outcome, StepName, Tokens, TokensBasis
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from runner.published_results import board_results
from runner.published_results.board_import import ReadBoard
from runner.published_results.board_records import name_tasks

_VERSION = "0.3."
_PARTS = 5
"""Parts of an entry of results without a verdict: sample, repetition, end, fault and its sign."""
_PARAMETERS = ("temperature", "top_p", "top_k", "max_tokens", "reasoning")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NUMBER = re.compile(r"[1-9][0-9]{0,2}")
_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,25})?(?:e-[0-9]{1,3})?")


def recognises(file: ForeignFile) -> bool:
    """Return whether a file is an aggregate, or samples of one."""
    if "evaluation_results" in file.fields:
        return "evaluation_id" in file.fields
    first = file.first_line
    return "evaluation_id" in first and "sample_id" in first


def read(files: Sequence[ForeignFile], choices: board_results.ResultChoices) -> Iterator[ReadBoard]:
    """Yield the results of each aggregate, with the samples that the files have of it.

    Raises:
        InvalidRecordError: an aggregate has no samples, samples have no aggregate, or a field is
            missing or wrong.
    """
    aggregates = {file.digest: file for file in files if "evaluation_results" in file.fields}
    samples = {file.digest: file for file in files if file.digest not in aggregates}
    rows: dict[str, list[FilePart]] = {}
    for row in chain.from_iterable(file.read_lines() for file in samples.values()):
        _check_version(row)
        row.get_text("evaluation_name")
        rows.setdefault(row.get_text("evaluation_id"), []).append(row)
    for file in aggregates.values():
        identity = file.root.get_text("evaluation_id")
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


def _check_version(part: FilePart) -> None:
    version = part.get_text("schema_version")
    if not version.startswith(_VERSION):
        raise part.make_error("schema_version", f"is {version}: only {_VERSION}x is read")


def _read_aggregate(
    file: ForeignFile, rows: list[FilePart], choices: board_results.ResultChoices
) -> board_results.BoardResults:
    aggregate = file.root
    _check_version(aggregate)
    # The samples must be those of the aggregate, by checksum and number.
    detailed = aggregate.get_part("detailed_evaluation_results")
    total = detailed.get_count("total_rows")
    if total is not None and total != len(rows):
        raise detailed.make_error("total_rows", f"is {total}, there are {len(rows)} rows")
    digests = list(dict.fromkeys(row.file.digest for row in rows))
    checksum = detailed.get("checksum")
    if detailed.get("hash_algorithm") == "sha256" and checksum and digests != [checksum]:
        raise detailed.make_error("checksum", "is not that of the file of samples")
    by_task: dict[str, list[FilePart]] = {}
    for row in rows:
        by_task.setdefault(str(row.get("evaluation_name")), []).append(row)
    decided: dict[str, list[FilePart]] = {}
    for task, each in by_task.items():
        names = list(dict.fromkeys(map(get_score_name, each)))
        score = choices.choose_score(file.path, names, "evaluation_results")
        decided[task] = [row for row in each if get_score_name(row) == score]
    results = [
        result for task, each in decided.items() for result in read_rows(task, each, choices)
    ]
    chosen = {get_score_name(row) for each in decided.values() for row in each}
    described = [
        part
        for part in aggregate.list_parts("evaluation_results")
        if get_score_name(part) in chosen
    ]
    for part in described:
        metric = part.require_part("metric_config")
        if metric.get("lower_is_better") is not False and choices.passes_at is not None:
            raise metric.make_error(
                "lower_is_better", "is not false: --pass-at names the lowest score that passes"
            )
    results += _without_verdict(aggregate, min(by_task))
    for score in described:
        data = score.require_part("source_data")
        results += board_results.list_not_reached(data, score.get_text("evaluation_name"), results)
    library = aggregate.require_part("eval_library")
    scores = sorted({get_score_name(each[0]) for each in decided.values()} - set(decided))
    return board_results.make_board_results(
        file,
        choices,
        format=ResultFormat.EVERY_EVAL_EVER,
        tool=file.shorten(f"{library.get('name')} {library.get('version')}", 150),
        name=name_tasks(by_task),
        score=file.shorten(", ".join(scores), 150),
        runs=(_make_run(aggregate, described, results),),
    )


def _without_verdict(aggregate: FilePart, task: str) -> Iterator[board_results.SampleResult]:
    """Yield the results without a verdict, which have no row: our own exports list them."""
    details = aggregate.get_part("detailed_evaluation_results").get_part("additional_details")
    listed = details.get("without_verdict")
    if listed is None:
        return
    file, location = details.file, details.name_place("without_verdict")
    items = file.require_list(file.parse(str(listed).encode(), location), location)
    for number, item in enumerate(items, 1):
        file.check_row(number, location)
        parts = file.require_list(item, location)
        if len(parts) != _PARTS:
            raise file.make_error(
                location, f"has {len(parts)} parts, not sample, repetition, end, fault and its sign"
            )
        sample, repetition, outcome, fault, sign = parts
        if outcome not in (Outcome.INFRASTRUCTURE, Outcome.NOT_RUN):
            raise file.make_error(location, f"unknown end {outcome!r:.40}")
        reason = file.shorten(sign, board_results.LONGEST_REASON) or "the file says no more"
        yield file.validate_facts(
            board_results.SampleResult,
            location,
            task=task,
            sample=sample,
            repetition=repetition,
            outcome=outcome,
            reason=reason if outcome == Outcome.INFRASTRUCTURE else None,
            fault=fault,
        )


def _make_run(
    aggregate: FilePart, described: list[FilePart], results: list[board_results.SampleResult]
) -> board_results.ModelResults:
    config = described[0] if described else FilePart(aggregate.file, "", {})
    settings = config.get_part("generation_config")
    # The details of our own exports: day, beginning and end of the run.
    own = aggregate.get_part("source_metadata").get_part("additional_details")
    if "date" in own.fields:
        began_at = own.get_moment("started_at")
    else:
        stamped = aggregate if aggregate.get("evaluation_timestamp") else config
        began_at = stamped.get_moment("evaluation_timestamp")
    retrieved = aggregate.get_moment("retrieved_timestamp")
    is_day_known = own.get("day_of_import") != "true"
    return aggregate.file.validate_facts(
        board_results.ModelResults,
        "",
        model=aggregate.require_part("model_info").get_text("id"),
        variant=settings.get_part("additional_details").get_line("reasoning_effort", 100),
        identity=aggregate.get_text("evaluation_id"),
        parameters=settings.get_part("generation_args").select_fields(_PARAMETERS),
        began_at=began_at,
        ended_at=own.get_moment("finished_at"),
        day=retrieved.date() if retrieved and is_day_known and not began_at else None,
        results=tuple(results),
    )


def get_score_name(part: FilePart) -> str:
    """Return the name of the score that a row or an entry of an aggregate is of."""
    return str(part.get("evaluation_result_id") or part.get("evaluation_name"))


def read_rows(
    task: str, rows: list[FilePart], choices: board_results.ResultChoices
) -> Iterator[board_results.SampleResult]:
    """Yield the result of each row; a sample that comes again is a repetition."""
    seen = Counter[tuple[str, str]]()
    for row in rows:
        sample = row.get_text("sample_id")
        content = _digest_content(row)
        seen[sample, content] += 1
        details = row.get_part("metadata")
        outcome, reason = _read_verdict(row, choices)
        # Which answer the row is of, if its details say so, as those of our own exports do.
        number = details.get("sample" if "page" in details.fields else "epoch")
        is_number = isinstance(number, str) and _NUMBER.fullmatch(number)
        repetition = int(number) if is_number else seen[sample, content]
        step = next((step for step in StepName if step == details.get("failed_step")), None)
        yield row.file.validate_facts(
            board_results.SampleResult,
            row.place,
            task=task,
            sample=sample,
            content=content,
            repetition=repetition,
            outcome=outcome,
            failed_step=step if outcome is Outcome.FAILED else None,
            reason=reason or details.get_line("reason", board_results.LONGEST_REASON),
            generation=_read_generation(row, details),
        )


def _read_verdict(
    row: FilePart, choices: board_results.ResultChoices
) -> tuple[Outcome, str | None]:
    """Return the verdict on a row: that of the file, unless the user named a lowest score.

    For a score between 0 and 1 the verdict of the file is no verdict: converters write the mean of
    several answers there, and call it correct.
    """
    if row.get("error") is not None:
        message = row.get_line("error", board_results.LONGEST_REASON)
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
    is_pass = choices.is_pass(evaluation, "score", score)
    passed = is_correct if choices.passes_at is None else is_pass
    return (Outcome.PASSED if passed else Outcome.FAILED), None


def _digest_content(row: FilePart) -> str:
    """Return the digest of a sample's content: that of the file if it has one."""
    sample_hash = row.get("sample_hash")
    if isinstance(sample_hash, str) and sample_hash:
        return sample_hash if _DIGEST.fullmatch(sample_hash) else compute_texts_digest(sample_hash)
    question = row.require_part("input")
    parts = [question.get("raw"), question.get("reference"), question.get("choices")]
    return compute_texts_digest(json.dumps(parts, sort_keys=True))


def _read_generation(row: FilePart, details: FilePart) -> Generation | None:
    """Return tokens, cost and time; the details have those that the schema has no field for."""
    usage, numbers = row.get_part("token_usage"), _parse_numbers(details)

    def get_tokens(name: str, listed: str | None = None) -> int | None:
        count = usage.get_count(listed or name)
        return numbers.get_count(name) if count is None else count

    made = board_results.make_generation(
        Tokens(
            input=get_tokens("input_tokens"),
            cached_input=get_tokens("cached_input_tokens", "input_tokens_cache_read"),
            output=get_tokens("output_tokens"),
            reasoning=get_tokens("reasoning_tokens"),
        ),
        cost_usd=numbers.get_number("cost_usd"),
        duration_s=_read_seconds(row, "duration", "generation_time", "latency"),
        finish_reason=details.get_line("finish_reason", board_results.LONGEST_NAME),
    )
    if made is None:
        return None
    facts: dict[str, object] = {"time_to_first_token_s": _read_seconds(row, "time_to_first_token")}
    if "page" not in details.fields:
        return made.model_copy(update=facts)
    # The facts that only our own exports have.
    for name in ("answered_by", "served_by", "system_fingerprint"):
        facts[name] = details.get_line(name, board_results.LONGEST_NAME)
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
    return made.model_copy(update=facts)


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
