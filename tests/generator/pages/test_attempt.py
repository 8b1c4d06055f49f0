"""Pages of attempts and of their runs: their links, their order, their size."""

from pathlib import Path

import pytest

from generator.facts.titles import find_eval_title
from generator.pages.attempt import AttemptPage, build_attempt_page
from generator.pages.run import RunPage
from generator.run_pages import build_run_contexts
from records.archives.archive import AttemptArtifact
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.suites.canary import GUID
from tests.generator.contexts import ROOT, gather_published_site
from tests.records import examples

pytestmark = pytest.mark.unit

MOST_ON_PAGE = 2_100_000
MOST_BESIDE = 16_000_000


def count_characters(artifact: AttemptArtifact) -> tuple[int, int]:
    """Return the number of characters of texts on the attempt's page, and beside it."""
    everything = gather_published_site()
    summary = next(run for run in everything.summaries.runs if run.kept)
    built = build_attempt_page(everything, summary, examples.make_attempt(artifact.eval), artifact)
    on_page = sum(len(file.code.text) for file in built.page.files if file.code)
    on_page += sum(len(text.text) for _, text in built.page.messages)
    on_page += sum(len(log.text) for _, log in built.page.steps if log)
    return on_page, sum(map(len, built.beside.values()))


def test_a_zip_bomb_makes_no_large_page() -> None:
    """Files have a hundred megabytes in all: the page shows a bounded part."""
    files = {f"convex/f{number}.ts": "x" * 100_000 for number in range(1_000)}
    on_page, beside = count_characters(
        examples.make_artifact("009-new/000-new").model_copy(update={"files": files})
    )
    assert on_page <= MOST_ON_PAGE
    assert 0 < beside <= MOST_BESIDE


def test_a_copy_of_the_reference_differs_from_it_in_nothing() -> None:
    """A baseline returns the suite's own files; references on pages lack their canary."""
    name = "000-fundamentals/000-dome_functions"
    site = gather_published_site()
    folder = ROOT / "evals" / name / "answer"
    copied = {path: (folder / path).read_text("utf-8") for path in site.texts[name].reference}
    assert any(GUID in text for text in copied.values())
    artifact = examples.make_artifact(name).model_copy(update={"files": copied})
    attempt = examples.make_attempt(name)
    of_baseline = next(run for run in site.summaries.runs if run.baseline)
    of_model = next(run for run in site.summaries.runs if not run.baseline)
    states = {
        summary.baseline: {
            file.state for file in build_attempt_page(site, summary, attempt, artifact).page.files
        }
        for summary in (of_baseline, of_model)
    }
    assert states[True] == {"same as the reference"}
    assert "differs" in states[False]


def test_an_attempt_leads_to_those_before_and_after_it() -> None:
    """Links lead from the first attempt of a run to the last, each named by its eval's title."""
    site = gather_published_site()
    summary = next(run for run in site.summaries.runs if len(run.kept) == 70)
    pages = [
        page
        for page, _ in build_run_contexts(site, summary, _read_published_run(summary.run_id))
        if isinstance(page, AttemptPage)
    ]
    assert len(pages) == 70
    paths = [page.frame.path for page in pages]
    assert [page.before.href if page.before else None for page in pages] == [None, *paths[:-1]]
    assert [page.after.href if page.after else None for page in pages] == [*paths[1:], None]
    titles = [find_eval_title(site, page.attempt.eval) for page in pages]
    assert [page.line.title for page in pages] == titles
    assert [page.after.label for page in pages if page.after] == titles[1:]
    assert all(page.frame.title.startswith(page.line.title) for page in pages)


def test_the_failures_of_a_run_come_before_its_table() -> None:
    """Each failure is listed once, with its step and a link to the attempt; no pass is listed."""
    site = gather_published_site()
    for summary in site.summaries.runs[:6]:
        record = _read_published_run(summary.run_id)
        failed = [failure for failure in record.attempts if failure.outcome is Outcome.FAILED]
        page = next(build_run_contexts(site, summary, record))[0]
        assert isinstance(page, RunPage)
        assert [failure.title for failure in page.failures] == [
            find_eval_title(site, failure.eval) for failure in failed
        ]
        for failure, attempt in zip(page.failures, failed, strict=True):
            assert failure.href.startswith(f"runs/{summary.run_id}/")
            step = attempt.failed_step.value if attempt.failed_step else ""
            assert failure.where.startswith(step)
        score = page.line.score
        assert score is not None
        assert f": {score.passes} of {score.judged} passed" in page.frame.title


def _read_published_run(run_id: str) -> Run:
    path = next(Path(ROOT / "data" / "runs").rglob(f"{run_id}.json"))
    return read_run(path)
