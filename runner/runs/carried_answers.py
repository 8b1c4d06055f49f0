"""Answers that a run carries over from earlier runs, and the entries of its journal for them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime

from records.archives.archive import Archive, compute_prompt_digest
from records.archives.archive_check import find_contradiction
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.journal.entries import AttemptKey, Generated
from records.shapes.attempt import Attempt, CarriedOver
from records.shapes.run import Run
from runner.runs.record import restore_generated


@dataclass(frozen=True, slots=True)
class CarriedAnswer:
    """An answer of an earlier run that another run takes over."""

    folder: DataFolder
    """The data folder of the earlier run."""
    slug: str
    """The slug of the model."""
    attempt: Attempt
    """The attempt of the earlier run."""
    origin: CarriedOver
    """The reference to the earlier run, for the record of the new run."""

    @property
    def place(self) -> AttemptKey:
        """The eval and the sample, which identify the question."""
        return AttemptKey(self.attempt.eval, self.attempt.sample)


@dataclass(frozen=True, slots=True)
class CarryOver:
    """The answers that a run carries over, and the questions that it asks, with the reasons."""

    began: datetime
    """The start of the run, from which the ages of answers are counted."""
    days: int
    """The greatest age of an answer, in days."""
    answers: Sequence[CarriedAnswer]
    """The carried answers, sorted by eval and sample."""
    sources: Sequence[Run]
    """The runs of the carried answers, the newest first."""
    refused: Mapping[str, str]
    """The reasons by the ids of earlier runs of which nothing is carried over, the newest first."""
    asked: Mapping[AttemptKey, str]
    """The questions that are asked all the same, each with the reason."""

    def count_by_run(self) -> dict[str, int]:
        """Return the number of answers from each run, the newest run first."""
        numbers = Counter(answer.origin.run for answer in self.answers)
        return {run.run_id: numbers[run.run_id] for run in self.sources}


def read_journal_entries(answers: Sequence[CarriedAnswer]) -> Iterator[Generated]:
    """Yield the journal's entry for each of ``answers``, with one reply in memory at a time.

    Raises:
        InvalidRecordError: an archive has changed since the run was planned.
        MissingRecordError: an archive is gone.
    """
    with ExitStack() as stack:
        archives: dict[str, Archive] = {}
        for answer in answers:
            path = answer.folder.get_artifact_file(answer.slug, answer.origin.run)
            if answer.origin.run not in archives:
                archives[answer.origin.run] = stack.enter_context(Archive(path))
            artifact = archives[answer.origin.run].read(*answer.place)
            changed = find_contradiction(answer.attempt, artifact) is not None
            if changed or compute_prompt_digest(artifact.messages) != answer.origin.prompt:
                raise InvalidRecordError(
                    path, f"{answer.place.eval}/{answer.place.sample}", "has changed since the plan"
                )
            carried = answer.attempt.model_copy(update={"carried_over": answer.origin})
            yield restore_generated(carried, artifact)
