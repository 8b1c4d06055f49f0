"""Results that promptfoo wrote by `promptfoo eval -o FILE.json`, version 3 of its summary.

A provider is a model. If a file has several prompts, each prompt is a variant of the model.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from records.shapes.attempt import Generation, Outcome
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from records.text.visible import make_one_line
from runner.published_results.board_results import (
    LONGEST_NAME,
    LONGEST_REASON,
    BoardResults,
    ModelResults,
    SampleResult,
    make_board_results,
)
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices, ScoreJudge
from runner.published_results.result_file import MOST_RESULTS, Fields, ResultFile

_VERSION: Final = 3
_PASSED, _FAILED, _ERROR = 0, 1, 2
"""The values of ``failureReason``."""
_ENDS: Final = ((_PASSED, True), (_FAILED, False), (_ERROR, False))
"""The values of ``failureReason`` and ``success`` that a row can have."""
_DRAWN: Final = ("sessionId",)
"""Variables that promptfoo draws anew for each run."""


class _PromptfooRun(NamedTuple):
    provider: str
    variant: str | None


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Reads the rows of one file."""

    file: ResultFile
    task: str
    names: Counter[str]
    """How many tests have each description."""
    passes_at: float | None

    def read(self, place: str, row: Fields, repetition: int) -> SampleResult:
        """Return the result of a row."""
        test = _get_test(self.file, place, row)
        content = _digest_content(self.file, place, row)
        outcome, reason = self._read_verdict(place, row)
        described = _describe(self.file, test)
        number = self.file.get_count(row, "testIdx", place)
        label = described or (f"test {number + 1}" if number is not None else None)
        return self.file.validate_facts(
            SampleResult,
            place,
            task=self.task,
            sample=described if described and self.names[described] == 1 else content[:12],
            label=label,
            content=content,
            repetition=repetition,
            outcome=outcome,
            reason=reason,
            generation=None
            if outcome is Outcome.INFRASTRUCTURE
            else self._read_generation(place, row),
        )

    def _read_verdict(self, place: str, row: Fields) -> tuple[Outcome, str | None]:
        """Return the verdict on a row; errors of providers and of promptfoo are none."""
        reason, success = row.get("failureReason"), row.get("success")
        # Python's True equals 1, and False equals 0.
        is_typed = type(reason) is int and isinstance(success, bool)
        if not is_typed or (reason, success) not in _ENDS:
            raise self.file.make_error(
                place, f"success {success!r:.20} with failureReason {reason!r:.20} is unknown"
            )
        if reason == _ERROR:
            message = self.file.shorten(row.get("error"), LONGEST_REASON)
            return Outcome.INFRASTRUCTURE, message or "an error without words"
        passed = success is True
        if self.passes_at is not None:
            score = self.file.get_number(row, "score", place)
            judge = ScoreJudge(self.file.path, self.passes_at)
            passed = score is not None and judge.is_pass(score, f"{place}.score")
        if passed:
            return Outcome.PASSED, None
        graded = self.file.require_object(row.get("gradingResult") or {}, f"{place}.gradingResult")
        reason = graded.get("reason") or row.get("error")
        return Outcome.FAILED, self.file.shorten(reason, LONGEST_REASON)

    def _read_generation(self, place: str, row: Fields) -> Generation | None:
        """Return tokens, cost and time as the provider reported them.

        The sums beside the reply are 0 if the provider reported nothing, and a reply from the
        cache took no time of the model.
        """
        file, at = self.file, f"{place}.response"
        reply = file.require_object(row.get("response") or {}, at)
        if reply.get("cached"):
            return None
        usage = file.require_object(reply.get("tokenUsage") or {}, f"{at}.tokenUsage")
        is_known = bool(file.get_count(usage, "total", at))
        milliseconds = file.get_number(row, "latencyMs", place)
        return make_generation(
            input_tokens=file.get_count(usage, "prompt", at) if is_known else None,
            output_tokens=file.get_count(usage, "completion", at) if is_known else None,
            cost_usd=file.get_number(reply, "cost", at),
            duration_s=None if milliseconds is None else milliseconds / 1000,
        )


def recognises(file: ResultFile) -> bool:
    """Return whether a file has the outer fields of promptfoo's output."""
    return "evalId" in file.fields and isinstance(file.fields.get("results"), dict)


def read(file: ResultFile, choices: ResultChoices) -> BoardResults:
    """Return the results of a file.

    Raises:
        InvalidRecordError: it is of another version, or a row has values of unknown meaning.
    """
    summary = file.require_object(file.required_fields.get("results"), "results")
    if summary.get("version") != _VERSION:
        raise file.make_error(
            "results.version", f"is {summary.get('version')!r:.20}: only 3 is read"
        )
    rows = list(_read_rows(file, summary))
    config = file.require_object(file.fields.get("config") or {}, "config")
    task = file.shorten(config.get("description"), 150) or "promptfoo"
    prompts = _name_prompts(file, rows)
    reader = _RowReader(file, task, _count_descriptions(file, rows), choices.passes_at)
    results: dict[_PromptfooRun, list[SampleResult]] = {}
    seen = Counter[tuple[_PromptfooRun, str]]()
    columns: dict[_PromptfooRun, int | None] = {}
    for place, row in rows:
        key = _PromptfooRun(
            _name_provider(file, place, row), prompts[_identify_prompt(file, place, row)]
        )
        column = file.get_count(row, "promptIdx", place)
        if columns.setdefault(key, column) != column:
            raise file.make_error(
                f"{place}.promptIdx", _describe_same_column(key, column, columns[key])
            )
        test = key, _digest_content(file, place, row)
        seen[test] += 1
        results.setdefault(key, []).append(reader.read(place, row, seen[test]))
    metadata = file.require_object(file.fields.get("metadata") or {}, "metadata")
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.PROMPTFOO,
        tool=file.shorten(f"promptfoo {metadata.get('promptfooVersion') or ''}", 100),
        name=task,
        runs=(_make_run(file, summary, key, each) for key, each in results.items()),
    )


def _describe_same_column(key: _PromptfooRun, column: int | None, before: int | None) -> str:
    """Return why two columns cannot be told apart: they may have asked with other settings."""
    asked = key.provider if key.variant is None else f"{key.provider}, {key.variant}"
    return (
        f"columns {before} and {column} are both of {asked}: give each provider a label of its own"
    )


def _read_rows(file: ResultFile, summary: Fields) -> Iterator[tuple[str, Fields]]:
    listed = file.require_list(summary.get("results"), "results.results")
    if not listed or len(listed) > MOST_RESULTS:
        raise file.make_error("results.results", f"has {len(listed)} rows, not 1 to {MOST_RESULTS}")
    for number, item in enumerate(listed):
        place = f"results.results.{number}"
        yield place, file.require_object(item, place)


def _get_test(file: ResultFile, place: str, row: Fields) -> Fields:
    return file.require_object(row.get("testCase"), f"{place}.testCase")


def _digest_content(file: ResultFile, place: str, row: Fields) -> str:
    """Return a digest of a test: its variables and its assertions."""
    test = _get_test(file, place, row)
    named = file.require_object(test.get("vars") or {}, f"{place}.testCase.vars")
    values = {
        name: value
        for name, value in named.items()
        if name not in _DRAWN and not name.startswith("_")
    }
    return compute_texts_digest(json.dumps([values, test.get("assert")], sort_keys=True))


def _count_descriptions(file: ResultFile, rows: list[tuple[str, Fields]]) -> Counter[str]:
    """Count the tests that have each description."""
    described = {
        (_digest_content(file, place, row), _describe(file, _get_test(file, place, row)))
        for place, row in rows
    }
    return Counter(name for _, name in described if name)


def _describe(file: ResultFile, test: Fields) -> str | None:
    return file.shorten(test.get("description"), LONGEST_NAME)


def _identify_prompt(file: ResultFile, place: str, row: Fields) -> str:
    """Return the identity of the prompt's template."""
    identity = row.get("promptId")
    if isinstance(identity, str):
        return identity
    return file.get_text(_get_prompt(file, place, row), "label", f"{place}.prompt")


def _get_prompt(file: ResultFile, place: str, row: Fields) -> Fields:
    return file.require_object(row.get("prompt"), f"{place}.prompt")


def _name_prompts(file: ResultFile, rows: list[tuple[str, Fields]]) -> dict[str, str | None]:
    """Return the name of each prompt, different for each; None if there is only one prompt."""
    labels: dict[str, str] = {}
    for place, row in rows:
        label = file.shorten(_get_prompt(file, place, row).get("label"), 80) or "prompt"
        labels.setdefault(_identify_prompt(file, place, row), label)
    if len(labels) == 1:
        return dict.fromkeys(labels)
    number = Counter(labels.values())
    return {
        identity: label if number[label] == 1 else f"{label} ({place})"
        for place, (identity, label) in enumerate(labels.items(), 1)
    }


def _name_provider(file: ResultFile, place: str, row: Fields) -> str:
    """Return a provider by its label, or else its id as ``provider/model``."""
    provider = file.require_object(row.get("provider"), f"{place}.provider")
    label = provider.get("label")
    if isinstance(label, str) and (shown := make_one_line(label)):
        return shown
    identity = file.get_text(provider, "id", f"{place}.provider")
    return identity if "/" in identity else identity.replace(":", "/", 1)


def _make_run(
    file: ResultFile, summary: Fields, key: _PromptfooRun, results: list[SampleResult]
) -> ModelResults:
    return file.validate_facts(
        ModelResults,
        "results",
        model=key.provider,
        variant=key.variant,
        identity=file.get_text(file.fields, "evalId", ""),
        began_at=file.parse_moment(summary.get("timestamp"), "results.timestamp"),
        results=tuple(results),
    )
