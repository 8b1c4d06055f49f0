"""Rates of wrong verdicts from audits: right on average, with intervals that hold the truth."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from generator.scores.grader_audit import (
    compute_error_rate,
    compute_findings,
    compute_weighted_interval,
)
from generator.scores.intervals import Floats
from records.sessions.audit import AuditState
from records.shapes.attempt import StepName
from review.audits import Candidate, Request, draw
from review.from_runs import make_attempt_session_id
from tests.generator.scores.making import make_rng
from tests.records.sessions.audits import make_audit, make_audit_item, make_status_event

if TYPE_CHECKING:
    from records.sessions.labels import LabelEvent

pytestmark = pytest.mark.unit

SUITES = 4000


def compute_coverage(rates: Floats, weights: Floats, sizes: tuple[int, ...]) -> float:
    """Judge attempts of graders with known error rates; return how many of 100 intervals hold.

    ``rates`` and ``weights`` are suites x outcomes, ``sizes`` the judged number of each outcome.
    """
    wrong = make_rng(len(rates)).binomial(sizes, rates)
    inside = 0
    for mistakes, true, weight in zip(wrong.tolist(), rates, weights, strict=True):
        parts = [compute_error_rate(x, n, n, n) for x, n in zip(mistakes, sizes, strict=True)]
        interval = compute_weighted_interval(
            [
                (float(share), part.share, part.interval)
                for share, part in zip(weight, parts, strict=True)
                if part.share is not None and part.interval is not None
            ]
        )
        inside += interval.low <= float(true @ weight) <= interval.high
    return 100 * inside / len(rates)


@pytest.mark.parametrize("size", [20, 50, 100])
def test_intervals_of_one_outcome_hold_the_truth_93_to_97_times_in_100(size: int) -> None:
    """The true error rates are from 1% to 30%."""
    rates = make_rng(size).uniform(0.01, 0.3, size=(SUITES, 1))
    assert 93 <= compute_coverage(rates, np.ones((SUITES, 1)), (size,)) <= 97


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
def test_weighted_intervals_hold_the_truth_93_to_97_times_in_100(share: float) -> None:
    """50 failed and 50 passed attempts are judged, at any share of failed attempts."""
    rates = make_rng(3).uniform(0.01, 0.3, size=(SUITES, 2))
    weights = np.tile([share, 1 - share], (SUITES, 1))
    assert 93 <= compute_coverage(rates, weights, (50, 50)) <= 97


@pytest.mark.parametrize(
    ("audits", "least", "most"),
    [(100, 89, 100), pytest.param(600, 93, 98, marks=pytest.mark.night)],
)
def test_rates_of_drawn_audits_are_right_on_average_and_their_intervals_hold(
    audits: int, least: int, most: int
) -> None:
    """From the draw to the rates: evals of unlike size, graders and pass rates.

    A reviewer finds each mistake of the grader; mistakes have known chances, which differ by eval.
    The mean of the rates is the true rate, and their intervals hold it.
    """
    rng = make_rng(8)
    now = datetime(2026, 11, 24, tzinfo=UTC)
    evals = [f"000-part/{number:03}-eval" for number in range(20)]
    chance = dict(zip(evals, rng.uniform(0.02, 0.25, size=20), strict=True))
    fails = {name: int(rng.integers(5, 40)) for name in evals}
    there = [
        Candidate(name, "failed" if n < fails[name] else "passed", "a" * 32, n + 1, step)
        for name in evals
        for n in range(60)
        for step in ([StepName.TESTS] if n < fails[name] else [None])
    ]
    true = sum(chance[candidate.eval] for candidate in there) / len(there)
    shares: list[float] = []
    inside = 0
    for seed in range(audits):
        drawn = draw(
            "feedface", there, Request(60, seed, 0), at=now, session_of=make_attempt_session_id
        )
        logs: dict[str, list[LabelEvent]] = {}
        for candidate in drawn.items:
            mistaken = bool(rng.random() < chance[candidate.eval])
            right = (candidate.outcome == "passed") != mistaken
            logs[candidate.session] = [
                make_status_event("correct" if right else "incorrect", at=now)
            ]
        errors = compute_findings(drawn, logs).errors
        assert errors.share is not None
        assert errors.interval is not None
        shares.append(errors.share)
        inside += errors.interval.low <= true <= errors.interval.high
    assert abs(np.mean(shares) - true) < 4 * np.std(shares) / audits**0.5
    assert least <= 100 * inside / audits <= most


def test_findings_of_an_audit() -> None:
    """Two of three failures are wrong verdicts, as is one pass; one item is open."""
    drawn = make_audit(
        make_audit_item(0),
        make_audit_item(1),
        make_audit_item(2, failed_step="deploy"),
        make_audit_item(3, "passed"),
        make_audit_item(4, "passed", reviewers=2),
        steps={"tests": 4, "deploy": 2},
    )
    logs = {
        "session-0000": [make_status_event("correct")],
        "session-0001": [make_status_event("incorrect")],
        "session-0002": [make_status_event("golden")],
        "session-0003": [make_status_event("incorrect")],
        "session-0004": [make_status_event("correct", reviewer="p1")],
    }
    audited = compute_findings(drawn, logs)
    assert (audited.false_fails.wrong, audited.false_fails.judged) == (2, 3)
    assert (audited.false_passes.wrong, audited.false_passes.judged) == (1, 1)
    assert (audited.false_passes.drawn, audited.false_passes.population) == (2, 4)
    assert {step: rate.wrong for step, rate in audited.steps.items()} == {
        StepName.DEPLOY: 1,
        StepName.TESTS: 1,
    }
    assert audited.errors.share == pytest.approx(0.6 * 2 / 3 + 0.4 * 1)
    assert (audited.count(AuditState.OPEN), audited.count(AuditState.SETTLED)) == (1, 4)
    assert (audited.agreement, audited.doubles) == (None, 0)


def test_an_audit_of_nothing_knows_no_rate() -> None:
    """Without attempts to draw from, the share is unknown, not 0."""
    audited = compute_findings(make_audit(), {})
    assert (audited.errors.share, audited.errors.interval) == (None, None)


def test_unjudged_attempts_are_not_described() -> None:
    """The rate of outcomes without a judgement is unknown, not 0."""
    audited = compute_findings(
        make_audit(make_audit_item(0), make_audit_item(1, "passed")),
        {"session-0000": [make_status_event("correct")]},
    )
    assert audited.false_fails.share == 1
    assert (audited.false_passes.share, audited.false_passes.interval) == (None, None)
    assert (audited.errors.share, audited.errors.interval) == (None, None)
    assert audited.errors.judged == 1
