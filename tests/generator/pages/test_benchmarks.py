"""The page of benchmark versions: the changes of each version against the version before."""

from pathlib import Path

import pytest

from generator.pages.benchmarks import build_benchmarks_page
from generator.render.environment import Row
from tests.generator.contexts import gather_published_site

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


def _build_changes() -> dict[str, Row]:
    return {
        change.version: change for change in build_benchmarks_page(gather_published_site()).changes
    }


def test_added_and_removed_evals_are_those_of_the_definitions() -> None:
    """A version is compared with the next older version of the same origin."""
    boards = list(gather_published_site().leaderboards.values())
    compared = 0
    for at, board in enumerate(boards):
        change = _build_changes()[board.version]
        older = [o for o in boards[at + 1 :] if o.benchmark.source == board.benchmark.source]
        assert (change.before is None) is (not older)
        if older:
            compared += 1
            now, then = set(board.list_eval_names()), set(older[0].list_eval_names())
            counts = {changed.heading: len(changed.evals) for changed in change.evals}
            assert counts.get("Added", 0) == len(now - then)
            assert counts.get("Removed", 0) == len(then - now)
    assert compared >= 2


def test_the_length_of_guidelines_is_reported_where_that_very_text_was_counted() -> None:
    """The suite's own count is shown where a version sent the text that the suite has."""
    text = gather_published_site().guidelines
    assert text is not None
    assert text.tokens is not None
    lines = {
        line.benchmark.version: line.guidelines_tokens
        for line in build_benchmarks_page(gather_published_site()).versions
    }
    for version, board in gather_published_site().leaderboards.items():
        same = board.benchmark.guidelines == text.digest
        assert lines[version] == (text.tokens.tokens if same else None)
    assert set(lines.values()) == {None, text.tokens.tokens}


def test_parts_that_were_not_published_are_not_compared() -> None:
    """Imported versions fix names alone; their prompt and guidelines are not compared."""
    boards = gather_published_site().leaderboards
    for version, change in _build_changes().items():
        assert change.names_only is (boards[version].benchmark.source is not None)
        assert not (change.names_only and change.parts)
