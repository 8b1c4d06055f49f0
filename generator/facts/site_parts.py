"""Boards over a part of the suite: the results of runs that were given only some of the evals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from generator.facts.site_data import SiteData
from generator.facts.urls import build_part_path
from generator.read.summaries import RunSummary
from generator.scores.leaderboards import Leaderboard, build_leaderboards
from records.suites.experiments import is_of_a_trial
from records.text.numbers import format_count


def build_site_parts(site: SiteData, earlier: Sequence[SiteData]) -> list[SiteData]:
    """Return the data of the board over each part of a version's evals, newest run first.

    A part has the runs made here that planned exactly its evals, and no others: a whole run took
    other time and money. Boards of ``earlier`` with the same inputs are reused.
    """
    alike: dict[tuple[str, frozenset[str]], list[RunSummary]] = {}
    for run in site.summaries.runs:
        planned, evals = frozenset(run.results), frozenset(site.suites.get(run.version, ()))
        if run.source is None and planned < evals and not is_of_a_trial(run.experiment):
            alike.setdefault((run.version, planned), []).append(run)
    sizes = Counter((version, len(evals)) for version, evals in alike)
    known = {part.folder: part.leaderboards for part in earlier}
    return [
        _build_part(site, evals, runs, known, is_alone=sizes[version, len(evals)] == 1)
        for (version, evals), runs in alike.items()
    ]


def _build_part(
    site: SiteData,
    evals: frozenset[str],
    runs: Sequence[RunSummary],
    known: Mapping[str, Mapping[str, Leaderboard]],
    *,
    is_alone: bool,
) -> SiteData:
    """Return the data of the pages of a part: its version has only ``evals`` and ``runs``."""
    whole = site.leaderboards[runs[0].version].benchmark
    folder = build_part_path(whole.version, evals)
    digests = {name: digest for name, digest in whole.evals.items() if name in evals}
    benchmark = whole.model_copy(update={"evals": digests})
    summaries = replace(site.summaries, benchmarks={whole.version: benchmark}, runs=runs)
    mark = "" if is_alone else f" ({folder.rstrip('/').rpartition('-')[2]})"
    title = f"{format_count(len(evals), 'eval')}{mark} of “{site.titles[whole.version]}”"
    return replace(
        site,
        summaries=summaries,
        leaderboards=build_leaderboards(summaries, site.texts, known.get(folder, {})),
        titles={whole.version: title},
        suites={whole.version: sorted(evals)},
        folder=folder,
        parts=(),
    )
