"""Steps and tests at which answers to one eval fail, and how many models fail each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from generator.facts.site_data import SiteData
from generator.facts.urls import Link, build_attempt_href
from generator.read.suite_texts import EvalTexts
from generator.read.summaries import RunSummary
from records.shapes.attempt import StepName
from records.suites.experiments import DEFAULT

_NAMED: Final = 8
"""The most models that a row names; further models are only counted."""

_UNKNOWN_STEP: Final = "step not published"


class FailingPlace(NamedTuple):
    """A step or a test that some models fail."""

    words: str
    """The step's name, or the purpose of the test."""
    anchor: str | None
    """The anchor of the test in the list of tests; None for a step, or a test that is gone."""
    test: bool
    """Whether this is a test; tests follow the step `tests`."""
    models: int
    attempts: Sequence[Link]
    """A failed attempt of each model, by the model's name; at most `_NAMED`."""

    @property
    def unnamed_models(self) -> int:
        """The number of models that are not named."""
        return self.models - len(self.attempts)


class FailingPlaces(NamedTuple):
    """The steps and tests at which answers to an eval fail, in one version."""

    version: Link
    models: int
    """The number of models asked with guidelines; only the newest run of each is used."""
    failing: int
    """The number of these models that fail the eval in some attempt."""
    places: Sequence[FailingPlace]
    """Steps in the order of grading; after the step `tests` its tests, most often failed first."""


def find_failing_places(site: SiteData, name: str) -> FailingPlaces | None:
    """Return where answers to an eval fail, in the newest version with a failing model.

    None if no model that was asked with guidelines fails the eval.
    """
    for leaderboard in site.leaderboards.values():
        # Other tools do not name a step.
        is_known = name in leaderboard.health and not leaderboard.is_of_other_tool
        runs = [model.newest for model in leaderboard.select_models(DEFAULT) if is_known]
        failing = [run for run in runs if run.results[name].passed < run.results[name].judged]
        if failing:
            version = leaderboard.version
            return FailingPlaces(
                version=Link(site.build_version_href(version), site.titles[version]),
                models=len(runs),
                failing=len(failing),
                places=_build_places(failing, name, site.texts.get(name)),
            )
    return None


def _build_places(
    failing: Sequence[RunSummary], name: str, texts: EvalTexts | None
) -> list[FailingPlace]:
    steps: dict[str, list[Link]] = {}
    tests: dict[str, list[Link]] = {}
    for run in failing:
        step = run.results[name].failed_step or _UNKNOWN_STEP
        steps.setdefault(step, []).append(Link(build_attempt_href(run, name), run.name))
        for test, sample in run.failed_tests.get(name, ()):
            tests.setdefault(test, []).append(Link(build_attempt_href(run, name, sample), run.name))
    order = [*StepName, _UNKNOWN_STEP]
    sentences = {item.name: item.sentence for item in texts.grading.tests} if texts else {}
    failing_places: list[FailingPlace] = []
    for step in sorted(
        steps.keys() | ({StepName.TESTS.value} if tests else set()), key=order.index
    ):
        if step in steps:
            failing_places.append(_build_failing_place(step, None, steps[step], test=False))
        if step == StepName.TESTS:
            failing_places += _build_test_places(tests, sentences)
    return failing_places


def _build_test_places(
    tests: Mapping[str, Sequence[Link]], sentences: Mapping[str, str]
) -> Iterable[FailingPlace]:
    for name, attempts in sorted(tests.items(), key=lambda item: (-len(item[1]), item[0])):
        anchor = name if name in sentences else None
        yield _build_failing_place(sentences.get(name, name), anchor, attempts, test=True)


def _build_failing_place(
    words: str, anchor: str | None, attempts: Sequence[Link], *, test: bool
) -> FailingPlace:
    return FailingPlace(words, anchor, test, len(attempts), attempts[:_NAMED])
