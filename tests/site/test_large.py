"""The site of many models and runs: the pages stay small enough for a slow connection."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from records.folder import DataFolder
from tests.site.corpus import write_field
from tests.site.example_site import sources
from tests.site.serving import served
from tests.site.watching import context, listening

pytestmark = pytest.mark.integration

_MOST = 600_000


@dataclass(frozen=True, slots=True)
class Large:
    """A site of many models, each with some runs under each condition."""

    models: int
    baselines: int
    runs: int
    folder: Path


@pytest.fixture(
    scope="module", params=[(33, 1, 1), pytest.param((100, 2, 3), marks=pytest.mark.night)]
)
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Large:
    """Build models with runs over the whole suite, without archives; at night many more."""
    models, baselines, runs = request.param
    folder = tmp_path_factory.mktemp("large")
    write_field(DataFolder(folder / "data"), models, runs)
    build(sources(DataFolder(folder / "data")), folder / "site")
    return Large(models, baselines, runs, folder / "site")


def _sizes(site: Path) -> Mapping[str, int]:
    return {f"{path.relative_to(site)}": path.stat().st_size for path in site.rglob("*.html")}


def test_no_page_of_a_large_site_is_over_600_kb(large: Large) -> None:
    """The size is that before compression, of every kind of page."""
    sizes = _sizes(large.folder)
    assert len(sizes) > large.models * large.runs * 2
    assert {path: size for path, size in sizes.items() if size > _MOST} == {}


def test_the_table_of_evals_is_not_pushed_out_of_sight(large: Large) -> None:
    """A long list of evals that stand out for the same reason is folded."""
    page = LexborHTMLParser((large.folder / "evals" / "index.html").read_text())
    groups = {len(group.css("li")): group for group in page.css("details.hard")}
    assert max(groups) > 12
    for number, group in groups.items():
        assert number <= 12 or "open" not in group.attributes


def test_models_are_compared_without_a_page_of_every_two(large: Large) -> None:
    """Only the number of small files grows with the models; the page has the neighbours alone."""
    folder = large.folder / "compare"
    assert [path.name for path in folder.glob("*.html")] == ["index.html"]
    conditions = 2
    assert len(list(folder.rglob("maker*/*.json"))) == large.models * conditions
    html = (folder / "index.html").read_text()
    page = LexborHTMLParser(html)
    in_sight = page.css("[data-overview] > section table.neighbours tbody tr")
    assert len(in_sight) == conditions * min(10, large.models - large.baselines - 1)
    assert html.count('href="?models=') == conditions * (large.models - large.baselines - 1)


@pytest.mark.parametrize("page", ["matrix/", "matrix/without-guidelines/"])
def test_the_table_of_a_large_matrix_is_one_stop(browser: Browser, large: Large, page: str) -> None:
    """The tabulator reaches a single link of the table, arrow keys reach the others."""
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    with served(large.folder) as address:
        tab = listening(window, wrong)
        tab.goto(address + page)
        assert tab.locator("table.matrix a").count() > min(large.models, 40) * 16
        assert tab.locator("table.matrix a:not([tabindex='-1'])").count() == 1
        window.close()
    assert wrong == []


def test_the_ten_best_are_one_choice(browser: Browser, large: Large) -> None:
    """They are the first columns without baselines, and rows that they all pass can be hidden."""
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    with served(large.folder) as address:
        page = listening(window, wrong)
        page.goto(f"{address}matrix/?models=top&hide=passed")
        heads = page.locator("table.matrix thead th[data-maker]")
        columns = min(large.models, 40)
        assert heads.count() == columns
        hidden = heads.evaluate_all("(all) => all.map((one) => one.hidden)")
        assert hidden == [False] * 10 + [True] * (columns - 10)
        rows = page.locator("table.matrix tbody tr:not(.group)")
        assert 0 < page.locator("table.matrix tbody tr:not(.group):visible").count() < rows.count()
        window.close()
    assert wrong == []


def test_every_model_has_a_column_on_one_page_of_the_matrix(large: Large) -> None:
    """The pages of a matrix lead to one another, and none has more than forty columns."""
    folder = large.folder / "matrix"
    pages = sorted({folder / "index.html", *folder.glob("[0-9]*/index.html")})
    columns: list[str] = []
    for path in pages:
        page = LexborHTMLParser(path.read_text())
        heads = [head.attributes["data-key"] or "" for head in page.css("thead th[data-maker]")]
        assert len(heads) <= 40
        columns += heads
        parts = page.css("nav[data-label='Models by rank'] a")
        assert len(parts) == (len(pages) if len(pages) > 1 else 0)
    assert len(columns) == len({*columns}) == large.models


def test_long_lists_are_folded(large: Large) -> None:
    """Pages of many models begin with a few of them; a fold holds the others."""
    page = LexborHTMLParser((large.folder / "guidelines" / "index.html").read_text())
    models = page.css("table[class='effects stacked']")
    rows = [len(table.css("tbody tr")) for table in models]
    assert large.models - large.baselines - 12 in rows
    assert max(len(fold.css("li")) for fold in page.css("table.moved details")) <= 9


def test_a_long_board_shows_its_first_rows(browser: Browser, large: Large) -> None:
    """A button shows the others, and the filter searches all; without a script all are there."""
    if large.models < 32:
        pytest.skip("all rows are in sight")
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    plain = browser.new_context(java_script_enabled=False)
    with served(large.folder) as address:
        page = listening(window, wrong)
        page.goto(address)
        rows = page.locator("table.board tbody tr:not(.group):visible")
        assert rows.count() == 25 + large.baselines
        page.get_by_label("Filter rows").fill(f"model-{large.models - 1}")
        assert rows.count() == 1
        page.goto(address)
        page.get_by_role("button", name=f"Show all {large.models} rows").click()
        assert rows.count() == large.models
        page.reload()
        assert rows.count() == large.models
        bare = plain.new_page()
        bare.goto(address)
        assert bare.locator("table.board tbody tr:not(.group):visible").count() == large.models
        plain.close()
        window.close()
    assert wrong == []


@pytest.mark.parametrize("page", ["matrix/", "matrix/without-guidelines/"])
def test_a_large_matrix_is_whole_on_paper(browser: Browser, large: Large, page: str) -> None:
    """All its columns are within the edges of an A4 page, and each symbol within its cell."""
    window = browser.new_context(viewport={"width": 703, "height": 1000})
    with served(large.folder) as address:
        tab = window.new_page()
        tab.emulate_media(media="print")
        tab.goto(address + page)
        assert tab.locator("table.matrix").bounding_box() is not None
        right = tab.evaluate("document.querySelector('table.matrix').getBoundingClientRect().right")
        cut = tab.evaluate(
            "[...document.querySelectorAll('table.matrix td.m')]"
            ".filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
        )
        window.close()
    assert right <= 703
    assert cut == 0
