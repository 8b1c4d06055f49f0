# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""An archery club's tests: they pass on right code, however written, and find what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from check_versions import LANES, SCHEMA, VERSIONS

if TYPE_CHECKING:
    from runner.grader import Convex, Output, WrittenTests

PUBLIC = {"lanes:take", "lanes:shoot", "lanes:sheet", "lanes:leave"}
INTERNAL = "lanes:expire"


def code(text: str) -> str:
    """Leave out what is no code: comments on lines of their own, and blanks."""
    lines = [line for line in text.splitlines() if not line.strip().startswith("//")]
    return "".join("".join(lines).split())


def must_pass(written_tests: WrittenTests, version: str) -> None:
    """Demand that all tests pass on a version of the code."""
    run = written_tests.run(VERSIONS)[version]
    assert run.outcome == "passed", run.reason


def must_fail(written_tests: WrittenTests, version: str) -> None:
    """Demand that a test fails on a version of the code."""
    run = written_tests.run(VERSIONS)[version]
    assert run.outcome == "failed", run.reason


def test_the_backend_is_kept(convex: Convex, output: Output) -> None:
    """The two modules stay as they were given, and no functions are deployed beside theirs."""
    assert code(output.text("convex/schema.ts")) == code(SCHEMA)
    assert code(output.text("convex/lanes.ts")) == code(LANES)
    assert set(convex.functions) == {*PUBLIC, INTERNAL}


def test_right_code_passes(written_tests: WrittenTests) -> None:
    """All tests pass on the code as it was given."""
    must_pass(written_tests, "as given")


def test_right_code_written_otherwise_passes(written_tests: WrittenTests) -> None:
    """All tests pass on code that keeps the rules with other indexes and internal functions."""
    must_pass(written_tests, "written otherwise")


def test_a_refused_ten_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where ten points are refused."""
    must_fail(written_tests, "ten is refused")


def test_a_missing_owner_check_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where anybody can give up somebody else's lane."""
    must_fail(written_tests, "left by anybody")


def test_a_wrong_order_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where the last arrow is read first."""
    must_fail(written_tests, "newest first")


def test_arrows_left_behind_are_noticed(written_tests: WrittenTests) -> None:
    """A test fails where the arrows of a hold outlive it."""
    must_fail(written_tests, "arrows stay")


def test_a_hold_that_never_expires_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where nothing is scheduled."""
    must_fail(written_tests, "never expires")


def test_a_hold_that_expires_early_is_noticed(written_tests: WrittenTests) -> None:
    """A test fails where a hold lasts for seconds instead of minutes."""
    must_fail(written_tests, "expires at once")
