"""Models of two versions on the page of comparisons: any two, over the unchanged evals."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from generator.build import build
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from records.shapes.attempt import Outcome
from records.writer import write_record, write_run
from tests.records.examples import make_attempt, make_digest, with_attempts, with_model
from tests.site.corpus import VERSION, write_field
from tests.site.example_site import make_sources
from tests.site.serving import serve_folder
from tests.site.watching import LentWindow

pytestmark = pytest.mark.integration

OTHER = "fedcba987654"
CHANGED = 10
"""Number of evals with a different grader in the other version."""
FAILED = 3
"""Number of the unchanged evals that the other version's model fails."""
HERE = "maker1/model-1"
THERE = ("maker9/elsewhere", "Elsewhere")
NOTE = "[data-compare-note]"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a version with models, and another version with one model; 10 graders differ."""
    folder = tmp_path_factory.mktemp("versions")
    data = DataFolder(folder / "data")
    write_field(data, 4)
    made = read_benchmark(data.benchmarks.get_file(VERSION))
    names = sorted(made.evals)
    evals = {
        name: digests.model_copy(update={"grader": make_digest("9")}) if at < CHANGED else digests
        for at, (name, digests) in enumerate(sorted(made.evals.items()))
    }
    write_record(
        data.benchmarks,
        made.model_copy(update={"version": OTHER, "title": "Other", "evals": evals}),
    )
    run = next(
        run
        for run in map(read_run, data.list_run_files())
        if run.model.slug == HERE and run.experiment.name == "default"
    )
    attempts = (
        make_attempt(name, outcome=Outcome.FAILED if at < CHANGED + FAILED else Outcome.PASSED)
        for at, name in enumerate(names)
    )
    slug, name = THERE
    other = with_attempts(run, attempts, run_id="e" * 32, benchmark_version=OTHER)
    write_run(data, with_model(other, slug=slug, name=name))
    build(make_sources(data), folder / "site")
    return folder / "site"


@pytest.fixture
def page(site: Path, lent_window: LentWindow) -> Iterator[Page]:
    """Open the page of comparisons of the first version on a phone; no error is allowed."""
    with serve_folder(site) as address, lent_window.lend_page() as opened:
        opened.set_viewport_size({"width": 390, "height": 900})
        opened.goto(f"{address}compare/")
        yield opened


def count_differing(site: Path) -> tuple[int, int]:
    """Return on how many shared evals the model here does better, and the other."""
    evals = json.loads((site / "compare" / "evals.json").read_text())["evals"]
    model = json.loads((site / "compare" / f"{HERE}.json").read_text())
    here = [score[0] / score[1] for score in model["evals"]][CHANGED:]
    there = [float(at >= FAILED) for at in range(len(evals) - CHANGED)]
    pairs = list(zip(here, there, strict=True))
    better = sum(score > other for score, other in pairs)
    return better, sum(score < other for score, other in pairs)


@pytest.mark.more
def test_two_models_of_two_versions_are_compared_by_an_address(site: Path, page: Page) -> None:
    """Only unchanged evals count: neither scores nor costs of whole versions are shown."""
    more, fewer = count_differing(site)
    assert more
    page.goto(f"{page.url}?models={HERE},{THERE[0]}")
    note = page.locator(NOTE)
    shared = len(json.loads((site / "compare" / "evals.json").read_text())["evals"]) - CHANGED
    expect(note).to_have_text(
        f"They differ in {more + fewer} of the {shared} evals that are the same here and in Other."
    )
    answer = page.locator(".answer")
    expect(answer).to_contain_text(
        f"does better than {THERE[1]} on {more} and worse on {fewer or 'none'} of {shared} evals."
    )
    expect(answer).to_contain_text(
        "is more than chance is not computed for a choice across versions"
    )
    figures = page.locator("[data-compared] table.figures").first
    expect(figures).to_contain_text(f"{shared - FAILED} of {shared}")
    expect(figures).not_to_contain_text("Score")
    expect(figures).not_to_contain_text("Cost")
    expect(page.locator("[data-compared] section:has(td.m) tbody tr")).to_have_count(more + fewer)
    expect(page.locator("[data-compare-missing]")).to_be_hidden()
    expect(page.get_by_label("Second model")).to_have_value(THERE[1])
    for link in page.locator("[data-compared] td.m a").all():
        assert page.request.get(link.evaluate("(one) => one.href")).ok


def test_a_model_of_another_version_is_chosen_by_its_name(page: Page) -> None:
    """The model is proposed with its version, and stays when another model is chosen beside it."""
    first = page.locator("#models option").first.get_attribute("value") or ""
    page.get_by_label("Second model").focus()
    option = page.locator(f'#models option[value="{THERE[1]}"]')
    expect(option).to_have_attribute("label", f"{THERE[1]}: Other")
    page.get_by_label("First model").fill("elsewh")
    page.keyboard.press("Tab")
    page.get_by_label("Second model").fill(first)
    page.keyboard.press("Tab")
    expect(page.locator(NOTE)).to_contain_text("that are the same here and in Other")
    expect(page).to_have_url(re.compile("maker9%2Felsewhere"))
    page.goto(page.url)
    expect(page.locator(NOTE)).to_contain_text("that are the same here and in Other")


def test_versions_that_cannot_be_compared_are_not_mixed(site: Path) -> None:
    """The file lists only versions with enough unchanged evals, and these evals alone."""
    (other,) = json.loads((site / "compare" / "versions.json").read_text()).items()
    page, shared = other
    assert page == f"benchmarks/{OTHER}/compare/"
    assert shared["title"] == "Other"
    evals = json.loads((site / "compare" / "evals.json").read_text())["evals"]
    assert shared["evals"] == [evaluation["name"] for evaluation in evals][CHANGED:]
