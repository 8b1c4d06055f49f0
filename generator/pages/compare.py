"""The page of comparisons: neighbours in the ranking, and any two models by a script.

The pairs of all models would grow with the square of their number. So the page has only the
neighbours, and a script compares other models from the files of
`generator.exports.comparison_files`, of which there is one for each model.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from generator.blocks.benchmark_versions import VersionHead, build_version_head
from generator.blocks.comparison import (
    convert_comparison_to_points,
    describe_conclusion,
    find_newest_pair,
    label_columns,
)
from generator.blocks.matrix_cells import Column, build_columns
from generator.facts.run_lines import link_model
from generator.facts.shares import SHOWN, Difference, Share, compute_entry_share, conclude_in_words
from generator.facts.site_data import SiteData
from generator.facts.urls import Link, ModelLink, build_page_frame
from generator.render.environment import Frame
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.shared_evals import SharedEvals, Unequal, compare_across, find_shared_evals
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.numbers import format_count


class AcrossLine(NamedTuple):
    """A model of another version against the first model of this version."""

    model: ModelLink
    share: Share
    """Share of the shared evals."""
    difference: Difference
    """The model's share less that of the first model of this version, over the shared evals."""
    conclusion: str


class OtherVersion(NamedTuple):
    """Another version: its models beside the first model of this version, or why not."""

    version: Link
    """The version's page of comparisons."""
    why_not: str
    """The reason why its models are not compared; empty if they are."""
    evals: int
    """Evals that are the same in both versions."""
    first: ModelLink | None
    """The first model of this version; None if nothing is compared."""
    first_share: Share | None
    lines: Sequence[AcrossLine]
    """Best first."""


def list_other_versions(site: SiteData, leaderboard: Leaderboard) -> list[OtherVersion]:
    """Return the other versions with models that this version lacks and evals of the same names.

    Only models that were asked with the guidelines are compared.
    """
    here = leaderboard.select_models(DEFAULT)
    if not here:
        return []
    slugs = {entry.newest.slug for entry in here}
    lines: list[OtherVersion] = []
    for other in site.leaderboards.values():
        entries = [
            entry for entry in other.select_models(DEFAULT) if entry.newest.slug not in slugs
        ]
        shared = find_shared_evals(leaderboard.benchmark, other.benchmark)
        if other.version != leaderboard.version and entries and shared.named:
            lines.append(_compare_version(site, leaderboard, here, other, entries, shared))
    return lines


def _compare_version(  # noqa: PLR0913, PLR0917 - both sides of a comparison
    site: SiteData,
    leaderboard: Leaderboard,
    here: Sequence[Entry],
    other: Leaderboard,
    entries: Sequence[Entry],
    shared: SharedEvals,
) -> OtherVersion:
    version = Link(f"{site.find_version_folder(other.version)}compare/", site.titles[other.version])
    if shared.unequal is not None:
        why_not = _explain(shared, shared.unequal, len(entries))
        return OtherVersion(version, why_not, len(shared.equal), None, None, [])
    compared = compare_across(leaderboard, here, other, entries, shared.equal)
    lines = [
        AcrossLine(
            link_model(comparison.entry.newest),
            compute_entry_share(comparison.entry, shared.equal),
            Difference(
                100 * comparison.difference.value,
                100 * comparison.difference.interval.low,
                100 * comparison.difference.interval.high,
                real=comparison.conclusion in SHOWN,
            ),
            conclude_in_words(
                comparison.conclusion,
                comparison.difference.interval,
                comparison.difference.p_value,
                "pairs",
            ),
        )
        for comparison in compared
    ]
    lines.sort(key=lambda line: -line.share.passed)
    share = compute_entry_share(here[0], shared.equal)
    return OtherVersion(version, "", len(shared.equal), link_model(here[0].newest), share, lines)


def _explain(shared: SharedEvals, unequal: Unequal, models: int) -> str:
    """Return the sentences on why models are not compared, with the number of evals in common."""
    models_in_words = format_count(models, "model")
    common = "1 eval has" if shared.named == 1 else f"{shared.named} evals have"
    reasons = {
        Unequal.NO_DIGESTS: "whether they are the same is not known, since digests were not"
        " published",
        Unequal.ASKED_OTHERWISE: f"{len(shared.equal)} of them are the same, but the prompt, the"
        " guidelines or the rules of grading differ",
        Unequal.TOO_FEW: f"{len(shared.equal)} of them are the same, which are too few",
    }
    return (
        f"{models_in_words} cannot be compared. {common} the same name in both versions;"
        f" {reasons[unequal]}."
    )


class Neighbours(NamedTuple):
    """Two models next to each other in a ranking."""

    first: Column
    second: Column
    difference: Difference
    """The score of the first model less that of the second."""
    better: int
    """The number of evals at which a higher share of the first model's attempts passes."""
    worse: int
    """The number of evals at which a higher share of the second model's attempts passes."""
    conclusion: str
    """The conclusion about the difference, such as ``may be chance``."""


class RankedNeighbours(NamedTuple):
    """The neighbours under an experiment."""

    title: str
    pairs: Sequence[Neighbours]


class Choice(NamedTuple):
    """A model that can be chosen."""

    key: str
    """The model's key in addresses and names of files."""
    label: str
    """The model's label for readers; all labels are different."""


class BothWays(NamedTuple):
    """The page that compares a model's newest runs with and without guidelines."""

    href: str
    """The address of the page, below the root."""
    name: str
    """The model's name."""
    answers: bool
    """Whether the page shows both answers to an eval at which the runs differ."""


class ComparePage(NamedTuple):
    """The page of comparisons of a benchmark version."""

    template = "pages/compare.html"

    frame: Frame
    version: VersionHead
    place: str
    """The path of the folder with the files of models, below the root."""
    choices: Sequence[Choice]
    models: int
    """The number of choices that are no baselines."""
    rankings: Sequence[RankedNeighbours]
    across: Sequence[OtherVersion]
    """The comparisons of models of other versions with the first model of this version."""
    both_ways: Sequence[BothWays]
    """The pages of models' newest runs with and without guidelines, best model first."""


def build_compare_page(site: SiteData, leaderboard: Leaderboard) -> ComparePage:
    """Return the page of comparisons of the entries of ``leaderboard``."""
    folder = site.find_version_folder(leaderboard.version)
    heads = build_columns(leaderboard, leaderboard.baselines_last)
    return ComparePage(
        frame=build_page_frame(
            f"Compare: {site.titles[leaderboard.version]}",
            f"{folder}compare/",
            f"Models of {site.titles[leaderboard.version]} against one another, eval by eval.",
            "" if folder else "compare",
            guidelines=not leaderboard.is_of_other_tool,
        ),
        version=build_version_head(site, leaderboard, "compare/"),
        place=f"{folder}compare/",
        choices=[
            Choice(head.key, label) for head, label in zip(heads, label_columns(heads), strict=True)
        ],
        models=sum(not head.baseline for head in heads),
        rankings=_build_rankings(leaderboard, heads),
        across=list_other_versions(site, leaderboard),
        both_ways=_list_both_ways(site, leaderboard),
    )


def _list_both_ways(site: SiteData, leaderboard: Leaderboard) -> list[BothWays]:
    """Return the pages of models' newest runs with and without guidelines, best model first."""
    entries = leaderboard.baselines_last
    bare = {
        entry.newest.slug: entry for entry in entries if entry.newest.experiment == NO_GUIDELINES
    }
    pairs = (
        (entry.newest.name, find_newest_pair(site, entry, bare[entry.newest.slug]))
        for entry in entries
        if entry.newest.experiment == DEFAULT and entry.newest.slug in bare
    )
    return [
        BothWays(pair.path, name, pair.shows_answers) for name, pair in pairs if pair is not None
    ]


def _build_rankings(leaderboard: Leaderboard, heads: Sequence[Column]) -> list[RankedNeighbours]:
    """Return the neighbours under each experiment, best first, without baselines."""
    numbers_by_experiment: dict[str, list[int]] = {}
    for number, entry in enumerate(leaderboard.baselines_last):
        if not entry.newest.baseline:
            numbers_by_experiment.setdefault(heads[number].experiment, []).append(number)
    return [
        RankedNeighbours(
            experiment.capitalize(),
            [_build_neighbours(leaderboard, heads, *pair) for pair in pairwise(ranked)],
        )
        for experiment, ranked in numbers_by_experiment.items()
        if len(ranked) > 1
    ]


def _build_neighbours(
    leaderboard: Leaderboard, heads: Sequence[Column], first: int, second: int
) -> Neighbours:
    against = leaderboard.pairs[first, second]
    return Neighbours(
        first=heads[first],
        second=heads[second],
        difference=convert_comparison_to_points(against),
        better=against.better,
        worse=against.worse,
        conclusion=describe_conclusion(against),
    )
