"""The cells of evals by models: a link in each, large enough for a finger."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generator.contexts.shared import Blame
from generator.corpus import RunSummary
from generator.escaping import escaped, trusted
from generator.pages.boards import Board, Standing
from generator.pages.lines import Blames, blame_of_any
from generator.pages.names import SYMBOLS, attempt_href


@dataclass(frozen=True, slots=True)
class Cells:
    """What stands in the rows of a matrix."""

    rows: Mapping[str, str]
    """By eval, HTML: a cell for each model."""
    marks: frozenset[str]
    """The letters of what reports say."""


def cells(
    root: str, board: Board, standings: Sequence[Standing], said: Mapping[str, Blames]
) -> Cells:
    """Return a row of cells for each eval of ``board``; ``said`` is what reports say, by run."""
    marks: set[str] = set()
    columns = [list(_column(root, board.scored.evals, one, said, marks)) for one in standings]
    rows = {
        name: trusted("".join([column[place] for column in columns]))
        for place, name in enumerate(board.scored.evals)
    }
    return Cells(rows, frozenset(marks))


def _column(
    root: str,
    evals: Sequence[str],
    standing: Standing,
    said: Mapping[str, Blames],
    marks: set[str],
) -> Iterator[str]:
    """Yield a cell for each eval.

    It leads to what the newest report says of a failure, which leads on to the answer; else to the
    answer, the newest that failed where any did.
    """
    pool = standing.row.pool
    passed: list[int] = pool.passed.tolist()
    judged: list[int] = pool.judged.tolist()
    failed: list[list[bool]] = np.stack([run.passed < run.judged for run in pool.runs]).T.tolist()
    for name, yes, of, where in zip(evals, passed, judged, failed, strict=True):
        outcome = "passed" if yes == of else "failed" if yes == 0 else "partly"
        label = f"{escaped(standing.newest.name)}: passed {yes} of {of}"
        failing = [run for run, here in zip(standing.runs, where, strict=True) if here]
        run = failing[0] if failing else standing.newest
        step = run.results[name].failed_step if failing else None
        label += f", {step}" if step else ""
        blame = _blame(failing, said, name)
        if blame is None:
            yield _cell(outcome, outcome, f"{root}{attempt_href(run, name)}", label, "")
        else:
            marks.add(blame.mark)
            kind = escaped(blame.kind)
            label += f". {kind}" + (f": {escaped(blame.note)}" if blame.note else "")
            mark = f'<span class="mark" aria-hidden="true">{blame.mark}</span>'
            href = f"{root}{escaped(blame.href)}"
            yield _cell(outcome, f"{outcome}, {kind}", href, label, mark)


def _blame(failing: Sequence[RunSummary], said: Mapping[str, Blames], name: str) -> Blame | None:
    """Return what the newest report says of a failure."""
    for run in failing:
        found = said[run.run_id]
        if found and (blame := blame_of_any(found, name)):
            return blame
    return None


def _cell(outcome: str, told: str, href: str, label: str, mark: str) -> str:
    return (
        f'<td class="m {outcome}"><a href="{href}" title="{label}">{SYMBOLS[outcome]}'
        f'<span class="vh"> {told}</span>{mark}</a></td>'
    )
