"""Components in their own packages from npm."""

from typing import cast

import pytest

from runner.backends.client import BackendClient

pytestmark = pytest.mark.integration


PROJECT = "packages"
"""The folder of a project that installs each package."""


def test_an_aggregate_counts_and_sums(app: BackendClient) -> None:
    """The tree of the documents of an aggregate belongs to the component."""
    for n in range(40):
        app.call("mutation", "app:addScore", {"name": f"p{n}", "score": float(n)})
    assert app.call("query", "app:summary", {}) == {"count": 40, "sum": 780, "best": 39}


def test_a_rate_limit_holds_and_ends(app: BackendClient) -> None:
    """Two calls pass at once, and the next call a minute later on the deployment's clock."""
    sent = [app.call("mutation", "app:send", {"key": "ada"}) for _ in range(3)]
    assert sent == [True, True, False]
    assert app.call("mutation", "app:send", {"key": "bob"}) is True
    app.advance_to(app.read_time() + 61)
    assert app.call("mutation", "app:send", {"key": "ada"}) is True


def test_a_sharded_counter_counts(app: BackendClient) -> None:
    """The sum of the shards is the count."""
    app.call("mutation", "app:count", {"by": 7})
    assert app.call("query", "app:counted", {}) == 7


def test_a_workpool_runs_actions_and_calls_back(app: BackendClient) -> None:
    """The workpool's component runs the work, by handles of the app's functions."""
    app.call("mutation", "app:enqueue", {"texts": ["a", "b", "c"]})
    app.advance_to(app.read_time() + 30)
    lines = cast("list[str]", app.call("query", "app:lines", {}))
    assert sorted(lines) == ["a", "a: success", "b", "b: success", "c", "c: success"]


def test_a_retrier_goes_on_until_the_action_succeeds(app: BackendClient) -> None:
    """The action fails twice, then succeeds, and then the callback runs."""
    app.call("mutation", "app:retry", {})
    app.advance_to(app.read_time() + 60)
    assert app.call("query", "app:lines", {}) == ["attempt", "attempt", "attempt", "success"]


def test_crons_that_are_registered_run(app: BackendClient) -> None:
    """The crons run each minute, from the component's own schedule."""
    app.call("mutation", "app:register", {})
    app.advance_to(app.read_time() + 150)
    assert app.call("query", "app:lines", {}) == ["tick", "tick"]


def test_a_migration_changes_all_documents(app: BackendClient) -> None:
    """The component calls the app's function batch by batch."""
    for n in range(3):
        app.call("mutation", "app:addScore", {"name": f"p{n}", "score": float(n)})
    app.call("mutation", "app:migrate", {})
    app.advance_to(app.read_time() + 10)
    assert app.call("query", "app:seen", {}) == [True, True, True]
