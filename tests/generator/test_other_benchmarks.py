"""The site of results of other tools, in a folder without a suite and beside one."""

import gzip
import html
import re
import shutil
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.build import Sources, build
from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from tests.generator.conftest import MakeProject
from tests.runner.published_results.results import FILES, import_files
from tests.support.site_links import assert_no_broken_link

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]

TABLE = "model,task,sample,outcome\n" + "".join(
    f"lab/model-{model},{task},q{number},{int((number * model) % 5 > 1)}\n"
    for model in range(1, 5)
    for task in ("adding", "<b>spelling</b>")
    for number in range(12)
)


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the templates with both method pages: compiled templates stay out of ours."""
    folder = tmp_path_factory.mktemp("program")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "site_templates", folder / "site_templates", ignore=ignored)
    (folder / "docs").mkdir()
    for name in ("method.md", "method-of-imports.md"):
        shutil.copy(ROOT / "docs" / name, folder / "docs")
    return folder / "site_templates"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, templates: Path) -> Path:
    """The built site of four benchmarks of other tools."""
    folder = tmp_path_factory.mktemp("board")
    data = DataFolder(folder / "data")
    (folder / "table.csv").write_text(TABLE)
    import_files(data, folder / "table.csv", FILES / "inspect-sums.eval")
    import_files(data, FILES / "promptfoo-sums.json")
    (folder / "other.csv").write_text("model,task,sample,outcome\nlab/a,reading,q1,1\n")
    import_files(data, folder / "other.csv")
    assert check_data(data) == []
    build(Sources(data, templates, folder / "evals", local=True), folder / "site")
    return folder / "site"


def read_page(site: Path, path: str) -> LexborHTMLParser:
    """Return a page as a browser parses it."""
    return LexborHTMLParser((site / path / "index.html").read_text())


def list_texts(parsed: LexborHTMLParser, selector: str) -> list[str]:
    """Return the texts of the nodes that a selector finds."""
    return [node.text() for node in parsed.css(selector)]


def extract_words(text: str) -> str:
    """Return the text of a page that a reader sees, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_the_day_of_an_import_is_not_called_the_day_of_a_result(site: Path) -> None:
    """A file without days: the table names the import, and no sentence says when models ran."""
    front = read_page(site, "")
    assert list_texts(front, "td a:has(time)")[0].startswith("imported ")
    assert "were asked" not in front.text()
    assert "newest result" not in front.text()


def test_no_page_speaks_of_convex_or_guidelines(site: Path) -> None:
    """Pages of other benchmarks say nothing that is only true of our suite.

    The page of data describes the columns of all tables, those about guidelines too.
    """
    pages = [path for path in site.rglob("*.html") if path.parent != site / "data"]
    wrong = re.compile(r"convex|guideline|deployed|type-checked|published by", re.IGNORECASE)
    matches = {
        f"{path.relative_to(site)}": match[0]
        for path in pages
        if (match := wrong.search(extract_words(path.read_text()))) is not None
    }

    assert len(pages) > 40
    assert matches == {}
    assert not (site / "guidelines").exists()


def test_the_front_page_lists_the_benchmarks(site: Path) -> None:
    """Each benchmark has a board of its own, which the front page leads to."""
    front = read_page(site, "")
    listed = front.css("ul.benchmarks li")
    links = [str(link.attributes["href"]) for link in front.css("ul.benchmarks a")]

    assert len(listed) == 4
    assert len(links) == 3
    for link in links:
        assert (site / link / "index.html").is_file()
    assert list_texts(front, "h1")[0].startswith("4 models share the lead at ")
    assert {text.partition(",")[0] for text in list_texts(front, "ul.benchmarks small")} == {
        "imported from CSV",
        "imported from Inspect",
        "imported from promptfoo",
    }


def test_benchmarks_of_one_tool_are_no_versions_of_each_other(site: Path) -> None:
    """The list names the tool, and compares no benchmark with another benchmark."""
    (words,) = list_texts(read_page(site, "benchmarks"), "main")

    assert "imported from CSV" in words
    assert "Against" not in words


def test_every_link_leads_somewhere(site: Path) -> None:
    """Anchors of the method and pages that only a suite has are linked by no page."""
    assert_no_broken_link(site)


def test_names_of_other_tools_are_escaped(site: Path) -> None:
    """Markup in the name of a task is shown as it is written."""
    assert all("<b>spelling</b>" not in path.read_text() for path in site.rglob("*.html"))


def test_boards_have_scores_and_ranks(site: Path) -> None:
    """Models of a benchmark are ranked like all others, with intervals."""
    (board,) = [path for path in (site / "benchmarks").iterdir() if "adding" in path.name]
    rows = read_page(site, f"benchmarks/{board.name}").css("table.board tbody tr[data-key]")

    assert len(rows) == 4
    assert all(row.css_first("td.value") is not None for row in rows)


@pytest.mark.parametrize("fills_in", [False, True])
def test_a_given_address_makes_no_site_ours(
    tmp_path: Path, templates: Path, *, fills_in: bool
) -> None:
    """A published site has its address, and no words about Convex; a project's own words stay."""
    data = DataFolder(tmp_path / "data")
    (tmp_path / "table.csv").write_text(TABLE)
    import_files(data, tmp_path / "table.csv")
    texts = tmp_path / "site_texts"
    texts.mkdir()
    (texts / "site.toml").write_text(
        'title = "Ours"\ntagline = "Words"\naddress = "https://leaderboard.example"\n'
    )
    sources = Sources(
        data,
        templates,
        tmp_path / "evals",
        local=False,
        address="https://board.example.org/sums",
        repository="https://github.com/us/sums",
        texts=texts if fills_in else None,
    )
    build(sources, tmp_path / "site")
    front = (tmp_path / "site" / "index.html").read_text()
    assert re.search(r"convex", extract_words(front), re.IGNORECASE) is None
    assert "https://board.example.org/sums" in front
    assert "https://github.com/us/sums" in front
    assert (" · Ours</title>" if fills_in else " · Leaderboard</title>") in front
    # site_texts/ has no such page, so it is that of the program.
    assert "What is imported" in list_texts(read_page(tmp_path / "site", "about"), "h2")


def test_results_without_a_suite_have_no_canary(tmp_path: Path, templates: Path) -> None:
    """No page and no file names our suite's canary, or our licence, for results of others."""
    data = DataFolder(tmp_path / "data")
    import_files(data, FILES / "promptfoo-sums.json")
    sources = Sources(data, templates, tmp_path / "evals", local=False, for_programs=True)
    build(sources, tmp_path / "site")
    texts = {
        path.name: path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()
    }
    packed = [name for name in texts if name.endswith(".gz")]
    texts |= {name: gzip.decompress(texts[name]) for name in packed}
    assert len(packed) == 2
    assert "croissant.json" in texts
    wrong = re.compile(rb"canary: |Apache-2|LICENSE-2")
    assert [name for name, text in texts.items() if wrong.search(text)] == []


def test_a_board_beside_the_suite_is_not_shown_first(make_project: MakeProject) -> None:
    """The suite's own table stays on the front page, with the other benchmarks listed."""
    project = make_project(3)
    shutil.copy(ROOT / "docs" / "method-of-imports.md", project.method.parent)
    table = project.root / "table.csv"
    table.write_text(TABLE)
    import_files(project.data, table)
    out = project.root / "site"
    build(project.sources, out)
    front = read_page(out, "")
    listed = front.css("ul.benchmarks a")

    assert len(listed) == 1
    assert "guidelines/" in [a.attributes["href"] for a in front.css("header nav a")]
    assert not front.css('tr[data-key^="lab/model-"]')
    (board,) = list_texts(read_page(out, str(listed[0].attributes["href"])), "main")
    assert "guidelines" not in board
    assert "Convex" not in board


def test_a_category_of_many_samples_has_no_columns(tmp_path: Path, templates: Path) -> None:
    """A thousand columns would be a megabyte that nobody reads; the list has all samples."""
    data = DataFolder(tmp_path / "data")
    rows = "".join(f"lab/a,large,{number},{number % 2}\n" for number in range(101))
    (tmp_path / "large.csv").write_text(f"model,task,sample,outcome\n{rows}")
    import_files(data, tmp_path / "large.csv")
    build(Sources(data, templates, tmp_path / "evals", local=True), tmp_path / "site")
    category = read_page(tmp_path / "site", "categories/000-large")

    assert len(category.css("ol.numbered li")) == 101
    assert category.css("th.eval-number, td.m") == []
