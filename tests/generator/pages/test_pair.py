"""The page of two runs: which pairs have a page, and that it agrees with `leaderboard diff`."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from generator.diff.description import build_runs_values
from generator.diff.runs_diff import Side, diff_runs
from generator.pages.pair import (
    SideBySideRow,
    build_pair_page,
    build_side_by_side_rows,
    can_be_compared,
)
from generator.render.templates import PageContext
from generator.site_links import build_eval_path
from records.archives.archive import AttemptArtifact
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Experiment, Run, Withdrawal
from records.text.visible import make_visible
from records.writer import write_run
from tests.generator.contexts import gather_site, render_block, render_tree
from tests.records import examples

pytestmark = pytest.mark.unit

DAY: Final = date(2026, 11, 1)
BARE: Final = Experiment(name="no_guidelines", guidelines=None)
PASSED, FAILED, *_ = Outcome


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a folder with the example version."""
    return examples.write_runs(DataFolder(tmp_path))


def write(data: DataFolder, letter: str, day: int, *ends: Outcome, **changes: object) -> Run:
    """Write a run whose attempts ended so, with an archive of answers that name the run."""
    made = examples.make_run(letter * 32)
    attempts = [
        examples.make_attempt(name, outcome=outcome)
        for name, outcome in zip(made.planned, ends or (PASSED,) * 3, strict=True)
    ]
    changes = {"date": DAY + timedelta(days=day), **changes}
    run = examples.with_attempts(made, attempts, **changes)
    answers = [make_lettered_answer(name, letter) for name in run.planned]
    run = examples.write_answers(data, run, answers)
    write_run(data, run)
    return run


def make_lettered_answer(name: str, letter: str) -> AttemptArtifact:
    """Return an answer with a line that names the run."""
    files = {"convex/a.ts": f"export const by = '{letter}';\n", "convex/b.ts": "export {};\n"}
    return examples.make_artifact(name, files=files)


def list_paired_letters(data: DataFolder) -> set[str]:
    """Return the pairs that have a page, by the letters of their runs."""
    pairs = gather_site(data).pairs.values()
    return {f"{pair.before.run_id[0]}{pair.after.run_id[0]}" for pair in pairs}


def build_page(data: DataFolder) -> PageContext:
    """Return the page of the only pair."""
    site = gather_site(data)
    (pair,) = site.pairs.values()
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
    assert [flip.flip.eval for flip in page.flips if flip.what == "fixed"] == [
        flip["eval"] for flip in values["fixed"]
    ]
    assert [flip.flip.eval for flip in page.flips if flip.what == "broken"] == [
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
    head, *_ = tree.css("h2#flip-1")
    title = gather_site(data).find_eval_title(flip.flip.eval)
    assert [node.text() for node in head.css("a, code")] == [title, flip.flip.eval]
    (file,) = flip.files
    assert file.path == "convex/a.ts"
    before_cell, after_cell = (tree.css_first(f"table.diff td.{side}") for side in "ar")
    assert before_cell is not None
    assert after_cell is not None
    assert "before: " in before_cell.text()
    assert "'a'" in before_cell.text()
    assert "after: " in after_cell.text()
    assert "'b'" in after_cell.text()
    assert flip.before_href == f"runs/{'a' * 32}/{flip.flip.eval.replace('/', '/#')}/"


def test_answers_that_were_not_kept_are_not_compared(data: DataFolder) -> None:
    """A run without an archive has no answers; the page still lists the flip."""
    run = write(data, "a", 0, PASSED, PASSED, FAILED)
    data.get_artifact_file(*run.key).unlink()
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
    data.get_artifact_file(*run.key).unlink()
    write(data, "b", 1, PASSED, PASSED, PASSED)
    page = build_page(data)
    assert len(page.flips) == 2
    tree = render_tree(page)
    note = "The answers of the run before were not {}, so they cannot be shown side by side."
    assert [node.text() for node in tree.css("#flips + p.note")] == [note.format("kept")]
    links = tree.css("#flips ~ section tbody th a")
    assert [node.attributes["href"] for node in links[:2]] == [
        f"{page.frame.root}{build_eval_path(flip.flip.eval)}" for flip in page.flips
    ]
    assert tree.css("h2[id^=flip-]") == []


IMPORTED: Final = examples.make_imported(importer="convex_evals")


def test_answers_that_were_never_published_are_marked(data: DataFolder) -> None:
    """Two runs without published answers: neither the page nor a link to it promises answers."""
    for letter, day, end in (("a", 0, FAILED), ("b", 1, PASSED)):
        run = write(data, letter, day, PASSED, PASSED, end, provenance=IMPORTED)
        data.get_artifact_file(*run.key).unlink()
    note = "The answers were not published, so they cannot be shown side by side."
    page = build_page(data)
    (paragraph,) = render_tree(page).css("#flips + p.note")
    assert paragraph.text() == note
    (origin,) = render_tree(page).css("#published")
    assert "taken from the publisher's analyses" in " ".join(origin.text().split())
    (pair,) = gather_site(data).pairs.values()
    assert not pair.shows_answers


@pytest.mark.parametrize(
    ("failing", "reason", "names_origin"),
    [("imported", "a reason", True), ("imported", None, False), ("own", "a reason", False)],
)
def test_the_origin_of_reasons_is_named_where_an_imported_run_has_one(
    data: DataFolder, failing: str, reason: str | None, *, names_origin: bool
) -> None:
    """The publisher is the named origin of an imported run's reasons, and of no others."""
    ends = (FAILED, PASSED) if failing == "imported" else (PASSED, FAILED)
    imported = write(data, "a", 0, PASSED, PASSED, ends[0], provenance=IMPORTED)
    if failing == "imported":
        failed = imported.attempts[2].model_copy(update={"reason": reason})
        write_run(data, examples.with_attempts(imported, (*imported.attempts[:2], failed)))
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
        for pair in gather_site(data).pairs.values()
    }
    assert shows_answers == {"ab": True, "cb": False}


def test_absent_parts_have_no_page(data: DataFolder) -> None:
    """A withdrawn or aborted run is compared with no run."""
    write(data, "a", 0)
    write(data, "b", 1, withdrawn=Withdrawal(by="me", reason="a wrong key"))
    write(data, "c", 2, status="aborted")
    write(data, "d", 3)
    assert list_paired_letters(data) == {"ad"}


_SOURCE = st.text(alphabet="ab\n{}<>&'\"`/*$\t\u202e\x00", max_size=60)


@given(answer=_SOURCE, reference=_SOURCE)
def test_a_diff_shows_every_line_of_both_sides_once_and_in_order(
    answer: str, reference: str
) -> None:
    """Line numbers of each side count up from 1 without a gap, folded stretches included."""
    rows = build_side_by_side_rows(answer, reference)
    left_numbers, right_numbers = [0], [0]
    for row in rows:
        if row.folded:
            left_numbers.append(left_numbers[-1] + row.folded)
            right_numbers.append(right_numbers[-1] + row.folded)
            continue
        if row.left is not None:
            assert row.left == left_numbers[-1] + 1
            left_numbers.append(row.left)
        if row.right is not None:
            assert row.right == right_numbers[-1] + 1
            right_numbers.append(row.right)
    assert left_numbers[-1] == make_visible(answer).rstrip("\n").count("\n") + 1
    assert right_numbers[-1] == make_visible(reference).rstrip("\n").count("\n") + 1


def test_long_equal_stretches_are_folded_and_whole_equal_files_are_not() -> None:
    """A change keeps four lines around it; a file without a change is shown whole."""
    lines = [f"const line{number} = {number};" for number in range(60)]
    changed = [*lines[:30], "const other = 0;", *lines[31:]]
    rows = build_side_by_side_rows("\n".join(changed), "\n".join(lines))
    assert [row.folded for row in rows if row.kind == "folded"] == [26, 25]
    assert len(rows) == 1 + 4 + 1 + 4 + 1
    assert len(build_side_by_side_rows("\n".join(lines), "\n".join(lines))) == 60


@given(before=_SOURCE, after=_SOURCE)
def test_rows_of_a_diff_are_its_lines_as_a_table(before: str, after: str) -> None:
    """Numbers, lines and hidden words are in four cells; no text of a line becomes an element."""
    rows = build_side_by_side_rows(before, after)
    table = LexborHTMLParser(f"<table>{_render_rows(rows)}</table>")
    cells = [[cell.text() for cell in row.css("td")] for row in table.css("tr")]
    expected = [
        [f"{row.folded} equal lines"]
        if row.folded
        else [
            "" if row.left is None else f"{row.left}",
            _format_words(row.kind, row.left, "before") + row.left_text,
            "" if row.right is None else f"{row.right}",
            _format_words(row.kind, row.right, "after") + row.right_text,
        ]
        for row in rows
    ]
    assert cells == expected
    assert {node.tag for node in table.css("td *")} <= {"span"}


def _render_rows(rows: Sequence[SideBySideRow]) -> str:
    return render_block("diff_view", rows, macro="diff_rows")


def _format_words(kind: str, line: int | None, word: str) -> str:
    return "" if kind == "same" or line is None else f"{word}: "


def test_a_line_of_one_side_stands_alone() -> None:
    """The other side of the row is empty, and no number stands there."""
    table = LexborHTMLParser(f"<table>{_render_rows(build_side_by_side_rows('a', None))}</table>")
    assert [cell.text() for cell in table.css("td")] == ["1", "before: a", "", ""]
    assert table.css_first("td.r.none") is not None


def test_files_too_large_are_not_compared() -> None:
    """A diff of megabytes would hold up the build and the browser."""
    assert can_be_compared("a", None, "b")
    assert not can_be_compared("a" * 200_001)
    assert not can_be_compared("\n" * 3_001)
