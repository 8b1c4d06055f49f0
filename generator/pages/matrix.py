"""The matrix of evals by models, hardest evals first; a page with guidelines, another without."""

from generator import site_links
from generator.blocks import matrix_cells
from generator.render.templates import PageContext, Row
from generator.scores.health import compute_eval_healths
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_data import SiteData
from records.shapes.failure_classes import CLASSES
from records.suites.experiments import NO_GUIDELINES
from records.text.numbers import format_count

_ROOMY = 12
"""Up to so many columns leave room for the full titles of evals."""


WITH_GUIDELINES, WITHOUT_GUIDELINES = "matrix/", "matrix/without-guidelines/"
MATRICES = {WITH_GUIDELINES: "With guidelines", WITHOUT_GUIDELINES: "Without guidelines"}
"""The labels of the matrices, of models that had guidelines, whole or in part, and of those
without, by the path below the version's folder."""

_PART = 20
"""The most columns of a page; with a hundred models, a page would exceed 600 KB."""


def build_matrix_page(
    site: SiteData,
    leaderboard: Leaderboard,
    below: str = WITH_GUIDELINES,
    part: int = 1,
) -> PageContext:
    """Return a page of a matrix, by its path and number; numbers begin with 1."""
    every = list_matrix_entries(leaderboard, below)
    entries = every[(part - 1) * _PART : part * _PART]
    health = leaderboard.health
    if below == WITHOUT_GUIDELINES:
        measured = compute_eval_healths(leaderboard.scored, [item.row.pool for item in every])
        health = {item.eval: item for item in measured}
    models = matrix_cells.count_models(health)
    folder, title = site.find_version_folder(leaderboard.version), site.titles[leaderboard.version]
    parts = [
        site_links.Link(
            folder + below + ("" if number == 1 else f"{number}/"),
            f"{(number - 1) * _PART + 1} to {min(number * _PART, len(every))}",
            current=number == part,
        )
        for number in range(1, count_matrix_parts(leaderboard, below) + 1)
    ]
    words = site_links.AS_IMPORTED if leaderboard.is_of_other_tool else MATRICES[below].lower()
    columns_in_title = f", columns {parts[part - 1].label}" if part > 1 else ""
    evals = leaderboard.list_eval_names()
    cells = matrix_cells.build_matrix_rows(site, leaderboard, entries)
    rates = {name: each.pass_rate for name, each in health.items()}
    groups: list[Row] = []
    for key in leaderboard.list_categories():
        names = leaderboard.list_eval_names(key)
        rows = [
            Row(
                eval=site.link_eval(name),
                health=health.get(name),
                cells=cells.rows[name],
                passed_by_all=name in cells.passed_by_all,
            )
            # The hardest evals first.
            for name in sorted(names, key=lambda name: (rates.get(name, 0), name))
        ]
        groups.append(Row(category=key, rows=rows))
    return PageContext(
        "pages/matrix.html",
        f"Matrix {words}{columns_in_title}: {title}",
        parts[part - 1].href,
        f"{format_count(len(evals), 'eval')} by"
        f" {format_count(len(entries), 'column')} of models {words}: who passes what. {title}.",
        "" if folder else "matrix",
        guidelines=not leaderboard.is_of_other_tool,
        board=leaderboard,
        basics=site,
        below=below,
        condition=words,
        conditions=[
            site_links.Link(folder + path, label, current=path == below)
            for path, label in (MATRICES.items() if not leaderboard.is_of_other_tool else ())
        ],
        parts=parts,
        further=part > 1,
        entries=entries,
        groups=groups,
        solved=[len(each.solvers) for each in health.values()],
        models=models,
        attributions=[each for each in CLASSES.values() if each[1] in cells.marks],
        roomy=len(entries) <= _ROOMY,
        passed_by_all=bool(cells.passed_by_all),
    )


def list_matrix_entries(leaderboard: Leaderboard, below: str) -> list[Entry]:
    """Return the entries of a matrix by its path, best first, baselines last."""
    return [
        entry
        for entry in leaderboard.baselines_last
        if (entry.newest.experiment == NO_GUIDELINES) is (below == WITHOUT_GUIDELINES)
    ]


def count_matrix_parts(leaderboard: Leaderboard, below: str) -> int:
    """Return the number of pages of a matrix, at least 1."""
    return max(1, -(-len(list_matrix_entries(leaderboard, below)) // _PART))
