"""The grading of an eval on its page: reference answer, tests, wrong and right variants."""

from collections.abc import Mapping

from generator.read.suite_texts import EvalTexts, VariantText
from generator.render.templates import Row
from generator.site_data import SiteBasics


def build_grader_href(site: SiteBasics, name: str, commit: str) -> str | None:
    """Return the address of an eval's grader in the repository, at a commit or a branch.

    None if the settings have no repository, or the eval belongs to a suite of another repository.
    """
    repository, texts = site.settings.repository, site.texts.get(name)
    if repository is None or (texts is not None and not texts.is_of_project):
        return None
    return f"{f'{repository}'.rstrip('/')}/blob/{commit}/evals/{name}/grader.py"


def describe_grading(texts: EvalTexts) -> Row:
    """Return how an eval is judged, from its ``texts``."""
    described = texts.grading
    tests = {
        test.name: Row(
            name=test.name,
            sentence=test.sentence,
            catches=sum(test.name in wrong.tests for wrong in described.refused),
        )
        for test in described.tests
    }
    return Row(
        reference=list(texts.reference.items()),
        tests=list(tests.values()),
        refused=[_build_wrong_line(variant, tests) for variant in described.refused],
        accepted=[variant.reason for variant in described.accepted],
    )


def _build_wrong_line(variant: VariantText, tests: Mapping[str, Row]) -> Row:
    """Return a wrong variant with its tests; leave out tests that the grader does not have.

    Of these, `leaderboard suite check` informs the author.
    """
    refusing = [tests[name] for name in variant.tests if name in tests]
    return Row(name=variant.name, reason=variant.reason, step=variant.step or "", tests=refusing)
