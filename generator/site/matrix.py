"""Evals by models: who passes what, hardest first."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Leaderboard
from generator.site.attributions import CLASSES, NOT_CLASSED, Attribution, attributions
from generator.site.data import SiteData
from generator.site.labels import category, eval_title, experiment, experiment_in_short
from generator.site.leaderboard import VersionHead, version
from generator.site.parts import Category, ModelLink, Share, entry_share, frame
from generator.site.rows.matrix_cells import Cells, cells
from generator.site.run_lines import linked
from generator.site.urls import eval_path


class Column(NamedTuple):
    """A model under an experiment at the head of a matrix."""

    key: str
    """What an address calls it."""
    model: ModelLink
    experiment: str
    short: str
    """The experiment in a word; empty for the usual one."""
    share: Share


class EvalMatrixRow(NamedTuple):
    """An eval in a matrix."""

    name: str
    label: str
    href: str
    solved: str
    """Such as ``7/9``."""
    note: str
    """Solved by none or by one; else empty."""
    cells: str
    """How each model fares, HTML."""


class MatrixGroup(NamedTuple):
    """The evals of one category, hardest first."""

    category: Category
    rows: Sequence[EvalMatrixRow]


class MatrixPage(NamedTuple):
    """Evals by models for one benchmark version."""

    template = "matrix.html"

    frame: Frame
    version: VersionHead
    columns: Sequence[Column]
    groups: Sequence[MatrixGroup]
    by_none: int
    """Evals that no model passes, of those asked with guidelines."""
    by_one: int
    """Evals that one of them passes."""
    by_all: int
    """Evals that each of them passes at least once."""
    models: int
    """How many were asked with guidelines."""
    attributions: Sequence[Attribution]
    """What the letters mean."""


def matrix_page(site: SiteData, leaderboard: Leaderboard) -> MatrixPage:
    """Gather the matrix of ``leaderboard``."""
    solved = [len(one.solvers) for one in leaderboard.health.values()]
    models = asked(leaderboard)
    place = site.place(leaderboard.version)
    title = site.titles[leaderboard.version]
    head = frame(
        "Matrix",
        f"{place}matrix/",
        f"{len(leaderboard.evals())} evals by {len(leaderboard.entries)} columns of models:"
        f" who passes what. {title}.",
        "" if place else "matrix",
    )
    filled = matrix_cells(site, leaderboard, head.root)
    return MatrixPage(
        frame=head,
        version=version(site, leaderboard, "matrix/"),
        columns=columns(leaderboard),
        groups=matrix_groups(site, leaderboard, filled),
        by_none=solved.count(0),
        by_one=solved.count(1) if models > 1 else 0,
        by_all=solved.count(models),
        models=models,
        attributions=_letters(filled),
    )


def columns(leaderboard: Leaderboard) -> list[Column]:
    """Return the leaderboard's models as heads of columns, best first, baselines last."""
    return [
        Column(
            key=one.key,
            model=linked(one.newest),
            experiment=experiment(one.newest.experiment),
            short=_short(one.newest),
            share=entry_share(one, leaderboard.evals()),
        )
        for one in leaderboard.baselines_last
    ]


def _short(newest: RunSummary) -> str:
    condition = experiment_in_short(newest.experiment)
    return ", ".join(filter(None, ["baseline" if newest.baseline else "", condition]))


def matrix_cells(site: SiteData, leaderboard: Leaderboard, root: str) -> Cells:
    """Return a cell for each eval and entry, with addresses that begin with ``root``."""
    entries = leaderboard.baselines_last
    said = {run.run_id: attributions(site, run.run_id) for one in entries for run in one.runs}
    return cells(root, leaderboard, entries, said)


def matrix_groups(site: SiteData, leaderboard: Leaderboard, filled: Cells) -> list[MatrixGroup]:
    """Return the leaderboard's evals by category, hardest first."""
    return [
        MatrixGroup(
            category=category(key),
            rows=[
                _row(site, leaderboard, name, filled.rows[name])
                for name in sorted(
                    leaderboard.evals(key), key=lambda name: (_passes(leaderboard, name), name)
                )
            ],
        )
        for key in leaderboard.categories()
    ]


def _passes(leaderboard: Leaderboard, name: str) -> float:
    health = leaderboard.health.get(name)
    return health.pass_rate if health else 0


def asked(leaderboard: Leaderboard) -> int:
    """Count the models asked with guidelines, baselines apart: those that evals are measured by."""
    return next((one.models for one in leaderboard.health.values()), 0)


def _row(site: SiteData, leaderboard: Leaderboard, name: str, filled: str) -> EvalMatrixRow:
    health = leaderboard.health.get(name)
    return EvalMatrixRow(
        name=name,
        label=eval_title(site, name),
        href=eval_path(name),
        solved=f"{len(health.solvers)}/{health.models}" if health else "",
        note=solved_note(health) if health else "",
        cells=filled,
    )


def solved_note(health: EvalHealth) -> str:
    """Say where an eval is passed by no model or by one."""
    if health.models <= 1:
        return ""
    return {0: "passed by none", 1: "passed by one"}.get(len(health.solvers), "")


def _letters(filled: Cells) -> list[Attribution]:
    known = [*CLASSES.values(), NOT_CLASSED]
    return [Attribution(label, mark, "", "") for label, mark in known if mark in filled.marks]
