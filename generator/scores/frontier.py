"""The frontier of cost and score: the models that no other model beats in both."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """The cost and the score of a model."""

    slug: str
    """The slug of the model."""
    cost_usd: float
    """US dollars per attempt."""
    score: float
    """The score, on any scale on which more is better."""


def select_frontier(offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """Return the offers on the frontier, cheapest first, so that scores rise (Pareto 1906).

    An offer is on it if no other offer is at least as cheap and as good, and better in one of
    both. Offers that are equal in both are all on it.
    """
    offers_kept: list[Offer] = []
    for offer in sorted(offers, key=lambda offer: (offer.cost_usd, -offer.score, offer.slug)):
        best = offers_kept[-1] if offers_kept else None
        if best is None or offer.score > best.score or _is_equal(offer, best):
            offers_kept.append(offer)
    return tuple(offers_kept)


def _is_equal(offer: Offer, other: Offer) -> bool:
    return (offer.cost_usd, offer.score) == (other.cost_usd, other.score)
