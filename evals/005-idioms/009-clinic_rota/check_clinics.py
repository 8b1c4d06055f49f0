# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Two clinics in the answer and in the given app: calls of each person, stored documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runner.grader import Convex

Args = dict[str, Any]
DAY = "2026-05-04"
NEXT = "2026-05-05"
OUTSIDERS = ("", "stranger", "hugo", "hana", "left")
"""Nobody, a user without a clinic, a member and an admin of the other clinic, one who has left."""
REFUSED = 400
ON_THE_DAY = 12


class Clinics:
    """The north clinic with its people, and the south clinic. "#north" is a stored id."""

    def __init__(self, convex: Convex, reference: Convex | None = None) -> None:
        """Store both clinics in both apps, then deploy the answer in the first.

        Without a second place there is nothing to compare with.
        """
        self.apps = (convex,) if reference is None else (convex, reference)
        self.ids: dict[str, tuple[str, ...]] = {}
        for app in self.apps:
            app.reset()
            app.deploy("given")
        self._add_clinics()
        self._add_people()
        self._add_work()
        convex.deploy("answer")

    def insert(self, table: str, documents: Mapping[str, Args]) -> None:
        """Store documents by their names."""
        for place, app in enumerate(self.apps):
            ids = app.insert_many(table, [self.fill(each, place) for each in documents.values()])
            for name, id_ in zip(documents, ids, strict=True):
                self.ids[name] = (*self.ids.get(name, ())[:place], id_)

    def _add_clinics(self) -> None:
        clinics = {
            f"#{name}": {
                "name": name,
                "code": f"code of {name}",
                "kioskKey": f"key of {name}",
            }
            for name in ("north", "south")
        }
        self.insert("clinics", clinics)

    def _add_people(self) -> None:
        people = {
            "#ada": ("north", "ada", "admin", None),
            "#left": ("north", "left", "admin", 1.0),
            "#back-": ("north", "back", "member", 1.0),
            "#ben": ("north", "ben", "member", None),
            "#back": ("north", "back", "member", None),
            "#both": ("north", "both", "member", None),
            "#both-": ("south", "both", "admin", None),
            "#hugo": ("south", "hugo", "member", None),
            "#hana": ("south", "hana", "admin", None),
        }
        documents: dict[str, Args] = {}
        for name, (clinic, user, role, left) in people.items():
            row = {
                "clinic": f"#{clinic}",
                "token": f"https://users.test|{user}",
                "role": role,
            }
            row["name"] = f"Doctor {user}"
            documents[name] = row if left is None else {**row, "leftAt": left}
        self.insert("members", documents)

    def _add_work(self) -> None:
        shape = {"hours": 8, "reminded": False}
        shifts: dict[str, Args] = {}
        for number in range(30):
            for name, clinic, member in (("n", "north", "ben"), ("s", "south", "hugo")):
                note = f"{clinic} ward {number}"
                shifts[f"#{name}{number}"] = {
                    "clinic": f"#{clinic}",
                    "member": f"#{member}",
                    "note": note,
                    **shape,
                    "day": DAY if number < ON_THE_DAY else NEXT,
                }
        shifts["#back1"] = {**shifts["#n0"], "member": "#back", "note": "north gate"}
        shifts["#old"] = {**shifts["#n0"], "member": "#left", "note": "north attic"}
        self.insert("shifts", shifts)
        swaps = {
            "#swap": {"shift": "#n0", "to": "#back", "state": "open"},
            "#swap2": {"shift": "#n1", "to": "#both", "state": "open"},
            "#swap3": {"shift": "#n2", "to": "#left", "state": "open"},
            "#swap5": {"shift": "#n3", "to": "#back", "state": "declined"},
            "#swap4": {"shift": "#s1", "to": "#hana", "state": "open"},
        }
        self.insert("swaps", swaps)
        absences = {
            f"#away-{name}": {
                "member": f"#{name}",
                "day": DAY,
                "reason": f"{name} is ill",
            }
            for name in ("ben", "back", "hugo", "left")
        }
        self.insert("absences", absences)
        for name in ("north", "south", "loose"):
            stored = [app.store(f"plan of {name}".encode(), "text/plain") for app in self.apps]
            self.ids[f"#{name}-file"] = tuple(stored)
        papers = {
            f"#{name}-paper": {
                "clinic": f"#{name}",
                "title": name,
                "file": f"#{name}-file",
            }
            for name in ("north", "south")
        }
        self.insert("papers", papers)
        notices = {
            f"#{name}-notice": {"clinic": f"#{name}", "text": f"hello {name}"}
            for name in ("north", "south")
        }
        notices["#second-notice"] = {"clinic": "#north", "text": "hello again"}
        self.insert("notices", notices)
        feeds = {
            f"#feed-{name}": {"member": f"#{name}", "secret": f"secret of {name}"}
            for name in ("ben", "back", "left", "hugo", "ada")
        }
        self.insert("feeds", feeds)

    # --- Calls -------------------------------------------------------------------------------

    def fill(self, args: Args, place: int) -> Args:
        """Put ids in place of names."""
        filled = dict(args)
        for key, value in args.items():
            if isinstance(value, str) and value in self.ids:
                filled[key] = self.ids[value][place]
        return filled

    def name(self, value: object, place: int) -> object:
        """Put names in place of ids, and leave out when documents were stored."""
        text = json.dumps(value, sort_keys=True)
        for name, ids in self.ids.items():
            text = text.replace(f'"{ids[place]}"', f'"{name}"')
        return json.loads(text, object_hook=leave_out_creation)

    def call(self, user: str, path: str, args: Args, place: int = 0) -> Any:  # noqa: ANN401 - a result
        """Call a function of an app, as nobody if ``user`` is empty."""
        app = self.apps[place].as_user(user) if user else self.apps[place]
        kind = KINDS.get(path, "query")
        return getattr(app, kind)(path, self.fill(args, place))

    def refuse(self, user: str, path: str, args: Args) -> None:
        """Demand that a call is refused."""
        who = user or "nobody"
        try:
            value = self.call(user, path, args)
        except FunctionFailed:
            return
        pytest.fail(f"{who} called {path} and got {str(value)[:80]}")

    def allow(self, user: str, path: str, args: Args, *, keep: str = "") -> Any:  # noqa: ANN401 - a result
        """Demand that a call does what it does in the given app; name the new id."""
        values = [self.call(user, path, args, place) for place in range(len(self.apps))]
        if keep:
            self.ids[keep] = tuple(map(str, values))
        elif len(values) > 1:
            assert self.name(values[0], 0) == self.name(values[1], 1), f"{user} called {path}"
        return values[0]

    def tables(self, place: int = 0) -> object:
        """Return the stored documents, without fields that an answer may add."""
        rows = {
            table: [
                {field: row.get(field) for field in fields.split()}
                for row in self.apps[place].table(table)
            ]
            for table, fields in FIELDS.items()
        }
        return self.name(rows, place)

    def compare_tables(self) -> None:
        """Demand that both apps have stored the same."""
        assert self.tables(0) == self.tables(1)

    def get(self, path: str, headers: Mapping[str, str] | None = None, place: int = 0) -> object:
        """Get a route; "north" and "south" stand for the clinics' ids."""
        for clinic in ("north", "south"):
            path = path.replace(f"clinic={clinic}", f"clinic={self.ids[f'#{clinic}'][place]}")
        reply = self.apps[place].http("GET", path, headers=headers)
        return reply.text if reply.status < REFUSED else None


def leave_out_creation(row: Args) -> Args:
    """Return a row without the time at which it was stored."""
    return {field: value for field, value in row.items() if field != "_creationTime"}


FIELDS = {
    "clinics": "_id name code kioskKey",
    "members": "_id clinic token name role",
    "shifts": "_id clinic member day hours note reminded",
    "swaps": "_id shift to state",
    "absences": "_id member day reason",
    "papers": "_id clinic title file",
    "notices": "_id clinic text",
}
KINDS = {
    "clinics:create": "mutation",
    "clinics:join": "mutation",
    "clinics:rename": "mutation",
    "clinics:setCode": "mutation",
    "members:setRole": "mutation",
    "members:leave": "mutation",
    "members:rename": "mutation",
    "shifts:add": "mutation",
    "shifts:edit": "mutation",
    "shifts:give": "mutation",
    "shifts:remove": "mutation",
    "swaps:offer": "mutation",
    "swaps:answer": "mutation",
    "absences:report": "mutation",
    "absences:withdraw": "mutation",
    "papers:uploadUrl": "mutation",
    "papers:add": "mutation",
    "papers:remove": "mutation",
    "notices:post": "mutation",
    "planner:suggest": "action",
    "feeds:create": "mutation",
    "feeds:revoke": "mutation",
    "reminders:mark": "mutation",
}


def page_of(clinic: str, cursor: str | None = None, size: int = 5) -> Args:
    """Make the arguments of a page of a day."""
    return {
        "clinic": clinic,
        "day": DAY,
        "paginationOpts": {"numItems": size, "cursor": cursor},
    }


WEEK: Args = {"from": "2026-05-01", "to": "2026-05-31"}
READS: list[tuple[str, Args]] = [
    ("clinics:get", {"clinic": "#north"}),
    ("members:list", {"clinic": "#north"}),
    ("members:profile", {"member": "#ben"}),
    ("shifts:list", {"clinic": "#north", **WEEK}),
    ("shifts:onDay", page_of("#north")),
    ("shifts:get", {"shift": "#n0"}),
    ("shifts:search", {"clinic": "#north", "text": "gate"}),
    ("shifts:hours", {"clinic": "#north", "member": "#ben", **WEEK}),
    ("swaps:offered", {"member": "#back"}),
    ("absences:onDay", {"clinic": "#north", "day": DAY}),
    ("papers:list", {"clinic": "#north"}),
    ("papers:link", {"file": "#north-file"}),
    ("notices:latest", {"clinic": "#north"}),
    ("planner:suggest", {"clinic": "#north", "day": DAY}),
]
"""What members read."""
CHANGES: list[tuple[str, Args]] = [
    ("clinics:rename", {"clinic": "#north", "name": "North II"}),
    ("clinics:setCode", {"clinic": "#north", "code": "new code"}),
    ("members:setRole", {"clinic": "#north", "member": "#ben", "role": "admin"}),
    ("members:rename", {"member": "#ben", "name": "Doctor Ben"}),
    (
        "shifts:add",
        {"clinic": "#north", "member": "#ben", "day": DAY, "hours": 4, "note": "x"},
    ),
    ("shifts:edit", {"shift": "#n3", "hours": 6}),
    ("shifts:give", {"shift": "#n4", "member": "#ada"}),
    ("shifts:remove", {"clinic": "#north", "shift": "#n5"}),
    ("papers:uploadUrl", {"clinic": "#north"}),
    ("papers:add", {"clinic": "#north", "title": "new", "file": "#loose-file"}),
    ("papers:remove", {"clinic": "#north", "paper": "#north-paper"}),
    ("notices:post", {"clinic": "#north", "text": "well"}),
    ("absences:withdraw", {"absence": "#away-ben"}),
    ("members:leave", {"member": "#ben"}),
]
"""What admins change."""
OWN: list[tuple[str, str, Args]] = [
    ("ben", "swaps:offer", {"shift": "#n6", "to": "#back"}),
    ("back", "swaps:answer", {"swap": "#swap", "shift": "#n0", "accept": True}),
    ("both", "swaps:answer", {"swap": "#swap2", "shift": "#n1", "accept": False}),
    ("ben", "absences:report", {"clinic": "#north", "day": NEXT, "reason": "holiday"}),
    ("back", "absences:withdraw", {"absence": "#away-back"}),
    ("ben", "feeds:create", {"clinic": "#north"}),
    ("ben", "feeds:revoke", {"feed": "#feed-ben"}),
    ("both", "members:leave", {"member": "#both"}),
]
"""What members do for themselves."""
