# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""An app that tags images for programs with API keys, and has plans with monthly limits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

VISION = "https://vision.test/tag"
HOUR = 3600
DAY = 24 * HOUR
BATCH = 20
FREE, STARTER = 10, 20


@pytest.fixture
def convex(convex: Convex) -> Convex:
    """The app at a moment at which the month does not end soon, with a service that answers."""
    if month_of(convex.clock.now() + 3 * HOUR) != month_of(convex.clock.now()):
        convex.clock.advance(4 * HOUR)
    convex.stub_fetch(VISION, method="POST", json=["cat"])
    return convex


def month_of(moment: float) -> str:
    """Return the month of a moment, as the app names it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m")


def next_month(moment: float) -> float:
    """Return when the month after this moment begins."""
    date = datetime.fromtimestamp(moment, UTC)
    years, month = divmod(date.month, 12)
    return datetime(date.year + years, month + 1, 1, tzinfo=UTC).timestamp()


class Owner:
    """Somebody with accounts."""

    def __init__(self, convex: Convex, name: str = "ada") -> None:
        """Sign in."""
        self.calls = convex.as_user(name)

    def add_account(self, plan: str = "free") -> str:
        """Open an account with this plan."""
        account = str(self.calls.mutation("accounts/manage:create", {"name": "Lab"}))
        if plan != "free":
            self.choose(account, plan)
        return account

    def choose(self, account: str, plan: str) -> None:
        """Choose a plan."""
        self.calls.mutation("accounts/manage:choosePlan", {"account": account, "plan": plan})

    def add_project(self, account: str, name: str = "Cats") -> Project:
        """Make a project with a key."""
        args = {"account": account, "name": name}
        return Project(self, str(self.calls.mutation("projects/manage:create", args)))

    def read(self, account: str, month: str | None = None) -> tuple[float, list[tuple[str, float]]]:
        """Return what an account used in a month: in all, and the projects that used something."""
        args = {"account": account, "month": month or month_of(self.calls.clock.now())}
        usage = self.calls.query("usage/months:get", args)
        rows = [(row["name"], row["used"]) for row in usage["projects"]]
        return usage["used"], sorted(row for row in rows if row[1] != 0)


class Project:
    """A project, and a program that has its key."""

    def __init__(self, owner: Owner, project: str) -> None:
        """Make a key."""
        self.calls, self.id = owner.calls, project
        made = self.calls.mutation("keys/manage:create", {"project": project})
        self.key_id, self.key = made["id"], made["key"]

    def call(self, function: str, **args: str) -> None:
        """Call a function for owners."""
        self.calls.mutation(function, {"project": self.id, **args})

    def rotate(self) -> None:
        """Go on with another key."""
        made = self.calls.mutation("keys/manage:rotate", {"key": self.key_id})
        self.key_id, self.key = made["id"], made["key"]

    def send(self, method: str, path: str, body: object, request: str | None) -> tuple[int, Any]:
        """Send a request, and return the status and the JSON."""
        headers = {"Authorization": f"Bearer {self.key}"}
        if request is not None:
            headers["Request-Id"] = request
        reply = self.calls.http(method, path, json=body, headers=headers)
        return reply.status, reply.json()

    def tag(self, request: str | None = None) -> tuple[int, Any]:
        """Have one image tagged."""
        return self.send("POST", "/v1/images", {"url": "https://a.test/red/cat.png"}, request)

    def tag_all(self, count: int) -> None:
        """Have so many images tagged, which must all be taken."""
        assert [self.tag()[0] for _ in range(count)] == [200] * count

    def begin(self, count: int, request: str | None = None) -> tuple[int, Any]:
        """Begin a batch of so many images."""
        urls = [f"https://a.test/{n}.png" for n in range(count)]
        return self.send("POST", "/v1/batches", {"urls": urls}, request)

    def stop(self, batch: str) -> None:
        """Stop a batch."""
        assert self.send("DELETE", f"/v1/batches/{batch}", None, None)[0] == 200


def count_rows(convex: Convex, table: str) -> int:
    """Return how many documents a table has."""
    return len(convex.table(table))


def test_images_count(convex: Convex) -> None:
    """An account has as many images in a month as its plan, and what is refused leaves nothing."""
    ada, bo = Owner(convex), Owner(convex, "bo")
    account, other = ada.add_account(), bo.add_account()
    cats, dogs = ada.add_project(account), ada.add_project(account, "Dogs")
    assert ada.read(account) == (0, [])
    cats.tag_all(6)
    dogs.tag_all(FREE - 6)
    assert ada.read(account) == (FREE, [("Cats", 6), ("Dogs", FREE - 6)])
    resets_at = 1000 * next_month(convex.clock.now())
    refusal = (429, {"error": "over_limit", "resetsAt": resets_at})
    assert [cats.tag(), dogs.tag(), dogs.begin(1)] == [refusal] * 3
    assert (count_rows(convex, "images"), count_rows(convex, "batches")) == (FREE, 0)
    assert ada.read(account)[0] == FREE
    bo.add_project(other, "Birds").tag_all(1)
    assert bo.read(other) == (1, [("Birds", 1)])
    for stranger in (bo.calls, convex):
        with pytest.raises(FunctionFailed):
            stranger.query("usage/months:get", {"account": account, "month": "2026-11"})


def test_a_batch_counts_at_once(convex: Convex) -> None:
    """All images of a batch count when it is taken; one that does not fit is refused whole."""
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    convex.stub_fetch(VISION, method="POST", json=["cat"], after=60)
    assert cats.begin(7)[0] == 202
    assert ada.read(account) == (7, [("Cats", 7)])
    assert cats.begin(4)[0] == 429
    cats.tag_all(1)
    assert cats.begin(2)[0] == 202
    assert (cats.tag()[0], count_rows(convex, "batches")) == (429, 2)
    convex.clock.advance(HOUR)
    assert (count_rows(convex, "images"), ada.read(account)[0]) == (FREE, FREE)


def test_failed_images_are_given_back(convex: Convex) -> None:
    """Images that the service does not tag do not count, and others can have their place."""
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    convex.stub_fetch(VISION, method="POST", status=500, times=2)
    convex.stub_fetch(VISION, method="POST", fail=True, times=1)
    assert cats.begin(FREE)[0] == 202
    convex.settle()
    assert ada.read(account) == (FREE - 3, [("Cats", FREE - 3)])
    assert (cats.begin(4)[0], cats.begin(3)[0]) == (429, 202)
    convex.settle()
    assert (ada.read(account)[0], count_rows(convex, "images")) == (FREE, FREE)


def test_a_batch_ends_in_another_month(convex: Convex) -> None:
    """What fails is given back to the month that it counted for; the new month begins with none."""
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    turn = next_month(convex.clock.now())
    convex.clock.advance_to(turn - 60)
    convex.stub_fetch(VISION, method="POST", status=500, after=90, times=2)
    assert cats.begin(FREE, "first")[0] == 202
    assert cats.tag()[0] == 429
    convex.clock.advance_to(turn + 15)
    old = month_of(turn - 1)
    assert (ada.read(account), ada.read(account, old)[0]) == ((0, []), FREE)
    assert cats.begin(FREE, "first")[0] == 202
    cats.tag_all(4)
    convex.clock.advance_to(turn + HOUR)
    assert ada.read(account, old) == (FREE - 2, [("Cats", FREE - 2)])
    assert ada.read(account) == (4, [("Cats", 4)])
    cats.tag_all(FREE - 4)
    resets_at = 1000 * next_month(convex.clock.now())
    assert cats.tag() == (429, {"error": "over_limit", "resetsAt": resets_at})


def test_a_batch_is_stopped(convex: Convex) -> None:
    """What was not tagged is given back once, also the image that is looked at just now."""
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    convex.stub_fetch(VISION, method="POST", json=["cat"], after=60)
    convex.stub_fetch(VISION, method="POST", status=500, times=1)
    convex.stub_fetch(VISION, method="POST", json=["cat"], times=2)
    batch = cats.begin(8)[1]["batch"]
    convex.clock.advance(5)
    cats.stop(batch)
    cats.stop(batch)
    convex.clock.advance(HOUR)
    assert (ada.read(account), count_rows(convex, "images")) == ((2, [("Cats", 2)]), 2)
    cats.tag_all(FREE - 2)
    assert cats.tag()[0] == 429


@pytest.mark.parametrize("is_purged", [False, True], ids=["before_the_night", "in_the_night"])
def test_a_project_is_deleted_while_a_batch_runs(convex: Convex, *, is_purged: bool) -> None:
    """The rest of its batches is given back to the account; what it used before still counts."""
    ada = Owner(convex)
    account = ada.add_account("starter")
    cats, dogs = ada.add_project(account), ada.add_project(account, "Dogs")
    convex.clock.advance_to((convex.clock.now() // DAY + 1) * DAY + 2.5 * HOUR - 40)
    month = month_of(convex.clock.now())
    convex.stub_fetch(VISION, method="POST", json=["cat"], after=240 if is_purged else 10)
    convex.stub_fetch(VISION, method="POST", json=["cat"], times=2)
    cats.tag_all(3)
    assert cats.begin(9)[0] == 202
    convex.clock.advance(1)
    assert dogs.begin(1)[0] == 202
    assert ada.read(account, month) == (13, [("Cats", 12), ("Dogs", 1)])
    cats.call("projects/manage:remove")
    assert cats.tag() == (401, {"error": "bad_key"})
    convex.clock.advance(3 * HOUR)
    # Three single images and two of the batch had their tags.
    assert ada.read(account, month) == (6, [("Cats", 5), ("Dogs", 1)])
    assert (count_rows(convex, "projects"), count_rows(convex, "images")) == (1, 1)


def test_a_project_moves(convex: Convex) -> None:
    """Use by a project stays with the account that it left, and failures go back there."""
    ada = Owner(convex)
    former, present = ada.add_account(), ada.add_account()
    cats, dogs = ada.add_project(former), ada.add_project(former, "Dogs")
    convex.stub_fetch(VISION, method="POST", status=500, after=60, times=2)
    cats.tag_all(2)
    dogs.tag_all(1)
    assert (cats.begin(7)[0], cats.tag()[0]) == (202, 429)
    cats.call("projects/move:toAccount", account=present)
    cats.tag_all(5)
    assert ada.read(former) == (FREE, [("Cats", 9), ("Dogs", 1)])
    convex.clock.advance(HOUR)
    assert ada.read(former) == (FREE - 2, [("Cats", 7), ("Dogs", 1)])
    assert ada.read(present) == (5, [("Cats", 5)])
    dogs.tag_all(2)
    cats.tag_all(FREE - 5)
    assert (dogs.tag()[0], cats.tag()[0]) == (429, 429)


def test_plans_change(convex: Convex) -> None:
    """A larger plan holds at once, a smaller one from the first moment of the next month."""
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    cats.tag_all(FREE)
    assert cats.tag()[0] == 429
    ada.choose(account, "starter")
    cats.tag_all(5)
    ada.choose(account, "free")
    cats.tag_all(STARTER - FREE - 5)
    assert cats.tag()[0] == 429
    turn = next_month(convex.clock.now())
    gift = {"account": account, "month": month_of(turn), "images": 2}
    convex.admin.mutation("support/gifts:give", gift)
    assert cats.tag()[0] == 429
    convex.clock.advance_to(turn + 600)
    assert (cats.begin(FREE + 3)[0], cats.begin(FREE + 2)[0]) == (429, 202)
    convex.clock.advance(4 * HOUR)
    assert (cats.tag()[0], ada.read(account)[0]) == (429, FREE + 2)


def test_a_request_is_repeated(convex: Convex) -> None:
    """It gets the first reply, also with another key, limit or account by now."""
    ada = Owner(convex)
    account, other = ada.add_account(), ada.add_account()
    cats, dogs = ada.add_project(account), ada.add_project(account, "Dogs")
    image, batch = cats.tag("one"), cats.begin(5, "two")
    assert (image[0], batch[0]) == (200, 202)
    convex.settle()
    assert (cats.tag("one"), cats.begin(5, "two")) == (image, batch)
    assert dogs.tag("one")[1]["image"] != image[1]["image"]
    dogs.tag_all(FREE - 7)
    assert dogs.tag()[0] == 429
    cats.rotate()
    assert (cats.begin(5, "two"), cats.tag("one")) == (batch, image)
    cats.call("projects/move:toAccount", account=other)
    assert (cats.tag("one"), cats.begin(5, "two")) == (image, batch)
    convex.settle()
    assert count_rows(convex, "images") == FREE
    assert (count_rows(convex, "batches"), len(convex.fetches())) == (1, 5)
    assert (ada.read(account)[0], ada.read(other)[0]) == (FREE, 0)


def test_a_refused_request_may_be_taken_later(convex: Convex) -> None:
    """Only a request that was taken is answered as before; one without an id is always new."""
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    cats.tag_all(FREE)
    assert (cats.tag("one")[0], cats.begin(2, "two")[0]) == (429, 429)
    ada.choose(account, "starter")
    image, batch = cats.tag("one"), cats.begin(2, "two")
    assert (image[0], batch[0]) == (200, 202)
    assert (cats.tag("one"), cats.begin(2, "two")) == (image, batch)
    assert ada.read(account)[0] == FREE + 3


def test_a_request_is_known_for_a_day(convex: Convex) -> None:
    """After 24 hours an id is new again, whether the job of the night has run or not."""
    ada = Owner(convex)
    account = ada.add_account("pro")
    cats = ada.add_project(account)
    # Two hours after the jobs of a night.
    convex.clock.advance_to((convex.clock.now() // DAY + 1) * DAY + 4.5 * HOUR)
    begin = convex.clock.now()
    first = cats.tag("one")
    convex.clock.advance_to(begin + DAY - 120)
    assert cats.tag("one") == first
    convex.clock.advance_to(begin + DAY + 120)
    second = cats.tag("one")
    assert second[0] == 200
    assert second[1]["image"] != first[1]["image"]
    assert cats.tag("one") == second
    convex.clock.advance_to(begin + 2 * DAY)
    assert cats.tag("one") == second
    assert count_rows(convex, "images") == 2


def test_requests_are_deleted_in_batches(convex: Convex) -> None:
    """The job of the night deletes requests of more than a day, and no others, in batches."""
    ada = Owner(convex)
    account = ada.add_account("pro")
    cats = ada.add_project(account)
    night = (convex.clock.now() // DAY + 3) * DAY + 2.5 * HOUR
    convex.clock.advance_to(night - DAY - HOUR)
    count = 2 * BATCH + 5
    assert {cats.tag(f"old {n}")[0] for n in range(count)} == {200}
    convex.clock.advance_to(night - DAY + HOUR)
    stored = count_rows(convex, "requests")
    assert stored >= count
    first_reply = cats.tag("kept")
    stored_for_one = count_rows(convex, "requests") - stored
    convex.limit(documents_written=BATCH, documents_read=4 * BATCH)
    convex.clock.advance_to(night + 600)
    assert count_rows(convex, "requests") == stored_for_one > 0
    assert (cats.tag("kept"), cats.tag("old 1")[0]) == (first_reply, 200)


def test_names_of_projects(convex: Convex) -> None:
    """Usage has the name that a project has, or the last one that it had."""
    ada = Owner(convex)
    account, other = ada.add_account(), ada.add_account()
    cats, dogs, unused = (ada.add_project(account, name) for name in ("Cats", "Dogs", "None"))
    cats.tag_all(1)
    dogs.tag_all(2)
    month = month_of(convex.clock.now())
    cats.call("projects/manage:rename", name="Lions")
    dogs.call("projects/move:toAccount", account=other)
    dogs.tag_all(3)
    dogs.call("projects/manage:rename", name="Wolves")
    cats.call("projects/manage:rename", name="Tigers")
    for project in (cats, dogs, unused):
        project.call("projects/manage:remove")
    assert ada.read(account, month) == (3, [("Tigers", 1), ("Wolves", 2)])
    convex.clock.advance_to(next_month(convex.clock.now()) + DAY)
    assert count_rows(convex, "projects") == 0
    assert ada.read(account, month) == (3, [("Tigers", 1), ("Wolves", 2)])
    assert ada.read(other, month) == (3, [("Wolves", 3)])
    assert ada.read(account) == (0, [])


def test_counting_reads_no_images(convex: Convex) -> None:
    """However many images and requests a month has, a request reads few documents."""
    ada = Owner(convex)
    account = ada.add_account("pro")
    cats = ada.add_project(account)
    for n in range(60):
        assert cats.tag(f"request {n}")[0] == 200
    convex.limit(documents_read=40)
    assert (cats.tag("more")[0], cats.begin(2)[0]) == (200, 202)
    convex.settle()
    assert ada.read(account) == (63, [("Cats", 63)])


def test_a_batch_of_before(convex: Convex) -> None:
    """A batch that runs at the deploy does not count, and gives nothing back."""
    convex.deploy("given")
    ada = Owner(convex)
    account = ada.add_account()
    cats = ada.add_project(account)
    convex.stub_fetch(VISION, method="POST", json=["cat"], after=30)
    convex.stub_fetch(VISION, method="POST", status=500, after=30, times=2)
    failing, stopped = cats.begin(4)[1]["batch"], cats.begin(4)[1]["batch"]
    cats.tag_all(2)
    convex.clock.advance(5)
    convex.deploy("answer")
    cats.stop(stopped)
    convex.clock.advance(HOUR)
    batch_view = cats.send("GET", f"/v1/batches/{failing}", None, None)[1]
    assert batch_view["state"] == "done"
    assert ada.read(account) == (0, [])
    cats.tag_all(FREE)
    assert cats.tag()[0] == 429


def test_the_interface_is_as_before(convex: Convex) -> None:
    """Bad requests, bad keys and other projects' batches are answered as ever."""
    ada = Owner(convex)
    account = ada.add_account()
    cats, dogs = ada.add_project(account), ada.add_project(account, "Dogs")
    bad = (400, {"error": "bad_request"})
    good = "https://a.test/red/cat.png"
    requests: list[tuple[str, dict[str, Any]]] = [
        ("/v1/images", {"url": "http://a.test/cat.png"}),
        ("/v1/images", {}),
        ("/v1/batches", {"urls": []}),
        ("/v1/batches", {"urls": [good, "cat"]}),
        ("/v1/batches", {"urls": [good] * 101}),
        ("/v1/batches", {"urls": good}),
    ]
    for path, body in requests:
        assert cats.send("POST", path, body, "bad") == bad
    assert cats.tag("bad")[1]["tags"] == ["red", "cat", "png"]
    path = f"/v1/batches/{cats.begin(2)[1]['batch']}"
    assert {*cats.send("GET", path, None, None)[1]} == {"state", "tagged", "failed"}
    convex.clock.advance(1)
    done = {"state": "done", "tagged": 2, "failed": 0}
    assert cats.send("GET", path, None, None) == (200, done)
    for method in ("GET", "DELETE"):
        assert dogs.send(method, path, None, None) == (404, {"error": "not_found"})
        assert cats.send(method, "/v1/batches/x", None, None) == (404, {"error": "not_found"})
    ada.calls.mutation("keys/manage:revoke", {"key": cats.key_id})
    assert cats.tag() == (401, {"error": "bad_key"})
    assert ada.read(account) == (3, [("Cats", 3)])
