# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Quotas of two channels: the effects of messages that are undone or stay, and the notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

DAY_S = 86_400
TEN_HOURS_S = 36_000
KEY = "key of north"


def begin(convex: Convex, name: str = "north", key: str = KEY) -> str:
    """Go to ten o'clock of the next day, and make Ada's workspace; return its id."""
    convex.clock.advance_to((convex.clock.now() // DAY_S + 1) * DAY_S + TEN_HOURS_S)
    workspace = {"name": name, "apiKey": key}
    return str(convex.as_user("ada").mutation("workspaces:create", workspace))


def send(
    convex: Convex, workspace: str, channel: str, text: str = "Hello", to: str = "someone"
) -> str:
    """Send a message as Ada; return its id."""
    args = {"workspace": workspace, "channel": channel, "to": to, "text": text}
    return str(convex.as_user("ada").mutation("messages:send", args))


def campaign(
    convex: Convex, workspace: str, channel: str, *recipients: str
) -> tuple[list[str], list[tuple[str, str]]]:
    """Send a campaign; return the recipients, and the people who were skipped."""
    args = {
        "workspace": workspace,
        "channel": channel,
        "text": "News",
        "recipients": list(recipients),
    }
    result: Any = convex.as_user("ada").mutation("campaigns:send", args)
    to = {str(row["_id"]): str(row["to"]) for row in convex.table("messages")}
    skipped = [(row["to"], row["code"]) for row in result["skipped"]]
    return [to[message] for message in result["sent"]], skipped


def block(convex: Convex, workspace: str, address: str) -> None:
    """Block an address."""
    args = {"workspace": workspace, "address": address}
    convex.as_user("ada").mutation("workspaces:block", args)


def left(convex: Convex, workspace: str) -> tuple[object, object]:
    """Return what is left today of mails and of texts."""
    ada = convex.as_user("ada")
    channels = ({"workspace": workspace, "channel": channel} for channel in ("mails", "texts"))
    mails, texts = (ada.query("workspaces:left", args) for args in channels)
    return mails, texts


def report(convex: Convex, workspace: str, channel: str) -> object:
    """Return what was used in a channel from yesterday to tomorrow."""
    today = convex.clock.now() // DAY_S
    days = {"from": today - 1, "to": today + 2}
    args = {"workspace": workspace, "channel": channel, **days}
    return convex.as_user("ada").query("workspaces:report", args)


def notices(convex: Convex, workspace: str) -> list[str]:
    """Return the channels of which a workspace's admins were told, oldest first."""
    convex.settle()
    rows: Any = convex.as_user("ada").query("notices:list", {"workspace": workspace})
    return [str(row["channel"]) for row in rows]


def bounce(convex: Convex, message: str) -> None:
    """Tell the app that a message could not be delivered."""
    assert convex.http("POST", "/bounces", json={"message": message}).status == 204


def plan(convex: Convex, workspace: str, to: str, channel: str = "mails") -> None:
    """Plan a reminder for now."""
    at = 1000 * convex.clock.now()
    args = {"workspace": workspace, "channel": channel, "to": to, "text": "Soon", "at": at}
    convex.as_user("ada").mutation("reminders:plan", args)


def refused(convex: Convex, path: str, **args: object) -> object:
    """Call a mutation as Ada, and return the data with which it is refused."""
    with pytest.raises(FunctionFailed) as refusal:
        convex.as_user("ada").mutation(path, args)
    return refusal.value.data


def test_campaigns_go_on_after_refusals(convex: Convex) -> None:
    """Blocked recipients and those beyond the quota are skipped, take nothing and leave nothing."""
    north = begin(convex)
    for address in ("b", "d"):
        block(convex, north, address)
    assert campaign(convex, north, "texts", *"abcde") == (
        ["a", "c", "e"],
        [("b", "blocked"), ("d", "blocked")],
    )
    assert left(convex, north) == (10, 2)
    assert report(convex, north, "texts") == 3
    sent, skipped = campaign(convex, north, "texts", *"fbghi")
    assert sent == ["f", "g"]
    assert skipped == [("b", "blocked"), ("h", "over_quota"), ("i", "over_quota")]
    assert left(convex, north) == (10, 0)
    assert report(convex, north, "texts") == 5
    assert sorted(str(row["to"]) for row in convex.table("messages")) == list("acefg")
    assert campaign(convex, north, "mails", "a") == (["a"], [])


def test_other_refusals_stop_a_campaign(convex: Convex) -> None:
    """A suspended workspace and strangers are refused wholly, and so are single messages."""
    north = begin(convex)
    args = {"workspace": north, "channel": "mails", "text": "News", "recipients": ["a", "b"]}
    with pytest.raises(FunctionFailed) as refusal:
        convex.as_user("eve").mutation("campaigns:send", args)
    assert refusal.value.data == {"code": "no_access"}
    block(convex, north, "b")
    message = {"workspace": north, "channel": "mails", "to": "b", "text": "Hello"}
    assert refused(convex, "messages:send", **message) == {"code": "blocked"}
    long = {**message, "to": "a", "channel": "texts", "text": "x" * 801}
    assert refused(convex, "messages:send", **long) == {"code": "over_quota"}
    suspend = {"workspace": north, "isSuspended": True}
    convex.admin.mutation("workspaces:suspend", suspend)
    assert refused(convex, "campaigns:send", **args) == {"code": "suspended"}
    assert left(convex, north) == (10, 5)
    assert convex.table("messages") == []


def test_refused_reminders_are_dropped(convex: Convex) -> None:
    """A reminder that is blocked, beyond the quota or of a suspended workspace holds up none."""
    north = begin(convex)
    south = begin(convex, "south", "key of south")
    convex.admin.mutation("workspaces:suspend", {"workspace": south, "isSuspended": True})
    block(convex, north, "b")
    plan(convex, south, "a")
    for to in "bcd":
        plan(convex, north, to)
    for to in "efghij":
        plan(convex, north, to, "texts")
    convex.clock.advance(1200)
    assert sorted(str(row["to"]) for row in convex.table("messages")) == list("cdefghi")
    assert convex.table("reminders") == []
    assert left(convex, north) == (8, 0)
    assert left(convex, south) == (10, 5)


def test_bounced_messages_are_given_back(convex: Convex) -> None:
    """On its day a bounced message gives all its parts back, once; reports do not count it."""
    north = begin(convex)
    long = send(convex, north, "texts", "x" * 400)
    short = send(convex, north, "texts")
    mail = send(convex, north, "mails")
    assert left(convex, north) == (9, 1)
    for _ in range(2):
        bounce(convex, long)
    assert left(convex, north) == (9, 4)
    assert (report(convex, north, "texts"), report(convex, north, "mails")) == (1, 1)
    bounce(convex, mail)
    assert left(convex, north) == (10, 4)
    assert report(convex, north, "mails") == 0
    send(convex, north, "texts", "x" * 600)
    bounce(convex, short)
    assert left(convex, north) == (10, 1)
    bounce(convex, "no message")


def test_late_bounces_change_the_report_only(convex: Convex) -> None:
    """A message that bounces on another day leaves that day's quota and counts as they are."""
    north = begin(convex)
    message = send(convex, north, "texts", "x" * 300)
    convex.clock.advance(DAY_S - TEN_HOURS_S - 60)
    send(convex, north, "texts")
    convex.clock.advance(120)
    send(convex, north, "texts")
    assert left(convex, north) == (10, 4)
    for _ in range(2):
        bounce(convex, message)
    assert left(convex, north) == (10, 4)
    assert report(convex, north, "texts") == 2
    today = convex.clock.now() // DAY_S
    for day in (today - 1, today):
        one_day = {"workspace": north, "channel": "texts", "from": day, "to": day + 1}
        assert convex.as_user("ada").query("workspaces:report", one_day) == 1
    listed: Any = convex.as_user("ada").query("messages:list", {"workspace": north})
    assert [row["isBounced"] for row in listed] == [False, False, True]


def test_admins_are_told_once_a_day(convex: Convex) -> None:
    """The message that leaves less than a fifth tells the admins, also on a later day."""
    north = begin(convex)
    for _ in range(8):
        send(convex, north, "mails")
    assert notices(convex, north) == []
    message = send(convex, north, "mails")
    assert notices(convex, north) == ["mails"]
    bounce(convex, message)
    for _ in range(2):
        send(convex, north, "mails")
    assert notices(convex, north) == ["mails"]
    convex.clock.advance(DAY_S)
    for _ in range(8):
        send(convex, north, "mails")
    assert notices(convex, north) == ["mails"]
    send(convex, north, "mails")
    assert notices(convex, north) == ["mails", "mails"]


def test_workspaces_and_channels_do_not_mix(convex: Convex) -> None:
    """Each channel of each workspace has its own quota and is told of for itself."""
    north = begin(convex)
    south = str(
        convex.as_user("ada").mutation("workspaces:create", {"name": "south", "apiKey": "other"})
    )
    send(convex, north, "texts", "x" * 700)
    assert notices(convex, north) == ["texts"]
    assert notices(convex, south) == []
    for _ in range(9):
        send(convex, north, "mails")
        send(convex, south, "mails")
    assert notices(convex, north) == ["texts", "mails"]
    assert notices(convex, south) == ["mails"]
    send(convex, south, "texts", "x" * 640)
    assert notices(convex, south) == ["mails"]
    assert (left(convex, north), left(convex, south)) == ((1, 0), (1, 1))


def test_every_way_of_sending_tells(convex: Convex) -> None:
    """Messages of programs, campaigns and reminders count for the notices to admins, too."""
    north = begin(convex)
    for number in range(9):
        mail = {"to": f"p{number}", "text": "Hello"}
        answer = convex.http("POST", "/mails", json=mail, headers={"authorization": KEY})
        assert answer.status == 200
    assert notices(convex, north) == ["mails"]
    assert len(campaign(convex, north, "texts", *"abcde")[0]) == 5
    assert notices(convex, north) == ["mails", "texts"]
    south = begin(convex, "south", "key of south")
    for to in "abcdefghi":
        plan(convex, south, to)
    convex.clock.advance(1200)
    assert notices(convex, south) == ["mails"]


def test_what_is_not_sent_tells_nobody(convex: Convex) -> None:
    """A refused message that would have left too little tells nobody; the next one does."""
    north = begin(convex)
    block(convex, north, "b")
    sent, skipped = campaign(convex, north, "mails", *"acdefghib")
    assert (len(sent), skipped) == (8, [("b", "blocked")])
    assert notices(convex, north) == []
    message = {"workspace": north, "channel": "mails", "to": "b", "text": "Hello"}
    assert refused(convex, "messages:send", **message) == {"code": "blocked"}
    plan(convex, north, "b")
    convex.clock.advance(1200)
    assert notices(convex, north) == []
    assert left(convex, north) == (2, 5)
    assert campaign(convex, north, "mails", "b", "j", "b") == (["j"], [("b", "blocked")] * 2)
    assert notices(convex, north) == ["mails"]


def test_a_failing_notice_does_not_stop_sending(convex: Convex) -> None:
    """Without an admin messages are sent and counted all the same, and the next one tries again."""
    north = begin(convex)
    ada = convex.as_user("ada")
    ada.mutation("workspaces:setAdmin", {"workspace": north, "isAdmin": False})
    for _ in range(8):
        send(convex, north, "mails")
    assert len(campaign(convex, north, "mails", "a")[0]) == 1
    send(convex, north, "texts", "x" * 700)
    assert notices(convex, north) == []
    assert left(convex, north) == (1, 0)
    assert (report(convex, north, "mails"), report(convex, north, "texts")) == (9, 5)
    assert len(convex.table("messages")) == 10
    ada.mutation("workspaces:setAdmin", {"workspace": north, "isAdmin": True})
    assert notices(convex, north) == []
    send(convex, north, "mails")
    assert notices(convex, north) == ["mails"]
