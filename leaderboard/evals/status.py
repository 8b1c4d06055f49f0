"""The state of each eval by all runs of a model, with a summary: `leaderboard evals status`."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from leaderboard.runs.run_summary import format_resume_command
from leaderboard.terminal.streams import say
from records.shapes.attempt import Attempt, FaultClass, Outcome
from records.shapes.run import Executed, Run
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.models.baselines import find_baseline
from runner.models.registry import LOCAL
from runner.runs.history import History
from runner.runs.progress.watcher import describe_faults, format_attempts, format_run_title

_STATES: Final = {
    "completed": "completed",
    "aborted": "stopped",
    "running": "under way, or killed",
}
"""The words for a run's status."""


@dataclass(slots=True)
class Counts:
    """The outcomes of attempts, and the number of evals without attempts."""

    outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
    faults: Counter[FaultClass] = field(default_factory=Counter[FaultClass])
    untried: int = 0

    def add(self, attempts: Iterable[Attempt], untried: int = 0) -> None:
        """Add attempts, and a number of evals without attempts, to the counts."""
        for attempt in attempts:
            self.outcomes[attempt.outcome] += 1
            if attempt.fault is not None:
                self.faults[attempt.fault.kind] += 1
        self.untried += untried

    def __str__(self) -> str:
        """Return the counts in words; "0 of 0 passed" is left out, as it looks like a verdict."""
        passed = self.outcomes[Outcome.PASSED]
        judged = passed + self.outcomes[Outcome.FAILED]
        faults = self.faults.total()
        parts = (
            f"{passed} of {judged} passed" if judged else "",
            f"{faults} without a verdict ({describe_faults(self.faults)})" if faults else "",
            f"{format_count(self.untried, 'eval')} not run yet" if self.untried else "",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class EvalsStatus:
    """The histories to show, over the chosen evals."""

    shown: Sequence[History]
    chosen: Collection[str]
    failed: bool
    """True to leave passed attempts out."""

    def say_attempts(self, folder_options: Iterable[str]) -> None:
        """Print each history with its attempts.

        If its latest run has attempts left, the command that resumes the run follows.
        """
        options = list(folder_options)
        for history in self.shown:
            self._say_history(history, options)

    def say_runs(self) -> None:
        """Print a line for each run; the runs of a history are in the order in which they began."""
        for run in self._list_runs():
            counts = self._count_outcomes(run)
            ended = ", ".join(
                f"{number} {outcome.replace('_', ' ')}" for outcome, number in counts.items()
            )
            left = _count_remaining(run)
            say(
                f"{run.run_id[:8]}  {run.date}  {format_run_title(run)}: "
                f"{_STATES[run.status]}; {ended or 'nothing judged'}{f'; {left} left' * (left > 0)}"
            )

    def build_run_rows(self) -> list[dict[str, object]]:
        """Return the runs as JSON.

        ``outcomes`` are those of the attempts at the chosen evals, and ``left`` is the number of
        attempts at any eval without a verdict.
        """
        return [
            {
                "run_id": run.run_id,
                "date": run.date.isoformat(),
                "model": run.model.slug,
                "experiment": run.experiment.name,
                "status": run.status,
                "outcomes": self._count_outcomes(run),
                "left": _count_remaining(run),
            }
            for run in self._list_runs()
        ]

    def _list_runs(self) -> list[Run]:
        """Return the runs; with ``failed``, without runs whose attempts all passed."""
        passed = {Outcome.PASSED.value}
        return [
            run
            for history in self.shown
            for run in history.runs
            if not self.failed or _count_remaining(run) or self._count_outcomes(run).keys() - passed
        ]

    def _count_outcomes(self, run: Run) -> dict[str, int]:
        """Return the number of attempts at the chosen evals by outcome, if they were run."""
        outcomes = Counter(
            attempt.outcome.value
            for attempt in run.attempts
            if attempt.eval in self.chosen and attempt.outcome is not Outcome.NOT_RUN
        )
        return dict(sorted(outcomes.items()))

    def build_attempt_rows(self) -> list[dict[str, str | int | None]]:
        """Return the attempts as JSON."""
        return [
            row
            for history in self.shown
            for row in self._build_history_rows(history, failed=self.failed)
        ]

    def format_summary(self) -> str:
        """Return the summary of all shown histories."""
        counts = Counts()
        for history in self.shown:
            self._count(history, counts)
        models = len({history.latest.model.slug for history in self.shown})
        experiments = len({history.latest.experiment.name for history in self.shown})
        unfinished = [history for history in self.shown if _count_remaining(history.latest)]
        remaining = sum(_count_remaining(history.latest) for history in unfinished)
        tail = (
            f"; {format_attempts(remaining)} left in {format_count(len(unfinished), 'run')}"
            if unfinished
            else ""
        )
        return (
            f"In all, {format_count(models, 'model')} under "
            f"{format_count(experiments, 'experiment')}: {str(counts) or 'nothing judged'}{tail}"
        )

    def _say_history(self, history: History, options: Sequence[str]) -> None:
        run, counts = history.latest, Counts()
        self._count(history, counts)
        say(f"{format_run_title(run)}: {counts}")
        for row in self._build_history_rows(history, failed=self.failed):
            name = f"{row['eval']}#{row['sample']}" if run.samples > 1 else row["eval"]
            why = f"  {row['reason']}" if row["reason"] else ""
            say(f"  {row['outcome']:<14}  {name}{why}")
        if remaining := _count_remaining(run):
            api_base = ["--api-base", "URL"] if run.model.slug.startswith(f"{LOCAL}/") else []
            say(
                f"  run {run.run_id[:8]} has {format_attempts(remaining)} left; "
                "unless it is going now, "
                "go on with:"
            )
            say(format_resume_command([run], [*api_base, *options]))
        say()

    def _count(self, history: History, counts: Counts) -> None:
        chosen_attempts = [
            attempt for name in self.chosen for attempt in history.attempts.get(name, ())
        ]
        counts.add(chosen_attempts, untried=len(set(self.chosen) - history.attempts.keys()))

    def _build_history_rows(
        self, history: History, *, failed: bool
    ) -> Iterator[dict[str, str | int | None]]:
        for name, eval_attempts in history.attempts.items():
            for attempt in eval_attempts:
                if name not in self.chosen or (failed and attempt.outcome is Outcome.PASSED):
                    continue
                reason = attempt.fault.evidence if attempt.fault else attempt.reason
                yield {
                    "model": history.latest.model.slug,
                    "experiment": history.latest.experiment.name,
                    "eval": attempt.eval,
                    "sample": attempt.sample,
                    "outcome": attempt.outcome.value,
                    "failed_step": attempt.failed_step.value if attempt.failed_step else None,
                    "reason": make_one_line(reason, 160) if reason else None,
                }


def choose_histories(
    histories: Iterable[History], models: Sequence[str], experiment: str | None
) -> list[History]:
    """Return the histories of ``models`` under ``experiment``, those with local runs first.

    Without ``models``, all histories are returned except those of published baselines.
    """
    slugs = {find_baseline(name) or name for name in models}
    chosen = [
        history
        for history in histories
        if experiment in {None, history.latest.experiment.name}
        and (_is_named(history.latest, slugs) if slugs else _is_worth_showing(history))
    ]
    return sorted(chosen, key=lambda history: not history.is_local)


def _is_named(run: Run, wanted: Collection[str]) -> bool:
    return bool({run.model.slug, run.model.litellm_id} & {*wanted, *map(str.lower, wanted)})


def _is_worth_showing(history: History) -> bool:
    """Return False for published baselines, which are only for comparison and mostly fail."""
    return history.is_local or history.latest.model.kind != "baseline"


def _count_remaining(run: Run) -> int:
    """Return the number of attempts that a resume would make or grade; 0 for imported runs."""
    return run.unjudged if isinstance(run.provenance, Executed) else 0
