"""Shares, differences and scores as pages show them: their figures, words and cells."""

from collections.abc import Iterable, Sequence
from math import fsum, isclose

import numpy as np

from generator.read.summaries import EvalResult, RunSummary
from generator.render.template_filters import format_points
from generator.scores.differences.difference import LEVEL, Conclusion, Difference
from generator.scores.differences.model_pairs import Against
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import FEW_EVALS, Share
from generator.scores.score_table import RANKED_EVALS, RankRange, rank_ranges
from generator.site_links import abbreviate_condition, describe_run_condition, list_in_prose
from records.text.escaping import mark_name, render_sentence
from records.text.numbers import format_count
from records.text.visible import make_visible


def compute_share(results: Iterable[EvalResult]) -> Share | None:
    """Return the share of passed evals; an eval with several attempts counts as their mean.

    None if no eval was judged.
    """
    return add_shares(Share(each.passed / each.judged, 1) for each in results if each.judged)


def compute_run_share(run: RunSummary) -> Share | None:
    """Return the share of passed evals of a run; None if no eval was judged."""
    tally = run.tally
    return Share(_tidy(tally.evals_passed), tally.evals_judged) if tally.evals_judged else None


def compute_entry_share(entry: Entry, evals: Sequence[str]) -> Share:
    """Return the share of ``evals`` that an entry passes; there must be at least one eval."""
    return Share(_tidy(entry.sum_passes(evals)), len(evals))


def add_shares(shares: Iterable[Share]) -> Share | None:
    """Return the sum of shares; None if nothing was judged."""
    all_shares = list(shares)
    judged = sum(each.judged for each in all_shares)
    return Share(_tidy(sum(each.passed for each in all_shares)), judged) if judged else None


def _tidy(value: float) -> float:
    """Return a sum of floats without its rounding errors, which depend on the order."""
    return round(value, 9)


CONCLUSIONS = {
    Conclusion.BETTER: "better",
    Conclusion.WORSE: "worse",
    Conclusion.NOISE: "may be chance",
    Conclusion.TOO_FEW: "too few evals",
}
"""The words for conclusions about a difference."""


def conclude_in_words(difference: Difference) -> str:
    """Return the conclusion in words; add the reason if the interval alone would show more."""
    words = CONCLUSIONS[difference.conclusion]
    if difference.conclusion is not Conclusion.NOISE:
        return words
    if difference.uncorrected < LEVEL:
        return f"{words}, because many are compared"
    if difference.interval.low > 0 or difference.interval.high < 0:
        return f"{words}, because only one of two tests shows it"
    return words


def compute_ranks(
    leaderboard: Leaderboard, entries: Sequence[Entry], evals: Sequence[str]
) -> Sequence[RankRange | None]:
    """Return the ranks that each of ``entries`` may have among these, by ``evals`` alone.

    With fewer evals than `RANKED_EVALS`, all are None, because so few hardly separate models.
    """
    if not entries or len(evals) < RANKED_EVALS:
        return [None] * len(entries)
    indexes = np.array([leaderboard.scored.place[name] for name in evals])
    return rank_ranges([entry.row.pool.select_evals(indexes) for entry in entries])


def compute_difference_from_field(
    entry: Entry, others: Sequence[Entry], evals: Sequence[str]
) -> Difference | None:
    """Return a model's difference from the mean of ``others`` over ``evals``.

    No test is made, so it never counts as more than chance: p-values are 1. None without others,
    or with fewer evals than `FEW_EVALS`.
    """
    if not others or len(evals) < FEW_EVALS:
        return None
    field = np.array([[other.passes[name] for name in evals] for other in others]).mean(axis=0)
    differences = np.array([entry.passes[name] for name in evals]) - field
    return Difference.measure(differences, 1.0)


def compute_corrected_share(leaderboard: Leaderboard, entry: Entry) -> Share | None:
    """Return an entry's share by its publisher's later counts; None if none changes it.

    Also None if a corrected run planned other evals, because a later count is one number for all
    evals of its run.
    """
    evals = leaderboard.list_eval_names()
    corrected = [run for run in entry.runs if run.corrected_passed is not None]
    if any(run.results.plan.place.keys() != {*evals} for run in corrected):
        return None
    attempts = fsum(run.tally.judged for run in entry.runs)
    added = fsum(
        (float(run.corrected_passed or 0) - run.tally.evals_passed) * run.tally.judged / attempts
        for run in corrected
    )
    if isclose(added, 0, abs_tol=1e-9):
        return None
    return Share(_tidy(entry.sum_passes(evals) + added), len(evals))


def render_correction_note(leaderboard: Leaderboard, entries: Sequence[Entry]) -> str | None:
    """Return a note on later counts of ranked ``entries`` and the first model by them, as HTML.

    The entries are in the order of their table. None if no count was corrected.
    """
    shares = [compute_corrected_share(leaderboard, entry) for entry in entries]
    names = [mark_name(entry.newest.name) for entry in entries]
    corrected = [
        f"{name} {later.passes} (was {entry.row.score.share.passes})"
        for name, entry, later in zip(names, entries, shares, strict=True)
        if later is not None
    ]
    if not corrected:
        return None
    whose, first = "Its publisher", ""
    if len(entries) > 1:
        recorded = [entry.row.score.share for entry in entries]
        later = [share or before for share, before in zip(shares, recorded, strict=True)]
        # The first models by the recorded counts, and by the later counts.
        was, now = (
            [name for name, share in zip(names, counts, strict=True) if share == max(counts)]
            for counts in (recorded, later)
        )
        still = "still be first" if was == now else "be first"
        together = " together" if was != now and len(now) > 1 else ""
        whose, first = "Their publisher", f"; {list_in_prose(now)} would {still}{together}"
    unknown = [name for name, share in zip(names, shares, strict=True) if share is None]
    no_count = f" No later count is known of {list_in_prose(unknown)}." if unknown else ""
    return render_sentence(
        f"{whose} later corrected graders and counts these passes of"
        f" {len(leaderboard.list_eval_names())} evals: {list_in_prose(corrected, len(corrected))}"
        f"{first}.{no_count} The scores and ranks here cannot be corrected,"
        " because the later counts do not say which evals changed."
    )


def label_columns(entries: Sequence[Entry]) -> list[str]:
    """Return a label for each entry: name and condition, and the key if labels were the same."""
    plain = [
        make_visible(f"{run.name} ({describe_run_condition(run)})")
        if abbreviate_condition(run)
        else make_visible(run.name)
        for run in (entry.newest for entry in entries)
    ]
    return [
        label if plain.count(label) == 1 else f"{label} [{entry.key}]"
        for label, entry in zip(plain, entries, strict=True)
    ]


def describe_conclusion(against: Against) -> str:
    """Return the conclusion about the difference between two models in words."""
    if against.conclusion is Conclusion.TOO_FEW:
        return "too few evals to say"
    if against.conclusion is Conclusion.NOISE:
        return conclude_in_words(against)
    return "is more than chance"


def describe_comparison(against: Against, evals: int) -> str:
    """Return a sentence on how two models differ over ``evals`` evals.

    The templates and scripts that show the sentence replace ``{one}`` and ``{other}`` by the
    models' names, each in an element of its own.
    """
    if against.better or against.worse:
        evals_said = (
            f"{{one}} does better than {{other}} on {against.better or 'none'}"
            f" and worse on {against.worse or 'none'} of {format_count(evals, 'eval')}."
        )
    else:
        evals_said = "{one} and {other} do equally well on every eval."
    if against.value == 0:
        return f"{evals_said} Their scores are the same."
    if against.conclusion is Conclusion.TOO_FEW:
        return f"{evals_said} {evals} evals are too few to say more."
    turned = (against.better - against.worse) * against.value < 0
    why = (
        " Points and numbers of evals differ, because the fewer leads are larger." if turned else ""
    )
    return f"{evals_said} The {describe_difference(against)}.{why}"


def describe_difference(against: Against) -> str:
    """Return the difference between two scores in words, with interval and conclusion."""
    between = f"{format_points(against.low)} to {format_points(against.high)}"
    words = f"{format_points(against.points)} points ({between})"
    return f"difference in score, {words}, {describe_conclusion(against)}"
