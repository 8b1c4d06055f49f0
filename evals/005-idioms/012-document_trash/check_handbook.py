# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A handbook in the answer and in the given app: the same calls of each, all that people see."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Args = dict[str, Any]
DAY = 24 * 60 * 60
HOUR = 60 * 60
REFUSED = "refused"
PEOPLE = ("ada", "ben", "cy")
HOOK = "https://hook.test/handbook"
KEY = "key of the handbook"
ANSWER, GIVEN = 0, 1
QUERIES = {
    "workspaces": {"usage"},
    "members": {"list"},
    "folders": {"list"},
    "documents": {"get", "bySlug", "list", "children", "page"},
    "tags": {"list", "documents"},
    "favorites": {"list"},
    "recent": {"list", "lastOpened"},
    "search": {"find", "titles"},
    "comments": {"list", "mine"},
    "inbox": {"list", "unread"},
    "attachments": {"list", "url"},
    "links": {"list"},
    "reminders": {"mine"},
    "references": {"from", "to", "missing"},
    "history": {"list"},
    "notices": {"mine"},
    "activity": {"latest"},
    "stats": {"overview"},
    "trash": {"list"},
}
LISTS = (
    "workspaces:usage",
    "members:list",
    "folders:list",
    "documents:list",
    "tags:list",
    "recent:list",
    "links:list",
    "references:missing",
    "activity:latest",
    "stats:overview",
)
"""What all members see alike."""
OWN = {
    "favorites:list": ("ben", "cy"),
    "recent:lastOpened": ("ben",),
    "comments:mine": ("ben", "cy"),
    "inbox:list": PEOPLE,
    "inbox:unread": PEOPLE,
    "reminders:mine": ("cy",),
    "notices:mine": ("cy",),
}
"""What members see for themselves, and the people who look here."""
OF_DOCUMENT = {
    "documents:get": 9,
    "documents:children": 3,
    "comments:list": 3,
    "attachments:list": 3,
    "references:from": 3,
    "references:to": 3,
    "history:list": 2,
}
"""What is seen of a document, and of how many documents it is looked at."""
LEFT_OUT = {"updatedAt", "mention", "_creationTime"}
UNORDERED = {"tags:documents", "search:find", "references:from", "references:to"}
PER_PAGE = 7


class Handbook:
    """A workspace of three people. "#intro" is the id of the document that was called so."""

    def __init__(
        self, convex: Convex, reference: Convex | None = None, pile: int = 0, age: int = 90
    ) -> None:
        """Store the workspace, with documents of older rules, in apps that run the given app.

        Those documents are ``age`` days old, and one more has ``pile - 1`` documents below it.
        Without a second app there is nothing to compare with.
        """
        self.apps = (convex,) if reference is None else (convex, reference)
        self.ids: dict[str, tuple[str, ...]] = {}
        for app in self.apps:
            app.reset()
            app.deploy("given")
            app.stub_fetch(HOOK, method="POST", status=204)
        space = {"name": "Handbook", "plan": "team", "key": KEY, "bytes": 0}
        space |= {"documentCount": 2 + pile, "nextNumber": 3 + pile}
        self.insert("#space", "workspaces", space)
        for name in PEOPLE:
            member = {
                "workspace": "#space",
                "user": f"https://users.test|{name}",
                "name": name,
                "role": "admin" if name == "ada" else "member",
                "documentCount": 2 + pile if name == "ben" else 0,
                "unread": max(pile - 1, 0) if name == "cy" else 0,
                "favorites": [],
            }
            self.insert(f"#{name}", "members", member)
        old = {"workspace": "#space", "owner": "#ben", "ownerName": "ben", "commentCount": 0}
        old |= {"updatedAt": 1000 * (convex.clock.now() - age * DAY), "words": 3}
        for number, name in enumerate(("attic", "barn"), start=1):
            text = {"slug": name, "title": name.title(), "body": f"common {name} [[intro]]"}
            place = {"folder": None} if name == "attic" else {}
            self.insert(f"#{name}", "documents", {**old, **text, **place, "number": number})
            for place_ in range(len(self.apps)):
                row = {"workspace": "#space", "from": f"#{name}", "slug": "intro"}
                self.apps[place_].insert("references", self.fill(row, place_))

        if pile:
            self._add_pile(old, pile)

    def _add_pile(self, old: Args, pile: int) -> None:
        """Store a document with many below it, each mentioned to one member and just published."""
        old = {**old, "updatedAt": 1000 * self.apps[ANSWER].clock.now(), "status": "published"}
        text = {"slug": "pile", "title": "Pile", "body": "common rare", "childCount": pile - 1}
        self.insert("#pile", "documents", {**old, **text, "number": 3})
        for place, app in enumerate(self.apps):
            rows = []
            for number in range(1, pile):
                text = {"slug": f"in-{number}", "title": f"In {number}", "body": "common rare pile"}
                row = {**old, **text, "parent": "#pile", "number": 3 + number}
                rows.append(self.fill({**row, "updatedAt": old["updatedAt"] + number}, place))
            ids = app.insert_many("documents", rows)
            own = self.fill({"author": "#ben", "member": "#cy", "workspace": "#space"}, place)
            comment = {"author": own["author"], "authorName": "ben", "text": "@cy?"}
            comments = app.insert_many("comments", [{**comment, "document": id_} for id_ in ids])
            mention = {"member": own["member"], "read": False}
            mentions = [
                {**mention, "document": id_, "comment": comment_}
                for id_, comment_ in zip(ids, comments, strict=True)
            ]
            app.insert_many("mentions", mentions)
            activity = {"workspace": own["workspace"], "kind": "commented"}
            app.insert_many("activities", [{**activity, "document": id_} for id_ in ids])

    def insert(self, name: str, table: str, document: Args) -> None:
        """Store a document in each app."""
        self.ids[name] = tuple(
            app.insert(table, self.fill(document, place)) for place, app in enumerate(self.apps)
        )

    def deploy(self) -> None:
        """Deploy the answer over what is stored; the other app stays as given."""
        self.apps[ANSWER].deploy("answer")

    # --- Calls -------------------------------------------------------------------------------

    def fill(self, args: Args, place: int) -> Args:
        """Put ids in place of names."""
        return {
            key: self.ids[value][place] if isinstance(value, str) and value in self.ids else value
            for key, value in args.items()
        }

    def call(self, user: str, path: str, place: int = ANSWER, **args: object) -> Any:  # noqa: ANN401 - a result
        """Call a function of one app; "refused" stands for an error."""
        module, name = path.split(":")
        app = self.apps[place].as_user(user, issuer="https://users.test")
        kind = app.query if name in QUERIES.get(module, set()) else app.mutation
        try:
            return kind(path, self.fill(args, place))
        except FunctionFailed:
            return REFUSED

    def do(self, user: str, path: str, *, keep: str = "", **args: object) -> None:
        """Call a function of each app, with the same result; name a new id."""
        values = [self.call(user, path, place, **args) for place in range(len(self.apps))]
        if keep:
            assert REFUSED not in values, f"{user} called {path} for {keep}"
            ids = [value["link"] if isinstance(value, dict) else value for value in values]
            self.ids[keep] = tuple(ids)
        else:
            shown = [self.name(value, place) for place, value in enumerate(values)]
            assert shown[0] == shown[-1], f"{user} called {path} {args}"
        if path.startswith(("documents:", "publishing:", "history:")):
            self.wait(1)

    def trash(self, user: str, path: str, document: str) -> None:
        """Call a function of the trash, which must not refuse."""
        assert self.call(user, path, document=document) is None, f"{path} {document}"
        self.wait(1)

    def wait(self, seconds: float) -> None:
        """Let time pass in each app."""
        for app in self.apps:
            app.clock.advance(seconds)

    def wait_alone(self, seconds: float) -> None:
        """Let time pass in the answer."""
        self.apps[ANSWER].clock.advance(seconds)

    def write(self, user: str, name: str, body: str = "common", **place: str) -> None:
        """Create a document; its title is its name."""
        args: Args = {"workspace": "#space", "title": name.title(), "body": body, **place}
        self.do(user, "documents:create", keep=f"#{name}", **args)

    def attach(self, user: str, document: str, text: str, keep: str = "#file-new") -> None:
        """Upload a text and attach it."""
        files = [app.store(text.encode(), "text/plain") for app in self.apps]
        self.ids["#uploaded"] = tuple(files)
        self.do(
            user, "attachments:attach", keep=keep, document=document, name=text, file="#uploaded"
        )

    # --- What people see ---------------------------------------------------------------------

    def name(self, value: object, place: int) -> object:
        """Put names in place of ids, and leave out times."""
        text = json.dumps(value, sort_keys=True)
        for name, ids in self.ids.items():
            text = text.replace(f'"{ids[place]}"', f'"{name}"')
        return json.loads(text, object_hook=leave_out)

    def get(self, path: str, place: int = ANSWER) -> str:
        """Get a route; "refused" stands for a status of 400 or more."""
        reply = self.apps[place].http("GET", path)
        return reply.text if reply.status < 400 else REFUSED  # noqa: PLR2004

    def pages(self, place: int) -> list[object]:
        """Return all documents by title, page by page."""
        rows: list[object] = []
        cursor = None
        for _ in range(30):
            options = {"numItems": PER_PAGE, "cursor": cursor}
            args = {"workspace": "#space", "paginationOpts": options}
            page = self.call("ben", "documents:page", place, **args)
            rows += page["page"]
            cursor = page["continueCursor"]
            if page["isDone"]:
                break
        return rows

    def look(self, place: int, documents: tuple[str, ...], *, notices: bool = True) -> Args:
        """Return all that people see in an app."""
        seen: Args = {}
        space: Args = {"workspace": "#space"}
        calls: list[tuple[str, str, Args]] = [("ben", path, space) for path in LISTS]
        for path, users in OWN.items():
            if notices or path != "notices:mine":
                calls += [(user, path, space) for user in users]
        for folder in (name for name in self.ids if name.startswith("#folder")):
            calls.append(("cy", "documents:list", {**space, "folder": folder}))
        for path, most in OF_DOCUMENT.items():
            calls += [("cy", path, {"document": name}) for name in documents[:most]]
        calls += [("cy", "tags:documents", {**space, "name": name}) for name in ("red", "blue")]
        calls += [("cy", "search:find", {**space, "text": word}) for word in ("common", "rare")]
        calls += [("cy", "search:titles", {**space, "start": start}) for start in ("", "P")]
        calls += [("cy", "documents:bySlug", {**space, "slug": name[1:]}) for name in documents[:3]]
        for user, path, args in calls:
            value = self.call(user, path, place, **args)
            if path in UNORDERED and isinstance(value, list):
                value = sorted(value, key=str if path == "references:to" else by_title)
            seen[f"{user} {path} {args.get('document') or list(args.values())[1:]}"] = value
        seen["pages"] = self.pages(place)
        seen["feed"] = json.loads(self.get(f"/feed?key={KEY.replace(' ', '%20')}", place))
        seen["export"] = self.get(f"/export?key={KEY.replace(' ', '%20')}", place).splitlines()
        named = self.name(seen, place)
        assert isinstance(named, dict)
        return named

    def compare(self, *documents: str, notices: bool = True) -> None:
        """Demand that people see the same in both apps."""
        answer = self.look(ANSWER, documents, notices=notices)
        given = self.look(GIVEN, documents, notices=notices)
        for what, value in given.items():
            assert answer[what] == value, what

    def heard(self, place: int = ANSWER) -> list[str]:
        """Return what hooks heard, sorted."""
        bodies = [json.loads(fetch.body or b"{}") for fetch in self.apps[place].fetches()]
        return sorted(f"{body['kind']} {body['number']} {body['title']}" for body in bodies)

    def compare_hooks(self) -> None:
        """Demand that hooks heard the same of both apps."""
        assert self.heard(ANSWER) == self.heard(GIVEN)

    def listed(self, user: str = "ben") -> list[str]:
        """Return the names of the documents that the trash shows."""
        rows = self.name(self.call(user, "trash:list", workspace="#space"), ANSWER)
        assert isinstance(rows, list), rows
        return [row["document"] for row in rows]

    def shown(self, name: str) -> Args:
        """Return what a client gets of a document."""
        value = self.name(self.call("ada", "documents:get", document=name), ANSWER)
        assert isinstance(value, dict), f"{name} is not there"
        return value


def leave_out(row: Args) -> Args:
    """Return a row without times and ids that nothing names."""
    return {
        field: value
        for field, value in row.items()
        if field not in LEFT_OUT and (field != "id" or str(value).startswith("#"))
    }


def by_title(row: object) -> str:
    """Return what rows without an order are sorted by here."""
    return str(row["number"] if isinstance(row, dict) and "number" in row else row)
