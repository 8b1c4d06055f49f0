"""Pages about runs that no table has, and about tables without rows."""

from collections import Counter
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.pages.changes import build_benchmarks_page
from generator.pages.leaderboard import BOTH, WITH, WITHOUT, build_table_page
from generator.pages.model import build_model_page
from generator.pages.run import build_run_page
from generator.site_pages import list_site_pages
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.generator.contexts import change_values, gather_published_site, render_block, render_tree
from tests.generator.pages.test_evals import PUBLISHED

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
FABLE = "convex-evals-74-166a9843"
OUTAGE = "convex-evals-72-420f3b10"
"""A version whose only run was withdrawn, without a judged attempt."""


def test_an_empty_table_describes_its_condition() -> None:
    """No run is not the same as no complete run; each condition lists its own exclusions."""
    board = gather_published_site().leaderboards[FABLE]
    page = build_table_page(gather_published_site(), board, WITHOUT)
    (empty,) = render_tree(page).css("p.empty")
    assert (
        " ".join(empty.text().split()) == "No run without guidelines was made under this version."
    )
    assert page.left_out == ""
    note = build_table_page(gather_published_site(), board, WITH).left_out
    assert LexborHTMLParser(note).text() == (
        "Not in this table: Claude Fable 5 (2 runs: withdrawn) with guidelines; see the model's"
        " page."
    )


def test_a_version_whose_only_run_does_not_count_gives_the_reason_everywhere() -> None:
    """The table, the list of versions and the model's page agree that no run counts."""
    page = render_tree(
        build_table_page(
            gather_published_site(), gather_published_site().leaderboards[OUTAGE], BOTH
        )
    )
    (empty,) = page.css("main p.empty")
    assert empty.text() == "No run of this version counts."
    rows = render_tree(build_benchmarks_page(gather_published_site())).css("tbody tr")
    (line,) = [row for row in rows if OUTAGE in [code.text() for code in row.css("code")]]
    numbers = [cell.text() for cell in line.css("[data-label=models], [data-label=runs]")]
    assert numbers == ["0", "1"]
    (note,) = render_tree(
        build_model_page(gather_published_site(), "arcee-ai/trinity-large-preview")
    ).css("main p.empty")
    assert note.text().endswith("(withdrawn, 72 of 72 attempts have no verdict).")


def test_runs_older_than_their_version_are_marked_as_graded_again_under_it() -> None:
    """The sentence is on the page of the version that has such runs, and on no other."""
    site = gather_published_site()
    for version, board in site.leaderboards.items():
        minted = board.benchmark.minted_at
        older = [
            run
            for run in site.summaries.runs
            if minted and run.version == version and run.regraded and run.date < minted.date()
        ]
        sentence = render_block("benchmark_versions", site, board.benchmark, macro="graded_again")
        assert sentence.startswith(f"{len(older)} runs are older (") if older else sentence == ""


def test_shares_of_fewer_than_ten_evals_are_counts() -> None:
    """Three of three is not shown as 100% in a table."""
    page = build_table_page(
        gather_published_site(), gather_published_site().leaderboards[PUBLISHED], BOTH
    )
    small = {at for at, column in enumerate(page.columns) if len(column.evals) < 10}
    assert small
    for group in page.groups:
        tree = render_tree(change_values(page, groups=[group], elsewhere=()))
        for row in tree.css("table.board tbody tr:not(.group)"):
            for at, cell in enumerate(row.css("td.heat")):
                assert ("/" in cell.text(deep=False)) is (at in small)


def test_a_fault_that_many_attempts_share_is_reported_once() -> None:
    """The run during an outage has one note above its table, and no row repeats it."""
    data = DataFolder(ROOT / "data")
    (summary,) = gather_published_site().by_model["arcee-ai/trinity-large-preview"]
    page = build_run_page(
        gather_published_site(), summary, read_run(data.get_run_file(summary.slug, summary.run_id))
    )
    assert page.common_fault is not None
    assert page.common_fault[1] == 72
    tree = render_tree(page)
    assert len(tree.css("main p#common-fault")) == 1
    cells = {cell.text().strip() for cell in tree.css("table.attempts tbody td.text")}
    assert cells == {"as said above"}


def test_versions_that_graded_again_are_marked_in_the_list_of_all() -> None:
    """Each version with runs older than itself has a note."""
    site = gather_published_site()
    notes = render_tree(build_benchmarks_page(site)).css("main p.graded-again")
    sentences = [
        render_block("benchmark_versions", site, board.benchmark, macro="graded_again")
        for board in site.leaderboards.values()
    ]
    assert len(notes) == sum(map(bool, sentences)) > 0


def test_no_two_pages_have_one_title() -> None:
    """Titles of tabs that would be equal have the version, condition, run or day."""
    pages = [page.gather() for page in list_site_pages(gather_published_site())]
    titles = Counter(page.frame.title for page in pages)
    assert [title for title, number in titles.items() if number > 1] == []
