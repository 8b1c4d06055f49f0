"""A run that is going has a page, and no link leads to results that it does not have yet."""

import itertools

import pytest

from generator.build import build
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.writer import write_run
from tests.generator.conftest import MakeProject
from tests.records.examples import with_attempts
from tests.support.site_links import assert_no_broken_link

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("begun", [False, True])
def test_links_of_a_run_that_goes_or_was_stopped_lead_somewhere(
    make_project: MakeProject, *, begun: bool
) -> None:
    """No page links to a missing row, at the start of a run and when a later build finds it.

    Attempts of a stopped run have a row each, with or without a paid answer.
    """
    project = make_project(4)
    for path in project.list_runs():
        run = read_run(path)
        nothing = dict.fromkeys(("failed_step", "reason", "fault", "steps", "tests", "artifact"))
        attempts = [
            attempt.model_copy(
                update={
                    **nothing,
                    "outcome": Outcome.NOT_RUN,
                    "generation": attempt.generation if paid else None,
                }
            )
            for attempt, paid in zip(run.attempts, itertools.cycle((True, False)), strict=False)
            if not begun
        ]
        end = {"status": "aborted"} if attempts else {"status": "running", "finished_at": None}
        folder = (
            project.data if path.is_relative_to(project.data.root / "runs") else project.data.local
        )
        folder.get_artifact_file(*run.key).unlink(missing_ok=True)
        write_run(folder, with_attempts(run, attempts, **end))
    for report in project.list_reports():
        report.unlink()
    site = project.root / "site"
    build(project.sources, site)
    assert_no_broken_link(site)
    assert len([*site.rglob("*.html")]) > len(project.list_runs())
