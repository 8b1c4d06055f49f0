"""Suites in TypeScript: references pass, and empty, stub and wrong answers fail."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from records.shapes.attempt import Outcome
from runner.evals.discovery import Eval, discover
from runner.models import baselines
from tests.support.tiers import leave_to_night
from tests.support.warm_command import run_command

if TYPE_CHECKING:
    from runner.grading.grade import GradingService

pytestmark = pytest.mark.integration

SUITES = Path(__file__).parents[1]
SUITE = SUITES / "typescript_suite"
SUITE_WITH_KIT = SUITES / "typescript_suite_with_kit"
FEWEST_EVALS = 40
SMALL_PART = (
    (SUITE, "003-functions/007-http_streams"),
    (SUITE_WITH_KIT, "000-own_kit/000-counters"),
)
"""Evals of which the answers are graded at each change; the night grades those of all evals."""


class Mistake(NamedTuple):
    """A wrong answer: a text of a module in ``convex/`` of the reference, and its replacement."""

    evaluation: str
    module: str
    text: str
    replacement: str


def _select(suite: Path, name: str) -> Eval:
    return discover(suite).select(f"^{name}$", ())[0]


@pytest.mark.parametrize(("suite", "name"), SMALL_PART, ids=[name for _, name in SMALL_PART])
def test_references_pass_and_baselines_fail(
    grading: "GradingService", suite: Path, name: str
) -> None:
    """A reference passes; an empty answer and the stub fail."""
    evaluation = _select(suite, name)

    passed = grading.grade(evaluation, evaluation.read_answer())
    failed = [
        grading.grade(evaluation, baselines.make_answer(f"baseline/{baseline}", evaluation)).outcome
        for baseline in ("empty", "stub")
    ]

    assert passed.outcome is Outcome.PASSED, passed.reason
    assert failed == [Outcome.FAILED, Outcome.FAILED]


@pytest.mark.night
@pytest.mark.parametrize("suite", [SUITE, SUITE_WITH_KIT], ids=["our kit", "own kit"])
def test_whole_suites_are_proven(suite: Path) -> None:
    """Every reference of a suite passes, and every empty or stub answer fails."""
    checked = run_command("suite", "check", "--once", "--evals", str(suite))

    assert checked.returncode == 0, checked.stdout[-2000:]


def test_the_suite_is_large() -> None:
    """The suite has as many evals as it must show."""
    assert len(discover(SUITE).select(None, ())) >= FEWEST_EVALS


MISTAKES = {
    "compareSchema": (
        Mistake(
            "001-kit/000-compare_schema", "schema", "v.array(v.string())", "v.array(v.number())"
        ),
        {"the schema is the reference's"},
    ),
    "compareFunctionSpec, returns": (
        Mistake(
            "001-kit/001-compare_functions", "index", "returns: v.number()", "returns: v.any()"
        ),
        {"all functions are the reference's"},
    ),
    "compareFunctionSpec, internal": (
        Mistake("001-kit/001-compare_functions", "index", "const clear", "const clean"),
        {"all functions are the reference's"},
    ),
    "compareFunctionSpec, public": (
        Mistake("001-kit/002-compare_public", "index", "helper = internalQuery", "helper = query"),
        {"public functions are the reference's"},
    ),
    "getSchema, findTable": (
        Mistake("001-kit/003-read_schema", "schema", "rooms:", "halls:"),
        {"the tables are there"},
    ),
    "hasIndexForFields": (
        Mistake("001-kit/003-read_schema", "schema", '["room", "at"]', '["room"]'),
        {"the index has exactly both fields"},
    ),
    "hasIndexForPrefix": (
        Mistake("001-kit/003-read_schema", "schema", '["room", "at"]', '["at", "room"]'),
        {"the index has exactly both fields", "the index begins with the room"},
    ),
    "hasIndexOn": (
        Mistake("001-kit/004-indexes", "schema", '["level"]', '["level", "at"]'),
        {"the index on level has no other field"},
    ),
    "hasIndexWithPrefix": (
        Mistake("001-kit/004-indexes", "schema", ", staged: true", ""),
        {"the index on at is staged"},
    ),
    "addDocuments": (
        Mistake("001-kit/005-documents", "schema", "v.number()", "v.any()"),
        {"documents of another shape are refused"},
    ),
    "deleteAllDocuments": (
        Mistake("001-kit/005-documents", "index", "total + value", "total - value"),
        {"documents are added, listed, counted and deleted"},
    ),
    "listTable": (
        Mistake("003-functions/007-http_streams", "http", '"two"]', '"two", ""]'),
        {"parts come in a stream and are stored"},
    ),
    "withIdentity": (
        Mistake(
            "001-kit/006-identity",
            "index",
            "call = action({ args: {}, handler: describe",
            "call = action({ args: {}, handler: async () => null",
        ),
        {"each kind of function sees the user"},
    ),
    "containsCollectCall": (
        Mistake(
            "001-kit/007-sources",
            "index",
            ".take(10)",
            ".collect().then((rows) => rows.slice(0, 10)) /* take(10) */",
        ),
        {"the source takes rows and collects none"},
    ),
    "readOutputFile": (
        Mistake("001-kit/007-sources", "index", "take(10)", "take(9)"),
        {"the source takes rows and collects none"},
    ),
    "pollUntil": (
        Mistake("001-kit/008-polling", "index", "runAfter(50,", "runAfter(3_600_000,"),
        {"the job is done soon, and not at once"},
    ),
    "startHttpFixture": (
        Mistake("001-kit/009-http_fixture", "index", "fetch(url)", 'fetch(url.split("?")[0]!)'),
        {"another path shows the request"},
    ),
    "siteUrl": (
        Mistake("001-kit/010-addresses", "http", '"pong"', '"ping"'),
        {"an HTTP action answers"},
    ),
    "cloudUrl, adminKey": (
        Mistake("001-kit/010-addresses", "index", "internalQuery", "query"),
        {"an internal function answers the admin key alone"},
    ),
}
"""Wrong answers, by the functions of the kit that find them, with the tests that fail."""


@pytest.mark.more
@pytest.mark.parametrize(
    ("mistake", "rows"),
    leave_to_night(
        MISTAKES,
        but=(
            "compareSchema",
            "compareFunctionSpec, public",
            "hasIndexOn",
            "deleteAllDocuments",
            "startHttpFixture",
        ),
    ),
)
def test_each_function_of_the_kit_fails_a_wrong_answer(
    grading: "GradingService", mistake: Mistake, rows: set[str]
) -> None:
    """A wrong answer fails exactly the tests that ask the kit about its mistake."""
    evaluation = _select(SUITE, mistake.evaluation)
    files = dict(evaluation.read_answer())
    module = f"convex/{mistake.module}.ts"
    assert mistake.text in files[module]
    files[module] = files[module].replace(mistake.text, mistake.replacement)

    verdict = grading.grade(evaluation, files)

    failed = {test.title for test in verdict.tests or () if test.outcome is Outcome.FAILED}
    assert (verdict.outcome, failed) == (Outcome.FAILED, rows), verdict.reason
