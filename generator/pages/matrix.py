"""The matrix of evals by models, hardest evals first; a page with guidelines, another without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from generator.blocks.benchmark_versions import VersionHead, build_version_head
from generator.blocks.matrix_cells import (
    Column,
    EvalStanding,
    MatrixCells,
    build_columns,
    build_matrix_rows,
    count_models,
    describe_solvers,
)
from generator.facts.attributions import CLASSES, NOT_CLASSED, Attribution, collect_attributions
from generator.facts.site_data import SiteData
from generator.facts.titles import AS_IMPORTED, build_category, find_eval_title
from generator.facts.urls import Category, Link, build_eval_path, build_page_frame
from generator.render.environment import Frame
from generator.scores.health import EvalHealth, compute_eval_healths
from generator.scores.leaderboards import Entry, Leaderboard
from records.suites.experiments import NO_GUIDELINES
from records.text.numbers import format_count

_ROOMY: Final = 12
"""Up to so many columns leave room for the full titles of evals."""


@dataclass(frozen=True, slots=True)
class MatrixCondition:
    """A condition: which columns the matrix has, and its path."""

    below: str
    """The path of the page below the version's."""
    link: str
    guidelines: bool
    """Whether the models had the guidelines, whole or in part."""

    def list_entries(self, leaderboard: Leaderboard) -> list[Entry]:
        """Return the entries under this condition, best first, baselines last."""
        return [
            entry
            for entry in leaderboard.baselines_last
            if (entry.newest.experiment != NO_GUIDELINES) is self.guidelines
        ]


WITH_GUIDELINES: Final = MatrixCondition("matrix/", "With guidelines", guidelines=True)
WITHOUT_GUIDELINES: Final = MatrixCondition(
    "matrix/without-guidelines/", "Without guidelines", guidelines=False
)
MATRICES: Final = (WITH_GUIDELINES, WITHOUT_GUIDELINES)


_PART: Final = 40
"""The most columns of a page; with a hundred models, a page would exceed 600 KB."""


class EvalMatrixRow(NamedTuple):
    """The row of an eval."""

    name: str
    label: str
    href: str
    solved: str
    """How many models pass the eval at least once, such as ``7/9``; empty without models."""
    note: str
    """A remark if no model passes the eval, or only one; else empty."""
    cells: Sequence[EvalStanding]
    """The cells of all models."""
    passed_by_all: bool
    """Whether every model, baselines left out, passes the eval in every attempt."""


class MatrixGroup(NamedTuple):
    """The evals of a category, hardest first."""

    category: Category
    rows: Sequence[EvalMatrixRow]


class MatrixPage(NamedTuple):
    """A page of the matrix of a benchmark version under a condition."""

    template = "pages/matrix.html"

    frame: Frame
    version: VersionHead
    condition: str
    """The condition in words, such as ``with guidelines``."""
    conditions: Sequence[Link]
    """Links to the matrix under each condition."""
    parts: Sequence[Link]
    """Links to the pages of the matrix, which share the columns, best models first."""
    further: bool
    """Whether the page is not the first of these."""
    columns: Sequence[Column]
    groups: Sequence[MatrixGroup]
    by_none: int
    """The number of evals that no model passes, baselines left out."""
    by_one: int
    """The number of evals that only one of several models passes."""
    by_all: int
    """The number of evals that every model passes at least once."""
    models: int
    """The number of models, baselines left out."""
    evals_href: str
    """The path of the list of the version's evals, which shows means over models."""
    attributions: Sequence[Attribution]
    """The legend of the letters in cells."""
    roomy: bool
    """Whether the columns leave room for full titles."""
    passed_by_all: bool
    """Whether there is an eval that every model passes in every attempt."""


def build_matrix_page(
    site: SiteData,
    leaderboard: Leaderboard,
    condition: MatrixCondition = WITH_GUIDELINES,
    part: int = 1,
) -> MatrixPage:
    """Return a page of the matrix under ``condition``; ``part`` is its number, from 1."""
    every = condition.list_entries(leaderboard)
    entries = every[(part - 1) * _PART : part * _PART]
    health = _compute_health(leaderboard, condition, every)
    solved = [len(each.solvers) for each in health.values()]
    models = count_models(health)
    folder = site.find_version_folder(leaderboard.version)
    title = site.titles[leaderboard.version]
    parts = _link_parts(folder, leaderboard, condition, part)
    words = AS_IMPORTED if leaderboard.is_of_other_tool else condition.link.lower()
    columns_in_title = f", columns {parts[part - 1].label}" if part > 1 else ""
    head = build_page_frame(
        f"Matrix {words}{columns_in_title}: {title}",
        folder + _make_page_path(condition, part),
        f"{format_count(len(leaderboard.list_eval_names()), 'eval')} by"
        f" {format_count(len(entries), 'column')} of models {words}: who passes what. {title}.",
        "" if folder else "matrix",
        guidelines=not leaderboard.is_of_other_tool,
    )
    cells = build_matrix_cells(site, leaderboard, entries)
    return MatrixPage(
        frame=head,
        version=build_version_head(site, leaderboard, condition.below),
        condition=words,
        conditions=[
            Link(folder + each.below, each.link, current=each is condition)
            for each in (() if leaderboard.is_of_other_tool else MATRICES)
        ],
        parts=parts,
        further=part > 1,
        columns=build_columns(leaderboard, entries),
        groups=_build_groups(site, leaderboard, cells, health),
        by_none=solved.count(0),
        by_one=solved.count(1) if models > 1 else 0,
        by_all=solved.count(models),
        models=models,
        evals_href=f"{folder}evals/",
        attributions=_list_letters(cells),
        roomy=len(entries) <= _ROOMY,
        passed_by_all=bool(cells.passed_by_all),
    )


def count_matrix_parts(leaderboard: Leaderboard, condition: MatrixCondition) -> int:
    """Return the number of pages of the matrix under ``condition``, at least 1."""
    return max(1, -(-len(condition.list_entries(leaderboard)) // _PART))


def _make_page_path(condition: MatrixCondition, part: int) -> str:
    """Return the path of a page of the matrix below the version's path."""
    return condition.below if part == 1 else f"{condition.below}{part}/"


def _link_parts(
    folder: str, leaderboard: Leaderboard, condition: MatrixCondition, current_part: int
) -> list[Link]:
    """Return links to all pages of the matrix; ``current_part`` is the number of this page."""
    number = len(condition.list_entries(leaderboard))
    return [
        Link(
            folder + _make_page_path(condition, part),
            f"{(part - 1) * _PART + 1} to {min(part * _PART, number)}",
            current=part == current_part,
        )
        for part in range(1, count_matrix_parts(leaderboard, condition) + 1)
    ]


def build_matrix_cells(
    site: SiteData, leaderboard: Leaderboard, entries: Sequence[Entry]
) -> MatrixCells:
    """Return a cell for each eval and entry."""
    attributions_by_run = {
        run.run_id: collect_attributions(site, run.run_id)
        for entry in entries
        for run in entry.runs
    }
    return build_matrix_rows(leaderboard, entries, attributions_by_run)


def _compute_health(
    leaderboard: Leaderboard, condition: MatrixCondition, entries: Sequence[Entry]
) -> Mapping[str, EvalHealth]:
    """Return the health of each eval over the models asked under ``condition``."""
    if condition.guidelines:
        return leaderboard.health
    measured = compute_eval_healths(leaderboard.scored, [item.row.pool for item in entries])
    return {item.eval: item for item in measured}


def _build_groups(
    site: SiteData, leaderboard: Leaderboard, cells: MatrixCells, health: Mapping[str, EvalHealth]
) -> list[MatrixGroup]:
    """Return the version's evals by category, hardest first by ``health``."""
    return [
        MatrixGroup(
            category=build_category(key),
            rows=[
                _build_row(site, name, cells, health.get(name))
                for name in sorted(
                    leaderboard.list_eval_names(key),
                    key=lambda name: (health[name].pass_rate if name in health else 0, name),
                )
            ],
        )
        for key in leaderboard.list_categories()
    ]


def _build_row(
    site: SiteData, name: str, cells: MatrixCells, health: EvalHealth | None
) -> EvalMatrixRow:
    return EvalMatrixRow(
        name=name,
        label=find_eval_title(site, name),
        href=build_eval_path(name),
        solved=f"{len(health.solvers)}/{health.models}" if health else "",
        note=describe_solvers(health) if health else "",
        cells=cells.rows[name],
        passed_by_all=name in cells.passed_by_all,
    )


def _list_letters(cells: MatrixCells) -> list[Attribution]:
    classes = [*CLASSES.values(), NOT_CLASSED]
    return [
        Attribution(label, mark, note="", href="", published=False)
        for label, mark in classes
        if mark in cells.marks
    ]
