# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Audio guides ask about a museum's rooms: routes that overlap, and requests that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Response

Room = dict[str, Any]

NO_SUCH_ROOM = (404, {"error": "no_such_room"})
BAD_REQUEST = (400, {"error": "bad_request"})
CLOSED = (409, {"error": "closed"})

ODD_CODES = ["west/3", "Säle 4+5", "50% & more?", "展示室#1", "a//b", "closed/3", "visits", " "]


def furnish(convex: Convex, *codes: str, is_open: bool = True, visits: float = 0.0) -> None:
    """Add rooms, titled after their codes."""
    convex.insert_many(
        "rooms",
        [
            {"code": code, "title": f"Room {code}", "open": is_open, "visits": visits}
            for code in codes
        ],
    )


def said(response: Response) -> tuple[int, object]:
    """Tell an answer's status and what it says, which has to be JSON."""
    kind = response.headers.get("content-type", "").split(";")[0].strip()
    assert kind == "application/json", f"the content type is {kind!r}: {response.text[:200]}"
    return response.status, response.json()


def get(convex: Convex, path: str) -> tuple[int, object]:
    """Ask a route, and tell the status and the JSON."""
    return said(convex.http("GET", path))


def visit(convex: Convex, body: object) -> tuple[int, object]:
    """Report a visit."""
    return said(convex.http("POST", "/visits", json=body))


def visits(convex: Convex) -> dict[object, object]:
    """Tell the stored visits by code."""
    return {room["code"]: room["visits"] for room in convex.table("rooms")}


def test_rooms_are_listed_by_their_codes(convex: Convex) -> None:
    """Open rooms are one list, closed ones another, both in the order of the codes."""
    assert get(convex, "/rooms") == (200, [])
    assert get(convex, "/rooms/closed") == (200, [])
    furnish(convex, "b", "a10", "C", is_open=True)
    furnish(convex, "a", "Z", "a2", is_open=False)
    listed = [{"code": code, "title": f"Room {code}"} for code in ("C", "a10", "b")]
    assert get(convex, "/rooms") == (200, listed)
    assert get(convex, "/rooms/closed?lang=fr") == (200, ["Z", "a", "a2"])


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_a_room_is_found_by_its_code(convex: Convex, *, is_open: bool) -> None:
    """A room and its visits are answered by code, open or not, whatever the query string."""
    furnish(convex, "7", "77", is_open=is_open, visits=5.0)
    room = {"code": "7", "title": "Room 7", "open": is_open}
    for query in ("", "?lang=fr", "?next=/rooms/77"):
        assert get(convex, f"/rooms/7{query}") == (200, room)
        assert get(convex, f"/rooms/visits/77{query}") == (200, {"code": "77", "visits": 5})


@pytest.mark.parametrize("safe", ["", "/"], ids=["slashes_encoded", "slashes_as_they_are"])
def test_codes_hold_any_characters(convex: Convex, safe: str) -> None:
    """The code is all of the rest of the path, decoded."""
    furnish(convex, *ODD_CODES, visits=2.0)
    for code in ODD_CODES:
        room = {"code": code, "title": f"Room {code}", "open": True}
        path = quote(code, safe=safe)
        assert get(convex, f"/rooms/{path}") == (200, room)
        assert get(convex, f"/rooms/visits/{path}") == (200, {"code": code, "visits": 2})


def test_the_more_exact_route_answers(convex: Convex) -> None:
    """An exact route goes before a prefix, and a longer prefix before a shorter one."""
    furnish(convex, "closed", "visits/7", "7", visits=3.0)
    furnish(convex, "8", is_open=False)
    assert get(convex, "/rooms/closed") == (200, ["8"])
    assert get(convex, "/rooms/visits/7") == (200, {"code": "7", "visits": 3})
    assert get(convex, "/rooms/visits/closed") == (200, {"code": "closed", "visits": 3})
    assert get(convex, "/rooms/visits/visits/7") == (200, {"code": "visits/7", "visits": 3})


@pytest.mark.parametrize("code", ["9", "", "7/", "rooms", "%E0%A4", "%", "%zz"])
def test_a_room_that_is_not_there_is_404(convex: Convex, code: str) -> None:
    """Unknown, empty and broken codes are of no room."""
    furnish(convex, "7")
    assert get(convex, f"/rooms/{code}") == NO_SUCH_ROOM
    assert get(convex, f"/rooms/visits/{code}") == NO_SUCH_ROOM


def test_visits_are_counted(convex: Convex) -> None:
    """Each reported visit adds one to its room, and the answer tells the new number."""
    furnish(convex, "7", "west/3")
    assert visit(convex, {"room": "west/3"}) == (201, {"visits": 1})
    assert visit(convex, {"room": "7", "device": 12}) == (201, {"visits": 1})
    assert visit(convex, {"device": None, "room": "west/3"}) == (201, {"visits": 2})
    assert visits(convex) == {"7": 1, "west/3": 2}


def test_refused_visits_change_nothing(convex: Convex) -> None:
    """Unknown rooms, closed ones and bodies that make no sense are refused, each in its way."""
    furnish(convex, "7", visits=4.0)
    furnish(convex, "8", is_open=False, visits=4.0)
    assert visit(convex, {"room": "8"}) == CLOSED
    for unknown in ("9", "", "%37"):
        assert visit(convex, {"room": unknown}) == NO_SUCH_ROOM
    for body in ({}, {"room": 7}, {"room": None}, {"room": ["7"]}, {"code": "7"}, ["7"], "7", 7):
        assert visit(convex, body) == BAD_REQUEST
    for text in ("", "null", '{"room": "7"', "room=7"):
        assert said(convex.http("POST", "/visits", body=text)) == BAD_REQUEST
    assert visits(convex) == {"7": 4, "8": 4}
    assert visit(convex, {"room": "7"}) == (201, {"visits": 5})


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/room"),
        ("GET", "/rooms7"),
        ("GET", "/visits"),
        ("GET", "/guide/rooms"),
        ("POST", "/rooms"),
        ("POST", "/rooms/7"),
        ("POST", "/visits/7"),
        ("PUT", "/visits"),
        ("DELETE", "/rooms/7"),
    ],
)
def test_there_are_no_other_routes(convex: Convex, method: str, path: str) -> None:
    """Other paths, and other methods at the same paths, are 404 and change nothing."""
    furnish(convex, "7")
    assert convex.http(method, path, json={"room": "7"}).status == 404
    assert visits(convex) == {"7": 0}


def test_nothing_but_the_routes_is_public(convex: Convex) -> None:
    """No query, mutation or action can be called from outside."""
    functions = convex.functions.items()
    assert any(found.kind == "http" for _, found in functions)
    reachable = [
        path for path, found in functions if found.kind != "http" and found.visibility == "public"
    ]
    assert reachable == []


@pytest.mark.parametrize(
    "wrong", [{"code": 7.0}, {"title": None}, {"open": "yes"}, {"visits": "1"}], ids=str
)
def test_rooms_are_as_described(convex: Convex, wrong: Room) -> None:
    """A room with a field of another type cannot be stored."""
    room: Room = {"code": "7", "title": "Armour", "open": True, "visits": 0.0}
    convex.insert("rooms", room)
    with pytest.raises(FunctionFailed):
        convex.insert("rooms", room | wrong)
