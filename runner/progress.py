"""Who watches a run: a live table on a terminal, plain lines elsewhere."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Protocol, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table

from records.journal import Place
from records.run import Attempt, Outcome, Run
from records.showing import one_line, visible
from runner.plan import Plan


class Tell(Protocol):
    """Says of one attempt that is under way what it waits for now."""

    def __call__(self, what: str, until: float | None = None) -> None:
        """Say that it waits for ``what``, in a few words: ``first token``, ``rate limit``.

        ``until`` is when the wait ends, on the clock of ``time.monotonic``; None where nobody
        knows. May be called from any thread, as often as what is waited for changes.
        """
        ...


def unheard(what: str, until: float | None = None) -> None:
    """Be a `Tell` that tells nobody."""
    del what, until


class Watcher(Protocol):
    """What the execution of runs reports as it goes."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def started(self, plan: Plan, done: Sequence[Attempt]) -> None:
        """A run begins or goes on; ``done`` was recorded before."""
        ...

    def opening(self, what: str) -> None:
        """Something that takes seconds begins before any run does, such as an import."""
        ...

    def waiting(self, plan: Plan, place: Place, what: str, until: float | None = None) -> None:
        """An attempt is under way and waits for ``what``; see `Tell`.

        Its first wait is when it began.
        """
        ...

    def left(self, plan: Plan, place: Place) -> None:
        """An attempt is no longer under way, and has no outcome: the run is being stopped."""
        ...

    def attempted(self, plan: Plan, attempt: Attempt) -> None:
        """An attempt reached its outcome and is in the journal."""
        ...

    def noted(self, line: str) -> None:
        """Something concerns the whole session, such as a spent budget."""
        ...

    def finished(self, plan: Plan, run: Run) -> None:
        """The record was written."""
        ...


@dataclass(slots=True)
class Tally:
    """Where one run stands."""

    planned: int
    outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
    cost_usd: float = 0.0
    began: float = field(default_factory=monotonic)
    before: int = 0

    def count(self, attempt: Attempt) -> None:
        """Add one attempt."""
        self.outcomes[attempt.outcome] += 1
        if attempt.generation and attempt.generation.cost_usd is not None:
            self.cost_usd += attempt.generation.cost_usd

    @property
    def done(self) -> int:
        """How many attempts have an outcome."""
        return self.outcomes.total()

    def seconds_left(self) -> float | None:
        """Extrapolate from this session's pace; None before its first attempt."""
        new = self.done - self.before
        if new <= 0:
            return None
        return (monotonic() - self.began) / new * (self.planned - self.done)


def _new_tally(plan: Plan, done: Sequence[Attempt]) -> Tally:
    tally = Tally(planned=len(plan.run.planned) * plan.run.samples, before=len(done))
    for attempt in done:
        tally.count(attempt)
    return tally


def summary(tally: Tally) -> str:
    """Say in one line where a run stands."""
    parts = [
        f"{tally.outcomes[outcome]} {outcome.value}"
        for outcome in Outcome
        if tally.outcomes[outcome]
    ]
    cost = f", ${tally.cost_usd:.4f}" if tally.cost_usd else ""
    return f"{tally.done}/{tally.planned}: {', '.join(parts) or 'nothing yet'}{cost}"


class Lines:
    """One plain line per event, for logs and CI."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``."""
        self._tallies: dict[str, Tally] = {}
        self._stream = stream

    def _say(self, line: str) -> None:
        self._stream.write(visible(line) + "\n")
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def started(self, plan: Plan, done: Sequence[Attempt]) -> None:
        """Say which run begins."""
        tally = self._tallies[plan.run.run_id] = _new_tally(plan, done)
        resumed = f", {len(done)} already done" if done else ""
        self._say(f"{title(plan.run)}: {tally.planned} attempts{resumed} (run {plan.run.run_id})")

    def opening(self, what: str) -> None:
        """Say it."""
        self._say(f"{what} …")

    def waiting(self, plan: Plan, place: Place, what: str, until: float | None = None) -> None:
        """Leave waits out: only what happened has a line."""

    def left(self, plan: Plan, place: Place) -> None:
        """Leave it out."""

    def attempted(self, plan: Plan, attempt: Attempt) -> None:
        """Say how an attempt ended."""
        tally = self._tallies[plan.run.run_id]
        tally.count(attempt)
        why = attempt.fault.evidence if attempt.fault else attempt.reason
        tail = f": {one_line(why, 160)}" if why else ""
        self._say(
            f"[{tally.done}/{tally.planned}] {title(plan.run)} {attempt.eval}"
            f"#{attempt.sample} {attempt.outcome.value}{tail}"
        )

    def noted(self, line: str) -> None:
        """Say it."""
        self._say(line)

    def finished(self, plan: Plan, run: Run) -> None:
        """Say how the run ended."""
        self._say(f"{title(run)} {run.status}: {summary(self._tallies[plan.run.run_id])}")


class Board:
    """A live table: a row per run."""

    def __init__(self, console: Console) -> None:
        """Draw on ``console``."""
        self._tallies: dict[str, tuple[Run, Tally]] = {}
        self._live = Live(console=console, refresh_per_second=4, get_renderable=self._table)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def started(self, plan: Plan, done: Sequence[Attempt]) -> None:
        """Add a row."""
        self._tallies[plan.run.run_id] = (plan.run, _new_tally(plan, done))

    def opening(self, what: str) -> None:
        """Print it above the table."""
        self.noted(f"{what} …")

    def waiting(self, plan: Plan, place: Place, what: str, until: float | None = None) -> None:
        """Keep it for the table."""

    def left(self, plan: Plan, place: Place) -> None:
        """Forget it."""

    def attempted(self, plan: Plan, attempt: Attempt) -> None:
        """Count an attempt in its row."""
        self._tallies[plan.run.run_id][1].count(attempt)

    def noted(self, line: str) -> None:
        """Print it above the table."""
        self._live.console.print(one_line(line), markup=False, highlight=False)

    def finished(self, plan: Plan, run: Run) -> None:
        """Show the run's final status."""
        self._tallies[plan.run.run_id] = (run, self._tallies[plan.run.run_id][1])

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("model")
        table.add_column("experiment")
        for heading in ("done", "passed", "failed", "infrastructure", "cost", "ETA"):
            table.add_column(heading, justify="right")
        for run, tally in self._tallies.values():
            table.add_row(run.model.slug, run.experiment.name, *_cells(run, tally))
        return table


def _cells(run: Run, tally: Tally) -> tuple[str, ...]:
    left = tally.seconds_left()
    eta = "" if left is None else f"{int(left // 60)}:{int(left % 60):02d}"
    return (
        f"{tally.done}/{tally.planned}",
        str(tally.outcomes[Outcome.PASSED]),
        str(tally.outcomes[Outcome.FAILED]),
        str(tally.outcomes[Outcome.INFRASTRUCTURE]),
        f"${tally.cost_usd:.2f}" if tally.cost_usd else "",
        eta if run.status == "running" else run.status,
    )


def title(run: Run) -> str:
    """Name a run for a reader: its model and its experiment."""
    return f"{run.model.slug} {run.experiment.name}"


def watcher(*, quiet: bool = False) -> Watcher:
    """Return the live table on a terminal, plain lines elsewhere (CI sets no terminal).

    ``quiet`` keeps standard output free for machines: lines go to standard error.
    """
    if quiet:
        return Lines(sys.stderr)
    console = Console(file=sys.stdout)
    return Board(console) if console.is_terminal else Lines(sys.stdout)
