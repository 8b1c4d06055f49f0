"""Marks and sentences on counts that publishers corrected after a table was published."""

from collections.abc import Sequence

from generator.facts.shares import Share
from generator.facts.titles import list_in_prose
from generator.read.summaries import RunSummary
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
    number = len(leaderboard.list_eval_names())
    shares = [compute_corrected_share(leaderboard, entry) for entry in entries]
    recorded = _count_recorded(leaderboard, entries)
    corrected = [
        f"{_name_run_model(entry.newest)} {later.passes} (was {before.passes})"
        for entry, before, later in zip(entries, recorded, shares, strict=True)
        if later is not None
    ]
    if not corrected:
        return None
    text = (
        f"{_name_publisher(entries)} later corrected graders and counts these passes of {number}"
        " evals:"
        f" {list_in_prose(corrected, len(corrected))}{_describe_first(entries, recorded, shares)}."
        f"{_describe_uncorrected(entries, shares)} The scores and ranks here cannot be corrected,"
        " because the later counts do not say which evals changed."
    )
    return render_sentence(text)


def hint_at_correction(leaderboard: Leaderboard, entries: Sequence[Entry]) -> str:
    """Return a sentence on which other model is first by the later counts; empty if none is."""
    shares = [compute_corrected_share(leaderboard, entry) for entry in entries]
    if not any(shares) or len(entries) == 1:
        return ""
    was, now = _find_first(entries, _count_recorded(leaderboard, entries), shares)
    if was == now:
        return ""
    who = list_in_prose([_name_run_model(entry.newest) for entry in now])
    together = " together" if len(now) > 1 else ""
    return (
        " The publisher of these results later corrected graders: by the later counts"
        f" {who} would be first{together}."
    )


def _count_recorded(leaderboard: Leaderboard, entries: Sequence[Entry]) -> list[Share]:
    evals = leaderboard.list_eval_names()
    return [Share(round(entry.sum_passes(evals), 9), len(evals)) for entry in entries]


def _name_publisher(entries: Sequence[Entry]) -> str:
    return "Its publisher" if len(entries) == 1 else "Their publisher"


def _describe_first(
    entries: Sequence[Entry], recorded: Sequence[Share], later: Sequence[Share | None]
) -> str:
    """Return a clause on which models would be first by the later counts; empty for one entry."""
    if len(entries) == 1:
        return ""
    was, now = _find_first(entries, recorded, later)
    who = list_in_prose([_name_run_model(entry.newest) for entry in now])
    if was == now:
        return f"; {who} would still be first"
    return f"; {who} would be first" + (" together" if len(now) > 1 else "")


def _find_first(
    entries: Sequence[Entry], recorded: Sequence[Share], later: Sequence[Share | None]
) -> tuple[list[Entry], list[Entry]]:
    """Return the first entries by recorded counts, and by later counts if they are known."""
    counts = [after or before for before, after in zip(recorded, later, strict=True)]
    return _list_leaders(entries, recorded), _list_leaders(entries, counts)


def _list_leaders(entries: Sequence[Entry], shares: Sequence[Share]) -> list[Entry]:
    most = max(share.passed for share in shares)
    return [entry for entry, share in zip(entries, shares, strict=True) if share.passed == most]


def _describe_uncorrected(entries: Sequence[Entry], later: Sequence[Share | None]) -> str:
    """Return a sentence on the entries without a later count; empty if there are none."""
    names = [
        _name_run_model(entry.newest)
        for entry, share in zip(entries, later, strict=True)
        if share is None
    ]
    return f" No later count is known of {list_in_prose(names)}." if names else ""


def _name_run_model(run: RunSummary) -> str:
    return mark_name(run.name)
