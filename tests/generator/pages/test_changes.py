"""The log of changes: the effect of each change, by day."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.blocks.run_lines import build_run_line
from generator.pages.changes import build_benchmarks_page, build_changes_page
from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.templates import Row
from generator.site_data import SiteData
from records.files.data_folder import DataFolder
from records.shapes.run import UndoneWithdrawal, Withdrawal
from records.writer import write_record, write_run
from tests.generator import contexts
from tests.generator.pages.test_evals import PUBLISHED
from tests.generator.scores.making import change_head
from tests.records import examples

pytestmark = pytest.mark.unit

_DAY = date(2026, 11, 20)


def _replace_run(run: RunSummary) -> SiteData:
    """Return the published records with one run changed."""
    site = contexts.gather_published_site()
    runs = [run if summary.run_id == run.run_id else summary for summary in site.summaries.runs]
    return replace(site, summaries=replace(site.summaries, runs=runs))


def _list_days(site: SiteData) -> list[Row]:
    return [day for month in build_changes_page(site).months for day in month.days]


def _select_changes(site: SiteData, run_id: str, kind: str) -> list[Row]:
    return [
        c for day in _list_days(site) for c in day.changes if (c.run_id, c.kind) == (run_id, kind)
    ]


def _read_news(site: SiteData) -> list[str]:
    """Return the sentences of the newest month, as the page shows them."""
    page = contexts.load_project_templates().render(build_changes_page(site)).decode()
    return [" ".join(item.text().split()) for item in LexborHTMLParser(page).css(".news li")]


def _make_verdict(name: str, before: str, after: str, sample: int = 1) -> ReplacedVerdict:
    return ReplacedVerdict(name, sample, _DAY, before, after, ("grader",), "0" * 64, None)


def _describe_regrading(regraded: Sequence[ReplacedVerdict]) -> str:
    run = contexts.gather_published_site().leaderboards[PUBLISHED].select_models()[0].newest
    (change,) = _select_changes(
        _replace_run(replace(run, regraded=regraded)), run.run_id, "re-graded"
    )
    return change.did


def test_a_log_without_a_day_has_no_newest_month(tmp_path: Path) -> None:
    """No month is made up for a version without a day and runs."""
    data = DataFolder(tmp_path)
    write_record(data.benchmarks, examples.make_benchmark(minted_at=None))
    assert _read_news(contexts.gather_site(data)) == []


def test_a_grading_again_shows_both_verdicts() -> None:
    """Outcomes are counted by attempt, from the first verdict of the day to the last."""
    arrow = "\N{RIGHTWARDS ARROW}"
    assert _describe_regrading(
        [_make_verdict("a", "failed", "passed"), _make_verdict("b", "failed", "passed")]
    ) == (f"2 failed {arrow} passed")
    assert _describe_regrading(
        [_make_verdict("a", "failed", "passed"), _make_verdict("a", "passed", "failed")]
    ) == ("no result changed")
    assert _describe_regrading([_make_verdict("a", "passed", "passed")]) == "no result changed"


def test_a_withdrawal_names_the_remainder() -> None:
    """Without another counting run of the same model and condition, the log states that."""
    leaderboard = contexts.gather_published_site().leaderboards[PUBLISHED]
    entry = leaderboard.select_models()[0]
    site = _replace_run(change_head(entry.newest, withdrawn=Withdrawal(by="us", reason="wrong")))
    remaining = [counted for counted in leaderboard.entries if counted is not entry]
    gone = replace(leaderboard, entries=remaining)
    without = replace(site, leaderboards={**site.leaderboards, PUBLISHED: gone})
    (change,) = _select_changes(without, entry.newest.run_id, "withdrawn")
    assert change.did == "no run of it counts now"


def test_a_withdrawal_and_its_end_stand_on_their_days(tmp_path: Path) -> None:
    """Both have their reasons; a withdrawal that lasts is also under its day."""
    gone = datetime(2026, 11, 3, tzinfo=UTC)
    undone = UndoneWithdrawal(
        by="me",
        reason="the wrong key",
        at=gone,
        undone_by="you",
        undone_because="it was right",
        undone_at=datetime(2026, 11, 5, tzinfo=UTC),
    )
    out = Withdrawal(by="me", reason="the wrong model", at=gone)
    data = examples.write_runs(
        DataFolder(tmp_path),
        examples.make_run(undone_withdrawals=(undone,)),
        examples.make_run("b" * 32, withdrawn=out),
    )
    site = contexts.gather_site(data)
    changes = {
        (str(day.date), change.kind, change.text, change.run_id[0])
        for day in _list_days(site)
        for change in day.changes
        if change.kind in {"withdrawn", "reinstated"}
    }
    assert changes == {
        ("2026-11-03", "withdrawn", "the wrong key", "a"),
        ("2026-11-05", "reinstated", "it was right", "a"),
        ("2026-11-03", "withdrawn", "the wrong model", "b"),
    }
    counted = [
        run
        for leaderboard in site.leaderboards.values()
        for e in leaderboard.entries
        for run in e.runs
    ]
    assert [run.run_id[0] for run in counted] == ["a"]
    (line,) = build_run_line(site, site.runs["a" * 32]).undone
    assert line == (
        "withdrawn on 2026-11-03: the wrong key; counts again since 2026-11-05: it was right"
    )


def test_a_model_without_a_run_in_an_earlier_month_is_new(tmp_path: Path) -> None:
    """Another model that was asked before stands apart from it; runs are counted with models."""
    data = DataFolder(tmp_path)
    write_record(data.benchmarks, examples.make_benchmark(minted_at=None))
    for letter, day, name in (
        ("a", 1, "old"),
        ("b", 40, "old"),
        ("c", 42, "new"),
        ("d", 43, "new"),
    ):
        began = datetime(2026, 10, 1, tzinfo=UTC) + timedelta(days=day)
        run = examples.make_run(letter * 32, date=began.date(), started_at=began)
        write_run(data, examples.with_model(run, slug=f"maker/{name}", name=name))
    assert _read_news(contexts.gather_site(data)) == [
        "3 runs of 2 language models were added.",
        "First run here: new",
        "Asked in earlier months, too: old",
    ]


def test_a_later_run_is_compared_with_the_run_before() -> None:
    """Its score follows that of the run before, which has no rank of today."""
    leaderboard = contexts.gather_published_site().leaderboards[PUBLISHED]
    entry, other = leaderboard.select_models()[0], leaderboard.select_models()[-1].newest
    head = entry.newest.head
    other = change_head(other, model=head.model, experiment=head.experiment)
    again = replace(entry, runs=[entry.newest, other])
    both = replace(leaderboard, entries=[again])
    summaries = replace(contexts.gather_published_site().summaries, runs=again.runs)
    site = replace(
        contexts.gather_published_site(), leaderboards={PUBLISHED: both}, summaries=summaries
    )
    shares = [run.tally.evals_passed / run.tally.evals_judged for run in (other, entry.newest)]
    earlier, later = (f"{100 * share:.1f}%" for share in shares)
    (newest,) = _select_changes(site, entry.newest.run_id, "added")
    (before,) = _select_changes(site, other.run_id, "added")
    assert newest.did.startswith(f"{later} of this run passed, {earlier} of the run before, ")
    assert before.did == "its first run that counts"


def test_an_equal_share_is_not_reported_twice() -> None:
    """A run that passes as much as the run before has one figure."""
    leaderboard = contexts.gather_published_site().leaderboards[PUBLISHED]
    entry = leaderboard.select_models()[0]
    alike = change_head(entry.newest, run_id="alike")
    both = replace(leaderboard, entries=[replace(entry, runs=[entry.newest, alike])])
    (change,) = _select_changes(
        replace(contexts.gather_published_site(), leaderboards={PUBLISHED: both}),
        entry.newest.run_id,
        "added",
    )
    assert "% of this run passed, as of the run before, " in change.did
    assert change.did.endswith("the only model with a rank")


@pytest.mark.parametrize(
    ("imported", "own", "expected"),
    [
        (0, 0, "no run of a language model yet."),
        (0, 1, "1 run of a language model made by this project."),
        (2, 1, "2 runs of language models that were imported, and 1 that this project made."),
    ],
)
def test_the_log_counts_no_runs_that_are_not_there(imported: int, own: int, expected: str) -> None:
    """A site with only its own runs does not mention runs of others."""
    page = contexts.change_values(
        build_changes_page(contexts.gather_published_site()),
        imported=imported,
        own=own,
        baselines=0,
        editions=0,
    )
    tree = contexts.render_tree(page)
    (note,) = tree.css("main p#covers")
    assert " ".join(note.text().split()) == f"The site has {expected}"


def test_the_log_states_its_range() -> None:
    """Each recorded run is either in the log or counted as left out."""
    site = contexts.gather_published_site()
    page = build_changes_page(site)
    listed = {change.run_id for day in _list_days(site) for change in day.changes if change.run_id}
    assert page.imported + page.own == len(listed)
    assert len(listed) + page.baselines + page.editions == len(site.summaries.runs)
    assert page.baselines == sum(run.baseline for run in site.summaries.runs)
    tree = contexts.render_tree(page)
    (note,) = tree.css("main p#covers")
    text = " ".join(note.text().split())
    assert text.startswith(f"The site has {page.imported} runs of language models, all imported.")
    assert f"{page.baselines} runs of baselines, which are programs, are listed only" in text


def test_the_length_of_guidelines_is_reported_where_that_very_text_was_counted() -> None:
    """The suite's own count is shown where a version sent the text that the suite has."""
    text = contexts.gather_published_site().guidelines
    assert text is not None
    assert text.tokens is not None
    lines = build_benchmarks_page(contexts.gather_published_site()).guidelines_tokens
    for version, board in contexts.gather_published_site().leaderboards.items():
        same = board.benchmark.guidelines == text.digest
        assert lines[version] == (text.tokens.tokens if same else None)
    assert set(lines.values()) == {None, text.tokens.tokens}
