"""Stored answers of finished runs, and the graders that their verdicts depend on today."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from records.archives.archive import (
    Archive,
    AttemptArtifact,
    compute_answer_digest,
    compute_artifact_digest,
)
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, GradingKey, Outcome
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from runner.evals.discovery import Eval
from runner.grading.grade import Submission, compute_grading_key
from runner.grading.worker.protocol import ALL_TESTS
from runner.python_toolchain import GradingToolchain
from runner.runs.judge import name_judge
from runner.runs.settings import GradingSettings


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An attempt that was graded, with its part of the archive."""

    attempt: Attempt
    kept: AttemptArtifact
    """The attempt's part of the archive."""
    reply: str
    """The text of the model."""

    @property
    def is_intact(self) -> bool:
        """True if the archive's answer has the digests that the record has of the graded answer."""
        same_answer = self.attempt.key is None or (
            compute_answer_digest(self.kept.files) == self.attempt.key.answer
        )
        return same_answer and compute_artifact_digest(self.kept) == self.attempt.artifact


def read_stored_answers(folder: DataFolder, run: Run) -> Iterator[StoredAnswer]:
    """Yield the attempts of ``run`` that have a graded reply, in the record's order.

    Attempts whose provider failed and attempts of imported runs have no reply and are left out.

    Raises:
        MissingRecordError: the archive is missing though the record names it.
        InvalidRecordError: the archive is damaged, or larger than the limits.
    """
    graded = [
        candidate
        for candidate in run.attempts
        if candidate.artifact is not None and candidate.steps is not None
    ]
    if not graded:
        return
    with Archive(folder.get_artifact_file(run.model.slug, run.run_id)) as archive:
        for attempt in graded:
            artifact = archive.read(attempt.eval, attempt.sample)
            if artifact.reply is not None:
                yield StoredAnswer(attempt, artifact, artifact.reply)


@dataclass(frozen=True, slots=True)
class Grading:
    """Today's graders, with everything that their verdicts depend on."""

    version: Benchmark
    """The suite's benchmark version."""
    evals: Mapping[str, Eval]
    toolchain: GradingToolchain
    settings: GradingSettings

    def compute_verdict_key(self, answer: StoredAnswer) -> GradingKey | None:
        """Return the key of today's verdict on ``answer``; None if the suite lacks its eval."""
        evaluation = self.evals.get(answer.attempt.eval)
        if evaluation is None:
            return None
        return compute_grading_key(
            evaluation,
            answer.kept.files,
            self.toolchain,
            self.settings.backend,
            judge_name=name_judge() if evaluation.asks_judge else None,
        )

    def has_same_grader(self, answer: StoredAnswer) -> bool:
        """Return whether the eval still has the grader of the record's verdict."""
        published, today = answer.attempt.key, self.compute_verdict_key(answer)
        return published is not None and today is not None and published.grader == today.grader

    def make_submission(self, answer: StoredAnswer) -> Submission:
        """Return ``answer`` for the graders; the suite has its eval."""
        return Submission(self.evals[answer.attempt.eval], ALL_TESTS, reply=answer.reply)

    def is_stale(self, answer: StoredAnswer) -> bool:
        """Return whether today's verdict may differ from the record's.

        Always true for an attempt that is infrastructure.
        """
        infrastructure = answer.attempt.outcome is Outcome.INFRASTRUCTURE
        return infrastructure or answer.attempt.key != self.compute_verdict_key(answer)


def explain_misfit(run: Run, then: Benchmark | None, now: Benchmark) -> str | None:
    """Return why verdicts of today's graders on the answers of ``run`` would mean nothing, or None.

    An answer fits today's task only if the model was asked in the same words. So None is returned
    if the tasks, the prompt around them and the guidelines, if any were sent, are unchanged.
    """
    if run.benchmark_version == now.version:
        return None
    if then is None:
        return f"its benchmark version {run.benchmark_version} is not defined in benchmarks/"
    sent = run.experiment.guidelines == then.guidelines
    changed = {
        "the evals of the suite": then.evals.keys() != now.evals.keys(),
        "the prompt around the tasks": then.system_prompt != now.system_prompt,
        "the guidelines that it was sent": sent and then.guidelines != now.guidelines,
    }
    tasks = {
        f"the task of {name}": name in now.evals and then.evals[name].task != now.evals[name].task
        for name in run.planned
    }
    changed_parts = [part for part, differs in (changed | tasks).items() if differs]
    return f"{', '.join(changed_parts)} changed" if changed_parts else None
