# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""An app of teams whose workspaces invite people by link."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Generator

    from runner.grader import Convex

MAILS = "https://mail.test/send"
LINK = re.compile(r"https://app\.huddle\.test/join/([^\s\"'<>)]+)")
HOUR = 3600
DAY = 24 * HOUR
BATCH = 20
DIRECTORY = {"Authorization": "Bearer connector"}


class Person:
    """Somebody with an account, whose address is verified unless they have just typed it."""

    def __init__(
        self, convex: Convex, name: str, email: str | None = None, *, is_verified: bool = True
    ) -> None:
        """Make the account."""
        self.email = email or f"{name}@post.test"
        self.calls = convex.as_user(name)
        self.id = str(
            self.calls.mutation("users/profile:register", {"name": name, "email": self.email})
        )
        if is_verified:
            self.verify()

    def verify(self) -> None:
        """Verify the address, as the login pages do."""
        self.calls.admin.mutation("users/profile:verify", {"user": self.id})

    def create_workspace(self, plan: str = "team") -> str:
        """Make a workspace, and own it."""
        workspace = str(self.calls.mutation("workspaces/manage:create", {"name": "Lab"}))
        self.calls.mutation("workspaces/manage:changePlan", {"workspace": workspace, "plan": plan})
        return workspace

    def add(self, workspace: str, person: Person, role: str) -> None:
        """Make somebody a member."""
        args = {"workspace": workspace, "email": person.email, "role": role}
        self.calls.mutation("members/manage:add", args)

    def set_role(self, workspace: str, person: Person, role: str) -> None:
        """Give a member another role."""
        args = {"workspace": workspace, "user": person.id, "role": role}
        self.calls.mutation("members/manage:setRole", args)

    def remove(self, workspace: str, person: Person) -> None:
        """Take a member out."""
        self.calls.mutation("members/manage:remove", {"workspace": workspace, "user": person.id})

    def create(self, workspace: str, email: str, role: str = "member") -> str:
        """Invite an address, and return the invitation's id."""
        args = {"workspace": workspace, "email": email, "role": role}
        return str(self.calls.mutation("invitations/manage:create", args))

    def invite(self, workspace: str, email: str, role: str = "member") -> str:
        """Invite an address, and return the token of the mail."""
        self.create(workspace, email, role)
        self.calls.settle()
        return read_tokens(self.calls, email)[-1]

    def list(self, workspace: str) -> list[tuple[str, str]]:
        """Return the addresses and roles of the good invitations."""
        rows = self.calls.query("invitations/manage:list", {"workspace": workspace})
        return sorted((row["email"].lower(), row["role"]) for row in rows)

    def join(self, token: str) -> tuple[int, Any]:
        """Open a link, and return the status and the JSON."""
        reply = self.calls.http("POST", "/join", json={"token": token})
        return reply.status, reply.json()


@pytest.fixture
def convex(convex: Convex) -> Convex:
    """The app, with a mail service that answers."""
    convex.stub_fetch(MAILS, method="POST", json={"ok": True})
    convex.set_env("DIRECTORY_KEY", "connector")
    return convex


def read_tokens(convex: Convex, email: str) -> list[str]:
    """Return the tokens that were mailed to an address, the oldest first."""
    mails = [json.loads(fetch.body) for fetch in convex.fetches() if fetch.url == MAILS]
    links = [LINK.search(mail["text"]) for mail in mails if mail["to"] == email.lower()]
    return [link[1].rstrip(".,") for link in links if link]


def read_roles(convex: Convex, workspace: str) -> dict[str, str]:
    """Return the role of each member by their id."""
    rows = [row for row in convex.table("members") if row["workspace"] == workspace]
    roles = {row["user"]: row["role"] for row in rows}
    assert len(roles) == len(rows)
    return roles


def count_seats(owner: Person, workspace: str) -> float:
    """Return how many seats are taken."""
    args = {"workspace": workspace}
    seats: float = owner.calls.query("workspaces/manage:get", args)["seatsTaken"]
    return seats


@contextmanager
def expect_refusal(code: str) -> Generator[None]:
    """Demand that the calls of a block are refused with this code."""
    with pytest.raises(FunctionFailed) as refusal:
        yield
    assert refusal.value.data == {"code": code}


NOT_FOUND = (404, {"error": "not_found"})


def test_a_link_makes_a_member(convex: Convex) -> None:
    """Who opens the link with a new account is a member, with its role and its seat."""
    ada = Person(convex, "ada")
    lab, other = ada.create_workspace(), ada.create_workspace()
    token, guest_token = ada.invite(lab, "Bo@Post.test"), ada.invite(lab, "cy@post.test", "guest")
    assert ada.list(lab) == [("bo@post.test", "member"), ("cy@post.test", "guest")]
    assert (ada.list(other), count_seats(ada, lab)) == ([], 1)
    bo, cy = Person(convex, "bo"), Person(convex, "cy")
    assert bo.join(token) == (200, {"workspace": lab})
    assert ada.list(lab) == [("cy@post.test", "guest")]
    assert cy.join(guest_token) == (200, {"workspace": lab})
    assert read_roles(convex, lab) == {ada.id: "owner", bo.id: "member", cy.id: "guest"}
    assert (count_seats(ada, lab), ada.list(lab)) == (2, [])


def test_roles_are_given_by_those_who_may(convex: Convex) -> None:
    """Each role invites to the roles that it may give, and ends and sees such invitations."""
    owner, admin, member, guest, outside = (
        Person(convex, name) for name in ("owner", "admin", "member", "guest", "outside")
    )
    lab = owner.create_workspace()
    for person, role in ((admin, "admin"), (member, "member"), (guest, "guest")):
        owner.add(lab, person, role)
    gives = {
        owner: ["owner", "admin", "member", "guest"],
        admin: ["member", "guest"],
        member: ["guest"],
        guest: [],
        outside: [],
    }
    for person, roles in gives.items():
        for role in ("owner", "admin", "member", "guest"):
            standing = owner.create(lab, "standing@post.test", role)
            revoke = {"invitation": standing}
            if role in roles:
                person.create(lab, "new@post.test", role)
                person.calls.mutation("invitations/manage:revoke", revoke)
                assert owner.list(lab) == [("new@post.test", role)]
            else:
                with expect_refusal("not_allowed"):
                    person.create(lab, "new@post.test", role)
                with expect_refusal("not_allowed"):
                    person.calls.mutation("invitations/manage:revoke", revoke)
                assert ("standing@post.test", role) in owner.list(lab)
        if roles:
            assert person.list(lab) == owner.list(lab)
        else:
            with expect_refusal("not_allowed"):
                person.list(lab)
    with expect_refusal("not_signed_in"):
        convex.query("invitations/manage:list", {"workspace": lab})


def test_members_are_not_invited(convex: Convex) -> None:
    """The address of a member is refused in any spelling, also of an account of the first year."""
    ada, bo = Person(convex, "ada"), Person(convex, "bo", "Bo@Post.test")
    lab = ada.create_workspace()
    ada.add(lab, bo, "guest")
    first = {"token": "https://users.test|di", "name": "di", "email": "Di@Post.test"}
    convex.insert("users", {**first, "verifiedAt": 1.0})
    ada.calls.mutation(
        "members/manage:add", {"workspace": lab, "email": "di@post.test", "role": "guest"}
    )
    Person(convex, "typist", "eve@post.test", is_verified=False)
    for email in (
        "bo@post.test",
        "BO@POST.TEST",
        " bo@post.test ",
        "Ada@post.test",
        "dI@post.test",
    ):
        with expect_refusal("already_member"):
            ada.create(lab, email)
    assert ada.list(lab) == []
    ada.create(lab, "eve@post.test")
    assert ada.list(lab) == [("eve@post.test", "member")]


def test_a_new_invitation_takes_the_place(convex: Convex) -> None:
    """Of several links for an address and workspace only the last is good."""
    ada, bo = Person(convex, "ada"), Person(convex, "bo")
    lab, other = ada.create_workspace(), ada.create_workspace()
    first, elsewhere = ada.invite(lab, "bo@post.test", "guest"), ada.invite(other, "bo@post.test")
    second = ada.invite(lab, "BO@post.test", "admin")
    assert ada.list(lab) == [("bo@post.test", "admin")]
    assert bo.join(first) == NOT_FOUND
    assert bo.join(second)[0] == bo.join(elsewhere)[0] == 200
    assert read_roles(convex, lab)[bo.id] == "admin"


def test_only_the_mail_tells_the_token(convex: Convex) -> None:
    """Nothing that is stored has a token after its mail was sent, at the first attempt or later."""
    ada, bo = Person(convex, "ada"), Person(convex, "bo")
    lab = ada.create_workspace()
    convex.stub_fetch(MAILS, method="POST", status=503, times=2)
    ada.create(lab, "bo@post.test")
    ada.create(lab, "cy@post.test")
    convex.clock.advance(HOUR)
    tokens = [read_tokens(convex, f"{name}@post.test")[-1] for name in ("bo", "cy")]
    assert tokens[0] != tokens[1]
    assert min(map(len, tokens)) >= 20
    stored = [row for name in convex.schema.tables for row in convex.table(name)]
    text = repr([*stored, *convex.scheduled(), ada.calls.query("mails:mine")])
    assert [token for token in tokens if token in text] == []
    assert bo.join(tokens[0]) == (200, {"workspace": lab})
    assert tokens[0] not in repr(
        [row for name in convex.schema.tables for row in convex.table(name)]
    )


def test_seats_are_counted_when_somebody_joins(convex: Convex) -> None:
    """More may be invited than have a seat; who finds none can join when one is free."""
    ada, bo, cy, di, eve = (Person(convex, name) for name in ("ada", "bo", "cy", "di", "eve"))
    lab = ada.create_workspace("free")
    tokens = [ada.invite(lab, person.email) for person in (bo, cy, di)]
    guest_token = ada.invite(lab, eve.email, "guest")
    assert [bo.join(tokens[0])[0], cy.join(tokens[1])[0]] == [200, 200]
    assert di.join(tokens[2]) == (409, {"error": "no_seat"})
    assert (count_seats(ada, lab), len(read_roles(convex, lab))) == (3, 3)
    assert ("di@post.test", "member") in ada.list(lab)
    assert eve.join(guest_token)[0] == 200
    ada.remove(lab, bo)
    assert di.join(tokens[2]) == (200, {"workspace": lab})
    assert bo.join(tokens[0]) == NOT_FOUND
    assert count_seats(ada, lab) == 3


def test_a_link_is_for_its_address(convex: Convex) -> None:
    """Only the account that has the address, verified and in any spelling, can use a link."""
    ada, eve, bo = (
        Person(convex, "ada"),
        Person(convex, "eve"),
        Person(convex, "bo", "B.O@Post.test"),
    )
    lab = ada.create_workspace()
    token = ada.invite(lab, "b.o@post.test")
    typist = Person(convex, "typist", "b.o@post.test", is_verified=False)
    reply = convex.http("POST", "/join", json={"token": token})
    assert (reply.status, reply.json()) == (401, {"error": "not_signed_in"})
    for person in (eve, typist):
        assert person.join(token) == (403, {"error": "other_address"})
    for wrong in ("x", token[:-1], token + "0"):
        assert bo.join(wrong) == NOT_FOUND
    assert bo.join(token) == (200, {"workspace": lab})
    assert read_roles(convex, lab) == {ada.id: "owner", bo.id: "member"}


def test_a_join_is_repeated(convex: Convex) -> None:
    """The same reply and one membership, as long as they are a member; never for another person."""
    ada, bo, eve = Person(convex, "ada"), Person(convex, "bo"), Person(convex, "eve")
    lab = ada.create_workspace()
    token = ada.invite(lab, "bo@post.test")
    assert [bo.join(token) for _ in range(3)] == [(200, {"workspace": lab})] * 3
    assert (count_seats(ada, lab), ada.list(lab)) == (2, [])
    ada.set_role(lab, bo, "guest")
    assert bo.join(token)[0] == 200
    ada.add(lab, eve, "guest")
    assert eve.join(token)[0] in (403, 404)
    assert read_roles(convex, lab)[bo.id] == "guest"
    bo.calls.mutation("users/profile:changeEmail", {"email": "bo@other.test"})
    assert bo.join(token)[0] == 200
    heir = Person(convex, "heir", "bo@post.test")
    assert heir.join(token) == NOT_FOUND
    ada.remove(lab, bo)
    bo.calls.mutation("users/profile:changeEmail", {"email": "bo@third.test"})
    assert (bo.join(token), heir.join(token)) == (NOT_FOUND, NOT_FOUND)
    roles = {ada.id: "owner", eve.id: "guest"}
    assert (read_roles(convex, lab), count_seats(ada, lab)) == (roles, 1)


def test_a_link_needs_its_sender(convex: Convex) -> None:
    """A link is good only while its sender may give its role."""
    ada, lower, gone, deleted = (Person(convex, name) for name in ("ada", "lo", "gone", "del"))
    guests = [Person(convex, name) for name in ("bo", "cy", "di", "eve")]
    lab = ada.create_workspace()
    for sender in (lower, gone, deleted):
        ada.add(lab, sender, "owner")
    tokens = [
        lower.invite(lab, guests[0].email, "admin"),
        lower.invite(lab, guests[1].email, "member"),
        gone.invite(lab, guests[2].email, "guest"),
        deleted.invite(lab, guests[3].email, "guest"),
    ]
    ada.set_role(lab, lower, "admin")
    ada.remove(lab, gone)
    deleted.calls.mutation("users/profile:deleteAccount")
    assert ada.list(lab) == [("cy@post.test", "member")]
    replies = [person.join(token)[0] for person, token in zip(guests, tokens, strict=True)]
    assert replies == [404, 200, 404, 404]
    members = {ada.id: "owner", lower.id: "admin", guests[1].id: "member"}
    assert (read_roles(convex, lab), count_seats(ada, lab)) == (members, 3)


def test_a_workspace_is_closed(convex: Convex) -> None:
    """Links are good while their workspace is open, and are deleted with it, in batches."""
    ada, bo, cy = (Person(convex, name) for name in ("ada", "bo", "cy"))
    lab, other = ada.create_workspace(), ada.create_workspace()
    token, other_token = ada.invite(lab, bo.email), ada.invite(other, bo.email)
    later = ada.invite(lab, cy.email)
    for n in range(BATCH):
        ada.create(lab, f"p{n}@post.test", "guest")
        page = {"workspace": lab, "title": f"Plan {n}", "text": "x"}
        ada.calls.mutation("pages/manage:write", page)
    ada.calls.mutation("workspaces/manage:close", {"workspace": lab})
    assert bo.join(token) == NOT_FOUND
    ada.calls.mutation("workspaces/manage:reopen", {"workspace": lab})
    assert bo.join(token) == (200, {"workspace": lab})
    ada.calls.mutation("workspaces/manage:close", {"workspace": lab})
    assert cy.join(later) == NOT_FOUND
    convex.clock.advance(DAY)
    assert len(convex.table("workspaces")) == 2
    convex.limit(documents_written=BATCH)
    convex.clock.advance(DAY + 2 * HOUR)
    assert [row["_id"] for row in convex.table("workspaces")] == [other]
    assert (len(convex.table("invitations")), convex.table("pages")) == (1, [])
    assert (cy.join(later), bo.join(other_token)[0]) == (NOT_FOUND, 200)


@pytest.mark.parametrize("way", ["added", "domain", "directory", "other_address"])
def test_the_address_becomes_a_members(convex: Convex, way: str) -> None:
    """A link is over once its address is a member's by another way, also if they leave again."""
    ada, bo = Person(convex, "ada"), Person(convex, "bo")
    lab, other = ada.create_workspace(), ada.create_workspace()
    address = "bo@new.test" if way == "other_address" else "bo@post.test"
    token, elsewhere = ada.invite(lab, address, "admin"), ada.invite(other, address, "admin")
    spare = ada.invite(lab, "cy@post.test", "guest")
    if way == "domain":
        domain = {"workspace": lab, "domain": "post.test"}
        ada.calls.mutation("workspaces/manage:setDomain", domain)
        bo.calls.mutation("members/manage:enterByDomain", {"workspace": lab})
    elif way == "directory":
        body = {"workspace": lab, "emails": ["BO@post.test", "nobody@post.test"]}
        assert convex.http("POST", "/directory", json=body, headers=DIRECTORY).status == 200
    else:
        ada.add(lab, bo, "member")
    if way == "other_address":
        bo.calls.mutation("users/profile:changeEmail", {"email": "Bo@New.test"})
        bo.verify()
    assert ada.list(lab) == [("cy@post.test", "guest")]
    assert bo.join(token)[0] in (200, 404)
    assert (read_roles(convex, lab)[bo.id], count_seats(ada, lab)) == ("member", 2)
    ada.remove(lab, bo)
    assert bo.join(token) == NOT_FOUND
    assert read_roles(convex, lab) == {ada.id: "owner"}
    assert Person(convex, "cy").join(spare)[0] == bo.join(elsewhere)[0] == 200


def test_an_invitation_is_revoked(convex: Convex) -> None:
    """A revoked link is not good; revoking one that was used takes nobody out."""
    ada, bo, cy = (Person(convex, name) for name in ("ada", "bo", "cy"))
    lab = ada.create_workspace()
    used = ada.create(lab, bo.email)
    convex.settle()
    token = read_tokens(convex, bo.email)[-1]
    assert bo.join(token)[0] == 200
    revoked = ada.create(lab, cy.email)
    convex.settle()
    ada.calls.mutation("invitations/manage:revoke", {"invitation": revoked})
    assert (ada.list(lab), cy.join(read_tokens(convex, cy.email)[-1])) == ([], NOT_FOUND)
    with suppress(FunctionFailed):
        ada.calls.mutation("invitations/manage:revoke", {"invitation": used})
    assert read_roles(convex, lab) == {ada.id: "owner", bo.id: "member"}


def test_a_link_is_good_for_seven_days(convex: Convex) -> None:
    """A link is good until its seven days are over, which the list tells."""
    ada, bo, cy = (Person(convex, name) for name in ("ada", "bo", "cy"))
    lab = ada.create_workspace()
    # Ten minutes after the hourly job, which is not what ends a link.
    convex.clock.advance_to((convex.clock.now() // HOUR + 1) * HOUR + 1200)
    begin = convex.clock.now()
    token, late = ada.invite(lab, bo.email), ada.invite(lab, cy.email)
    for row in ada.calls.query("invitations/manage:list", {"workspace": lab}):
        assert abs(row["expiresAt"] / 1000 - begin - 7 * DAY) < 120
    convex.clock.advance_to(begin + 7 * DAY - 30)
    assert bo.join(token) == (200, {"workspace": lab})
    convex.clock.advance_to(begin + 7 * DAY + 130)
    assert cy.join(late) == NOT_FOUND
    assert read_roles(convex, lab) == {ada.id: "owner", bo.id: "member"}


def test_old_invitations_are_deleted_in_batches(convex: Convex) -> None:
    """Each hour those of more than seven days are deleted, used or not, in batches of a job."""
    ada, bo = Person(convex, "ada"), Person(convex, "bo")
    lab = ada.create_workspace("business")
    assert bo.join(ada.invite(lab, bo.email))[0] == 200
    count = 2 * BATCH + 5
    for n in range(count):
        ada.create(lab, f"p{n}@post.test", "guest")
    convex.clock.advance(7 * DAY - 2 * HOUR)
    later_token = ada.invite(lab, "cy@post.test")
    assert len(ada.list(lab)) == count + 1
    convex.limit(documents_written=BATCH, documents_read=4 * BATCH)
    convex.clock.advance(4 * HOUR)
    assert len(convex.table("invitations")) == 1
    assert Person(convex, "cy").join(later_token) == (200, {"workspace": lab})


def test_what_was_there_works(convex: Convex) -> None:
    """Members are added once, directories fill the seats, and the extension knows who calls."""
    ada, bo, cy = (Person(convex, name) for name in ("ada", "bo", "cy"))
    lab = ada.create_workspace("free")
    ada.add(lab, bo, "member")
    with expect_refusal("already_member"):
        ada.add(lab, bo, "guest")
    body = {"workspace": lab, "emails": [bo.email, cy.email, "nobody@post.test", ada.email]}
    assert convex.http("POST", "/directory", json=body).status == 401
    reply = convex.http("POST", "/directory", json=body, headers=DIRECTORY)
    assert (reply.status, reply.json()) == (200, {"left": []})
    late = Person(convex, "late")
    reply = convex.http(
        "POST", "/directory", json={**body, "emails": [late.email]}, headers=DIRECTORY
    )
    assert reply.json() == {"left": [late.email]}
    assert (len(read_roles(convex, lab)), count_seats(ada, lab)) == (3, 3)
    me, nobody = ada.calls.http("GET", "/me"), convex.http("GET", "/me")
    assert (me.status, me.json()) == (200, {"name": "ada", "email": ada.email})
    assert (nobody.status, nobody.json()) == (401, {"error": "not_signed_in"})
    bo.calls.mutation("users/profile:changeEmail", {"email": "bo@new.test"})
    convex.settle()
    code = {"to": "bo@new.test", "subject": "Your new address"}
    mail = json.loads(convex.fetches()[-1].body)
    assert {**mail, "text": ""} == {**code, "text": ""}
    assert re.fullmatch(r"Your code is [\w-]{8}\.", mail["text"])
