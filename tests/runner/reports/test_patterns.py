"""The common patterns of failures in the report on a run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import Outcome
from runner.reports.evidence import LONGEST_SHAPE, FailedAttempt, find_patterns, generalize_message
from tests.records import examples

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "convex/a.ts(3,14): error TS2345: Argument of type 'string' is not assignable",
            "convex/lib/b.ts(120,1): error TS2345: Argument of type 'Id<\"x\">' is not assignable",
        ),
        ("grader.py:41: assert [1, 2] == [2, 1]", "grader.py:7: assert [{'a': 3}] == []"),
        ("expected 2, got 0\nat line 3", "expected 14, got 1.5"),
    ],
)
def test_messages_with_one_cause_have_one_shape(message: str, other: str) -> None:
    """Places, numbers, quoted texts and values differ from case to case, and are left out."""
    assert generalize_message(message) == generalize_message(other)


def test_messages_with_two_causes_differ() -> None:
    """A code of the compiler is not a number."""
    assert generalize_message("a.ts(1,1): error TS2345: no") != generalize_message(
        "a.ts(1,1): error TS2322: no"
    )


@given(st.text())
def test_a_shape_is_one_short_line(message: str) -> None:
    """Any message of a grader has a short shape without a line end."""
    line = generalize_message(message)
    assert len(line) <= LONGEST_SHAPE
    assert len(line.splitlines()) <= 1


def make_failure(number: int, *sections: str) -> FailedAttempt:
    """Return a failed attempt at an eval that exercises these sections."""
    attempt = examples.make_attempt(examples.make_eval_name(number), outcome=Outcome.FAILED)
    return FailedAttempt(attempt, None, {}, None, sections, ())


def test_a_section_is_a_pattern_where_it_fails_more_than_the_run() -> None:
    """The claim has both rates; a section that fails no more often than the run is no pattern."""
    failures = [make_failure(n, "often", "always") for n in range(5)] + [
        make_failure(9, "rare"),
        make_failure(8, "rare"),
    ]
    all_patterns = find_patterns(failures, {"often": 6, "always": 10, "rare": 5}, 14)
    sections = [each for each in all_patterns if each.kind == "section"]
    (often,) = sections
    assert often.claim == ("5 of 6 attempts that exercise often failed (83%), of all 7 of 14 (50%)")
    assert often.examples == [examples.make_eval_name(number) for number in range(3)]
    assert often.left_out_note == " and 2 more"


def test_messages_of_one_shape_are_a_pattern_by_themselves() -> None:
    """Such messages have no rate of their own; three evals are named, and no number is added."""
    (messages,) = find_patterns([make_failure(1), make_failure(2)], {}, 10)
    assert messages.kind == "message"
    assert messages.claim.startswith("2 failed with “")
    assert (messages.examples, messages.left_out_note) == (messages.evals, "")
