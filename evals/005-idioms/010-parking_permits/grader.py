# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Visitors' parking permits: tests that pass on right code and find what is wrong at borders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from check_versions import list_versions, read_given

if TYPE_CHECKING:
    from runner.grader import Convex, Output, WrittenTests

MODULES = ("line", "notices", "permits", "reports", "zones")
INTERNAL = {"jobs:remind", "jobs:end", "jobs:lapse"}


def must_pass(written_tests: WrittenTests, version: str) -> None:
    """Demand that all tests pass on a version of the backend."""
    run = written_tests.run(list_versions())[version]
    assert run.outcome == "passed", run.reason


def must_fail(written_tests: WrittenTests, version: str) -> None:
    """Demand that a test fails on a version of the backend."""
    run = written_tests.run(list_versions())[version]
    assert run.outcome == "failed", run.reason


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


def test_right_code_passes(written_tests: WrittenTests) -> None:
    """All tests pass on the backend as it was given."""
    must_pass(written_tests, "as given")


def test_rewritten_code_passes(written_tests: WrittenTests) -> None:
    """All tests pass on a backend with other tables, indexes and internal functions."""
    must_pass(written_tests, "rewritten")


def test_renamed_code_passes(written_tests: WrittenTests) -> None:
    """All tests pass where tables and jobs have other names and lists another order."""
    must_pass(written_tests, "renamed")


def test_forgetful_code_passes(written_tests: WrittenTests) -> None:
    """All tests pass where a permit is deleted at its end."""
    must_pass(written_tests, "forgetful")


def test_people_of_two_issuers_are_told_apart(written_tests: WrittenTests) -> None:
    """A test fails where the same subject of another issuer is the same person."""
    must_fail(written_tests, "issuers are one")


def test_an_extension_priced_from_today_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where an extension is priced by the days from today on."""
    must_fail(written_tests, "extension priced from today")


def test_a_moved_plate_as_written_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where a permit is moved to a plate as it was written."""
    must_fail(written_tests, "moved plate as written")


def test_half_days_that_are_dropped_are_noticed(written_tests: WrittenTests) -> None:
    """A test fails where the fraction of a cent is dropped for each day."""
    must_fail(written_tests, "half days dropped")


def test_the_hour_of_an_extension_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where the hour of a full refund begins with an extension."""
    must_fail(written_tests, "hour of the extension")


def test_a_notice_for_the_old_end_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where an extended permit is announced for its old end."""
    must_fail(written_tests, "announced for the old end")


def test_a_price_by_all_days_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where an extension is cheaper because of the days bought before."""
    must_fail(written_tests, "cheaper by all days")


def test_an_offer_of_somebody_else_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where others in the line use an offer."""
    must_fail(written_tests, "offer of somebody else")


def test_staff_that_cancel_are_noticed(written_tests: WrittenTests) -> None:
    """A test fails where staff cancel the permit of a visitor."""
    must_fail(written_tests, "cancelled by staff")


def test_a_permit_valid_at_its_end_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where a plate is valid at the midnight of the end."""
    must_fail(written_tests, "valid at its end")


def test_ended_permits_that_count_are_noticed(written_tests: WrittenTests) -> None:
    """A test fails where ended permits count among the two of a person."""
    must_fail(written_tests, "ended permits count")


def test_a_day_that_begins_late_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where a day is paid back at the midnight with which it begins."""
    must_fail(written_tests, "day begins after midnight")


def test_takings_of_the_first_day_are_noticed(written_tests: WrittenTests) -> None:
    """A test fails where what is paid back is taken off the day of the purchase."""
    must_fail(written_tests, "paid back on the first day")


def test_an_offer_that_stays_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where an offer that was given up is not passed on."""
    must_fail(written_tests, "given up and kept")


def test_an_offer_without_a_place_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where a cancelled permit is offered though too many places are taken."""
    must_fail(written_tests, "offered without a place")


def test_an_extension_at_the_old_fee_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where an extension costs the fee of the purchase."""
    must_fail(written_tests, "extended at the old fee")
