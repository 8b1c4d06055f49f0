# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A home over copies: it shows what it showed, at each moment, and reads little."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from check_world import DAY, MOST_CALLS, PEOPLE, World, make_village

if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.grader import Convex

MOST_READ = 200
MOST_BYTES = 150 * 1024
MANY_CALLS = 12
"""After so many calls of the migration, people do something after each twelfth only."""
CROWD = [f"fan{number}" for number in range(80)]


def make_crowd(convex: Convex, reference: Convex) -> tuple[World, list[str]]:
    """Make a world with more likes than one call may convert, and return its posts."""
    world = World(convex, reference)
    world.add_people([*PEOPLE, *CROWD])
    world.add_follows("ana", ["bo", "cy"])
    world.add_follows("di", ["bo"])
    posts = [*world.add_posts("bo", range(1, 5)), *world.add_posts("cy", range(3, 6))]
    world.add_likes(posts, CROWD)
    world.add_comments(posts, CROWD[:3])
    return world, posts


def at_both_ends(convex: Convex, reference: Convex, change: Callable[[World], None]) -> None:
    """Make changes once before anything is converted, and once after everything is."""
    for converts_first in (False, True):
        world = make_village(convex, reference)
        world.update()
        if converts_first:
            world.migrate()
        change(world)
        world.migrate()
        world.settle()
        world.compare("ana", "bo")


def after_all(convex: Convex, reference: Convex, change: Callable[[World], None]) -> None:
    """Make changes after everything is converted."""
    world = make_village(convex, reference)
    world.update()
    world.migrate()
    change(world)


def test_the_home_stays_the_same(convex: Convex, reference: Convex) -> None:
    """Before the migration, between its calls and after it, people see the same."""
    world, _posts = make_crowd(convex, reference)
    world.update()
    assert len(world.compare("ana", "di")) == 7
    done = False
    for number in range(MOST_CALLS):
        done = world.convert()
        if done or number < MANY_CALLS:
            world.compare("ana")
        if done:
            break
    assert done
    assert world.convert()
    world.compare("ana", "di")


def test_changes_between_the_calls_count_once(convex: Convex, reference: Convex) -> None:
    """What people do while the migration runs is neither lost nor counted twice."""
    world, posts = make_crowd(convex, reference)
    world.update()
    for number in range(MOST_CALLS):
        who = PEOPLE[number % 4]
        if number > MANY_CALLS and number % MANY_CALLS > 0:
            if world.convert():
                break
            continue
        for place, post in enumerate(posts):
            if (place + number) % 2 == 0:
                world.must(who, "likes:like", {"post": post})
                world.must(CROWD[number % 80], "likes:unlike", {"post": post})
                continue
            comment = f"{post}/{number}"
            world.must(who, "comments:add", {"post": post, "text": "me too"}, keep=comment)
            if place % 3 == 0:
                args = {"comment": comment, "removed": True}
                world.must("mod", "moderation:removeComment", args)
            if place % 3 == 1:
                world.must(who, "comments:remove", {"comment": comment})
        world.must("bo", "accounts:update", {"name": f"Bo the {number}th"})
        world.must("bo", "posts:edit", {"post": posts[number % 4], "body": f"mended {number}"})
        new = f"#new{number}"
        args = {"body": new, "at": world.at(20 + number)}
        world.must("cy", "posts:publish", args, keep=new)
        world.must("ana", "likes:like", {"post": new})
        done = world.convert()
        world.compare("ana")
        if done:
            break
    assert world.convert()
    world.must("ana", "likes:unlike", {"post": posts[0]})
    world.must("ana", "likes:like", {"post": posts[1]})
    assert world.compare("ana", "di")


def test_a_home_reads_little(convex: Convex, reference: Convex) -> None:
    """A home of thirty authors with long texts reads at most 200 documents and 150 kB."""
    world = World(convex, reference)
    authors = [f"author{number}" for number in range(30)]
    world.add_people(["ana", "mod", *authors], bio="b" * 8_000)
    world.add_follows("ana", authors)
    posts: dict[str, dict[str, object]] = {}
    for number, author in enumerate(authors):
        shape = {"author": f"#{author}", "hidden": False}
        for day in (10, 11):
            body = f"{author} {'x' * 19_000}"
            at = world.at(day + number / 100)
            posts[f"#{author}:{day}"] = {**shape, "body": body, "at": at}
        for old in range(8):
            posts[f"#{author}:{old}"] = {**shape, "body": "short", "at": world.at(old)}
    world.insert("posts", posts)
    world.add_posts(authors[0], [50.0] * 220, hidden=True)
    world.add_posts(authors[1], [150.0] * 220)
    busy_posts = world.add_posts(authors[2], [10.9 + number for number in range(22)])
    world.add_likes(busy_posts[2:], ["ana", *authors[:9]])
    world.add_comments(busy_posts[2:], authors[:9])
    world.update()
    world.migrate()
    busy = world.answer.as_user("ana").footprint("home:show", {}, kind="query")
    assert len(world.compare("ana")) == 20
    assert busy.documents_read <= MOST_READ
    assert busy.bytes_read <= MOST_BYTES

    for post in busy_posts[10:]:
        world.must("mod", "moderation:hide", {"post": post, "hidden": True})
    even = world.answer.as_user("ana").footprint("home:show", {}, kind="query")
    home = world.compare("ana")
    assert len({str(entry["author"]) for entry in home}) > 10
    assert even.documents_read <= MOST_READ
    assert even.bytes_read <= MOST_BYTES


def test_large_posts_are_converted_in_parts(convex: Convex, reference: Convex) -> None:
    """A call reads at most 500 documents, with the largest posts and with many small ones."""
    world = World(convex, reference)
    fans = [*CROWD, *(f"guest{number}" for number in range(120))]
    world.add_people(["ana", *fans])
    world.add_follows("ana", [CROWD[0]])
    posts = world.add_posts(CROWD[0], (1, 2, 3))
    world.add_likes(posts, fans)
    world.add_comments(posts, fans[:100])
    world.add_posts(CROWD[1], [4.0] * 270)
    world.add_posts(CROWD[0], (5, 6))
    world.update()
    world.migrate()
    likes = [entry["likes"] for entry in world.compare("ana", CROWD[1])]
    assert likes == [0, 0, 200, 200, 200]


def test_names_are_the_present_ones(convex: Convex, reference: Convex) -> None:
    """A new name or handle is shown at once, whoever changed it."""

    def change(world: World) -> None:
        world.must("bo", "accounts:update", {"name": "Bo the Great"})
        world.must("cy", "accounts:update", {"bio": "new"})
        world.compare("ana")
        world.must("cy", "accounts:changeHandle", {"handle": "cyrus"})
        world.must("mod", "moderation:resetName", {"handle": "di"})
        world.compare("ana")

    after_all(convex, reference, change)


def test_posts_are_the_present_ones(convex: Convex, reference: Convex) -> None:
    """Posts that are edited, moved, hidden, removed or expired are shown as they are now."""

    def change(world: World) -> None:
        world.must("bo", "posts:edit", {"post": "#bo-0", "body": "short"})
        world.must("bo", "posts:reschedule", {"post": "#bo-1", "at": world.at(8.5)})
        world.must("mod", "moderation:hide", {"post": "#cy-0", "hidden": True})
        world.must("cy", "posts:remove", {"post": "#cy-1"})
        world.judge("#di-0", "hide")
        later = {"body": "later", "at": world.at(100 + 1 / 24)}
        world.must("di", "posts:publish", later, keep="#later")
        brief = {"body": "brief", "at": world.at(30), "expiresAt": world.at(31)}
        world.must("di", "posts:publish", brief, keep="#brief")
        world.compare("ana", "bo")
        world.judge("#di-0", "clear")
        world.must("mod", "moderation:hide", {"post": "#bo-2", "hidden": True})
        world.must("mod", "moderation:hide", {"post": "#cy-0", "hidden": False})
        world.run("janitor:sweep")
        shown = world.compare("ana", "bo")
        assert not {"#brief", "#later", "#bo-2"} & {str(entry["post"]) for entry in shown}
        world.advance(2 * 60 * 60)
        assert world.compare("ana", "bo")[0]["post"] == "#later"

    after_all(convex, reference, change)


def test_posts_of_one_moment_keep_their_order(convex: Convex, reference: Convex) -> None:
    """Of posts of the same moment, the newest stored comes first."""
    world = World(convex, reference)
    world.add_people(PEOPLE)
    world.add_follows("ana", PEOPLE[1:])
    names = [
        name
        for author in ("bo", "cy", "bo", "di", "cy", "bo")
        for name in world.add_posts(author, [1.0])
    ]
    world.update()
    for name in (names[4], names[0], names[2]):
        author = name.strip("#0123456789")
        world.must(author, "posts:edit", {"post": name, "body": f"new {name}"})
        world.must("ana", "likes:like", {"post": name})
    args = {"body": "late", "at": world.at(1)}
    world.must("cy", "posts:publish", args, keep="#late")
    world.must("mod", "support:mergeAccounts", {"from": "di", "into": "bo"})
    world.migrate()
    shown = world.compare("ana", "bo")
    assert [entry["post"] for entry in shown] == ["#late", *names[::-1]]
    for name in (names[3], names[1]):
        author = "bo" if name == names[3] else "cy"
        world.must(author, "posts:edit", {"post": name, "body": f"newer {name}"})
        world.must("mod", "moderation:hide", {"post": name, "hidden": True})
        world.must("mod", "moderation:hide", {"post": name, "hidden": False})
    world.compare("ana", "bo")
    posts = [{"body": f"brought {number}", "day": "2026-03-04"} for number in range(3)]
    assert world.answer.as_user("cy").mutation("imports:bring", {"posts": posts}) == len(posts)
    entries = world.answer.as_user("cy").query("home:show", {})
    order = [entry["excerpt"] for entry in entries if entry["excerpt"].startswith("brought")]
    assert order == ["brought 2", "brought 1", "brought 0"]


def test_likes_are_counted(convex: Convex, reference: Convex) -> None:
    """Likes count once, and are gone when their user, a block or the search for bots takes them."""

    def change(world: World) -> None:
        for _ in range(2):
            world.must("cy", "likes:like", {"post": "#bo-0"})
            world.must("ana", "likes:unlike", {"post": "#bo-1"})
            world.must("mod", "likes:unlike", {"post": "#bo-1"})
        world.compare("ana", "cy")
        world.must("bo", "accounts:update", {"name": "Bo"})
        until = {"handle": "bo", "until": world.at(200)}
        world.must("mod", "moderation:suspend", until)
        world.run("janitor:dropBots")
        world.compare("ana", "cy")
        world.must("di", "blocks:block", {"handle": "ana"})
        world.must("di", "blocks:block", {"handle": "ana"})
        world.compare("cy", "ana", "di")

    at_both_ends(convex, reference, change)


def test_comments_are_counted(convex: Convex, reference: Convex) -> None:
    """Comments count while no moderator has removed them, however often that is said."""

    def change(world: World) -> None:
        world.must("cy", "comments:add", {"post": "#bo-0", "text": "well"}, keep="#well")
        for comment, removed in (
            ("#well", True),
            ("#well", True),
            ("#bo-0/ana", False),
            ("#bo-1/cy", True),
        ):
            args = {"comment": comment, "removed": removed}
            world.must("mod", "moderation:removeComment", args)
        world.must("cy", "comments:remove", {"comment": "#well"})
        world.compare("ana")
        world.must("mod", "moderation:silence", {"handle": "cy"})
        world.must("mod", "moderation:silence", {"handle": "cy"})
        world.compare("ana")
        args = {"comment": "#bo-1/cy", "removed": False}
        world.must("mod", "moderation:removeComment", args)
        world.must("cy", "blocks:block", {"handle": "bo"})
        world.compare("ana", "cy", "bo")

    at_both_ends(convex, reference, change)


def test_accounts_come_and_go(convex: Convex, reference: Convex) -> None:
    """Accounts that are closed, merged or suspended take their posts, likes and comments along."""

    def change(world: World) -> None:
        world.must("new", "accounts:register", {"handle": "new", "name": "New"}, keep="#new")
        args = {"body": "hello", "at": world.at(40)}
        world.must("new", "posts:publish", args, keep="#hello")
        world.must("ana", "follows:follow", {"handle": "new"})
        world.must("new", "likes:like", {"post": "#bo-0"})
        world.must("new", "comments:add", {"post": "#bo-0", "text": "new"}, keep="#n")
        world.must("new", "likes:like", {"post": "#cy-0"})
        world.must("cy", "likes:like", {"post": "#cy-0"})
        assert world.compare("ana")[0]["post"] == "#hello"
        world.must("mod", "support:mergeAccounts", {"from": "cy", "into": "new"})
        world.compare("ana", "new")
        until = {"handle": "bo", "until": world.at(101)}
        world.must("mod", "moderation:suspend", until)
        assert all(entry["author"]["handle"] != "bo" for entry in world.compare("ana", "bo"))
        world.advance(2 * DAY)
        assert any(entry["author"]["handle"] == "bo" for entry in world.compare("ana", "bo"))
        world.must("di", "accounts:close")
        assert all(entry["author"]["handle"] != "di" for entry in world.home("ana", 0))
        world.settle()
        world.compare("ana", "bo")
        for table in ("follows", "likes", "comments"):
            assert len(world.answer.table(table)) == len(world.given.table(table))
        world.must("di", "accounts:register", {"handle": "di", "name": "Di again"}, keep="#di2")
        world.must("di", "likes:like", {"post": "#bo-0"})
        world.compare("ana", "di")

    at_both_ends(convex, reference, change)


def test_follows_decide(convex: Convex, reference: Convex) -> None:
    """Unfollowed, muted and private accounts are not shown, and others are shown at once."""

    def change(world: World) -> None:
        world.must("ana", "follows:unfollow", {"handle": "bo"})
        world.must("bo", "follows:unfollow", {"handle": "cy"})
        world.must("ana", "follows:mute", {"handle": "di", "muted": True})
        world.compare("ana", "bo")
        world.must("bo", "accounts:setPrivate", {"isPrivate": True})
        world.must("ana", "follows:follow", {"handle": "bo"})
        world.compare("ana", "cy")
        world.must("bo", "follows:accept", {"handle": "ana"})
        world.must("ana", "follows:mute", {"handle": "di", "muted": False})
        assert len(world.compare("ana", "cy")) == 11

    after_all(convex, reference, change)


def test_refusals_are_as_before(convex: Convex, reference: Convex) -> None:
    """The same calls are refused as in the given app, and no others."""
    world = make_village(convex, reference)
    world.update()
    world.migrate()
    own, foreign = {"post": "#bo-0"}, {"post": "#cy-0"}
    calls = [
        ("bo", "posts:edit", {**own, "body": " "}),
        ("bo", "posts:edit", {**own, "body": "y" * 20_001}),
        ("bo", "posts:edit", {**own, "body": "y" * 20_000}),
        ("bo", "posts:edit", {**foreign, "body": "y"}),
        ("bo", "posts:reschedule", {**foreign, "at": world.at(3)}),
        ("bo", "posts:remove", foreign),
        ("bo", "posts:publish", {"body": ""}),
        ("eve", "posts:publish", {"body": "I am nobody"}),
        ("bo", "comments:add", {**foreign, "text": ""}),
        ("bo", "comments:add", {**foreign, "text": "z" * 1001}),
        ("bo", "comments:remove", {"comment": "#bo-0/ana"}),
        ("bo", "moderation:hide", {**foreign, "hidden": True}),
        ("bo", "moderation:removeComment", {"comment": "#bo-0/ana", "removed": True}),
        ("bo", "moderation:silence", {"handle": "cy"}),
        ("bo", "moderation:suspend", {"handle": "cy", "until": world.at(300)}),
        ("bo", "moderation:resetName", {"handle": "cy"}),
        ("bo", "support:mergeAccounts", {"from": "cy", "into": "bo"}),
        ("mod", "support:mergeAccounts", {"from": "cy", "into": "cy"}),
        ("mod", "support:mergeAccounts", {"from": "cy", "into": "nobody"}),
        ("bo", "accounts:update", {"name": " "}),
        ("bo", "accounts:update", {"name": "n" * 61}),
        ("bo", "accounts:update", {"bio": "n" * 8_001}),
        ("bo", "accounts:update", {"bio": "n" * 8_000}),
        ("bo", "accounts:changeHandle", {"handle": "cy"}),
        ("bo", "accounts:changeHandle", {"handle": ""}),
        ("eve", "accounts:register", {"handle": "cy", "name": "Cy"}),
        ("eve", "accounts:register", {"handle": "eve", "name": ""}),
        ("cy", "imports:bring", {"posts": [{"body": "b", "day": "someday"}]}),
        ("cy", "imports:bring", {"posts": [{"body": " ", "day": "2026-01-01"}]}),
        ("cy", "imports:bring", {"posts": [{"body": "b", "day": "2026-01-01"}] * 101}),
    ]
    for user, path, args in calls:
        world.call(user, path, args)
    world.must("bo", "accounts:setPrivate", {"isPrivate": True})
    world.must("di", "follows:unfollow", {"handle": "bo"})
    for path in ("likes:like", "likes:unlike"):
        world.call("di", path, own)
        world.call("di", path, foreign)
    world.call("di", "comments:add", {**own, "text": "may I?"})
    world.must("mod", "moderation:hide", {**foreign, "hidden": True})
    world.call("di", "likes:like", foreign)
    for app in world.apps:
        for secret, body in (("no", {}), ("s", {"post": "x", "verdict": "hide"}), ("s", {})):
            app.set_env("MODERATION_SECRET", "s")
            app.http("POST", "/moderation", json=body, headers={"x-secret": secret})

    world.compare(*PEOPLE)


def test_other_functions_are_as_before(convex: Convex, reference: Convex) -> None:
    """Whole texts, profiles and lists are read as before, and all functions are still there."""
    world = make_village(convex, reference)
    world.must("bo", "posts:publish", {"body": "w" * 900, "at": world.at(50)}, keep="#whole")
    functions = dict(world.answer.functions)
    crons = dict(world.answer.crons)
    world.update()
    for _ in range(2):
        for post in ("#whole", "#cy-0"):
            world.compare_query("ana", "posts:get", {"post": post})
        world.compare_query("ana", "accounts:profile", {"handle": "bo"})
        for handle in ("bo", "cy"):
            world.compare_query("ana", "posts:count", {"handle": handle})
        mine = [app.as_user("bo").query("posts:mine", {}) for app in world.apps]
        for posts in mine:
            for post in posts:
                post.pop("_id")
        assert mine[0] == mine[1]
        messages = [
            app.as_user("ana").query("comments:list", {"post": world.ids["#bo-0"][place]})
            for place, app in enumerate(world.apps)
        ]
        texts = [[comment["text"] for comment in comments] for comments in messages]
        assert texts[0] == texts[1]
        world.migrate()
    now = world.answer.functions
    for path, function in functions.items():
        assert (now[path].kind, now[path].visibility) == (function.kind, function.visibility)
    schedules = [(cron.path, cron.schedule) for cron in world.answer.crons.values()]
    assert all((cron.path, cron.schedule) in schedules for cron in crons.values())
    assert now["migrate:next"].visibility == "internal"


def test_random_histories(convex: Convex, reference: Convex) -> None:
    """Whatever people and moderators do, in any order, homes are those of the given app."""
    rng = random.Random(20)  # noqa: S311 - a test needs no secrets
    world = make_village(convex, reference)
    world.update()
    posts = [name for name in world.ids if "-" in name and "/" not in name and "<" not in name]
    comments = [name for name in world.ids if "/" in name and name[-1].isalpha()]
    for step in range(80):
        take_step(world, rng, step, posts, comments)
        if step == 30:
            world.migrate()
        if step % 6 == 5:
            world.settle()
            world.compare("ana", "cy")
    world.compare("ana", "bo", "cy", "di", "mod")


def take_step(  # noqa: PLR0912 - a case for each thing that people do
    world: World, rng: random.Random, step: int, posts: list[str], comments: list[str]
) -> None:
    """Make one random call in both apps."""
    who, whom = rng.sample(PEOPLE[:4], 2)
    post, comment, flag = rng.choice(posts), rng.choice(comments), rng.random() < 0.5
    at = world.at(rng.randrange(1, 12))
    match rng.randrange(16):
        case 0 | 1 | 2:
            world.call(who, "likes:like", {"post": post})
        case 3:
            world.call(who, "likes:unlike", {"post": post})
        case 4 | 5:
            name = f"{post}/new{step}"
            if world.call(who, "comments:add", {"post": post, "text": "hm"}, keep=name):
                comments.append(name)
        case 6:
            world.call(comment.split("/")[1], "comments:remove", {"comment": comment})
            world.call(who, "comments:remove", {"comment": comment})
        case 7 | 8:
            args = {"comment": comment, "removed": flag}
            world.call("mod", "moderation:removeComment", args)
        case 9:
            name = f"#{who}-s{step}"
            world.must(who, "posts:publish", {"body": f"step {step}", "at": at}, keep=name)
            posts.append(name)
        case 10:
            author = post.strip("#").split("-")[0]
            world.call(author, "posts:edit", {"post": post, "body": f"edit {step}"})
            world.call(author, "posts:reschedule", {"post": post, "at": at})
        case 11:
            world.call("mod", "moderation:hide", {"post": post, "hidden": flag})
        case 12:
            path = "blocks:block" if flag else "blocks:unblock"
            world.call(who, path, {"handle": whom})
        case 13:
            path = "follows:follow" if flag else "follows:unfollow"
            world.call(who, path, {"handle": whom})
        case 14:
            world.call(who, "accounts:update", {"name": f"{who} {step}"})
        case _:
            author = post.strip("#").split("-")[0]
            world.call(author, "posts:remove", {"post": post})
