# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Members of workspaces: a list moves into a table, while people come and go."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Ids = dict[str, str]
Shown = dict[str, Any]

KEY = {"authorization": "Bearer hush"}
CROWD = [f"m{n}" for n in range(295)]
LISTED = 100
MOST_CALLS = 60
EXPECTED: list[Shown] = []
"""What clients of the given app see in the course of a day; the same in each test."""


def create(convex: Convex, owner: str, slug: str) -> str:
    """Create a workspace."""
    args = {"slug": slug, "name": f"{slug} & co"}
    workspace = convex.as_user(owner).mutation("workspaces/workspaces:create", args)
    assert isinstance(workspace, str)
    return workspace


def change(convex: Convex, caller: str, path: str, workspace: str, **args: Any) -> Any:  # noqa: ANN401
    """Call a mutation about a workspace."""
    return convex.as_user(caller).mutation(path, {"workspace": workspace, **args})


def add(convex: Convex, caller: str, workspace: str, user: str, role: str) -> object:
    """Add a member."""
    return change(convex, caller, "workspaces/members:add", workspace, user=user, role=role)


def set_role(convex: Convex, caller: str, workspace: str, user: str, role: str) -> None:
    """Give a member another role."""
    change(convex, caller, "workspaces/members:setRole", workspace, user=user, role=role)


def remove(convex: Convex, caller: str, workspace: str, user: str) -> None:
    """Take a member out."""
    change(convex, caller, "workspaces/members:remove", workspace, user=user)


def accept(convex: Convex, ids: Ids, user: str, role: str) -> None:
    """Invite somebody, who follows the link."""
    token = f"{user} {role}"
    change(convex, "olga", "workspaces/invites:create", ids["big"], token=token, role=role)
    assert convex.as_user(user).mutation("workspaces/invites:accept", {"token": token})


def report(convex: Convex, slug: str, join: list[str], leave: list[str]) -> object:
    """Report changes of a company's directory."""
    body = {"slug": slug, "join": join, "leave": leave}
    reply = convex.http("POST", "/directory", json=body, headers=KEY)
    assert reply.status == 200
    return reply.json()


def assign(convex: Convex, workspace: str, user: str) -> None:
    """Give a new page to a member."""
    title = f"page of {user}"
    page = change(convex, "olga", "pages:create", workspace, title=title)
    convex.as_user("olga").mutation("pages:assign", {"page": page, "user": user})


def refused(convex: Convex, code: str, caller: str, path: str, args: dict[str, Any]) -> None:
    """Check that a mutation is refused with a code."""
    with pytest.raises(FunctionFailed) as refusal:
        convex.as_user(caller).mutation(path, args)
    assert refusal.value.data == {"code": code}


def fill(convex: Convex) -> Ids:
    """Create workspaces in the given app; return their ids by name."""
    convex.deploy("given")
    convex.set_env("DIRECTORY_KEY", "hush")
    ids = {slug: create(convex, "olga", slug) for slug in ("big", "small")}
    for first in range(0, len(CROWD), 50):
        report(convex, "big", CROWD[first : first + 50], [])
    convex.as_user("m8").mutation("account:setName", {"name": "Mona Eight"})
    for user, role in (("bea", "admin"), ("cy", "member"), ("dan", "guest"), ("eve", "member")):
        add(convex, "olga", ids["small"], user, role)
    for user in ("m20", "m30", "m150", "m210", "m230", "m231"):
        assign(convex, ids["big"], user)
    for slug, users in (("solo", []), ("pair", ["m9", "m209"])):
        ids[slug] = create(convex, "m151", slug)
        for user in users:
            add(convex, "m151", ids[slug], user, "guest")
    return ids


def work(convex: Convex, ids: Ids, part: int) -> None:
    """Do in three parts what people do in a day."""
    big, small = ids["big"], ids["small"]
    if part == 0:
        for user, role in (("m10", "guest"), ("m220", "guest"), ("m150", "admin"), ("m5", "admin")):
            set_role(convex, "olga", big, user, role)
        remove(convex, "olga", big, "m20")
        remove(convex, "m5", big, "m230")
        remove(convex, "m231", big, "m231")
        assert add(convex, "m5", big, "m20", "guest") is True
        assert add(convex, "m5", big, "m240", "admin") is False
        assert add(convex, "m5", big, "m4", "admin") is False
        changes = report(convex, "big", ["n1", "m3", "m245", "n1"], ["m30", "m210", "olga", "n9"])
        assert changes == {"members": 293}
        for user, name in (("m7", "Zoe"), ("m233", "Zoltan"), ("olga", "Olga")):
            convex.as_user(user).mutation("account:setName", {"name": name})
        set_role(convex, "olga", big, "m246", "owner")
        set_role(convex, "m246", big, "olga", "admin")
        stay = {"workspace": big, "user": "m246", "role": "admin"}
        refused(convex, "last_owner", "m246", "workspaces/members:setRole", stay)
        set_role(convex, "m246", big, "olga", "owner")
        set_role(convex, "m246", big, "m246", "member")
    if part == 1:
        change(convex, "olga", "workspaces/members:transfer", big, user="m244")
        transfer = {"workspace": big, "user": "m1"}
        refused(convex, "not_allowed", "olga", "workspaces/members:transfer", transfer)
        leave = {"workspace": big, "user": "m244"}
        refused(convex, "last_owner", "m244", "workspaces/members:remove", leave)
        change(convex, "m244", "workspaces/members:transfer", big, user="m243")
        accept(convex, ids, "m10", "member")
        accept(convex, ids, "m220", "admin")
        accept(convex, ids, "m2", "admin")
        accept(convex, ids, "n2", "guest")
        convex.as_user("m150").mutation("account:close")
        remove(convex, "m105", big, "m105")
        roster = [("eve", "guest"), ("new", "member"), ("olga", "owner"), ("cy", "admin")]
        members = [{"user": user, "role": role} for user, role in roster]
        change(convex, "olga", "workspaces/roster:save", small, members=members)
    if part == 2:
        refused(
            convex,
            "too_many",
            "m243",
            "workspaces/roster:save",
            {"workspace": big, "members": [{"user": "m243", "role": "owner"}]},
        )
        convex.as_user("m243").mutation("account:close")
        convex.as_user("m151").mutation("account:close")
        assign(convex, big, "m247")
        assign(convex, big, "n2")
        assert add(convex, "olga", small, "bea", "guest") is True
        convex.as_user("m247").mutation("account:setName", {"name": "Zora"})
        nobody = {"workspace": big, "user": "m243", "role": "guest"}
        refused(convex, "no_member", "olga", "workspaces/members:setRole", nobody)


def list_all(convex: Convex, caller: str, workspace: str) -> list[dict[str, Any]]:
    """Return all members of a workspace in their order, without the time of joining."""
    args: dict[str, Any] = {"workspace": workspace}
    members: list[dict[str, Any]] = []
    while True:
        some: Any = convex.as_user(caller).query("workspaces/members:list", args)
        assert len(some) <= LISTED
        assert all(set(member) == {"user", "name", "role", "since"} for member in some)
        members += [{**member, "since": None} for member in some]
        if len(some) < LISTED:
            return members
        args["after"] = some[-1]["user"]


def show(convex: Convex, ids: Ids, *, given: bool = False) -> Shown:
    """Return all that clients can see of the workspaces."""
    shown: Shown = {}
    if given:
        stored = {
            workspace["slug"]: workspace["members"] for workspace in convex.table("workspaces")
        }
        for slug in ("big", "small"):
            shown[slug] = [{**member, "since": None} for member in stored[slug]]
    else:
        for slug in ("big", "small"):
            shown[slug] = list_all(convex, "olga", ids[slug])
    for slug, caller in (("big", "olga"), ("big", "m240"), ("small", "eve"), ("pair", "m9")):
        head = convex.as_user(caller).query("workspaces/workspaces:get", {"workspace": ids[slug]})
        shown[f"get {slug} {caller}"] = head
    for prefix in ("m1", "M24", "z", "mona", "olg", ""):
        args = {"workspace": ids["big"], "prefix": prefix}
        found = convex.as_user("m240").query("workspaces/members:suggest", args)
        shown[f"suggest {prefix}"] = found
    for user in ("olga", "m9", "m20", "m105", "m151", "m209", "m243", "m244", "n1", "bea"):
        mine: Any = convex.as_user(user).query("workspaces/workspaces:mine")
        shown[f"mine {user}"] = [(each["name"], each["role"]) for each in mine]
        reply = convex.http("GET", f"/directory?slug=big&user={user}", headers=KEY)
        look: Any = reply.json() if reply.status == 200 else {}
        shown[f"look {user}"] = {**look, "since": None}
    for user in ("m20", "m30", "m150", "m210", "m230", "m231", "m247", "n2"):
        args = {"workspace": ids["big"], "user": user}
        pages: Any = convex.as_user("olga").query("pages:assigned", args)
        shown[f"pages {user}"] = [page["title"] for page in pages]
    return shown


def expect(convex: Convex) -> list[Shown]:
    """Return what clients of the given app see before each part of the day and after the last."""
    if not EXPECTED:
        ids = fill(convex)
        for part in range(3):
            EXPECTED.append(show(convex, ids, given=True))
            work(convex, ids, part)
        EXPECTED.append(show(convex, ids, given=True))
        convex.clear()
    return EXPECTED


def move(convex: Convex) -> bool:
    """Call the move once; return true at its end."""
    done = convex.admin.mutation("move:run")
    assert isinstance(done, bool)
    return done


def move_out(convex: Convex) -> None:
    """Call the move until it returns true."""
    for _ in range(MOST_CALLS):
        if move(convex):
            return
    pytest.fail(f"the move has not ended after {MOST_CALLS} calls")


def check_stored(convex: Convex) -> None:
    """Check that no document holds many members, and none of a workspace has the old field."""
    for table in convex.schema.tables:
        for document in convex.table(table):
            assert len(str(document)) < 2_000, f"a document of {table} is large"
            assert table != "workspaces" or "members" not in document


def test_clients_see_the_same_at_every_moment(convex: Convex) -> None:
    """All that clients can read is the same before, during and after the move, in its order."""
    expected = expect(convex)[0]
    ids = fill(convex)
    convex.deploy("step1")
    assert show(convex, ids) == expected
    move(convex)
    assert show(convex, ids) == expected
    move_out(convex)
    assert show(convex, ids) == expected
    convex.deploy("step2")
    assert show(convex, ids) == expected


def test_a_day_before_the_move(convex: Convex) -> None:
    """What is done before the move has the effects of today, and is moved."""
    expected = expect(convex)
    ids = fill(convex)
    convex.deploy("step1")
    for part in range(3):
        work(convex, ids, part)
    assert show(convex, ids) == expected[3]
    move_out(convex)
    convex.deploy("step2")
    assert show(convex, ids) == expected[3]


def test_a_day_between_the_calls(convex: Convex) -> None:
    """What is done while workspaces are half moved has the effects of today."""
    expected = expect(convex)
    ids = fill(convex)
    convex.deploy("step1")
    parts = iter(range(3))
    for _ in range(MOST_CALLS):
        done = move(convex)
        for part in islice(parts, 1):
            work(convex, ids, part)
            assert show(convex, ids) == expected[part + 1]
        if done:
            break
    assert move(convex) is True
    convex.deploy("step2")
    for part in parts:
        work(convex, ids, part)
    assert show(convex, ids) == expected[3]
    check_stored(convex)


def test_a_day_in_the_middle(convex: Convex) -> None:
    """Each act after the first of many calls has the effects of today."""
    expected = expect(convex)
    ids = fill(convex)
    convex.deploy("step1")
    work(convex, ids, 0)
    move(convex)
    for part in (1, 2):
        work(convex, ids, part)
        assert show(convex, ids) == expected[part + 1]
    move_out(convex)
    convex.deploy("step2")
    assert show(convex, ids) == expected[3]


def test_a_day_after_the_move(convex: Convex) -> None:
    """After the move, and after the second deploy, all that people do has the effects of today."""
    expected = expect(convex)
    ids = fill(convex)
    convex.deploy("step1")
    move_out(convex)
    work(convex, ids, 0)
    work(convex, ids, 1)
    assert show(convex, ids) == expected[2]
    assert move(convex) is True
    convex.deploy("step2")
    work(convex, ids, 2)
    assert show(convex, ids) == expected[3]


def test_the_times_of_joining_are_kept(convex: Convex) -> None:
    """Members keep when they joined, also if they are listed anew; who joins again begins anew."""
    ids = fill(convex)
    args = {"workspace": ids["small"]}
    members: Any = convex.as_user("olga").query("workspaces/members:list", args)
    before = {member["user"]: member["since"] for member in members}
    convex.clock.advance(1000)
    convex.deploy("step1")
    move_out(convex)
    roster = [("eve", "guest"), ("olga", "owner"), ("dan", "admin")]
    change(
        convex,
        "olga",
        "workspaces/roster:save",
        ids["small"],
        members=[{"user": user, "role": role} for user, role in roster],
    )
    change(convex, "olga", "workspaces/members:transfer", ids["small"], user="dan")
    add(convex, "dan", ids["small"], "cy", "member")
    members = convex.as_user("olga").query("workspaces/members:list", args)
    assert [(each["user"], each["since"] == before[each["user"]]) for each in members] == [
        ("dan", True),
        ("eve", True),
        ("olga", True),
        ("cy", False),
    ]


def test_the_array_is_gone(convex: Convex) -> None:
    """In the end workspaces have no field of members, and no document holds many of them."""
    ids = fill(convex)
    convex.deploy("step1")
    ids["late"] = create(convex, "olga", "late")
    assert add(convex, "olga", ids["late"], "bea", "guest") is True
    move_out(convex)
    assert move(convex) is True
    convex.deploy("step2")
    check_stored(convex)
    fields = convex.schema.tables["workspaces"].validator["value"]
    assert "members" not in fields
    assert [each["user"] for each in list_all(convex, "bea", ids["late"])] == ["olga", "bea"]


def test_calls_move_at_most_a_hundred(convex: Convex) -> None:
    """A call of the move fits in a small transaction."""
    ids = fill(convex)
    expected = show(convex, ids, given=True)
    convex.deploy("step1")
    convex.limit(documents_read=260, documents_written=125)
    move_out(convex)
    assert show(convex, ids) == expected


def test_invoices_count_the_seats(convex: Convex) -> None:
    """The invoice of a month has each workspace's seats, also while it is half moved, once."""
    ids = fill(convex)
    convex.deploy("step1")
    set_role(convex, "olga", ids["big"], "m2", "guest")
    move(convex)
    set_role(convex, "olga", ids["big"], "m3", "guest")
    set_role(convex, "olga", ids["big"], "m233", "guest")
    advance_to_month(convex)
    move_out(convex)
    convex.limit(documents_read=280, documents_written=140)
    remove(convex, "olga", ids["big"], "m233")
    set_role(convex, "olga", ids["big"], "m3", "admin")
    remove(convex, "olga", ids["big"], "m234")
    advance_to_month(convex)
    convex.deploy("step2")
    assert add(convex, "m3", ids["big"], "n1", "guest") is True
    assert add(convex, "m3", ids["big"], "n2", "member") is True
    advance_to_month(convex)
    assert [list_seats(convex, ids[slug]) for slug in ("big", "small")] == [
        [294, 293, 293],
        [4, 4, 4],
    ]
    args = {"workspace": ids["big"]}
    invoices: Any = convex.as_user("m3").query("billing:invoices", args)
    assert [invoice["seats"] for invoice in invoices] == [294, 293, 293]


def advance_to_month(convex: Convex) -> None:
    """Wait until the next invoices are written, at three o'clock of the first day of a month."""
    now = datetime.fromtimestamp(convex.clock.now(), UTC)
    year, month = now.year, now.month
    if now >= datetime(year, month, 1, 3, tzinfo=UTC):
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    convex.clock.advance_to(datetime(year, month, 1, 4, tzinfo=UTC).timestamp())
    convex.settle()


def list_seats(convex: Convex, workspace: str) -> list[object]:
    """Return the seats of a workspace's invoices, the newest first."""
    invoices = [each for each in convex.table("invoices") if each["workspace"] == workspace]
    ordered = sorted(invoices, key=lambda each: str(each["month"]), reverse=True)
    return [each["seats"] for each in ordered]


@pytest.mark.parametrize("step", [1, 2])
def test_a_removed_workspace_leaves_nothing(convex: Convex, step: int) -> None:
    """Its members' documents, pages and invitations go; nobody finds it from then on."""
    ids = fill(convex)
    convex.deploy("step1")
    move(convex)
    if step == 2:
        move_out(convex)
        convex.deploy("step2")
    convex.limit(documents_read=280, documents_written=140)
    change(convex, "olga", "workspaces/workspaces:remove", ids["big"])
    convex.settle()
    for user in ("olga", "m7", "m240"):
        names = ["small & co"] if user == "olga" else []
        mine: Any = convex.as_user(user).query("workspaces/workspaces:mine")
        assert [each["name"] for each in mine] == names
        with pytest.raises(FunctionFailed) as refusal:
            convex.as_user(user).query("workspaces/members:list", {"workspace": ids["big"]})
        assert refusal.value.data == {"code": "no_workspace"}
    convex.as_user("m7").mutation("account:setName", {"name": "Seven"})
    convex.as_user("m240").mutation("account:close")
    if step == 1:
        move_out(convex)
    assert convex.table("pages") == []
    tables = [name for name in convex.schema.tables if name != "people"]
    texts = [str(document) for name in tables for document in convex.table(name)]
    assert [text for text in texts if "'m10'" in text or "'m250'" in text] == []
    small = [each["user"] for each in list_all(convex, "olga", ids["small"])]
    assert small == ["olga", "bea", "cy", "dan", "eve"]


def test_large_workspaces_are_served_by_few_documents(convex: Convex) -> None:
    """Of a workspace with more members than a call may read, everything works."""
    expected = expect(convex)
    ids = fill(convex)
    convex.deploy("step1")
    move_out(convex)
    convex.limit(documents_read=280, documents_written=140)
    work(convex, ids, 0)
    assert show(convex, ids) == expected[1]
    convex.deploy("step2")
    work(convex, ids, 1)
    work(convex, ids, 2)
    assert show(convex, ids) == expected[3]
