"""The site of a new project: without any run, then without a minted version."""

from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.build import Sources, build
from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from records.writer import write_record
from tests.site.corpus import VERSION, write_field
from tests.site.example_site import ROOT, make_sources
from tests.site.test_links import list_complaints
from tests.support.site_links import assert_no_broken_link

pytestmark = pytest.mark.integration

NAVIGATION = ("", "guidelines/", "matrix/", "compare/", "evals/")


@pytest.fixture
def project(tmp_path: Path) -> Sources:
    """A data folder without records, with this project's templates and suite."""
    (tmp_path / "data").mkdir()
    return replace(make_sources(DataFolder(tmp_path / "data")), local=True)


@pytest.mark.more
@pytest.mark.parametrize("evals", ["evals", "no-suite"])
def test_a_site_without_records_names_the_remedy(
    evals: str, project: Sources, tmp_path: Path
) -> None:
    """Each page of the navigation is valid and names the commands; no link is dead."""
    build(replace(project, evals=ROOT / evals), tmp_path / "site")
    for path in NAVIGATION:
        page = (tmp_path / "site" / path / "index.html").read_text()
        assert "<code>make demo</code>" in page
        assert "<code>leaderboard run -m MODEL</code>" in page
    assert_no_broken_link(tmp_path / "site")
    assert list_complaints(sorted((tmp_path / "site").rglob("*.html"))) == []


def test_the_suite_is_listed_before_anything_was_measured(project: Sources, tmp_path: Path) -> None:
    """The front page and the list have the page of each eval, below its category."""
    build(project, tmp_path / "site")
    pages = [path.parent for path in (tmp_path / "site" / "evals").glob("*/*/index.html")]
    assert len(pages) > 40
    for path in ("", "evals/"):
        listed = LexborHTMLParser((tmp_path / "site" / path / "index.html").read_text())
        for page in pages:
            (category,) = listed.css(f"h2[id='{page.parent.name}'] + ul")
            assert category.css(f"a[href$='evals/{page.parent.name}/{page.name}/']")


def test_the_first_runs_are_on_the_front_page(project: Sources, tmp_path: Path) -> None:
    """Their version is not minted; nothing is left of the pages for beginners."""
    build(project, tmp_path / "site")
    local = project.data.local
    write_field(local, 2)
    defined = read_benchmark(local.benchmarks.get_file(VERSION))
    write_record(local.benchmarks, defined.model_copy(update={"minted_at": None}))
    build(project, tmp_path / "site")
    assert 'data-table="board"' in (tmp_path / "site" / "index.html").read_text()
    for path in NAVIGATION:
        assert "make demo" not in (tmp_path / "site" / path / "index.html").read_text()
    assert_no_broken_link(tmp_path / "site")
