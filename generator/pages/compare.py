"""Models against one another: neighbours in the ranking, and the differences of any two.

A page of every two would grow with the square of the models. The page has the neighbours; a script
shows any other two from the files of `generator.exports.comparison_files`, one for each model.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from generator.blocks.across_versions import OtherVersion, other_versions
from generator.blocks.benchmark_versions import VersionHead, version_head
from generator.blocks.comparison import conclusion_words, labels, newest_pair, paired_difference
from generator.blocks.matrix_head import Column, columns
from generator.facts.page_frame import frame
from generator.facts.shares import Difference
from generator.facts.site_data import SiteData
from generator.render.environment import Frame
from generator.scores.leaderboards import Leaderboard
from records.suites.experiments import DEFAULT, NO_GUIDELINES


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

    template = "pages/compare.html"

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
        difference=paired_difference(against),
        better=against.better,
        worse=against.worse,
        conclusion=conclusion_words(against),
    )
