"""The choice of answers of earlier runs that a new run need not ask for again.

An answer is carried over if everything that it depends on is the same in the record of the earlier
run: the model and its address, the parameters as set and as sent, the guidelines, the
packages that the prompt names, and the prompt itself, word for word. If a record lacks one of
these values, the question is asked.

Answers come only from runs that asked by another benchmark version. A further run of the same
version is a repeat, which needs new answers. A run that moved to the version with all its evals is
not asked again either.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from records.archives.archive import (
    Message,
    OpenArchives,
    compute_prompt_digest,
    find_contradiction,
)
from records.errors import InvalidRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.journal.entries import Generated
from records.reader import read_run
from records.runs.carrying import find_age_problem, find_difference
from records.shapes.attempt import JUDGED, Attempt, AttemptKey, CarriedOver
from records.shapes.run import Run
from runner.answers.prompt import PACKAGES, render_prompt
from runner.evals.discovery import Eval
from runner.runs.record import restore_generated
from runner.runs.regrade import read_stored_answers

REPEATED = "with a verdict under this version"

CHANGED = "with another prompt"

UNANSWERED = "without an earlier answer"


class CarriedAnswer(NamedTuple):
    """An answer of an earlier run that another run takes over."""

    archive: Path
    """The archive of the earlier run."""
    attempt: Attempt
    """The attempt of the earlier run, with the reference to this run for the new record."""


class CarryOver(NamedTuple):
    """The answers that a run carries over, and the questions that it asks, with the reasons."""

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
        origins = (answer.attempt.carried_over for answer in self.answers)
        numbers = Counter(origin.run for origin in origins if origin is not None)
        return {run.run_id: numbers[run.run_id] for run in self.sources}


def plan_carry_over(
    planned: Run,
    evals: Mapping[str, Eval],
    guidelines: str | None,
    folders: Sequence[DataFolder],
    days: int,
) -> CarryOver:
    """Return the answers of earlier runs in ``folders`` that are at most ``days`` days old.

    If several runs have an answer to the same question, the newest run's answer is taken.

    Args:
        planned: the plan of the run, with its harness.
        evals: the planned evals by name.
        guidelines: the text that is sent; None if none is sent.
        folders: the data folders of the earlier runs.
        days: the greatest age of an answer when the run begins.

    Raises:
        InvalidRecordError: a record in ``folders`` cannot be read.
    """
    earlier = [
        (folder, run)
        for folder in folders
        for run in map(read_run, folder.list_model_run_files(planned.model.slug))
        if run.experiment.name == planned.experiment.name
        and run.withdrawn is None
        and run.model.kind == "llm"
    ]
    earlier.sort(key=lambda pair: pair[1].began, reverse=True)
    # The evals that a run of the same version has a verdict on, or will have.
    repeated: set[str] = set()
    for _, run in earlier:
        if _is_repeated(planned, run):
            repeated |= {*run.planned} if run.status == "running" else set[str]()
            repeated |= {
                attempt.eval
                for attempt in run.attempts
                if attempt.outcome in JUDGED or attempt.carried_over is not None
            }
    reasons = {
        place: REPEATED if place.eval in repeated else UNANSWERED
        for place in planned.iterate_places()
    }
    prompts = {
        name: tuple(map(Message.model_validate, render_prompt(evaluation, guidelines)))
        for name, evaluation in evals.items()
    }
    # Only prompts for Convex name versions of packages.
    has_packages = all(evaluation.kind.has_convex_answers for evaluation in evals.values())
    packages = PACKAGES if has_packages else ()
    answers: dict[AttemptKey, CarriedAnswer] = {}
    sources: list[Run] = []
    refused: dict[str, str] = {}
    for folder, run in earlier:
        if _is_repeated(planned, run):
            continue
        if (why := _find_obstacle(planned, run, days, packages)) is not None:
            refused[run.run_id] = why
            continue
        open_questions = {key for key, why in reasons.items() if why != REPEATED} - answers.keys()
        try:
            results = list(_read_answers(folder, run, open_questions, prompts))
        except RecordsError as error:
            refused[run.run_id] = f"has no archive that can be read: {error}"
            continue
        carried = {key: answer for key, answer in results if answer is not None}
        reasons |= {key: CHANGED for key, answer in results if answer is None}
        outdated = open_questions & {attempt.place for attempt in run.outdated}
        reasons |= dict.fromkeys(outdated, CHANGED)
        answers |= carried
        sources += [run] if carried else []
    return CarryOver(
        answers=[answers[key] for key in sorted(answers)],
        sources=sources,
        refused=refused,
        asked={key: why for key, why in reasons.items() if key not in answers},
    )


def _is_repeated(planned: Run, run: Run) -> bool:
    """Return whether ``planned`` is a further run beside ``run``, of the same version.

    A run that moved to the version without answers to all planned evals is only a source.
    """
    is_part = run.asked_version is not None and not {*planned.planned} <= {*run.planned}
    return run.benchmark_version == planned.benchmark_version and not is_part


def _find_obstacle(planned: Run, run: Run, days: int, packages: Iterable[str]) -> str | None:
    """Return why no answer of ``run`` can be carried over; None if some may be.

    Prompts name the versions of ``packages``.
    """
    if run.status == "running":
        return "has not ended"
    if (why := find_difference(run, planned.model, planned.experiment)) is not None:
        return why
    if (why := find_age_problem(run, planned.started_at, days)) is not None:
        return why
    versions = run.harness.toolchain if run.harness else {}
    today = planned.harness.toolchain if planned.harness else {}
    for name in packages:
        if name not in versions or versions[name] != today.get(name):
            return f"named {name} {versions.get(name, 'in an unknown version')}"
    return None


def _read_answers(
    folder: DataFolder,
    run: Run,
    wanted: set[AttemptKey],
    prompts: Mapping[str, tuple[Message, ...]],
) -> Iterator[tuple[AttemptKey, CarriedAnswer | None]]:
    """Yield each wanted question that ``run`` itself asked, with its complete answer.

    The answer is None if the run's prompt differs from today's.
    """
    own = wanted & {
        attempt.place
        for attempt in run.attempts
        if attempt.generation is not None and attempt.carried_over is None
    }
    path = folder.get_artifact_file(*run.key)
    for answer in read_stored_answers(folder, run, own):
        attempt, messages = answer.attempt, answer.kept.messages
        if not answer.is_intact:
            continue
        if messages != prompts[attempt.eval] or run.started_at is None:
            yield attempt.place, None
            continue
        digest = compute_prompt_digest(messages)
        origin = CarriedOver(run=run.run_id, asked_from=run.started_at, prompt=digest)
        changed = attempt.model_copy(update={"carried_over": origin})
        yield attempt.place, CarriedAnswer(path, changed)


def read_journal_entries(answers: Sequence[CarriedAnswer]) -> Iterator[Generated]:
    """Yield the journal's entry for each of ``answers``, with one reply in memory at a time.

    Raises:
        InvalidRecordError: an archive has changed since the run was planned.
        MissingRecordError: an archive is gone.
    """
    with OpenArchives() as archives:
        for answer in answers:
            attempt = answer.attempt
            artifact = archives.read(answer.archive, *attempt.place)
            if find_contradiction(attempt, artifact) is not None:
                field = f"{attempt.eval}/{attempt.sample}"
                raise InvalidRecordError(answer.archive, field, "has changed since the plan")
            yield restore_generated(attempt, artifact)
