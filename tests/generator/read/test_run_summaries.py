"""Summaries of runs: their start, the amounts and faults of attempts; stored and read again."""

from dataclasses import fields
from datetime import UTC, datetime

import pytest

from generator.read.run_summaries import decode_stored, encode_stored, summarize_run
from generator.read.summaries import RequestTally, RunSummary
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome
from records.shapes.run import Run, Withdrawal
from tests.records import examples

pytestmark = pytest.mark.unit


def make_run_of(*attempts: Attempt) -> Run:
    """Return a run with these attempts."""
    return examples.with_attempts(examples.make_run(evals=len(attempts)), attempts)


def make_answered_attempt(number: int, **fields: object) -> Attempt:
    """Return an attempt with these fields of its generation."""
    generation = examples.make_generation().model_copy(update=fields)
    return examples.make_attempt(examples.make_eval_name(number), generation=generation)


def make_spoiled_attempt(number: int, kind: FaultClass) -> Attempt:
    """Return an attempt without a reply."""
    return examples.make_attempt(
        examples.make_eval_name(number),
        outcome=Outcome.INFRASTRUCTURE,
        generation=None,
        fault=Fault(kind=kind, evidence="it said so"),
    )


def test_attempts_are_counted_by_their_ends() -> None:
    """An attempt cut off after a retry counts in both; a spoiled attempt may also be refused."""
    run = make_run_of(
        make_answered_attempt(0),
        make_answered_attempt(1, finish_reason="length", tries=2),
        make_answered_attempt(2, tries=3),
        make_spoiled_attempt(3, FaultClass.CONTENT_FILTER),
        make_spoiled_attempt(4, FaultClass.RATE_LIMITED),
        make_spoiled_attempt(5, FaultClass.TRUNCATED_BY_SERVER),
    )
    requests = summarize_run(run).requests
    assert requests == RequestTally(asked=6, refused=1, cut_off=2, retried=2, spoiled=3)


def test_tokens_have_the_number_of_attempts_that_have_them() -> None:
    """One of two answers does not have its number of input tokens."""
    unsaid = examples.make_generation().tokens.model_copy(update={"input": None})
    run = make_run_of(make_answered_attempt(0), make_answered_attempt(1, tokens=unsaid))
    summary = summarize_run(run)
    assert (summary.input_tokens.known_for, summary.output_tokens.known_for) == (1, 2)


def test_tokens_a_second_are_of_attempts_with_both() -> None:
    """An answer without a time, or without its tokens, counts in neither sum."""
    tokens = examples.make_generation().tokens
    run = make_run_of(
        make_answered_attempt(0, duration_s=4.0, tokens=tokens.model_copy(update={"output": 100})),
        make_answered_attempt(1, duration_s=None),
        make_answered_attempt(2, tokens=tokens.model_copy(update={"output": None})),
    )
    summary = summarize_run(run)
    assert (summary.timed_tokens, summary.timed_s) == (100, 4.0)


def test_a_baseline_asks_nobody() -> None:
    """A baseline has no requests that a provider could refuse."""
    baseline = examples.with_model(make_run_of(make_answered_attempt(0)), kind="baseline")
    assert summarize_run(baseline).requests is None


def test_runs_of_one_day_are_distinguished_by_when_they_began() -> None:
    """A run with only its day comes before every moment of that day."""
    moments = (None, examples.NOON, examples.NOON.replace(hour=23))
    began = [summarize_run(examples.make_run(started_at=at)).head.began for at in moments]
    assert began == sorted(began)
    assert len(set(began)) == 3


def test_failed_tests_are_kept_by_eval_without_their_parameters() -> None:
    """Each attempt lists each failed function once; passes are left out."""
    name = examples.make_eval_name(0)
    first, second, passed = (
        examples.make_attempt(name, sample, outcome)
        for sample, outcome in ((1, Outcome.FAILED), (2, Outcome.FAILED), (3, Outcome.PASSED))
    )
    tests = first.tests
    assert tests is not None

    def fail_tests(attempt: Attempt, *names: str) -> Attempt:
        failed = [
            tests[0].model_copy(update={"name": each, "outcome": Outcome.FAILED}) for each in names
        ]
        return attempt.model_copy(update={"tests": (*failed, tests[1])})

    run = make_run_of(
        fail_tests(first, "test_a[1]", "test_a[2]"), fail_tests(second, "test_a[1]", "test_b")
    )
    run = run.model_copy(
        update={"planned": (name,), "samples": 3, "attempts": (*run.attempts, passed)}
    )
    failures = summarize_run(run).failures[name]
    assert [(each.sample, each.tests) for each in failures] == [
        (1, ["test_a"]),
        (2, ["test_a", "test_b"]),
    ]


def test_reasons_of_failures_are_kept_as_one_short_line() -> None:
    """Each failed attempt has a line; passes have none."""
    name, reason = examples.make_eval_name(1), "it\nfailed " + "x" * 300
    long = examples.make_attempt(name, outcome=Outcome.FAILED, reason=reason)
    failures = summarize_run(make_run_of(make_answered_attempt(0), long)).failures
    got = {name: [each.got for each in attempts] for name, attempts in failures.items()}
    assert got == {name: ["it failed " + "x" * 189 + "…"]}


def test_a_stored_summary_is_read_as_it_was() -> None:
    """All fields come back, and runs of the same plan share it."""
    name = examples.make_eval_name(1)
    failed = examples.make_attempt(name, outcome=Outcome.FAILED, reason="it broke")
    run = make_run_of(make_answered_attempt(0), failed)
    withdrawn = Withdrawal(by="ada", reason="wrong key", at=datetime(2026, 5, 4, tzinfo=UTC))
    summary = summarize_run(run.model_copy(update={"withdrawn": withdrawn}), "a" * 64, "b" * 64)
    read = decode_stored(RunSummary, encode_stored(RunSummary, summary))
    assert read.results.plan is summary.results.plan
    assert dict(read.results) == dict(summary.results)
    field_names = [field.name for field in fields(RunSummary) if field.name != "results"]
    assert all(getattr(read, name) == getattr(summary, name) for name in field_names)
