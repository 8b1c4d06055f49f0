"""The page of two runs: which pairs have a page, and that it agrees with `leaderboard diff`."""

from datetime import date, timedelta
from pathlib import Path
from typing import Final

import pytest

from generator.diff.description import build_runs_values
from generator.diff.runs_diff import Side, diff_runs
from generator.facts.run_pairs import build_run_pairs
from generator.pages.pair import build_pair_page
from generator.render.environment import PageContext
from records.archives.archive import AttemptArtifact, compute_artifact_digest, write_archive
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Experiment, Imported, Run, Withdrawal
from records.shapes.totals import compute_run_totals
from records.writer import write_benchmark, write_run
from tests.generator.contexts import gather_site, render_tree
from tests.records import examples

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).parents[3]
DAY: Final = date(2026, 11, 1)
BARE: Final = Experiment(name="no_guidelines", guidelines=None)
PASSED, FAILED, *_ = Outcome


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a folder with the example version."""
    folder = DataFolder(tmp_path)
    write_benchmark(folder, examples.make_benchmark())
    return folder


def write(data: DataFolder, letter: str, day: int, *ends: Outcome, **changes: object) -> Run:
    """Write a run whose attempts ended so, with an archive of answers that name the run."""
    made = examples.make_run(letter * 32)
    answers = [make_lettered_answer(name, letter) for name in made.planned]
    attempts = tuple(
        examples.make_attempt(name, outcome=outcome).model_copy(
            update={"artifact": compute_artifact_digest(answer)}
        )
        for name, outcome, answer in zip(made.planned, ends or (PASSED,) * 3, answers, strict=True)
    )
    run = made.model_copy(
        update={
            "date": DAY + timedelta(days=day),
            "attempts": attempts,
            "totals": compute_run_totals(attempts),
            **changes,
        }
    )
    write_run(data, run)
    write_archive(data.get_artifact_file(run.model.slug, run.run_id), answers)
    return run


def make_lettered_answer(name: str, letter: str) -> AttemptArtifact:
    """Return an answer with a line that names the run."""
    files = {"convex/a.ts": f"export const by = '{letter}';\n", "convex/b.ts": "export {};\n"}
    return examples.make_artifact(name).model_copy(update={"files": files})


def list_paired_letters(data: DataFolder) -> set[str]:
    """Return the pairs that have a page, by the letters of their runs."""
    pairs = build_run_pairs(gather_site(data).summaries.runs)
    return {f"{pair.before.run_id[0]}{pair.after.run_id[0]}" for pair in pairs}


def build_page(data: DataFolder) -> PageContext:
    """Return the page of the only pair."""
    site = gather_site(data)
    ((pair,),) = site.pairs.values()
    return build_pair_page(site, [data], pair)


def test_pages_grow_with_the_table_and_not_with_the_runs(data: DataFolder) -> None:
    """The newest of ten runs is compared with the run before and one without guidelines."""
    for number, letter in enumerate("abcdefghij"):
        write(data, letter, number)
    write(data, "k", 0, experiment=BARE)
    write(data, "l", 1, experiment=BARE)
    assert list_paired_letters(data) == {"ij", "lj", "kl"}


def test_it_shows_the_output_of_the_command(data: DataFolder) -> None:
    """Flips, headline, scores and costs are those of `leaderboard diff`."""
    record = write(data, "a", 0, PASSED, FAILED, FAILED)
    other = write(data, "b", 1, FAILED, PASSED, FAILED)
    page = build_page(data)
    sides = Side("before", [record]), Side("after", [other])
    benchmark = examples.make_benchmark()
    values = build_runs_values(diff_runs(*sides, {benchmark.version: benchmark}))
    assert page.headline == values["headline"]
    assert [flip.name for flip in page.flips if flip.what == "fixed"] == [
        flip["eval"] for flip in values["fixed"]
    ]
    assert [flip.name for flip in page.flips if flip.what == "broken"] == [
        flip["eval"] for flip in values["broken"]
    ]
    assert [flip.what for flip in page.flips] == ["broken", "fixed"]
    assert [page.before.score_percent, page.after.score_percent] == [
        100 * score for score in values["scores"]
    ]
    assert (page.before.cost_usd, page.after.cost_usd) == values["cost_per_attempt_usd"]
    assert {(record.what, record.before, record.after) for record in page.inequalities} == {
        (record["what"], record["before"], record["after"]) for record in values["inequalities"]
    }


def test_both_answers_stand_beside_one_another(data: DataFolder) -> None:
    """Only files that differ are shown, with the state before on the left."""
    write(data, "a", 0, PASSED, PASSED, FAILED)
    write(data, "b", 1, PASSED, PASSED, PASSED)
    page = build_page(data)
    (flip,) = page.flips
    tree = render_tree(page)
    head = tree.css_first("h2#flip-1")
    assert head is not None
    assert [node.text() for node in head.css("a, code")] == [flip.title, flip.name]
    (file,) = flip.files
    assert file.path == "convex/a.ts"
    before_cell, after_cell = (tree.css_first(f"table.diff td.{side}") for side in "ar")
    assert before_cell is not None
    assert after_cell is not None
    assert "before: " in before_cell.text()
    assert "'a'" in before_cell.text()
    assert "after: " in after_cell.text()
    assert "'b'" in after_cell.text()
    assert flip.before_href == f"runs/{'a' * 32}/{flip.name.replace('/', '/#')}/"


def test_answers_that_were_not_kept_are_not_compared(data: DataFolder) -> None:
    """A run without an archive has no answers; the page still lists the flip."""
    run = write(data, "a", 0, PASSED, PASSED, FAILED)
    data.get_artifact_file(run.model.slug, run.run_id).unlink()
    write(data, "b", 1, PASSED, PASSED, PASSED)
    page = build_page(data)
    (flip,) = page.flips
    assert (flip.answers_kept, flip.files, page.flips_with_answers) == (False, [], [])
    assert flip.before_href.startswith(f"runs/{'a' * 32}/#")


def test_that_answers_were_not_kept_is_reported_once(data: DataFolder) -> None:
    """The note appears once for all evals, each of which links to its own page.

    The note names the run without answers, and whether they were not kept or never published.
    """
    run = write(data, "a", 0, PASSED, FAILED, FAILED)
    data.get_artifact_file(run.model.slug, run.run_id).unlink()
    write(data, "b", 1, PASSED, PASSED, PASSED)
    page = build_page(data)
    assert len(page.flips) == 2
    tree = render_tree(page)
    note = "The answers of the run before were not {}, so they cannot be shown side by side."
    assert [node.text() for node in tree.css("#flips + p.note")] == [note.format("kept")]
    links = tree.css("#flips ~ section tbody th a")
    assert [node.attributes["href"] for node in links[:2]] == [
        page.frame.root + flip.href for flip in page.flips
    ]
    assert tree.css("h2[id^=flip-]") == []


IMPORTED: Final = Imported(
    kind="imported",
    importer="convex_evals",
    source="https://elsewhere.test/results.json",
    source_digest=examples.make_digest(),
    corrected_passed=None,
)


def test_answers_that_were_never_published_are_marked(data: DataFolder) -> None:
    """Two runs without published answers: neither the page nor a link to it promises answers."""
    for letter, day, end in (("a", 0, FAILED), ("b", 1, PASSED)):
        run = write(data, letter, day, PASSED, PASSED, end, provenance=IMPORTED)
        data.get_artifact_file(run.model.slug, run.run_id).unlink()
    note = "The answers were not published, so they cannot be shown side by side."
    page = build_page(data)
    assert page.why_no_answers == note
    (origin,) = render_tree(page).css("#published")
    assert "taken from the publisher's analyses" in " ".join(origin.text().split())
    ((pair,),) = gather_site(data).pairs.values()
    assert not pair.shows_answers


@pytest.mark.parametrize(
    ("failing", "reason", "names_origin"),
    [("imported", "a reason", True), ("imported", None, False), ("own", "a reason", False)],
)
def test_the_origin_of_reasons_is_named_where_an_imported_run_has_one(
    data: DataFolder, failing: str, reason: str | None, *, names_origin: bool
) -> None:
    """Of two runs one was imported: its reasons are its publisher's, ours are our own."""
    ends = (FAILED, PASSED) if failing == "imported" else (PASSED, FAILED)
    imported = write(data, "a", 0, PASSED, PASSED, ends[0], provenance=IMPORTED)
    attempts = [each.model_copy(update={"reason": reason}) for each in imported.attempts]
    if failing == "imported":
        failed = (*imported.attempts[:2], attempts[2])
        write_run(data, imported.model_copy(update={"attempts": failed}))
    write(data, "b", 1, PASSED, PASSED, ends[1])
    origins = [
        " ".join(node.text().split()) for node in render_tree(build_page(data)).css("#published")
    ]
    expected = (
        "Reasons why an imported run failed are taken from the publisher's analyses. They may name"
        " files and tests that only the publisher has."
    )
    assert origins == ([expected] if names_origin else [])


def test_a_pair_shows_answers_where_an_eval_that_flipped_has_both(data: DataFolder) -> None:
    """Answers to evals that ended alike do not count: readers look for flips."""
    write(data, "a", 0, PASSED, PASSED, FAILED)
    write(data, "b", 1, PASSED, PASSED, PASSED)
    write(data, "c", 2, PASSED, PASSED, PASSED, experiment=BARE)
    shows_answers = {
        pair.before.run_id[0] + pair.after.run_id[0]: pair.shows_answers
        for pairs in gather_site(data).pairs.values()
        for pair in pairs
    }
    assert shows_answers == {"ab": True, "cb": False}


def test_absent_parts_have_no_page(data: DataFolder) -> None:
    """A withdrawn or aborted run is compared with no run."""
    write(data, "a", 0)
    write(data, "b", 1, withdrawn=Withdrawal(by="me", reason="a wrong key"))
    write(data, "c", 2, status="aborted")
    write(data, "d", 3)
    assert list_paired_letters(data) == {"ad"}
