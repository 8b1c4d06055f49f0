"""The report that a grader prints: JUnit XML, or a line of JSON for each test.

docs/another-benchmark.md describes both for authors of graders.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from records.files.problems import describe_first_problem
from records.shapes.attempt import Outcome, Test
from records.shapes.base import LARGEST_AMOUNT, OutsideText, Record, Seconds

MOST_TESTS = 5000
_LONGEST_NAME = 300
_LONGEST_MESSAGE = 4000
_SHOWN = 80
_PREFIX = re.compile(r"^test_+", re.IGNORECASE)
_JUNIT_OUTCOMES = {"failure": "failed", "error": "error", "skipped": "skipped"}
"""Elements of a test that did not pass, the one that counts first."""
_SUITES = frozenset({"testsuites", "testsuite"})
_COUNTED = {"failures": "failure", "errors": "error"}
"""Elements that a suite counts, by the name of the count."""
_OUTCOMES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "error": Outcome.INFRASTRUCTURE,
    "skipped": Outcome.NOT_RUN,
}


class UnreadableReportError(Exception):
    """The output of a grader is no report; the message says why. It becomes infrastructure."""


class _ReportedTest(Record):
    """A line about a test."""

    test: Annotated[OutsideText, Field(min_length=1)]
    outcome: Literal["passed", "failed", "error", "skipped"]
    title: OutsideText | None = None
    message: OutsideText | None = None
    seconds: Seconds | None = None


class _LastLine(Record):
    """The last line: the number of tests, by which a report that was cut off is known."""

    tests: Annotated[int, Field(ge=0)]


_LINE = TypeAdapter(dict[str, Any])


def read_report(output: bytes) -> tuple[Test, ...]:
    """Return the tests in the standard output of a grader, in their order.

    Raises:
        UnreadableReportError: it is neither format, is cut off, or has no test or too many.
    """
    try:
        text = output.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise UnreadableReportError(f"the report is not UTF-8: {error}") from error
    if not text:
        raise UnreadableReportError("the grader printed no report")
    tests = _read_junit(text) if text.startswith("<") else _read_lines(text)
    if not tests:
        raise UnreadableReportError("the report has no test")
    if len(tests) > MOST_TESTS:
        raise UnreadableReportError(f"the report has more than {MOST_TESTS} tests")
    return tuple(_make_test(name, reported) for name, reported in _name_apart(tests))


def _read_lines(text: str) -> list[_ReportedTest]:
    tests: list[_ReportedTest] = []
    # Other ends of lines, such as U+2028, may stand in a text of JSON.
    *lines, last = (line for line in text.split("\n") if line.strip())
    for number, line in enumerate((*lines, last), 1):
        try:
            fields = _LINE.validate_json(line)
            # With a union of both, a message would name missing fields of the other shape, too.
            shape = _LastLine if "tests" in fields else _ReportedTest
            read = shape.model_validate(fields)
        except ValidationError as error:
            raise UnreadableReportError(
                f"line {number} of the report: {describe_first_problem(error)}: {line[:_SHOWN]!r}"
            ) from error
        if isinstance(read, _ReportedTest):
            tests.append(read)
        elif number <= len(lines) or read.tests != len(tests):
            raise UnreadableReportError(
                f"line {number} of the report counts {read.tests} tests, and {len(tests)} are "
                "before it; it must be the last line"
            )
        else:
            return tests
    raise UnreadableReportError('the report ends without its last line, {"tests": NUMBER}')


class _TreeBuilder(ET.TreeBuilder):
    """Builds the elements of a report, which has no document type."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Refuse a document type: its entities could make a short text long."""
        del name, pubid, system
        raise UnreadableReportError("the report has a document type, which JUnit XML has not")


def _read_junit(text: str) -> list[_ReportedTest]:
    parser = ET.XMLParser(target=_TreeBuilder())  # noqa: S314 - no entities; the jail bounds it
    try:
        parser.feed(text)
        root = parser.close()
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise UnreadableReportError(f"the report is not XML: {error}") from error
    if root.tag not in _SUITES:
        raise UnreadableReportError(f"the report is no JUnit XML: it begins with <{root.tag}>")
    tests: list[_ReportedTest] = []
    for element in root.iter():
        name = element.get("name") or "unnamed"
        if element.tag in _SUITES:
            _check_counts(element)
            # A suite may itself not run, such as a file that cannot be imported: it judges nobody.
            if any(element.find(tag) is not None for tag in _COUNTED.values()):
                message = _find_outcome(element)[1]
                tests.append(_report(name, {"outcome": "error", "message": message}))
        elif element.tag == "testcase":
            outcome, message = _find_outcome(element)
            properties = element.iter("property")
            titles = (each.get("value") for each in properties if each.get("name") == "title")
            fields = {"outcome": outcome, "title": next(titles, None), "message": message}
            tests.append(_report(name, {**fields, "seconds": _read_seconds(element)}))
    return tests


def _check_counts(suite: ET.Element) -> None:
    """Compare a suite's own counts with its elements: a missing one could make a test fail.

    The number of tests says nothing, as some frameworks count subtests that have no element.

    Raises:
        UnreadableReportError: it counts more failures or errors than it has.
    """
    judged = [element for element in suite.iter() if element.tag in {"testcase", *_SUITES}]
    for field, tag in _COUNTED.items():
        try:
            counted = int(suite.get(field) or "")
        except ValueError:
            continue  # unknown
        number = sum(len(element.findall(tag)) for element in judged)
        if counted > number:
            raise UnreadableReportError(
                f"the report's count of {field} is {counted}, and it has {number}"
            )


def _read_seconds(case: ET.Element) -> float | None:
    """Return the time of a test; None where it is missing, or no possible time."""
    try:
        seconds = float(case.get("time") or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LARGEST_AMOUNT else None


def _report(name: str, fields: Mapping[str, object]) -> _ReportedTest:
    try:
        return _ReportedTest.model_validate({"test": name, **fields})
    except ValidationError as error:
        raise UnreadableReportError(
            f"the test {name[:_SHOWN]!r} of the report: {describe_first_problem(error)}"
        ) from error


def _find_outcome(case: ET.Element) -> tuple[str, str | None]:
    """Return how a test ended, with its message."""
    for tag, outcome in _JUNIT_OUTCOMES.items():
        if (element := case.find(tag)) is not None:
            texts = (element.get("message"), element.text)
            return outcome, next((text.strip() for text in texts if text and text.strip()), None)
    if case.get("status") == "notrun":
        return "skipped", "the test did not run"
    return "passed", None


def _name_apart(tests: Sequence[_ReportedTest]) -> Iterator[tuple[str, _ReportedTest]]:
    """Yield each test with a name of its own: the second of a name gets ``#2``."""
    used: set[str] = set()
    numbers = Counter[str]()
    for reported in tests:
        plain = reported.test[:_LONGEST_NAME]
        numbers[plain] += 1
        name = plain if numbers[plain] == 1 else f"{plain}#{numbers[plain]}"
        while name in used:
            numbers[plain] += 1
            name = f"{plain}#{numbers[plain]}"
        used.add(name)
        yield name, reported


def _make_test(name: str, reported: _ReportedTest) -> Test:
    outcome = _OUTCOMES[reported.outcome]
    message = (reported.message or "")[:_LONGEST_MESSAGE] or None
    # The name as words: ``Empty text`` for ``test_empty_text``.
    words = _PREFIX.sub("", name).replace("_", " ").strip()
    return Test(
        name=name,
        title=(reported.title or words[:1].upper() + words[1:] or name)[:_LONGEST_NAME],
        outcome=outcome,
        duration_s=None if reported.seconds is None else round(reported.seconds, 4),
        message=None if outcome is Outcome.PASSED else message or reported.outcome,
    )
