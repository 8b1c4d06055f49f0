# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Styles whose settings are left out, null or a value: three states that are never mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

MANY = 200
AT_MOST = 60
"""Documents that one transaction may read where many are stored."""
FOUND = 20

FULL: Document = {"tracking": 12.5, "figures": "oldstyle", "caps": "small"}
RIGHT: dict[str, Document] = {
    "all_left_out": {},
    "all_given": FULL,
    "switched_off": {"tracking": None, "figures": None},
    "other_values": {"tracking": 0.0, "figures": "lining", "caps": "all"},
    "mixed": {"tracking": -3.0, "figures": None},
}
WRONG: dict[str, Document] = {
    "null_caps": {"caps": None},
    "text_as_tracking": {"tracking": "12"},
    "false_as_tracking": {"tracking": False},
    "other_figures": {"figures": "tabular"},
    "capital_figures": {"figures": "Lining"},
    "null_as_text": {"figures": "null"},
    "empty_figures": {"figures": ""},
    "other_caps": {"caps": "lining"},
    "null_name": {"name": None},
    "text_as_base": {"base": "Body"},
    "another_field": {"leading": 14.0},
}


def style(convex: Convex, base: str | None = None, **settings: object) -> str:
    """Store a style past all functions."""
    fields: Any = {"name": "Body", "base": base, **settings}
    return convex.insert("styles", fields)


def gone(convex: Convex, base: str | None = None) -> str:
    """Tell the id of a style that is no longer there."""
    identifier = style(convex, base, **FULL)
    convex.delete("styles", identifier)
    return identifier


def own(convex: Convex, identifier: str) -> Document:
    """Tell what a style itself says."""
    document = convex.document("styles", identifier)
    assert document is not None
    return {name: value for name, value in document.items() if name not in {"_id", "_creationTime"}}


def change(convex: Convex, identifier: str, **given: object) -> object:
    """Change what is given."""
    args: Any = {"style": identifier, **given}
    return convex.mutation("styles:change", args)


def inherit(convex: Convex, identifier: str, field: str) -> object:
    """Leave a field to the base."""
    return convex.mutation("styles:inherit", {"style": identifier, "field": field})


def resolved(convex: Convex, identifier: str) -> object:
    """Ask what applies to a style."""
    return convex.query("styles:resolved", {"style": identifier})


def variants(convex: Convex, base: str | None, **figures: object) -> object:
    """Ask for the styles of a base by their figures."""
    args: Any = {"base": base, **figures}
    return convex.query("styles:variants", args)


@pytest.mark.parametrize("settings", RIGHT.values(), ids=RIGHT)
def test_a_style_is_stored_as_it_was_given(convex: Convex, settings: Document) -> None:
    """What is given is stored, null as null; what is left out is not in the document."""
    base = style(convex)
    for fields in ({"name": "Quote", "base": base}, {"name": "", "base": None}):
        expected: Document = {**fields, **settings}
        identifier = convex.mutation("styles:create", expected)
        assert isinstance(identifier, str)
        assert own(convex, identifier) == expected


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(convex: Convex, wrong: Document) -> None:
    """Values outside the description are refused by the database and by both functions."""
    fields: Document = {"name": "Quote", "base": None, **wrong}
    identifier = style(convex, **FULL)
    before = convex.table("styles")
    with pytest.raises(FunctionFailed):
        convex.insert("styles", fields)
    with pytest.raises(FunctionFailed):
        convex.mutation("styles:create", fields)
    with pytest.raises(FunctionFailed):
        change(convex, identifier, **wrong)
    assert convex.table("styles") == before
    assert change(convex, identifier, **FULL) is True


@pytest.mark.parametrize("missing", ["name", "base"])
def test_name_and_base_are_always_there(convex: Convex, missing: str) -> None:
    """A style without a name, or without even a null for its base, is refused."""
    fields: Document = {"name": "Quote", "base": None, **FULL}
    convex.mutation("styles:create", fields)
    del fields[missing]
    with pytest.raises(FunctionFailed):
        convex.insert("styles", fields)
    with pytest.raises(FunctionFailed):
        convex.mutation("styles:create", fields)
    assert len(convex.table("styles")) == 1


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"name": "Lead"},
        {"tracking": 0.0},
        {"tracking": None},
        {"figures": None},
        {"figures": "lining", "caps": "all"},
    ],
    ids=["nothing", "name", "zero", "null_tracking", "null_figures", "two"],
)
def test_only_what_is_given_changes(convex: Convex, given: Document) -> None:
    """A change sets what is given, null too, and leaves everything else, absent or not."""
    base = style(convex)
    full, empty = style(convex, base, **FULL), style(convex)
    assert change(convex, full, **given) is True
    assert change(convex, empty, **given) is True
    assert own(convex, full) == {"name": "Body", "base": base, **FULL, **given}
    assert own(convex, empty) == {"name": "Body", "base": None, **given}
    assert own(convex, base) == {"name": "Body", "base": None}


@pytest.mark.parametrize("field", ["tracking", "figures", "caps"])
def test_an_inherited_field_is_left_out(convex: Convex, field: str) -> None:
    """A field that is inherited is no longer in the document, value or null, and others stay."""
    full = style(convex, **FULL)
    other = style(convex, tracking=None, figures=None)
    for identifier in (full, full, other):
        assert inherit(convex, identifier, field) is True
    rest = {"name": "Body", "base": None}
    assert own(convex, full) == rest | {k: value for k, value in FULL.items() if k != field}
    nulls = {"tracking": None, "figures": None}
    assert own(convex, other) == rest | {k: value for k, value in nulls.items() if k != field}
    for unknown in ("base", "leading"):
        with pytest.raises(FunctionFailed):
            inherit(convex, full, unknown)


def test_the_nearest_that_says_something_applies(convex: Convex) -> None:
    """A value or null of its own applies before its base's; what is left out is looked up."""
    root = style(convex, **FULL)
    off = style(convex, root, tracking=None, figures=None)
    zero = style(convex, root, tracking=0.0, figures="lining", caps="all")
    silent = style(convex, style(convex, off))
    assert resolved(convex, root) == FULL
    assert resolved(convex, off) == {"tracking": None, "figures": None, "caps": "small"}
    assert resolved(convex, silent) == {"tracking": None, "figures": None, "caps": "small"}
    values = {"tracking": 0, "figures": "lining", "caps": "all"}
    assert resolved(convex, zero) == resolved(convex, style(convex, zero)) == values
    back = style(convex, silent, figures="lining")
    assert resolved(convex, back) == {"tracking": None, "figures": "lining", "caps": "small"}


def test_where_nobody_says_anything_it_is_null(convex: Convex) -> None:
    """Silence up to the end is null, also where the next base is gone or far away."""
    silent = {"tracking": None, "figures": None, "caps": None}
    assert resolved(convex, style(convex)) == silent
    lost = style(convex, gone(convex, style(convex, **FULL)), tracking=4.0)
    assert resolved(convex, style(convex, lost)) == silent | {"tracking": 4}
    last = style(convex, **FULL)
    for _ in range(9):
        last = style(convex, last)
    assert resolved(convex, last) == FULL


def test_a_style_that_is_gone_is_told(convex: Convex) -> None:
    """What is gone is neither changed nor resolved."""
    identifier = gone(convex)
    kept = style(convex, **FULL)
    assert change(convex, identifier, tracking=1.0) is False
    assert inherit(convex, identifier, "caps") is False
    assert resolved(convex, identifier) is None
    assert own(convex, kept) == {"name": "Body", "base": None, **FULL}


def test_variants_are_told_by_their_state(convex: Convex) -> None:
    """Left out, null and each value find just their own, of just that base."""
    base, other = style(convex), style(convex, figures="lining")
    states: list[Document] = [{"figures": value} for value in ("oldstyle", None, "lining")]
    states.append({})
    stored = {str(state): [style(convex, base, **state)] for state in states}
    for state in reversed(states):
        style(convex, other, **state)
        stored[str(state)].append(style(convex, base, tracking=None, **state))
    for state in states:
        assert variants(convex, base, **state) == stored[str(state)]
    assert variants(convex, None) == [base]
    assert variants(convex, None, figures="lining") == [other]
    assert variants(convex, None, figures=None) == []


def test_other_styles_are_not_read(convex: Convex) -> None:
    """A state is found however many styles of that base are in other ones."""
    base = style(convex)
    few: dict[str, list[str]] = {"nothing": [style(convex, base)]}
    few["null"] = [style(convex, base, figures=None)]
    crowd: list[Any] = [{"name": "Body", "base": base, "figures": "lining"} for _ in range(MANY)]
    many = convex.insert_many("styles", crowd)
    few["null"].append(style(convex, base, figures=None))
    few["nothing"].append(style(convex, base))
    convex.limit(documents_read=AT_MOST)
    assert variants(convex, base) == few["nothing"]
    assert variants(convex, base, figures=None) == few["null"]
    assert variants(convex, base, figures="oldstyle") == []
    assert variants(convex, base, figures="lining") == many[:FOUND]
