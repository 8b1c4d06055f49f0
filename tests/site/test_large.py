"""The site of many models and runs: the pages stay small enough for a slow connection."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from records.files.data_folder import DataFolder
from tests.site.corpus import write_field
from tests.site.example_site import make_sources
from tests.site.serving import serve_folder
from tests.site.watching import disable_scripts

pytestmark = pytest.mark.night

_MOST = 600_000
_COLUMNS = 20
"""The most columns of a page of the matrix."""


@dataclass(frozen=True, slots=True)
class Large:
    """A site of many models, each with some runs under each condition."""

    models: int
    baselines: int
    runs: int
    folder: Path


@pytest.fixture(scope="module", params=[(33, 1, 1), (100, 2, 3)])
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Large:
    """Build models with runs over the whole suite, without archives."""
    models, baselines, runs = request.param
    folder = tmp_path_factory.mktemp("large")
    write_field(DataFolder(folder / "data"), models, runs)
    build(make_sources(DataFolder(folder / "data")), folder / "site")
    return Large(models, baselines, runs, folder / "site")


@pytest.fixture
def address_of_large(large: Large) -> Iterator[str]:
    """Serve the large site."""
    with serve_folder(large.folder) as address:
        yield address


def _measure_sizes(site: Path) -> Mapping[str, int]:
    return {f"{path.relative_to(site)}": path.stat().st_size for path in site.rglob("*.html")}


def test_no_page_of_a_large_site_is_over_600_kb(large: Large) -> None:
    """The size is that before compression, of every kind of page."""
    sizes = _measure_sizes(large.folder)
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


@pytest.mark.parametrize("path", ["matrix/", "matrix/without-guidelines/"])
def test_the_table_of_a_large_matrix_is_one_stop(
    page: Page, address_of_large: str, large: Large, path: str
) -> None:
    """The tabulator reaches a single link of the table, arrow keys reach the others."""
    page.goto(address_of_large + path)
    assert page.locator("table.matrix a").count() > min(large.models, _COLUMNS) * 16
    assert page.locator("table.matrix a:not([tabindex='-1'])").count() == 1


def test_the_ten_best_are_one_choice(page: Page, address_of_large: str, large: Large) -> None:
    """They are the first columns without baselines, and rows that they all pass can be hidden."""
    page.goto(f"{address_of_large}matrix/?models=top&hide=passed")
    heads = page.locator("table.matrix thead th[data-maker]")
    columns = min(large.models, _COLUMNS)
    assert heads.count() == columns
    hidden = heads.evaluate_all("(all) => all.map((one) => one.hidden)")
    assert hidden == [False] * 10 + [True] * (columns - 10)
    rows = page.locator("table.matrix tbody tr:not(.group)")
    assert 0 < page.locator("table.matrix tbody tr:not(.group):visible").count() < rows.count()


def test_every_model_has_a_column_on_one_page_of_the_matrix(large: Large) -> None:
    """The pages of a matrix lead to one another, and none has more than twenty columns."""
    folder = large.folder / "matrix"
    pages = sorted({folder / "index.html", *folder.glob("[0-9]*/index.html")})
    columns: list[str] = []
    for path in pages:
        page = LexborHTMLParser(path.read_text())
        heads = [head.attributes["data-key"] or "" for head in page.css("thead th[data-maker]")]
        assert len(heads) <= _COLUMNS
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


def test_a_long_board_shows_its_first_rows(page: Page, address_of_large: str, large: Large) -> None:
    """A button shows the others, and the filter searches all; without a script all are there."""
    if large.models < 32:
        pytest.skip("all rows are in sight")
    page.goto(address_of_large)
    rows = page.locator("table.board tbody tr:not(.group):visible")
    assert rows.count() == 20 + large.baselines
    page.get_by_label("Filter rows").fill(f"model-{large.models - 1}")
    assert rows.count() == 1
    page.goto(address_of_large)
    page.get_by_role("button", name=f"Show all {large.models} rows").click()
    assert rows.count() == large.models
    page.reload()
    assert rows.count() == large.models
    with disable_scripts(page):
        page.goto(address_of_large)
        assert rows.count() == large.models


@pytest.mark.parametrize("path", ["matrix/", "matrix/without-guidelines/"])
def test_a_large_matrix_is_whole_on_paper(page: Page, address_of_large: str, path: str) -> None:
    """All its columns are within the edges of an A4 page, and each symbol within its cell."""
    page.set_viewport_size({"width": 703, "height": 1000})
    page.emulate_media(media="print")
    page.goto(address_of_large + path)
    assert page.locator("table.matrix").bounding_box() is not None
    right = page.evaluate("document.querySelector('table.matrix').getBoundingClientRect().right")
    cut = page.evaluate(
        "[...document.querySelectorAll('table.matrix td.m')]"
        ".filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
    )
    assert right <= 703
    assert cut == 0


def test_a_reader_names_models_on_the_map(page: Page, address_of_large: str) -> None:
    """A model that the map does not name is named after a click on its row, and in the address."""
    page.goto(address_of_large)
    on_map = "svg.map:not(.narrow) a[data-model='{}'] .name"
    key = next(
        key
        for key in page.locator("tr[data-key]:visible").evaluate_all(
            "rows => rows.filter((row) => row.querySelector('.pick')).map((row) => row.dataset.key)"
        )
        if page.locator(on_map.format(key)).first.is_hidden()
    )
    pick = page.locator(f"tr[data-key='{key}']:visible .pick").first
    name = page.locator(on_map.format(key)).first
    expect(name).to_be_hidden()
    pick.locator("xpath=ancestor::tr").locator(".drawn").click()
    expect(name).to_be_visible()
    page.goto(page.url)
    expect(name).to_be_visible()
    expect(pick).to_have_attribute("aria-pressed", "true")
    pick.click()
    expect(page).to_have_url(address_of_large)
