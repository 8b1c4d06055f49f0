"""The judged turn: the answer to which labels belong, in desk, exports and comparisons."""

import json

import pytest

from leaderboard.sessions.judge_and_compare import make_compared_session
from records.sessions.session import EvalStatus, Session
from review.desk.transcript import get_judged_answer, make_shown_messages
from review.exports.formats import FORMATS
from review.turns import find_judged_turn, list_turns
from tests.review.corpus import CALL, make_message, make_session
from tests.review.exports.exporting import export_rows

pytestmark = pytest.mark.unit

LEFT = make_session(
    1,
    make_message("user", "Q1"),
    make_message("assistant", "A1"),
    make_message("user", "Q2"),
    make_message("assistant", "A2"),
    make_message("user", "/exit"),
    make_message("user", "Goodbye!"),
    eval_status=EvalStatus.GOLDEN,
    expected_output="IDEAL",
)
ENDS_WITH_CALLS = make_session(
    2,
    make_message("user", "Q1"),
    make_message("assistant", "A1"),
    make_message("user", "Q2"),
    make_message("assistant", "", tool_calls=(CALL,)),
    make_message("tool", "a result", tool_call_id=CALL.id),
    eval_status=EvalStatus.GOLDEN,
    expected_output="IDEAL",
)
UNANSWERED = make_session(
    3, make_message("user", "Q1"), make_message("user", "Q2"), expected_output="IDEAL"
)
UNASKED = make_session(4, make_message("assistant", "A1"), expected_output="IDEAL")

OF_TURNS = [
    name
    for name in FORMATS
    if name in {"deepeval", "openai-evals", "inspect", "promptfoo"}
    or name in {"braintrust", "langsmith", "langfuse"}
]
"""Formats with a row for each turn."""


@pytest.mark.parametrize(
    ("talk", "number"), [(LEFT, 2), (ENDS_WITH_CALLS, 2), (UNANSWERED, 2), (UNASKED, None)]
)
def test_the_judged_turn_is_the_last_answered_one(talk: Session, number: int | None) -> None:
    """Calls of tools are an answer; without any answered request, the last request is judged."""
    judged = find_judged_turn(talk)
    assert (judged.number if judged else None) == number
    marked = [turn for turn in list_turns(talk) if turn.is_judged]
    assert marked == ([judged] if judged else [])
    if judged:
        assert judged.truth == "IDEAL"


def test_desk_and_comparison_judge_the_same_turn() -> None:
    """The desk marks its answer, and a comparison asks its request."""
    assert get_judged_answer(LEFT) == "A2"
    messages = make_shown_messages(LEFT, 1)
    assert [index for index, message in enumerate(messages) if message.is_answer] == [3]
    compared = make_compared_session(LEFT)
    assert not isinstance(compared, str)
    assert (compared.messages[-1].content, compared.expected) == ("Q2", "IDEAL")
    own = make_compared_session(LEFT, {2: {"expectedOutput": "OF THE TURN"}})
    assert not isinstance(own, str)
    assert own.expected == "OF THE TURN"


def test_the_desk_marks_calls_that_are_the_answer() -> None:
    """There is no text to take as expected output, and the calls are shown as the answer."""
    assert get_judged_answer(ENDS_WITH_CALLS) == ""
    (answer,) = [shown for shown in make_shown_messages(ENDS_WITH_CALLS, 1) if shown.is_answer]
    assert [call.name for call in answer.message.tool_calls] == ["read"]


@pytest.mark.parametrize("name", OF_TURNS)
@pytest.mark.parametrize("talk", [LEFT, ENDS_WITH_CALLS, UNANSWERED])
@pytest.mark.parametrize("parts", ["turns", "last"])
def test_an_expected_output_reaches_its_row(name: str, talk: Session, parts: str) -> None:
    """The output appears once, at the judged turn, in every format of requests and answers."""
    rows = export_rows(name, talk, parts=parts)
    expecting = [row for row in rows if "IDEAL" in json.dumps(row)]
    assert [json.dumps(row).count('"Q2"') for row in expecting] == [1]
    assert expecting == rows[-1:]
