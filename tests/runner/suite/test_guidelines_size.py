"""The guidelines are measured by section, with the evals that exercise each section."""

from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.models import tokens
from runner.suite.guidelines_texts import measure_guidelines
from tests.runner.small_suite import write_suite

pytestmark = pytest.mark.unit


def test_sections_are_measured_with_their_evals(tmp_path: Path) -> None:
    """Each section has its tokens and its evals; a section without evals is a problem."""
    size = measure_guidelines(discover(write_suite(tmp_path / "evals")))
    assert [(each.slug, list(each.evals)) for each in size.sections] == [
        ("function-kinds", ["000-fundamentals/000-ponds", "002-queries/007-streams"]),
        ("validators-and-types", []),
    ]
    assert all(section.tokens > 0 for section in size.sections)
    assert size.tokens > sum(section.tokens for section in size.sections)
    assert [problem.split(":")[0] for problem in size.problems] == [
        "no eval exercises the section validators-and-types"
    ]


def test_too_long_a_text_is_a_problem(tmp_path: Path) -> None:
    """The whole text may have 8,000 tokens."""
    root = write_suite(tmp_path / "evals")
    with (root / "guidelines.md").open("a") as text:
        text.write("read " * 8000)
    assert "at most 8000" in measure_guidelines(discover(root)).problems[-1]


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("read", 1), ("ctx.db.query", 3), ("<|endoftext|>", 7)]
)
def test_tokens_are_counted_without_the_network(text: str, expected: int) -> None:
    """Counts are those of the vocabulary cl100k_base; its special words count as normal text."""
    assert tokens.count_tokens(text) == expected
