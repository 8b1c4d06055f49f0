"""Components from npm, as their own packages bring them."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from runner.grading.backends import Backend
from runner.grading.backends.base import Deployment
from runner.grading.backends.client import BackendClient
from runner.grading.toolchain import Toolchain
from tests.runner.grading.backends.conftest import deployed_project, emptied, project
from tests.runner.grading.backends.test_codegen import check_types, write_project

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def deployment(embedded: Backend) -> Iterator[Deployment]:
    """The project ``packages``, which installs each package."""
    with deployed_project(embedded, "packages") as deployment:
        yield deployment


@pytest.fixture
def app(deployment: Deployment) -> Iterator[BackendClient]:
    """A client of the empty app."""
    with emptied(deployment) as client:
        yield client


def test_packages_have_their_types(tmp_path: Path, toolchain: Toolchain) -> None:
    """Their classes take the references in `components`."""
    write_project(tmp_path, project("packages"))
    assert check_types(tmp_path, toolchain) == ""


def test_an_aggregate_counts_and_sums(app: BackendClient) -> None:
    """The tree of its documents is the component's."""
    for n in range(40):
        app.mutation("app:addScore", {"name": f"p{n}", "score": float(n)})
    assert app.query("app:summary", {}) == {"count": 40, "sum": 780, "best": 39}


def test_a_rate_limit_holds_and_ends(app: BackendClient) -> None:
    """Two at once, the next one after a minute of the deployment's clock."""
    sent = [app.mutation("app:send", {"key": "ada"}) for _ in range(3)]
    assert sent == [True, True, False]
    assert app.mutation("app:send", {"key": "bob"}) is True
    app.advance_to(app.now() + 61)
    assert app.mutation("app:send", {"key": "ada"}) is True


def test_a_sharded_counter_counts(app: BackendClient) -> None:
    """The shards add up."""
    app.mutation("app:count", {"by": 7})
    assert app.query("app:counted", {}) == 7


def test_a_workpool_runs_actions_and_calls_back(app: BackendClient) -> None:
    """Its own component runs the work, by handles of the app's functions."""
    app.mutation("app:enqueue", {"texts": ["a", "b", "c"]})
    app.advance_to(app.now() + 30)
    lines = cast("list[str]", app.query("app:lines", {}))
    assert sorted(lines) == ["a", "a: success", "b", "b: success", "c", "c: success"]


def test_a_retrier_goes_on_until_the_action_succeeds(app: BackendClient) -> None:
    """Two failures, then success, then the callback."""
    app.mutation("app:retry", {})
    app.advance_to(app.now() + 60)
    assert app.query("app:lines", {}) == ["attempt", "attempt", "attempt", "success"]


def test_crons_that_are_registered_run(app: BackendClient) -> None:
    """Each minute, from the component's own schedule."""
    app.mutation("app:register", {})
    app.advance_to(app.now() + 150)
    assert app.query("app:lines", {}) == ["tick", "tick"]


def test_a_migration_changes_all_documents(app: BackendClient) -> None:
    """The component calls the app's function batch by batch."""
    for n in range(3):
        app.mutation("app:addScore", {"name": f"p{n}", "score": float(n)})
    app.mutation("app:migrate", {})
    app.advance_to(app.now() + 10)
    assert app.query("app:seen", {}) == [True, True, True]
