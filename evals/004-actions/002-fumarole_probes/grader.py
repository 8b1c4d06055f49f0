# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Gas sensors of fumaroles, asked through a web service that fails in many ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

BEFORE = "https://gas.volcano.test/v1/fumaroles/"
AFTER = "/latest?unit=ppm"
VALUES = {"so2": 812.5, "co2": 0.0}
NO_CONNECTION: dict[str, Any] = {"fail": True}


def probe(convex: Convex, reply: dict[str, Any], fumarole: str = "Bocca Nuova") -> object:
    """Probe a sensor whose service gives this reply."""
    convex.set_env("GAS_KEY", "s3cr=t key")
    convex.stub_fetch(BEFORE + "*", **reply)
    return convex.action("fumaroles:probe", {"fumarole": fumarole})


@pytest.mark.parametrize(
    "body",
    [VALUES, {"so2": -1, "co2": 40_000}, {"ok": False, "reason": "none", "unit": "ppm", **VALUES}],
    ids=["plain", "integers", "with_other_fields"],
)
def test_values_are_returned(convex: Convex, body: dict[str, Any]) -> None:
    """From a good reply both values are returned, and nothing else that it holds."""
    expected = {"ok": True, "so2": body["so2"], "co2": body["co2"]}
    assert probe(convex, {"json": body}) == expected


@pytest.mark.parametrize(
    "fumarole",
    ["Bocca Nuova", "La Fossa/3", "Námafjall?2", "100% #4 & more", "a+b=c"],
    ids=["blank", "slash", "question_mark", "signs", "plus"],
)
def test_one_request_asks_for_exactly_this_sensor(convex: Convex, fumarole: str) -> None:
    """There is one GET request with the key, and the name is one segment of its path."""
    probe(convex, {"json": VALUES}, fumarole)
    (fetch,) = convex.fetches()
    assert (fetch.method, fetch.headers["authorization"]) == ("GET", "Bearer s3cr=t key")
    assert fetch.url.startswith(BEFORE)
    assert fetch.url.endswith(AFTER)
    segment = fetch.url.removeprefix(BEFORE).removesuffix(AFTER)
    assert unquote(segment) == fumarole
    assert not set("/?# ") & set(segment)


@pytest.mark.parametrize(
    "reply",
    [
        {"body": "<h1>Maintenance</h1>"},
        {"body": ""},
        {"body": "null"},
        {"json": [812.5, 0.0]},
        {"json": "so2 co2"},
        {"json": {"so2": 812.5}},
        {"json": {"co2": 0.0}},
        {"json": {"so2": "812.5", "co2": 0.0}},
        {"json": {"so2": 812.5, "co2": None}},
    ],
    ids=[
        "no_json",
        "empty",
        "null",
        "list",
        "text",
        "no_co2",
        "no_so2",
        "number_as_text",
        "null_as_number",
    ],
)
def test_another_body_is_garbled(convex: Convex, reply: dict[str, Any]) -> None:
    """A reply of status 200 that does not hold both numbers is told as garbled."""
    assert probe(convex, reply) == {"ok": False, "reason": "garbled"}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, "unknown"),
        (401, "refused"),
        (403, "refused"),
        (400, "outage"),
        (500, "outage"),
        (503, "outage"),
        (201, "outage"),
        (204, "outage"),
    ],
)
def test_the_status_decides_before_the_body(convex: Convex, status: int, reason: str) -> None:
    """A reply of another status tells its reason, even where its body looks like values."""
    assert probe(convex, {"status": status, "json": VALUES}) == {"ok": False, "reason": reason}
    assert len(convex.fetches()) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "3600"}, 3600),
        ({}, 60),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, 60),
        ({"Retry-After": "21 October"}, 60),
        ({"Retry-After": "-5"}, 60),
        ({"Retry-After": ""}, 60),
    ],
    ids=["seconds", "at_once", "an_hour", "missing", "date", "digits_first", "negative", "empty"],
)
def test_a_busy_service_says_how_long_to_wait(
    convex: Convex, headers: dict[str, str], seconds: float
) -> None:
    """With status 429 the waiting time of the header is returned, or a minute without one."""
    expected = {"ok": False, "reason": "busy", "retryAfterS": seconds}
    assert probe(convex, {"status": 429, "headers": headers, "json": VALUES}) == expected


def test_a_lost_connection_is_unreachable(convex: Convex) -> None:
    """No reply at all is an outcome like the others, and nobody is asked twice."""
    assert probe(convex, NO_CONNECTION) == {"ok": False, "reason": "unreachable"}
    assert len(convex.fetches()) == 1


def test_without_a_key_nobody_is_asked(convex: Convex) -> None:
    """If the variable is not set the action throws, and makes no request."""
    convex.stub_fetch(BEFORE + "*", json=VALUES)
    with pytest.raises(FunctionFailed) as refusal:
        convex.action("fumaroles:probe", {"fumarole": "Bocca Nuova"})
    assert (refusal.value.data, convex.fetches()) == ("no key", [])


def test_each_probe_tells_its_own_outcome(convex: Convex) -> None:
    """Nothing is remembered: after a failure a good reply counts, and the other way round."""
    failed = {"ok": False, "reason": "outage"}
    outcomes = [
        probe(convex, reply) for reply in ({"status": 500}, {"json": VALUES}, {"status": 500})
    ]
    assert outcomes == [failed, {"ok": True, **VALUES}, failed]


def test_a_name_is_a_text(convex: Convex) -> None:
    """A name that is no text is refused, and nobody is asked."""
    convex.set_env("GAS_KEY", "s3cr=t key")
    convex.stub_fetch(BEFORE + "*", json=VALUES)
    with pytest.raises(FunctionFailed):
        convex.action("fumaroles:probe", {"fumarole": 3.0})
    assert convex.fetches() == []
