"""Levels and held-out evals on pages and in tables: shown once a version records them."""

from collections import Counter
from pathlib import Path

import pytest

from generator.pages.about import build_about_page
from generator.pages.eval import build_evals_page
from generator.pages.guidelines import build_guidelines_page
from generator.pages.leaderboard import BOTH, build_table_page
from generator.scores.differences.difference import FEWEST_EVALS, compute_smallest_difference
from generator.site_data import SiteData, build_level_boards
from generator.tables.columns import ResultTable
from generator.tables.published_tables import EvalRow, build_frames, build_leaderboard_rows
from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from records.suites.levels import Level
from records.writer import write_record
from tests.generator import contexts
from tests.generator.pages.small_boards import VERSION, Entry, list_eval_names, write_entries

pytestmark = pytest.mark.unit

NAMES = list_eval_names()
HARD = NAMES[1::4]
BEFORE = len(NAMES) - len(HARD)


def gather_levels(folder: Path, entries: list[Entry]) -> SiteData:
    """Return the site of a version with three hard evals of twelve, one of them held out."""
    data = DataFolder(folder)
    write_entries(data, entries)
    levels = {name: Level.HARD if name in HARD else Level.STANDARD for name in NAMES}
    changes = {"levels": levels, "held_out": (HARD[0],)}
    benchmark = read_benchmark(data.benchmarks.get_file(VERSION))
    write_record(data.benchmarks, benchmark.model_copy(update=changes))
    return contexts.gather_site(data)


def make_entries(number: int) -> list[Entry]:
    """Return models that pass fewer evals one after the other."""
    return [Entry(f"maker/model-{at}", f"Model {at}", len(NAMES) - at) for at in range(number)]


def test_the_share_of_hard_evals_has_a_column_beside_the_score(tmp_path: Path) -> None:
    """Ranks are by the plain share; the column has the counts, and the picture a second height."""
    site = gather_levels(tmp_path, make_entries(3))
    board = site.leaderboards[VERSION]
    tree = contexts.render_tree(build_table_page(site, board, BOTH))
    assert [head.text() for head in tree.css("th[data-key=hard]")] == ["Hard"]
    cells = tree.css("tbody[data-group=Models] td.hard")
    assert [cell.attributes["title"] for cell in cells] == ["3 of 3", "3 of 3", "3 of 3"]
    rows = build_leaderboard_rows(board)
    assert [row.hard_evals for row in rows if row.experiment == "default"] == [3, 3, 3]
    assert {row.evals for row in rows} == {len(NAMES)}


def test_versions_without_levels_look_as_before(tmp_path: Path) -> None:
    """No column and no figure, and never a share of nothing."""
    data = DataFolder(tmp_path)
    write_entries(data, make_entries(2))
    site = contexts.gather_site(data)
    board = site.leaderboards[VERSION]
    tree = contexts.render_tree(build_table_page(site, board, BOTH))
    assert tree.css("th[data-key=hard], td.hard") == []
    assert {row.hard_score for row in build_leaderboard_rows(board)} == {None}
    assert build_level_boards(site, ()) == []
    assert contexts.render_tree(build_guidelines_page(site, board)).css("#held-out") == []


def test_a_version_has_another_board_over_other_levels(tmp_path: Path) -> None:
    """All rows have all levels here, so the other one is over those before; it is kept."""
    site = gather_levels(tmp_path, make_entries(2))
    (part,) = build_level_boards(site, ())
    assert part.levels_shown == "the levels before hard"
    board = part.leaderboards[VERSION]
    assert len(board.scored.evals) == BEFORE
    assert {entry.row.hard for entry in board.entries} == {None}
    page = contexts.render_tree(build_table_page(part, board, BOTH))
    assert f"{BEFORE} evals of the levels before hard" in page.css("p.sub")[0].text()
    (again,) = build_level_boards(site, [part])
    assert again.leaderboards[VERSION] is board


def test_evals_show_their_level_and_whether_they_are_held_out(tmp_path: Path) -> None:
    """A reader can filter them by their level; tables have both."""
    site = gather_levels(tmp_path, make_entries(2))
    tree = contexts.render_tree(build_evals_page(site, site.leaderboards[VERSION]))
    links = tree.css("#levels a")
    assert [link.attributes["href"] for link in links] == [
        "?filter=standard#all",
        "?filter=hard#all",
    ]
    rows = {row.attributes["data-key"]: row for row in tree.css("[data-table=evals] tr[data-key]")}
    cells = {name: [cell.text() for cell in row.css("td")] for name, row in rows.items()}
    assert {name for name, texts in cells.items() if "hard" in texts} == {*HARD}
    marked = {name for name, row in rows.items() if "held out" in row.text()}
    assert marked == {HARD[0]}
    listed = ResultTable("evals", EvalRow, ("eval", "level", "held_out"))
    values = listed.list_rows(build_frames(site)[EvalRow])
    assert {"eval": HARD[0], "level": "hard", "held_out": True} in values
    assert {"eval": NAMES[0], "level": "standard", "held_out": False} in values


def test_the_effect_of_the_guidelines_stands_apart_on_held_out_evals(tmp_path: Path) -> None:
    """Over all models together, with the number of evals on either side."""
    site = gather_levels(tmp_path, make_entries(2))
    tree = contexts.render_tree(build_guidelines_page(site, site.leaderboards[VERSION]))
    section = tree.css_first("#held-out")
    assert section is not None
    table = section.next
    while table is not None and not table.css("tbody tr"):
        table = table.next
    assert table is not None
    heads = [head.text() for head in table.css("tbody th")]
    assert heads == ["Held out", "Not held out"]
    overall = site.leaderboards[VERSION].overall
    assert overall is not None
    assert [part.evals for part in overall.held_out.values()] == [1, len(NAMES) - 1]


def test_the_method_has_the_smallest_difference_by_level_and_runs() -> None:
    """The sizes are those of today's suite: more runs and more evals show smaller differences."""
    site = contexts.gather_published_site()
    tree = contexts.render_tree(build_about_page(site))
    rows = tree.css("section[aria-labelledby=smallest] tbody tr")
    texts_of_rows = [[cell.text() for cell in row.css("th, td")] for row in rows]
    cells = {level: texts for level, *texts in texts_of_rows}
    sizes = {"all": len(site.levels), **Counter(map(str, site.levels.values()))}
    assert {level: int(texts[0]) for level, texts in cells.items()} == sizes
    # A level of fewer than six evals shows no difference.
    numbers = {
        level: [float(text) for text in texts[1:]]
        for level, texts in cells.items()
        if sizes[level] >= FEWEST_EVALS
    }
    assert all(row == sorted(row, reverse=True) for row in numbers.values())
    assert all(numbers["all"] < row for level, row in numbers.items() if level != "all")


def test_few_evals_show_no_difference() -> None:
    """Fewer than six never do; a third run makes a smaller one visible."""
    assert compute_smallest_difference(5, 3) is None
    once, thrice = (compute_smallest_difference(24, runs) for runs in (1, 3))
    assert once is not None
    assert thrice is not None
    assert 0 < thrice < once < 1
