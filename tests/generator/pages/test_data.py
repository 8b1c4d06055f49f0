"""The page of the data: every table with its columns, and examples that work."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from generator.tables.published_tables import TABLES
from tests.generator.editable_project import EditableProject
from tests.site.serving import serve_folder

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LexborHTMLParser]:
    """The page of a small site, served at its own address."""
    project = EditableProject(tmp_path_factory.mktemp("data-page"), seed=7)
    out = project.root / "served"
    out.mkdir()
    with serve_folder(out) as address:
        build(replace(project.sources, address=address), out)
        yield LexborHTMLParser((out / "data" / "index.html").read_text("utf-8"))


def _read_text(page: LexborHTMLParser, selector: str) -> str:
    node = page.css_first(selector)
    assert node is not None
    return node.text()


def test_every_column_of_every_table_is_there_with_its_meaning(page: LexborHTMLParser) -> None:
    """The columns are those of the contract behind the files, in the same order."""
    heads = [head.text() for head in page.css("h3")]
    assert heads == [table.name for table in TABLES]
    for table, details in zip(TABLES, page.css("h3 + p + details"), strict=True):
        rows = details.css("tbody tr")
        assert [row.css("th")[0].text() for row in rows] == list(table.names)
        for row in rows:
            holds, meaning = (cell.text().strip() for cell in row.css("td"))
            assert holds
            assert meaning


@pytest.mark.integration
def test_the_examples_run_as_they_stand(page: LexborHTMLParser) -> None:
    """The examples run against the site itself: curl prints the table, pandas reads it."""
    shell = _read_text(page, "#example-shell")
    printed = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert printed.stdout.startswith("benchmark_version,experiment,model,")
    script = _read_text(page, "#example-pandas")
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "score" in completed.stdout
