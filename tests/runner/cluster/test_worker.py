"""A worker refuses to grade, by name, if its verdicts would depend on something else."""

import os
from pathlib import Path

import pytest

from runner.cluster.messages import GradingOrder, SentSubmission, write_order
from runner.cluster.worker import WorkerGrader
from runner.evals.discovery import Suite
from runner.grading.worker.protocol import ALL_TESTS
from runner.models.api_keys import find_key_variables
from runner.toolchain import find_toolchain
from tests.runner.cluster.conftest import write_small_suite

pytestmark = pytest.mark.integration


@pytest.fixture
def order(small_suite: Suite) -> GradingOrder:
    """The order of a driver with the same files."""
    toolchain = find_toolchain(small_suite.root)
    return write_order(small_suite, toolchain, "embedded", "bwrap", is_local=True)


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in find_key_variables(os.environ):
        monkeypatch.delenv(name)


def find_refusal(order: GradingOrder) -> str | None:
    """Return why this process does not grade under an order."""
    grader = WorkerGrader(order, 1, "tls://127.0.0.1:1")
    grader.close()
    return grader.refusal


def test_a_worker_without_the_suite_refuses(order: GradingOrder) -> None:
    """No grader is opened, and the reason names the folder."""
    assert "/nowhere" in (find_refusal(order.model_copy(update={"suite_root": "/nowhere"})) or "")


def test_a_key_in_the_environment_is_refused(
    order: GradingOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named, its value is not; Python's fingerprint in containers is no key."""
    monkeypatch.setenv("GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    assert find_refusal(order) == "its environment has OPENAI_API_KEY: start it without keys"


def test_another_jail_than_the_owners_is_refused(
    order: GradingOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver cannot have model-written code run outside of the jail that the owner allows."""
    monkeypatch.setenv("LEADERBOARD_SANDBOX", "none")
    assert find_refusal(order) == "its jail is none, not bwrap"
    monkeypatch.setenv("LEADERBOARD_SANDBOX", "chroot")
    assert find_refusal(order) == "LEADERBOARD_SANDBOX=chroot: there is no such jail"


def test_a_toolchain_that_changes_later_is_refused(tmp_path: Path) -> None:
    """A file of the toolchain changes after a verdict: the worker gives no further verdict."""
    suite = write_small_suite(tmp_path / "evals")
    packages = suite.root / "admitted_packages.json"
    text = packages.read_text()
    packages.unlink()
    packages.write_text(text)
    order = write_order(suite, find_toolchain(suite.root), "embedded", "bwrap", is_local=True)
    grader = WorkerGrader(order, 1, "tls://127.0.0.1:1")
    try:
        prose = SentSubmission(
            eval=suite.evals[0].name, selection=ALL_TESTS, reply="Prose.", files=None
        )
        message = prose.model_dump_json().encode()
        assert grader.grade(message).result is not None
        packages.write_text('["left-pad"]\n')
        verdict = grader.grade(message)
        assert verdict.result is None
        assert verdict.refusal == "its toolchain has changed since it started"
    finally:
        grader.close()
