# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Soundings of a weather ship between two moments, each included or not, or open."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Sounding = dict[str, Any]
End = dict[str, Any]

MANY = 100
AT_MOST = 30
"""Documents that one transaction may read where a crowd of many is stored."""

MOMENTS = [-20.0, -10.0, -0.5, 0.0, 0.5, 10.0, 20.0]
OUT_OF_ORDER = [10.0, -10.0, 20.0, 0.0, -0.5, -20.0, 0.5]


def sounding(at: float, ship: str = "Polarfront", **more: str) -> Sounding:
    """Describe a sounding of the Polarfront, but for the changes."""
    return {"ship": ship, "at": at, "pressureHpa": 1000.0 + at} | more


def between(convex: Convex, **arguments: object) -> list[Sounding]:
    """Ask for soundings of the Polarfront."""
    asked = {"ship": "Polarfront"} | arguments
    return cast("list[Sounding]", convex.query("soundings:between", asked))


def moments(convex: Convex, **arguments: object) -> list[float]:
    """Tell the moments of the soundings found."""
    return [row["at"] for row in between(convex, **arguments)]


def end(at: float, *, included: bool) -> End:
    """Make one end of a stretch."""
    return {"at": float(at), "included": included}


def is_within(moment: float, begin: End | None, finish: End | None) -> bool:
    """Say whether a moment belongs to a stretch of time."""
    late = begin is None or moment > begin["at"] or (begin["included"] and moment == begin["at"])
    early = (
        finish is None or moment < finish["at"] or (finish["included"] and moment == finish["at"])
    )
    return late and early


@pytest.mark.parametrize("newest_first", [False, True], ids=["oldest_first", "newest_first"])
def test_a_stretch_has_what_lies_between_its_ends(convex: Convex, *, newest_first: bool) -> None:
    """For every pair of ends, in, out or open, exactly the soundings between come, in order."""
    convex.insert_many("soundings", [sounding(at) for at in OUT_OF_ORDER])
    ends = [None, end(-10, included=True), end(0, included=True), end(0, included=False)]
    for begin, finish in product(ends, ends):
        given = {
            name: given for name, given in (("from", begin), ("to", finish)) if given is not None
        }
        expected = [at for at in MOMENTS if is_within(at, begin, finish)]
        found = moments(convex, **given, newestFirst=newest_first)
        assert found == (expected[::-1] if newest_first else expected), given


def test_the_oldest_comes_first_unless_asked_otherwise(convex: Convex) -> None:
    """Without a direction the oldest comes first, as stored; the order is not that of storing."""
    convex.insert_many("soundings", [sounding(at, chart="iVBO") for at in OUT_OF_ORDER])
    stored = convex.table("soundings")
    assert between(convex) == sorted(stored, key=lambda row: row["at"])


def test_neighbouring_stretches_share_nothing_and_miss_nothing(convex: Convex) -> None:
    """Where one stretch ends and the next begins, each sounding belongs to exactly one."""
    burst = [-10.0, 0.0, 0.0, 0.0, 10.0]
    convex.insert_many("soundings", [sounding(at) for at in burst])
    for flag in (True, False):
        before = moments(convex, to=end(0, included=flag))
        after = moments(convex, **{"from": end(0, included=not flag)})
        assert before + after == burst
        assert len(before) == (4 if flag else 1)


def test_other_ships_are_left_out(convex: Convex) -> None:
    """Only soundings of exactly the ship asked for are returned."""
    for number, ship in enumerate(["Polarfront", "Polarfront II", "Polar", "polarfront"]):
        convex.insert_many("soundings", [sounding(number + 10.0 * n, ship) for n in range(3)])
    assert moments(convex) == [0, 10, 20]
    stretch = {"from": end(1, included=True), "to": end(11, included=True)}
    assert moments(convex, **stretch) == [10]
    assert moments(convex, **stretch, ship="Polarfront II") == [1, 11]
    assert moments(convex, ship="Weather Reporter") == []


def test_the_limit_keeps_the_first_in_the_order_asked_for(convex: Convex) -> None:
    """At most `limit` soundings come, the oldest or the newest of the stretch as asked for."""
    log = [float(n * 7 % 115) for n in range(115)]
    convex.insert_many("soundings", [sounding(at) for at in log])
    stretch = {"from": end(5, included=True), "to": end(110, included=False)}
    wanted = list(range(5, 110))
    for limit, expected in ((None, 25), (1.0, 1), (26.0, 26), (900.0, 100)):
        asked = stretch if limit is None else stretch | {"limit": limit}
        assert moments(convex, **asked) == wanted[:expected]
        assert moments(convex, **asked, newestFirst=True) == wanted[: -expected - 1 : -1]


def test_only_what_is_returned_is_read(convex: Convex) -> None:
    """A stretch is found in a log too large to be read, whatever lies before and after it."""
    lone = [sounding(55.0), sounding(205.0), sounding(105.5, "Polar")]
    crowd = [sounding(100.0 + number) for number in range(MANY)]
    convex.insert_many("soundings", lone + crowd)
    convex.limit(documents_read=AT_MOST)
    for begin, finish, wanted in ((50, 60, 55), (200, 210, 205)):
        stretch = {"from": end(begin, included=True), "to": end(finish, included=False)}
        assert moments(convex, **stretch) == [wanted]
        assert moments(convex, **stretch, newestFirst=True) == [wanted]
    assert moments(convex, **{"from": end(100, included=False)}, limit=2.0) == [101, 102]
    assert moments(convex, to=end(116, included=False), newestFirst=True, limit=2.0) == [115, 114]
    assert moments(convex, ship="Polar") == [105.5]


@pytest.mark.parametrize("name", ["from", "to"])
def test_an_end_is_a_moment_and_whether_it_is_included(convex: Convex, name: str) -> None:
    """An end without its moment or without `included`, or with more than that, is refused."""
    assert moments(convex, **{name: end(0, included=True)}) == []
    whole: End = {"at": 0.0, "included": True}
    more = [whole | {"zone": "UTC"}, whole | {"at": "noon"}, whole | {"included": "yes"}]
    for wrong in ({"at": 0.0}, {"included": True}, *more):
        with pytest.raises(FunctionFailed):
            between(convex, **{name: wrong})


def test_arguments_have_their_kinds(convex: Convex) -> None:
    """A ship that is no text, a direction that is not true or false, a limit as text: refused."""
    assert between(convex, limit=2.0, newestFirst=True) == []
    for wrong in ({"ship": 7.0}, {"newestFirst": "yes"}, {"limit": "2"}):
        with pytest.raises(FunctionFailed):
            between(convex, **wrong)


def test_a_sounding_has_a_ship_a_moment_and_a_pressure(convex: Convex) -> None:
    """A sounding that lacks any of the three, or has null for it, is refused."""
    whole = sounding(10)
    convex.insert("soundings", whole)
    for field in whole:
        for wrong in ({key: whole[key] for key in whole if key != field}, whole | {field: None}):
            with pytest.raises(FunctionFailed):
                convex.insert("soundings", wrong)
