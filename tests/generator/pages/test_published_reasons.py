"""Reasons taken from a publisher's analysis of imported runs, on the pages that show them."""

import pytest

from generator.pages.eval import build_eval_page
from generator.pages.model import build_model_page
from generator.pages.report import build_report_page
from generator.pages.run import build_run_page
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.generator.contexts import ROOT, gather_published_site, render_tree

pytestmark = pytest.mark.unit

IMPORTED = "openai/gpt-5.2-codex"
OWN = "baseline/stub"


def test_an_eval_names_the_publisher_beside_each_reason() -> None:
    """Each reason of an imported report is followed by its origin."""
    page = render_tree(
        build_eval_page(gather_published_site(), "004-actions/007-http_action_routing")
    )
    origins = [" ".join(origin.text().split()) for origin in page.css("ul.notes small")]
    assert len(origins) == len(page.css("ul.notes li")) > 0
    assert all(text.startswith("(from the publisher's analysis of run ") for text in origins)


def test_a_report_that_was_imported_names_the_origin_of_its_reasons() -> None:
    """The note stands before the table of failures."""
    site = gather_published_site()
    reports = [filed for filed_reports in site.reports.values() for filed in filed_reports]
    (filed,) = [filed for filed in reports if filed.report.run.startswith("jn79beyv")]
    (note,) = render_tree(build_report_page(site, filed, site.runs[filed.report.run])).css(
        "#published"
    )
    assert "taken from the analysis that the publisher" in " ".join(note.text().split())


@pytest.mark.parametrize(("slug", "notes"), [(IMPORTED, 1), (OWN, 0)])
def test_pages_of_models_and_runs_name_the_origin(slug: str, notes: int) -> None:
    """Reasons of imported runs have a note; reasons of our own graders have none."""
    site = gather_published_site()
    assert len(render_tree(build_model_page(site, slug)).css("#published")) == notes
    summary = next(run for run in site.summaries.runs if run.slug == slug and run.results)
    run = read_run(DataFolder(ROOT / "data").get_run_file(slug, summary.run_id))
    page = render_tree(build_run_page(site, summary, run))
    assert len(page.css("#published")) == notes
    explained = " ".join(page.text().split())
    assert ("The publisher's reason, and the class" in explained) == bool(notes)
