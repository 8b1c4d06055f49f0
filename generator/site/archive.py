"""Every benchmark version: what it was and where its table stands."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.render.environment import Frame
from generator.scores.leaderboards import Leaderboard
from generator.site.data import SiteData
from generator.site.parts import (
    frame,
)


class VersionLine(NamedTuple):
    """One benchmark version in the archive."""

    version: str
    title: str
    href: str
    evals: int
    runs: int
    models: int
    minted: date | None
    """None where an imported version's date was not published."""
    protocol: int | None
    source: str | None
    guidelines_tokens: int | None
    current: bool


class ArchivePage(NamedTuple):
    """Every benchmark version."""

    template = "archive.html"

    frame: Frame
    versions: Sequence[VersionLine]


def archive_page(site: SiteData) -> ArchivePage:
    """Gather the list of benchmark versions, newest first."""
    return ArchivePage(
        frame=frame(
            "Benchmark versions",
            "benchmarks/",
            "Every version of the benchmark. Scores are comparable within one version only.",
            "benchmarks",
        ),
        versions=[_line(site, leaderboard) for leaderboard in site.leaderboards.values()],
    )


def _line(site: SiteData, leaderboard: Leaderboard) -> VersionLine:
    benchmark = leaderboard.benchmark
    runs = [run for run in site.summaries.runs if run.version == leaderboard.version]
    return VersionLine(
        version=leaderboard.version,
        title=site.titles[leaderboard.version],
        href=site.place(leaderboard.version),
        evals=len(benchmark.evals),
        runs=len(runs),
        models=len({run.slug for run in runs if not run.baseline}),
        minted=benchmark.minted_at.date() if benchmark.minted_at else None,
        protocol=benchmark.protocol,
        source=benchmark.source,
        guidelines_tokens=benchmark.guidelines_tokens,
        current=leaderboard.version == site.front,
    )
