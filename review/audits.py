"""Audits of the graders: the random drawing of attempts, and the progress of their judges.

Attempts are drawn spread over evals and verdicts. Half of the sample are passed attempts, and half
are failed attempts. Within each half, all attempts have the same chance. They are sorted by eval,
in random order within an eval, and each k-th attempt from a random start is taken (systematic
sampling with a fractional interval; Cochran 1977, Sampling Techniques, section 8). So an eval has
its share of the sample, rounded up or down, and shares of right and wrong attempts in the sample
are unbiased estimates for all attempts.

Attempts that are still to be judged, and those on which judges differ, are known by the logs of all
drawn sessions. An audit is read again only if it changed. Reviewers are known by their pseudonyms,
and people without a pseudonym count as one reviewer. `review.label_service` decides how a reviewer
may see and change a session.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from records.errors import InvalidRecordError
from records.files.plain_files import read_stamp
from records.reader import read_record
from records.sessions.audit import (
    Audit,
    AuditedOutcome,
    AuditItem,
    AuditState,
    AuditStratum,
    Judgements,
    find_judgements,
    make_audit_id,
    parse_status,
)
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.shapes.attempt import StepName
from review.errors import ReviewError
from review.selection import SessionSelection
from review.store import SessionStore

_OUTCOMES: tuple[AuditedOutcome, ...] = ("passed", "failed")


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """An attempt that can be drawn."""

    eval: str
    outcome: AuditedOutcome
    run_id: str
    sample: int
    failed_step: StepName | None


@dataclass(frozen=True, slots=True)
class Request:
    """Size and seed of a drawing, and the share of attempts that two people judge."""

    size: int
    """Number of attempts to draw; if there are fewer, all are drawn."""
    seed: int
    double: float
    """Share of the drawn attempts, 0 to 1, that two people judge."""


def draw(
    benchmark_version: str,
    candidates: Sequence[Candidate],
    request: Request,
    *,
    at: datetime,
    session_of: Callable[[str, str, int], str],
) -> Audit:
    """Draw an audit. The same request and candidates, in any order, give the same attempts.

    Args:
        benchmark_version: the version whose graders judged the attempts.
        candidates: all attempts that can be drawn.
        request: size and seed of the drawing.
        at: the present time.
        session_of: returns the id of an attempt's session, for its run, eval and sample.

    Raises:
        ReviewError: there is nothing to draw from.
    """
    if not candidates:
        raise ReviewError(f"{benchmark_version}: no attempt that passed or failed and was kept")
    chance = random.Random(request.seed)  # noqa: S311 - a draw that anybody can repeat
    ordered = sorted(candidates)
    passed, failed = ([each for each in ordered if each.outcome == name] for name in _OUTCOMES)
    # Of each outcome, half of the sample is drawn, or more if the other has too few.
    half = request.size // 2
    rest = request.size - half
    drawn: list[tuple[Candidate, float]] = []
    for having, size in (
        (passed, min(len(passed), half + max(0, rest - len(failed)))),
        (failed, min(len(failed), rest + max(0, half - len(passed)))),
    ):
        if size:
            jumbled = sorted(having, key=lambda candidate: (candidate.eval, chance.random()))
            step, start = len(jumbled) / size, chance.random()
            for number in range(size):
                index = min(math.floor((start + number) * step), len(jumbled) - 1)
                drawn.append((jumbled[index], step))
    chance.shuffle(drawn)
    doubled = set(chance.sample(range(len(drawn)), round(request.double * len(drawn))))
    counts = Counter((candidate.eval, candidate.outcome) for candidate in ordered)
    drawn_counts = Counter((candidate.eval, candidate.outcome) for candidate, _ in drawn)
    return Audit(
        schema_version=1,
        audit_id=make_audit_id(benchmark_version, request.seed),
        benchmark_version=benchmark_version,
        drawn_at=at,
        seed=request.seed,
        runs=tuple(sorted({candidate.run_id for candidate in ordered})),
        strata=tuple(
            AuditStratum(
                eval=name,
                outcome=outcome,
                population=counts[name, outcome],
                drawn=drawn_counts[name, outcome],
            )
            for name in sorted({candidate.eval for candidate in ordered})
            for outcome in _OUTCOMES
            if counts[name, outcome]
        ),
        steps=dict(Counter(each.failed_step for each in ordered if each.failed_step is not None)),
        items=tuple(
            AuditItem(
                session=session_of(candidate.run_id, candidate.eval, candidate.sample),
                **asdict(candidate),
                weight=weight,
                reviewers=2 if index in doubled else 1,
            )
            for index, (candidate, weight) in enumerate(drawn)
        ),
    )


@dataclass(frozen=True, slots=True)
class AuditTask:
    """An attempt that an audit drew, with its judgements."""

    audit: Audit
    number: int
    """Number of the attempt in the audit, from 1."""
    item: AuditItem
    judgements: Judgements

    @property
    def name(self) -> str:
        """The name of the attempt while it is judged, which does not disclose its run."""
        return f"{self.audit.audit_id}/{self.number}"

    @property
    def state(self) -> AuditState:
        """The state of the judgements."""
        return self.judgements.state

    @property
    def is_open(self) -> bool:
        """True if a judgement is still missing."""
        return self.state is AuditState.OPEN

    @property
    def sides(self) -> Sequence[LabelEvent]:
        """The blind judgements if they differ, else none."""
        blind = self.judgements.blind
        return blind if len({parse_status(event) for event in blind}) > 1 else ()

    def is_blind_for(self, reviewer: str | None) -> bool:
        """Return whether this reviewer may still judge the attempt, and so must see no verdict.

        False for a reviewer who has judged it, and for everybody if it is settled or disputed.
        """
        judged = {event.reviewer for event in self.judgements.blind}
        return self.is_open and reviewer not in judged


class AuditedIds(NamedTuple):
    """Ids of the sessions that audits drew, for one reviewer."""

    waiting: Sequence[str]
    """Sessions that the reviewer is to judge blind, in the order of the audits."""
    damaged: Sequence[str]
    """Sessions whose label log cannot be read, so that it is not known whether they were judged."""
    disputed: Sequence[str]
    """Sessions on which judges differ, in the order of the audits."""
    judged: int
    """Number of sessions that the reviewer has judged blind."""

    @property
    def hidden(self) -> frozenset[str]:
        """The sessions that are in no list and no export of the reviewer."""
        return frozenset((*self.waiting, *self.damaged))

    def restrict_selection(self, chosen: SessionSelection) -> SessionSelection:
        """Return the selection without hidden sessions.

        If the selection has a model, disputed sessions are left out, too, also those in dispute
        outside of audits. A session in a list would disclose the verdict, the model or the day that
        the list selects, and perhaps its run, by the sessions beside it.
        """
        by_model = chosen.model is not None
        without = self.hidden.union(self.disputed if by_model else ())
        return replace(chosen, without=without, run_shown=by_model)


@lru_cache(maxsize=100)
def _read_audit(path: Path, _: str | None) -> Audit:
    """Return the audit in a file; with another stamp, the second argument, it is read again."""
    return read_record(Audit, path)


class AuditTasks:
    """The attempts that audits of a data folder drew, from published and development runs."""

    def __init__(self, store: SessionStore) -> None:
        self._folder = store.folder

    def list_audits(self) -> list[Audit]:
        """Return the audits, the newest first. An audit with the same stamp is not read again.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        paths = chain(self._folder.audits.list_files(), self._folder.local.audits.list_files())
        return sorted(
            (_read_audit(path, read_stamp(path)) for path in paths),
            key=lambda audit: (audit.drawn_at, audit.audit_id),
            reverse=True,
        )

    def list_tasks(self) -> Iterator[AuditTask]:
        """Yield all drawn attempts, the newest audit first, in the order of each audit.

        Raises:
            InvalidRecordError: an audit or a label log cannot be read.
        """
        for place in self._list_places():
            yield self._read_task(*place)

    def _list_places(self) -> Iterator[tuple[Audit, int, AuditItem]]:
        for audit in self.list_audits():
            for number, item in enumerate(audit.items, 1):
                yield audit, number, item

    def group_ids(self, reviewer: str | None) -> AuditedIds:
        """Return the drawn sessions, by their state for a reviewer.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        waiting: dict[str, None] = {}
        damaged: dict[str, None] = {}
        disputed: dict[str, None] = {}
        judged: set[str] = set()
        for audit, number, item in self._list_places():
            try:
                task = self._read_task(audit, number, item)
            except InvalidRecordError:
                damaged[item.session] = None
                continue
            if task.is_blind_for(reviewer):
                waiting[item.session] = None
            if task.state is AuditState.DISPUTED:
                disputed[item.session] = None
            if any(event.reviewer == reviewer for event in task.judgements.blind):
                judged.add(item.session)
        return AuditedIds([*waiting], [*damaged], [*disputed], len(judged))

    def list_session_tasks(self, session_id: str, events: Sequence[LabelEvent]) -> list[AuditTask]:
        """Return the tasks of a session in all audits, the newest audit first.

        Args:
            session_id: the session.
            events: the events of its label log.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        return [
            AuditTask(audit, number, item, find_judgements(audit, item, events))
            for audit, number, item in self._list_places()
            if item.session == session_id
        ]

    def find_task(self, name: str) -> AuditTask | None:
        """Return the task with this `AuditTask.name`; None if there is none."""
        for audit, number, item in self._list_places():
            if name == f"{audit.audit_id}/{number}":
                return self._read_task(audit, number, item)
        return None

    def _read_task(self, audit: Audit, number: int, item: AuditItem) -> AuditTask:
        events = read_log(LabelEvent, self._folder.get_label_file(item.session))
        return AuditTask(audit, number, item, find_judgements(audit, item, events))
