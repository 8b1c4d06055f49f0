"""Failures in plain words: assertions, errors, places in answers, and imported words."""

import pytest

from records.runs.failure_words import explain_attempt, word_message
from records.shapes.attempt import Outcome, StepName
from tests.records.examples import make_attempt

pytestmark = pytest.mark.unit

_CALL = """grader.py:105: assert None is True
 +  where None = mutation('cues:callOff', {})
 +    where mutation = convex.mutation"""
_PLACE = """grader.py:88: assert (None, None) == (None, 'failed')

  At index 1 diff: None != 'failed'"""
_TYPE = """grader.py:23: there is no address to upload to
assert False
 +  where False = isinstance(None, str)"""


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "DID NOT RAISE FunctionFailed (grader.py:66)",
            "the call was accepted, and should have been refused",
        ),
        (
            "TypeError: 'NoneType' object is not iterable (grader.py:38)",
            "nothing (null) came back where a value was needed",
        ),
        (
            _CALL,
            "cues:callOff gave nothing (null) instead of true",
        ),
        ("grader.py:75: assert 0 == 3\n +  where 0 = len({})", "0 instead of 3 entries"),
        (
            _PLACE,
            "at place 1, counted from 0: nothing (null) instead of 'failed'",
        ),
        (
            _TYPE,
            "there is no address to upload to",
        ),
        (
            "grader.py:60: assert [{'x': None, 'y': 'None'}] == []",
            "[{'x': null, 'y': 'None'}] instead of an empty list",
        ),
        (
            "convex/a.ts(5,8): error TS2339: Property 'x' does not exist. (and 2 more errors)",
            "convex/a.ts, line 5: TS2339: Property 'x' does not exist. (and 2 more errors)",
        ),
        (
            'grader.py:13: "Ada" did not appear\nThe page is empty.',
            '"Ada" did not appear The page is empty.',
        ),
        ("seconds are taken for milliseconds", "seconds are taken for milliseconds"),
    ],
)
def test_messages_are_worded_without_jargon(message: str, words: str) -> None:
    """Words of pytest and Python become plain ones; sentences stay, without the grader's place."""
    assert word_message(message) == words


def test_the_first_failed_test_is_expected() -> None:
    """Its title is expected, its message was got, and further failed tests are counted."""
    attempt = make_attempt("000-a/000-b", outcome=Outcome.FAILED)
    tests = attempt.tests
    assert tests is not None
    failed = [
        tests[0].model_copy(
            update={"title": title, "outcome": Outcome.FAILED, "message": "DID NOT RAISE Refused"}
        )
        for title in ("It is refused.", "It stays.")
    ]
    update = {"failed_step": StepName.TESTS, "tests": (*failed,), "reason": "It is refused. x"}
    words = explain_attempt(attempt.model_copy(update=update))
    assert str(words) == "Expected: It is refused. Got: no Refused came (and 1 more failed test)"


def test_imported_reasons_stay_as_they_are() -> None:
    """A publisher's words are neither reworded nor given an expectation, as those of a pass."""
    imported = {"steps": None, "tests": None, "reason": "async onSubmit"}
    failed = make_attempt("000-a/000-b", outcome=Outcome.FAILED)
    assert str(explain_attempt(failed.model_copy(update=imported))) == "async onSubmit"
    passed = make_attempt("000-a/000-b")
    assert explain_attempt(passed) is None
    assert str(explain_attempt(passed.model_copy(update={"reason": "well"}))) == "well"
