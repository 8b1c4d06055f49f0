"""The site of runs of which no day is known: no text gives the day of the import as theirs."""

import re
from datetime import UTC, date, datetime
from html import unescape
from pathlib import Path

import pytest

from generator.build import Sources, build
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.writer import encode_run
from tests.generator.contexts import TEMPLATES
from tests.runner.published_results.results import import_files, read_runs

pytestmark = pytest.mark.integration

EARLIER = date(2026, 1, 5)
STARTED = f"{datetime.now(UTC).date()}"
_DAY = re.compile(r"(\S*\s*([0-9]{4}-[0-9]{2}-[0-9]{2}))")
_MARKS = re.compile(r"</?[a-z][^>]*?(?:( (?:content|title)=\"[^\"]*\")[^>]*)?>")
"""Tags, of which the texts of two attributes are shown."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site of three models with two undated runs each, imported on two days."""
    folder = tmp_path_factory.mktemp("board")
    data, table = DataFolder(folder / "data"), folder / "table.csv"
    for run in (1, 2):
        rows = (
            f"lab/model-{model},{run},{task},q{number},{int((number * model + run) % 5 > 1)}"
            for model in (1, 2, 3)
            for task in ("adding", "spelling")
            for number in range(6)
        )
        table.write_text("\n".join(("model,run,task,sample,outcome", *rows)))
        import_files(data, table)
        if run == 1:
            for path in data.list_run_files():
                path.write_bytes(encode_run(read_run(path).model_copy(update={"date": EARLIER})))
    assert {run.day_of_import for run in read_runs(data)} == {True}
    build(Sources(data, TEMPLATES, folder / "evals", local=True), folder / "site")
    return folder / "site"


def find_days(path: Path) -> list[str]:
    """Return each mention of the day of the import, with the word before it."""
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        text = unescape(_MARKS.sub(lambda tag: f"{tag[1]} " if tag[1] else "", text))
    return [whole for whole, day in _DAY.findall(text) if day == f"{EARLIER}" or day >= STARTED]


def test_each_page_states_that_the_day_is_that_of_the_import(site: Path) -> None:
    """Titles, descriptions, links and tooltips do, too, as does the search; changes have days."""
    pages = {str(path.relative_to(site).parent): path for path in site.rglob("*.html")}
    pages["search"] = site / "search.json"
    days_by_page = {name: find_days(path) for name, path in pages.items() if name != "changes"}
    wrong = [
        (name, day) for name, days in days_by_page.items() for day in days if "imported" not in day
    ]

    assert wrong == []
    kinds = {name.split("/")[0] for name, days in days_by_page.items() if days}
    assert {"runs", "models", "evals", "diff", ".", "search"} <= kinds


def test_a_run_without_a_day_is_added_on_the_day_of_its_import(site: Path) -> None:
    """The list of changes is sorted by days, and says what its day is."""
    text = (site / "changes" / "index.html").read_text()
    assert text.count("Imported on this day, since the source names none.") == 6


def test_a_chart_over_days_needs_days(site: Path) -> None:
    """Runs of one import would be a history of the imports."""
    assert "history" not in (site / "models" / "lab" / "model-1" / "index.html").read_text()
