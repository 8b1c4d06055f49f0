"""Evals by models: who passes what, hardest first."""

from generator.contexts.evals import Column, MatrixGroup, MatrixPage, MatrixRow
from generator.contexts.shared import Blame
from generator.corpus import RunSummary
from generator.pages.boards import Board, Standing
from generator.pages.lines import CLASSES, NOT_CLASSED, blames, linked, standing_share
from generator.pages.material import Material
from generator.pages.names import (
    category,
    eval_label,
    eval_path,
    experiment,
    experiment_in_short,
    frame,
)
from generator.pages.rows.cells import Cells, cells
from generator.pages.table import version
from generator.scores.health import Health


def matrix_page(material: Material, board: Board) -> MatrixPage:
    """Gather the matrix of ``board``."""
    solved = [len(one.solvers) for one in board.health.values()]
    models = asked(board)
    place = material.place(board.version)
    title = material.titles[board.version]
    around = frame(
        "Matrix",
        f"{place}matrix/",
        f"{len(board.evals())} evals by {len(board.standings)} columns of models:"
        f" who passes what. {title}.",
        "" if place else "matrix",
    )
    filled = matrix_cells(material, board, around.root)
    return MatrixPage(
        frame=around,
        version=version(material, board, "matrix/"),
        columns=columns(board),
        groups=matrix_groups(material, board, filled),
        by_none=solved.count(0),
        by_one=solved.count(1) if models > 1 else 0,
        by_all=solved.count(models),
        models=models,
        blames=_letters(filled),
    )


def columns(board: Board) -> list[Column]:
    """Return the board's models as heads of columns, best first, baselines last."""
    return [
        Column(
            key=one.key,
            model=linked(one.newest),
            experiment=experiment(one.newest.experiment),
            short=_short(one.newest),
            share=standing_share(one, board.evals()),
        )
        for one in shown(board)
    ]


def _short(newest: RunSummary) -> str:
    condition = experiment_in_short(newest.experiment)
    return ", ".join(filter(None, ["baseline" if newest.baseline else "", condition]))


def shown(board: Board) -> list[Standing]:
    """Return the standings in the order of the matrix's columns."""
    return sorted(board.standings, key=lambda one: one.newest.baseline)


def matrix_cells(material: Material, board: Board, root: str) -> Cells:
    """Return a cell for each eval and standing, with addresses that begin with ``root``."""
    standings = shown(board)
    said = {run.run_id: blames(material, run.run_id) for one in standings for run in one.runs}
    return cells(root, board, standings, said)


def matrix_groups(material: Material, board: Board, filled: Cells) -> list[MatrixGroup]:
    """Return the board's evals by category, hardest first."""
    return [
        MatrixGroup(
            category=category(key),
            rows=[
                _row(material, board, name, filled.rows[name])
                for name in sorted(board.evals(key), key=lambda name: (_passes(board, name), name))
            ],
        )
        for key in board.categories()
    ]


def _passes(board: Board, name: str) -> float:
    health = board.health.get(name)
    return health.pass_rate if health else 0


def asked(board: Board) -> int:
    """Count the models asked with guidelines, baselines apart: those that evals are measured by."""
    return next((one.models for one in board.health.values()), 0)


def _row(material: Material, board: Board, name: str, filled: str) -> MatrixRow:
    health = board.health.get(name)
    texts = material.texts.get(name)
    return MatrixRow(
        name=name,
        label=texts.title if texts else eval_label(name),
        href=eval_path(name),
        solved=f"{len(health.solvers)}/{health.models}" if health else "",
        note=solved_note(health) if health else "",
        cells=filled,
    )


def solved_note(health: Health) -> str:
    """Say where an eval is passed by no model or by one."""
    if health.models <= 1:
        return ""
    return {0: "passed by none", 1: "passed by one"}.get(len(health.solvers), "")


def _letters(filled: Cells) -> list[Blame]:
    known = [*CLASSES.values(), NOT_CLASSED]
    return [Blame(label, mark, "", "") for label, mark in known if mark in filled.marks]
