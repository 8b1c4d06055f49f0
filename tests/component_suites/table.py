"""Reasons of the tests that cannot pass, and the table of all suites.

``known.json`` has, by package and reason, the tests that fail and the files that cannot be loaded.
A reason is a difference between ``convex-test`` and the real backend, or a package or file that is
not installed.
"""

import json
from pathlib import Path
from typing import Final

from tests.component_suites.suites import SCOPE, SuiteResult

KNOWN: Final[dict[str, dict[str, list[str]]]] = json.loads(
    Path(__file__).with_name("known.json").read_text("utf-8")
)


def find_surprises(result: SuiteResult) -> list[str]:
    """Return a line for each failure without a reason, and for each reason without a failure."""
    wrong = {**result.failed, **result.unloaded}
    reasons = KNOWN.get(result.package, {})
    known_names = {name for names in reasons.values() for name in names}
    fail = [f"{name} fails: {error}" for name, error in wrong.items() if name not in known_names]
    return fail + [f"{name} passes" for name in sorted(known_names - wrong.keys())]


def format_row(result: SuiteResult) -> str:
    """Return the row of a suite: package, files, tests, passed tests, reasons of failures."""
    reasons = KNOWN.get(result.package, {})
    why = "; ".join(f"{len(names)}: {reason}" for reason, names in reasons.items())
    package = f"`{SCOPE}/{result.package}` {result.version}"
    return f"| {package} | {result.files} | {result.tests} | {result.passed} | {why or 'none'} |"
