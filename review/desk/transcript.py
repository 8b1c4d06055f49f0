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

from records.sessions.session import Session, SessionMessage, ToolCall
from records.text.markdown import render_passage
from records.text.visible import make_one_line
from review.turns import OwnLabels, find_judged_turn, list_turns

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

    @property
    def anchor(self) -> str:
        """The fragment of the address of the message."""
        return f"#message-{self.message}"


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
_MOST_SHOWN = 60_000
"""Characters of a text on a page; a longer text is cut there, and whole in the session's file."""
_FOLDED = frozenset({"system", "tool", "program"})
"""Roles whose texts are folded."""
_SPEAKERS = {"tool": "result of a tool", "program": "Program"}
_NEAR = 3
"""Number of parts before and after the shown part to which its page has links."""
_LONGEST_SUMMARY = 91
_LONGEST_CALL = 71
"""Characters of the summary of a folded text, and of the arguments of a call."""
_FAR = 10
"""Number of further links, to parts at equal distances in the whole transcript."""
_TASK = "\n# Task\n"
"""The heading of the task, with which prompts of runs end."""


class ShownText(NamedTuple):
    """A text, or its beginning."""

    html: str
    left_out: int
    """Number of characters that are left out."""


class ShownCall(NamedTuple):
    """A call of a tool with its result."""

    name: str
    summary: str
    arguments: str
    result: str | None
    left_out: int
    is_open: bool
    """True if the call is unfolded, because it has the searched text."""


class ShownTurn(NamedTuple):
    """A turn that can have labels of its own, with these labels."""

    number: int
    status: str | None
    notes: str
    expected: str | None


class ShownMessage(NamedTuple):
    """A message for the page."""

    number: int
    """Number of the message in the session, from 1."""
    anchor: str
    kind: str
    """The style of the message: its role, or ``answer``."""
    speaker: str
    about: str
    """Model and time, if they are known and may be shown."""
    before_task: ShownText | None
    """The prompt of a run before its task, which is folded because all attempts have it."""
    text: ShownText | None
    summary: str
    """The beginning of a folded text; else empty."""
    calls: Sequence[ShownCall]
    is_answer: bool
    """True if the message is the judged answer."""
    is_open: bool
    """True if the text is unfolded, because it has the searched text."""
    turn: ShownTurn | None
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
            length += sum(min(size, _MOST_SHOWN) for size in (len(message.text), *arguments))
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


def find_answer_part(session: Session, parts: TranscriptParts) -> int | None:
    """Return the number of the part with the judged answer; None without such an answer."""
    index = _find_answer_place(session)
    return None if index is None else parts.find_part(index)


def make_shown_messages(
    session: Session,
    part: int,
    *,
    blind: bool,
    wanted: str = "",
    own: OwnLabels | None = None,
) -> list[ShownMessage]:
    """Return the messages of one part.

    Args:
        session: the session.
        part: number of the part, from 1.
        blind: whether model, time and cost are left out.
        wanted: a searched text; calls and texts that have it are unfolded.
        own: the labels of single turns; None if turns get no labels on the page.
    """
    results = {entry.tool_call_id: entry for entry in session.messages if entry.role == "tool"}
    called = {call.id for entry in session.messages for call in entry.tool_calls}
    judged = _find_answer_place(session)
    judged_apart = {} if own is None or blind else _make_shown_turns(session, own)
    messages: list[ShownMessage] = []
    for index in TranscriptParts.from_session(session).get_range(part):
        message = session.messages[index]
        if message.role == "tool" and message.tool_call_id in called:
            continue  # the result is shown with its call
        is_answer = index == judged
        at = f"{message.at:%Y-%m-%d %H:%M}" if message.at else None
        # The prompt of a run before its task, and the task.
        is_prompt = session.source.kind == "attempt" and message.role == "user"
        start = max(0, message.text.rfind(_TASK)) if is_prompt else 0
        before_task, text = message.text[:start], message.text[start + 1 if start else 0 :]
        folded = not is_answer and (len(text) > _FOLDED_FROM or message.role in _FOLDED)
        messages.append(
            ShownMessage(
                number=index + 1,
                anchor="answer" if is_answer else f"message-{index + 1}",
                kind="answer" if is_answer else message.role,
                speaker=_SPEAKERS.get(message.role, message.role),
                about="" if blind else " · ".join(fact for fact in (message.model, at) if fact),
                before_task=_render_text(before_task, message.role) if before_task else None,
                text=_render_text(text, message.role) if text.strip() else None,
                summary=make_one_line(text, _LONGEST_SUMMARY) if folded else "",
                calls=[
                    _make_shown_call(call, results.get(call.id), wanted)
                    for call in message.tool_calls
                ],
                is_answer=is_answer,
                is_open=holds(message.text, wanted),
                turn=judged_apart.get(index),
            )
        )
    return messages


def _make_shown_turns(session: Session, own: OwnLabels) -> dict[int, ShownTurn]:
    """Return the turns that can have labels of their own, by the index of their answers.

    The judged turn has the labels of the session, so it is among them only if it has its own.
    """
    return {
        turn.answer_place: ShownTurn(
            turn.number,
            None if (status := labels.get("evalStatus")) is None else str(status),
            str(labels.get("evalNotes") or ""),
            None if (expected := labels.get("expectedOutput")) is None else str(expected),
        )
        for turn in list_turns(session)
        if turn.answer_place is not None and (not turn.is_judged or turn.number in own)
        for labels in [own.get(turn.number, {})]
    }


def _find_answer_place(session: Session) -> int | None:
    judged = find_judged_turn(session)
    return judged.answer_place if judged else None


def _render_text(whole: str, role: str) -> ShownText:
    text = shown = whole[:_MOST_SHOWN]
    if role in {"tool", "program"}:
        # One block of code in markdown, even if the text has backticks.
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        shown = f"{fence}\n{text}\n{fence}"
    return ShownText(render_passage(shown), len(whole) - len(text))


def _make_shown_call(call: ToolCall, answer: SessionMessage | None, wanted: str) -> ShownCall:
    try:  # JSON has a line for each field; other texts stay as they are
        arguments = json.dumps(json.loads(call.arguments), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        arguments = call.arguments
    result = None if answer is None else answer.text
    return ShownCall(
        name=call.name,
        summary=make_one_line(call.arguments, _LONGEST_CALL),
        arguments=arguments[:_MOST_SHOWN],
        result=None if result is None else result[:_MOST_SHOWN],
        left_out=sum(max(0, len(content) - _MOST_SHOWN) for content in (arguments, result or "")),
        is_open=any(holds(text, wanted) for text in (call.name, call.arguments, result or "")),
    )
