"""The frontier of cost and score: models that no other beats on both."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """Cost and score of a model."""

    slug: str
    """The model."""
    cost_usd: float
    """US dollars per attempt."""
    score: float
    """0 to 1."""


def frontier(offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """Return the offers for which none is at least as good and cheap and better in one of them.

    Cheapest first, so that scores rise along it (Pareto 1906). Offers equal in both all stay.
    """
    offers_kept: list[Offer] = []
    for offer in sorted(offers, key=lambda one: (one.cost_usd, -one.score, one.slug)):
        best = offers_kept[-1] if offers_kept else None
        if best is None or offer.score > best.score or _equal(offer, best):
            offers_kept.append(offer)
    return tuple(offers_kept)


def _equal(one: Offer, other: Offer) -> bool:
    return (one.cost_usd, one.score) == (other.cost_usd, other.score)
