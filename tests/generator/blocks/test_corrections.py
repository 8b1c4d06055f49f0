"""Later counts of publishers beside ranks: a mark on each row and one sentence."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.blocks.shares import compute_corrected_share, render_correction_note
from generator.scores.leaderboards import Leaderboard
from records.files.data_folder import DataFolder
from records.shapes.run import Run
from records.writer import write_record, write_run
from tests.generator.contexts import gather_site
from tests.records.examples import (
    make_benchmark,
    make_imported,
    make_run,
    with_model,
)

pytestmark = pytest.mark.unit

RULE = (
    " The scores and ranks here cannot be corrected, because the later counts do not say which"
    " evals changed."
)


def render_note_text(data: DataFolder, *later: tuple[str, int | None]) -> str | None:
    """Return the sentence over a model for each later count."""
    board = write_scored_runs(
        data, *(make_imported_run(letter, count, model=letter) for letter, count in later)
    )
    note = render_correction_note(board, board.select_models())
    return note and LexborHTMLParser(note).text()


def test_the_first_by_later_counts_may_be_the_same_or_several(data: DataFolder) -> None:
    """Three models have four passes of six each; some of them were counted again."""
    assert render_note_text(data, ("a", None), ("b", None)) is None
    same = render_note_text(data, ("a", 3), ("b", None), ("c", None))
    assert same is not None
    assert "Model a 3 (was 4); Model b and Model c would be first together." in same
    assert "No later count is known of Model b and Model c." in same


def test_a_count_that_leaves_the_first_in_place_is_reported(data: DataFolder) -> None:
    """Two models with equal counts are both first, before and after."""
    text = render_note_text(data, ("a", 5), ("b", 5))
    assert text is not None
    assert "Model a 5 (was 4) and Model b 5 (was 4); Model a and Model b would still be first" in (
        text
    )
    assert "No later count" not in text


def test_a_single_model_has_nobody_to_be_ahead_of(data: DataFolder) -> None:
    """The sentence has its count without a place."""
    text = render_note_text(data, ("a", 5))
    assert text == (
        "Its publisher later corrected graders and counts these passes of 6 evals: Model a 5 (was"
        " 4)." + RULE
    )


EVALS = 6
VERSION = "convex-evals-6"


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A version of another publisher, without runs."""
    folder = DataFolder(tmp_path)
    origin = {"version": VERSION, "minted_at": None, "source": "https://elsewhere.test/"}
    write_record(folder.benchmarks, make_benchmark(EVALS, **origin))
    return folder


def make_imported_run(letter: str, later: int | None, evals: int = EVALS, model: str = "a") -> Run:
    """Return a run that passes two of every three evals, with the publisher's later count."""
    source = make_imported(corrected_passed=later)
    made = make_run(letter * 32, evals, provenance=source, benchmark_version=VERSION)
    return with_model(made, slug=f"maker/{model}", name=f"Model {model}")


def write_scored_runs(data: DataFolder, *runs: Run) -> Leaderboard:
    """Write runs; return the leaderboard of their version."""
    for made in runs:
        write_run(data, made)
    return gather_site(data).leaderboards[VERSION]


def compute_counts(board: Leaderboard) -> dict[str, float | None]:
    """Return the later count of each entry by the model's slug."""
    shares = {entry.newest.slug: compute_corrected_share(board, entry) for entry in board.entries}
    return {slug: share and share.passed for slug, share in shares.items()}


def test_a_later_count_takes_the_place_of_the_recorded_one(data: DataFolder) -> None:
    """A run without a later count keeps its own; a count that changes nothing is no correction."""
    board = write_scored_runs(
        data,
        make_imported_run("a", 5),
        make_imported_run("b", 4, model="b"),
        make_imported_run("c", None, 6, "c"),
    )
    assert compute_counts(board) == {"maker/a": 5.0, "maker/b": None, "maker/c": None}


def test_one_corrected_run_of_several_counts_as_one_of_them(data: DataFolder) -> None:
    """4, 4 and 6 passes are 14 / 3 in the mean."""
    board = write_scored_runs(
        data, make_imported_run("a", None), make_imported_run("b", 4), make_imported_run("c", 6)
    )
    assert compute_counts(board)["maker/a"] == pytest.approx(14 / 3)


def test_a_count_over_other_evals_corrects_nothing(data: DataFolder) -> None:
    """A run of seven evals has a count of seven, of which six are the version's."""
    assert compute_counts(write_scored_runs(data, make_imported_run("a", 6, evals=EVALS + 1))) == {
        "maker/a": None
    }
