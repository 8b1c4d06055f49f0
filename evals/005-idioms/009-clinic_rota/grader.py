# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A clinic's rota: outsiders are refused everywhere; for those who work there nothing changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from check_clinics import (
    CHANGES,
    DAY,
    NEXT,
    OUTSIDERS,
    OWN,
    READS,
    WEEK,
    Clinics,
    page_of,
)

if TYPE_CHECKING:
    from runner.grader import Convex

FILES = 3
HOUR = 60 * 60
MOST_FOUND = 20
NEW = {"shifts:add", "papers:add", "notices:post", "swaps:offer", "absences:report"}
"""The functions that return a new id."""
DIFFERENT = {"papers:link", "papers:uploadUrl", "feeds:create", "shifts:onDay"}
"""The functions whose results have addresses, secrets or cursors."""


def test_outsiders_read_nothing(convex: Convex) -> None:
    """Only members read the documents of a clinic, by each function."""
    clinics = Clinics(convex)
    for path, args in READS:
        for user in OUTSIDERS:
            clinics.refuse(user, path, args)


def test_outsiders_and_members_change_nothing(convex: Convex) -> None:
    """Nobody but admins changes what belongs to a clinic."""
    clinics = Clinics(convex)
    before = clinics.tables()
    for path, args in CHANGES:
        for user in (*OUTSIDERS, "back", "both"):
            clinics.refuse(user, path, args)
    assert clinics.tables() == before
    assert len(convex.files()) == FILES


def test_nobody_acts_for_a_member(convex: Convex) -> None:
    """What members do for themselves, nobody else does."""
    clinics = Clinics(convex)
    before = clinics.tables()
    for own, path, args in OWN:
        strangers = {*OUTSIDERS, "both", "back"} - {own}
        if path in {"absences:report", "feeds:create"}:
            strangers -= {"both", "back"}
        for user in sorted(strangers):
            clinics.refuse(user, path, args)
    gone = {"swap": "#swap3", "shift": "#n2", "accept": True}
    clinics.refuse("left", "swaps:answer", gone)
    clinics.refuse("left", "swaps:offer", {"shift": "#old", "to": "#ben"})
    clinics.refuse("left", "absences:withdraw", {"absence": "#away-left"})
    assert clinics.tables() == before
    assert clinics.get("/rota.ics?clinic=north&secret=secret%20of%20ben")


def test_members_read_as_before(convex: Convex, reference: Convex) -> None:
    """Members read the same as before, also after a return and in two clinics."""
    clinics = Clinics(convex, reference)
    own = {"shifts:onDay", "absences:onDay"}
    for path, args in READS:
        if path in DIFFERENT or path in own:
            continue
        for user in ("ada", "ben", "back", "both"):
            clinics.allow(user, path, args)
    for user in ("hugo", "both"):
        clinics.allow(user, "shifts:list", {"clinic": "#south", **WEEK})
        clinics.allow(user, "shifts:get", {"shift": "#s3"})
    args = {"clinic": "#north", "member": "#left", **WEEK}
    clinics.allow("ben", "shifts:hours", args)
    clinics.allow("ben", "members:profile", {"member": "#left"})
    for user in ("ada", "ben", "back", "both"):
        url = clinics.call(user, "papers:link", {"file": "#north-file"})
        assert convex.http("GET", str(url)).text == "plan of north"


def test_lists_hold_one_clinic(convex: Convex) -> None:
    """The lists of a day, absences and searches have all that is the clinic's, and nothing else."""
    clinics = Clinics(convex)
    cursor = None
    notes: list[str] = []
    for _ in range(20):
        page = clinics.call("ben", "shifts:onDay", page_of("#north", cursor))
        notes += [str(shift["note"]) for shift in page["page"]]
        cursor = page["continueCursor"]
        if page["isDone"]:
            break
    expected = [f"north ward {number}" for number in range(12)]
    assert notes == [*expected, "north gate", "north attic"]
    absent = clinics.call("both", "absences:onDay", {"clinic": "#north", "day": DAY})
    assert sorted(row["reason"] for row in absent) == [
        "back is ill",
        "ben is ill",
        "left is ill",
    ]
    absent = clinics.call("both", "absences:onDay", {"clinic": "#south", "day": DAY})
    assert [row["reason"] for row in absent] == ["hugo is ill"]
    for user, clinic in (("ben", "north"), ("hugo", "south")):
        args = {"clinic": f"#{clinic}", "text": "ward"}
        shifts = clinics.call(user, "shifts:search", args)
        assert len(shifts) == MOST_FOUND
        assert all(shift["note"].startswith(clinic) for shift in shifts)


def test_admins_change_as_before(convex: Convex, reference: Convex) -> None:
    """Admins change all that belongs to their clinic, with the effects of before."""
    clinics = Clinics(convex, reference)
    for number, (path, args) in enumerate(CHANGES):
        if path in DIFFERENT:
            assert str(clinics.call("ada", path, args)).startswith("http")
            continue
        clinics.allow("ada", path, args, keep=f"#new{number}" if path in NEW else "")
        clinics.compare_tables()
    assert len(convex.files()) == len(reference.files())
    clinics.refuse("ben", "members:list", {"clinic": "#north"})
    clinics.allow("hana", "clinics:rename", {"clinic": "#south", "name": "South II"})
    clinics.allow("both", "shifts:edit", {"shift": "#s0", "note": "new"})
    clinics.compare_tables()


def test_members_act_as_before(convex: Convex, reference: Convex) -> None:
    """Members offer and answer swaps, report absences, make and revoke links, and leave."""
    clinics = Clinics(convex, reference)
    for number, (user, path, args) in enumerate(OWN):
        if path in DIFFERENT:
            made = clinics.call(user, path, args)
            text = clinics.get(f"/rota.ics?clinic=north&secret={made['secret']}")
            assert "north ward 29" in str(text)
            continue
        clinics.allow(user, path, args, keep=f"#new{number}" if path in NEW else "")
        clinics.compare_tables()
    clinics.refuse("both", "members:list", {"clinic": "#north"})
    assert clinics.call("both", "members:list", {"clinic": "#south"})


def test_clinics_are_made_and_joined(convex: Convex, reference: Convex) -> None:
    """Everybody who is signed in makes a clinic, and joins one whose code is right."""
    clinics = Clinics(convex, reference)
    made = {"name": "west", "code": "w", "kioskKey": "k", "own": "Wanda"}
    clinics.refuse("", "clinics:create", made)
    clinics.refuse("", "clinics:join", {"code": "code of north", "name": "Nobody"})
    clinics.allow("stranger", "clinics:create", made, keep="#west")
    clinics.allow("stranger", "notices:post", {"clinic": "#west", "text": "west"}, keep="#w")
    clinics.refuse("hana", "clinics:join", {"code": "wrong", "name": "Hana"})
    clinics.refuse("hana", "clinics:create", made)
    for user in ("hana", "left", "ben"):
        clinics.allow(user, "clinics:join", {"code": "code of north", "name": f"Doctor {user}"})
        clinics.allow(user, "notices:latest", {"clinic": "#north"})
        clinics.refuse(user, "clinics:rename", {"clinic": "#north", "name": "x"})


def test_each_id_of_a_call_is_of_the_clinic(convex: Convex, reference: Convex) -> None:
    """A member or admin of one clinic gets no hold of the other's people, shifts and papers."""
    clinics = Clinics(convex, reference)
    before = clinics.tables()
    south = {"clinic": "#south"}
    calls = [
        ("hana", "members:setRole", {**south, "member": "#ben", "role": "admin"}),
        ("hana", "shifts:remove", {**south, "shift": "#n7"}),
        ("hana", "papers:remove", {**south, "paper": "#north-paper"}),
        ("hana", "papers:add", {**south, "title": "mine", "file": "#north-file"}),
        ("hana", "shifts:hours", {**south, "member": "#ben", **WEEK}),
        ("hana", "shifts:give", {"shift": "#s0", "member": "#ben"}),
        (
            "hana",
            "shifts:add",
            {**south, "member": "#ben", "day": DAY, "hours": 1, "note": "x"},
        ),
        ("hana", "swaps:answer", {"swap": "#swap4", "shift": "#n8", "accept": True}),
        ("back", "swaps:answer", {"swap": "#swap", "shift": "#n8", "accept": True}),
        ("ben", "swaps:offer", {"shift": "#n9", "to": "#hugo"}),
        ("hana", "papers:link", {"file": "#north-file"}),
        ("ada", "papers:link", {"file": "#south-file"}),
    ]
    for user, path, args in calls:
        clinics.refuse(user, path, args)
    assert clinics.tables() == before
    assert len(convex.files()) == len(reference.files())
    clinics.allow("hana", "shifts:give", {"shift": "#s0", "member": "#both-"})
    clinics.allow("hana", "swaps:answer", {"swap": "#swap4", "shift": "#s1", "accept": True})
    clinics.compare_tables()


def test_calendars_show_their_own_clinic(convex: Convex, reference: Convex) -> None:
    """A calendar's link shows the clinic of its member, as long as the member works there."""
    clinics = Clinics(convex, reference)
    for name, clinic in (("ben", "north"), ("back", "north"), ("hugo", "south")):
        path = f"/rota.ics?clinic={clinic}&secret=secret%20of%20{name}"
        text = clinics.get(path)
        assert text is not None
        assert text == clinics.get(path, place=1)
    for path in (
        "/rota.ics?clinic=north&secret=secret%20of%20hugo",
        "/rota.ics?clinic=south&secret=secret%20of%20ben",
        "/rota.ics?clinic=north&secret=secret%20of%20left",
        "/rota.ics?clinic=north&secret=",
        "/rota.ics?clinic=north",
    ):
        assert clinics.get(path) is None, path
    clinics.allow("ada", "members:leave", {"member": "#ben"})
    assert clinics.get("/rota.ics?clinic=north&secret=secret%20of%20ben") is None


def test_the_tablet_shows_its_own_clinic(convex: Convex, reference: Convex) -> None:
    """The tablet at the entrance shows its clinic's day, with the clinic's key alone."""
    clinics = Clinics(convex, reference)
    path = f"/today?clinic=north&day={DAY}"
    headers = {"x-kiosk-key": "key of north"}
    response = clinics.get(path, headers)
    assert response is not None
    assert response == clinics.get(path, headers, place=1)
    assert clinics.get(path, {"x-kiosk-key": "key of south"}) is None
    assert clinics.get(path) is None


def test_reminders_are_for_the_cron_job(convex: Convex) -> None:
    """Shifts of tomorrow are reminded of, and nobody calls what the cron job calls."""
    clinics = Clinics(convex)
    for user in (*OUTSIDERS, "ben", "ada"):
        clinics.refuse(user, "reminders:due", {"day": NEXT})
        clinics.refuse(user, "reminders:mark", {"shift": "#n20"})
        clinics.refuse(user, "reminders:send", {})
        clinics.refuse(user, "planner:load", {"clinic": "#north", "day": DAY})
    assert not any(shift["reminded"] for shift in convex.table("shifts"))
    convex.stub_fetch("https://push.test/*", json={})
    tomorrow = format_day(convex.clock.now() + 30 * HOUR)
    args = {
        "clinic": "#north",
        "member": "#ben",
        "day": tomorrow,
        "hours": 3,
        "note": "soon",
    }
    clinics.allow("ada", "shifts:add", args, keep="#soon")
    convex.clock.advance(6.5 * HOUR)
    shift = clinics.call("ben", "shifts:get", {"shift": "#soon"})
    assert shift["reminded"]
    assert b"soon" in [fetch.body for fetch in convex.fetches()]


def format_day(seconds: float) -> str:
    """Return the day of a moment."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
