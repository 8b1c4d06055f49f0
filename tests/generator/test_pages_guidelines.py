"""The page on the effect of the guidelines, over the published pair of one model."""

from functools import cache
from pathlib import Path

from generator.site.guidelines import EffectLine, GuidelinesPage, guidelines_page
from records.folder import DataFolder
from tests.generator.contexts import site_of

ROOT = Path(__file__).parents[2]


@cache
def page() -> GuidelinesPage:
    """The page of the version that holds the pair."""
    site = site_of(DataFolder(ROOT / "data"))
    return guidelines_page(site, site.leaderboards["convex-evals-66-dbe4c5df"])


def test_the_published_pair_is_shown_with_its_figures() -> None:
    """55 of 66 with and 47 of 66 without: 11 fixed, 3 broken, and how sure that is."""
    (line,) = page().models
    assert (line.with_guidelines.passes, line.without.passes, line.same) == ("55", "47", 52)
    assert (line.fixed, line.broken) == (11, 3)
    assert round(line.difference.points, 1) == 12.1
    assert line.difference.low is not None
    assert line.difference.low > 0
    assert round(line.p_value, 3) == 0.057
    assert line.evidence == "borderline"
    assert not line.difference.real  # not in bold: its evidence is not clear
    assert page().detectable == line.smallest


def test_each_category_says_how_sure_its_effect_is() -> None:
    """Every line has an interval, a p-value, the smallest effect it could show, and a word."""
    lines = page().by_category
    assert len(lines) == 7
    assert sum(line.fixed for line in lines) == 11
    for line in lines:
        assert _word(line) == line.evidence
        assert line.smallest > 15.4  # fewer evals can only show larger effects


def _word(line: EffectLine) -> str:
    low, high = line.difference.low, line.difference.high
    assert low is not None
    assert high is not None
    by_interval, by_test = low > 0 or high < 0, line.p_value < 0.05
    return (
        "clear" if by_interval and by_test else "borderline" if by_interval or by_test else "none"
    )
