# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A skeleton of six functions: each of the right kind, three of them closed to the internet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

KINDS = {
    "status": "query",
    "reserve": "mutation",
    "slew": "action",
    "faults": "query",
    "park": "mutation",
    "calibrate": "action",
}
PUBLIC = ["status", "reserve", "slew"]
INTERNAL = ["faults", "park", "calibrate"]


def call(convex: Convex, name: str, args: dict[str, str] | None = None) -> object:
    """Call a function of the dome as what it has to be."""
    kinds = {"query": convex.query, "mutation": convex.mutation, "action": convex.action}
    return kinds[KINDS[name]](f"dome:{name}", args)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_answer_anybody(convex: Convex, name: str) -> None:
    """Anybody can call what the control page calls, and receives null."""
    assert call(convex, name) is None


@pytest.mark.parametrize("name", INTERNAL)
def test_internal_functions_are_closed_to_the_internet(convex: Convex, name: str) -> None:
    """A call from outside is refused, whoever is signed in and whatever kind they take it for."""
    for caller in (convex, convex.as_user("astronomer")):
        for attempt in (caller.query, caller.mutation, caller.action):
            with pytest.raises(FunctionFailed):
                attempt(f"dome:{name}")


@pytest.mark.parametrize("name", INTERNAL)
def test_internal_functions_work_for_the_backend(convex: Convex, name: str) -> None:
    """What only the backend may call answers it with null."""
    assert call(convex.admin, name) is None


@pytest.mark.parametrize("name", KINDS)
def test_each_function_is_of_the_kind_that_fits(convex: Convex, name: str) -> None:
    """Reading is a query, writing a mutation, reaching the network an action."""
    found = convex.functions.get(f"dome:{name}")
    assert found is not None, f"there is no function dome:{name}"
    assert found.kind == KINDS[name]


@pytest.mark.parametrize("name", KINDS)
def test_arguments_are_refused(convex: Convex, name: str) -> None:
    """A call that gives an argument is refused."""
    call(convex.admin, name)
    with pytest.raises(FunctionFailed):
        call(convex.admin, name, {"azimuth": "north"})


def test_there_is_nothing_else_to_call(convex: Convex) -> None:
    """The six are all the functions there are, and three of them are public."""
    assert set(convex.functions) == {f"dome:{name}" for name in KINDS}
    public = {path for path, found in convex.functions.items() if found.visibility == "public"}
    assert public == {f"dome:{name}" for name in PUBLIC}
