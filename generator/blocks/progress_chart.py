"""The charts of scores by day of release, with sentences, and by month."""

from collections.abc import Sequence
from datetime import date

from generator.blocks.shares import describe_difference
from generator.render.plots import TONES, Dot, label_ends, plot_history
from generator.render.template_filters import describe_p_value
from generator.render.templates import Row
from generator.scores.differences.difference import Conclusion
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.trend import FEWEST_MODELS, compute_trend
from generator.site_data import SiteData
from generator.site_links import build_model_path, format_month

_FEWEST = 3
"""The fewest models, and days of release, for a chart: two show no trend."""


def build_progress_chart(
    site: SiteData, leaderboard: Leaderboard, entries: Sequence[Entry]
) -> Row | None:
    """Return the chart of ``entries``, the models under an experiment.

    A filled dot is a model that scores more than every model released before it. None if too few
    days of release are known, or too few of them differ.
    """
    registry = site.summaries.registry
    dated = [
        (released, entry, entry.row.score.share.percent)
        for entry in entries
        if (model := registry.get(entry.newest.slug)) is not None
        and (released := model.released) is not None
    ]
    days = [released for released, _, _ in dated]
    if len(dated) < _FEWEST or len(set(days)) < _FEWEST:
        return None
    chart = plot_history(
        [
            Dot(
                label=entry.newest.name,
                href=build_model_path(entry.newest.slug),
                x=released.toordinal(),
                y=percent,
                marked=percent > max((p for day, _, p in dated if day < released), default=-1.0),
                note=f"{entry.newest.provider}, released {released}",
            )
            for released, entry, percent in dated
        ],
        label_ends(days),
        "Day of release",
    )
    newer, odds = _describe_trend(days, [percent for _, _, percent in dated])
    return Row(
        chart=chart,
        undated=len(entries) - len(dated),
        newer=newer,
        odds=odds,
        compared=_compare_newest(leaderboard, dated),
    )


def _describe_trend(days: Sequence[date], scores: Sequence[float]) -> tuple[str, str]:
    """Return a sentence on whether newer models score higher, by an exact test, and its odds."""
    if len(days) < FEWEST_MODELS:
        return f"Are newer models better? Not known: {len(days)} models are too few to tell", ""
    result = compute_trend([day.toordinal() for day in days], scores)
    if result is None:
        return f"Newer models are neither better nor worse: all {len(days)} score the same", ""
    often = f"such an order comes by chance {describe_p_value(result.p_value)}"
    if not result.is_shown:
        return (
            "Newer models are not shown to be better or worse",
            f": over all {len(days)} models, {often}",
        )
    which = "higher" if result.tau > 0 else "lower"
    return f"Newer models score {which}, more than by chance", f": {often}"


def _compare_newest(
    leaderboard: Leaderboard, dated_models: Sequence[tuple[date, Entry, float]]
) -> Row | None:
    """Return the model that was released last, compared with the best earlier model."""
    last = max(released for released, _, _ in dated_models)
    newest = [entry for released, entry, _ in dated_models if released == last]
    earlier = [(percent, entry) for released, entry, percent in dated_models if released < last]
    if len(newest) > 1:
        return None
    _, best = max(earlier, key=lambda scored: scored[0])
    against = leaderboard.compare_pair(newest[0], best)
    if against.conclusion is Conclusion.TOO_FEW:
        return None
    same = "their scores are the same"
    words = f"the {describe_difference(against)}" if against.value else same
    return Row(newest=newest[0].newest.name, best=best.newest.name, in_words=words)


def explain_missing_months(site: SiteData, leaderboard: Leaderboard) -> str | None:
    """Return why there is no chart of scores by month; None if there is one."""
    months = {scored.month for scored in site.scores_by_month[leaderboard.version]}
    if len(months) > 1:
        return None
    answers = f"all answers are of {format_month(*months)}" if months else "no answer is dated"
    return f"Not known: {answers}."


def build_month_chart(site: SiteData, leaderboard: Leaderboard) -> Row:
    """Return the chart of scores by month over an anchor set."""
    scores = site.scores_by_month[leaderboard.version]
    makers = sorted({each.newest.provider for each in scores})
    groups = {maker: number for number, maker in enumerate(makers, 1)}
    dots = [
        Dot(
            label=each.newest.name,
            href=build_model_path(each.newest.slug),
            x=each.month.toordinal(),
            y=each.score.share.percent,
            marked=groups[each.newest.provider] <= TONES,
            note=f"{each.newest.provider}, {each.month:%Y-%m}",
            group=groups[each.newest.provider],
        )
        for each in scores
    ]
    return Row(
        chart=plot_history(dots, {each.month: f"{each.month:%Y-%m}" for each in scores}, "Month"),
        scores=scores,
        # Dots of the fifth maker and the following are hollow.
        makers=groups,
        filled=TONES,
    )
