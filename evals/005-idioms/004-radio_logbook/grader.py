# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A radio club's logbook: one guard decides who may read, enter, strike and appoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runner.grader import Convex

ISSUER = "https://waves.test"
HEARD = {"station": "OE3XYZ", "mhz": 14.074}
UNAUTHENTICATED = {"code": "unauthenticated"}
NOT_A_MEMBER = {"code": "not_a_member"}
SUSPENDED = {"code": "suspended"}
NOT_FOUND = {"code": "not_found"}
NEEDS_OPERATOR = {"code": "forbidden", "needs": "operator"}
NEEDS_STEWARD = {"code": "forbidden", "needs": "steward"}
MANY = 120
AT_MOST = 60
"""Documents that one transaction may read where many are stored."""


def sign_in(convex: Convex, name: str, **claims: str) -> Convex:
    """Sign somebody in."""
    return convex.as_user(name, issuer=ISSUER, **claims)


def join(convex: Convex, name: str, role: str, *, suspended: bool = False) -> str:
    """Make somebody a member."""
    document = {"user": f"{ISSUER}|{name}", "role": role, "suspended": suspended}
    return convex.insert("members", document)


def enter(caller: Convex, station: str = "OE3XYZ") -> str:
    """Enter a contact."""
    return cast("str", caller.mutation("logbook:enter", {**HEARD, "station": station}))


def attempts(caller: Convex, contact: str, member: str) -> Iterator[object]:
    """Call all four functions one by one, and tell the data of the error, or None."""
    calls = {
        "enter": HEARD,
        "strike": {"contact": contact},
        "appoint": {"member": member, "role": "operator"},
    }
    yield attempt(caller, "latest", {})
    for name, args in calls.items():
        yield attempt(caller, name, args)


def attempt(caller: Convex, name: str, args: dict[str, Any]) -> object:
    """Call a function, and tell the data of its error, or None."""
    try:
        (caller.query if name == "latest" else caller.mutation)(f"logbook:{name}", args)
    except FunctionFailed as refused:
        return refused.data
    return None


def stored(convex: Convex) -> object:
    """Look up all that is stored."""
    return convex.table("members"), convex.table("contacts")


def test_each_role_may_do_what_lower_ones_may(convex: Convex) -> None:
    """A listener reads; an operator enters too; a steward strikes others' and appoints."""
    members = {role: join(convex, role, role) for role in ("listener", "operator", "steward")}
    contact = enter(sign_in(convex, "steward"))
    other = join(convex, "other", "listener")
    found = {role: list(attempts(sign_in(convex, role), contact, other)) for role in members}
    assert found == {
        "listener": [None, NEEDS_OPERATOR, NEEDS_OPERATOR, NEEDS_STEWARD],
        "operator": [None, None, NEEDS_STEWARD, NEEDS_STEWARD],
        "steward": [None, None, None, None],
    }
    by = [document["by"] for document in convex.table("contacts")]
    assert by == [members["operator"], members["steward"]]
    appointed = convex.document("members", other)
    assert appointed is not None
    assert (appointed["role"], appointed["suspended"]) == ("operator", False)


def test_anonymous_callers_are_unauthenticated(convex: Convex) -> None:
    """Whoever is not signed in is told so by all functions, whatever they ask for."""
    steward = join(convex, "steward", "steward")
    contact = enter(sign_in(convex, "steward"))
    before = stored(convex)
    assert list(attempts(convex, contact, steward)) == [UNAUTHENTICATED] * 4
    assert stored(convex) == before
    gone = join(convex, "gone", "operator")
    convex.delete("members", gone)
    convex.delete("contacts", contact)
    assert list(attempts(convex, contact, gone)) == [UNAUTHENTICATED] * 4


def test_strangers_and_suspended_members_are_refused(convex: Convex) -> None:
    """Whoever is signed in but not a member, or suspended, can do nothing, not even read."""
    steward = join(convex, "steward", "steward")
    contact = enter(sign_in(convex, "steward"))
    for role in ("listener", "steward"):
        join(convex, f"late {role}", role, suspended=True)
    before = stored(convex)
    assert list(attempts(sign_in(convex, "eve"), contact, steward)) == [NOT_A_MEMBER] * 4
    elsewhere = convex.as_user("steward", issuer="https://other.test")
    assert list(attempts(elsewhere, contact, steward)) == [NOT_A_MEMBER] * 4
    for role in ("listener", "steward"):
        found = list(attempts(sign_in(convex, f"late {role}"), contact, steward))
        assert found == [SUSPENDED] * 4
    assert stored(convex) == before


def test_a_role_that_is_too_low_is_told_which_it_needs(convex: Convex) -> None:
    """The guard comes before everything else: what has been deleted is not even looked for."""
    join(convex, "steward", "steward")
    join(convex, "ada", "listener")
    gone, contact = join(convex, "gone", "operator"), enter(sign_in(convex, "steward"))
    convex.delete("members", gone)
    convex.delete("contacts", contact)
    found = list(attempts(sign_in(convex, "ada"), contact, gone))
    assert found == [None, NEEDS_OPERATOR, NEEDS_OPERATOR, NEEDS_STEWARD]
    found = list(attempts(sign_in(convex, "steward"), contact, gone))
    assert found == [None, None, NOT_FOUND, NOT_FOUND]


def test_operators_strike_only_their_own_contacts(convex: Convex) -> None:
    """An operator strikes what they entered, and is told that others' need a steward."""
    for name in ("ada", "bo"):
        join(convex, name, "operator")
    ada, bo = sign_in(convex, "ada"), sign_in(convex, "bo")
    mine, others = enter(ada), enter(bo)
    assert ada.mutation("logbook:strike", {"contact": mine}) is None
    assert attempt(ada, "strike", {"contact": others}) == NEEDS_STEWARD
    assert [contact["_id"] for contact in convex.table("contacts")] == [others]


def test_the_role_is_what_the_table_says(convex: Convex) -> None:
    """A role in the identity counts for nothing, and a new role counts at once."""
    member = join(convex, "ada", "listener")
    join(convex, "steward", "steward")
    ada = sign_in(convex, "ada", role="steward")
    assert attempt(ada, "enter", HEARD) == NEEDS_OPERATOR
    steward = sign_in(convex, "steward", role="listener")
    for role, expected in (("operator", None), ("listener", NEEDS_OPERATOR)):
        args = {"member": member, "role": role}
        assert steward.mutation("logbook:appoint", args) is None
        assert attempt(ada, "enter", HEARD) == expected


def test_a_steward_is_not_demoted_by_themselves(convex: Convex) -> None:
    """A steward may appoint themselves steward, and only another one gives them a lower role."""
    ada, bo = (join(convex, name, "steward") for name in ("ada", "bo"))
    caller = sign_in(convex, "ada")
    args = {"member": ada, "role": "operator"}
    assert attempt(caller, "appoint", args) == {"code": "last_steward"}
    assert attempt(caller, "appoint", args | {"role": "steward"}) is None
    assert attempt(caller, "appoint", {"member": bo, "role": "listener"}) is None
    assert [member["role"] for member in convex.table("members")] == ["steward", "listener"]


def test_the_latest_contacts(convex: Convex) -> None:
    """Of all contacts, the 20 newest are read, the newest first."""
    member = join(convex, "ada", "listener")
    contacts = [{"station": f"DL{n}", "mhz": 7.0 + n, "by": member} for n in range(22)]
    ids = convex.insert_many("contacts", contacts)
    assert sign_in(convex, "ada").query("logbook:latest") == [
        {"_id": ids[n], "station": f"DL{n}", "mhz": 7.0 + n} for n in range(21, 1, -1)
    ]


def test_the_guard_does_not_read_all_members(convex: Convex) -> None:
    """A member is recognised among more than can be read, and nothing else can be called."""
    crowd = {"role": "steward", "suspended": True}
    convex.insert_many("members", [crowd | {"user": f"{ISSUER}|{n}"} for n in range(MANY)])
    join(convex, "ada", "operator")
    convex.limit(documents_read=AT_MOST)
    assert attempt(sign_in(convex, "ada"), "enter", HEARD) is None
    assert attempt(sign_in(convex, "eve"), "enter", HEARD) == NOT_A_MEMBER
    found = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert found == {f"logbook:{name}" for name in ("latest", "enter", "strike", "appoint")}


def test_other_arguments_are_refused(convex: Convex) -> None:
    """Nobody says by an argument who entered a contact, or which role they have."""
    steward = join(convex, "steward", "steward")
    caller = sign_in(convex, "steward")
    with pytest.raises(FunctionFailed):
        caller.query("logbook:latest", {"role": "steward"})
    with pytest.raises(FunctionFailed):
        caller.mutation("logbook:enter", {**HEARD, "by": steward})
    with pytest.raises(FunctionFailed):
        caller.mutation(
            "logbook:appoint", {"member": steward, "role": "steward", "suspended": True}
        )
    assert convex.table("contacts") == []


@pytest.mark.parametrize("wrong", [{"user": 1.0}, {"role": "admin"}, {"suspended": "no"}])
def test_members_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A member of whom a field is of another kind cannot be stored."""
    right = {"user": f"{ISSUER}|ada", "role": "listener", "suspended": False}
    convex.insert("members", right)
    with pytest.raises(FunctionFailed):
        convex.insert("members", {**right, **wrong})
