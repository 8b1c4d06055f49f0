# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Counts of votes and views that move from a component to a table, in two deploys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from runner.grader import Convex, Output, Source

MINUTE = 60
PEOPLE = ("ada", "bob", "cyd")
COMPONENT = "@convex-dev/sharded-counter"


@dataclass
class Idea:
    """What is known of an idea without looking at its counts."""

    id: str
    board: str
    voters: set[str] = field(default_factory=set[str])
    forum: int = 0
    looks: int = 0
    is_removed: bool = False

    @property
    def votes(self) -> int:
        """Return the number of votes."""
        return len(self.voters) + self.forum


@dataclass
class Wishlist:
    """A wishlist, and what each of its numbers must be."""

    convex: Convex
    boards: dict[str, str] = field(default_factory=dict[str, str])
    ideas: dict[str, Idea] = field(default_factory=dict[str, Idea])

    @property
    def staff(self) -> Convex:
        """Call as staff."""
        return self.convex.as_user("sam", role="staff")

    def open(self) -> None:
        """Make two boards and three members."""
        for slug in ("app", "shop"):
            args = {"slug": slug, "name": slug.title()}
            self.boards[slug] = self.staff.mutation("boards:create", args)
        for person in PEOPLE:
            self.convex.as_user(person).mutation("members:join", {"name": person})

    def add(self, title: str, board: str = "app") -> None:
        """Add an idea of Ada's."""
        args = {"board": self.boards[board], "title": title}
        idea = self.convex.as_user("ada").mutation("ideas:add", args)
        self.ideas[title] = Idea(idea, board)

    def vote(self, title: str, *people: str) -> None:
        """Vote for an idea."""
        for person in people:
            self._call(person, "votes:give", title)
            self.ideas[title].voters.add(person)

    def take_back(self, title: str, person: str) -> None:
        """Take a vote back."""
        self._call(person, "votes:takeBack", title)
        self.ideas[title].voters.discard(person)

    def look(self, title: str, times: int = 1) -> None:
        """Look at an idea."""
        for _ in range(times):
            self._call("bob", "views:count", title)
        self.ideas[title].looks += times

    def add_forum(self, title: str, count: int) -> None:
        """Add votes of the forum."""
        args = {"idea": self.ideas[title].id, "count": float(count)}
        self.staff.mutation("staff/forum:addVotes", args)
        self.ideas[title].forum += count

    def remove(self, title: str) -> None:
        """Remove an idea."""
        self._call("ada", "ideas:remove", title)
        self.ideas[title].is_removed = True

    def restore(self, title: str) -> None:
        """Bring a removed idea back."""
        self._call("ada", "ideas:restore", title)
        self.ideas[title].is_removed = False

    def wait_for_drops(self) -> None:
        """Wait until removed ideas are deleted."""
        self.convex.clock.advance(11 * MINUTE)
        self.ideas = {title: idea for title, idea in self.ideas.items() if not idea.is_removed}

    def merge(self, source: str, target: str) -> None:
        """Merge an idea into another one."""
        merged, into = self.ideas.pop(source), self.ideas[target]
        args = {"from": merged.id, "into": into.id}
        self.staff.mutation("staff/merge:merge", args)
        self.convex.clock.advance(1)
        into.voters |= merged.voters
        into.forum += merged.forum
        into.looks += merged.looks

    def _call(self, person: str, path: str, title: str) -> None:
        self.convex.as_user(person).mutation(path, {"idea": self.ideas[title].id})

    def check(self) -> None:
        """Demand that each number that is shown is right."""
        counts, expected = self._list_shown(), self._list_expected()
        assert counts == expected

    def _list_expected(self) -> dict[str, Any]:
        ideas = {title: idea for title, idea in self.ideas.items() if not idea.is_removed}
        boards = dict.fromkeys(self.boards, 0)
        for idea in ideas.values():
            boards[idea.board] += idea.votes
        return {
            "ideas": {title: (idea.votes, idea.looks) for title, idea in ideas.items()},
            "badges": {title: f"{idea.votes} votes" for title, idea in ideas.items()},
            "boards": boards,
            "report": boards,
            "members": {
                person: sum(person in idea.voters for idea in self.ideas.values())
                for person in PEOPLE
            },
        }

    def _list_shown(self) -> dict[str, Any]:
        listed: dict[str, dict[str, Any]] = {}
        for board in self.boards.values():
            for row in self.convex.query("ideas:list", {"board": board}):
                listed[row["title"]] = row
        looks = {
            title: self.convex.query("views:ofIdea", {"idea": row["id"]})
            for title, row in listed.items()
        }
        report = self.staff.query("staff/reports:boards")
        return {
            "ideas": {title: (row["votes"], looks[title]) for title, row in listed.items()},
            "badges": {
                title: self.convex.http("GET", f"/badge?idea={row['id']}").text
                for title, row in listed.items()
            },
            "boards": {
                slug: self.convex.query("boards:show", {"slug": slug})["votes"]
                for slug in self.boards
            },
            "report": {row["slug"]: row["votes"] for row in report},
            "members": {
                person: self.convex.as_user(person).query("members:me")["votes"]
                for person in PEOPLE
            },
        }

    def start(self) -> None:
        """Start the move."""
        self.convex.admin.mutation("moving:start", {})

    def is_done(self) -> bool:
        """Return whether the move is done."""
        return self.convex.admin.query("moving:isDone", {})

    def finish(self) -> None:
        """Wait for the end of the move."""
        self.convex.clock.advance(5 * MINUTE)
        assert self.is_done() is True


def open_wishlist(convex: Convex) -> Wishlist:
    """Open a wishlist with the given app, with votes, looks and votes of the forum."""
    convex.deploy("given")
    wishlist = Wishlist(convex)
    wishlist.open()
    for title in ("Dark mode", "Export", "Offline"):
        wishlist.add(title)
    wishlist.add("Gift cards", "shop")
    wishlist.vote("Dark mode", *PEOPLE)
    wishlist.vote("Export", "ada", "bob")
    wishlist.vote("Gift cards", "cyd")
    wishlist.add_forum("Export", 40)
    wishlist.add_forum("Gift cards", 7)
    wishlist.look("Dark mode", 3)
    wishlist.look("Gift cards", 2)
    return wishlist


STAGES: dict[str, tuple[str, ...]] = {
    "before_the_move": ("step1",),
    "during_the_move": ("step1", "start"),
    "after_the_move": ("step1", "start", "finish"),
    "after_the_component": ("step1", "start", "finish", "step2"),
}
ALL = STAGES["after_the_component"]


def go(wishlist: Wishlist, *stages: str) -> None:
    """Go through stages of the move."""
    for stage in stages:
        if stage == "start":
            wishlist.start()
        elif stage == "finish":
            wishlist.finish()
        else:
            wishlist.convex.deploy(stage)


def test_the_numbers_stay(convex: Convex) -> None:
    """Whatever is deployed and moved, all numbers that nobody changes stay as they are."""
    wishlist = open_wishlist(convex)
    wishlist.check()
    convex.deploy("step1")
    wishlist.check()
    assert wishlist.is_done() is False
    wishlist.start()
    wishlist.check()
    wishlist.finish()
    wishlist.check()
    convex.deploy("step2")
    wishlist.check()


def vote_and_look(wishlist: Wishlist) -> None:
    """Do what members do every day."""
    wishlist.vote("Offline", "bob")
    wishlist.vote("Export", "cyd")
    wishlist.take_back("Dark mode", "ada")
    wishlist.take_back("Gift cards", "cyd")
    wishlist.look("Offline")
    wishlist.look("Gift cards", 2)


def add_and_vote(wishlist: Wishlist) -> None:
    """Add an idea, and votes for it."""
    wishlist.add("Search", "shop")
    wishlist.vote("Search", "ada", "cyd")
    wishlist.look("Search")
    wishlist.add_forum("Search", 5)


def add_forum(wishlist: Wishlist) -> None:
    """Add votes of the forum."""
    wishlist.add_forum("Export", 60)
    wishlist.add_forum("Offline", 3)


def remove_and_restore(wishlist: Wishlist) -> None:
    """Remove two ideas, bring one back, and wait until the other one is deleted."""
    wishlist.remove("Export")
    wishlist.remove("Dark mode")
    wishlist.check()
    wishlist.restore("Export")
    wishlist.check()
    wishlist.wait_for_drops()


def merge(wishlist: Wishlist) -> None:
    """Merge ideas, within a board and between boards."""
    wishlist.merge("Offline", "Export")
    wishlist.check()
    wishlist.merge("Export", "Gift cards")


@pytest.mark.parametrize("stage", STAGES)
def test_each_action_counts_once(convex: Convex, stage: str) -> None:
    """What people do at any stage of the move is counted once, then and afterwards."""
    wishlist = open_wishlist(convex)
    before = STAGES[stage]
    go(wishlist, *before)
    for act in (vote_and_look, add_and_vote, add_forum, remove_and_restore, merge):
        act(wishlist)
        wishlist.check()
    go(wishlist, *ALL[len(before) :])
    wishlist.check()
    wishlist.vote("Gift cards", *PEOPLE)
    wishlist.check()


@pytest.mark.parametrize("stages", [("step1", "start", "finish"), ALL], ids=["moved", "taken_out"])
def test_what_was_removed_before_the_deploy_is_dropped(
    convex: Convex, stages: tuple[str, ...]
) -> None:
    """An idea that was removed by the old code is dropped, or brought back, by the new one."""
    wishlist = open_wishlist(convex)
    wishlist.remove("Dark mode")
    wishlist.remove("Export")
    go(wishlist, *stages)
    wishlist.check()
    wishlist.restore("Export")
    wishlist.check()
    wishlist.wait_for_drops()
    wishlist.check()
    wishlist.vote("Export", *PEOPLE)
    wishlist.check()


def test_a_job_of_the_first_deploy_runs_after_the_second(convex: Convex) -> None:
    """An idea that is removed just before the component goes is dropped without it."""
    wishlist = open_wishlist(convex)
    go(wishlist, "step1", "start", "finish")
    wishlist.remove("Dark mode")
    wishlist.remove("Gift cards")
    convex.deploy("step2")
    wishlist.restore("Gift cards")
    wishlist.wait_for_drops()
    wishlist.check()


def test_starting_again_does_no_harm(convex: Convex) -> None:
    """The move may be started while it runs, and after its end."""
    wishlist = open_wishlist(convex)
    go(wishlist, "step1", "start", "start")
    vote_and_look(wishlist)
    wishlist.finish()
    wishlist.check()
    wishlist.vote("Offline", "ada")
    wishlist.look("Dark mode")
    wishlist.start()
    wishlist.take_back("Export", "bob")
    wishlist.finish()
    wishlist.check()
    convex.deploy("step2")
    wishlist.check()


def test_many_are_moved_in_batches(convex: Convex) -> None:
    """No transaction of the move reads or writes all ideas or members."""
    wishlist = open_wishlist(convex)
    members = [{"subject": f"m{n}", "name": f"M {n}"} for n in range(260)]
    convex.insert_many("members", members)
    (author, *_) = convex.table("members")
    idea = {"board": wishlist.boards["app"], "author": author["_id"]}
    rows = [{**idea, "title": f"Idea {n}"} for n in range(260)]
    last = convex.insert_many("ideas", rows)[-1]
    wishlist.ideas["Idea 259"] = Idea(last, "app")
    wishlist.vote("Idea 259", "ada", "cyd")
    wishlist.look("Idea 259")
    voter = convex.as_user("m259")
    voter.mutation("votes:give", {"idea": last})
    convex.deploy("step1")
    convex.limit(documents_read=250, documents_written=450)
    wishlist.start()
    wishlist.vote("Idea 259", "bob")
    wishlist.finish()
    convex.deploy("step2")
    assert convex.http("GET", f"/badge?idea={last}").text == "4 votes"
    assert convex.query("views:ofIdea", {"idea": last}) == 1
    assert convex.query("boards:show", {"slug": "app"})["votes"] == 49
    assert voter.query("members:me")["votes"] == 1
    assert convex.as_user("ada").query("members:me")["votes"] == 3


def test_the_component_is_gone(output: Output, source: Source) -> None:
    """The second step has no component, no dependency on it, and nothing that imports it."""
    assert COMPONENT not in output.text("package.json")
    assert not output.has("convex/convex.config.ts")
    paths = [path for path in output.files if path.endswith((".ts", ".tsx"))]
    modules = {each.module for path in paths for each in source.imports(path)}
    assert not any(module.startswith(COMPONENT) for module in modules)


def test_the_new_app_counts(convex: Convex) -> None:
    """The app without the component counts from the beginning."""
    wishlist = Wishlist(convex)
    wishlist.open()
    for title in ("Dark mode", "Export", "Offline"):
        wishlist.add(title)
    wishlist.add("Gift cards", "shop")
    wishlist.vote("Dark mode", *PEOPLE)
    wishlist.vote("Export", "bob")
    vote_and_look(wishlist)
    remove_and_restore(wishlist)
    wishlist.check()
