"""What modules and functions of the default runtime have around them, as on the real backend."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner import emulator
from runner.backends.backend import Backend, Deployment
from runner.backends.client import BackendClient, FunctionError
from tests.runner.emulator.conftest import (
    deploy_files,
    read_logs,
    read_project,
    reset_deployment,
)
from tests.support.texts import read_cases

pytestmark = pytest.mark.integration

PROJECT = "runtime"
DAY_S = 24 * 3600.0


def read_values(app: BackendClient) -> list[dict[str, Any]]:
    """Return the values that a function of each kind reads in its module and in its call."""
    values: list[Any] = [
        app.call("query", "top:read", {}),
        app.call("mutation", "top:write", {}),
        app.call("action", "top:act", {}),
        app.call("action", "nodes:act", {}),
    ]
    return [*values, app.send_http("GET", "/top").json()]


def test_a_module_keeps_the_time_and_the_chance_of_the_deploy(app: BackendClient) -> None:
    """Values made at the top of a module never change: not between kinds, days and resets."""
    before = read_values(app)
    app.advance_to(app.read_time() + DAY_S)
    later = read_values(app)
    app.call_control("reset")
    tops = [value["top"] for value in [*before, *later, *read_values(app)]]
    assert {top["now"] for top in tops} == {tops[0]["date"]}
    tops = [{**top, "performance": 0} for top in tops]
    assert tops == [tops[0]] * len(tops)


def test_a_function_has_the_present_time_and_chances_of_its_own(app: BackendClient) -> None:
    """Inside functions time goes on, and no two calls draw the same number."""
    before = read_values(app)
    app.advance_to(app.read_time() + DAY_S)
    later = read_values(app)
    for earlier, value in zip(before, later, strict=True):
        assert value["now"] - earlier["now"] >= DAY_S * 1000
    drawn = [value["random"] for value in [*before, *later]]
    assert len({*drawn, before[0]["top"]["random"]}) == len(drawn) + 1


def test_a_module_that_an_action_imports_has_the_time_of_the_call(app: BackendClient) -> None:
    """A module that is loaded while a function runs sees the time of that function."""
    app.advance_to(app.read_time() + DAY_S)
    value: Any = app.call("action", "top:late", {})
    assert abs(value["now"] - value["loadedLate"]) < DAY_S * 1000 / 2


CASES = read_cases(__file__)
LIST = json.loads(
    (Path(emulator.__file__).parent / "inside" / "default_runtime.json").read_text("utf-8")
)
"""The names and members of the real runtime."""
NAMES = [*LIST["language"], *LIST["values"], *LIST["classes"]]
OF_EVERY_CLASS = {"constructor", "length", "name", "prototype"}


@pytest.fixture(scope="module", params=["alone", "beside Node"])
def runtime(request: pytest.FixtureRequest, embedded: Backend) -> Iterator[Deployment]:
    """The default runtime, without and with modules of Node's runtime beside it."""
    files = read_project(PROJECT)
    types = ", ".join(f"{name}: typeof {name}" for name in [*NAMES, *CASES["hidden"]])
    files["convex/names.ts"] = files["convex/names.ts"].replace("{ TYPES }", f"{{ {types} }}")
    if request.param == "alone":
        del files["convex/nodes.ts"]
    with deploy_files(embedded, files) as deployment:
        yield deployment


@pytest.fixture
def around(runtime: Deployment) -> Iterator[BackendClient]:
    """A client of the empty deployment of a default runtime."""
    with reset_deployment(runtime) as client:
        yield client


def test_the_global_names_are_those_of_the_real_runtime(around: BackendClient) -> None:
    """No global name is missing, and none exists here alone, as a property or by itself."""
    seen = around.call("query", "names:names", {"names": [*NAMES, *CASES["hidden"]]})
    assert seen["global"] == sorted(NAMES)
    assert seen["missing"] == sorted({*CASES["hidden"], "undefined"})


@pytest.mark.parametrize("runtime", ["alone"], indirect=True)
def test_the_members_of_classes_are_those_of_the_real_runtime(around: BackendClient) -> None:
    """No member of a class of the web is missing, and none exists here alone."""
    for name, members in around.call(
        "query", "names:members", {"classes": [*LIST["classes"]]}
    ).items():
        listed = LIST["classes"][name]
        assert sorted({*members["static"]} - OF_EVERY_CLASS) == listed["static"], name
        assert sorted({*members["prototype"]} - {"constructor"}) == listed["prototype"], name


@pytest.mark.parametrize("use", CASES["uses"])
def test_members_that_only_node_has_cannot_be_used(around: BackendClient, use: str) -> None:
    """Such a member is undefined: calling it throws an error that the code can catch."""
    with pytest.raises(FunctionError, match=re.escape(f"Uncaught {CASES['uses'][use]}")):
        around.call("action", "names:act", {"use": use})
    assert around.call("mutation", "names:caught", {"use": use}) == "caught"


@pytest.mark.parametrize("use", CASES["ends"])
def test_unimplemented_members_end_the_call(around: BackendClient, use: str) -> None:
    """The call fails with the real words, even if its code catches the error."""
    with pytest.raises(FunctionError, match=re.escape(f"Server Error\n{CASES['ends'][use]}")):
        around.call("mutation", "names:caught", {"use": use})
    assert around.list_documents("caught") == []


def test_every_kind_of_call_is_ended(around: BackendClient) -> None:
    """Queries, mutations and actions end in the same way."""
    ended = re.escape(f"Server Error\n{CASES['ends']['mode']}")
    for kind, name in (("query", "read"), ("mutation", "write"), ("action", "act")):
        with pytest.raises(FunctionError, match=ended):
            around.call(kind, f"names:{name}", {"use": "mode"})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("use", CASES["values"])
def test_members_of_the_real_runtime_work(around: BackendClient, use: str) -> None:
    """Marks, measures, stores of a call and the environment are those of the real runtime."""
    assert around.call("query", "names:read", {"use": use}) == CASES["values"][use]


def test_the_time_of_performance_stands_still_in_queries(around: BackendClient) -> None:
    """`performance.now()` counts from the deploy; it moves in mutations and actions only."""
    around.advance_to(around.read_time() + DAY_S)
    assert around.call("query", "names:read", {"use": "stands"}) == [0, True]
    assert around.call("mutation", "names:write", {"use": "runs"}) is True
    assert around.call("action", "names:act", {"use": "runs"}) is True


def test_timers_of_the_console_log_without_quotes(runtime: Deployment) -> None:
    """A timer logs its label and its milliseconds as they are, and further values inspected."""
    first, last = read_logs(runtime, "query", "names:read", {"use": "timer"})
    assert re.fullmatch(r"\[INFO\] t: \d+ms 'a' 1", first)
    assert re.fullmatch(r"\[INFO\] t: \d+ms", last)


def test_actions_of_node_keep_the_globals_of_node(app: BackendClient) -> None:
    """All that the default runtime lacks works in an action of Node's runtime."""
    assert app.call("action", "nodes:names", {}) == {
        "mode": "cors",
        "host": "b.test",
        "size": 1,
        "bytes": 1,
        "names": ["function", "function", "function"],
        "made": "function",
        "listed": True,
    }
