"""Orders and verdicts between a driver and its workers."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import (
    Fault,
    FaultClass,
    GradingKey,
    Outcome,
    Step,
    StepName,
    Test,
)
from runner.cluster.messages import GradingOrder, SentVerdict, find_difference
from runner.grading.grade import GradingResult
from runner.grading.worker.protocol import TestOutput

pytestmark = pytest.mark.unit

ORDER = GradingOrder(
    suite_root=None,
    evals={"000-a/000-a": "1", "000-a/001-b": "2", "000-a/002-c": "3"},
    toolchain="t",
    versions={"node": "24.1.0", "convex": "1.30.0"},
    backend="embedded",
    sandbox="bwrap",
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"suite_root": "/elsewhere"}, None),
        ({"sandbox": "none"}, "its jail is none, not bwrap"),
        ({"backend": "local"}, "its backend is local, not embedded"),
        (
            {"versions": {"node": "24.2.0", "convex": "1.30.0"}},
            "its toolchain has node 24.2.0, not 24.1.0",
        ),
        ({"versions": {"node": "24.1.0"}}, "its toolchain has convex not at all, not 1.30.0"),
        (
            {"toolchain": "u"},
            "its toolchain has other grading programs: check out the driver's commit",
        ),
        (
            {"evals": {"000-a/000-a": "1", "000-a/001-b": "x"}},
            "its suite differs in 000-a/001-b and 1 more: check out the driver's commit",
        ),
        (
            {"evals": {**ORDER.evals, "000-a/003-d": "4"}},
            "its suite differs in 000-a/003-d: check out the driver's commit",
        ),
    ],
)
def test_a_difference_is_named(changes: dict[str, object], difference: str | None) -> None:
    """The first part that differs is named, with both values where they mean something."""
    assert find_difference(ORDER, ORDER.model_copy(update=changes)) == difference


@given(
    files=st.dictionaries(TEXTS, TEXTS, max_size=3),
    reason=st.none() | TEXTS.filter(bool),
    printed=TEXTS,
)
def test_a_verdict_arrives_as_it_was_sent(
    files: Mapping[str, str], reason: str | None, printed: str
) -> None:
    """Every field has the same value after the way through JSON."""
    result = GradingResult(
        outcome=Outcome.INFRASTRUCTURE,
        failed_step=StepName.TESTS,
        reason=reason,
        fault=Fault(kind=FaultClass.GRADER, evidence="evidence"),
        steps=(Step(name=StepName.TESTS, outcome=Outcome.FAILED, duration_s=0.5, message="m"),),
        tests=(Test(name="n", title="t", outcome=Outcome.PASSED, duration_s=None, message=None),),
        files=files,
        logs={"tests": printed},
        key=GradingKey(answer="0" * 64, grader="1" * 64, toolchain="2" * 64),
        graded_at=datetime.now(UTC),
        printed=printed,
        outputs={"n": TestOutput(printed=printed, logged=None)},
        control=Outcome.PASSED,
    )
    sent = SentVerdict(worker="tls://127.0.0.1:1", result=result)
    assert SentVerdict.model_validate_json(sent.model_dump_json()).result == result
