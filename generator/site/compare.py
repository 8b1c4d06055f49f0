"""Models against one another: neighbours in the ranking, and the differences of any two.

A page of every two would grow with the square of the models. The page has the neighbours; a script
shows any other two from the files of `generator.exports.comparisons`, one for each model.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from generator.render.environment import Frame
from generator.render.filters import points
from generator.scores.compare import Against
from generator.scores.difference import LEVEL, Conclusion
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site.across_versions import OtherVersion, other_versions
from generator.site.data import SiteData
from generator.site.matrix import Column, columns
from generator.site.pairs import RunPair
from generator.site.parts import Difference, frame
from generator.site.statistics import SHOWN
from generator.site.versions import VersionHead, version_head
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.visible import counted, visible


class Neighbours(NamedTuple):
    """Two models that follow one another in a ranking."""

    first: Column
    second: Column
    difference: Difference
    """The first over the second."""
    better: int
    """Evals at which a higher share of the attempts of the first passes."""
    worse: int
    """Evals at which a higher share of the attempts of the second passes."""
    conclusion: str
    """Conclusion on the difference, such as ``may be chance``."""


class RankedNeighbours(NamedTuple):
    """The neighbours under one experiment."""

    title: str
    pairs: Sequence[Neighbours]


class Choice(NamedTuple):
    """A model that can be chosen."""

    key: str
    """Its name in addresses and files."""
    label: str
    """The reader's choice; no two the same."""


class BothWays(NamedTuple):
    """The page of a model's newest runs with guidelines and without."""

    href: str
    """Below the root."""
    name: str
    """The model's."""
    answers: bool
    """The page shows both answers to some eval that only one of them passes."""


class ComparePage(NamedTuple):
    """Each model beside its neighbours in the ranking, and the choice of any others."""

    template = "compare.html"

    frame: Frame
    version: VersionHead
    place: str
    """Folder below the root that the files of models stand in."""
    choices: Sequence[Choice]
    models: int
    """How many of them are no baselines."""
    rankings: Sequence[RankedNeighbours]
    across: Sequence[OtherVersion]
    """Models of other versions against the first model of this version."""
    both_ways: Sequence[BothWays]
    """Models whose newest runs with guidelines and without have a page together."""


def compare_page(site: SiteData, leaderboard: Leaderboard) -> ComparePage:
    """Gather the comparison of the entries of ``leaderboard``."""
    folder = site.place(leaderboard.version)
    heads = columns(leaderboard, leaderboard.baselines_last)
    return ComparePage(
        frame=frame(
            f"Compare: {site.titles[leaderboard.version]}",
            f"{folder}compare/",
            f"Models of {site.titles[leaderboard.version]} against one another, eval by eval.",
            "" if folder else "compare",
        ),
        version=version_head(site, leaderboard, "compare/"),
        place=f"{folder}compare/",
        choices=[Choice(head.key, label) for head, label in zip(heads, labels(heads), strict=True)],
        models=sum(not head.baseline for head in heads),
        rankings=_rankings(leaderboard, heads),
        across=other_versions(site, leaderboard),
        both_ways=_both_ways(site, leaderboard),
    )


def labels(heads: Sequence[Column]) -> list[str]:
    """Return the label of each model for readers: name and condition, and slug where needed."""
    plain = [
        visible(f"{head.model.name} ({head.experiment})" if head.short else head.model.name)
        for head in heads
    ]
    return [
        label if plain.count(label) == 1 else f"{label} [{head.key}]"
        for label, head in zip(plain, heads, strict=True)
    ]


def newest_pair(site: SiteData, one: Entry, other: Entry) -> RunPair | None:
    """Return the newest runs of two entries as a pair; None where they have no page together."""
    return site.pairs_of_ids.get(frozenset((one.newest.run_id, other.newest.run_id)))


def _both_ways(site: SiteData, leaderboard: Leaderboard) -> list[BothWays]:
    """Return links to the pages of newest runs with guidelines and without, best model first."""
    entries = leaderboard.baselines_last
    bare = {
        entry.newest.slug: entry for entry in entries if entry.newest.experiment == NO_GUIDELINES
    }
    pairs = (
        (entry.newest.name, newest_pair(site, entry, bare[entry.newest.slug]))
        for entry in entries
        if entry.newest.experiment == DEFAULT and entry.newest.slug in bare
    )
    return [
        BothWays(pair.path, name, pair.shows_answers) for name, pair in pairs if pair is not None
    ]


def _rankings(leaderboard: Leaderboard, heads: Sequence[Column]) -> list[RankedNeighbours]:
    """Return neighbours under each experiment, best first; baselines are ranked nowhere."""
    places: dict[str, list[int]] = {}
    for number, entry in enumerate(leaderboard.baselines_last):
        if not entry.newest.baseline:
            places.setdefault(heads[number].experiment, []).append(number)
    return [
        RankedNeighbours(
            experiment.capitalize(),
            [_neighbours(leaderboard, heads, *pair) for pair in pairwise(ranked)],
        )
        for experiment, ranked in places.items()
        if len(ranked) > 1
    ]


def _neighbours(
    leaderboard: Leaderboard, heads: Sequence[Column], one: int, other: int
) -> Neighbours:
    against = leaderboard.pairs[one, other]
    return Neighbours(
        first=heads[one],
        second=heads[other],
        difference=_difference(against),
        better=against.better,
        worse=against.worse,
        conclusion=_conclusion(against),
    )


def _difference(found: Against) -> Difference:
    low, high = 100 * found.interval.low, 100 * found.interval.high
    return Difference(100 * found.difference, low, high, real=found.conclusion in SHOWN)


def _conclusion(found: Against) -> str:
    if found.conclusion is Conclusion.TOO_FEW:
        return "too few evals to say"
    if found.conclusion is Conclusion.NOISE:
        if found.uncorrected < LEVEL:
            return "may be chance, for many pairs are compared"
        return "may be chance"
    return "is more than chance"


def sentence(found: Against, evals: int) -> str:
    """Return how two models differ over ``evals`` evals; ``{one}`` and ``{other}`` stand for them.

    Their names are put in where the sentence is shown, each in an element of its own.
    """
    if found.better or found.worse:
        evals_said = (
            f"{{one}} does better than {{other}} on {_number(found.better)}"
            f" and worse on {_number(found.worse)} of {counted(evals, 'eval')}."
        )
    else:
        evals_said = "{one} and {other} do equally well on every eval."
    if found.difference == 0:
        return f"{evals_said} Their scores are the same."
    if found.conclusion is Conclusion.TOO_FEW:
        return f"{evals_said} {evals} evals are too few to say more."
    return f"{evals_said} The {difference_said(found)}."


def difference_said(found: Against) -> str:
    """Return the size of the difference of two scores, and how sure it is."""
    difference = _difference(found)
    between = f"{points(difference.low)} to {points(difference.high)}"
    words = f"{points(difference.points)} points ({between})"
    return f"difference in score, {words}, {_conclusion(found)}"


def _number(evals: int) -> str:
    return "none" if evals == 0 else str(evals)
