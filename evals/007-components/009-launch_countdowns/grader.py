# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Countdowns as a component, and rockets that are launched at their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex


def plan(convex: Convex, rocket: str = "Vega", seconds: float = 60) -> None:
    """Plan a launch."""
    args: dict[str, str | float] = {"rocket": rocket, "seconds": seconds}
    assert convex.mutation("launches:plan", args) is None


def abort(convex: Convex, rocket: str = "Vega") -> object:
    """Abort a launch."""
    return convex.mutation("launches:abort", {"rocket": rocket})


def launched(convex: Convex) -> object:
    """List what was launched."""
    return convex.query("launches:launched")


def running(convex: Convex) -> list[object]:
    """List the labels in the component's table."""
    return [each["label"] for each in convex.component("countdown").table("running")]


def shown(convex: Convex) -> object:
    """Ask the component by HTTP."""
    answer = convex.http("GET", "/countdowns/running")
    assert answer.status == 200
    return answer.json()


def test_a_rocket_is_launched_at_the_end(convex: Convex) -> None:
    """Not before the seconds have passed, and only once."""
    plan(convex)
    convex.clock.advance(58)
    assert (launched(convex), running(convex)) == ([], ["Vega"])
    convex.clock.advance(3)
    assert (launched(convex), running(convex)) == (["Vega"], [])
    convex.clock.advance(3600)
    assert launched(convex) == ["Vega"]
    (stored,) = convex.table("launches")
    assert stored["rocket"] == "Vega"


def test_countdowns_run_beside_each_other(convex: Convex) -> None:
    """Each rocket has a countdown of its own."""
    plan(convex, "Vega", 100)
    plan(convex, "Ariane", 30)
    plan(convex, "", 60)
    convex.clock.advance(65)
    assert (launched(convex), running(convex)) == (["", "Ariane"], ["Vega"])
    convex.clock.advance(65)
    assert launched(convex) == ["Vega", "", "Ariane"]


def test_a_countdown_is_replaced(convex: Convex) -> None:
    """Planned again, a rocket is launched at the new time only."""
    plan(convex, seconds=30)
    plan(convex, seconds=100)
    assert running(convex) == ["Vega"]
    convex.clock.advance(60)
    assert (launched(convex), running(convex)) == ([], ["Vega"])
    convex.clock.advance(60)
    assert launched(convex) == ["Vega"]


def test_a_countdown_is_halted(convex: Convex) -> None:
    """An aborted rocket stays on the ground, others do not, and it may be planned again."""
    plan(convex, "Vega", 30)
    plan(convex, "Ariane", 30)
    assert (abort(convex), abort(convex), abort(convex, "Soyuz")) == (True, False, False)
    assert running(convex) == ["Ariane"]
    convex.clock.advance(40)
    assert launched(convex) == ["Ariane"]
    assert abort(convex, "Ariane") is False
    plan(convex)
    convex.clock.advance(61)
    assert launched(convex) == ["Vega", "Ariane"]


@pytest.mark.parametrize("seconds", [9.9, 0, -60])
def test_short_countdowns_are_refused(convex: Convex, seconds: float) -> None:
    """Below ten seconds nothing begins, and what runs goes on."""
    plan(convex, seconds=10)
    with pytest.raises(FunctionFailed) as refusal:
        plan(convex, seconds=seconds)
    assert refusal.value.data == "too soon"
    assert running(convex) == ["Vega"]
    convex.clock.advance(11)
    assert launched(convex) == ["Vega"]


def test_the_component_answers_http(convex: Convex) -> None:
    """It tells its site and the sorted labels, below its prefix and nowhere else."""
    assert shown(convex) == {"site": "Kourou", "labels": []}
    for rocket in ("Vega", "Ariane", "Soyuz"):
        plan(convex, rocket)
    assert shown(convex) == {"site": "Kourou", "labels": ["Ariane", "Soyuz", "Vega"]}
    abort(convex, "Soyuz")
    assert shown(convex) == {"site": "Kourou", "labels": ["Ariane", "Vega"]}
    convex.clock.advance(61)
    assert shown(convex) == {"site": "Kourou", "labels": []}
    assert convex.http("GET", "/running").status == 404
    assert convex.http("POST", "/countdowns/running").status == 404


def test_any_mutation_may_be_called_back(convex: Convex) -> None:
    """The component calls the handle that it was given; a short countdown is one, too."""
    clock = convex.component("countdown")
    plan(convex, "Vega", 20)
    (countdown,) = clock.table("running")
    handles = [value for value in countdown.values() if str(value).startswith("function://")]
    for label, handle in enumerate(handles):
        args = {"label": f"by hand {label}", "seconds": 1.0, "handle": handle}
        assert clock.mutation("clock:start", args) is None
    assert running(convex) == ["Vega", *(f"by hand {label}" for label in range(len(handles)))]
    convex.clock.advance(5)
    assert launched(convex) == [f"by hand {label}" for label in reversed(range(len(handles)))]
    assert clock.mutation("clock:halt", {"label": "Vega"}) is True
    assert clock.mutation("clock:halt", {"label": "Vega"}) is False


def test_the_newest_launches_are_listed(convex: Convex) -> None:
    """Of many launches the twenty newest come, without reading the others."""
    convex.insert_many("launches", [{"rocket": f"rocket {n}"} for n in range(90)])
    convex.limit(documents_read=40)
    assert launched(convex) == [f"rocket {n}" for n in range(89, 69, -1)]


def test_functions_stand_where_they_belong(convex: Convex) -> None:
    """App and component have the public functions of the task, and no others."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {"launches:plan", "launches:abort", "launches:launched"}
    functions = convex.component("countdown").functions
    inside = {
        path
        for path, each in functions.items()
        if each.visibility == "public" and each.kind != "http"
    }
    assert inside == {"clock:start", "clock:halt"}
    assert set(convex.schema.tables) == {"launches"}
    convex.admin.mutation("launches:launch", {"label": "Vega"})
    assert launched(convex) == ["Vega"]


def test_launches_are_as_described(convex: Convex) -> None:
    """A launch of another form cannot be stored."""
    convex.insert("launches", {"rocket": "Vega"})
    for wrong in ({"rocket": 1.0}, {"rocket": "Vega", "site": "Kourou"}):
        with pytest.raises(FunctionFailed):
            convex.insert("launches", wrong)
    assert len(convex.table("launches")) == 1
