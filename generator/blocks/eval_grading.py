"""The grading of an eval on its page: reference answer, tests, wrong and right variants."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator.facts.site_data import SiteBasics
from generator.read.grading_texts import GradingTexts, VariantText
from generator.read.suite_texts import EvalTexts


class TestInWords(NamedTuple):
    """A test in words."""

    __test__ = False  # pytest would otherwise collect this class

    name: str
    """The name of the grader's function."""
    sentence: str
    catches: int
    """The number of wrong variants that the test must refuse."""


class WrongLine(NamedTuple):
    """A wrong answer that the grader must refuse."""

    name: str
    reason: str
    step: str
    tests: Sequence[TestInWords]
    """The tests that must refuse the answer; empty if it fails before the tests."""


class GradingInWords(NamedTuple):
    """How an eval is judged."""

    reference: Sequence[tuple[str, str]]
    """Path and text of each file of the reference answer."""
    tests: Sequence[TestInWords]
    refused: Sequence[WrongLine]
    accepted: Sequence[str]
    """Other right answers, each described by its difference."""


def build_grader_href(site: SiteBasics, name: str, commit: str) -> str | None:
    """Return the address of an eval's grader in the repository, at a commit or a branch.

    None if the settings have no repository, or the eval belongs to a suite of another repository.
    """
    repository, texts = site.settings.repository, site.texts.get(name)
    if repository is None or (texts is not None and not texts.is_of_project):
        return None
    return f"{f'{repository}'.rstrip('/')}/blob/{commit}/evals/{name}/grader.py"


def describe_grading(texts: EvalTexts) -> GradingInWords:
    """Return how an eval is judged, from its ``texts``."""
    described = texts.grading
    tests = _describe_tests(described)
    return GradingInWords(
        reference=list(texts.reference.items()),
        tests=list(tests.values()),
        refused=[_build_wrong_line(variant, tests) for variant in described.refused],
        accepted=[variant.reason for variant in described.accepted],
    )


def _describe_tests(texts: GradingTexts) -> dict[str, TestInWords]:
    return {
        test.name: TestInWords(
            test.name, test.sentence, sum(test.name in wrong.tests for wrong in texts.refused)
        )
        for test in texts.tests
    }


def _build_wrong_line(variant: VariantText, tests: Mapping[str, TestInWords]) -> WrongLine:
    """Return a wrong variant with its tests; leave out tests that the grader does not have.

    Of these, `leaderboard suite check` informs the author.
    """
    refusing = [tests[name] for name in variant.tests if name in tests]
    return WrongLine(variant.name, variant.reason, variant.step or "", refusing)
