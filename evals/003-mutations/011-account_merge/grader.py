# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Two accounts of one rider become one while both are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MINUTE = 60
DAY = 24 * 60 * MINUTE
CREDIT = 10_000
PRICE = 500
BANK = "https://bank.test/collections"
NAMED = {
    "logins": "rider",
    "clubs": "owner",
    "memberships": "rider",
    "bans": "rider",
    "rides": "guide",
    "signups": "rider",
    "entries": "rider",
    "notices": "rider",
    "topUps": "rider",
}

Row = dict[str, Any]


class Clubs:
    """Ben's club, whose members are two accounts of one rider, and Cy and Dora."""

    def __init__(self, convex: Convex) -> None:
        """Register everybody, and give them credit."""
        self.convex = convex
        self.ids: dict[str, str] = {}
        for name in ("ben", "new", "old", "cy", "dora"):
            self.register(name)
        self.hills = self.found("ben", "Hills", "old", "new", "cy", "dora")

    def register(self, name: str) -> None:
        """Register a rider with some credit."""
        args: Row = {"name": name.title(), "email": f"{name}@rides.test"}
        self.ids[name] = str(self.call(name, "riders:register", **args))
        gift: Row = {"rider": self.ids[name], "amount": CREDIT, "text": "Gift"}
        self.staff("staff/riders:adjust", **gift)

    def call(self, name: str, path: str, /, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation with a login."""
        return self.convex.as_user(name).mutation(path, args)

    def ask(self, name: str, path: str, /, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a query with a login."""
        return self.convex.as_user(name).query(path, args)

    def staff(self, path: str, /, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation of the staff."""
        return self.convex.as_user("sam", role="staff").mutation(path, args)

    def refuse(self, code: str, name: str, path: str, /, **args: Any) -> None:  # noqa: ANN401
        """Demand that a mutation is refused."""
        with pytest.raises(FunctionFailed) as refusal:
            self.call(name, path, **args)
        assert refusal.value.data == {"code": code}

    def found(self, owner: str, title: str, *members: str) -> str:
        """Make a club with members."""
        club = str(self.call(owner, "clubs:create", name=title))
        for name in members:
            self.call(name, "clubs:join", club=club)
        return club

    def members(self, club: str) -> tuple[float, str, dict[str, str]]:
        """Return the size of a club, its owner's name and its members' roles."""
        page = self.ask("ben", "clubs:members", club=club)
        names = {rider: name for name, rider in self.ids.items()}
        roles = {names[row["rider"]]: row["role"] for row in page["members"]}
        assert len(roles) == len(page["members"])
        return page["size"], names[page["owner"]], roles

    def plan(self, title: str, places: int, *names: str, days: float = 10, by: str = "ben") -> str:
        """Plan a ride of a club, for which these logins sign up one after the other."""
        starts = float(round(1000 * (self.convex.clock.now() + days * DAY)))
        ride: Row = {"title": title, "startsAt": starts, "places": places, "price": PRICE}
        planned = str(self.call(by, "rides:plan", club=self.hills, **ride))
        for name in names:
            self.convex.clock.advance(1)
            self.call(name, "rides:join", ride=planned)
        return planned

    def states(self, ride: str, *names: str) -> list[str | None]:
        """Return how these logins stand with a ride."""
        return [self.ask(name, "rides:get", ride=ride)["mine"] for name in names]

    def going(self, ride: str) -> float:
        """Return how many sign-ups the ride counts."""
        return self.ask("ben", "rides:get", ride=ride)["going"]

    def merge(self, source: str = "old", into: str = "new") -> None:
        """Have the staff merge two accounts."""
        args = {"from": self.ids[source], "into": self.ids[into]}
        assert self.staff("staff/merging:merge", **args) is None

    def move(self) -> bool:
        """Have some rows moved; return whether that was all."""
        return self.convex.admin.mutation("staff/merging:move", {})

    def finish(self, *gone: str) -> None:
        """Let all move; then nothing names these accounts, and all kept figures are right."""
        for _ in range(60):
            if self.move() is True:
                break
        else:
            pytest.fail("moving never ends")
        ids = {self.ids[name] for name in gone}
        tables = {table: self.convex.table(table) for table in NAMED}
        for table, field in NAMED.items():
            assert not [row for row in tables[table] if row[field] in ids], table
        for table, field in (("memberships", "club"), ("bans", "club"), ("signups", "ride")):
            pairs = [(row["rider"], row[field]) for row in tables[table]]
            assert len(pairs) == len(set(pairs)), table
        for rider in self.convex.table("riders"):
            if rider["_id"] in ids:
                continue
            own = [row["amount"] for row in tables["entries"] if row["rider"] == rider["_id"]]
            unread = [row for row in tables["notices"] if row["rider"] == rider["_id"]]
            assert rider["credit"] == sum(own)
            assert rider["unread"] == sum(not row["isRead"] for row in unread)
        for ride in tables["rides"]:
            signups = [row for row in tables["signups"] if row["ride"] == ride["_id"]]
            assert ride["going"] == sum(row["state"] == "going" for row in signups), ride["title"]
        for club in tables["clubs"]:
            assert club["size"] == sum(row["club"] == club["_id"] for row in tables["memberships"])

    def fill(self, rows: int = 130) -> None:
        """Give the old account rides of long ago, and notices."""
        began = 1000 * (self.convex.clock.now() - 100 * DAY)
        ride: Row = {"club": self.hills, "title": "Long ago", "guide": self.ids["ben"]}
        ride.update(startsAt=began, places=9, price=0, going=1)
        rides = self.convex.insert_many("rides", [ride] * rows)
        signup: Row = {"rider": self.ids["old"], "state": "going", "since": began, "paid": 0}
        self.convex.insert_many("signups", [{"ride": ride, **signup} for ride in rides])
        notice = {"rider": self.ids["old"], "text": "Welcome", "isRead": True}
        self.convex.insert_many("notices", [notice] * rows)

    def notices(self, name: str) -> list[str]:
        """Return the texts of the newest notices."""
        return [row["text"] for row in self.ask(name, "notices:list")]

    def me(self, name: str) -> Row:
        """Return what a login sees of its account."""
        return self.ask(name, "riders:me")


def test_two_logins_are_one_rider(convex: Convex) -> None:
    """Both logins are the remaining account, at once, with the credit and notices of both."""
    clubs = Clubs(convex)
    for name in ("old", "new"):
        clubs.plan(f"Tour {name}", 2, name)
        clubs.plan(f"Dale {name}", 1, "cy", name)
    clubs.call("cy", "rides:leave", ride=clubs.plan("Fell", 1, "cy", "old"))
    with pytest.raises(FunctionFailed):
        clubs.call(
            "old", "staff/merging:merge", **{"from": clubs.ids["new"], "into": clubs.ids["old"]}
        )
    former = clubs.me("old")
    own = clubs.me("new")
    assert (former["unread"], own["unread"]) == (1, 0)
    clubs.merge()
    merged = {**own, "credit": former["credit"] + own["credit"], "unread": 1}
    assert merged["credit"] == 2 * CREDIT - 5 * PRICE
    for _ in range(2):
        assert clubs.me("old") == clubs.me("new") == merged
        again: Row = {"name": "X", "email": "x@rides.test"}
        assert clubs.call("old", "riders:register", **again) == clubs.ids["new"]
        profile = clubs.ask("cy", "riders:profile", rider=clubs.ids["old"])
        assert profile == {"id": clubs.ids["new"], "name": "New"}
        clubs.finish("old")
    account = convex.as_user("sam", role="staff").query(
        "staff/riders:account", {"rider": clubs.ids["old"]}
    )
    assert (account["id"], account["credit"]) == (clubs.ids["new"], merged["credit"])
    assert len(account["entries"]) == 7
    assert clubs.notices("old") == ["You have a place: Fell"]
    assert len(clubs.ask("old", "rides:mine")) == 5
    clubs.staff("staff/riders:adjust", rider=clubs.ids["old"], amount=-merged["credit"], text="Out")
    clubs.refuse("credit", "new", "rides:join", ride=clubs.plan("Moor", 3))
    clubs.finish("old")


def test_clubs_of_both(convex: Convex) -> None:
    """In each club there is one membership, with the higher role; owners and old ids go on."""
    clubs = Clubs(convex)
    club = clubs.hills
    clubs.call("ben", "clubs:setRole", club=club, rider=clubs.ids["old"], role="guide")
    owned = clubs.found("old", "Dales", "new", "cy")
    alone = clubs.found("old", "Fens")
    lower = clubs.found("cy", "Moors", "old", "new")
    clubs.call("cy", "clubs:setRole", club=lower, rider=clubs.ids["new"], role="admin")
    clubs.merge()
    assert clubs.members(club)[:2] == (4, "ben")
    assert clubs.members(owned)[:2] == (2, "new")
    assert clubs.members(alone)[:2] == (1, "new")
    assert clubs.members(lower)[:2] == (2, "cy")
    with pytest.raises(FunctionFailed):
        clubs.plan("Moor", 2, by="cy")
    clubs.call("cy", "rides:leave", ride=clubs.plan("Fell", 2, "cy", by="old"))
    clubs.finish("old")
    roles = {"ben": "admin", "new": "guide", "cy": "member", "dora": "member"}
    assert clubs.members(club) == (4, "ben", roles)
    assert clubs.members(owned) == (2, "new", {"new": "admin", "cy": "member"})
    assert clubs.members(alone) == (1, "new", {"new": "admin"})
    assert clubs.members(lower) == (2, "cy", {"cy": "admin", "new": "admin"})
    for login in ("old", "new"):
        clubs.refuse("owner", login, "clubs:leave", club=owned)
        clubs.refuse("already", login, "clubs:join", club=club)
    clubs.call("ben", "clubs:handOver", club=club, rider=clubs.ids["old"])
    clubs.refuse("owner", "ben", "clubs:setRole", club=club, rider=clubs.ids["old"], role="member")
    assert clubs.members(club)[:2] == (4, "new")
    clubs.call("old", "clubs:setRole", club=owned, rider=clubs.ids["cy"], role="guide")
    clubs.call("cy", "clubs:ban", club=lower, rider=clubs.ids["old"])
    clubs.refuse("already", "cy", "clubs:ban", club=lower, rider=clubs.ids["new"])
    clubs.refuse("banned", "old", "clubs:join", club=lower)
    clubs.finish("old")


def test_bans_of_either(convex: Convex) -> None:
    """A ban of either account ends membership and coming rides of both; an owner has none."""
    clubs = Clubs(convex)
    started = clubs.plan("Started", 2, "new", days=1 / 24)
    coming = clubs.plan("Coming", 1, "new", "cy")
    waiting = clubs.plan("Full", 1, "dora", "new")
    clubs.call("ben", "clubs:ban", club=clubs.hills, rider=clubs.ids["old"])
    twice = clubs.found("cy", "Fens", "old", "new")
    for name in ("old", "new"):
        clubs.call("cy", "clubs:ban", club=twice, rider=clubs.ids[name])
    for_new = clubs.found("new", "Dales", "old", "dora")
    clubs.call("new", "clubs:ban", club=for_new, rider=clubs.ids["old"])
    for_old = clubs.found("old", "Moors", "new", "dora")
    clubs.call("old", "clubs:ban", club=for_old, rider=clubs.ids["new"])
    convex.clock.advance(DAY / 12)
    clubs.merge()
    for _ in range(2):
        assert clubs.members(clubs.hills)[:2] == (3, "ben")
        assert clubs.states(started, "old") == ["going"]
        assert clubs.states(coming, "old", "cy") == [None, "going"]
        assert clubs.states(waiting, "new", "dora") == [None, "going"]
        assert clubs.me("old")["credit"] == 2 * CREDIT - PRICE
        for club in (for_new, for_old):
            assert clubs.members(club)[:2] == (2, "new")
        clubs.refuse("banned", "new", "clubs:join", club=clubs.hills)
        clubs.finish("old")
    assert set(clubs.members(clubs.hills)[2]) == {"ben", "cy", "dora"}
    for club in (for_new, for_old):
        assert clubs.members(club)[2] == {"new": "admin", "dora": "member"}
    assert len(convex.table("bans")) == 2
    clubs.call("ben", "clubs:unban", club=clubs.hills, rider=clubs.ids["old"])
    clubs.call("cy", "clubs:unban", club=twice, rider=clubs.ids["new"])
    for club in (clubs.hills, twice):
        clubs.call("new", "clubs:join", club=club)
        clubs.refuse("already", "old", "clubs:join", club=club)
    assert convex.table("bans") == []
    clubs.finish("old")


def test_two_signups_for_one_ride(convex: Convex) -> None:
    """The better of two sign-ups stays; the other gives back its money, place and reminder."""
    clubs = Clubs(convex)
    started = clubs.plan("Started", 2, "old", "new", "cy", days=1 / 24)
    both = clubs.plan("Both", 2, "new", "old", "cy", "dora")
    first = clubs.plan("First", 1, "old", "new", "cy")
    second = clubs.plan("Second", 1, "new", "cy", "old")
    neither = clubs.plan("Neither", 1, "dora", "old", "cy", "new")
    single = clubs.plan("Single", 3, "cy", "old")
    convex.clock.advance(DAY / 12)
    clubs.merge()
    clubs.finish("old")
    assert clubs.states(started, "old", "new", "cy") == ["going", "going", "waiting"]
    assert clubs.states(both, "old", "new", "cy", "dora") == ["going", "going", "going", "waiting"]
    for ride in (first, second):
        assert clubs.states(ride, "old", "new", "cy") == ["going", "going", "waiting"]
    assert clubs.states(neither, "old", "cy", "dora") == ["waiting", "waiting", "going"]
    rides = (started, both, first, second, neither, single)
    assert [clubs.going(ride) for ride in rides] == [1, 2, 1, 1, 1, 2]
    assert clubs.me("new")["credit"] == 2 * CREDIT - 6 * PRICE
    clubs.call("dora", "rides:leave", ride=neither)
    assert clubs.states(neither, "old", "cy") == ["going", "waiting"]
    convex.clock.advance(9 * DAY)
    reminders = sorted(text for text in clubs.notices("new") if text.startswith("Tomorrow"))
    titles = ("Both", "First", "Neither", "Second", "Single")
    assert reminders == [f"Tomorrow: {title}" for title in titles]
    reminders = sorted(text for text in clubs.notices("cy") if text.startswith("Tomorrow"))
    assert reminders == ["Tomorrow: Both", "Tomorrow: Single"]
    clubs.finish("old")


def test_a_large_account_moves(convex: Convex) -> None:
    """However much an account has, it moves in transactions of a hundred rows."""
    clubs = Clubs(convex)
    both = clubs.plan("Both", 2, "old", "new", "cy")
    clubs.fill(250)
    clubs.plan("Last", 2, "old", "cy")
    convex.limit(documents_written=240, documents_read=1500)
    clubs.merge()
    clubs.merge()
    for _ in range(4):
        assert clubs.move() is False
    clubs.finish("old")
    assert clubs.states(both, "old", "new", "cy") == ["going", "going", "going"]
    assert len(convex.table("signups")) == 250 + 4
    convex.limit(documents_read=150)
    assert len(clubs.ask("cy", "rides:mine")) == 2
    assert clubs.me("old")["credit"] == 2 * CREDIT - 2 * PRICE


@pytest.mark.parametrize("calls", [0, 2], ids=["unmoved", "half_moved"])
def test_acts_before_all_has_moved(convex: Convex, calls: int) -> None:
    """Acts of either login, and acts on either, meet sign-ups that have not moved."""
    clubs = Clubs(convex)
    clubs.call("ben", "clubs:setRole", club=clubs.hills, rider=clubs.ids["old"], role="guide")
    clubs.fill()
    again = clubs.plan("Again", 5, "old")
    own = clubs.plan("Own", 1, "old", "new", "cy")
    ride = clubs.plan("Taken", 2, "old", "new", "cy", "dora")
    moved_up = clubs.plan("Moved up", 1, "dora", "old")
    lead = clubs.plan("Led", 1, "dora", by="old")
    clubs.fill()
    clubs.merge()
    for _ in range(calls):
        clubs.move()
    for login in ("old", "new"):
        assert clubs.states(again, login) == ["going"]
        clubs.refuse("already", login, "rides:join", ride=again)
    clubs.call("new", "rides:leave", ride=again)
    clubs.refuse("not_signed_up", "old", "rides:leave", ride=again)
    clubs.call("new", "rides:leave", ride=own)
    assert clubs.states(own, "old", "new", "cy") == [None, None, "going"]
    clubs.call("ben", "rides:dismiss", ride=ride, rider=clubs.ids["new"])
    assert clubs.states(ride, "old", "cy", "dora") == [None, "going", "going"]
    clubs.call("dora", "rides:leave", ride=moved_up)
    assert clubs.states(moved_up, "old", "new") == ["going", "going"]
    assert clubs.ask("new", "rides:get", ride=lead)["isGuide"]
    clubs.call("new", "rides:dismiss", ride=lead, rider=clubs.ids["dora"])
    clubs.call("cy", "rides:join", ride=lead)
    clubs.call("new", "rides:join", ride=lead)
    clubs.call("old", "rides:join", ride=again)
    clubs.refuse("already", "new", "rides:join", ride=again)
    assert clubs.me("old") == clubs.me("new")
    clubs.finish("old")
    assert clubs.states(again, "old", "new") == ["going", "going"]
    assert clubs.states(lead, "old", "cy") == ["waiting", "going"]
    assert clubs.states(own, "old", "new", "cy") == [None, None, "going"]
    assert clubs.states(ride, "old", "cy", "dora") == [None, "going", "going"]
    assert clubs.me("old")["credit"] == 2 * CREDIT - 3 * PRICE
    texts = [row["text"] for row in convex.table("notices") if row["rider"] == clubs.ids["new"]]
    assert sorted(text for text in texts if text != "Welcome") == [
        "Cy signed up: Led",
        "Dora signed up: Led",
        "You have a place: Moved up",
        "You were taken off: Taken",
    ]


def test_a_ban_before_all_has_moved(convex: Convex) -> None:
    """A ban by an old id meets what has not moved, and nothing of it comes back."""
    clubs = Clubs(convex)
    clubs.fill()
    own = clubs.plan("Own", 1, "old", "new", "cy")
    other = clubs.plan("Other", 1, "new", "dora", "old", "cy")
    clubs.fill()
    clubs.merge()
    clubs.call("ben", "clubs:ban", club=clubs.hills, rider=clubs.ids["old"])
    for _ in range(2):
        assert clubs.states(own, "old", "new", "cy") == [None, None, "going"]
        assert clubs.states(other, "old", "new", "dora", "cy") == [None, None, "going", "waiting"]
        clubs.refuse("not_member", "new", "rides:join", ride=own)
        clubs.refuse("not_member", "old", "clubs:leave", club=clubs.hills)
        clubs.finish("old")
    assert [clubs.going(own), clubs.going(other)] == [1, 1]
    assert clubs.me("new")["credit"] == 2 * CREDIT
    assert clubs.members(clubs.hills)[0] == 3


def test_notices_and_payments_on_their_way(convex: Convex) -> None:
    """Notices can be read before they have moved, and late answers of the bank are not lost."""
    clubs = Clubs(convex)
    convex.stub_fetch(BANK, status=201, after=20 * MINUTE)
    convex.stub_fetch(BANK, status=201, after=5 * MINUTE, times=1)
    clubs.call("cy", "rides:leave", ride=clubs.plan("Fell", 1, "cy", "old"))
    first = clubs.call("old", "payments/topUps:start", amount=40)
    convex.clock.advance(1)
    second = clubs.call("old", "payments/topUps:start", amount=700)
    convex.clock.advance(1)
    (notice,) = clubs.ask("old", "notices:list")
    clubs.fill()
    clubs.merge()
    assert clubs.ask("new", "payments/topUps:state", topUp=first) == "open"
    clubs.refuse("not_found", "cy", "notices:read", notice=notice["id"])
    for login in ("new", "old"):
        clubs.call(login, "notices:read", notice=notice["id"])
        assert clubs.me(login)["unread"] == 0
    convex.clock.advance(6 * MINUTE)
    assert clubs.ask("new", "payments/topUps:state", topUp=first) == "done"
    assert clubs.me("new")["unread"] == 1
    assert clubs.me("old")["credit"] == 2 * CREDIT - PRICE + 40
    clubs.finish("old")
    clubs.register("third")
    clubs.merge("new", "third")
    clubs.finish("old", "new")
    assert clubs.ask("third", "payments/topUps:state", topUp=second) == "open"
    convex.clock.advance(15 * MINUTE)
    clubs.finish("old", "new")
    assert clubs.ask("old", "payments/topUps:state", topUp=second) == "done"
    assert clubs.me("old")["credit"] == 3 * CREDIT - PRICE + 740
    assert clubs.me("new") == clubs.me("third")
    assert clubs.me("third")["unread"] == 2
    assert clubs.notices("third")[:3] == ["Your credit is filled up"] * 2 + ["Welcome"]


@pytest.mark.parametrize("order", ["onwards", "backwards"])
def test_a_chain_of_merges(convex: Convex, order: str) -> None:
    """Three accounts become one while the first ones still move; merging again does nothing."""
    clubs = Clubs(convex)
    clubs.register("third")
    clubs.call("third", "clubs:join", club=clubs.hills)
    clubs.fill()
    own = clubs.plan("Own", 1, "old", "new", "third", "cy")
    ride = clubs.plan("Kept", 2, "third", "old", "cy", "new")
    lead = clubs.plan("Led", 3, "old")
    clubs.fill()
    if order == "onwards":
        clubs.merge("old", "new")
        clubs.merge("new", "third")
    else:
        clubs.merge("new", "third")
        clubs.merge("old", "new")
    clubs.merge("old", "new")
    clubs.merge("third", "old")
    assert clubs.me("old") == clubs.me("new") == clubs.me("third")
    assert clubs.me("old")["name"] == "Third"
    clubs.refuse("already", "new", "rides:join", ride=lead)
    clubs.move()
    clubs.call("third", "rides:leave", ride=own)
    assert clubs.states(own, "old", "new", "third", "cy") == [None, None, None, "going"]
    clubs.finish("old", "new")
    clubs.merge("new", "third")
    clubs.finish("old", "new")
    assert clubs.states(ride, "old", "new", "third", "cy") == ["going"] * 4
    assert clubs.states(own, "old", "new", "third", "cy") == [None, None, None, "going"]
    assert clubs.me("old")["credit"] == 3 * CREDIT - 2 * PRICE
    assert clubs.members(clubs.hills)[0] == 4
    profile = clubs.ask("cy", "riders:profile", rider=clubs.ids["old"])
    assert profile == {"id": clubs.ids["third"], "name": "Third"}
    clubs.call("ben", "rides:dismiss", ride=ride, rider=clubs.ids["old"])
    assert clubs.states(ride, "third", "cy") == [None, "going"]
    clubs.finish("old", "new")
