"""The report that a grader prints: JUnit XML, or a line of JSON for each test.

docs/command-graders.md describes both for authors of graders.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from records.shapes.attempt import Outcome, Test
from records.shapes.base import OutsideText, Seconds

MOST_TESTS: Final = 5000
_LONGEST_NAME: Final = 300
_LONGEST_MESSAGE: Final = 4000
_PREFIX: Final = re.compile(r"^test_+", re.IGNORECASE)
_JUNIT_OUTCOMES: Final = {"failure": "failed", "error": "error", "skipped": "skipped"}
"""Elements of a test that did not pass, the one that counts first."""
_OUTCOMES: Final = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "error": Outcome.INFRASTRUCTURE,
    "skipped": Outcome.NOT_RUN,
}


class UnreadableReportError(Exception):
    """The output of a grader is no report; the message says why. It becomes infrastructure."""


class _ReportedTest(BaseModel):
    """A line about a test."""

    model_config = ConfigDict(extra="forbid")

    test: Annotated[OutsideText, Field(min_length=1)]
    outcome: Literal["passed", "failed", "error", "skipped"]
    title: OutsideText | None = None
    message: OutsideText | None = None
    seconds: Seconds | None = None


class _LastLine(BaseModel):
    """The last line: the number of tests, by which a report that was cut off is known."""

    model_config = ConfigDict(extra="forbid")

    tests: Annotated[int, Field(ge=0)]


_LINE: Final[TypeAdapter[_ReportedTest | _LastLine]] = TypeAdapter(_ReportedTest | _LastLine)


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
    return tuple(_test(name, reported) for name, reported in _name_apart(tests))


def _read_lines(text: str) -> list[_ReportedTest]:
    tests: list[_ReportedTest] = []
    *lines, last = (line for line in text.splitlines() if line.strip())
    for number, line in enumerate((*lines, last), 1):
        try:
            read = _LINE.validate_json(line)
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"]
            raise UnreadableReportError(f"line {number} of the report: {reason}") from error
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


def _read_junit(text: str) -> list[_ReportedTest]:
    # Entities could make a short text long; no framework writes them.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UnreadableReportError("the report has a document type, which JUnit XML has not")
    try:
        root = ET.fromstring(text)  # noqa: S314 - without entities; the jail bounds its length
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise UnreadableReportError(f"the report is not XML: {error}") from error
    if root.tag not in {"testsuites", "testsuite"}:
        raise UnreadableReportError(f"the report is no JUnit XML: it begins with <{root.tag}>")
    return [_read_case(case) for case in root.iter("testcase")]


def _read_case(case: ET.Element) -> _ReportedTest:
    name = case.get("name") or "unnamed"
    try:
        seconds = max(float(case.get("time") or ""), 0.0)
    except ValueError:
        seconds = None
    outcome, message = _find_outcome(case)
    try:
        return _ReportedTest.model_validate(
            {
                "test": name,
                "outcome": outcome,
                "title": _find_title(case),
                "message": message,
                "seconds": seconds,
            }
        )
    except ValidationError as error:
        raise UnreadableReportError(f"the test {name!r} of the report: {error}") from error


def _find_outcome(case: ET.Element) -> tuple[str, str | None]:
    """Return how a test ended, with its message."""
    for tag, outcome in _JUNIT_OUTCOMES.items():
        if (found := case.find(tag)) is not None:
            texts = (found.get("message"), found.text)
            return outcome, next((text.strip() for text in texts if text and text.strip()), None)
    return "passed", None


def _find_title(case: ET.Element) -> str | None:
    return next(
        (each.get("value") for each in case.iter("property") if each.get("name") == "title"), None
    )


def _name_apart(tests: Sequence[_ReportedTest]) -> Iterator[tuple[str, _ReportedTest]]:
    """Yield each test with a name of its own: the second of a name gets ``#2``."""
    met = Counter[str]()
    for reported in tests:
        name = reported.test[:_LONGEST_NAME]
        met[name] += 1
        yield (name if met[name] == 1 else f"{name}#{met[name]}"), reported


def _test(name: str, reported: _ReportedTest) -> Test:
    outcome = _OUTCOMES[reported.outcome]
    message = (reported.message or "")[:_LONGEST_MESSAGE] or None
    return Test(
        name=name,
        title=(reported.title or _words(name))[:_LONGEST_NAME],
        outcome=outcome,
        duration_s=None if reported.seconds is None else round(reported.seconds, 4),
        message=None if outcome is Outcome.PASSED else message or reported.outcome,
    )


def _words(name: str) -> str:
    """Return the name of a test as words: ``Empty text`` for ``test_empty_text``."""
    words = _PREFIX.sub("", name).replace("_", " ").strip()
    return words[:1].upper() + words[1:] or name
