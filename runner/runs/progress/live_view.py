"""A live view of runs on a terminal: finished attempts, attempts under way, and their waits.

Runs are rows of a table if the terminal is wide enough for their names, else blocks of short
lines. If they do not fit the height of the terminal, each run has a single line. If these lines do
not fit either, one line has the numbers of the other runs and of ended runs.
"""

import textwrap
from collections.abc import Sequence
from time import monotonic
from typing import Self, TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.live import Live
from rich.text import Text

from records.shapes.attempt import Outcome
from records.text.visible import make_one_line
from runner.runs.progress import watcher

WIDE = 100
"""The width, in columns, from which runs are in a table even if their names must be cut."""

_GAP = "  "


_SHORT = {Outcome.INFRASTRUCTURE.value: "infra"}
"""Short forms of outcomes."""


class LiveView(watcher.Watcher):
    """A view of runs that is drawn again as they go on. Any thread may call its methods."""

    def __init__(self, terminal: TextIO) -> None:
        """Prepare the view; ``terminal`` receives it."""
        super().__init__()
        self._console = Console(file=terminal, force_terminal=True, highlight=False)
        # The lock of the runs is never held while a line is printed, because this draws them.
        self._over = False
        self._live = Live(
            console=self._console,
            refresh_per_second=4,
            get_renderable=self._draw_rows,
            # rich would bypass leaderboard/terminal/streams.py, which escapes control characters in
            # output.
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._live.vertical_overflow = "visible"
        self._live.stop()

    def report_start(self, run: watcher.WatchedRun, done: Sequence[watcher.EndedAttempt]) -> None:
        """Add a row for a run, and print its id, which a resume needs, above the view."""
        super().report_start(run, done)
        resumed = f", {len(done)} already judged" if done else ""
        self.report_event(
            f"run {run.run_id[:8]}: {run.title}, {watcher.format_attempts(run.planned)}{resumed}"
        )

    def report_event(self, line: str) -> None:
        """Print a line above the view, without line breaks, so that it can be copied."""
        self._console.print(make_one_line(line), markup=False, soft_wrap=True)

    def report_end(self, run: watcher.WatchedRun) -> None:
        """Show the end of the run in its row."""
        with self._lock:
            row = self._progress[run.run_id]
            row.ended = watcher.describe_ending(row, self._stopped)

    def _draw_rows(self) -> Text:
        with self._lock:
            rows = list(self._progress.values())
            # The last line stays free for the cursor.
            height = None if self._over else self._console.height - 1
            return draw_view(rows, self._console.width, height, monotonic())


def draw_view(
    rows: Sequence[watcher.RunProgress], width: int, height: int | None, now: float
) -> Text:
    """Return the text of the view, for a terminal of this size in characters.

    If ``height`` is None, the text has all lines. ``now`` is the time of ``time.monotonic``.
    """
    if not rows:
        return Text()
    layout = _Layout(rows, width, now)
    foot = int(len(rows) > 1)
    for most in (2, 1):
        body = [line for row in rows for line in layout.draw_full(row, most)]
        if height is None or len(layout.head) + len(body) + foot <= height:
            sums = [_draw_sums(rows, width, None)] * foot
            return Text("\n").join([*layout.head, *body, *sums])
    room = (height or 0) - len(layout.head) - foot
    visible_rows = sorted(rows, key=lambda row: row.ended is not None)
    overflow: list[Text] = []
    if len(rows) > room:
        visible_rows = visible_rows[: max(0, room - 1)]
        over = sum(row.ended is not None for row in rows)
        note = f"… and {len(rows) - len(visible_rows)} more; {over} of {len(rows)} runs have ended"
        overflow = [_cut(note, width, "dim")]
    return Text("\n").join(
        [
            *layout.head,
            *map(layout.draw_brief, visible_rows),
            *overflow,
            *[_draw_sums(rows, width, now)] * foot,
        ]
    )


class _Layout:
    """The layout of runs for a terminal of a width: a table, or blocks of lines."""

    def __init__(self, rows: Sequence[watcher.RunProgress], width: int, now: float) -> None:
        self._width = width
        self._now = now
        cells = [_format_cells(row, now) for row in rows]
        heads = ["done", *_shorten_outcomes(rows[0]), "cost", ""]
        self._columns = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        self._columns[-1] = max(self._columns[-1], len("59 min left"))
        numbers = sum(len(_GAP) + column for column in self._columns)
        names = max(cell_len(row.run.title) for row in rows)
        self._is_table = width >= max(WIDE, 2 * numbers) or names + numbers <= width
        self._names = min(names, width - numbers)
        self.head = [self._draw_line("", heads, "dim")] if self._is_table else []

    def draw_brief(self, row: watcher.RunProgress) -> Text:
        """Return the single line of a run."""
        cells = _format_cells(row, self._now)
        if self._is_table:
            return self._draw_line(row.run.title, cells)
        room = self._width - len(_GAP) - len(cells[0])
        return Text(_fit_name(row.run.title, room) + _GAP + cells[0])

    def draw_full(self, row: watcher.RunProgress, most: int) -> list[Text]:
        """Return the lines of a run with its details; each detail has at most ``most`` lines."""
        lines: list[str] = []
        if line := watcher.describe_under_way([row], self._now):
            lines.append(line)
        if row.faults:
            kind, _ = row.faults.most_common(1)[0]
            evidence = make_one_line(row.evidence[kind])
            lines.append(f"infra: {watcher.describe_faults(row.faults)}: {evidence}")
        if line := watcher.describe_failed_tries(row.failed_tries_usd):
            lines.append(line)
        if not self._is_table:
            _, *counts, cost, end = _format_cells(row, self._now)
            numbers = zip(counts, _shorten_outcomes(row), strict=True)
            shown = [" ".join(number) for number in numbers if number != ("0", "infra")]
            lines.insert(0, ", ".join(filter(None, (*shown, cost, end))))
        broken: list[str] = []
        for line in lines:
            # Broken between words into at most two lines, of which the last may be too long.
            first, *more = textwrap.wrap(line, max(1, self._width - 2)) or [""]
            rest = line.removeprefix(first).strip()
            broken += [first, rest] if more and most > 1 else [line]
        return [self.draw_brief(row), *(_cut(f"  {line}", self._width, "dim") for line in broken)]

    def _draw_line(self, name: str, cells: Sequence[str], style: str = "") -> Text:
        columns = zip(cells, self._columns, strict=True)
        numbers = "".join(_GAP + cell.rjust(column) for cell, column in columns)
        return Text(_fit_name(name, self._names) + numbers, style)


def _shorten_outcomes(progress: watcher.RunProgress) -> list[str]:
    """Return the words for the outcomes."""
    return [_SHORT.get(word, word) for word in progress.run.outcomes]


def _format_cells(progress: watcher.RunProgress, now: float) -> list[str]:
    """Return the numbers of a run: attempts done, each outcome, cost, and its end or time left."""
    remaining_s = progress.estimate_seconds_left(now)
    return [
        f"{progress.done}/{progress.run.planned}",
        *(str(progress.outcomes[word]) for word in progress.run.outcomes),
        watcher.format_cost(progress.cost_usd),
        progress.ended
        or ("" if remaining_s is None else f"{watcher.format_span(remaining_s)} left"),
    ]


def _draw_sums(rows: Sequence[watcher.RunProgress], width: int, now: float | None) -> Text:
    """Return a line with the sums over all runs, and their waits if ``now`` is given."""
    done, planned = sum(row.done for row in rows), sum(row.run.planned for row in rows)
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    cost = watcher.format_cost(sum(costs)) if costs else ""
    waits = watcher.describe_under_way(rows, now) if now is not None else ""
    lost = watcher.describe_failed_tries(sum(row.failed_tries_usd for row in rows))
    parts = (f"{done}/{planned} in all", cost, lost, waits)
    return _cut(", ".join(filter(None, parts)), width, "bold")


def _cut(line: str, width: int, style: str) -> Text:
    text = Text(line, style, no_wrap=True)
    text.truncate(width, overflow="ellipsis")
    return text


def _fit_name(name: str, width: int) -> str:
    """Return a name padded to ``width``, or without its middle: names differ at their ends."""
    name = make_one_line(name)
    if cell_len(name) <= width:
        return set_cell_size(name, width)
    half = max(1, (width - 1) // 2)
    return set_cell_size(f"{name[: width - 1 - half]}…{name[-half:]}", width)
