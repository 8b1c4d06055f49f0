"""The frontier of cost and score: the models that no other model beats in both."""

from collections.abc import Iterable
from math import inf

Offer = tuple[float, float]
"""The cost of a model in US dollars per attempt, and its score; more is better on any scale."""


def select_frontier(offers: Iterable[Offer]) -> set[Offer]:
    """Return the offers on the frontier (Pareto 1906).

    An offer is on it if no other offer is at least as cheap and as good, and better in one of
    both.
    """
    frontier: set[Offer] = set()
    best = -inf
    for cost, score in sorted(offers, key=lambda offer: (offer[0], -offer[1])):
        if score > best:
            frontier.add((cost, score))
            best = score
    return frontier
