"""Boards that last: one set of evals for all ranked rows, and no bias by evals that go missing.

The simulation goes through five versions. Each mends evals that models on the board fail, and the
rows on the board lose their answers to these. Models that are asked later have answers to all.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from generator.read.run_summaries import summarize_run
from generator.read.summaries import Amount, EvalResult, Results, RunSummary, share_plan
from generator.scores.differences.difference import compare_sides
from generator.scores.inputs import (
    SideCounts,
    build_run_results,
    choose_shared_set,
    list_obstacles,
    pool_runs,
    select_counted,
)
from generator.scores.leaderboards import score_counted_runs
from generator.scores.score_table import RankRange, build_score_rows, rank_ranges
from records.suites.levels import Level
from tests.generator.scores.making import change_head, make_rng, mark_at_night
from tests.generator.scores.second_opinion import compute_normal_below, compute_normal_quantile
from tests.records import examples

pytestmark = pytest.mark.unit

EVALS = 40
NAMES = [f"{number // 30:03d}-part/{number:03d}-task" for number in range(EVALS)]
BENCHMARK = examples.make_benchmark(NAMES)
_WHOLE = summarize_run(
    examples.with_attempts(
        examples.make_run(planned=tuple(NAMES)), map(examples.make_attempt, NAMES)
    )
)


def make_summary(  # noqa: PLR0913 - what a test may want to set
    slug: str,
    lacking: Collection[int] = (),
    *,
    moved: bool = True,
    experiment: str = "default",
    baseline: bool = False,
    run_id: str = "",
) -> RunSummary:
    """Return a run that passes all its evals; it lacks those with the numbers ``lacking``."""
    names = tuple(name for number, name in enumerate(NAMES) if number not in lacking)
    kind = "baseline" if baseline else "llm"
    changed = change_head(
        _WHOLE,
        run_id=(run_id or slug).ljust(32, "0"),
        model=_WHOLE.head.model.model_copy(update={"slug": slug, "kind": kind}),
        experiment=_WHOLE.head.experiment.model_copy(update={"name": experiment}),
        asked_version="an-earlier-one" if moved and lacking else None,
    )
    return replace(
        changed,
        results=Results(share_plan(names), tuple(_WHOLE.results[name] for name in names)),
        tally=_WHOLE.tally._replace(planned=len(names), judged=len(names)),
    )


def choose(*runs: RunSummary) -> tuple[int, set[str]]:
    """Return the number of shared evals, and the slugs of the rows that have them."""
    scored, rows = choose_shared_set(BENCHMARK, runs, {})
    return len(scored.evals), {slug for slug, _ in rows}


def test_all_rows_are_over_the_evals_that_each_has() -> None:
    """Two rows that lack one eval each share the other evals, with a row that has all."""
    runs = make_summary("a/old", [0]), make_summary("a/older", [0, 1]), make_summary("a/new")
    assert choose(*runs) == (EVALS - 2, {"a/old", "a/older", "a/new"})
    scored, pools, unranked = score_counted_runs(BENCHMARK, runs)
    assert unranked == []
    assert {pool.passed.size for pool in pools} == {len(scored.evals)}
    assert scored.beside == (NAMES[0], NAMES[1])


HARD = [*range(24, 30), *range(37, 40)]
LEVELS = {name: Level.HARD if number in HARD else Level.BASIC for number, name in enumerate(NAMES)}
LEVELLED = BENCHMARK.model_copy(update={"levels": LEVELS})
BEFORE = [number for number in range(EVALS) if number not in HARD]


def score(*runs: RunSummary) -> tuple[int, list[str], list[str]]:
    """Return the number of evals of the board, and the ranked and the other models."""
    counted = select_counted(LEVELLED, runs)
    scored, pools, unranked = score_counted_runs(LEVELLED, counted)
    return len(scored.evals), [pool.slug for pool in pools], [pool.slug for _, pool in unranked]


def test_a_board_is_over_all_levels_once_five_models_have_rows_in_it() -> None:
    """Until then it keeps rows without hard evals; if none lacks them, it has them at once."""
    whole = [make_summary(f"a/{number}") for number in range(5)]
    old = make_summary("b/old", HARD)
    assert score(*whole[:4], old) == (len(BEFORE), ["a/0", "a/1", "a/2", "a/3", "b/old"], [])
    assert score(*whole, old) == (EVALS, ["a/0", "a/1", "a/2", "a/3", "a/4"], ["b/old"])
    assert score(*whole[:2]) == (EVALS, ["a/0", "a/1"], [])
    counted = select_counted(LEVELLED, [*whole[:1], old])
    scored, pools, unranked = score_counted_runs(LEVELLED, counted, fewest=0)
    assert (len(scored.evals), len(pools), len(unranked)) == (EVALS, 1, 1)


def test_runs_of_hard_evals_make_one_row_with_runs_of_the_others() -> None:
    """An older row needs only the hard evals; three attempts there outweigh no other eval."""
    old = replace(make_summary("a/a", HARD), cost_usd=Amount(31.0, 31))
    hard = make_summary("a/a", BEFORE, moved=False, run_id="hard")
    thrice = replace(
        hard,
        results=Results(
            hard.results.plan, tuple(EvalResult(1, 3, 3, None, None) for _ in hard.results)
        ),
        tally=hard.tally._replace(planned=27, judged=27),
        cost_usd=Amount(81.0, 27),
    )
    assert list_obstacles(thrice, LEVELLED) == []
    assert score(thrice, old) == (EVALS, ["a/a"], [])
    scored, pools, _ = score_counted_runs(LEVELLED, [thrice, old])
    (row,) = build_score_rows(scored, pools)
    assert row.score.value == pytest.approx((31 + 9 / 3) / 40)
    assert row.hard is not None
    assert (row.hard.value, row.hard.evals, row.hard.attempts) == (pytest.approx(1 / 3), 9, 27)
    assert (row.cost_usd.n, row.cost_usd.of) == (58, 58)
    assert row.cost_usd.mean == pytest.approx((31 * 1 + 9 * 3) / 40)
    other = make_summary("b/b", HARD)
    assert score(thrice, old, other) == (31, ["a/a", "b/b"], [])
    scored, pools, _ = score_counted_runs(LEVELLED, [thrice, old, other])
    assert [row.hard for row in build_score_rows(scored, pools)] == [None, None]


def test_only_whole_levels_may_be_left_out_by_choice() -> None:
    """A run without one hard eval, or with one other eval, is partial."""
    assert list_obstacles(make_summary("a/a", HARD, moved=False), LEVELLED) == []
    assert list_obstacles(make_summary("a/a", HARD[1:], moved=False), LEVELLED) == ["partial"]
    assert list_obstacles(make_summary("a/a", BEFORE[1:], moved=False), LEVELLED) == ["partial"]
    assert list_obstacles(make_summary("a/a", HARD, moved=False), BENCHMARK) == ["partial"]


def test_rows_leave_until_nine_tenths_are_shared() -> None:
    """Five rows that lack one eval each would share 35 of 40; the last by slug leaves."""
    runs = [make_summary(f"a/{name}", [at]) for at, name in enumerate("edcba")]
    assert choose(*runs) == (36, {"a/a", "a/b", "a/c", "a/d"})
    assert choose(make_summary("a/z", [7, 8]), *runs[:3]) == (37, {"a/e", "a/d", "a/c"})
    scored, pools, unranked = score_counted_runs(BENCHMARK, runs)
    assert len(pools) == 4
    ((own, pool),) = unranked
    assert (pool.slug, len(own.evals), len(scored.evals)) == ("a/e", EVALS - 1, 36)


def test_rows_leave_until_four_fifths_of_each_category_are_shared() -> None:
    """Three of the ten evals of the small category are too many to lack, of forty they are not."""
    runs = [make_summary(f"a/{at}", [at]) for at in (37, 38, 39)]
    assert choose(*runs) == (EVALS - 2, {"a/37", "a/38"})


def test_a_row_without_guidelines_leaves_first_and_a_baseline_shrinks_nothing() -> None:
    """Both are unranked where rows with the guidelines lack other evals."""
    bare = make_summary("a/a", [0, 1, 2], experiment="no_guidelines")
    usual = make_summary("a/b", [3, 4, 5])
    stub = make_summary("baseline/stub", [6], baseline=True)
    assert choose(bare, usual, stub) == (EVALS - 3, {"a/b"})


def test_only_a_run_that_moved_may_lack_evals() -> None:
    """A run over a part by choice does not count, nor one that moved with too few evals."""
    assert list_obstacles(make_summary("a/a", [0]), BENCHMARK) == []
    assert list_obstacles(make_summary("a/a", [0], moved=False), BENCHMARK) == ["partial"]
    assert list_obstacles(make_summary("a/a", range(5)), BENCHMARK) == ["partial"]


def test_a_whole_run_counts_alone() -> None:
    """Runs of the same model that lack evals would shrink the set for no gain."""
    old, new = make_summary("a/a", [0], run_id="1"), make_summary("a/a", run_id="2")
    assert select_counted(BENCHMARK, [old, new]) == [new]
    assert select_counted(BENCHMARK, [old]) == [old]


def test_a_lead_that_missing_evals_may_have_made_is_not_shown() -> None:
    """A row that lacks four evals is ahead by six others; with the four failed, it is not shown.

    The same lead of the row that has all evals is shown.
    """
    ahead = make_summary("a/a", [0, 1, 2, 3])
    scored, _ = choose_shared_set(BENCHMARK, [ahead], {})
    old = pool_runs([build_run_results(scored, ahead)])
    passed = old.passed.copy()
    passed[:6] = 0
    ones = np.ones(4, dtype=np.int32)
    new = SideCounts(passed, old.judged, beside=SideCounts(ones, ones))
    assert not compare_sides(new, old).real
    assert rank_ranges([new, old]) == (RankRange(1, 2), RankRange(1, 2))
    assert compare_sides(SideCounts(new.passed, new.judged), old).real
    none = SideCounts(0 * ones, ones)
    late = SideCounts(old.passed, old.judged, beside=SideCounts(ones, ones))
    assert rank_ranges([SideCounts(passed, old.judged, beside=none), late])[1] == RankRange(1, 1)


Mends = Literal["drawn", "worst"]
_SUITE = 66
_VERSIONS = 5


def simulate_board(
    rng: np.random.Generator, joined: Sequence[int], attempts: int, mends: Mends
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the passes of equal models, and the evals that each lacks: models x evals.

    The true score is 80%. Each version mends an eval: the one that the models on the board fail
    most often, or one drawn by how often they fail it. ``joined`` has the versions of the models.
    """
    common = rng.standard_normal(_SUITE)
    own = 0.5 * rng.standard_normal((len(joined), _SUITE))
    skill = compute_normal_quantile(np.array(0.8)) * math.sqrt(1 + 1 + 0.25)
    passed = rng.binomial(attempts, compute_normal_below(skill + common + own))
    lacks = np.zeros((len(joined), _SUITE), dtype=np.bool_)
    for version in range(2, _VERSIONS + 1):
        old = np.array(joined) < version
        # An eval that all models on the board pass is mended only if they fail none.
        fails = (1 - passed[old] / attempts).mean(axis=0) + 1e-9 * rng.random(_SUITE)
        fails *= ~lacks[old].any(axis=0)
        drawn = rng.choice(_SUITE, p=fails / fails.sum())
        mended = np.argmax(fails) if mends == "worst" else drawn
        lacks[old, mended] = True
    return passed, lacks


def count_told_apart(
    boards: int, joined: Sequence[int], attempts: int, mends: Mends
) -> tuple[int, int]:
    """Return on how many boards equal models are told apart: by the plain rule, and by ours."""
    rng = make_rng(1)
    plain = ours = 0
    for _ in range(boards):
        passed, lacks = simulate_board(rng, joined, attempts, mends)
        shared = ~lacks.any(axis=0)
        counted = np.where(lacks, 0, passed).astype(np.int32)
        judged = np.full(passed.shape, attempts, dtype=np.int32)
        sides = [
            SideCounts(p[shared], j[shared], beside=SideCounts(p[~shared], j[~shared]))
            for p, j in zip(counted, judged, strict=True)
        ]
        everywhere = RankRange(1, len(joined))
        bare = [SideCounts(side.passed, side.judged) for side in sides]
        if any(rank != everywhere for rank in rank_ranges(bare)):
            plain += 1
            # Ours shows a difference only where the plain rule does.
            ours += any(rank != everywhere for rank in rank_ranges(sides))
    return plain, ours


_CASES = [
    (joined, attempts, mends)
    for joined in ((1, 5), (1, 2), (1, 1, 2, 3, 4, 5), (1, 5, 5, 5, 5, 5))
    for attempts in (1, 3)
    for mends in ("drawn", "worst")
]
_FAST = [((1, 5), 1, "drawn")]


@pytest.mark.parametrize(("joined", "attempts", "mends"), mark_at_night(_CASES, but=_FAST))
def test_equal_models_are_told_apart_on_at_most_5_boards_of_100_after_five_versions(
    joined: tuple[int, ...], attempts: int, mends: Mends
) -> None:
    """Failed evals go missing. Chance alone over so many boards adds two standard errors."""
    boards = 400
    _, ours = count_told_apart(boards, joined, attempts, mends)
    assert ours <= 0.05 * boards + 2 * math.sqrt(0.05 * 0.95 * boards)


def test_the_shared_set_alone_would_not_hold() -> None:
    """Without counting missing evals as failed, an old model seems better than an equal new one."""
    plain, ours = count_told_apart(400, (1, 5), 3, "worst")
    assert plain > 0.06 * 400
    assert ours < 0.04 * 400
