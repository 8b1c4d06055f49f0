"""The leaderboard: scores, ranks with ties, baselines, failures set aside by reports, amounts."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from generator.scores import inputs
from generator.scores.score_table import RankRange, ScoredRow, build_score_rows, rank_ranges
from tests.generator.scores.making import make_run_results, make_scored_version, make_side

pytestmark = pytest.mark.unit

LARGE = make_scored_version(66, categories=7)


def make_score_rows(*runs_of: tuple[str, int], baseline: str = "") -> list[ScoredRow]:
    """Return the rows of models that passed the first so many of 66 evals."""
    runs = [
        make_run_results(
            LARGE, [1] * passed + [0] * (66 - passed), slug=slug, baseline=slug == baseline
        )
        for slug, passed in runs_of
    ]
    return build_score_rows(LARGE, inputs.pool_by_model(runs))


def make_row(*runs: inputs.RunResults, of: inputs.ScoredVersion = LARGE) -> ScoredRow:
    """Return the row of the model of these runs."""
    (row,) = build_score_rows(of, inputs.pool_by_model(runs))
    return row


def test_a_score_states_its_basis() -> None:
    """55 of 66 evals, one attempt each: Wilson's interval, and the counts."""
    (row,) = make_score_rows(("a/a", 55))
    assert row.score.passed == pytest.approx(55)
    assert (row.score.evals, row.score.attempts) == (66, 66)
    assert (row.score.interval.low, row.score.interval.high) == pytest.approx(
        (0.7256, 0.9044), abs=1e-4
    )


def test_categories_come_by_name() -> None:
    """66 evals dealt to seven categories of nine and ten."""
    (row,) = make_score_rows(("a/a", 55))
    assert {part.evals for part in row.categories.values()} == {9, 10}
    assert list(row.categories) == sorted(row.categories)


def test_a_model_has_the_places_that_the_evals_do_not_rule_out() -> None:
    """60 and 58 share two places; both are ahead of 40."""
    ranks = {
        row.pool.slug: row.rank for row in make_score_rows(("c/c", 40), ("a/a", 58), ("b/b", 60))
    }
    assert ranks == {"b/b": RankRange(1, 2), "a/a": RankRange(1, 2), "c/c": RankRange(3, 3)}
    assert [rank.words for rank in ranks.values() if rank] == ["1\N{EN DASH}2"] * 2 + ["3"]


def test_rows_stand_by_score_then_slug() -> None:
    """The order of the runs does not matter."""
    rows = make_score_rows(("d/d", 40), ("b/b", 60), ("a/a", 60), ("c/c", 61))
    assert [row.pool.slug for row in rows] == ["c/c", "a/a", "b/b", "d/d"]


def test_baselines_stand_apart() -> None:
    """The oracle passes all evals, has no rank, and moves no model."""
    both = make_score_rows(("baseline/oracle", 66), ("a/a", 40), baseline="baseline/oracle")
    assert [(row.pool.slug, row.rank) for row in both] == [
        ("a/a", RankRange(1, 1)),
        ("baseline/oracle", None),
    ]


def test_an_experiment_has_a_table_of_its_own() -> None:
    """The experiment with guidelines comes first."""
    runs = [
        make_run_results(LARGE, [1] * 66, experiment=name)
        for name in ("no_guidelines", "brief", "default")
    ]
    rows = build_score_rows(LARGE, inputs.pool_by_model(runs))
    assert [row.pool.experiment for row in rows] == ["default", "brief", "no_guidelines"]
    assert [row.rank for row in rows] == [RankRange(1, 1)] * 3


passes = arrays.arrays(
    np.int32,
    st.tuples(st.integers(1, 6), st.integers(1, 12)),
    elements=st.sampled_from([0, 1, 2]),
)


def make_sides(passed: inputs.Counts) -> list[inputs.SideCounts]:
    """Return models with two attempts at each eval."""
    return [make_side(each, [2] * len(each)) for each in passed.tolist()]


@given(passes)
def test_being_better_is_never_mutual(passed: inputs.Counts) -> None:
    """No range is empty, and each pair counts at both ends."""
    ranges = rank_ranges(make_sides(passed))
    assert all(1 <= rank.low <= rank.high <= len(passed) for rank in ranges)
    assert sum(rank.low - 1 for rank in ranges) == sum(len(passed) - rank.high for rank in ranges)


@given(passes)
def test_a_better_model_has_the_higher_score(passed: inputs.Counts) -> None:
    """A positive paired difference is a difference of scores."""
    scores = passed.mean(axis=1)
    for model, other in combinations(range(len(passed)), 2):
        first, second = rank_ranges(make_sides(passed[[model, other]]))
        if first != second:
            assert (first.low < second.low) == (scores[model] > scores[other])


@given(passes, st.randoms())
def test_ranks_do_not_depend_on_the_order_of_models(passed: inputs.Counts, random: Random) -> None:
    """Each model keeps its range."""
    models = list(range(passed.shape[0]))
    random.shuffle(models)
    shuffled = rank_ranges(make_sides(passed[models]))
    straight = rank_ranges(make_sides(passed))
    assert list(shuffled) == [straight[model] for model in models]


def test_a_model_that_is_distinguished_from_all_has_one_place() -> None:
    """Scores of 66, 40 and 15 of 66 are three places; five evals give a single range."""
    ranks = [row.rank for row in make_score_rows(("a/a", 66), ("b/b", 40), ("c/c", 15))]
    assert ranks == [RankRange(1, 1), RankRange(2, 2), RankRange(3, 3)]
    few = rank_ranges([make_side([2] * 5, [2] * 5), make_side([0] * 5, [2] * 5)])
    assert few == (RankRange(1, 2), RankRange(1, 2))


def test_failures_that_are_not_the_models_are_set_aside() -> None:
    """Two of 11 failures go, with their evals: 55 of 64. A failure without a class still counts."""
    classes = {60: ("overly_strict",), 61: ("ambiguous_task",), 62: ("model_fault",)}
    row = make_row(make_run_results(LARGE, [1] * 55 + [0] * 11, classes=classes))
    assert row.attributed is not None
    assert row.attributed.value == pytest.approx(55 / 64)
    assert row.attributed.evals == 64
    assert row.score.value == pytest.approx(55 / 66)


def test_setting_an_attempt_aside_leaves_the_others_of_its_eval() -> None:
    """Two runs fail an eval and one failure is set aside: the other still fails it."""
    passed = [1] * 65 + [0]
    row = make_row(
        make_run_results(LARGE, passed, order="2026-01-01", classes={65: ("harness_fault",)}),
        make_run_results(LARGE, passed, order="2026-01-02"),
    )
    assert row.attributed is not None
    assert row.attributed.evals == 66
    assert row.attributed.value == pytest.approx(65 / 66)


def test_a_class_of_an_attempt_that_passes_by_now_has_no_effect() -> None:
    """A mended grader passed it; the report still calls the grader too strict."""
    classes = {0: ("overly_strict",)}
    row = make_row(make_run_results(LARGE, [1] * 55 + [0] * 11, classes=classes))
    assert row.attributed == row.score


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20))
def test_setting_failures_aside_never_lowers_the_score(evals: list[tuple[int, int]]) -> None:
    """This holds for any number of failures and of failures set aside by a report."""
    of = make_scored_version(len(evals))
    classes = {number: ("overly_strict",) * many for number, (_, many) in enumerate(evals)}
    results = make_run_results(of, [passed for passed, _ in evals], samples=3, classes=classes)
    row = make_row(results, of=of)
    if row.attributed is not None:
        assert row.score.value - 1e-12 <= row.attributed.value <= 1


def test_without_a_report_nothing_is_attributed() -> None:
    """No report, no second score."""
    (row,) = make_score_rows(("a/a", 55))
    assert row.attributed is None


def test_amounts_are_means_over_the_attempts_that_state_them() -> None:
    """A run of two samples counts twice; an attempt in 66 of another run has no known cost."""
    runs = [
        make_run_results(
            LARGE,
            [samples] * 66,
            samples=samples,
            order=f"2026-01-0{day}",
            cost=(dollars, priced),
        )
        for day, samples, dollars, priced in ((1, 1, 6.5, 65), (2, 2, 26.4, 132), (3, 1, 0, 0))
    ]
    row = make_row(*runs)
    assert row.cost_usd.mean == pytest.approx(32.9 / 197)
    assert (row.cost_usd.n, row.cost_usd.of) == (197, 264)
    assert row.cost_per_pass == pytest.approx(32.9 / 197)
    assert row.generation_s == (None, 0, 264)


def test_twice_the_samples_cost_no_more_for_each_attempt() -> None:
    """Half of the attempts pass at ten cents each: a pass costs twenty, for any samples."""
    for samples in (1, 2):
        attempts = 66 * samples
        results = make_run_results(
            LARGE,
            [samples, 0] * 33,
            samples=samples,
            cost=(0.1 * attempts, attempts),
        )
        row = make_row(results)
        assert row.cost_usd.mean == pytest.approx(0.1)
        assert row.cost_per_pass == pytest.approx(0.2)


def test_nothing_passed_has_no_cost_for_each_pass() -> None:
    """The cost is neither infinite nor 0."""
    results = make_run_results(LARGE, [0] * 66, cost=(6.6, 66))
    row = make_row(results)
    assert row.cost_usd.mean == pytest.approx(0.1)
    assert row.cost_per_pass is None


def test_the_share_of_tests_passed_is_known_or_left_out() -> None:
    """The share is over the evals whose tests are known; None without any such eval."""
    small = make_scored_version(3)
    results = make_run_results(small, [0, 0, 0])
    shares = replace(results, test_shares=np.array([0.5, np.nan, 1.0]))
    assert make_row(shares, of=small).tests == 0.75
    assert make_score_rows(("a/a", 55))[0].tests is None
