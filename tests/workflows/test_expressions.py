"""Expressions of workflows have the values that GitHub gives them."""

from typing import Any, Final

import pytest

from tests.workflows.expressions import evaluate, holds, insert

pytestmark = pytest.mark.more

CONTEXTS: Final[dict[str, Any]] = {
    "secrets": {"KEY": "k"},
    "vars": {},
    "matrix": {"run": {"model": "a/b", "budget": 5}},
    "needs": {"plan": {"outputs": {"runs": '[{"model": "a/b"}]'}}},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("secrets.KEY && 'set'", "set"),
        ("secrets.OTHER && 'set'", None),
        ("vars.BUDGET_USD || '50'", "50"),
        ("matrix.run.model", "a/b"),
        ("matrix.snake.model", None),
        ("needs.plan.outputs.runs != '[]'", True),
        ("'Main' == 'main'", True),
        ("vars.NONE == ''", True),
        ("!(true && false) || null", True),
        ("fromJSON(needs.plan.outputs.runs)", [{"model": "a/b"}]),
        ("format('it''s {0} of {1}', matrix.run.budget, true)", "it's 5 of true"),
    ],
)
def test_values(text: str, value: object) -> None:
    """Names without a value are null; the sides of || and && keep their values."""
    assert evaluate(text, CONTEXTS) == value


@pytest.mark.parametrize("text", ["unknown.name", "nothing()", "a ? b", "'a' 'b'", "("])
def test_what_is_not_known_is_an_error(text: str) -> None:
    """An empty text in its place would let a test pass that runs something else."""
    with pytest.raises((KeyError, ValueError, IndexError)):
        evaluate(text, CONTEXTS)


def test_a_text_has_its_expressions_replaced() -> None:
    """An expression that stands alone keeps its type."""
    assert insert("${{ matrix.run.model }} at ${{ vars.B }}", CONTEXTS) == "a/b at "
    assert insert("${{ matrix.run.budget }}", CONTEXTS) == 5


@pytest.mark.parametrize(
    ("condition", "after_success", "after_failure"),
    [
        (None, True, False),
        ("${{ always() }}", True, True),
        ("failure()", False, True),
        ("needs.plan.outputs.runs != '[]'", True, False),
        ("needs.plan.outputs.runs == '[]'", False, False),
    ],
)
def test_conditions(condition: str | None, *, after_success: bool, after_failure: bool) -> None:
    """By default a step runs only after success."""
    assert holds(condition, CONTEXTS, {"success": True}) is after_success
    assert holds(condition, CONTEXTS, {"failure": True}) is after_failure
