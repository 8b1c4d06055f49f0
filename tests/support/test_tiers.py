"""The choice of tiers, and the guard of unit tests."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from tests.support.tiers import UnitGuard

pytestmark = pytest.mark.integration

MODULE = """
    import subprocess

    import pytest

    pytestmark = pytest.mark.unit

    def test_of_the_module():
        pass

    @pytest.mark.integration
    def test_with_a_process():
        subprocess.run(["true"])

    @pytest.mark.more
    def test_of_more():
        pass

    @pytest.mark.night
    def test_of_the_night():
        pass
"""

GUARDED = """
    import subprocess

    import pytest

    pytestmark = pytest.mark.unit

    @pytest.fixture
    def process():
        subprocess.run(["true"])

    def test_with_a_fixture(process):
        pass

    def test_by_itself():
        subprocess.run(["true"])
"""


@pytest.fixture(scope="module")
def guard() -> UnitGuard:
    """A guard whose audit hook is installed; Python never removes a hook."""
    guard = UnitGuard()
    sys.addaudithook(guard.audit)
    return guard


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of tests with this project's plugin."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest('pytest_plugins = ["tests.support.tiers"]')
    pytester.makepyfile(test_mixed=MODULE)
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the tests of a folder in a process of its own, without the plugins of other packages."""
    return suite.runpytest_subprocess(*arguments)


def test_each_change_runs_unit_and_integration_tests(suite: pytest.Pytester) -> None:
    """Without an option later tiers are left out, by the marker that is closest to a test."""
    run(suite).assert_outcomes(passed=2, deselected=2)
    run(suite, "--tier", "unit").assert_outcomes(passed=1, deselected=3)
    run(suite, "--tier", "more").assert_outcomes(passed=1, deselected=3)
    run(suite, "--tier", "unit,integration,more,night").assert_outcomes(passed=4)


def test_the_marker_of_a_parameter_is_closer_than_that_of_its_function(
    suite: pytest.Pytester,
) -> None:
    """A few examples are for each change, and many of the same test for the night."""
    suite.makepyfile(
        test_mixed="import pytest\n"
        "pytestmark = pytest.mark.unit\n"
        "@pytest.mark.integration\n"
        "@pytest.mark.parametrize('count', [1, pytest.param(9, marks=pytest.mark.night)])\n"
        "def test_many(count): pass"
    )
    run(suite).assert_outcomes(passed=1, deselected=1)
    run(suite, "--tier", "night").assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize("tier", ["more", "night"])
def test_cases_that_are_left_to_a_later_tier_run_then(suite: pytest.Pytester, tier: str) -> None:
    """A module whose only tests of the tier are such cases is not left out in it."""
    suite.makepyfile(
        test_mixed="import pytest\n"
        f"from tests.support.tiers import leave_to_{tier}\n"
        "pytestmark = pytest.mark.unit\n"
        "CASES = {'few': (1, 2), 'more': (3, 4), 'most': (5, 6)}\n"
        f"@pytest.mark.parametrize(('first', 'second'), leave_to_{tier}(CASES, but=['few']))\n"
        "def test_pair(first, second): assert first < second"
    )
    run(suite).assert_outcomes(passed=1, deselected=2)
    run(suite, "--tier", tier).assert_outcomes(passed=2, deselected=1)


def test_parameters_may_be_marked_in_another_module(suite: pytest.Pytester) -> None:
    """A module of integration tests is imported for each later tier."""
    suite.makepyfile(
        looks="import pytest\nLOOKS = [1, pytest.param(2, marks=pytest.mark.more)]",
        test_mixed="import pytest\n"
        "from looks import LOOKS\n"
        "pytestmark = pytest.mark.integration\n"
        "@pytest.mark.parametrize('look', LOOKS)\n"
        "def test_look(look): assert look == 2",
    )
    run(suite, "--tier", "more").assert_outcomes(passed=1, deselected=1)


def test_a_test_that_is_named_runs_whatever_its_tier(suite: pytest.Pytester) -> None:
    """A contributor who names a night test wants to run it."""
    run(suite, "test_mixed.py::test_of_the_night").assert_outcomes(passed=1)


def test_modules_of_other_tiers_are_not_imported(suite: pytest.Pytester) -> None:
    """The fast target does not pay for imports of modules that it does not run."""
    suite.makepyfile(
        test_broken="import pytest\npytestmark = pytest.mark.night\nimport no_such_module"
    )
    run(suite, "--tier", "unit").assert_outcomes(passed=1, deselected=3)
    run(suite, "--tier", "night").assert_outcomes(errors=1)


def test_modules_of_unit_tests_come_last_and_no_module_is_divided(suite: pytest.Pytester) -> None:
    """A module with a single integration test stands among the first, with its unit tests."""
    suite.makepyfile(
        test_a="import pytest\npytestmark = pytest.mark.unit\ndef test_short(): pass",
        test_z="import pytest\npytestmark = pytest.mark.integration\ndef test_long(): pass",
    )
    result = run(suite, "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == [
        "test_mixed.py::test_of_the_module",
        "test_mixed.py::test_with_a_process",
        "test_z.py::test_long",
        "test_a.py::test_short",
    ]


def connect() -> None:
    """Connect to a port without a server."""
    with socket.socket() as client:
        client.connect(("127.0.0.1", 9))


@pytest.mark.parametrize(
    "action",
    [
        partial(subprocess.run, ["true"], check=True),
        os.fork,
        partial(os.posix_spawn, "/bin/true", ["true"], {}),
        connect,
    ],
    ids=["subprocess", "fork", "spawn", "connect"],
)
def test_a_unit_test_starts_no_process_and_connects_to_nothing(
    guard: UnitGuard, action: Callable[[], object]
) -> None:
    """The guard refuses the call, and fails the test also where code catches every exception."""
    with pytest.raises(pytest.fail.Exception, match="must not cause"), guard.arm():
        action()
    caught = pytest.raises(pytest.fail.Exception, match="a unit test caused")
    with caught, guard.arm(), suppress(BaseException):
        action()


def test_the_guard_covers_tests_and_their_fixtures(suite: pytest.Pytester) -> None:
    """A unit test fails, or has an error where its fixture starts the process."""
    suite.makepyfile(test_guarded=GUARDED)
    run(suite, "test_guarded.py").assert_outcomes(failed=1, errors=1)


def test_a_test_without_a_tier_fails(suite: pytest.Pytester) -> None:
    """The message names the line to add."""
    suite.makepyfile(test_untiered="def test_it(): pass")
    result = run(suite, "test_untiered.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no tier: write `pytestmark = pytest.mark.unit`*"])


def test_an_unknown_tier_ends_the_run(suite: pytest.Pytester) -> None:
    """The message names the unknown tier and all tiers."""
    result = run(suite, "--tier", "fast")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*fast: not one of*unit*integration*more*night*"])
