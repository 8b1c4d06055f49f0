"""Tiers of tests: the choice of tiers, and the guard that holds unit tests to theirs.

Every test has one of four markers, its own or its module's (``pytestmark``); the closest marker
decides. A ``unit`` test starts no process and opens no connection. An ``integration`` test may do
both. A ``more`` test costs too much for each ``make test``, and runs before a change is merged. A
``night`` test is too slow for every change.
"""

import re
import sys
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.mark import ParameterSet

UNIT = "unit"
INTEGRATION = "integration"
MORE = "more"
NIGHT = "night"
TIERS = (UNIT, INTEGRATION, MORE, NIGHT)
EACH_CHANGE = "unit,integration"
LONG_S = 20
"""Seconds after which a test must be of a later tier, or give a reason in its marker."""
FORBIDDEN_IN_UNIT = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "pty.spawn",
        "socket.connect",
        "subprocess.Popen",
    }
)
"""Audit events of Python that start a process or open a connection."""
_MARKER = re.compile(r"\bmark\.(unit|integration|more|night)\b|(?:at|to)_(more|night)\(")
"""A marker, or a call of a function that marks cases, such as `leave_to_night`."""


class UnitGuard:
    """An audit hook that refuses processes and connections while it is armed."""

    def __init__(self) -> None:
        """Create a guard that refuses nothing yet."""
        self._armed = False
        self._refused: list[str] = []

    @contextmanager
    def arm(self) -> Generator[None]:
        """Refuse the forbidden events inside the context; fail at its end if any was refused.

        The second failure is for code that catches the first.
        """
        self._armed, self._refused = True, []
        try:
            yield
        finally:
            self._armed = False
        if self._refused:
            pytest.fail(f"a unit test caused {', '.join(self._refused)}; mark it integration")

    def audit(self, event: str, _arguments: tuple[Any, ...]) -> None:
        """Fail the running unit test at a forbidden event. Python calls this at every event."""
        if self._armed and event in FORBIDDEN_IN_UNIT:
            self._refused.append(event)
            pytest.fail(f"a unit test must not cause {event}; mark it integration")


class TierPlugin:
    """Selects tests by tier and guards the unit tests."""

    def __init__(self, tiers: frozenset[str]) -> None:
        """Select the tests of ``tiers``; install the audit hook, which stays for this process."""
        self._tiers = tiers
        self._guard = UnitGuard()
        sys.addaudithook(self._guard.audit)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave out a module without tests of the chosen tiers, before it is imported."""
        if not re.fullmatch(r"test_\w+\.py", collection_path.name):
            return None
        text = collection_path.read_text("utf-8")
        tiers = {match[match.lastindex or 0] for match in _MARKER.finditer(text)}
        if INTEGRATION in tiers:
            tiers |= {MORE, NIGHT}  # of parameters that it imports, such as the looks at a page
        return True if tiers and tiers.isdisjoint(self._tiers) else None

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the tests of other tiers; a test without a tier stays, and fails.

        Modules of unit tests come last: they are short, so that no worker waits for another at
        the end. A module stays together, so that its fixtures are made once.
        """
        selected = {*self._tiers, None}
        left_out = [item for item in items if find_tier(item) not in selected]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if find_tier(item) in selected]
        first = {item.path for item in items if find_tier(item) != UNIT}
        items.sort(key=lambda item: item.path not in first)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Guard the fixtures of a unit test; fail a test that has no tier."""
        if find_tier(item) is None:
            pytest.fail(f"no tier: write `pytestmark = pytest.mark.unit`; of {', '.join(TIERS)}")
        yield from self._guard_test(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Guard a unit test."""
        yield from self._guard_test(item)

    def _guard_test(self, item: pytest.Item) -> Generator[None, None, None]:
        if find_tier(item) != UNIT:
            return (yield)
        with self._guard.arm():
            return (yield)


class LongTests:
    """Names the tests that took longer than ``LONG_S`` and give no reason."""

    def __init__(self) -> None:
        """Create an empty list."""
        self._long: list[str] = []

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Add to a report whether its test may be long."""
        if call.when == "call":
            item.user_properties.append(("may_be_long", _may_be_long(item)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that was long without a reason."""
        may_be_long = dict(report.user_properties).get("may_be_long", True)
        if report.when == "call" and report.duration > LONG_S and not may_be_long:
            self._long.append(f"{report.duration:5.1f} s  {report.nodeid}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the noted tests."""
        if self._long:
            terminalreporter.section(f"over {LONG_S} s: mark as more, or give a reason")
            terminalreporter.line("\n".join(self._long))


def leave_to_more(cases: Mapping[str, object], *, but: Collection[str]) -> list[ParameterSet]:
    """Return the cases as parameters of a test, by name: all except ``but`` are `more` tests.

    Cases of a test with several arguments are tuples.
    """
    return _leave_cases(MORE, cases, but)


def leave_to_night(cases: Mapping[str, object], *, but: Collection[str]) -> list[ParameterSet]:
    """Return the cases as `leave_to_more` does: all except ``but`` are night tests."""
    return _leave_cases(NIGHT, cases, but)


def _leave_cases(
    tier: str, cases: Mapping[str, object], but: Collection[str]
) -> list[ParameterSet]:
    """Return the cases as parameters: all except ``but`` are tests of another tier."""
    assert set(but) <= cases.keys(), set(but) - cases.keys()
    return [
        pytest.param(
            *(cast("tuple[object, ...]", case) if isinstance(case, tuple) else (case,)),
            id=name,
            marks=() if name in but else getattr(pytest.mark, tier),
        )
        for name, case in cases.items()
    ]


def find_tier(item: pytest.Item) -> str | None:
    """Return the tier whose marker is closest to a test; None where there is no such marker."""
    return next((mark.name for mark in _list_marks(item) if mark.name in TIERS), None)


def _list_marks(item: pytest.Item) -> Iterator[pytest.Mark]:
    """Yield the markers of a parameter, of its function, then of the module.

    pytest itself lists those of the function before those of its parameters.
    """
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        yield from item.callspec.marks
    yield from item.iter_markers()


def _may_be_long(item: pytest.Item) -> bool:
    """Return whether a test is of a later tier, or its marker has a reason."""
    marks = [mark for mark in item.iter_markers() if mark.name in TIERS]
    return any(mark.name in {MORE, NIGHT} or "reason" in mark.kwargs for mark in marks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--tier``."""
    parser.addoption(
        "--tier",
        metavar="NAMES",
        help=f"tiers to run, separated by commas, of {', '.join(TIERS)}"
        f" (default: {EACH_CHANGE}; all where a single test is named)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers and start the plugins."""
    for tier in TIERS:
        config.addinivalue_line(
            "markers", f"{tier}(reason): tier of a test; see tests/support/tiers.py"
        )
    config.pluginmanager.register(TierPlugin(_read_tiers(config)), "tiers")
    config.pluginmanager.register(LongTests(), "long-tests")


def _read_tiers(config: pytest.Config) -> frozenset[str]:
    """Return the tiers of ``--tier``.

    Raises:
        pytest.UsageError: A name is not the name of a tier.
    """
    option: str | None = config.getoption("--tier")
    if option is None and any("::" in argument for argument in config.args):
        return frozenset(TIERS)
    tiers = frozenset((option or EACH_CHANGE).split(","))
    if unknown := tiers - set(TIERS):
        raise pytest.UsageError(f"--tier: {', '.join(sorted(unknown))}: not one of {TIERS}")
    return tiers
