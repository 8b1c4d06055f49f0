"""An export before it is written: counts, size, labels without a place, and repeated turns.

Sessions are read as they are for the export, but no row is rendered: sizes are sums over texts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final, Literal

from records.sessions.session import Session, ToolCall
from review.exports.choice import REPEATED, SessionChoice, TurnRows, chosen_of
from review.exports.forks import RepeatedTurns
from review.exports.formats import Exportable, ExportCounts, ExportFormat
from review.exports.prepared import ExportedSession, prepared
from review.exports.rows import ExportedTurn, ExportOptions
from review.store import SessionProblem

LARGE_BYTES: Final = 200_000_000
"""Size from which on a smaller export is proposed."""
SHORT_CONTEXT: Final = 10
"""Messages of context of the export that is proposed."""
_OF_A_MESSAGE: Final = 45
"""Bytes of a message beside its text: names of fields, quotes, the role."""
_OF_A_CALL: Final = 100
"""Bytes of a call beside its name and arguments."""
_OF_A_ROW: Final = 420
"""Bytes of a row beside its texts: names of fields, id, model, times."""


@dataclass(slots=True)
class ExportPlan:
    """The content of an export, as far as no session changes before it is written."""

    counts: ExportCounts = field(default_factory=ExportCounts)
    size: int = 0
    """Bytes, about."""
    size_of_last: int = 0
    """Bytes with the judged turn of each session alone, about."""
    size_of_short: int = 0
    """Bytes with a context of SHORT_CONTEXT messages, about."""
    repeated: Mapping[str, set[int]] = field(default_factory=dict[str, set[int]])
    """By session: numbers of turns that another session of the export has, too."""

    @property
    def is_large(self) -> bool:
        """True if a smaller export is proposed."""
        return self.size >= LARGE_BYTES

    def proposals(self) -> dict[Literal["last", "short"], str]:
        """Return the sizes of smaller exports, where this export is large.

        ``last`` has the judged turn alone, ``short`` a context of SHORT_CONTEXT messages.
        """
        sizes: dict[Literal["last", "short"], int] = {
            "last": self.size_of_last,
            "short": self.size_of_short,
        }
        return {
            name: in_megabytes(size)
            for name, size in sizes.items()
            if self.is_large and size < self.size / 2
        }


def plan_of(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    *,
    counts_lookalikes: bool = True,
) -> ExportPlan:
    """Return the content of an export.

    Secrets stay in meanwhile, for taking them out takes time and leaves every row. They are taken
    out only of texts with strings that look like a secret, to count the strings that stay, where
    such strings are counted.
    """
    plan = ExportPlan()
    counts = plan.counts
    forks = RepeatedTurns(first_wins=options.limit is not None)
    plain = replace(options, redact=False)
    for source in sessions:
        if counts.rows == options.limit:
            break
        if isinstance(source, SessionProblem):
            counts.problems.append(source)
            continue
        session = prepared(source, plain)
        choice = chosen_of(session, form.rows)
        counts.add(session, choice)
        rows = len(choice.turns) or int(choice.is_row)
        if rows and counts_lookalikes:
            counts.lookalikes.add(session, redact=options.redact)
        if choice.turns:
            fewer = forks.add(
                source if isinstance(source, Session) else source.session, choice.turns
            )
            counts.skipped[REPEATED] += fewer
            rows -= fewer
        counts.rows += rows if options.limit is None else min(rows, options.limit - counts.rows)
        _add_sizes(plan, session, form, choice)
    counts.skipped = +counts.skipped
    plan.repeated = forks.numbers
    return plan


def in_megabytes(size: int) -> str:
    """Return a size in words."""
    return f"{size / 1e6:,.1f} MB" if size < 10_000_000 else f"{size / 1e6:,.0f} MB"  # noqa: PLR2004


def _add_sizes(
    plan: ExportPlan, session: ExportedSession, form: ExportFormat, choice: SessionChoice
) -> None:
    record = session.session
    per_message = 4 if isinstance(form.rows, TurnRows) and form.rows.context == "texts" else None
    texts = [written_size(message.text) for message in record.messages]
    sizes = [
        text
        + (per_message or _OF_A_MESSAGE)
        + (0 if per_message else sum(map(_size_of_call, message.tool_calls)))
        for text, message in zip(texts, record.messages, strict=True)
    ]
    until = [0, *accumulate(sizes)]
    labels = written_size(record.title) + sum(map(written_size, record.eval_tags))
    row = _OF_A_ROW + labels + written_size(record.title if per_message else "")
    if choice.is_row:
        size = row + until[-1] + written_size(record.eval_notes)
        plan.size += size
        plan.size_of_last += size
        plan.size_of_short += size
    for turn in choice.turns:
        alone = row + _size_of_turn(turn, texts, answers=per_message is not None)
        size = alone + _context(until, turn, session.options.context)
        plan.size += size
        plan.size_of_short += alone + _context(until, turn, SHORT_CONTEXT)
        plan.size_of_last += size if turn.turn.is_judged else 0


def _context(until: list[int], turn: ExportedTurn, most: int | None) -> int:
    start = turn.turn.start
    return until[start] - (0 if most is None else until[max(0, start - most)])


def _size_of_turn(turn: ExportedTurn, texts: Sequence[int], *, answers: bool) -> int:
    """Return the bytes of a turn; ``texts`` are the sizes of the texts of all messages."""
    index = turn.turn.answer_place
    answer = texts[index] if turn.turn.answer and index is not None else 0
    truth = answer if turn.truth == turn.turn.answer else written_size(turn.truth or "")
    size = texts[turn.turn.start] + truth + written_size(turn.notes) * (2 if answers else 1)
    if answers:
        size += answer + sum(map(_size_of_call, turn.turn.calls))
    return size


def _size_of_call(call: ToolCall) -> int:
    return _OF_A_CALL + len(call.name) + written_size(call.arguments)


def written_size(text: str) -> int:
    """Return the bytes of a text in JSON."""
    return len(text.encode()) + sum(map(text.count, '"\\\n\t\r'))
