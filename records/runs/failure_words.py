"""A failure in plain words: what an attempt should have done, and what it did."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from records.shapes.attempt import Attempt, Outcome, StepName
from records.text.visible import make_one_line

_EXPECTED: Mapping[StepName, str] = {
    StepName.FILESYSTEM: "The reply holds the files of an answer.",
    StepName.INSTALL: "The packages that the answer declares are there.",
    StepName.DEPLOY: "The backend accepts the code.",
    StepName.TYPECHECK: "The code has no type error.",
    StepName.LINT: "The code breaks no rule of correctness.",
}
_LONGEST_READ, _LONGEST_VALUE = 4_000, 100
_LONGEST = 300
"""The most characters of what an attempt did; its tests have the whole messages."""


class FailureWords(NamedTuple):
    """What an attempt should have done, and what it did."""

    expected: str | None
    """None if it is not known, as for results of other tools."""
    got: str | None
    """None if it is not known."""
    more: int = 0
    """The number of further failed tests."""

    def __str__(self) -> str:
        """Return both parts in one line."""
        further = f" (and {self.more} more failed test{'s' * (self.more > 1)})" if self.more else ""
        expected = None if self.expected is None else f"Expected: {self.expected}"
        got = None if self.got is None else f"Got: {self.got}" if expected else self.got
        return " ".join(filter(None, (expected, got))) + further


def explain_attempt(attempt: Attempt) -> FailureWords | None:
    """Return the reason for a verdict; None if the record has none.

    In a failed test its title is expected. The words of imported results and of other outcomes stay
    as they are.
    """
    reason, step = attempt.reason, attempt.failed_step
    if reason is None:
        return None
    is_imported = attempt.steps is None and attempt.tests is None
    if is_imported or attempt.outcome is not Outcome.FAILED:
        return FailureWords(None, reason)
    if step is StepName.TESTS:
        failed = [test for test in attempt.tests or () if test.outcome is Outcome.FAILED]
        for test in failed:
            if reason.startswith((test.title, test.name)):
                got = None if test.message is None else word_message(test.message)
                return FailureWords(test.title, got, len(failed) - 1)
    return FailureWords(None if step is None else _EXPECTED.get(step), word_message(reason))


_PLACE_OF_GRADER = re.compile(r"^[\w-]{1,80}\.py:\d+: | \([\w-]{1,80}\.py:\d+\)")
_PLACE_IN_ANSWER = re.compile(
    r"^([\w./-]{1,200}\.[cm]?[jt]sx?)(?:\((\d+),\d+\)|:(\d+)(?::\d+)?):? "
)
_TYPE_ERROR = re.compile(r"^error (TS\d+): ")
_REQUEST = re.compile(r"\[Request ID: \w{1,40}\] Server Error ?")
_NOTHING = "nothing (null)"
_PHRASES = (
    (
        re.compile(r"DID NOT RAISE FunctionFailed"),
        "the call was accepted, and should have been refused",
    ),
    (re.compile(r"DID NOT RAISE (\w+)"), "no {0} came"),
    (
        re.compile(r"(?s)\A(?:TypeError|AttributeError): .{0,200}NoneType.*"),
        f"{_NOTHING} came back where a value was needed",
    ),
    (
        re.compile(r"ValueError: not enough values to unpack \(expected (\d+), got (\d+)\)"),
        "{1} values came back instead of {0}",
    ),
    (
        re.compile(r"ValueError: too many values to unpack \(expected (\d+)(?:, got \d+)?\)"),
        "more values came back than {0}",
    ),
    (re.compile(r"(?s)KeyError: (.+)"), "there is no {0}"),
    (re.compile(r"(?s)IndexError: .*"), "there are fewer entries than needed"),
    (re.compile(r"(?s)JSONDecodeError: .*"), "the text that came back is not JSON"),
    (
        re.compile(r"(?s)\AAt index (\d+) diff: (.{1,300}) != (.+)"),
        "at place {0}, counted from 0: {1} instead of {2}",
    ),
    (re.compile(r"(\{.{1,300}\}) != (\{.{1,300}\})"), "{0} instead of {1}"),
    (re.compile(r"(?s)Right contains [^:]{1,60} item: (.+)"), "{0} is missing"),
    (
        re.compile(r"(?s)Left contains [^:]{1,60} item: (.+)"),
        "{0}, which should not be there",
    ),
)
"""The messages of pytest, of Python and of the fixtures of graders, each as a whole line."""


def word_message(message: str) -> str:
    """Return a grader's or a tool's message in plain words and in one line."""
    text = _PLACE_OF_GRADER.sub("", message[:_LONGEST_READ]).strip()
    if place := _PLACE_IN_ANSWER.match(text):
        rest = _TYPE_ERROR.sub(r"\1: ", text[place.end() :])
        return make_one_line(f"{place[1]}, line {place[2] or place[3]}: {rest}", _LONGEST)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    asserted = next((at for at, line in enumerate(lines) if line.startswith("assert ")), None)
    if asserted is None:
        words = next(_find_phrases(lines[:1]), "") or _REQUEST.sub("", " ".join(lines))
        return make_one_line(words, _LONGEST)
    own_words = " ".join(lines[:asserted])
    if own_words.count(" ") > 1:
        return make_one_line(own_words, _LONGEST)
    compared = next(_find_phrases(lines[asserted + 1 :]), "")
    words = compared or _word_assertion(lines[asserted].removeprefix("assert "), lines)
    return make_one_line(f"{own_words}: {words}" if own_words else words, _LONGEST)


def _find_phrases(lines: list[str]) -> Iterator[str]:
    for line in lines:
        for pattern, words in _PHRASES:
            if match := pattern.fullmatch(line):
                yield words.format(*map(_word_value, match.groups()))


_OPERATORS: Mapping[str, Callable[[str, str], str]] = {
    " == ": lambda left, right: f"{left} instead of {right}",
    " != ": lambda left, right: f"{left}, which should differ from {right}",
    " is not ": lambda left, _: left,
    " is ": lambda left, right: f"{left} instead of {right}",
    " not in ": lambda left, right: f"{left} among {right}",
    " in ": lambda left, right: f"{left}, which is not in {right}",
    " <= ": lambda left, right: f"{left}, which is more than {right}",
    " >= ": lambda left, right: f"{left}, which is less than {right}",
    " < ": lambda left, right: f"{left}, which is not less than {right}",
    " > ": lambda left, right: f"{left}, which is not more than {right}",
}
_CALL = re.compile(r"(?s)\+ {1,9}where ([^=]{1,200}) = (\w{1,80})\((.*)")


def _word_assertion(condition: str, lines: list[str]) -> str:
    """Return an assertion of pytest that does not hold in words, with the call if it is named."""
    call = next(filter(None, map(_CALL.fullmatch, lines)), None)
    name, arguments = (call[2], call[3].removesuffix(")")) if call else ("", "")
    if name in {"query", "mutation", "action"}:
        name, _, arguments = arguments.partition(", ")
    if condition == "False" and name == "isinstance":
        value = _word_value(arguments.partition(", ")[0])
        return f"{value}, which is of another type than it should be"
    for operator, format_words in _OPERATORS.items():
        left, found, right = condition.partition(operator)
        if found:
            words = format_words(_word_value(left), _word_value(right))
            if name == "len":
                return f"{words} entries"
            is_call = call is not None and "<" not in name and call[1] == left
            return f"{name.strip(chr(39))} gave {words}" if is_call else words
    return "a condition of the test does not hold"


_CONSTANT = re.compile(r"(?<![^\[({:, ])(None|True|False)(?![^\])},])")
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_WHOLE_VALUES = {"None": _NOTHING, "[]": "an empty list", "{}": "an empty object"}


def _word_value(value: str) -> str:
    value = value.strip()
    words = _CONSTANT.sub(lambda match: _CONSTANTS[match[1]], value)
    return _WHOLE_VALUES.get(value) or make_one_line(words, _LONGEST_VALUE)


_SHAPE_PLACE = re.compile(
    r"(?<![\w./-])[\w./-]+\.(?:tsx?|py|mjs|json)(?:[:(]\d+(?:[:,]\d+)?\)?|, line \d+)?:?"
)
_QUOTED = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
_NUMBER = re.compile(r"\b\d+(?:\.\d+)?")
_BRACKETED = re.compile(r"[\[{][^\n]*")
LONGEST_SHAPE = 120
"""The most characters of a message's shape (see `generalize_message`)."""


def generalize_message(message: str) -> str:
    """Return the shape of a message: its first line without the parts that differ between cases.

    File names are removed, and placeholders replace numbers, quoted texts and values in brackets.
    So failures with the same cause mostly have messages of the same shape.
    """
    first = next((line for line in message.splitlines() if line.strip()), "")
    text = _SHAPE_PLACE.sub("", first[: 4 * LONGEST_SHAPE])
    for pattern, instead in ((_QUOTED, "…"), (_BRACKETED, "…"), (_NUMBER, "N")):
        text = pattern.sub(instead, text)
    return " ".join(text.split())[:LONGEST_SHAPE]
