"""Pages on which people judge two answers of a comparison side by side, without models' names."""

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.errors import MissingRecordError
from records.sessions import asked
from review import comparisons
from review.desk import shortcuts
from review.desk.desk import ROOT, Desk, render_page
from review.desk.guard import FormFields

_SIDES: tuple[comparisons.SideChoice, ...] = ("a", "b", "equal")


def render_comparisons_page(desk: Desk) -> Response:
    """Return the list of comparisons, with the number of pairs that this reviewer is to judge."""
    rows = [
        (each, len(_list_waiting(desk, each)), len(comparisons.list_answered_pairs(each)))
        for each in desk.comparisons.list_comparisons()
    ]
    return render_page(
        desk, "comparisons.html", title="Comparisons", here=f"{ROOT}comparisons", rows=rows
    )


def render_results_page(desk: Desk, comparison_id: str) -> Response:
    """Return the results of a comparison, with models' names.

    While the reviewer still has pairs to judge, redirect to the next pair, so that the names do not
    influence judgements.
    """
    comparison = _read_comparison(desk, comparison_id)
    if _list_waiting(desk, comparison):
        return redirect_to_next_pair(desk, comparison_id)
    events = desk.comparisons.read_log(comparison_id)
    standing = asked.select_standing_judgements(events)
    return render_page(
        desk,
        "results.html",
        title="Results of a comparison",
        here=f"{ROOT}comparisons/{comparison_id}/results",
        comparison=comparison,
        total=len(comparisons.list_answered_pairs(comparison)),
        judgements=len(standing),
        reviewers=len({event.reviewer for event in standing}),
        rows=comparisons.make_comparison_rows(comparison, events, desk.interval_of),
    )


def redirect_to_next_pair(desk: Desk, comparison_id: str, after: int = 0) -> Response:
    """Redirect to the next pair that this reviewer is to judge, or to the list if none is left."""
    waiting = _list_waiting(desk, _read_comparison(desk, comparison_id))
    if not waiting:
        return RedirectResponse(f"{ROOT}comparisons", 303)
    following = next((pair for pair in waiting if pair.number > after), waiting[0])
    return RedirectResponse(_link_to_pair(comparison_id, following), 303)


def render_pair_page(desk: Desk, comparison_id: str, number: int) -> Response:
    """Return the page of one pair, which does not disclose the model of an answer."""
    comparison = _read_comparison(desk, comparison_id)
    pair = _find_pair(comparison, number)
    texts = comparison.get_answer_texts()
    answer_a, answer_b = (texts[pair.item.session, slug] for slug in pair.sides)
    answered_pairs = comparisons.list_answered_pairs(comparison)
    index = answered_pairs.index(pair)
    events = desk.comparisons.read_log(comparison_id)
    preferred = (
        side
        for event in asked.select_standing_judgements(events)
        if event.reviewer == desk.reviewer and pair.is_of(event)
        for side in _SIDES
        if pair.resolve_side(side) == event.choice
    )
    return render_page(
        desk,
        "side_by_side.html",
        title=f"Pair {index + 1}",
        index=index,
        pairs=answered_pairs,
        comparison_id=comparison_id,
        here=_link_to_pair(comparison_id, pair),
        item=pair.item,
        answers={"A": answer_a, "B": answer_b},
        preferred=next(preferred, None),
        waiting=len(_list_waiting(desk, comparison)),
        shortcuts=shortcuts.OF_A_PAIR,
    )


def judge_pair(desk: Desk, comparison_id: str, number: int, fields: FormFields) -> Response:
    """Write the reviewer's choice for a pair, and redirect to the next pair."""
    pair = _find_pair(_read_comparison(desk, comparison_id), number)
    side = fields.read_choice("better", _SIDES)
    if side is None:
        raise HTTPException(400, "better: must be a, b or equal")
    desk.comparisons.judge(comparison_id, pair, side, desk.reviewer)
    return redirect_to_next_pair(desk, comparison_id, number)


def undo_pair(desk: Desk, comparison_id: str, number: int, _: FormFields) -> Response:
    """Take back this reviewer's choice for a pair, and redirect to the pair."""
    pair = _find_pair(_read_comparison(desk, comparison_id), number)
    desk.comparisons.judge(comparison_id, pair, None, desk.reviewer)
    return RedirectResponse(_link_to_pair(comparison_id, pair), 303)


def _read_comparison(desk: Desk, comparison_id: str) -> asked.ModelComparison:
    try:
        return desk.comparisons.read(comparison_id)
    except MissingRecordError as error:
        raise HTTPException(404, "there is no such comparison") from error


def _list_waiting(desk: Desk, comparison: asked.ModelComparison) -> list[comparisons.ComparedPair]:
    log = desk.comparisons.read_log(comparison.comparison_id)
    return comparisons.list_waiting_pairs(comparison, log, desk.reviewer)


def _find_pair(comparison: asked.ModelComparison, number: int) -> comparisons.ComparedPair:
    """Return a pair by its number.

    Raises:
        HTTPException: 404, there is no such pair, or one of its answers is missing.
    """
    all_pairs = comparisons.list_compared_pairs(comparison)
    if not 1 <= number <= len(all_pairs):
        raise HTTPException(404, "there is no such pair")
    if all_pairs[number - 1] not in comparisons.list_answered_pairs(comparison):
        raise HTTPException(404, "an answer of this pair is missing, so it cannot be judged")
    return all_pairs[number - 1]


def _link_to_pair(comparison_id: str, pair: comparisons.ComparedPair) -> str:
    return f"{ROOT}comparisons/{comparison_id}/{pair.number}"
