# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Surtitles of an opera: translated by an office, and shown whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Title = dict[str, Any]

OFFICE = "https://titles.example"
KINDS = {
    "enter": ("mutation", "public"),
    "request": ("mutation", "public"),
    "show": ("query", "public"),
    "script": ("query", "internal"),
    "store": ("mutation", "internal"),
    "translate": ("action", "internal"),
}


def titles(texts: dict[int, str]) -> list[Title]:
    """Make titles of texts by their numbers."""
    return [{"number": float(number), "text": text} for number, text in texts.items()]


OLD = titles({1: "alt eins", 2: "alt zwei", 3: "alt drei"})


def enter(convex: Convex, opera: str, *numbers: int) -> None:
    """Enter lines of an opera."""
    for number in numbers:
        line = {"opera": opera, "number": float(number), "text": f"{opera} {number}"}
        assert convex.mutation("surtitles:enter", line) is None


def office(convex: Convex, opera: str, language: str, texts: list[Title]) -> None:
    """Let the office know translations, and answer 404 for all others."""
    convex.stub_fetch(f"{OFFICE}/*", status=404, json={"text": "no such line"})
    for title in texts:
        address = f"{OFFICE}/{opera}/{language}/{title['number']:g}"
        convex.stub_fetch(address, method="GET", json={"text": title["text"]})


def store(convex: Convex, opera: str, language: str, texts: list[Title]) -> object:
    """Store titles as the backend does."""
    args = {"opera": opera, "language": language, "titles": texts}
    return convex.admin.mutation("surtitles:store", cast("dict[str, Any]", args))


def translate(convex: Convex, opera: str, language: str) -> object:
    """Have an opera translated, and wait for it."""
    return convex.admin.action("surtitles:translate", {"opera": opera, "language": language})


def show(convex: Convex, opera: str, language: str) -> object:
    """Ask for surtitles as the public does."""
    return convex.query("surtitles:show", {"opera": opera, "language": language})


def test_a_requested_translation_is_shown(convex: Convex) -> None:
    """Soon after a request each line was asked for once, and all surtitles are shown in order."""
    enter(convex, "tosca", 10, 2, 9)
    enter(convex, "aida", 2)
    german = titles({2: "Zu Hilfe!", 9: "Wer da?", 10: "Ich bin es."})
    office(convex, "tosca", "de", german)
    assert convex.mutation("surtitles:request", {"opera": "tosca", "language": "de"}) is None
    convex.settle()
    assert show(convex, "tosca", "de") == german
    asked = sorted(fetch.url for fetch in convex.fetches())
    assert asked == sorted(f"{OFFICE}/tosca/de/{number}" for number in (2, 9, 10))
    assert [(run.path, run.state) for run in convex.scheduled()] == [
        ("surtitles:translate", "success")
    ]
    assert (show(convex, "tosca", "fr"), show(convex, "aida", "de")) == ([], [])


def test_a_request_does_not_fail_with_the_translation(convex: Convex) -> None:
    """A request for which there are no lines is taken, and the translation fails on its own."""
    assert convex.mutation("surtitles:request", {"opera": "tosca", "language": "de"}) is None
    convex.settle()
    assert [run.state for run in convex.scheduled()] == ["failed"]


def test_the_script_has_the_lines_of_one_opera(convex: Convex) -> None:
    """Lines come in the order of their numbers, and one that is entered again has its new text."""
    enter(convex, "tosca", 3, 20, 1)
    enter(convex, "aida", 1, 2)
    again = {"opera": "tosca", "number": 20.0, "text": "Vissi d'arte"}
    assert convex.mutation("surtitles:enter", again) is None
    script = convex.admin.query("surtitles:script", {"opera": "tosca"})
    assert script == titles({1: "tosca 1", 3: "tosca 3", 20: "Vissi d'arte"})
    assert len(convex.table("lines")) == 5


def test_stored_titles_take_the_place_of_the_old_ones(convex: Convex) -> None:
    """Afterwards there are those titles and no others; other operas and languages stay."""
    for opera, language in (("tosca", "de"), ("tosca", "fr"), ("aida", "de")):
        assert store(convex, opera, language, OLD) == 3
    new = titles({7: "neu sieben", 2: "neu zwei"})
    assert store(convex, "tosca", "de", new) == 2
    assert show(convex, "tosca", "de") == new[::-1]
    assert (show(convex, "tosca", "fr"), show(convex, "aida", "de")) == (OLD, OLD)
    assert store(convex, "tosca", "de", []) == 0
    assert (show(convex, "tosca", "de"), len(convex.table("surtitles"))) == ([], 6)


def test_a_translation_replaces_the_old_one(convex: Convex) -> None:
    """A translation tells how many titles it has; those of lines that are gone are gone too."""
    store(convex, "tosca", "de", OLD)
    enter(convex, "tosca", 2, 4)
    new = titles({2: "neu zwei", 4: "x" * 80})
    office(convex, "tosca", "de", new)
    assert translate(convex, "tosca", "de") == 2
    assert show(convex, "tosca", "de") == new


def test_a_title_that_is_too_long_leaves_the_old_translation(convex: Convex) -> None:
    """Whether stored or translated, it is refused with its number, and nothing is changed."""
    store(convex, "tosca", "de", OLD)
    enter(convex, "tosca", 1, 2, 3, 4)
    texts = titles({1: "neu", 2: "neu", 3: "x" * 81, 4: "x" * 82})
    office(convex, "tosca", "de", texts)
    with pytest.raises(FunctionFailed) as stored:
        store(convex, "tosca", "de", texts[::-1])
    with pytest.raises(FunctionFailed) as translated:
        translate(convex, "tosca", "de")
    assert stored.value.data == {"code": "too_long", "number": 4}
    assert translated.value.data == {"code": "too_long", "number": 3}
    assert show(convex, "tosca", "de") == OLD


def test_a_failing_office_leaves_the_old_translation(convex: Convex) -> None:
    """If a single line is not answered, the whole translation is refused."""
    store(convex, "tosca", "de", OLD)
    enter(convex, "tosca", 1, 2, 3)
    office(convex, "tosca", "de", titles({1: "neu", 2: "neu"}))
    with pytest.raises(FunctionFailed) as failed:
        translate(convex, "tosca", "de")
    assert failed.value.data == {"code": "office_failed"}
    assert show(convex, "tosca", "de") == OLD


def test_an_opera_without_lines_is_not_translated(convex: Convex) -> None:
    """It is refused, the office is not asked, and old surtitles stay."""
    store(convex, "tosca", "de", OLD)
    enter(convex, "aida", 1)
    office(convex, "tosca", "de", OLD)
    with pytest.raises(FunctionFailed) as failed:
        translate(convex, "tosca", "de")
    assert failed.value.data == {"code": "no_lines"}
    assert (convex.fetches(), show(convex, "tosca", "de")) == ([], OLD)


def test_functions_are_of_their_kinds_and_half_of_them_public(convex: Convex) -> None:
    """Each function is of the kind that the task says, and nothing more is public."""
    kinds = {path: (each.kind, each.visibility) for path, each in convex.functions.items()}
    for name, expected in KINDS.items():
        assert kinds.get(f"surtitles:{name}") == expected, name
    public = {path for path, (_, visibility) in kinds.items() if visibility == "public"}
    assert public == {"surtitles:enter", "surtitles:request", "surtitles:show"}


@pytest.mark.parametrize("name", KINDS)
def test_other_arguments_are_refused(convex: Convex, name: str) -> None:
    """An argument of another type, a missing one and one too many are refused."""
    good: dict[str, Any] = {
        "enter": {"opera": "tosca", "number": 1.0, "text": "Chi è là?"},
        "script": {"opera": "tosca"},
        "store": {"opera": "tosca", "language": "de", "titles": OLD},
    }.get(name, {"opera": "tosca", "language": "de"})
    office(convex, "tosca", "de", OLD)
    enter(convex, "tosca", 1, 2, 3)
    admin = convex.admin
    calls = {"query": admin.query, "mutation": admin.mutation, "action": admin.action}
    call, path = calls[KINDS[name][0]], f"surtitles:{name}"
    call(path, good)
    wrong = [good | {"opera": 1.0}, {**good, "act": 2.0}, {}]
    if name == "store":
        wrong += [good | {"titles": [{"number": 1.0}]}, good | {"titles": {}}]
    for args in wrong:
        with pytest.raises(FunctionFailed):
            call(path, args)


def test_other_operas_are_not_read(convex: Convex) -> None:
    """What a call costs does not grow with the lines and surtitles of other operas."""
    lines = [{"opera": "aida", "number": float(number), "text": "Ritorna"} for number in range(200)]
    convex.insert_many("lines", lines)
    convex.insert_many("surtitles", [line | {"language": "de"} for line in lines])
    convex.limit(documents_read=50)
    enter(convex, "tosca", 1, 2, 2)
    assert convex.admin.query("surtitles:script", {"opera": "tosca"}) == titles(
        {1: "tosca 1", 2: "tosca 2"}
    )
    assert store(convex, "tosca", "de", OLD) == 3
    assert show(convex, "tosca", "de") == OLD


def test_no_reply_is_a_failure_of_the_office(convex: Convex) -> None:
    """An office that does not answer at all has failed, and the old translation stays."""
    enter(convex, "tosca", 1, 2)
    store(convex, "tosca", "de", OLD)
    office(convex, "tosca", "de", titles({1: "neu eins"}))
    convex.stub_fetch(f"{OFFICE}/tosca/de/2", method="GET", fail=True)
    with pytest.raises(FunctionFailed) as refusal:
        translate(convex, "tosca", "de")
    assert refusal.value.data == {"code": "office_failed"}
    assert show(convex, "tosca", "de") == OLD
