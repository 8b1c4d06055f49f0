# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A handbook with a trash: removed for everybody, and back as if nothing had happened."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from check_handbook import ANSWER, DAY, GIVEN, HOOK, HOUR, KEY, REFUSED, Handbook

if TYPE_CHECKING:
    from runner.grader import Convex

SPACE = "#space"
SEED = 20
EVERYTHING = ("#plan", "#part", "#intro", "#piece", "#prices", "#attic", "#barn")


def write_documents(book: Handbook) -> None:
    """Write documents, in folders and below one another."""
    for user, name in (("ben", "rooms"), ("ada", "tools")):
        book.do(user, "folders:create", keep=f"#folder-{name}", workspace=SPACE, name=name.title())
    book.do("ada", "hooks:add", keep="#hook", workspace=SPACE, url=HOOK)
    book.write(
        "ada", "intro", "common welcome [[plan]] [[prices]] [[nowhere]]", folder="#folder-rooms"
    )
    book.write("ben", "plan", "common rare words of a plan [[intro]]", folder="#folder-rooms")
    book.write("ben", "part", "common rare part [[intro]] [[gone]]", parent="#plan")
    book.write("cy", "piece", "common piece", parent="#part")
    book.write("cy", "prices", "common prices [[plan]]", folder="#folder-tools")
    for name, title in (("prices", "Prices"), ("plan", "Plan"), ("part", "Part")):
        book.do("ben", "documents:edit", document=f"#{name}", title=f"{title} of today")


def add_the_rest(book: Handbook) -> None:
    """Add all that people add to documents."""
    for name, tags in (("intro", ["blue", "red"]), ("plan", ["blue", "solo"]), ("part", ["blue"])):
        book.do("ben", "tags:set", document=f"#{name}", names=tags)
    book.do("ben", "tags:paint", workspace=SPACE, name="solo", color="green")
    for user, name, text in (
        ("ben", "plan", "look @ada and @cy"),
        ("cy", "plan", "fine, @ben"),
        ("ben", "intro", "@cy?"),
        ("cy", "part", "see @ada"),
    ):
        book.do(user, "comments:add", keep=f"#c-{user}-{name}", document=f"#{name}", text=text)
    for name in ("attic", "plan", "intro", "prices"):
        book.do("cy", "favorites:add", document=f"#{name}")
    book.do("ben", "favorites:add", document="#part")
    for name in ("prices", "plan"):
        book.do("ben", "recent:open", document=f"#{name}")
    book.attach("ben", "#plan", "map of all rooms", "#file-plan")
    book.attach("ben", "#part", "map of a part", "#file-part")
    book.attach("cy", "#intro", "map of all rooms", "#file-intro")
    for name in ("plan", "intro"):
        book.do("ada", "links:create", keep=f"#link-{name}", document=f"#{name}")
    soon = round(1000 * (book.apps[ANSWER].clock.now() + 30 * DAY))
    for name in ("plan", "prices"):
        args = {"document": f"#{name}", "text": "read it", "at": soon}
        book.do("cy", "reminders:set", keep=f"#reminder-{name}", **args)
    book.do("ada", "publishing:publish", document="#plan")
    book.do("ada", "publishing:publish", document="#intro")


def open_handbook(
    convex: Convex,
    reference: Convex | None = None,
    *,
    bare: bool = False,
    pile: int = 0,
    age: int = 90,
) -> Handbook:
    """Fill a handbook by the given app, and deploy the answer over it."""
    book = Handbook(convex, reference, pile, age)
    write_documents(book)
    if not bare:
        add_the_rest(book)
    book.deploy()
    return book


def test_everything_stays_as_it_was(convex: Convex, reference: Convex) -> None:
    """Whoever removes nothing sees what they saw before."""
    book = open_handbook(convex, reference)
    book.do("cy", "favorites:place", document="#prices", to=1)
    book.do("ben", "history:undo", workspace=SPACE)
    book.do("ben", "documents:duplicate", keep="#copy", document="#plan")
    book.do("ben", "documents:move", document="#part", folder="#folder-tools")
    book.do("cy", "tags:rename", workspace=SPACE, name="blue", to="red")
    book.do("cy", "inbox:markAllRead", workspace=SPACE)
    book.do("ben", "documents:remove", document="#intro")
    book.do("cy", "documents:remove", document="#prices")
    book.wait(2 * HOUR)
    book.compare(*EVERYTHING)
    book.compare_hooks()


def test_nothing_is_done_to_what_is_in_the_trash(convex: Convex, reference: Convex) -> None:
    """What is in the trash is in no list or count, and calls that name it are refused."""
    book = open_handbook(convex, reference)
    book.do("cy", "links:create", keep="#link-prices", document="#prices")
    book.do("ben", "documents:remove", document="#plan")
    for name in ("#plan", "#part", "#piece"):
        of_document = [
            ("documents:edit", {"title": "x"}),
            ("documents:move", {}),
            ("documents:duplicate", {}),
            ("documents:remove", {}),
            ("publishing:publish", {}),
            ("tags:set", {"names": ["red"]}),
            ("favorites:add", {}),
            ("favorites:drop", {}),
            ("recent:open", {}),
            ("comments:add", {"text": "hello @ada"}),
            ("links:create", {}),
            ("reminders:set", {"text": "x", "at": 9e12}),
        ]
        for path, args in of_document:
            book.do("ada", path, document=name, **args)
        book.do("ada", "documents:move", document="#prices", parent=name)
        new = {"workspace": SPACE, "title": "New", "body": "", "parent": name}
        book.do("ada", "documents:create", **new)
    book.do("ada", "comments:remove", comment="#c-cy-plan")
    book.do("ada", "attachments:remove", attachment="#file-plan")
    book.do("ada", "attachments:url", attachment="#file-plan")
    book.do("ada", "links:revoke", link="#link-plan")
    book.do("cy", "reminders:cancel", reminder="#reminder-plan")
    book.do("ada", "tags:paint", workspace=SPACE, name="solo", color="black")
    book.do("ada", "tags:rename", workspace=SPACE, name="solo", to="red")
    mail = {"number": 4, "user": "https://users.test|ben", "text": "by mail"}
    for app in book.apps:
        path = f"/mail?key={KEY.replace(' ', '%20')}"
        assert app.http("POST", path, json=mail).status >= 400
        assert app.http("POST", path, json={**mail, "number": 3}).status < 400
    for place in (ANSWER, GIVEN):
        rows = {row["document"]: row["token"] for row in book.apps[place].table("links")}
        if place == ANSWER:
            token = rows[book.ids["#plan"][ANSWER]]
            assert book.get(f"/s?token={token}") == REFUSED
        assert "welcome" in book.get(f"/s?token={rows[book.ids['#intro'][place]]}", place)
    book.compare(*EVERYTHING)
    book.trash("ben", "trash:restore", "#plan")
    assert book.shown("#plan")["title"] == "Plan of today"


def test_people_go_on_beside_the_trash(convex: Convex, reference: Convex) -> None:
    """Undo, favorites, tags and folders work on what is left, as if the rest had been removed."""
    book = open_handbook(convex, reference)
    book.do("ben", "documents:remove", document="#plan")
    book.do("ben", "history:undo", workspace=SPACE)
    book.do("ben", "history:undo", workspace=SPACE)
    book.do("cy", "favorites:place", document="#attic", to=1)
    book.do("ada", "tags:paint", workspace=SPACE, name="red", color="green")
    book.do("ada", "tags:rename", workspace=SPACE, name="red", to="solo")
    book.do("cy", "favorites:list", workspace=SPACE)
    book.do("cy", "tags:list", workspace=SPACE)
    book.do("ada", "tags:set", document="#prices", names=["red", "solo"])
    book.do("ada", "documents:move", document="#intro", folder="#folder-tools")
    book.do("ada", "folders:remove", folder="#folder-rooms")
    book.do("ada", "comments:remove", comment="#c-ben-intro")
    book.do("cy", "inbox:markAllRead", workspace=SPACE)
    book.do("cy", "documents:duplicate", keep="#copy", document="#intro")
    book.write("cy", "plan", "common [[part]]")
    book.do("ben", "documents:remove", document="#attic")
    book.do("cy", "documents:remove", document="#prices")
    book.compare(*EVERYTHING, "#copy")


def test_lists_are_full(convex: Convex, reference: Convex) -> None:
    """Lists, searches, feed and export have as much as ever, though much lies in the trash."""
    book = open_handbook(convex, reference, pile=31)
    book.do("ada", "documents:remove", document="#pile")
    book.compare("#pile", "#plan")
    book.trash("ada", "trash:restore", "#pile")
    assert len(book.call("ada", "documents:children", document="#pile")) == 30
    assert book.call("cy", "inbox:unread", workspace=SPACE) > 30


def test_jobs_pass_by_what_is_in_the_trash(convex: Convex, reference: Convex) -> None:
    """Hooks, reminders, plans, the digest and the archive pass by what is in the trash."""
    book = open_handbook(convex, reference, bare=True)
    soon = 1000 * (book.apps[ANSWER].clock.now() + 3 * HOUR)
    for name in ("plan", "prices", "piece"):
        args = {"document": f"#{name}", "at": soon}
        book.do("cy", "reminders:set", keep=f"#soon-{name}", text="soon", **args)
        book.do("cy", "publishing:plan", **args)
    book.do("ben", "documents:remove", document="#attic")
    book.do("ben", "documents:edit", document="#part", title="Part again")
    book.do("ben", "documents:remove", document="#plan")
    book.wait(120)
    book.compare_hooks()
    book.wait(26 * HOUR)
    book.compare_hooks()
    book.compare("#plan", "#prices", "#barn")
    assert book.heard()
    book.trash("ben", "trash:restore", "#plan")
    assert book.shown("#piece")["status"] == "draft"
    told = book.call("cy", "notices:mine", workspace=SPACE)
    book.wait(2 * HOUR)
    assert book.call("cy", "notices:mine", workspace=SPACE) == told
    assert book.shown("#piece")["status"] == "draft"
    assert book.call("cy", "publishing:publish", document="#piece") is None
    assert book.shown("#piece")["status"] == "published"


def test_nothing_stale_is_archived_in_the_trash(convex: Convex) -> None:
    """What grows stale in the trash is not archived there, and hooks hear nothing of it."""
    book = open_handbook(convex, bare=True, age=170)
    book.wait(8 * DAY)
    book.do("ben", "documents:remove", document="#attic")
    book.wait(4 * DAY)
    archived = [line for line in book.heard() if "archived" in line]
    assert archived == ["document.archived 2 Barn"]
    assert book.shown("#barn")["status"] == "archived"
    book.trash("ben", "trash:restore", "#attic")
    assert book.shown("#attic")["status"] == "published"


def test_restored_as_it_was(convex: Convex, reference: Convex) -> None:
    """What is restored is as if it had never been removed, with all that people added."""
    book = open_handbook(convex, reference)
    for name in ("#plan", "#intro", "#attic", "#prices"):
        book.trash("ada", "documents:remove", name)
    book.wait(3 * DAY)
    for name in ("#intro", "#prices", "#plan", "#attic"):
        book.trash("ada", "trash:restore", name)
    book.compare(*EVERYTHING, notices=False)
    assert book.listed() == []
    for name in ("#file-plan", "#file-part", "#file-intro"):
        url = book.call("ben", "attachments:url", attachment=name)
        assert convex.http("GET", url).text.startswith("map of")
    rows = {row["document"]: row["token"] for row in convex.table("links")}
    assert "rare words" in book.get(f"/s?token={rows[book.ids['#plan'][ANSWER]]}")
    book.do("ada", "documents:remove", document="#plan")
    for path in ("tags:list", "members:list", "folders:list", "inbox:unread", "recent:lastOpened"):
        book.do("ben", path, workspace=SPACE)


def test_what_is_due_after_the_return_takes_place(convex: Convex) -> None:
    """Reminders and plans that fall due after the return take place."""
    book = open_handbook(convex, bare=True)
    later = 1000 * (book.apps[ANSWER].clock.now() + 10 * DAY)
    for name in ("plan", "piece"):
        args = {"document": f"#{name}", "at": later}
        book.do("cy", "reminders:set", keep=f"#later-{name}", text="later", **args)
        book.do("cy", "publishing:plan", **args)
    book.trash("ada", "documents:remove", "#plan")
    book.wait(5 * DAY)
    book.trash("ada", "trash:restore", "#plan")
    book.wait(6 * DAY)
    assert book.shown("#piece")["status"] == "published"
    told = [text for text in book.call("cy", "notices:mine", workspace=SPACE) if "Reminder" in text]
    assert sorted(told) == ["Reminder: Piece: later", "Reminder: Plan of today: later"]
    assert book.call("cy", "reminders:mine", workspace=SPACE) == []


def test_what_changes_meanwhile(convex: Convex, reference: Convex) -> None:
    """New names, owners and tags are there after the return, and nothing is counted wrong."""
    book = open_handbook(convex, reference)
    book.do("ben", "tags:set", document="#prices", names=["blue", "red"])
    book.do("ben", "tags:set", document="#barn", names=["solo"])
    later = 1000 * (book.apps[ANSWER].clock.now() + 2 * DAY)
    remind = {"document": "#part", "text": "ben", "at": later}
    book.do("ben", "reminders:set", keep="#remind-ben", **remind)
    book.trash("ada", "documents:remove", "#plan")
    book.do("cy", "members:rename", workspace=SPACE, name="cyrill")
    book.do("ben", "folders:rename", folder="#folder-rooms", name="Halls")
    book.do("ben", "tags:rename", workspace=SPACE, name="blue", to="red")
    book.do("ben", "tags:rename", workspace=SPACE, name="solo", to="alone")
    book.do("ada", "documents:edit", document="#intro", body="common [[part]] [[piece]]")
    book.do("cy", "attachments:remove", attachment="#file-intro")
    book.do("ada", "comments:add", keep="#late", document="#prices", text="@ben @cyrill")
    book.write("cy", "later", "common [[plan]]")
    book.do("ben", "members:leave", workspace=SPACE)
    book.trash("ada", "trash:restore", "#plan")
    for user in ("ada", "cy"):
        for path in ("documents:list", "members:list", "tags:list", "inbox:list", "inbox:unread"):
            book.do(user, path, workspace=SPACE)
    for name in ("#plan", "#part", "#piece", "#prices", "#later"):
        for path in ("documents:get", "comments:list", "references:to", "attachments:list"):
            book.do("cy", path, document=name)
    book.do("cy", "documents:list", workspace=SPACE, folder="#folder-rooms")
    book.do("cy", "workspaces:usage", workspace=SPACE)
    url = book.call("cy", "attachments:url", attachment="#file-plan")
    assert convex.http("GET", url).text == "map of all rooms"
    book.do("ada", "documents:remove", document="#plan")
    book.do("cy", "members:list", workspace=SPACE)
    book.do("cy", "tags:list", workspace=SPACE)
    book.wait(3 * DAY)
    gone = book.ids["#ben"][ANSWER]
    for table in ("mentions", "reminders", "notices"):
        assert all(row["member"] != gone for row in convex.table(table)), table


def test_places_that_are_gone(convex: Convex) -> None:
    """What has lost its folder or what stood above it comes to the top level."""
    book = open_handbook(convex, bare=True)
    book.trash("ben", "documents:remove", "#part")
    book.trash("ben", "documents:remove", "#plan")
    book.trash("ada", "documents:remove", "#intro")
    assert book.call("ada", "folders:remove", folder="#folder-rooms") is None
    for name in ("#part", "#plan", "#intro"):
        book.trash("ada", "trash:restore", name)
    rows = book.name(book.call("cy", "documents:list", workspace=SPACE), ANSWER)
    assert isinstance(rows, list)
    top = {row["id"]: (row["folderName"], row["children"]) for row in rows}
    places = {"#part": (None, 1), "#plan": (None, 0), "#intro": (None, 0)}
    assert top == {**places, "#attic": (None, 0), "#barn": (None, 0)}
    assert book.call("cy", "documents:children", document="#plan") == []
    below = book.name(book.call("cy", "documents:children", document="#part"), ANSWER)
    assert isinstance(below, list)
    assert [row["id"] for row in below] == ["#piece"]
    move = {"document": "#part", "parent": "#plan"}
    assert book.call("cy", "documents:move", **move) is None
    assert book.shown("#plan")["children"] == 1
    book.trash("ben", "documents:remove", "#plan")
    assert len(book.call("cy", "documents:list", workspace=SPACE)) == len(top) - 2


def test_slugs_that_are_taken(convex: Convex, reference: Convex) -> None:
    """A slug is free while its document is in the trash; who returns gets the next one."""
    book = open_handbook(convex, reference, bare=True)
    book.do("ben", "documents:remove", document="#plan")
    for name in ("plan", "part", "Plan of today"):
        book.write("cy", name)
    for slug in ("plan", "part", "piece", "plan-of-today"):
        book.do("cy", "documents:bySlug", workspace=SPACE, slug=slug)
    book.do("cy", "references:from", document="#intro")
    rows = book.call("ben", "trash:list", workspace=SPACE)
    assert [row["title"] for row in rows] == ["Plan of today"]
    assert (
        convex.as_user("ben", issuer="https://users.test").mutation(
            "trash:restore", {"document": rows[0]["document"]}
        )
        is None
    )
    slugs = {
        row["slug"]: row["title"]
        for row in convex.table("documents")
        if row["slug"].startswith(("p", "q"))
    }
    assert slugs == {
        "plan": "Plan",
        "plan-of-today": "Plan Of Today",
        "plan-of-today-2": "Plan of today",
        "part": "Part",
        "part-of-today": "Part of today",
        "piece": "Piece",
        "prices": "Prices of today",
    }
    found = book.call("cy", "documents:bySlug", workspace=SPACE, slug="plan-of-today-2")
    assert found["id"] == rows[0]["document"]


def test_room_for_what_returns(convex: Convex) -> None:
    """What the plan has no room for is not restored, and nothing changes."""
    book = Handbook(convex)
    for app in book.apps:
        space = app.table("workspaces")[0]["_id"]
        app.delete("workspaces", space)
    fresh = {"name": "Small", "plan": "free", "key": KEY, "documentCount": 0, "bytes": 0}
    book.deploy()
    book.do("ada", "workspaces:create", keep=SPACE, name=str(fresh["name"]), own="ada")
    book.write("ada", "tree")
    for number in range(9):
        book.write("ada", f"leaf-{number}", parent="#tree")
    book.attach("ada", "#leaf-3", "x" * 1200)
    book.do("ada", "documents:remove", document="#tree")
    for number in range(11):
        book.write("ada", f"full-{number}")
    assert book.call("ada", "trash:restore", document="#tree") == REFUSED
    usage = book.call("ada", "workspaces:usage", workspace=SPACE)
    assert (usage["documents"], usage["bytes"]) == (11, 0)
    assert book.call("ada", "documents:get", document="#leaf-3") == REFUSED
    book.do("ada", "documents:remove", document="#full-0")
    book.attach("ada", "#full-1", "y" * 801, "#file-full")
    assert book.call("ada", "trash:restore", document="#tree") == REFUSED
    book.do("ada", "attachments:remove", attachment="#file-full")
    book.attach("ada", "#full-1", "y" * 800, "#file-full")
    book.trash("ada", "trash:restore", "#tree")
    usage = book.call("ada", "workspaces:usage", workspace=SPACE)
    assert [usage[field] for field in ("documents", "documentsLeft", "bytesLeft")] == [20, 0, 0]
    assert book.shown("#tree")["children"] == 9


def test_what_was_removed_earlier(convex: Convex) -> None:
    """What was removed earlier by itself stays in the trash, and returns to its place later."""
    book = open_handbook(convex, bare=True)
    book.trash("ben", "documents:remove", "#part")
    book.wait(HOUR)
    book.trash("ben", "documents:remove", "#plan")
    book.wait(HOUR)
    removed = [line for line in book.heard() if line.startswith("document.removed")]
    assert len(removed) == 3
    assert book.listed() == ["#plan", "#part"]
    book.trash("ben", "trash:restore", "#plan")
    book.wait(120)
    assert [line for line in book.heard() if "restored" in line] == [
        "document.restored 4 Plan of today"
    ]
    assert book.listed() == ["#part"]
    assert book.shown("#plan")["children"] == 0
    assert book.call("ben", "documents:get", document="#part") == REFUSED
    assert book.call("ben", "trash:restore", document="#piece") == REFUSED
    book.trash("ben", "trash:restore", "#part")
    assert book.shown("#plan")["children"] == 1
    book.trash("ben", "documents:remove", "#part")
    book.trash("ben", "documents:remove", "#plan")
    book.trash("ben", "trash:erase", "#plan")
    assert book.listed() == ["#part"]
    book.trash("ben", "trash:restore", "#part")
    assert book.shown("#part")["children"] == 1
    assert book.shown("#piece")["title"] == "Piece"


def test_thirty_days(convex: Convex, reference: Convex) -> None:
    """After 30 days all is gone, each stay by its own days, and nothing else is touched."""
    book = open_handbook(convex, reference)
    for name in ("plan", "prices"):
        book.do("cy", "reminders:cancel", reminder=f"#reminder-{name}")
    book.trash("ben", "documents:remove", "#attic")
    book.wait_alone(20 * DAY)
    book.trash("ben", "trash:restore", "#attic")
    book.wait_alone(HOUR)
    book.trash("ben", "documents:remove", "#attic")
    book.do("ben", "documents:remove", document="#plan")
    book.wait_alone(HOUR)
    heard = book.heard()
    book.wait_alone(29.5 * DAY)
    assert book.listed() == ["#plan", "#attic"]
    book.trash("ben", "trash:restore", "#attic")
    book.wait_alone(2 * DAY)
    assert book.listed() == []
    assert book.call("ben", "trash:restore", document="#plan") == REFUSED
    later = Counter(book.heard()) - Counter(heard)
    assert later == {"document.restored 1 Attic": 1}
    assert_only_left(convex, book, ("#plan", "#part", "#piece"))
    book.compare(*EVERYTHING, notices=False)
    texts = [convex.http("GET", url_of(book, "#file-intro")).text, len(convex.files())]
    assert texts == ["map of all rooms", 1]


def assert_only_left(convex: Convex, book: Handbook, names: tuple[str, ...]) -> None:
    """Demand that nothing is stored of documents."""
    gone = {book.ids[name][ANSWER] for name in names}
    tables = ("revisions", "taggings", "comments", "mentions", "attachments", "links")
    for table in (*tables, "reminders", "activities"):
        assert not any(row["document"] in gone for row in convex.table(table)), table
    assert not any(row["_id"] in gone for row in convex.table("documents"))
    assert not any(row["from"] in gone for row in convex.table("references"))


def url_of(book: Handbook, attachment: str) -> str:
    """Return the address of an attached file."""
    return str(book.call("ada", "attachments:url", attachment=attachment))


def test_erased_for_good(convex: Convex, reference: Convex) -> None:
    """What is erased is gone at once with its files, and counts and shared files stay right."""
    book = open_handbook(convex, reference)
    book.do("ben", "documents:remove", document="#plan")
    book.trash("ada", "documents:remove", "#intro")
    book.wait(HOUR)
    heard = book.heard()
    removed = ["3 Intro", "4 Plan of today", "5 Part of today", "6 Piece"]
    assert [line[17:] for line in heard if line.startswith("document.removed")] == removed
    book.trash("ben", "trash:erase", "#plan")
    assert_only_left(convex, book, ("#plan", "#part", "#piece"))
    assert len(convex.files()) == 1
    book.trash("ada", "trash:restore", "#intro")
    assert convex.http("GET", url_of(book, "#file-intro")).text == "map of all rooms"
    book.compare(*EVERYTHING)
    book.wait(HOUR)
    assert sorted({*book.heard()} - {*heard}) == ["document.restored 3 Intro"]
    for path in ("trash:erase", "trash:restore"):
        assert book.call("ben", path, document="#plan") == REFUSED
    book.wait_alone(31 * DAY)
    book.do("ben", "tags:list", workspace=SPACE)


def test_who_may(convex: Convex) -> None:
    """Members see the trash; owners and admins restore and erase what is in it, once."""
    book = open_handbook(convex, bare=True)
    book.trash("ben", "documents:remove", "#plan")
    book.trash("ada", "documents:remove", "#prices")
    rows = book.call("cy", "trash:list", workspace=SPACE)
    assert [sorted(row) for row in rows] == [["document", "removedAt", "title"]] * 2
    assert [row["title"] for row in rows] == ["Prices of today", "Plan of today"]
    since = [convex.clock.now() - row["removedAt"] / 1000 for row in rows]
    assert 0 <= since[0] < since[1] < HOUR
    assert book.call("stranger", "trash:list", workspace=SPACE) == REFUSED
    for path in ("trash:restore", "trash:erase"):
        for user, name in (
            ("stranger", "#plan"),
            ("cy", "#plan"),
            ("ben", "#prices"),
            ("ada", "#part"),
            ("cy", "#piece"),
            ("ada", "#intro"),
        ):
            assert book.call(user, path, document=name) == REFUSED, (user, path, name)
    assert book.listed("cy") == ["#prices", "#plan"]
    assert book.shown("#intro")["title"] == "Intro"
    book.trash("cy", "trash:restore", "#prices")
    book.trash("ada", "trash:restore", "#plan")
    assert book.call("ada", "trash:restore", document="#plan") == REFUSED
    book.trash("ben", "documents:remove", "#plan")
    book.do("ben", "members:leave", workspace=SPACE)
    assert book.call("ben", "trash:restore", document="#plan") == REFUSED
    book.trash("ada", "trash:restore", "#plan")


def test_unread_mentions(convex: Convex) -> None:
    """The number of unread mentions is that of the list, whatever was read meanwhile."""
    book = open_handbook(convex, bare=True)
    for name in ("plan", "intro", "part"):
        text = "@ada, @ben, @cy"
        book.do("ben", "comments:add", keep=f"#c-{name}", document=f"#{name}", text=text)
        book.do("cy", "comments:add", keep=f"#d-{name}", document=f"#{name}", text=text)
    for user in ("ada", "cy"):
        book.trash("ada", "documents:remove", "#plan")
        if user == "cy":
            assert book.call("cy", "inbox:markAllRead", workspace=SPACE) is None
            assert book.call("cy", "inbox:unread", workspace=SPACE) == 0
        mention = book.call("ada", "inbox:list", workspace=SPACE)[0]
        app = convex.as_user("ada", issuer="https://users.test")
        app.mutation("inbox:markRead", {"mention": mention["mention"]})
        book.trash("ada", "trash:restore", "#plan")
        for reader in ("ada", "ben", "cy"):
            rows = book.call(reader, "inbox:list", workspace=SPACE)
            unread = book.call(reader, "inbox:unread", workspace=SPACE)
            assert sum(not row["read"] for row in rows) == unread, reader


def test_a_workspace_goes_with_its_trash(convex: Convex) -> None:
    """A workspace that is removed leaves nothing behind, in its trash neither."""
    book = open_handbook(convex)
    book.do("ben", "documents:remove", document="#plan")
    book.do("ada", "workspaces:remove", workspace=SPACE)
    assert not convex.files()
    for table in ("documents", "comments", "mentions", "tags", "taggings", "reminders", "members"):
        assert not convex.table(table), table
    book.wait_alone(32 * DAY)
    assert not convex.table("notices")


def test_histories_with_a_return(convex: Convex, reference: Convex) -> None:
    """Of any history people see the same, whether documents were in the trash or never."""
    chance = random.Random(SEED)  # noqa: S311 - the same history every time
    book = open_handbook(convex, reference)
    kept = ["intro", "barn", "prices"]
    for name in kept:
        book.do("ada", "tags:set", document=f"#{name}", names=["blue", "red", "solo"])
    away: list[str] = []
    for number in range(20):
        change_something(book, chance, kept, number)
        name = chance.choice(["#plan", "#part", "#attic"])
        if name in away:
            away.remove(name)
            if name == "#part" and "#plan" in away:
                away.append(name)
                continue
            book.trash("ada", "trash:restore", name)
        elif chance.random() < 0.5 and not (name == "#part" and "#plan" in away):
            away.append(name)
            book.trash("ada", "documents:remove", name)
    for name in sorted(away, key=["#plan", "#part", "#attic"].index):
        book.trash("ada", "trash:restore", name)
    book.compare(*EVERYTHING, notices=False)


def change_something(book: Handbook, chance: random.Random, names: list[str], number: int) -> None:  # noqa: PLR0912 - a change each
    """Let somebody change one of these documents, or make one."""
    user = chance.choice(("ada", "ben", "cy"))
    name = f"#{chance.choice(names)}"
    match chance.randrange(11):
        case 0:
            names.append(f"new-{number}")
            book.write(user, names[-1], f"common rare [[{chance.choice(names)}]]")
        case 1:
            book.do(
                user, "documents:edit", document=name, body=f"common [[{chance.choice(names)}]]"
            )
        case 2:
            args = {"document": name, "text": "what now, @ada @ben @cy?"}
            if book.call("ada", "documents:get", document=name) != REFUSED:
                book.do(user, "comments:add", keep=f"#c{number}", **args)
        case 3:
            book.do(user, "favorites:add", document=name)
        case 4:
            tags = chance.sample(("blue", "red", "solo"), 2)
            if name != "#barn":
                book.do(user, "tags:set", document=name, names=tags)
        case 5:
            book.do(user, "publishing:publish", document=name)
        case 6:
            book.do(user, "recent:open", document=name)
        case 7:
            book.do(user, "documents:move", document=name, folder="#folder-tools")
        case 8:
            if book.call("ada", "documents:get", document=name) != REFUSED:
                book.attach(
                    user, name, chance.choice(("map of all rooms", "map of a part")), f"#f{number}"
                )
        case 9:
            book.do(user, "folders:rename", folder="#folder-rooms", name=f"Rooms {number}")
        case _:
            book.do(user, "favorites:drop", document=name)
