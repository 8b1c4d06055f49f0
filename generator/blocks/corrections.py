"""Marks and sentences on counts that publishers corrected after a table was published."""

from collections.abc import Sequence

from generator.facts.shares import Share
from generator.facts.titles import list_in_prose
from generator.scores.leaderboards import Entry, Leaderboard, compute_corrected_count
from records.text.escaping import mark_name, render_sentence


def compute_corrected_share(leaderboard: Leaderboard, entry: Entry) -> Share | None:
    """Return an entry's share by its publisher's later counts; None if there are none."""
    evals = leaderboard.list_eval_names()
    count = compute_corrected_count(entry, evals)
    return None if count is None else Share(round(count, 9), len(evals))


def render_correction_note(leaderboard: Leaderboard, entries: Sequence[Entry]) -> str | None:
    """Return a note on later counts of ranked ``entries`` and the first model by them, as HTML.

    The entries are in the order of their table. None if no count was corrected.
    """
    shares = [compute_corrected_share(leaderboard, entry) for entry in entries]
    names = [mark_name(entry.newest.name) for entry in entries]
    recorded = _list_recorded(leaderboard, entries)
    corrected = [
        f"{name} {later.passes} (was {before.passes})"
        for name, before, later in zip(names, recorded, shares, strict=True)
        if later is not None
    ]
    if not corrected:
        return None
    whose, first = "Its publisher", ""
    if len(entries) > 1:
        whose, was, now = "Their publisher", *_find_first(leaderboard, entries)
        still = "still be first" if was == now else "be first"
        together = " together" if was != now and len(now) > 1 else ""
        first = f"; {list_in_prose(now)} would {still}{together}"
    unknown = [name for name, share in zip(names, shares, strict=True) if share is None]
    no_count = f" No later count is known of {list_in_prose(unknown)}." if unknown else ""
    return render_sentence(
        f"{whose} later corrected graders and counts these passes of"
        f" {len(leaderboard.list_eval_names())} evals: {list_in_prose(corrected, len(corrected))}"
        f"{first}.{no_count} The scores and ranks here cannot be corrected,"
        " because the later counts do not say which evals changed."
    )


def hint_at_correction(leaderboard: Leaderboard, entries: Sequence[Entry]) -> str:
    """Return a sentence on which other model is first by the later counts; empty if none is."""
    if len(entries) < 2:  # noqa: PLR2004 - one model is always first
        return ""
    was, now = _find_first(leaderboard, entries)
    if was == now:
        return ""
    together = " together" if len(now) > 1 else ""
    return (
        " The publisher of these results later corrected graders: by the later counts"
        f" {list_in_prose(now)} would be first{together}."
    )


def _list_recorded(leaderboard: Leaderboard, entries: Sequence[Entry]) -> list[Share]:
    evals = leaderboard.list_eval_names()
    return [Share(round(entry.sum_passes(evals), 9), len(evals)) for entry in entries]


def _find_first(leaderboard: Leaderboard, entries: Sequence[Entry]) -> tuple[list[str], list[str]]:
    """Return the first models by recorded counts, and by later counts if they are known."""
    recorded = _list_recorded(leaderboard, entries)
    later = [
        compute_corrected_share(leaderboard, entry) or share
        for entry, share in zip(entries, recorded, strict=True)
    ]
    was, now = (
        [
            mark_name(entry.newest.name)
            for entry, share in zip(entries, shares, strict=True)
            if share.passed == max(share.passed for share in shares)
        ]
        for shares in (recorded, later)
    )
    return was, now
