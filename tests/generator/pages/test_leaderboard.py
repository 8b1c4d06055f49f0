"""The front page: its rows and notes, the version shown, and every model ever measured."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from generator.pages.leaderboard import BOTH, build_table_page
from generator.pages.model import build_models_page
from generator.render.templates import PageContext
from generator.site_data import SiteData
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Run, Withdrawal
from records.writer import write_record, write_run
from tests.generator.contexts import gather_published_site, gather_site, render_tree
from tests.records.examples import (
    make_attempt,
    make_benchmark,
    make_run,
    with_attempts,
    with_model,
)

pytestmark = pytest.mark.unit

OWN, REPLACED, PUBLISHED = "feedfacecafe", "0123456789ab", "deadbeef0123"
CONVEX = "https://github.com/get-convex/convex-evals"


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Two suites of our own, one of them replaced, and one that Convex published."""
    folder = DataFolder(tmp_path)
    for version, minted, source in (
        (OWN, datetime(2026, 11, 3, tzinfo=UTC), None),
        (REPLACED, datetime(2026, 10, 3, tzinfo=UTC), None),
        (PUBLISHED, None, CONVEX),
    ):
        benchmark = make_benchmark(version=version, minted_at=minted, source=source)
        write_record(folder.benchmarks, benchmark)
    return folder


def write_model_run(data: DataFolder, letter: str, version: str, kind: str = "llm") -> Run:
    """Write a run of a model of its own; return it."""
    made = make_run(letter * 32, benchmark_version=version)
    made = with_model(made, slug=f"maker/{letter}", name=f"Model {letter}", kind=kind)
    write_run(data, made)
    return made


def build_front_page(data: DataFolder, version: str = OWN) -> PageContext:
    """Return the page of a version, with our own newest version pinned to the front page."""
    site = gather_pinned_site(data)
    return build_table_page(site, site.leaderboards[version], BOTH)


def gather_pinned_site(data: DataFolder) -> SiteData:
    """Return the site with our own newest version pinned to the front page."""
    site = gather_site(data)
    return replace(site, settings=site.settings.model_copy(update={"current_version": OWN}))


def test_of_two_versions_of_one_day_the_later_one_stands_first(data: DataFolder) -> None:
    """The order ignores names: both are of the same suite, and the later replaced the other."""
    later = datetime(2026, 11, 3, 12, tzinfo=UTC)
    write_record(data.benchmarks, make_benchmark(version=REPLACED, minted_at=later))
    assert list(gather_site(data).leaderboards)[:2] == [REPLACED, OWN]


def test_a_model_that_only_another_version_measured_stands_on_the_front_page(
    data: DataFolder,
) -> None:
    """One line below the table names the model with its score, and links its page."""
    write_model_run(data, "a", OWN)
    write_model_run(data, "b", PUBLISHED)
    tree = render_tree(build_front_page(data))
    assert [row.attributes["data-key"] for row in tree.css(".board tbody tr[data-key]")] == [
        "maker/a"
    ]
    (link,) = tree.css('.note > a[href="models/maker/b/"]')
    assert link.parent is not None
    assert " ".join(link.parent.text().split()).startswith(
        "1 model was measured on other evals only, and cannot be compared: Model b "
    )


def test_versions_are_reported_in_words_and_replaced_ones_are_left_to_the_archive(
    data: DataFolder,
) -> None:
    """The text has title, publisher, month and number of models, but no empty replaced version."""
    write_model_run(data, "b", PUBLISHED)
    tree = render_tree(build_front_page(data))
    showing, *_ = tree.css(".showing")
    text = " ".join(showing.text().split())
    assert text.startswith(
        f"This table: 2026-11 · 3 evals ({OWN[:8]}) own suite, November 2026;"
        " no model has a score yet"
    )
    assert f"({PUBLISHED[:8]}) published by Convex" in text
    assert "October 2026" not in text
    assert tree.css_first('.showing a[href="benchmarks/"]') is not None


def test_of_runs_of_one_day_the_last_that_counts_is_the_last_run(data: DataFolder) -> None:
    """A withdrawn run of the same day, with a greater id, does not stand for the model."""
    made = write_model_run(data, "b", PUBLISHED)
    gone = made.model_copy(
        update={"run_id": "z" * 32, "withdrawn": Withdrawal(by="us", reason="wrong")}
    )
    write_run(data, gone)
    (line,) = build_models_page(gather_site(data)).measured
    assert line.latest.run_id == made.run_id


def test_a_last_run_that_was_withdrawn_is_marked_in_the_list_of_models(data: DataFolder) -> None:
    """Only the model whose newest run was withdrawn has the mark."""
    gone = write_model_run(data, "b", PUBLISHED)
    write_model_run(data, "c", PUBLISHED)
    write_run(data, gone.model_copy(update={"withdrawn": Withdrawal(by="us", reason="wrong")}))
    page = build_models_page(gather_site(data))
    assert {line.slug: line.latest.head.withdrawn is not None for line in page.measured} == {
        "maker/b": True,
        "maker/c": False,
    }
    (tag,) = render_tree(page).css(".tag.warn")
    row = tag.parent.parent if tag.parent else None
    assert row is not None
    assert row.attributes["data-key"] == "maker/b"


def test_the_front_page_shows_how_and_when_models_were_asked(data: DataFolder) -> None:
    """Tools and second tries are named only for sources known to have used none."""
    site = gather_published_site()
    page = build_table_page(site, site.leaderboards[str(site.front)], BOTH)
    assert page.sentences[-1].text == "Models were asked in February 2026."
    stating = site.settings.model_copy(update={"one_answer": frozenset({CONVEX})})
    page = build_table_page(
        replace(site, settings=stating), site.leaderboards[str(site.front)], BOTH
    )
    assert page.sentences[-1].text == (
        "Each answer came at once, without tools or a second try; asked in February 2026."
    )
    write_model_run(data, "b", PUBLISHED)
    elsewhere = gather_site(data)
    definition = elsewhere.summaries.benchmarks[PUBLISHED].model_copy(
        update={"source": "https://elsewhere.test/"}
    )
    write_record(data.benchmarks, definition)
    site = gather_site(data)
    page = build_table_page(site, site.leaderboards[PUBLISHED], BOTH)
    assert page.sentences[-1].text == "Models were asked in November 2026."


def test_the_axis_of_rows_holds_the_range_of_each_model_with_a_rank() -> None:
    """Models without guidelines are on it, too: the least range of these records begins at 43%."""
    site = gather_published_site()
    page = build_table_page(site, site.leaderboards["convex-evals-66-dbe4c5df"], BOTH)
    lows = [entry.row.score.interval.low for group in page.groups for entry in group.entries]
    assert 0.4 < min(lows) < 0.5
    assert page.floor == 40


def test_later_models_that_score_higher_are_named(data: DataFolder) -> None:
    """Five models can show a trend, and fewer cannot. A retired model has a tag."""
    entries = "schema_version = 1\nmodels = []\n"
    for number, letter in enumerate("abcdefg"):
        made = write_model_run(data, letter, OWN)
        attempts = tuple(
            make_attempt(name, outcome=Outcome.PASSED if position < number else Outcome.FAILED)
            for position, name in enumerate(made.planned)
        )
        write_run(data, with_attempts(made, attempts))
        entries += (
            f'[[described]]\nslug = "maker/{letter}"\nname = "Model {letter}"\n'
            f'provider = "Maker"\nreleased = 2026-01-0{number + 1}\n'
        )
        data.models_file.write_text(entries + "retires = 2026-06-01\n", encoding="utf-8")
        if letter == "c":
            few = build_front_page(data).progress
            assert few is not None
            assert few.newer == ("Are newer models better? Not known: 3 models are too few to tell")
    page = build_front_page(data)
    assert page.progress is not None
    assert page.progress.newer == "Newer models score higher, more than by chance"
    (tag,) = render_tree(page).css("th .tag")
    assert tag.text() == "retired 2026-06-01"


def test_progress_is_drawn_from_three_days_of_release_on(data: DataFolder) -> None:
    """A model's dot is filled where it was ahead of all models released before."""
    entries = "schema_version = 1\nmodels = []\n"
    for letter, day in (("a", 1), ("b", 2), ("c", 3)):
        write_model_run(data, letter, OWN)
        assert build_front_page(data).progress is None
        entries += (
            f'[[described]]\nslug = "maker/{letter}"\nname = "Model {letter}"\n'
            f'provider = "Maker"\nreleased = 2026-01-0{day}\n'
        )
        data.models_file.write_text(entries, encoding="utf-8")
    write_model_run(data, "d", OWN)
    page = build_front_page(data)
    assert page.progress is not None
    wide, narrow = page.progress.chart
    for plot in (wide, narrow):
        dots = [placed.dot for placed in plot.dots]
        assert {dot.label for dot in dots} == {"Model a", "Model b", "Model c"}
        # All three score the same: only the first was ahead of the models before.
        assert sum(dot.marked for dot in dots) == 1
    # The fourth has no day of release; the chart names the version that it covers.
    assert page.progress.undated == 1
    caption, *_ = render_tree(page).css("#progress-title + figure figcaption")
    assert page.basics.titles[page.board.version] in caption.text()
    assert "1 model without a known day is left out" in caption.text()


def test_only_a_day_before_the_newest_run_is_past(data: DataFolder) -> None:
    """A model that goes on the day of the newest run still retires."""
    write_model_run(data, "a", OWN)
    entry = '[[described]]\nslug = "maker/a"\nname = "Model a"\nprovider = "Maker"\n'
    for day, verb in (("2026-11-20", "retired"), ("2026-11-21", "retires")):
        text = f"schema_version = 1\nmodels = []\n{entry}released = 2026-01-01\nretires = {day}\n"
        data.models_file.write_text(text, encoding="utf-8")
        site = gather_pinned_site(data)
        pages = build_table_page(site, site.leaderboards[OWN], BOTH), build_models_page(site)
        for page in pages:
            assert f"{verb} {day}" in [tag.text() for tag in render_tree(page).css("tbody .tag")]


def test_a_suite_without_a_language_model_invites_one_with_the_command(data: DataFolder) -> None:
    """The command is shown until the first model is measured."""
    write_model_run(data, "a", OWN, kind="baseline")
    command = "leaderboard run -m MODEL --publish"
    assert command in [
        code.text() for code in render_tree(build_front_page(data)).css(".empty code")
    ]
    write_model_run(data, "b", OWN)
    assert render_tree(build_front_page(data)).css(".empty code") == []
