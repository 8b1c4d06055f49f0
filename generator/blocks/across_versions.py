"""Models of other benchmark versions on the page of comparisons."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.facts.run_lines import link_model
from generator.facts.shares import SHOWN, Difference, Share, compute_entry_share, conclude_in_words
from generator.facts.site_data import SiteData
from generator.facts.urls import Link, ModelLink
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.shared_evals import SharedEvals, Unequal, compare_across, find_shared_evals
from records.suites.experiments import DEFAULT
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
