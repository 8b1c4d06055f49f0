"""The mistakes of a version's models: failed attempts with the same cause, most common first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from generator.read.suite_texts import EvalTexts
from generator.read.summaries import AttemptFailure, FiledReport, RunSummary
from generator.scores.leaderboards import Leaderboard
from records.runs.failure_words import generalize_message
from records.shapes.attempt import StepName
from records.shapes.failure_classes import SET_ASIDE
from records.shapes.report import ClassedFailure
from records.suites.experiments import DEFAULT

Naming = Literal["suite", "test", "message", "publisher"]
"""The origin of a mistake's name: the suite's words for the one wrong answer that fails exactly the
same tests; the title of the first failed test; the message of a step; or the words of the publisher
of imported results."""

_NOTHING_SAID = "the published analysis does not say what is wrong"
"""The reason in imported records whose publisher gave none."""


class RunFailure(NamedTuple):
    """A failed attempt of a run that counts."""

    run: RunSummary
    eval: str
    attempt: AttemptFailure
    note: str
    """The note of the newest report on the run; empty if there is none."""

    @property
    def is_kept(self) -> bool:
        """Whether the files of the attempt were kept."""
        return self.run.has_files(self.eval, self.attempt.sample)


@dataclass(frozen=True, eq=False)
class Mistake:
    """Failed attempts with the same cause, as far as it is known."""

    name: str
    """The mistake in plain words; of a failed test what should have been."""
    naming: Naming
    step: str | None
    """The step that failed; None if it is not known."""
    failures: Sequence[RunFailure]
    share: float
    """The share of all failed attempts that are laid on models, from 0 to 1."""
    guidelines: str | None
    """The section of the guidelines that its evals exercise first; None if there is none."""

    @property
    def models(self) -> Mapping[str, int]:
        """The number of its failures by the model's slug, most first."""
        return dict(Counter(failure.run.slug for failure in self.failures).most_common())

    @property
    def evals(self) -> Sequence[str]:
        """Its evals, those with most failures first."""
        return [name for name, _ in Counter(each.eval for each in self.failures).most_common()]


@dataclass(frozen=True, eq=False)
class VersionMistakes:
    """The mistakes of the models of a version that were asked with guidelines."""

    mistakes: Sequence[Mistake]
    failures: Sequence[RunFailure]
    """All failed attempts that are laid on models."""
    unexplained: int
    """The number of failed attempts among them whose cause is not known."""
    set_aside: int
    """The number of further failed attempts that reports lay on task, grader or machinery."""


def find_mistakes(
    leaderboard: Leaderboard,
    texts: Mapping[str, EvalTexts],
    reports: Mapping[str, Sequence[FiledReport]],
) -> VersionMistakes:
    """Return the mistakes in a version; ``reports`` are by run, newest first."""
    groups: dict[tuple[Naming, str, str], list[RunFailure]] = {}
    laid: list[RunFailure] = []
    unexplained = set_aside = 0
    for failure, classed in _list_failures(leaderboard, reports):
        if classed and classed.failure_class in SET_ASIDE:
            set_aside += 1
            continue
        laid.append(failure)
        is_open = classed is not None and classed.failure_class is None
        name = None if is_open else _name_mistake(failure, texts.get(failure.eval))
        if name is None:
            unexplained += 1
        else:
            # A title belongs to its eval; other words are the same mistake at each eval.
            place = failure.eval if name[0] == "test" else ""
            groups.setdefault((*name, place), []).append(failure)
    mistakes = [
        Mistake(
            name=name,
            naming=naming,
            step=failures[0].attempt.step,
            failures=failures,
            share=len(failures) / len(laid),
            guidelines=_find_section(failures, texts),
        )
        for (naming, name, _), failures in groups.items()
    ]
    mistakes.sort(key=lambda each: (-len(each.failures), -len(each.models), each.name))
    return VersionMistakes(mistakes, laid, unexplained, set_aside)


def _list_failures(
    leaderboard: Leaderboard, reports: Mapping[str, Sequence[FiledReport]]
) -> Iterator[tuple[RunFailure, ClassedFailure | None]]:
    """Yield the failed attempts of counting runs, each with its class by the newest report."""
    for entry in leaderboard.select_models(DEFAULT):
        for run in entry.runs:
            classes = {
                (failure.eval, failure.sample): failure
                for filed in reports.get(run.run_id, ())[:1]
                for failure in filed.report.failures
            }
            for name, attempts in run.failures.items():
                for attempt in attempts:
                    classed = classes.get((name, attempt.sample)) or classes.get((name, None))
                    yield RunFailure(run, name, attempt, classed.note if classed else ""), classed


def _name_mistake(failure: RunFailure, texts: EvalTexts | None) -> tuple[Naming, str] | None:
    """Return the mistake of a failure and the origin of its name; None if it is not known."""
    attempt = failure.attempt
    if failure.run.source is not None:
        reason = attempt.got or failure.note
        return ("publisher", reason) if reason and reason != _NOTHING_SAID else None
    if attempt.step == StepName.TESTS and attempt.expected is not None:
        known = [
            variant.reason
            for variant in (texts.calibration.failing.values() if texts else ())
            if variant.step is StepName.TESTS
            and {test.partition("[")[0] for test in variant.tests} == {*attempt.tests}
        ]
        return ("suite", known[0]) if len(known) == 1 else ("test", attempt.expected)
    return ("message", generalize_message(attempt.got)) if attempt.got else None


def _find_section(failures: Sequence[RunFailure], texts: Mapping[str, EvalTexts]) -> str | None:
    sections = Counter(
        section
        for failure in failures
        if failure.eval in texts
        for section in texts[failure.eval].guidelines[:1]
    )
    return next((section for section, _ in sections.most_common(1)), None)
