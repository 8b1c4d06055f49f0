"""The log of people's judgements of a comparison: appended, never rewritten.

A judgement counts once its line is on the disk. Writers take turns by a lock on the log; a line
that a killed writer left half is cut off by the next.
"""

import fcntl
import os
from collections.abc import Callable, Sequence
from io import BufferedRandom

from records.files.data_folder import DataFolder
from records.files.plain_files import open_to_change
from records.reader import read_comparison, read_judgements
from records.sessions.comparison import ComparisonChoice, ComparisonJudgement, ModelComparison
from records.sessions.event_ids import new_event_id
from records.sessions.event_order import moment_after, standing
from review.comparisons.pairs import ComparedPair, SideChoice


class ComparisonStore:
    """The comparisons of a data folder, with the judgements of people."""

    def __init__(self, folder: DataFolder) -> None:
        """Read and write below ``folder``, the local folder: comparisons are not published."""
        self._folder = folder

    def all(self) -> list[ModelComparison]:
        """Return the comparisons, the newest first.

        Raises:
            InvalidRecordError: one of them cannot be read.
        """
        comparisons = [read_comparison(path) for path in self._folder.comparison_files()]
        return sorted(
            comparisons,
            key=lambda comparison: (comparison.began_at, comparison.comparison_id),
            reverse=True,
        )

    def read(self, comparison_id: str) -> ModelComparison:
        """Return one comparison.

        Raises:
            MissingRecordError: there is none of this id.
            InvalidRecordError: it cannot be read.
        """
        return read_comparison(self._folder.comparison_file(comparison_id))

    def judgements(self, comparison_id: str) -> list[ComparisonJudgement]:
        """Return the log of a comparison.

        Raises:
            InvalidRecordError: a line of it is no judgement.
        """
        return read_judgements(self._folder.judgement_file(comparison_id))

    def judge(
        self, comparison_id: str, pair: ComparedPair, side: SideChoice, reviewer: str | None
    ) -> None:
        """Append a judgement of a pair; an earlier one of this reviewer counts no more."""
        self._append(
            comparison_id, lambda events: _judgement(events, pair, pair.chosen(side), reviewer)
        )

    def undo(
        self, comparison_id: str, pair: ComparedPair, reviewer: str | None
    ) -> ComparisonJudgement | None:
        """Take back this reviewer's latest judgement of a pair; null where there is none."""

        def inverse(events: Sequence[ComparisonJudgement]) -> ComparisonJudgement | None:
            own = [event for event in standing(events) if _is_by(event, reviewer, pair)]
            if not own:
                return None
            judgement = _judgement(events, pair, own[-1].choice, reviewer)
            return judgement.model_copy(update={"undoes": own[-1].id})

        return self._append(comparison_id, inverse)

    def _append(
        self,
        comparison_id: str,
        made: Callable[[Sequence[ComparisonJudgement]], ComparisonJudgement | None],
    ) -> ComparisonJudgement | None:
        """Append the judgement that ``made`` makes of the events, under the lock; null: none."""
        path = self._folder.judgement_file(comparison_id)
        with BufferedRandom(open_to_change(path, make=True)) as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            data = log.read()
            log.truncate(data.rfind(b"\n") + 1)
            event = made(read_judgements(path))
            if event is not None:
                log.seek(0, os.SEEK_END)
                log.write(f"{event.model_dump_json()}\n".encode())
                log.flush()
                os.fsync(log.fileno())
            return event


def _judgement(
    events: Sequence[ComparisonJudgement],
    pair: ComparedPair,
    choice: ComparisonChoice,
    reviewer: str | None,
) -> ComparisonJudgement:
    """Return a new judgement of a pair, which replaces this reviewer's latest judgement of it."""
    earlier = [event for event in events if _is_by(event, reviewer, pair)]
    at = moment_after(events)
    return ComparisonJudgement(
        id=new_event_id(at),
        at=at,
        replaces=earlier[-1].id if earlier else None,
        reviewer=reviewer,
        session=pair.item.session,
        first=pair.first,
        second=pair.second,
        choice=choice,
    )


def _is_by(event: ComparisonJudgement, reviewer: str | None, pair: ComparedPair) -> bool:
    return event.reviewer == reviewer and pair.is_of(event)
