# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""An agency's configuration: typed, with defaults, and refused by name when it is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runner.grader import Convex

NAME = "Babel & Co."
JOB: dict[str, Any] = {"words": 250, "language": "de", "rush": False}
WRONG = {
    "CENTS_PER_WORD": ["14 cents", "0", "1001", "1.5", "-3", "1e2", "0x10", "NaN"],
    "RUSH_ALLOWED": ["TRUE", "yes", "1", "0"],
    "LANGUAGES": ["de,,fr", "de fr", "de,", "DE", "deu", ",", "d"],
}


def configure(convex: Convex, variables: Mapping[str, str]) -> None:
    """Set variables."""
    for name, value in variables.items():
        convex.set_env(name, value)


def settings(convex: Convex) -> dict[str, Any]:
    """Ask for the settings."""
    found = convex.query("quotes:settings")
    assert isinstance(found, dict)
    return cast("dict[str, Any]", found)


def refused(convex: Convex, job: Mapping[str, Any] = JOB) -> object:
    """Demand that a job is refused, and tell the error's data."""
    with pytest.raises(FunctionFailed) as failed:
        convex.query("quotes:quote", job)
    return failed.value.data


def refusals(convex: Convex) -> list[object]:
    """Demand that all three functions fail, and tell the data of their errors."""
    found = [refused(convex)]
    for call, path in ((convex.query, "quotes:settings"), (convex.action, "quotes:letterhead")):
        with pytest.raises(FunctionFailed) as failed:
            call(path)
        found.append(failed.value.data)
    return found


def test_defaults(convex: Convex) -> None:
    """Only the name has to be set; two queries and an action know the rest."""
    convex.set_env("AGENCY_NAME", NAME)
    assert settings(convex) == {
        "agency": NAME,
        "centsPerWord": 12,
        "rushAllowed": False,
        "languages": ["de", "fr"],
    }
    assert convex.query("quotes:quote", JOB) == JOB["words"] * 12
    assert convex.action("quotes:letterhead") == "Babel & Co. (de/fr)"
    functions = convex.functions.items()
    found = {(path, each.kind) for path, each in functions if each.visibility == "public"}
    queries = {("quotes:settings", "query"), ("quotes:quote", "query")}
    assert found == queries | {("quotes:letterhead", "action")}


def test_a_missing_name_is_told_by_all_functions(convex: Convex) -> None:
    """Without a name, or with a blank one, each call fails with an error that says so."""
    missing = {"code": "missing_variable", "name": "AGENCY_NAME"}
    assert refusals(convex) == [missing] * 3
    configure(convex, {"AGENCY_NAME": " \t", "CENTS_PER_WORD": "none"})
    assert refusals(convex) == [missing] * 3
    assert refused(convex, JOB | {"language": "xx"}) == missing


def test_values_are_typed_and_trimmed(convex: Convex) -> None:
    """Numbers, truth values and lists come of texts with white space around them."""
    variables = {"AGENCY_NAME": " A  B\n", "CENTS_PER_WORD": " 1000 ", "RUSH_ALLOWED": "true\n"}
    configure(convex, variables | {"LANGUAGES": " it , de,sv "})
    assert settings(convex) == {
        "agency": "A  B",
        "centsPerWord": 1000,
        "rushAllowed": True,
        "languages": ["it", "de", "sv"],
    }
    assert convex.action("quotes:letterhead") == "A  B (it/de/sv)"
    configure(convex, {"CENTS_PER_WORD": "1", "RUSH_ALLOWED": " false ", "LANGUAGES": "la"})
    found = settings(convex)
    assert (found["centsPerWord"], found["rushAllowed"]) == (1, False)
    assert found["languages"] == ["la"]


def test_a_change_counts_from_the_next_call_on(convex: Convex) -> None:
    """Nothing is kept of what a variable was before."""
    convex.set_env("AGENCY_NAME", NAME)
    for cents in (7, 20):
        convex.set_env("CENTS_PER_WORD", str(cents))
        assert convex.query("quotes:quote", JOB) == JOB["words"] * cents
        assert settings(convex)["centsPerWord"] == cents
    convex.set_env("AGENCY_NAME", "Rosetta")
    assert convex.action("quotes:letterhead") == "Rosetta (de/fr)"


def test_blank_is_not_set(convex: Convex) -> None:
    """Variables that are empty, or nothing but white space, have their defaults."""
    blank = {"CENTS_PER_WORD": "", "RUSH_ALLOWED": " ", "LANGUAGES": "\n "}
    configure(convex, blank | {"AGENCY_NAME": NAME})
    found = settings(convex)
    values = (found["centsPerWord"], found["rushAllowed"], found["languages"])
    assert values == (12, False, ["de", "fr"])


def test_a_wrong_variable_is_refused_by_its_name(convex: Convex) -> None:
    """What is not described is not guessed, whichever function is called."""
    convex.set_env("AGENCY_NAME", NAME)
    for name, texts in WRONG.items():
        bad = {"code": "bad_variable", "name": name}
        for text in texts:
            convex.set_env(name, text)
            assert refused(convex) == bad
        assert refusals(convex) == [bad] * 3
        convex.set_env(name, "")


def test_the_first_wrong_variable_is_told(convex: Convex) -> None:
    """Of several, it is the first in the order of the description, and before the job's faults."""
    right = {"CENTS_PER_WORD": "9", "RUSH_ALLOWED": "true", "LANGUAGES": "fr"}
    configure(convex, dict.fromkeys(right, "?") | {"AGENCY_NAME": NAME})
    for name, text in right.items():
        bad = {"code": "bad_variable", "name": name}
        assert refused(convex, JOB | {"language": "xx", "rush": True}) == bad
        convex.set_env(name, text)
    assert convex.query("quotes:quote", {"words": 3, "language": "fr", "rush": False}) == 27


def test_languages_and_rushes_that_are_not_offered(convex: Convex) -> None:
    """Such jobs are refused, the language first; a rush that is allowed costs twice as much."""
    configure(convex, {"AGENCY_NAME": NAME, "LANGUAGES": "de,it", "CENTS_PER_WORD": "10"})
    rush = JOB | {"rush": True}
    for language in ("fr", "d", "de,it", ""):
        unknown = {"code": "language_not_offered", "language": language}
        assert refused(convex, rush | {"language": language}) == unknown
    assert refused(convex, rush) == {"code": "no_rush"}
    convex.set_env("RUSH_ALLOWED", "true")
    prices = [convex.query("quotes:quote", job) for job in (JOB, rush)]
    assert prices == [2500, 5000]


def test_arguments_are_as_described(convex: Convex) -> None:
    """An argument of another kind is refused, and so is one that is not named."""
    configure(convex, {"AGENCY_NAME": NAME, "RUSH_ALLOWED": "true"})
    wrong: list[dict[str, Any]] = [
        {"words": "250"},
        {"rush": "no"},
        {"language": 1.0},
        {"rate": 1.0},
    ]
    for changes in wrong:
        refused(convex, JOB | changes)
    with pytest.raises(FunctionFailed):
        convex.query("quotes:settings", {"rate": 1.0})
    with pytest.raises(FunctionFailed):
        convex.action("quotes:letterhead", {"rate": 1.0})
