"""Messages of a session for its page: results beside their calls, long texts folded.

An answer is shown beside its expected output, line by line.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from records.sessions.session import Session, SessionMessage
from records.text.markdown import render_passage
from review.turns import OwnLabels, Turn, find_judged_turn, list_turns

MOST_LINES = 500
"""The most lines of one side. If a line, such as an empty line, is repeated between all others, the
time grows with the third power of the lines: 0.3 seconds for 500 lines, 20 seconds for 2,000."""
_LONGEST = 200_000
_CONTEXT = 3
"""Number of equal lines that are shown before and after a difference."""


class ComparedLine(NamedTuple):
    """A line of both sides; None if a side has no such line."""

    kind: str
    """same, changed, only answer, only expected, or left out."""
    answer: str | None
    expected: str | None
    left_out: int = 0
    """Number of equal lines that are left out here."""


def compare_lines(answer: str, expected: str) -> list[ComparedLine] | None:
    """Return the compared lines of both sides; None if there are too many lines."""
    answer_lines, expected_lines = answer.splitlines(), expected.splitlines()
    if (
        max(len(answer_lines), len(expected_lines)) > MOST_LINES
        or max(len(answer), len(expected)) > _LONGEST
    ):
        return None
    lines: list[ComparedLine] = []
    matcher = SequenceMatcher(None, answer_lines, expected_lines, autojunk=False)
    for tag, start, end, expected_start, expected_end in matcher.get_opcodes():
        if tag == "equal":
            # Equal lines far from a difference are left out, unless all lines are equal.
            equal = [ComparedLine("same", line, line) for line in answer_lines[start:end]]
            head = 0 if start == 0 else _CONTEXT
            tail = 0 if end == len(answer_lines) else _CONTEXT
            hidden = len(equal) - head - tail
            if head + tail and hidden > _CONTEXT:
                gap = ComparedLine("left out", None, None, hidden)
                equal[head : len(equal) - tail] = [gap]
            lines += equal
        else:
            others = expected_lines[expected_start:expected_end]
            for left, right in zip_longest(answer_lines[start:end], others):
                one_sided = "only answer" if right is None else "only expected"
                is_both = left is not None and right is not None
                lines.append(ComparedLine("changed" if is_both else one_sided, left, right))
    return lines


MOST_SHOWN = 50
"""The most places in the list of a page."""
_AROUND = 40
"""Characters that are shown before and after the text."""


class FoundPlace(NamedTuple):
    """An occurrence of the searched text, with the text around it."""

    message: int
    """Number of the message in which the page shows it, from 1."""
    before: str
    text: str
    after: str


def holds(text: str, wanted: str) -> bool:
    """Return whether a text has the searched text; capital and small letters are equal."""
    return bool(wanted) and wanted.casefold() in text.casefold()


def find_places(session: Session, wanted: str) -> Sequence[FoundPlace]:
    """Return all places of the searched text, in the order of the page."""
    if not wanted:
        return []
    looked_for, matches = wanted.casefold(), list[FoundPlace]()
    callers = {
        call.id: number
        for number, message in enumerate(session.messages, 1)
        for call in message.tool_calls
    }
    for number, message in enumerate(session.messages, 1):
        shown_in = callers.get(message.tool_call_id or "", number)
        calls = (text for call in message.tool_calls for text in (call.name, call.arguments))
        for text in (message.text, *calls):
            folded = text.casefold()
            # Casefolding can make two letters of one. Then offsets fit only the folded text.
            quoted = text if len(folded) == len(text) else folded
            start = folded.find(looked_for)
            while start >= 0:
                end = start + len(looked_for)
                before, after = quoted[max(0, start - _AROUND) : start], quoted[end : end + _AROUND]
                matches.append(
                    FoundPlace(
                        shown_in,
                        before.replace("\n", " "),
                        quoted[start:end],
                        after.replace("\n", " "),
                    )
                )
                start = folded.find(looked_for, end)
    return sorted(matches, key=lambda match: match.message)


MESSAGES_PER_PART = 100
"""The most messages of a part."""
_PART = 300_000
"""Characters of a part; when it has so many, no further message is added."""
_FOLDED_FROM = 6_000
"""Characters of a text that is folded, unless it is the judged answer."""
MOST_LETTERS = 60_000
"""Characters of a text on a page; a longer text is cut there, and whole in the session's file."""
_FOLDED = frozenset({"system", "tool", "program"})
"""Roles whose texts are folded."""
_NEAR = 3
"""Number of parts before and after the shown part to which its page has links."""
_FAR = 10
"""Number of further links, to parts at equal distances in the whole transcript."""
_TASK = "\n# Task\n"
"""The heading of the task, with which prompts of runs end."""


class ShownMessage(NamedTuple):
    """A message of a session, with its place, results and labels there."""

    number: int
    """Number of the message in the session, from 1."""
    message: SessionMessage
    before_task: str
    """The prompt of a run before its task, which is folded because all attempts have it."""
    text: str
    """The text of the message, without the part before the task."""
    is_answer: bool
    """True if the message is the judged answer."""
    is_folded: bool
    """True if the text is folded, unless it has the searched text."""
    results: Sequence[str | None]
    """The result of each call of the message; None if it was not recorded."""
    turn: Turn | None
    """The turn that the message answers, if it can have labels of its own; else None."""


def get_judged_answer(session: Session) -> str:
    """Return the text of the answer of the judged turn; empty if it has no text."""
    judged = find_judged_turn(session)
    return judged.answer if judged else ""


@dataclass(frozen=True, slots=True)
class TranscriptParts:
    """The parts of a transcript, one of which is on a page."""

    starts: Sequence[int]
    """Index of the first message of each part."""
    count: int
    """Number of messages of the transcript."""

    @classmethod
    def from_session(cls, session: Session) -> "TranscriptParts":
        """Divide a transcript into parts, by the number and the length of its messages."""
        starts = [0]
        length = 0
        for index, message in enumerate(session.messages):
            if index - starts[-1] >= MESSAGES_PER_PART or length >= _PART:
                starts.append(index)
                length = 0
            arguments = (len(call.arguments) for call in message.tool_calls)
            length += sum(min(size, MOST_LETTERS) for size in (len(message.text), *arguments))
        return cls(starts, len(session.messages))

    def get_range(self, part: int) -> range:
        """Return the indexes of the messages of a part; parts are numbered from 1."""
        end = self.starts[part] if part < len(self.starts) else self.count
        return range(self.starts[part - 1], end)

    def find_part(self, message: int) -> int:
        """Return the number of the part that has the message with an index."""
        return bisect_right(self.starts, message)

    def find_near_parts(self, part: int) -> list[int]:
        """Return the parts to which the page of ``part`` has links: parts around it, and others."""
        last = len(self.starts)
        step = max(1, last // _FAR)
        around = range(max(1, part - _NEAR), min(last, part + _NEAR) + 1)
        return sorted({1, last, *range(step, last, step), *around})


def make_shown_messages(
    session: Session, part: int, own: OwnLabels | None = None
) -> list[ShownMessage]:
    """Return the messages of one part.

    Args:
        session: the session.
        part: number of the part, from 1.
        own: the labels of single turns; None if turns get no labels on the page.
    """
    results = {entry.tool_call_id: entry.text for entry in session.messages if entry.role == "tool"}
    called = {call.id for entry in session.messages for call in entry.tool_calls}
    judged = find_judged_turn(session)
    # The judged turn has the labels of the session, so it is judged apart only if it has its own.
    judged_apart = {
        turn.answer_place: turn
        for turn in (() if own is None else list_turns(session))
        if not turn.is_judged or turn.number in (own or {})
    }
    messages: list[ShownMessage] = []
    for index in TranscriptParts.from_session(session).get_range(part):
        message = session.messages[index]
        if message.role == "tool" and message.tool_call_id in called:
            continue  # the result is shown with its call
        is_answer = judged is not None and index == judged.answer_place
        # The prompt of a run before its task, and the task.
        is_prompt = session.source.kind == "attempt" and message.role == "user"
        start = max(0, message.text.rfind(_TASK)) if is_prompt else 0
        text = message.text[start + 1 if start else 0 :]
        is_long = len(text) > _FOLDED_FROM or message.role in _FOLDED
        messages.append(
            ShownMessage(
                number=index + 1,
                message=message,
                before_task=message.text[:start],
                text=text.strip() and text,
                is_answer=is_answer,
                is_folded=is_long and not is_answer,
                results=[results.get(call.id) for call in message.tool_calls],
                turn=judged_apart.get(index),
            )
        )
    return messages


def render_text(whole: str, role: str) -> str:
    """Return the shown beginning of a message's text as HTML."""
    text = whole[:MOST_LETTERS]
    if role in {"tool", "program"}:
        # One block of code in markdown, even if the text has backticks.
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        text = f"{fence}\n{text}\n{fence}"
    return render_passage(text)


def indent_arguments(arguments: str) -> str:
    """Return JSON with a line for each field; other texts stay as they are."""
    try:
        return json.dumps(json.loads(arguments), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
