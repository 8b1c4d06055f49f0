"""A command with a cluster grades there, but for evals that ask the judge, whose key it has."""

import shutil
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.cluster import graders
from runner.evals.discovery import Suite, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, Submission
from runner.grading.worker.protocol import ALL_TESTS
from runner.runs import launch
from tests.runner.growing_graders import pass_at_once

pytestmark = pytest.mark.unit

SUITE = Path(__file__).parents[1] / "typescript_suite"
OF_CLUSTER, HERE = "of the cluster", "here"


class NamedGraders:
    """Graders that note what they get."""

    def __init__(self, got: list[tuple[str, str]], name: str, size: int) -> None:
        """Note in ``got``, under a name."""
        self._got = got
        self._name = name
        self.window = 2 * size
        self.threads = size

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Let a submission pass at once, and note it."""
        self._got.append((self._name, submission.evaluation.name))
        future: Future[GradingResult] = Future()
        future.set_result(pass_at_once())
        return future


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Two evals, of which the second one has a test that a judge decides."""
    category = tmp_path / "evals" / "003-functions"
    for name in ("000-plain", "001-judged"):
        shutil.copytree(SUITE / "evals" / "003-functions" / "010-validators", category / name)
    with (category / "001-judged" / "grader.test.ts").open("a") as grader:
        grader.write("createAIGraderTest(import.meta.url, 'Is it kind?');\n")
    return discover(tmp_path / "evals")


def get_eval_names(suite: Suite) -> tuple[str, str]:
    """Return the eval that asks no judge, and the one that does."""
    plain, judged = suite.evals
    assert (plain.asks_judge, judged.asks_judge) == (False, True)
    return plain.name, judged.name


@pytest.fixture
def grade_all(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str | None], Mapping[str, str]]:
    """A function that has both evals graded, and says where; it takes the judge's name."""

    def grade_all(judge: str | None) -> Mapping[str, str]:
        got: list[tuple[str, str]] = []

        @contextmanager
        def open_cluster(*_: object, **_options: object) -> Generator[NamedGraders]:
            yield NamedGraders(got, OF_CLUSTER, 4)

        @contextmanager
        def open_service(*_: object) -> Generator[NamedGraders]:
            yield NamedGraders(got, HERE, 1)

        monkeypatch.setattr(graders, "open_cluster_graders", open_cluster)
        monkeypatch.setattr(launch, "open_grading", open_service)
        monkeypatch.setattr(launch, "name_judge", lambda: judge)
        settings = GradingSettings(cluster="local:4")
        with launch.open_graders(settings, suite, lambda _: None) as opened:
            for evaluation in suite.evals:
                opened.submit(Submission(evaluation, ALL_TESTS, reply="")).result(30)
        return {evaluation: name for name, evaluation in got}

    return grade_all


def test_evals_that_ask_the_judge_are_graded_here(
    suite: Suite, grade_all: Callable[[str | None], Mapping[str, str]]
) -> None:
    """All others are graded by the cluster."""
    plain, judged = get_eval_names(suite)
    assert grade_all("openai/judge") == {plain: OF_CLUSTER, judged: HERE}


def test_without_a_judge_the_cluster_grades_all(
    suite: Suite, grade_all: Callable[[str | None], Mapping[str, str]]
) -> None:
    """Tests that a judge decides are judged nowhere then, so no key is needed."""
    assert grade_all(None) == dict.fromkeys(get_eval_names(suite), OF_CLUSTER)


def test_divided_graders_are_as_many_as_those_of_the_cluster() -> None:
    """The run sends as many submissions as keep the cluster busy."""
    divided = launch.DividedGraders(NamedGraders([], OF_CLUSTER, 4), NamedGraders([], HERE, 1))
    assert (divided.window, divided.threads) == (8, 4)
