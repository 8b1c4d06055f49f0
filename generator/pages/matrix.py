"""Evals by models: who passes what, hardest first."""

from collections.abc import Sequence
from typing import Final

from generator.contexts.evals import Cell, Column, MatrixGroup, MatrixPage, MatrixRow
from generator.contexts.shared import Blame
from generator.corpus import RunSummary
from generator.pages.boards import Board, Standing
from generator.pages.lines import (
    CLASSES,
    NOT_CLASSED,
    blame_of_any,
    blames,
    linked,
    standing_share,
)
from generator.pages.material import Material
from generator.pages.names import (
    attempt_anchor,
    attempt_path,
    category,
    eval_label,
    eval_path,
    experiment,
    experiment_in_short,
    frame,
    run_path,
)
from generator.pages.table import version

SYMBOLS: Final = {
    "passed": "✓",
    "failed": "✗",
    "partly": "◐",
    "infrastructure": "!",
    "not_run": "·",
}
"""How outcomes show where there is room for one character; never by colour alone."""


def matrix_page(material: Material, board: Board) -> MatrixPage:
    """Gather the matrix of ``board``."""
    groups = matrix_groups(material, board)
    solved = [_solvers(board, name) for name in board.evals()]
    models = _models(board)
    place = material.place(board.version)
    title = material.titles[board.version]
    return MatrixPage(
        frame=frame(
            "Matrix",
            f"{place}matrix/",
            f"{len(solved)} evals by {models} models: who passes what. {title}.",
            "" if place else "matrix",
        ),
        version=version(material, board, "matrix/"),
        columns=columns(board),
        groups=groups,
        by_none=solved.count(0) if models else 0,
        by_one=solved.count(1) if models > 1 else 0,
        by_all=solved.count(models) if models else 0,
        blames=_letters(groups),
    )


def columns(board: Board) -> list[Column]:
    """Return the board's models as heads of columns, best first, baselines last."""
    return [
        Column(
            key=one.key,
            model=linked(one.newest),
            experiment=experiment(one.newest.experiment),
            short="baseline" if one.newest.baseline else experiment_in_short(one.newest.experiment),
            share=standing_share(one, board.evals()),
        )
        for one in shown(board)
    ]


def shown(board: Board) -> list[Standing]:
    """Return the standings in the order of the matrix's columns."""
    return sorted(board.standings, key=lambda one: one.newest.baseline)


def matrix_groups(material: Material, board: Board) -> list[MatrixGroup]:
    """Return the board's evals by category, hardest first, with a cell for each standing."""
    said = {run.run_id: blames(material, run.run_id) for one in shown(board) for run in one.runs}
    return [
        MatrixGroup(
            category=category(key),
            rows=[
                _row(material, board, name, said)
                for name in sorted(board.evals(key), key=lambda name: (_passes(board, name), name))
            ],
        )
        for key in board.categories()
    ]


def _passes(board: Board, name: str) -> float:
    return sum(one.passes[name] for one in board.models())


def _solvers(board: Board, name: str) -> int:
    """Count the models that pass an eval in at least one of their runs."""
    return len({one.newest.slug for one in board.models() if one.passes[name] > 0})


def _models(board: Board) -> int:
    return len({one.newest.slug for one in board.models()})


def _row(
    material: Material,
    board: Board,
    name: str,
    said: dict[str, dict[tuple[str, int | None], Blame]],
) -> MatrixRow:
    solvers, models = _solvers(board, name), _models(board)
    texts = material.texts.get(name)
    return MatrixRow(
        name=name,
        label=texts.title if texts else eval_label(name),
        href=eval_path(name),
        solved=f"{solvers}/{models}" if models else "",
        note=solved_note(solvers, models),
        cells=[_cell(one, name, said) for one in shown(board)],
    )


def solved_note(solvers: int, models: int) -> str:
    """Say where an eval is passed by no model or by one."""
    if models <= 1:
        return ""
    return {0: "passed by none", 1: "passed by one"}.get(solvers, "")


def _cell(
    standing: Standing, name: str, said: dict[str, dict[tuple[str, int | None], Blame]]
) -> Cell:
    rate = standing.passes[name]
    outcome = "passed" if rate == 1 else "failed" if rate == 0 else "partly"
    failing = [run for run in standing.runs if run.results[name].passed < run.results[name].judged]
    run = failing[0] if failing else standing.newest
    blame = next(
        (found for one in failing if (found := blame_of_any(said[one.run_id], name))), None
    )
    passed = sum(one.results[name].passed for one in standing.runs)
    judged = sum(one.results[name].judged for one in standing.runs)
    step = run.results[name].failed_step if failing else None
    label = f"{standing.newest.name}: passed {passed} of {judged}" + (f", {step}" if step else "")
    return Cell(outcome, SYMBOLS[outcome], label, attempt_href(run, name), blame)


def attempt_href(run: RunSummary, name: str, sample: int = 1) -> str:
    """Return where an attempt is shown: its own page, else its row on the run's page."""
    if run.artifact is not None and (name, sample) in run.kept:
        return attempt_path(run.run_id, name, sample)
    return f"{run_path(run.run_id)}#{attempt_anchor(name, sample)}"


def _letters(groups: Sequence[MatrixGroup]) -> list[Blame]:
    marks = {
        cell.blame.mark
        for group in groups
        for row in group.rows
        for cell in row.cells
        if cell.blame
    }
    known = [*CLASSES.values(), NOT_CLASSED]
    return [Blame(label, mark, "", "") for label, mark in known if mark in marks]
