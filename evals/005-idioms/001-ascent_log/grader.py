# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A log of ascents that only its owner sees and changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.grader import Convex

ONE_PROVIDER = "https://rope.test"
OTHER_PROVIDER = "https://chalk.test"
ASCENT = {"route": "Via Normale", "grade": "PD+", "note": "Snow above the hut."}
NOT_SIGNED_IN = "not signed in"
NO_SUCH_ASCENT = "no such ascent"
MANY = 200
AT_MOST = 50
"""Documents that one transaction may read where a crowd of many is stored."""

PUBLIC = ["add", "mine", "get", "edit", "remove"]


def ada(convex: Convex) -> Convex:
    """Sign in as user 1 of one provider."""
    return convex.as_user("1", issuer=ONE_PROVIDER, name="Ada", email="climber@peaks.test")


def bo(convex: Convex) -> Convex:
    """Sign in as user 2 of the same provider."""
    return convex.as_user("2", issuer=ONE_PROVIDER, name="Bo", email="bo@peaks.test")


def cy(convex: Convex) -> Convex:
    """Sign in as user 1 of the other provider, who even has the name and address of Ada."""
    return convex.as_user("1", issuer=OTHER_PROVIDER, name="Ada", email="climber@peaks.test")


def add(climber: Convex, /, **changes: str | float | None) -> str:
    """Add an ascent and return its id."""
    ascent = climber.mutation("ascents:add", {**ASCENT, **changes})
    assert isinstance(ascent, str)
    return ascent


def get(climber: Convex, ascent: str) -> dict[str, Any]:
    """Read an ascent."""
    found = climber.query("ascents:get", {"id": ascent})
    assert isinstance(found, dict)
    return cast("dict[str, Any]", found)


def mine(climber: Convex) -> list[Any]:
    """Read the log."""
    log = climber.query("ascents:mine")
    assert isinstance(log, list)
    return cast("list[Any]", log)


def edit(climber: Convex, ascent: str, /, **changes: str | None) -> object:
    """Change an ascent."""
    return climber.mutation("ascents:edit", {"id": ascent, **changes})


def remove(climber: Convex, ascent: str) -> object:
    """Delete an ascent."""
    return climber.mutation("ascents:remove", {"id": ascent})


def refuse(convex: Convex, data: str, call: Callable[[], object]) -> None:
    """Demand that a call is refused with this data, and that nothing is changed by it."""
    before = convex.table("ascents")
    with pytest.raises(FunctionFailed) as caught:
        call()
    assert caught.value.data == data
    assert convex.table("ascents") == before


def test_an_ascent_shows_exactly_its_fields(convex: Convex) -> None:
    """What was added is read back, by id and in the log, with nothing beside it."""
    climber = ada(convex)
    ascent = add(climber)
    expected = {"_id": ascent, **ASCENT}
    assert get(climber, ascent) == expected
    assert mine(climber) == [expected]


def test_an_ascent_may_have_no_note(convex: Convex) -> None:
    """A note of null is kept as null."""
    climber = ada(convex)
    assert get(climber, add(climber, note=None))["note"] is None
    assert mine(climber)[0]["note"] is None


def test_the_log_is_newest_first(convex: Convex) -> None:
    """The caller's newest ascent comes first, and those of others are not there."""
    climber = ada(convex)
    routes = ["Dent du Géant", "Piz Badile", "Cima Grande"]
    for route in routes:
        add(climber, route=route)
        add(bo(convex), route=f"not {route}")
    assert [ascent["route"] for ascent in mine(climber)] == routes[::-1]


def test_the_log_ends_after_twenty(convex: Convex) -> None:
    """Of a long log, the 20 newest ascents are returned."""
    climber = ada(convex)
    routes = [f"Pitch {n}" for n in range(25)]
    for route in routes:
        add(climber, route=route)
    assert [ascent["route"] for ascent in mine(climber)] == routes[:4:-1]


def test_a_new_climber_has_an_empty_log(convex: Convex) -> None:
    """Whoever has added nothing sees nothing."""
    add(ada(convex))
    assert mine(bo(convex)) == []


def test_the_log_of_one_climber_does_not_read_those_of_others(convex: Convex) -> None:
    """A log can be read while others have more than one transaction may read."""
    add(bo(convex))
    (document,) = convex.table("ascents")
    copy = {name: value for name, value in document.items() if not name.startswith("_")}
    ascent = add(ada(convex))
    convex.insert_many("ascents", [copy] * MANY)
    convex.limit(documents_read=AT_MOST)
    assert [found["_id"] for found in mine(ada(convex))] == [ascent]


def test_edits_change_what_is_given(convex: Convex) -> None:
    """A grade or a note is changed alone or together, and the rest stays."""
    climber = ada(convex)
    ascent = add(climber)
    assert edit(climber, ascent, grade="AD") is None
    assert get(climber, ascent) == {"_id": ascent, **ASCENT, "grade": "AD"}
    assert edit(climber, ascent, note="") is None
    assert get(climber, ascent) == {"_id": ascent, **ASCENT, "grade": "AD", "note": ""}
    assert edit(climber, ascent, grade="D", note="Rockfall.") is None
    assert get(climber, ascent) == {"_id": ascent, **ASCENT, "grade": "D", "note": "Rockfall."}
    assert edit(climber, ascent) is None
    assert get(climber, ascent) == {"_id": ascent, **ASCENT, "grade": "D", "note": "Rockfall."}


def test_a_note_of_null_removes_the_note(convex: Convex) -> None:
    """Null takes the note away, and leaving it out does not."""
    climber = ada(convex)
    ascent = add(climber)
    edit(climber, ascent, note=None)
    assert get(climber, ascent) == {"_id": ascent, **ASCENT, "note": None}


def test_a_removed_ascent_is_gone(convex: Convex) -> None:
    """Only the ascent that was removed is gone, from the log and by its id."""
    climber = ada(convex)
    ascent, kept = add(climber), add(climber, route="Piz Badile")
    assert remove(climber, ascent) is None
    assert [found["_id"] for found in mine(climber)] == [kept]
    for call in (get, edit, remove):
        refuse(convex, NO_SUCH_ASCENT, lambda call=call: call(climber, ascent))


@pytest.mark.parametrize("name", PUBLIC)
def test_anonymous_callers_are_refused(convex: Convex, name: str) -> None:
    """Whoever is not signed in is told so, also with the id of an ascent that exists."""
    ascent = add(ada(convex))
    calls: dict[str, Callable[[], object]] = {
        "add": lambda: add(convex),
        "mine": lambda: mine(convex),
        "get": lambda: get(convex, ascent),
        "edit": lambda: edit(convex, ascent, grade="AD"),
        "remove": lambda: remove(convex, ascent),
    }
    refuse(convex, NOT_SIGNED_IN, calls[name])


def test_ascents_of_others_cannot_be_read(convex: Convex) -> None:
    """An id of somebody else's ascent gives nothing."""
    ascent = add(ada(convex))
    refuse(convex, NO_SUCH_ASCENT, lambda: get(bo(convex), ascent))


def test_ascents_of_others_cannot_be_edited(convex: Convex) -> None:
    """An id of somebody else's ascent changes nothing."""
    ascent = add(ada(convex))
    refuse(convex, NO_SUCH_ASCENT, lambda: edit(bo(convex), ascent, grade="9a"))
    refuse(convex, NO_SUCH_ASCENT, lambda: edit(bo(convex), ascent))


def test_ascents_of_others_cannot_be_removed(convex: Convex) -> None:
    """An id of somebody else's ascent removes nothing."""
    ascent = add(ada(convex))
    refuse(convex, NO_SUCH_ASCENT, lambda: remove(bo(convex), ascent))


def test_users_of_two_providers_with_the_same_number_are_different(convex: Convex) -> None:
    """User 1 of one provider is not user 1 of the other, whatever name and address they have."""
    ascent = add(ada(convex))
    assert mine(cy(convex)) == []
    refuse(convex, NO_SUCH_ASCENT, lambda: get(cy(convex), ascent))
    refuse(convex, NO_SUCH_ASCENT, lambda: remove(cy(convex), ascent))


def test_a_climber_stays_the_same_whatever_else_changes(convex: Convex) -> None:
    """A climber who changes their name and address still has their log."""
    ascent = add(ada(convex))
    renamed = convex.as_user("1", issuer=ONE_PROVIDER, name="Adele", email="adele@peaks.test")
    assert [found["_id"] for found in mine(renamed)] == [ascent]


def test_an_id_does_not_tell_whether_it_is_in_use(convex: Convex) -> None:
    """Others' ascents and deleted ones are refused alike."""
    gone = add(bo(convex))
    remove(bo(convex), gone)
    others = add(ada(convex))
    for ascent in (gone, others):
        for call in (get, edit, remove):
            refuse(
                convex,
                NO_SUCH_ASCENT,
                lambda call=call, ascent=ascent: call(bo(convex), ascent),
            )


@pytest.mark.parametrize("name", ["owner", "userId", "tokenIdentifier", "climber"])
def test_the_owner_cannot_be_chosen(convex: Convex, name: str) -> None:
    """A call that says whose the ascent is, is refused."""
    ascent = add(bo(convex))
    for climber in (convex, bo(convex)):
        with pytest.raises(FunctionFailed):
            add(climber, **{name: f"{ONE_PROVIDER}|1"})
    with pytest.raises(FunctionFailed):
        edit(bo(convex), ascent, **{name: f"{ONE_PROVIDER}|1"})
    with pytest.raises(FunctionFailed):
        bo(convex).query("ascents:mine", {name: f"{ONE_PROVIDER}|1"})
    assert mine(ada(convex)) == []


def test_arguments_of_other_kinds_are_refused(convex: Convex) -> None:
    """A grade that is no text, a missing note and a route that is edited are refused."""
    climber = ada(convex)
    ascent = add(climber)
    with pytest.raises(FunctionFailed):
        add(climber, grade=5.0)
    with pytest.raises(FunctionFailed):
        climber.mutation("ascents:add", {"route": "Piz Badile", "grade": "D"})
    with pytest.raises(FunctionFailed):
        edit(climber, ascent, grade=None)
    with pytest.raises(FunctionFailed):
        edit(climber, ascent, route="Piz Badile")


def test_nothing_else_can_be_called_from_outside(convex: Convex) -> None:
    """Five functions are public."""
    public = {path for path, found in convex.functions.items() if found.visibility == "public"}
    assert public == {f"ascents:{name}" for name in PUBLIC}
