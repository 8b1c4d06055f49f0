"""The agreement of judge models with people, as lines for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from generator.scores.agreement import compute_cohens_kappa
from generator.scores.intervals import compute_wilson_bounds
from records.errors import MissingRecordError
from records.sessions.opinions import SessionOpinions
from records.text.numbers import format_count
from records.text.plain_table import format_table_lines
from review.interval_estimate import IntervalEstimate
from review.labeled_session import LabeledSession
from review.opinions.agreement import (
    JUDGES_SAY,
    PEOPLE_SAY,
    AgreementRow,
    Apart,
    Statistics,
)
from review.store import SessionStore

_UNKNOWN: Final = "\N{EN DASH}"

_APART: Final[Mapping[Apart, str]] = {
    "not_judged": "not judged by a person",
    "disputed": "disputed between reviewers",
    "changed": "changed or deleted since",
    "waits_blind": "waiting for an audit",
}


def read_judged_sessions(
    store: SessionStore, opinions: SessionOpinions
) -> dict[str, LabeledSession]:
    """Return the sessions of a record that still exist, with their labels, by their ids.

    Raises:
        InvalidRecordError: a session or its log cannot be read.
    """
    sessions: dict[str, LabeledSession] = {}
    for item in opinions.items:
        try:
            sessions[item.session] = store.read(item.session)
        except MissingRecordError:
            continue
    return sessions


def _estimate_accuracy(agreed: int, pairs: int) -> IntervalEstimate:
    bounds = compute_wilson_bounds(np.array(agreed / pairs), np.array(float(pairs))).to_interval()
    return IntervalEstimate(agreed / pairs, bounds.low, bounds.high)


def _estimate_kappa(table: Sequence[Sequence[int]]) -> IntervalEstimate | None:
    kappa = compute_cohens_kappa(table)
    if kappa is None:
        return None
    return IntervalEstimate(kappa.value, kappa.interval.low, kappa.interval.high)


STATISTICS: Final = Statistics(_estimate_accuracy, _estimate_kappa)
"""Accuracy with Wilson's interval, and Cohen's kappa."""


def format_agreement_lines(rows: Sequence[AgreementRow]) -> Iterator[str]:
    """Yield the lines about each judge: a table over all sessions, then a line for each group."""
    for row in rows:
        if row.group.kind == "all":
            yield f"{row.judge}: {_format_agreement(row)}"
            head = ["people \\ judge", *(status.value for status in JUDGES_SAY)]
            counts = [
                [status.value, *map(str, cells)]
                for status, cells in zip(PEOPLE_SAY, row.table, strict=True)
            ]
            yield from (f"  {line}" for line in format_table_lines(head, counts))
            apart = [f"{number} {_APART[reason]}" for reason, number in sorted(row.apart.items())]
            if row.without_answer:
                apart.append(f"{row.without_answer} without an opinion")
            if apart:
                yield f"  apart: {', '.join(apart)}"
        else:
            kind = "tag" if row.group.kind == "tag" else "answered by"
            yield f"  {kind} {row.group.name}: {_format_agreement(row)}"


def _format_agreement(row: AgreementRow) -> str:
    return (
        f"{row.agreed} of {format_count(row.pairs, 'pair')} agree, "
        f"accuracy {row.accuracy or _UNKNOWN}, kappa {row.kappa or _UNKNOWN}"
    )
