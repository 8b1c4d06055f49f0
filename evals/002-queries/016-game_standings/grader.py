# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Standings that read little and stay right, whoever plays and however time passes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from check_hall import (
    DAY,
    HOUR,
    LATE,
    MAX_GAMES,
    MINUTE,
    Game,
    Hall,
    Player,
    refuse,
)

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Footprint

CROWD = 480
FIRST_TIED, LAST_TIED = 140, 400
"""The places between which all of the crowd have the same score."""


def make_crowd(hall: Hall) -> list[Player]:
    """Make many players in the order of their places, of whom the middle ones are equal."""
    now = hall.now()
    crowd: list[Player] = []
    for index in range(CROWD):
        score = 9_000 if FIRST_TIED <= index < LAST_TIED else 14_000 - 25 * index
        points = (2 * score // 3, 9_999, score // 3, 1)
        ages = (2 * HOUR, 30 * HOUR, 20 * HOUR, 10 * HOUR)
        games = [
            Game(hall.arcade, each, now - age - index)
            for each, age in zip(points, ages, strict=True)
        ]
        name = f"p{(index * 377) % 1000:03}-{index}"
        crowd.append(Player(f"u{index}", name, "DE" if index % 8 else "FI", games=games))
    crowd.sort(key=lambda player: (-player.score(now), player.name))
    return crowd


def test_a_crowd_reads_little(convex: Convex) -> None:
    """Ranks, neighbours, pages and figures are right and read little, among many equal ones too."""
    hall = Hall(convex)
    crowd = make_crowd(hall)
    hall.store(random.Random(16).sample(crowd, CROWD))  # noqa: S311 - a test needs no secrets
    hall.migrate()
    assert hall.convert()
    for country in (None, "DE"):
        for place in (1, 130, 396, CROWD // 8 * 7 - 5, CROWD + 1):
            hall.check_page(place, country)
        for place in (0, 1, 138, 271, 399, 400, CROWD - 1):
            hall.check_player(crowd[place].name, country)
    hall.check_summary()
    calls = make_calls(hall, crowd)
    pairs = [convex.find_conflicts(high, low) for high in calls[0] for low in calls[1]]
    waits = [reasons for reasons in pairs if reasons]
    assert 3 * len(waits) < len(pairs), waits[:1]
    hall.check_summary()
    for place in (1, 300, CROWD - 15):
        hall.check_page(place)


def make_calls(hall: Hall, crowd: list[Player]) -> tuple[list[Footprint], list[Footprint]]:
    """Change the scores of players of the first tenth, and of the last one."""
    ends: tuple[list[Footprint], list[Footprint]] = ([], [])
    for index in range(3, 43, 4):
        for end, player in enumerate((crowd[index], crowd[-index])):
            if index % 3 == 0:
                game = player.games[3]
                args = {"game": game.id}
                ends[end].append(hall.staff.footprint("games:cancel", args))
                hall.keep_voided(game, voided=True)
                continue
            args = {"machine": hall.arcade, "points": 20 + index}
            call = hall.as_player(player.user).footprint("games:report", args)
            ends[end].append(call)
            hall.keep_report(player.user, args, call.value)
    return ends


def make_village(hall: Hall) -> None:
    """Store nine players, whose games are of several ages."""
    now = hall.now()
    ages = {
        "ana": (23.5, 22.0, 5.0, 1.0),
        "bo": (23.0, 22.9, 22.8, 22.7, 22.6),
        "cy": (23.75,),
        "di": (3.0, 2.0),
        "eve": (25.0, 30.0),
        "fay": (1.0, 23.9),
        "gus": (),
        "hal": (20.0, 21.0, 22.0, 23.0),
        "ida": (10.0, 800.0),
    }
    players = [
        Player(
            f"u-{name}",
            name,
            "FI" if name in {"bo", "eve"} else "DE",
            games=[
                Game(hall.attic if age > 100 else hall.arcade, 600 - 100 * number, now - age * HOUR)
                for number, age in enumerate(hours)
            ],
        )
        for name, hours in ages.items()
    ]
    players[3].suspended_until = now + 2 * HOUR
    players[5].suspended_until = now - HOUR
    players[7].suspended_until = now + 1.5 * HOUR
    players[8].games[0].voided = True
    hall.store(players)


USERS = [f"u-{name}" for name in ("ana", "bo", "cy", "di", "eve", "fay", "gus", "hal", "ida")]


def test_time_changes_the_boards(convex: Convex) -> None:
    """Games that grow too old and suspensions that end change the boards, within a minute."""
    hall = Hall(convex)
    make_village(hall)
    hall.migrate()
    hall.check(USERS)
    for moment in hall.list_changes():
        if not 0 < moment - hall.now() < 2.3 * HOUR:
            continue
        convex.clock.advance_to(moment - 20)
        hall.check([USERS[0]], ())
        convex.clock.advance_to(moment + LATE)
        hall.check([USERS[3]], (None, "DE"))
    now = hall.now()
    hall.report("u-cy", 40)
    hall.upload(
        hall.attic,
        ("u-cy", 500, now - DAY + HOUR),
        ("u-cy", 300, now - DAY + 2 * HOUR),
        ("u-ida", 700, now - DAY + 3 * HOUR),
        ("u-cy", 400, now - DAY - HOUR),
        ("u-eve", 450, now - 40 * DAY),
    )
    hall.suspend("u-di", now + HOUR / 2)
    hall.suspend("u-di", now + 2.5 * HOUR)
    hall.suspend("u-fay", now + 3 * HOUR)
    hall.suspend("u-fay", now + HOUR / 2)
    hall.suspend("u-ana", now + 3 * HOUR)
    hall.suspend("u-gus", now + 20 * MINUTE)
    hall.report("u-gus", 800)
    hall.check(USERS)
    for step in range(7):
        hall.convex.clock.advance(HOUR / 2)
        hall.calm_down()
        hall.check(USERS[step::4])
        if step == 1:
            hall.lift("u-ana")
            hall.suspend("u-ana", hall.now() + 4 * DAY)
            hall.lift("u-ana")
            hall.set_voided(hall.players["u-cy"].games[0], voided=True)
            hall.set_voided(hall.players["u-cy"].games[1], voided=True)
            hall.check(USERS)
    convex.clock.advance(30 * HOUR)
    assert hall.list_board() == []
    hall.check(USERS)


def test_changes_between_the_calls(convex: Convex) -> None:
    """Whatever people do before the migration and between its calls is on the boards at once."""
    hall = Hall(convex)
    now = hall.now()
    players = [
        Player(
            f"u{number}",
            f"n{number * 7 % 36}",
            "DE" if number % 3 else "FI",
            now + HOUR / 2 if number in {3, 22, 33} else 0,
            [
                Game(hall.arcade, 100 + game * 7 % MAX_GAMES, now - 600 - 1400 * game)
                for game in range(MAX_GAMES - number % 2)
            ],
        )
        for number in range(36)
    ]
    hall.store(players)
    hall.check(["u34"], (None,))
    for turn in range(3):
        for user in (f"u{turn}", f"u{18 + turn}", f"u{29 - turn}"):
            best = hall.players[user].list_counting(hall.now())
            hall.set_voided(next(game for game in best if game.id), voided=True)
        hall.register(f"new{turn}", f"new{turn}", "DE")
        hall.upload(
            hall.arcade, (f"new{turn}", 400, now - DAY + 2 * HOUR), (f"u{19 + 2 * turn}", 160, now)
        )
        hall.rename(f"u{4 + turn}", f"z{turn}")
        hall.move(f"u{30 + turn}", "FR")
        hall.suspend(f"u{10 + turn}", hall.now() + 2 * HOUR)
        hall.suspend(f"u{27 - turn}", hall.now() - HOUR)
        hall.merge(f"new{turn}", f"u{7 + 2 * turn}")
        hall.close(f"u{15 + turn}")
        hall.check([], ("FR",))
        done = hall.convert()
        assert not done or turn > 0
        hall.check([f"u{7 + 2 * turn}"], (None,))
    hall.migrate()
    hall.check([f"u{number}" for number in range(0, 36, 7)], (None, "DE", "FI", "FR"))
    convex.clock.advance(HOUR)
    hall.calm_down()
    hall.check(["u3", "u22", "u33"], (None, "DE", "FI"))


def test_random_histories(convex: Convex) -> None:
    """Whatever players and staff do, in any order and while time passes, all boards are right."""
    rng = random.Random(16)  # noqa: S311 - a test needs no secrets
    hall = Hall(convex)
    make_village(hall)
    for step in range(84):
        take_step(hall, rng, step)
        if step == 24:
            hall.migrate()
        if step % 3 == 0:
            convex.clock.advance(rng.randrange(10, 100) * MINUTE)
        if step % 4 == 3:
            hall.calm_down()
            hall.check(rng.sample(sorted(hall.players), 2))
    hall.check(sorted(hall.players), (None, "DE", "FI", "SE"))


def take_step(hall: Hall, rng: random.Random, step: int) -> None:
    """Make one random call."""
    now = hall.now()
    user, other = rng.sample(sorted(hall.players), 2)
    player = hall.players[user]
    games = [game for game in player.games if game.id]
    match rng.randrange(14):
        case 0 | 1 | 2 | 3:
            hall.report(user, rng.randrange(1, 900), rng.choice((hall.arcade, hall.attic)))
        case 4 | 5:
            ages = [rng.randrange(1, 26) * HOUR for _ in range(4)]
            users = (user, other, user, user)
            results = [
                (each, 100 * age // HOUR, now - age) for each, age in zip(users, ages, strict=True)
            ]
            hall.upload(hall.attic, *results)
        case 6 | 7 if games:
            hall.set_voided(rng.choice(games), voided=rng.random() < 0.6)
        case 8:
            hall.suspend(user, now + rng.randrange(-1, 9) * HOUR)
        case 9:
            hall.lift(user)
        case 10:
            hall.move(user, rng.choice(("DE", "FI", "SE")))
        case 11:
            hall.rename(user, rng.choice(("aa", "mm", "zz")) + f"-{step}")
        case 12 if len(hall.players) > 5:
            hall.close(user) if rng.random() < 0.5 else hall.merge(user, other)
            hall.convex.settle()
        case 13 if player.games:
            start = rng.choice(player.games).played_at
            hall.void_machine(hall.arcade, start - HOUR / 2, start + 1)
        case _:
            hall.register(f"u{step}", f"n{step}", "DE")


def test_refusals_are_as_before(convex: Convex) -> None:
    """The same calls are refused as before, and change nothing; all functions are still there."""
    hall = Hall(convex)
    make_village(hall)
    hall.migrate()
    full, machine = hall.players["u-hal"], {"machine": hall.arcade}
    for number in range(MAX_GAMES - len(full.games)):
        hall.upload(hall.arcade, ("u-hal", 1, hall.now() - number))
    ana = convex.as_user("u-ana")
    for points in (0, 10_001, 1.5):
        refuse(ana, "games:report", {**machine, "points": points})
    refuse(convex.as_user("u-hal"), "games:report", {**machine, "points": 5})
    refuse(convex.as_user("nobody"), "games:report", {**machine, "points": 5})
    game = full.games[0].id
    refuse(ana, "games:cancel", {"game": game})
    refuse(ana, "games:restore", {"game": game})
    refuse(ana, "machines:voidGames", {**machine, "from": 0, "to": 1e14})
    refuse(ana, "moderation:suspend", {"name": "bo", "until": 1e13})
    refuse(ana, "moderation:lift", {"name": "di"})
    refuse(ana, "support:merge", {"from": "bo", "into": "ana"})
    refuse(hall.staff, "support:merge", {"from": "bo", "into": "hal"})
    refuse(hall.staff, "support:merge", {"from": "bo", "into": "bo"})
    for name in ("bo", "A", "x" * 21):
        refuse(ana, "players:rename", {"name": name})
    refuse(ana, "players:moveTo", {"country": "de"})
    refuse(ana, "players:register", {"name": "other", "country": "DE"})
    late = {"name": "ana", "points": 5, "playedAt": (hall.now() + MINUTE) * 1000}
    good = {"name": "ana", "points": 5, "playedAt": hall.now() * 1000}
    for key, results in (("no", [good]), ("k", [good, late]), ("k", [good] * 51)):
        body = {**machine, "results": results}
        reply = convex.http("POST", "/results", json=body, headers={"x-key": key})
        assert reply.status == (400 if key == "k" else 401)
    for place in (0, -1, 1.5):
        refuse_query(convex, place)
    hall.check(hall.players)
    functions = {path: (each.kind, each.visibility) for path, each in convex.functions.items()}
    assert functions["migrate:next"] == ("mutation", "internal")
    assert functions["uploads:store"] == ("mutation", "internal")
    assert functions["cleanup:dropOldGames"] == ("mutation", "internal")
    assert "cleanup:dropOldGames" in [cron.path for cron in convex.crons.values()]


def refuse_query(convex: Convex, place: float) -> None:
    """Demand that there is no such page."""
    with pytest.raises(FunctionFailed):
        convex.query("standings:page", {"place": place})
