# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A network of people in the answer, and beside it in the given app, which takes the same calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runner.grader import Convex

Row = dict[str, Any]
PEOPLE = ("ana", "bo", "cy", "di", "mod")
DAY = 24 * 60 * 60
MOST_READ = 500
"""The documents that a call of the migration may read."""
DONE = 204
"""The status of a verdict that was taken."""
MOST_CALLS = 2000
"""More calls than there are documents to convert in any test."""


class World:
    """The answer and the given app, with the same people. A text such as "#tea" is a stored id."""

    def __init__(self, convex: Convex, reference: Convex) -> None:
        """Deploy the given app in both places, without data."""
        convex.reset()
        reference.reset()
        self.apps = (convex, reference)
        self.answer, self.given = self.apps
        for app in self.apps:
            app.deploy("given")
        self.start = float(round(convex.clock.now()) - 100 * DAY)
        self.ids: dict[str, tuple[str, ...]] = {}

    def at(self, days: float) -> float:
        """Return the moment so many days after the beginning, in milliseconds."""
        return 1000 * (self.start + days * DAY)

    # --- Stored data -------------------------------------------------------------------------

    def insert(self, table: str, documents: Mapping[str, Mapping[str, object]]) -> None:
        """Store documents of the given app's schema by their names; call this before ``update``."""
        for place, app in enumerate(self.apps):
            ids = app.insert_many(table, [self._fill(each, place) for each in documents.values()])
            for name, id_ in zip(documents, ids, strict=True):
                self.ids[name] = (*self.ids.get(name, ())[:place], id_)

    def add_people(self, names: Sequence[str], bio: str = "") -> None:
        """Store accounts; "mod" is a moderator."""
        documents = {
            f"#{name}": {
                "token": f"https://users.test|{name}",
                "handle": name,
                "name": f"{name} of the house",
                "bio": bio or f"I am {name}",
                "isPrivate": False,
                "role": "moderator" if name == "mod" else "member",
            }
            for name in names
        }
        self.insert("users", documents)

    def add_follows(self, follower: str, followees: Sequence[str]) -> None:
        """Let somebody follow others."""
        shape = {"follower": f"#{follower}", "accepted": True, "muted": False}
        names = {f"#{follower}>{name}": {**shape, "followee": f"#{name}"} for name in followees}
        self.insert("follows", names)

    def add_posts(self, author: str, days: Sequence[float], **fields: object) -> list[str]:
        """Store posts of a day each, and return their names."""
        first = len(self.ids)
        names = [f"#{author}{first + number}" for number in range(len(days))]
        shape = {"author": f"#{author}", "hidden": False}
        posts = {
            name: {**shape, "body": f"{name} {'long ' * 60}", "at": self.at(day), **fields}
            for name, day in zip(names, days, strict=True)
        }
        self.insert("posts", posts)
        return names

    def add_likes(self, posts: Sequence[str], users: Sequence[str]) -> None:
        """Let each of the users like each of the posts."""
        pairs = [(post, user) for post in posts for user in users]
        likes = {f"{post}<{user}": {"post": post, "user": f"#{user}"} for post, user in pairs}
        self.insert("likes", likes)

    def add_comments(self, posts: Sequence[str], authors: Sequence[str]) -> None:
        """Let each of the authors comment each of the posts."""
        shape = {"text": "well", "removed": False}
        comments = {
            f"{post}/{author}": {"post": post, "author": f"#{author}", **shape}
            for post in posts
            for author in authors
        }
        self.insert("comments", comments)

    def update(self) -> None:
        """Deploy the answer over what is stored."""
        self.answer.deploy("answer")

    # --- Calls -------------------------------------------------------------------------------

    def call(
        self, user: str, path: str, args: Mapping[str, object] | None = None, *, keep: str = ""
    ) -> bool:
        """Call a mutation in both apps, which both do it or both refuse it; name the new id.

        Returns whether they did it.
        """
        values: list[object] = []
        refused = None
        try:
            values.append(self.given.as_user(user).mutation(path, self._fill(args or {}, 1)))
        except FunctionFailed as error:
            refused = error
        if refused is not None:
            with pytest.raises(FunctionFailed):
                self.answer.as_user(user).mutation(path, self._fill(args or {}, 0))
            return False
        values.insert(0, self.answer.as_user(user).mutation(path, self._fill(args or {}, 0)))
        if keep:
            self.ids[keep] = (str(values[0]), str(values[1]))
        else:
            assert values[0] == values[1], path
        return True

    def must(
        self, user: str, path: str, args: Mapping[str, object] | None = None, *, keep: str = ""
    ) -> None:
        """Call a mutation that both apps accept."""
        assert self.call(user, path, args, keep=keep), f"the given app refuses {path}"

    def run(self, path: str) -> None:
        """Run an internal mutation of the given app in both."""
        for app in self.apps:
            app.admin.mutation(path, {})

    def judge(self, post: str, verdict: str) -> None:
        """Send a verdict to the route of both apps."""
        for place, app in enumerate(self.apps):
            app.set_env("MODERATION_SECRET", "s")
            body = {"post": self.ids[post][place], "verdict": verdict}
            reply = app.http("POST", "/moderation", json=body, headers={"x-secret": "s"})
            assert reply.status == DONE

    def settle(self) -> None:
        """Wait until nothing runs."""
        for app in self.apps:
            app.settle()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        for app in self.apps:
            app.clock.advance(seconds)

    def convert(self) -> bool:
        """Call the migration once, and return whether nothing is left."""
        call = self.answer.admin.footprint("migrate:next", {})
        assert call.documents_read <= MOST_READ, f"a call read {call.documents_read} documents"
        assert isinstance(call.value, bool)
        return call.value

    def migrate(self) -> None:
        """Call the migration until nothing is left."""
        assert any(self.convert() for _ in range(MOST_CALLS)), "the migration does not end"

    # --- Results -----------------------------------------------------------------------------

    def compare(self, *users: str) -> list[Row]:
        """Demand that these people see the same in both apps; return the first home."""
        homes = [(self.home(user, 0), self.home(user, 1)) for user in users]
        for user, (answer, expected_home) in zip(users, homes, strict=True):
            assert answer == expected_home, f"the home of {user}"
        return homes[0][0]

    def home(self, user: str, place: int) -> list[Row]:
        """Return the home of a person, with names in place of ids."""
        names = {ids[place]: name for name, ids in self.ids.items()}
        entries = self.apps[place].as_user(user).query("home:show", {})
        return [{**entry, "post": names[entry["post"]]} for entry in entries]

    def compare_query(self, user: str, path: str, args: Mapping[str, object]) -> None:
        """Demand the same result of a query without ids in its result."""
        values = [
            app.as_user(user).query(path, self._fill(args, place))
            for place, app in enumerate(self.apps)
        ]
        assert values[0] == values[1], path

    def _fill(self, args: Mapping[str, object], place: int) -> dict[str, object]:
        """Put ids in place of names."""
        return {
            key: self.ids[value][place] if isinstance(value, str) and value in self.ids else value
            for key, value in args.items()
        }


def make_village(convex: Convex, reference: Convex) -> World:
    """Make five people who follow one another, with fewer posts than a home shows.

    The posts are "#bo-0" and so on, and their comments "#bo-0/ana".
    """
    world = World(convex, reference)
    world.add_people(PEOPLE)
    pairs = [(one, other) for one in PEOPLE for other in PEOPLE if one != other]
    shape = {"accepted": True, "muted": False}
    follows = {
        f"#{one}>{other}": {"follower": f"#{one}", "followee": f"#{other}", **shape}
        for one, other in pairs
    }
    world.insert("follows", follows)
    posts: dict[str, dict[str, object]] = {}
    likes: dict[str, dict[str, object]] = {}
    comments: dict[str, dict[str, object]] = {}
    for author, days in (("bo", (1, 2, 3, 8)), ("cy", (2, 4, 5)), ("di", (6, 7)), ("ana", (1, 9))):
        for number, day in enumerate(days):
            post = f"#{author}-{number}"
            posts[post] = {
                "author": f"#{author}",
                "body": f"{post} {'long ' * 60}",
                "at": world.at(day),
                "hidden": False,
            }
            for user in PEOPLE[: 1 + number]:
                likes[f"{post}<{user}"] = {"post": post, "user": f"#{user}"}
            for user in (*PEOPLE[number:4], ""):
                comments[f"{post}/{user}"] = {
                    "post": post,
                    "author": f"#{user or 'bo'}",
                    "text": "well",
                    "removed": user == "",
                }
    world.insert("posts", posts)
    world.insert("likes", likes)
    world.insert("comments", comments)
    return world
