"""The grading of an eval on its page: reference, tests, and the variants that prove them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator.facts.site_basics import SiteBasics
from generator.read.grading_texts import GradingTexts, VariantText
from generator.read.suite_texts import EvalTexts


class TestInWords(NamedTuple):
    """A test in words."""

    __test__ = False  # pytest would otherwise collect this class

    name: str
    """The grader's function."""
    sentence: str
    catches: int
    """Wrong variants that it must refuse."""


class WrongLine(NamedTuple):
    """A wrong answer that the grader must refuse."""

    name: str
    reason: str
    step: str
    tests: Sequence[TestInWords]
    """Tests that must refuse it; empty where it fails before tests."""


class GradingInWords(NamedTuple):
    """How an eval is judged."""

    reference: Sequence[tuple[str, str]]
    """Path and text of each file of the reference answer."""
    tests: Sequence[TestInWords]
    refused: Sequence[WrongLine]
    accepted: Sequence[str]
    """Other right answers, each described by its difference."""


def grader_href(site: SiteBasics, name: str, commit: str) -> str | None:
    """Return where the grader of an eval of the suite stands at ``commit`` or on that branch.

    None where the settings name no repository, or the suite is kept elsewhere.
    """
    repository, texts = site.settings.repository, site.texts.get(name)
    if repository is None or (texts is not None and not texts.is_of_project):
        return None
    return f"{f'{repository}'.rstrip('/')}/blob/{commit}/evals/{name}/grader.py"


def grading(texts: EvalTexts) -> GradingInWords:
    """Gather how the eval of ``texts`` is judged."""
    described = texts.grading
    tests = _tests(described)
    return GradingInWords(
        reference=list(texts.reference.items()),
        tests=list(tests.values()),
        refused=[_wrong(variant, tests) for variant in described.refused],
        accepted=[variant.reason for variant in described.accepted],
    )


def _tests(said: GradingTexts) -> dict[str, TestInWords]:
    return {
        test.name: TestInWords(
            test.name, test.sentence, sum(test.name in wrong.tests for wrong in said.refused)
        )
        for test in said.tests
    }


def _wrong(variant: VariantText, tests: Mapping[str, TestInWords]) -> WrongLine:
    """Tests that the grader does not have are left out: `leaderboard suite check` refuses them."""
    refusing = [tests[name] for name in variant.tests if name in tests]
    return WrongLine(variant.name, variant.reason, variant.step or "", refusing)
