# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Players, games and boards as the given app shows them, and calls that change both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runner.grader import Convex

Row = dict[str, Any]
MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
BEST_GAMES = 3
MAX_GAMES = 60
PAGE_SIZE = 20
NEIGHBOURS = 3
MOST_READ = 300
"""The documents that a query may read when all is converted."""
MOST_CONVERTED = 2000
"""The documents that a call of the migration may read."""
MOST_CALLS = 3000
"""More calls than there are documents to convert in any test."""
LATE = 65
"""What changes by time alone is shown after so many seconds."""


@dataclass
class Game:
    """A game of a player."""

    machine: str
    points: int
    played_at: float
    voided: bool = False
    id: str = ""


@dataclass
class Player:
    """A player, by a user who stays the same when the name changes."""

    user: str
    name: str
    country: str
    suspended_until: float = 0
    games: list[Game] = field(default_factory=list[Game])

    def list_counting(self, now: float) -> list[Game]:
        """Return the games whose points are in the score at this moment."""
        if self.suspended_until > now:
            return []
        games = [game for game in self.games if game.played_at > now - DAY and not game.voided]
        return sorted(games, key=lambda game: -game.points)[:BEST_GAMES]

    def score(self, now: float) -> int:
        """Return the score at this moment."""
        return sum(game.points for game in self.list_counting(now))


class Hall:
    """The answer, and what its players and boards must be. Moments are in seconds."""

    def __init__(self, convex: Convex) -> None:
        """Begin with two machines, of which the second has stood in the attic for a month."""
        convex.clear()
        self.convex = convex
        self.staff = convex.as_user("sam", role="staff")
        self.players: dict[str, Player] = {}
        self.games = 0
        moments = {"arcade": self.now() - MINUTE, "attic": self.now() - 31 * DAY}
        self.last_games: dict[str, float] = {
            convex.insert("machines", {"site": site, "lastGameAt": last * 1000}): last
            for site, last in moments.items()
        }
        self.arcade, self.attic = self.last_games

    def now(self) -> float:
        """Return the present moment."""
        return self.convex.clock.now()

    # --- Stored data -------------------------------------------------------------------------

    def store(self, players: Sequence[Player]) -> None:
        """Store players and their games in the form of the given app."""
        documents: list[Row] = []
        for player in players:
            document: dict[str, Any] = {
                "token": f"https://users.test|{player.user}",
                "name": player.name,
                "country": player.country,
            }
            if player.suspended_until:
                document["suspendedUntil"] = player.suspended_until * 1000
            documents.append(document)
        ids = self.convex.insert_many("players", documents)
        games = [
            (id_, game) for id_, player in zip(ids, players, strict=True) for game in player.games
        ]
        rows = [
            {
                "player": id_,
                "machine": game.machine,
                "points": game.points,
                "playedAt": game.played_at * 1000,
                "voided": game.voided,
            }
            for id_, game in games
        ]
        for (_, game), id_ in zip(games, self.convex.insert_many("games", rows), strict=True):
            game.id = id_
            self.games += not game.voided
        self.players.update((player.user, player) for player in players)
        self.convex.insert("totals", {"games": self.games})

    def convert(self) -> bool:
        """Call the migration once, and return whether nothing is left."""
        call = self.convex.admin.footprint("migrate:next", {})
        read = call.documents_read
        assert read <= MOST_CONVERTED, f"a call of the migration read {read} documents"
        assert isinstance(call.value, bool)
        return call.value

    def migrate(self) -> None:
        """Call the migration until nothing is left."""
        assert any(self.convert() for _ in range(MOST_CALLS)), "the migration does not end"

    # --- Calls -------------------------------------------------------------------------------

    def as_player(self, user: str) -> Convex:
        """Return the deployment as a player calls it."""
        return self.convex.as_user(user)

    def register(self, user: str, name: str, country: str) -> None:
        """Register a player."""
        self.as_player(user).mutation("players:register", {"name": name, "country": country})
        self.players[user] = Player(user, name, country)

    def report(self, user: str, points: int, machine: str = "") -> Game:
        """Report a game that has just been played."""
        args = {"machine": machine or self.arcade, "points": points}
        return self.keep_report(user, args, self.as_player(user).mutation("games:report", args))

    def keep_report(self, user: str, args: Row, id_: object) -> Game:
        """Keep a reported game, with the moment that the app gave it."""
        rows = self.as_player(user).query("games:mine", {})
        at = next(row["playedAt"] for row in rows if row["_id"] == id_) / 1000
        game = Game(str(args["machine"]), int(args["points"]), at, id=str(id_))
        self._add(user, game)
        return game

    def upload(self, machine: str, *results: tuple[str, int, float]) -> None:
        """Bring games of a machine: the user, the points and the moment of each."""
        self.convex.set_env("MACHINE_KEY", "k")
        rows = [
            {"name": self.players[user].name, "points": points, "playedAt": at * 1000}
            for user, points, at in results
        ]
        body = {"machine": machine, "results": rows}
        reply = self.convex.http("POST", "/results", json=body, headers={"x-key": "k"})
        assert reply.json() == {"stored": len(results)}
        for user, points, at in results:
            self._add(user, Game(machine, points, at))

    def _add(self, user: str, game: Game) -> None:
        self.players[user].games.append(game)
        self.games += 1
        self.last_games[game.machine] = max(self.last_games[game.machine], game.played_at)

    def set_voided(self, game: Game, voided: bool) -> None:  # noqa: FBT001 - as the app has it
        """Cancel or restore a game."""
        path = "games:cancel" if voided else "games:restore"
        self.staff.mutation(path, {"game": game.id})
        self.keep_voided(game, voided)

    def keep_voided(self, game: Game, voided: bool) -> None:  # noqa: FBT001 - as the app has it
        """Keep that a game is cancelled or restored."""
        self.games += game.voided - voided
        game.voided = voided

    def void_machine(self, machine: str, start: float, end: float) -> None:
        """Void all games of a machine in a time."""
        args = {"machine": machine, "from": start * 1000, "to": end * 1000}
        games = [
            game
            for player in self.players.values()
            for game in player.games
            if game.machine == machine and start <= game.played_at < end
        ]
        assert self.staff.mutation("machines:voidGames", args) == len(games)
        for game in games:
            self.keep_voided(game, True)  # noqa: FBT003 - as the app has it

    def rename(self, user: str, name: str) -> None:
        """Give a player another name."""
        self.as_player(user).mutation("players:rename", {"name": name})
        self.players[user].name = name

    def move(self, user: str, country: str) -> None:
        """Move a player to another country."""
        self.as_player(user).mutation("players:moveTo", {"country": country})
        self.players[user].country = country

    def suspend(self, user: str, until: float) -> None:
        """Suspend a player, or change the end of the suspension."""
        args = {"name": self.players[user].name, "until": until * 1000}
        self.staff.mutation("moderation:suspend", args)
        self.players[user].suspended_until = until

    def lift(self, user: str) -> None:
        """End a suspension."""
        self.staff.mutation("moderation:lift", {"name": self.players[user].name})
        self.players[user].suspended_until = 0

    def close(self, user: str) -> None:
        """Close an account; what is left of it is deleted later."""
        self.as_player(user).mutation("players:close", {})
        del self.players[user]

    def merge(self, source: str, target: str) -> None:
        """Give the games of an account to another."""
        names = {"from": self.players[source].name, "into": self.players[target].name}
        self.staff.mutation("support:merge", names)
        self.players[target].games += self.players.pop(source).games

    # --- Time --------------------------------------------------------------------------------

    def list_changes(self) -> list[float]:
        """Return the moments at which time alone may change a board."""
        ends = [player.suspended_until for player in self.players.values()]
        ends += [game.played_at + DAY for each in self.players.values() for game in each.games]
        return sorted(ends)

    def calm_down(self) -> None:
        """Go on until what time has changed must be shown, and nothing is about to change."""
        while any(self.now() - LATE < end < self.now() + 20 for end in self.list_changes()):
            self.convex.clock.advance(LATE)

    # --- Results -----------------------------------------------------------------------------

    def list_board(self, country: str | None = None) -> list[Row]:
        """Return what a board has to show now."""
        now = self.now()
        rows: list[Row] = [
            {"name": player.name, "country": player.country, "score": score}
            for player in self.players.values()
            if country in (None, player.country) and (score := player.score(now)) > 0
        ]
        rows.sort(key=lambda row: (-row["score"], row["name"]))
        for index, row in enumerate(rows):
            above = rows[index - 1] if index else row
            is_tied = index > 0 and above["score"] == row["score"]
            row["rank"] = above["rank"] if is_tied else index + 1
        return rows

    def call(self, path: str, args: Row, country: str | None, most: float) -> object:
        """Call a query for a board within a budget of documents."""
        values = args if country is None else {**args, "country": country}
        call = self.convex.footprint(path, values, kind="query")
        read = call.documents_read
        assert read <= most, f"{path} read {read} documents"
        return call.value

    def check_page(self, place: int, country: str | None = None, most: float = MOST_READ) -> None:
        """Demand that a page shows the entries from a place on."""
        rows = self.list_board(country)[place - 1 : place - 1 + PAGE_SIZE]
        assert self.call("standings:page", {"place": place}, country, most) == rows

    def check_player(self, name: str, country: str | None = None, most: float = MOST_READ) -> None:
        """Demand the rank and the neighbours of a player."""
        rows = self.list_board(country)
        index = next((index for index, row in enumerate(rows) if row["name"] == name), None)
        rank = neighbours = None
        if index is not None:
            rank = {"rank": rows[index]["rank"], "score": rows[index]["score"], "of": len(rows)}
            neighbours = rows[max(0, index - NEIGHBOURS) : index + NEIGHBOURS + 1]
        assert self.call("standings:rank", {"name": name}, country, most) == rank
        assert self.call("standings:around", {"name": name}, country, most) == (neighbours or [])

    def check_summary(self, most: float = MOST_READ) -> None:
        """Demand the figures of the site and of the machines."""
        summary = {"games": self.games, "players": len(self.list_board())}
        assert self.call("site:summary", {}, None, most) == summary
        machines = self.convex.query("machines:list", {})
        assert {row["_id"]: row["lastGameAt"] for row in machines} == {
            id_: pytest.approx(last * 1000, abs=1) for id_, last in self.last_games.items()
        }

    def check(self, users: Iterable[str], countries: Sequence[str | None] = (None, "DE")) -> None:
        """Demand that boards and figures are right, whatever that reads."""
        self.check_summary(float("inf"))
        for country in countries:
            self.check_page(1, country, float("inf"))
        for user in users:
            if user in self.players:
                player = self.players[user]
                for country in (None, player.country):
                    self.check_player(player.name, country, float("inf"))


def refuse(convex: Convex, path: str, args: Row) -> None:
    """Demand that a mutation is refused."""
    with pytest.raises(FunctionFailed):
        convex.mutation(path, args)
