"""The agreement of judge models with people: tables of statuses, in all, by tag and by model."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from generator.scores.agreement import compute_cohens_kappa
from generator.scores.intervals import compute_wilson_bounds
from records.errors import MissingRecordError
from records.sessions.asked import ModelOpinion, OpinionStatus, SessionOpinions
from records.sessions.labels import find_differing_judgements
from records.sessions.session import EvalStatus
from records.text.numbers import format_count, format_table_lines
from review.comparisons import IntervalEstimate
from review.labeled_session import LabeledSession
from review.store import SessionStore
from review.turns import compute_transcript_digest, find_judged_turn

PEOPLE_SAY = (EvalStatus.GOLDEN, EvalStatus.CORRECT, EvalStatus.INCORRECT)
"""Statuses of people, which are the rows of tables."""

JUDGES_SAY = tuple(OpinionStatus)
"""Statuses of judges, which are the columns of tables. The first columns are those of people."""

_VERDICTS = JUDGES_SAY[: len(PEOPLE_SAY)]

Apart = Literal["not_judged", "disputed", "changed", "waits_blind"]
"""The reason why a session has no status of people. No person judged it; reviewers differ; the
transcript changed or the session was deleted; an audit still needs a blind judgement of it."""

PeopleSay = EvalStatus | Apart

_UNKNOWN = "\N{EN DASH}"

_APART: Mapping[Apart, str] = {
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


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """A group of sessions for which agreement is measured."""

    kind: Literal["all", "tag", "answered_by"]
    name: str = ""
    """The tag, or the model that answered; empty for all sessions."""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """The agreement of one judge with people on one group of sessions."""

    judge: str
    group: SessionGroup
    table: Sequence[Sequence[int]]
    """Counts by people's status (`PEOPLE_SAY`) and the judge's status (`JUDGES_SAY`)."""
    pairs: int
    """Number of sessions with a verdict of both."""
    agreed: int
    """Number of sessions with the same verdict of both."""
    accuracy: IntervalEstimate | None
    """The share of pairs that agree; None without pairs."""
    kappa: IntervalEstimate | None
    """Cohen's kappa of the pairs; None if it is not defined."""
    abstained: int
    unreadable: int
    without_answer: int
    """Number of sessions without an answer of the judge, because of a fault or not asked yet."""
    apart: Mapping[Apart, int]
    """Numbers of sessions without a status of people, by reason; no other number has them."""


def find_people_statuses(
    opinions: SessionOpinions, sessions: Mapping[str, LabeledSession], waiting: frozenset[str]
) -> dict[str, PeopleSay]:
    """Return the status that people gave each session of a record, or why it has none.

    Args:
        opinions: the record.
        sessions: the sessions of the record that still exist, with their labels.
        waiting: ids of sessions that still need a blind judgement for an audit.
    """
    return {
        item.session: _find_people_status(
            sessions.get(item.session), item.seen, waits=item.session in waiting
        )
        for item in opinions.items
    }


def build_agreement_rows(
    opinions: SessionOpinions,
    sessions: Mapping[str, LabeledSession],
    people: Mapping[str, PeopleSay],
) -> list[AgreementRow]:
    """Return the rows of each judge: for all sessions, by tag, then by the model that answered."""
    groups = _group_sessions(opinions, sessions)
    by_place = {(opinion.session, opinion.model): opinion for opinion in opinions.answers}
    return [
        _build_row(model.slug, group, members, people, by_place)
        for model in opinions.models
        for group, members in groups.items()
    ]


def list_differing_sessions(
    opinions: SessionOpinions, people: Mapping[str, PeopleSay]
) -> list[tuple[str, str, EvalStatus, OpinionStatus]]:
    """Return session, judge, people's status and judge's status of each pair that differs."""
    rows: list[tuple[str, str, EvalStatus, OpinionStatus]] = []
    for opinion in opinions.answers:
        given, status = people[opinion.session], opinion.status
        if not isinstance(given, EvalStatus) or status is None or status not in _VERDICTS:
            continue
        if status.value != given.value:
            rows.append((opinion.session, opinion.model, given, status))
    return sorted(rows)


def _group_sessions(
    opinions: SessionOpinions, sessions: Mapping[str, LabeledSession]
) -> dict[SessionGroup, list[str]]:
    by_tag: defaultdict[str, list[str]] = defaultdict(list)
    by_model: defaultdict[str, list[str]] = defaultdict(list)
    for item in opinions.items:
        labeled = sessions.get(item.session)
        if labeled is None:
            continue
        for tag in set(labeled.session.eval_tags):
            by_tag[tag].append(item.session)
        if labeled.session.model is not None:
            by_model[labeled.session.model].append(item.session)
    return {
        SessionGroup("all"): [item.session for item in opinions.items],
        **{SessionGroup("tag", name): by_tag[name] for name in sorted(by_tag)},
        **{SessionGroup("answered_by", name): by_model[name] for name in sorted(by_model)},
    }


def _find_people_status(labeled: LabeledSession | None, seen: str, *, waits: bool) -> PeopleSay:
    """Return the status that people gave a session, or why it has none."""
    if waits:
        return "waits_blind"
    if labeled is None or compute_transcript_digest(labeled.session) != seen:
        return "changed"
    turn = find_judged_turn(labeled.session)
    own = labeled.turns.get(turn.number, {}).get("evalStatus") if turn else None
    if own not in {None, EvalStatus.NEEDS_REVIEW.value}:
        return EvalStatus(str(own))  # the turn's own status comes before the session's
    if find_differing_judgements(labeled.events):
        return "disputed"
    status = labeled.session.eval_status
    if labeled.is_unjudged or status is EvalStatus.NEEDS_REVIEW:
        return "not_judged"
    return status


def _build_row(
    judge: str,
    group: SessionGroup,
    members: Sequence[str],
    people: Mapping[str, PeopleSay],
    opinions: Mapping[tuple[str, str], ModelOpinion],
) -> AgreementRow:
    cells: Counter[tuple[EvalStatus, OpinionStatus]] = Counter()
    apart: Counter[Apart] = Counter()
    without_answer = 0
    for session in members:
        status = people[session]
        opinion = opinions.get((session, judge))
        if not isinstance(status, EvalStatus):
            apart[status] += 1
        elif opinion is None or opinion.status is None:
            without_answer += 1
        else:
            cells[status, opinion.status] += 1
    table = [[cells[person, judged] for judged in JUDGES_SAY] for person in PEOPLE_SAY]
    square = [row[: len(PEOPLE_SAY)] for row in table]
    pairs = sum(map(sum, square))
    agreed = sum(square[at][at] for at in range(len(square)))
    accuracy = None
    if pairs:
        share = np.array(agreed / pairs)
        bounds = compute_wilson_bounds(share, np.array(float(pairs))).to_interval()
        accuracy = IntervalEstimate(agreed / pairs, bounds.low, bounds.high)
    kappa = compute_cohens_kappa(square)
    return AgreementRow(
        judge=judge,
        group=group,
        table=table,
        pairs=pairs,
        agreed=agreed,
        accuracy=accuracy,
        kappa=None
        if kappa is None
        else IntervalEstimate(kappa.value, kappa.interval.low, kappa.interval.high),
        abstained=sum(row[JUDGES_SAY.index(OpinionStatus.ABSTAIN)] for row in table),
        unreadable=sum(row[JUDGES_SAY.index(OpinionStatus.UNREADABLE)] for row in table),
        without_answer=without_answer,
        apart=dict(apart),
    )


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
