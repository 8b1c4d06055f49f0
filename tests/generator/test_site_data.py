"""Addresses of pages."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from generator import site_links
from generator.build import build
from generator.pages.leaderboard import BOTH, WITHOUT, build_table_page
from generator.read.summaries import PlannedEvals, Results
from generator.render.templates import PageContext
from generator.site_data import SiteData, build_site_parts
from records.files.data_folder import DataFolder
from tests.generator.contexts import gather_site, make_project_sources, render_tree
from tests.generator.pages.small_boards import VERSION, Entry, list_eval_names, write_entries
from tests.generator.scores.making import change_head
from tests.support.site_links import assert_no_broken_link

pytestmark = pytest.mark.unit


def test_pages_stand_where_no_two_collide() -> None:
    """A colon in a slug gets its own character, and samples get folders of their own."""
    assert site_links.build_model_path("a/b:free") != site_links.build_model_path("a/b-free")
    assert site_links.build_attempt_path("r", "0-a/1-b", 1) == "runs/r/0-a/1-b/"
    assert site_links.build_attempt_path("r", "0-a/1-b", 2) == "runs/r/0-a/1-b/2/"
    assert site_links.build_kept_attempt_href("r", "0-a/1-b", 1) == "runs/r/0-a/#1-b/"
    assert site_links.build_kept_attempt_href("r", "0-a/1-b", 2) == "runs/r/0-a/#1-b/2/"
    assert site_links.format_eval_label("002-queries/009-text_search") == "Text search"


pytestmark = pytest.mark.unit

WHOLE = Entry("maker/whole", "Whole", 9)
PART = Entry("maker/part", "Part", 3, evals=5)
OTHER_PART = Entry("maker/other", "Other", 4, evals=5, conditions=("default",))
BARE_ORACLE = Entry(
    "baseline/oracle", "Oracle", 9, evals=7, conditions=("no_guidelines",), kind="baseline"
)


def gather_parts(root: Path, entries: Sequence[Entry]) -> tuple[SiteData, list[SiteData]]:
    """Return the data of the site with these runs, and of its parts."""
    write_entries(DataFolder(root), entries)
    site = gather_site(DataFolder(root))
    return site, build_site_parts(site, ())


def build_part_page(part: SiteData) -> PageContext:
    """Return the table of a part."""
    return build_table_page(part, part.leaderboards[VERSION], BOTH)


def list_rows(page: PageContext) -> list[tuple[str, float, int]]:
    """Return the name of each row with the evals that passed and that were judged."""
    rows = [(entry.newest, entry.row) for group in page.groups for entry in group.entries]
    return [(run.name, row.score.share.passed, row.score.share.judged) for run, row in rows]


def test_a_part_has_exactly_the_runs_of_its_evals(tmp_path: Path) -> None:
    """Partial runs are ranked among themselves, and never among whole runs."""
    site, parts = gather_parts(tmp_path, [WHOLE, PART, OTHER_PART])
    (part,) = parts
    assert part.folder == site_links.build_part_path(VERSION, list_eval_names()[:5])
    page = build_part_page(part)
    assert list_rows(page) == [("Other", 4, 5), ("Part", 3, 5)]
    whole = build_table_page(site, site.leaderboards[VERSION], BOTH)
    assert list_rows(whole) == [("Whole", 9, 12)]
    bare = build_table_page(part, part.leaderboards[VERSION], WITHOUT)
    assert list_rows(bare) == [("Part", 1, 5)]
    assert bare.frame.path == f"{part.folder}without-guidelines/"


def test_a_part_names_its_basis(tmp_path: Path) -> None:
    """The page names its evals and the table of whole runs, and offers no file without its rows."""
    _, (part,) = gather_parts(tmp_path, [WHOLE, PART])
    tree = render_tree(build_part_page(part))
    heading, main = tree.css_first("h1"), tree.css_first("main")
    assert heading is not None
    assert main is not None
    assert heading.text() == "Part passes 60% of 5 evals"
    assert "Only runs of exactly these 5 evals are in this table" in main.text()
    links = [link.attributes["href"] or "" for link in main.css("a")]
    assert sum("/evals/0" in link for link in links) == 5
    assert f"../../../../benchmarks/{VERSION}/" in links
    assert not any("/api/" in link for link in links)


def test_a_baseline_that_ran_only_without_guidelines_has_a_row(tmp_path: Path) -> None:
    """The first look at a run shows its row, whatever its condition."""
    _, (part,) = gather_parts(tmp_path, [BARE_ORACLE])
    assert list_rows(build_part_page(part)) == [("Oracle", 7, 7)]


def test_parts_of_equal_size_have_different_titles(tmp_path: Path) -> None:
    """The digest of their evals tells them apart, and unchanged boards are not computed again."""
    site, _ = gather_parts(tmp_path, [WHOLE, OTHER_PART])
    (run,) = (run for run in site.summaries.runs if run.slug == OTHER_PART.slug)
    later_evals = Results(PlannedEvals(list_eval_names()[1:6]), run.results.values())
    runs = [*site.summaries.runs, replace(change_head(run, run_id="z" * 32), results=later_evals)]
    both = replace(site, summaries=replace(site.summaries, runs=runs))
    first, second = build_site_parts(both, ())
    titles = {first.titles[VERSION], second.titles[VERSION]}
    assert len(titles) == 2
    assert all(title.startswith("5 evals (") for title in titles)
    (again, _) = build_site_parts(both, [first, second])
    assert again.leaderboards[VERSION] is first.leaderboards[VERSION]


def test_an_unjudged_attempt_is_the_reason_and_not_the_part(tmp_path: Path) -> None:
    """A run that lacks verdicts has no row; the note has this reason, as all runs are partial."""
    _, (part,) = gather_parts(tmp_path, [replace(PART, unjudged=2, conditions=("default",))])
    page = build_part_page(part)
    assert list_rows(page) == []
    assert "2 of 5 attempts have no verdict" in page.left_out


def test_imported_runs_have_no_part(tmp_path: Path) -> None:
    """Their publisher chose the evals, and no command of this project leads to such a page."""
    _, parts = gather_parts(tmp_path, [replace(PART, imported=True), WHOLE])
    assert parts == []


def test_only_a_local_site_has_parts(tmp_path: Path) -> None:
    """Each page of a part is linked and leads somewhere; a public site has none of them."""
    data = DataFolder(tmp_path / "data")
    write_entries(data, [WHOLE, PART, BARE_ORACLE])
    sources = make_project_sources(data)
    assert gather_site(data).parts == ()
    build(replace(sources, local=True), tmp_path / "site")
    folder = tmp_path / "site" / site_links.build_part_path(VERSION, list_eval_names()[:5])
    assert len([*folder.rglob("index.html")]) > 3
    assert_no_broken_link(tmp_path / "site")
