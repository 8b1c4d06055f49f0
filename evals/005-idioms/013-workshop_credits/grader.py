# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Workshop credits: tests that pass on right code and find what is wrong where rules meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from check_versions import list_versions, read_given

if TYPE_CHECKING:
    from runner.grader import Convex, Output, WrittenTests

MODULES = ("holds", "lots", "notices", "people", "reports", "statement", "transfers")
INTERNAL = {"jobs:end", "jobs:lapse", "jobs:remind"}


def must_pass(written_tests: WrittenTests, version: str) -> None:
    """Demand that all tests pass on a version of the backend."""
    run = written_tests.run(list_versions())[version]
    assert run.outcome == "passed", run.reason


def must_fail(written_tests: WrittenTests, *versions: str) -> None:
    """Demand that a test fails on each of these versions of the backend."""
    runs = written_tests.run(list_versions())
    for version in versions:
        assert runs[version].outcome == "failed", f"{version}: {runs[version].reason}"


def strip_blanks(text: str) -> str:
    """Leave out blanks and comments on lines of their own."""
    lines = [line for line in text.splitlines() if not line.strip().startswith("//")]
    return "".join("".join(lines).split())


def test_the_backend_is_kept(convex: Convex, output: Output) -> None:
    """The given files stay as they were, and no functions are deployed beside theirs."""
    for path, text in read_given().items():
        assert strip_blanks(output.text(path)) == strip_blanks(text), path
    beside = {path for path in convex.functions if path.split(":")[0] not in MODULES}
    assert beside == INTERNAL


def test_right_code_as_given(written_tests: WrittenTests) -> None:
    """All tests pass on the backend as it was given."""
    must_pass(written_tests, "as given")


def test_right_code_renamed(written_tests: WrittenTests) -> None:
    """All tests pass on a backend with other tables, jobs and orders."""
    must_pass(written_tests, "renamed")


def test_right_code_forgetful(written_tests: WrittenTests) -> None:
    """All tests pass on a backend that deletes lots with their ends."""
    must_pass(written_tests, "forgetful")


def test_right_code_rewritten(written_tests: WrittenTests) -> None:
    """All tests pass on a backend that stores a document for each account and schedules nothing."""
    must_pass(written_tests, "rewritten")


def test_right_code_varied(written_tests: WrittenTests) -> None:
    """All tests pass on another backend of this kind with other cursors."""
    must_pass(written_tests, "varied")


def test_the_order_of_use(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with the order in which credits are spent."""
    must_fail(
        written_tests,
        "later grants first",
        "the last is spent",
    )


def test_refused_holds(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with what a refused hold tells and changes."""
    must_fail(
        written_tests,
        "missing without holds",
        "low without a hold",
    )


def test_the_number_of_holds(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with which holds are open, and what a capture ends."""
    must_fail(
        written_tests,
        "captured holds are open",
        "lapses after the capture",
    )


def test_ends_of_held_lots(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with what is on hold when its lot ends."""
    must_fail(
        written_tests,
        "usable at the end",
        "held credits expire",
        "vanishes in an ended lot",
        "back to another lot",
        "owed under the end",
    )


def test_withdrawn_lots(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with what is on hold when its lot is withdrawn."""
    must_fail(
        written_tests,
        "usable in a withdrawn lot",
        "held credits are withdrawn",
    )


def test_refunds_in_steps(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with refunds in several steps."""
    must_fail(
        written_tests,
        "the first is refunded",
        "a refund begins anew",
    )


def test_refunds_to_lots_that_are_gone(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with refunds to lots that have ended or were withdrawn."""
    must_fail(
        written_tests,
        "refunded to a withdrawn lot",
        "a new lot for all",
    )


def test_the_time_of_refunds(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with from when on the days of a refund count."""
    must_fail(
        written_tests,
        "14 days from the hold",
    )


def test_transfers(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with whom a transfer reaches, and what a second call of it does."""
    must_fail(
        written_tests,
        "to oneself in other capitals",
        "checked before the key",
    )


def test_days_of_transfers(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with how much may be sent on a day, and with which ends."""
    must_fail(
        written_tests,
        "a day of 24 hours",
        "one end for all",
    )


def test_moments_of_entries(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with the moments and months of entries."""
    must_fail(
        written_tests,
        "spent with the hold",
        "expired with its lot",
        "expired in the month before",
    )


def test_the_statement(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with the pages and balances of the statement."""
    must_fail(
        written_tests,
        "pages by moments",
        "a balance without holds",
    )


def test_notices_of_ends(written_tests: WrittenTests) -> None:
    """Tests find what is wrong with what is said before an end."""
    must_fail(
        written_tests,
        "a notice for each lot",
        "held credits are announced",
        "announced too late",
    )
