"""What modules and functions of the default runtime have around them, as on the real backend."""

from typing import Any, Final

import pytest

from runner.backends.client import BackendClient

pytestmark = pytest.mark.integration

PROJECT = "runtime"
DAY_S: Final = 24 * 3600.0
KINDS: Final = {
    "query": "top:read",
    "mutation": "top:write",
    "action": "top:act",
    "action of Node": "nodes:act",
}


def read_values(app: BackendClient) -> list[dict[str, Any]]:
    """Return what a function of each kind tells about its module and its call."""
    values = [app.call(kind.split()[0], path, {}).value for kind, path in KINDS.items()]
    return [*values, app.send_http("GET", "/top").json()]


def test_a_module_keeps_the_time_and_the_chance_of_the_deploy(app: BackendClient) -> None:
    """Values made at the top of a module never change: not between kinds, days and resets."""
    before = read_values(app)
    app.advance_to(app.read_time() + DAY_S)
    later = read_values(app)
    app.reset()
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
    value = app.call("action", "top:late", {}).value
    assert abs(value["now"] - value["loadedLate"]) < DAY_S * 1000 / 2
