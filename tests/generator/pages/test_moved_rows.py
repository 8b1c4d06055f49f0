"""Pages of a version to which rows moved from an earlier one, without some of its evals."""

from collections.abc import Collection
from datetime import date
from pathlib import Path

import pytest

from generator.exports.cards import describe_site_card
from generator.pages.guidelines import build_guidelines_page
from generator.pages.leaderboard import BOTH, build_category_page, build_table_page
from generator.pages.matrix import build_matrix_page
from generator.scores.leaderboards import Leaderboard
from generator.site_data import SiteData, build_site_parts
from generator.tables.published_tables import build_leaderboard_rows
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.writer import write_record, write_run
from tests.generator.contexts import gather_site, render_tree
from tests.records.examples import (
    NOON,
    make_attempt,
    make_benchmark,
    make_run,
    with_attempts,
    with_model,
)

pytestmark = pytest.mark.unit

SUITE = Path(__file__).parents[3] / "evals"
CATEGORY = min(path.name for path in SUITE.glob("[0-9]*") if len([*path.glob("[0-9]*")]) >= 10)
NAMES = [f"{CATEGORY}/{path.name}" for path in sorted((SUITE / CATEGORY).glob("[0-9]*"))][:10]


class Board:
    """A version of ten evals of one category, with runs."""

    def __init__(self, root: Path) -> None:
        self.folder = DataFolder(root)
        version = make_benchmark(NAMES)
        write_record(self.folder.benchmarks, version)
        self.version = version.version

    def add_run(  # noqa: PLR0913 - what a test may want to set
        self,
        name: str,
        passed: int,
        *,
        lacking: Collection[int] = (),
        experiment: str = "default",
        day: date = date(2026, 11, 21),
        provider: str = "Maker",
    ) -> None:
        """Write a run that moved if it is ``lacking`` evals, which it passes up to a number."""
        run_id = f"{name}{experiment}{day.month}".replace("_", "").ljust(32, "0").lower()
        attempts = [
            make_attempt(each, outcome=Outcome.PASSED if at < passed else Outcome.FAILED)
            for at, each in enumerate(NAMES)
            if at not in lacking
        ]
        run = with_model(
            make_run(run_id), slug=f"maker/{name.lower()}", name=name, provider=provider
        )
        run = with_attempts(
            run,
            attempts,
            planned=tuple(each.eval for each in attempts),
            experiment=run.experiment.model_copy(update={"name": experiment}),
            date=day,
            started_at=NOON.replace(month=day.month, day=day.day),
            finished_at=None,
            asked_version="ffffffffffff" if lacking else None,
        )
        write_run(self.folder, run)

    def gather(self) -> tuple[SiteData, Leaderboard]:
        """Return the data of the site and of the version."""
        site = gather_site(self.folder)
        return site, site.leaderboards[self.version]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a version with a whole row, and two rows that lack one eval each."""
    made = Board(tmp_path)
    made.add_run("New", 6)
    made.add_run("Old", 7, lacking=[8])
    made.add_run("Other", 9, lacking=[9])
    return made


def test_rows_over_other_evals_stand_below_a_line(board: Board) -> None:
    """Eight shared evals of ten are too few, so a row leaves: no rank, and a score of its own."""
    site, leaderboard = board.gather()
    page = build_table_page(site, leaderboard, BOTH)
    assert [(group.title, len(group.entries)) for group in page.groups] == [
        ("Models", 2),
        ("Not ranked", 1),
    ]
    ranked, below = page.groups
    assert [(entry.newest.name, entry.row.score.evals) for entry in ranked.entries] == [
        ("Old", 9),
        ("New", 9),
    ]
    (other,) = below.entries
    assert (other.newest.name, other.row.rank, other.row.score.evals) == ("Other", None, 9)
    assert [row.model for row in build_leaderboard_rows(leaderboard)] == ["maker/old", "maker/new"]
    assert page.left_out == ""
    assert build_site_parts(site, ()) == []


def test_all_pages_of_the_version_are_over_the_shared_evals(board: Board) -> None:
    """Tables, matrix, categories and effects leave the same eval out, and a note names it."""
    board.add_run("New", 3, experiment="no_guidelines")
    site, leaderboard = board.gather()
    page = build_table_page(site, leaderboard, BOTH)
    about = render_tree(page).css_first("p.sub")
    assert about is not None
    assert "9 evals" in about.text()
    assert describe_site_card(site).note == "2 models, 9 evals, 2026-11-21"
    note = render_tree(page).css_first("#shared")
    assert note is not None
    assert "over 9 of 10 evals" in " ".join(note.text().split())
    assert [each.attributes["href"] for each in note.css("a")][1:] == [f"evals/{NAMES[8]}/"]
    category = build_category_page(site, leaderboard, CATEGORY)
    assert category.evals == NAMES[:8] + NAMES[9:]
    assert category.evals_beside == [NAMES[8]]
    (group,) = build_matrix_page(site, leaderboard).groups
    assert {row.eval.name for row in group.rows} == {*NAMES[:8], NAMES[9]}
    (effect,) = build_guidelines_page(site, leaderboard).models
    assert effect.difference.evals == 9


def test_scores_by_month_are_over_the_same_evals(tmp_path: Path) -> None:
    """A model asked in two months has two dots; the table beside the chart has the same numbers."""
    made = Board(tmp_path)
    made.add_run("New", 8, day=date(2026, 11, 3), provider="Second")
    made.add_run("Old", 5, lacking=[9], day=date(2026, 9, 30))
    made.add_run("Old", 6, lacking=[9], day=date(2026, 11, 30))
    page = build_guidelines_page(*made.gather())
    tree = render_tree(page)
    assert tree.css_first("svg.plot polyline.tone1") is not None
    rows = [row.text(separator=" ").split() for row in tree.css("#months ~ details tbody tr")]
    assert [row[:4] for row in rows] == [
        ["Old", "Maker", "2026-09", "55.6%"],
        ["New", "Second", "2026-11", "88.9%"],
        ["Old", "Maker", "2026-11", "66.7%"],
    ]


def test_a_single_month_is_said_in_words(board: Board) -> None:
    """One month shows no change, and there is no chart."""
    page = build_guidelines_page(*board.gather())
    assert page.months is None
    assert page.months_unknown == "Not known: all answers are of November 2026."
