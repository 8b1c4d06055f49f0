# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A board of ideas on which hundreds vote at the same time."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Footprint

MINUTE = 60
SHOWN = 30
"""So much activity of a board is shown."""

Row = dict[str, Any]


class Site:
    """A site, and what its figures must be."""

    def __init__(self, convex: Convex, budget: int = 50) -> None:
        """Begin with a board."""
        self.convex = convex
        self.boards: list[str] = []
        self.ideas: dict[str, tuple[str, str]] = {}
        """Board and author of the ideas that count, the oldest first."""
        self.votes: set[tuple[str, str]] = set()
        """Person and idea."""
        self.board = self.add_board(budget)

    def add_board(self, budget: int) -> str:
        """Add a board."""
        args = {"name": "Wishes", "budget": budget}
        self.boards.append(cast("str", self.convex.admin.mutation("boards:create", args)))
        return self.boards[-1]

    def call(self, name: str, path: str, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation as a user."""
        return self.convex.as_user(name, name=name).mutation(path, args)

    def look(self, name: str, path: str, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a query as a user."""
        return self.convex.as_user(name, name=name).query(path, args)

    def track(self, name: str, path: str, idea: str) -> Footprint:
        """Vote, or take a vote back, and return what the call read and wrote."""
        caller = self.convex.as_user(name, name=name)
        footprint = caller.footprint(path, {"idea": idea})
        (self.votes.add if path == "votes:cast" else self.votes.discard)((name, idea))
        return footprint

    def add(self, author: str, board: str | None = None) -> str:
        """Add an idea."""
        where = board or self.board
        idea = cast("str", self.call(author, "ideas:add", board=where, title="Idea"))
        self.ideas[idea] = (where, author)
        return idea

    def cast(self, name: str, *ideas: str) -> None:
        """Vote for ideas."""
        for idea in ideas:
            self.call(name, "votes:cast", idea=idea)
            self.votes.add((name, idea))

    def undo(self, name: str, idea: str) -> None:
        """Take a vote back."""
        self.call(name, "votes:undo", idea=idea)
        self.votes.discard((name, idea))

    def remove(self, idea: str) -> None:
        """Have the author remove an idea."""
        self.call(self.ideas[idea][1], "ideas:remove", idea=idea)
        self.forget({idea})

    def merge(self, source: str, target: str) -> None:
        """Merge two ideas."""
        self.convex.admin.mutation("ideas:merge", {"from": source, "into": target})
        self.votes |= {(name, target) for name, idea in self.votes if idea == source}
        self.forget({source})

    def reset(self, board: str) -> None:
        """Begin a new round of a board."""
        self.convex.admin.mutation("boards:reset", {"board": board})
        inside = {idea for idea, (where, _) in self.ideas.items() if where == board}
        self.votes = {vote for vote in self.votes if vote[1] not in inside}

    def disqualify(self, name: str) -> None:
        """Take back all votes of somebody."""
        token = f"https://users.test|{name}"
        self.convex.admin.mutation("people:disqualify", {"token": token})
        self.votes = {vote for vote in self.votes if vote[0] != name}

    def forget(self, ideas: set[str]) -> None:
        """Count ideas and their votes no more."""
        for idea in ideas:
            del self.ideas[idea]
        self.votes = {vote for vote in self.votes if vote[1] not in ideas}

    def count(self, *ideas: str) -> int:
        """Count the votes that ideas must have."""
        return sum(idea in ideas for _, idea in self.votes)

    def check(self) -> None:
        """Demand that all figures are exact."""
        for idea in self.ideas:
            idea_view = cast("Row", self.convex.query("ideas:get", {"idea": idea}))
            assert idea_view["votes"] == self.count(idea), "votes of an idea"
        for board in self.boards:
            inside = [idea for idea, (where, _) in self.ideas.items() if where == board]
            row = cast("Row", self.convex.query("boards:get", {"board": board}))
            assert row["votes"] == self.count(*inside), "votes of a board"
            newest_first = [*reversed(inside)]
            newest_first.sort(key=lambda idea: -self.count(idea))
            args: Row = {"board": board, "count": 3}
            top = cast("list[Row]", self.convex.query("boards:top", args))
            assert [(each["_id"], each["votes"]) for each in top] == [
                (idea, self.count(idea)) for idea in newest_first[:3]
            ]
        figures = {"ideas": len(self.ideas), "votes": len(self.votes)}
        assert self.convex.query("site:figures") == figures
        for author in {author for _, author in self.ideas.values()}:
            own = [idea for idea, (_, each) in self.ideas.items() if each == author]
            assert self.look(author, "people:me")["karma"] == self.count(*own), "karma"


@pytest.fixture
def site(convex: Convex) -> Site:
    """Return a site with a board."""
    return Site(convex)


def find_waits(convex: Convex, calls: list[Footprint]) -> list[list[str]]:
    """Find why pairs of calls wait for one another; an empty list for each pair that does not."""
    return [convex.find_conflicts(first, second) for first, second in combinations(calls, 2)]


def test_votes_for_different_ideas_never_wait(convex: Convex, site: Site) -> None:
    """Calls of different people for different ideas do not make one another run again."""
    other = site.add_board(3)
    ideas = [site.add("ada") for _ in range(7)]
    ideas += [site.add("bo", other), *(site.add("ada", other) for _ in range(4))]
    site.cast("cy", *ideas[:3])
    site.cast("dan", ideas[0], ideas[3])
    calls = [
        site.track("ada", "votes:cast", ideas[0]),
        site.track("bo", "votes:cast", ideas[1]),
        site.track("cy", "votes:undo", ideas[2]),
        site.track("dan", "votes:undo", ideas[3]),
    ]
    for number, idea in enumerate(ideas[4:]):
        calls.append(site.track(f"voter{number}", "votes:cast", idea))
    assert not any(find_waits(convex, calls))
    site.check()


def test_old_ideas_never_wait_either(convex: Convex) -> None:
    """Votes for ideas from before the deploy do not wait, and old votes still count."""
    convex.deploy("given")
    site = Site(convex)
    ideas = [site.add("ada") for _ in range(5)]
    for name, voted in (("bo", ideas[:3]), ("cy", ideas), ("ada", ideas[1:3]), ("dan", ideas[3:])):
        site.cast(name, *voted)
    site.check()
    convex.deploy("answer")
    site.check()
    calls = [
        site.track("bo", "votes:undo", ideas[0]),
        site.track("cy", "votes:undo", ideas[1]),
        site.track("ada", "votes:undo", ideas[2]),
        site.track("eve", "votes:cast", ideas[3]),
        site.track("fay", "votes:cast", ideas[4]),
    ]
    assert not any(find_waits(convex, calls))
    site.check()
    convex.clock.advance(5 * MINUTE)
    site.check()
    site.remove(ideas[4])
    convex.settle()
    site.check()
    site.merge(ideas[3], ideas[0])
    site.disqualify("cy")
    site.check()
    site.reset(site.board)
    convex.settle()
    site.cast("bo", ideas[0])
    site.check()


def test_votes_for_one_idea_seldom_wait(convex: Convex, site: Site) -> None:
    """Fewer than one in five pairs of calls for the same idea make one another run again."""
    idea = site.add("ada")
    calls = [site.track(f"voter{number}", "votes:cast", idea) for number in range(20)]
    calls += [site.track(f"voter{number}", "votes:undo", idea) for number in range(0, 20, 4)]
    pairs = [
        (first, second)
        for first, second in combinations(range(len(calls)), 2)
        if second < 20 or second - 20 != first / 4
    ]
    waits = [pair for pair in pairs if convex.find_conflicts(calls[pair[0]], calls[pair[1]]) != []]
    assert 5 * len(waits) < len(pairs)
    site.check()


def test_figures_are_exact_after_every_call(convex: Convex) -> None:
    """After calls in any order all figures are exact at once."""
    chance = random.Random(20261130)  # noqa: S311 - a seed, no secret
    site = Site(convex, budget=3)
    site.add_board(50)
    people = ["ada", "bo", "cy", "dan", "eve"]
    for name in ("ada", "ada", "bo", "cy"):
        site.add(name, chance.choice(site.boards))
    for turn in range(50):
        name = chance.choice(people)
        idea = chance.choice(sorted(site.ideas))
        where = site.ideas[idea][0]
        inside = [each for each, (board, _) in site.ideas.items() if board == where]
        used = sum((name, each) in site.votes for each in inside)
        if turn % 20 == 7:
            site.add(name, chance.choice(site.boards))
            site.add(name, where)
        elif turn % 20 == 13 and len(inside) > 1:
            site.merge(idea, next(each for each in inside if each != idea))
        elif turn % 20 == 17 and len(site.ideas) > 3:
            site.remove(idea)
            convex.settle()
        elif turn == 30:
            site.disqualify(name)
        elif turn == 45:
            site.reset(where)
            convex.settle()
        elif (name, idea) in site.votes:
            site.undo(name, idea)
        elif where == site.boards[0] and used >= 3:
            with pytest.raises(FunctionFailed) as refusal:
                site.cast(name, idea)
            assert refusal.value.data == "no_votes_left"
        else:
            site.cast(name, idea)
        if turn % 9 == 0 or turn % 20 in (7, 13, 17) or turn in (30, 45):
            site.check()
    convex.clock.advance(90 * MINUTE)
    site.check()


def test_a_budget_is_kept(convex: Convex) -> None:
    """A person has as many votes as the board says, and each again that is free."""
    site = Site(convex, budget=2)
    other = site.add_board(1)
    first, second, third = (site.add("ada") for _ in range(3))
    foreign = site.add("ada", other)
    site.cast("bo", first, second, foreign)
    site.cast("bo", second)
    with pytest.raises(FunctionFailed) as refusal:
        site.cast("bo", third)
    assert refusal.value.data == "no_votes_left"
    site.undo("bo", third)
    assert site.look("bo", "votes:mine", board=site.board)["left"] == 0
    site.undo("bo", first)
    site.undo("bo", first)
    site.cast("bo", third)
    site.remove(second)
    convex.settle()
    mine = site.look("bo", "votes:mine", board=site.board)
    assert (mine["ideas"], mine["left"]) == ([third], 1)
    site.check()
    for path in ("votes:cast", "votes:undo"):
        with pytest.raises(FunctionFailed) as refusal:
            site.call("bo", path, idea=second)
        assert refusal.value.data == "no_idea"
    site.call("ada", "ideas:finish", idea=first)
    for path in ("votes:cast", "votes:undo"):
        with pytest.raises(FunctionFailed) as refusal:
            site.call("bo", path, idea=first)
        assert refusal.value.data == "closed"
    site.reset(site.board)
    assert site.look("bo", "votes:mine", board=site.board) == {"ideas": [], "left": 2}
    site.check()
    site.cast("bo", third)
    convex.settle()
    assert site.look("bo", "votes:mine", board=site.board) == {"ideas": [third], "left": 1}
    site.check()
    convex.clock.advance(60 * MINUTE)
    assert len(convex.table("votes")) == len(site.votes)


@pytest.mark.parametrize("event", ["same_person", "remove", "merge", "reset", "disqualify"])
def test_what_must_wait_waits(convex: Convex, site: Site, event: str) -> None:
    """A vote and what decides whether it counts are not both done as if the other were not."""
    first, second = site.add("ada"), site.add("ada")
    site.cast("cy", first, second)
    vote = site.track("bo", "votes:cast", first)
    staff = convex.admin
    if event == "same_person":
        meeting = site.track("bo", "votes:cast", second)
    elif event == "remove":
        author = convex.as_user("ada", name="ada")
        meeting = author.footprint("ideas:remove", {"idea": first})
    elif event == "merge":
        meeting = staff.footprint("ideas:merge", {"from": first, "into": second})
    elif event == "reset":
        meeting = staff.footprint("boards:reset", {"board": site.board})
    else:
        meeting = staff.footprint("people:disqualify", {"token": "https://users.test|bo"})
    assert convex.find_conflicts(vote, meeting) != []


def test_authors_hear_of_milestones_once(convex: Convex, site: Site) -> None:
    """Within a minute an author is told of a milestone, and never again of the same one."""

    def mails() -> list[tuple[str, object]]:
        return sorted((str(row["idea"]), row["milestone"]) for row in convex.table("mails"))

    idea, other, gone = site.add("ada"), site.add("ada"), site.add("ada")
    for number in range(4):
        site.cast(f"voter{number}", idea, gone)
    convex.clock.advance(2 * MINUTE)
    assert mails() == []
    site.cast("voter4", idea)
    convex.clock.advance(MINUTE)
    assert mails() == [(idea, 5)]
    site.undo("voter4", idea)
    convex.clock.advance(MINUTE)
    site.cast("voter4", idea)
    site.cast("voter5", idea)
    convex.clock.advance(2 * MINUTE)
    assert mails() == [(idea, 5)]
    site.remove(gone)
    for number in range(4, 21):
        site.cast(f"voter{number}", other)
    convex.clock.advance(MINUTE)
    site.merge(other, idea)
    convex.clock.advance(MINUTE)
    assert mails() == sorted([(idea, 5), (other, 5), (idea, 20)])
    assert {row["person"] for row in convex.table("mails")} == {
        row["_id"] for row in convex.table("people") if row["name"] == "ada"
    }


def test_activity_is_the_latest(convex: Convex, site: Site) -> None:
    """The latest thirty votes and new ideas are shown, and an hour later no more are kept."""
    other = site.add_board(10)
    ideas = [site.add("ada"), site.add("ada")]
    foreign = site.add("ada", other)
    expected: list[Row] = [{"idea": idea, "kind": "idea"} for idea in ideas]
    for number in range(50):
        idea = ideas[number % 3 % 2]
        site.cast(f"voter{number}", idea)
        expected.append({"idea": idea, "kind": "vote"})
        if number == 20:
            site.cast("voter1", foreign)
            site.undo("voter1", ideas[1])
    latest = expected[::-1][:SHOWN]
    assert convex.query("boards:activity", {"board": site.board}) == latest
    convex.clock.advance(61 * MINUTE)
    assert convex.query("boards:activity", {"board": site.board}) == latest
    assert convex.query("boards:activity", {"board": other}) == [
        {"idea": foreign, "kind": "vote"},
        {"idea": foreign, "kind": "idea"},
    ]
    assert len(convex.table("activity")) == SHOWN + 2


def test_votes_are_not_counted_one_by_one(convex: Convex, site: Site) -> None:
    """However many votes an idea has, its figures are read from few documents."""
    idea = site.add("ada")
    site.cast("bo", idea)
    (vote,) = convex.table("votes")
    fields = {name: value for name, value in vote.items() if not name.startswith("_")}
    convex.insert_many("votes", [fields] * 400)
    convex.limit(documents_read=300)
    assert cast("Row", convex.query("ideas:get", {"idea": idea}))["votes"] == 1
    assert cast("Row", convex.query("boards:get", {"board": site.board}))["votes"] == 1
    assert convex.query("site:figures") == {"ideas": 1, "votes": 1}
    assert convex.http("GET", "/figures.json").json() == {"ideas": 1, "votes": 1}
    site.cast("cy", idea)
    site.check()
