"""A reset removes all traces of model code from its process."""

import threading
from collections.abc import Iterator

import pytest

from runner.backends.backend import Backend, Deployment
from runner.backends.client import BackendClient, FunctionError
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import deploy_files, open_client, read_project, reset_deployment

pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def deployment(embedded: Backend) -> Iterator[Deployment]:
    """A project whose functions change the world that they run in."""
    files = {**read_project("operations"), **read_project("keeping")}
    with deploy_files(embedded, files) as deployment:
        yield deployment


@pytest.fixture
def client(deployment: Deployment) -> Iterator[BackendClient]:
    """A client of that deployment, after a reset."""
    with reset_deployment(deployment) as client:
        yield client


def test_a_reset_takes_away_all_changes(client: BackendClient) -> None:
    """A property on any object that outlives a call is gone after a reset."""
    states: dict[str, object] = {}
    for place in client.call("query", "keeping:listPlaces"):
        client.call("mutation", "keeping:keep", {"place": place, "how": "set"})
        client.call_control("reset")
        states[place] = client.call("query", "keeping:find", {"place": place})
        client.call_control("reset")
    assert len(states) > 20
    assert set(states.values()) == {"fresh"}, states


@pytest.mark.parametrize("how", ["locked", "symbol", "getter", "frozen", "replaced"])
def test_a_reset_takes_away_however_it_was_set(client: BackendClient, how: str) -> None:
    """Locked properties, symbols, getters, frozen and replaced objects are restored."""
    client.call("mutation", "keeping:keep", {"place": "math", "how": how})
    assert client.call("query", "keeping:find", {"place": "math"}) == "kept"
    client.call_control("reset")
    assert client.call("query", "keeping:find", {"place": "math"}) == "fresh"


def test_no_code_changes_the_name_of_a_function_of_the_language(client: BackendClient) -> None:
    """A function of the language that has only a name and a length cannot be renamed."""
    with pytest.raises(FunctionError, match="Cannot redefine property: name"):
        client.call("mutation", "keeping:rename")

    client.call_control("reset")

    assert client.call("query", "keeping:nameOfMap") == "map"


def test_a_reset_takes_away_the_last_match(client: BackendClient) -> None:
    """RegExp has no match of the test before."""
    assert client.call("query", "keeping:match") is True
    assert client.call("query", "keeping:lastMatch") == "secret"
    client.call_control("reset")
    assert client.call("query", "keeping:lastMatch") == ""


def test_a_reset_ends_a_function_that_is_under_way(client: BackendClient) -> None:
    """An action that a mutation scheduled has no more effect after a reset."""
    Convex(client).stub_fetch("https://example.test/")
    client.call("mutation", "keeping:goOn")
    while client.call("query", "keeping:late") != "7":
        pass
    client.call_control("reset")
    Convex(client).stub_fetch("https://example.test/")
    assert {client.call("query", "keeping:late") for _ in range(20)} == {"undefined"}


def test_a_caller_learns_that_a_reset_ended_its_call(
    client: BackendClient, deployment: Deployment
) -> None:
    """A call that waits when a reset comes fails, and does not wait for ever."""
    messages: list[str] = []

    def call() -> None:
        with BackendClient(deployment.address) as other, pytest.raises(FunctionError) as raised:
            other.call("action", "keeping:sleep")
        messages.append(raised.value.message)

    waiting = threading.Thread(target=call)
    waiting.start()
    while client.call("query", "keeping:late") != "7":
        pass
    client.call_control("reset")
    waiting.join()
    assert "The deployment was reset while this function ran." in messages[0]


def test_a_process_that_was_left_as_it_was_goes_on(client: BackendClient) -> None:
    """Code that changes nothing costs no new process at a reset."""

    def read_process_start() -> object:
        Convex(client).stub_fetch("https://example.test/")
        client.call("mutation", "asking:chainedMutation")
        return client.call("action", "keeping:began")

    before = read_process_start()
    client.call_control("reset")
    assert read_process_start() == before


def test_a_reset_takes_away_all_changes_in_node(embedded: Backend) -> None:
    """The Node.js runtime shares more objects, and none of them keeps any data."""
    files = {**read_project("operations"), **read_project("keeping_in_node")}
    with open_client(embedded, files) as client:
        states: dict[str, object] = {}
        for place in client.call("action", "node:listPlaces"):
            assert client.call("action", "node:keep", {"place": place}) == "function"
            client.call_control("reset")
            states[place] = client.call("action", "node:find", {"place": place})
    assert len(states) > 5
    assert set(states.values()) == {"fresh"}, states
