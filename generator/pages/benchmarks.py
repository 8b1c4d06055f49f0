"""The list of all benchmark versions, with their changes and the links to their tables."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.blocks.benchmark_versions import describe_graded_again, find_guidelines_tokens
from generator.facts.site_data import SiteData
from generator.facts.titles import find_eval_title
from generator.facts.urls import Link, build_eval_path, build_page_frame
from generator.render.environment import Frame
from generator.scores.leaderboards import Leaderboard
from records.suites.benchmark import Benchmark


class VersionLine(NamedTuple):
    """A benchmark version in the list."""

    benchmark: Benchmark
    title: str
    href: str
    runs: int
    models: int
    """The number of language models with a run that counts."""
    tool: str | None
    """The tool or format that results of another benchmark were read from; None for others."""
    guidelines_tokens: int | None
    current: bool
    graded_again: str
    """A sentence on its runs that are older than the version; empty for none."""


class ChangedEvals(NamedTuple):
    """The evals in which two versions differ in the same way."""

    heading: str
    evals: Sequence[Link]


class VersionChange(NamedTuple):
    """The changes of a version from the previous version of the same source."""

    version: str
    title: str
    names_only: bool
    """Whether only the names of its evals are known, because it has no digests of them."""
    before: str | None
    """The title of the previous version; None for the first version of its source."""
    parts: Sequence[str]
    """Which of prompt, guidelines and protocol changed, in words, as far as known."""
    evals: Sequence[ChangedEvals]
    """The changed evals, by kind of change; kinds without evals are left out."""


class BenchmarksPage(NamedTuple):
    """The list of all benchmark versions."""

    template = "pages/benchmarks.html"

    frame: Frame
    versions: Sequence[VersionLine]
    changes: Sequence[VersionChange]
    """The changes of each version, newest first."""


def build_benchmarks_page(site: SiteData) -> BenchmarksPage:
    """Return the list of benchmark versions, newest first."""
    return BenchmarksPage(
        frame=build_page_frame(
            "Benchmark versions",
            "benchmarks/",
            "Every version of the benchmark. Scores are comparable within one version only.",
            "benchmarks",
        ),
        versions=[_build_line(site, leaderboard) for leaderboard in site.leaderboards.values()],
        changes=build_version_changes(site),
    )


def _build_line(site: SiteData, leaderboard: Leaderboard) -> VersionLine:
    benchmark = leaderboard.benchmark
    runs = [run for run in site.summaries.runs if run.version == leaderboard.version]
    return VersionLine(
        benchmark=benchmark,
        title=site.titles[leaderboard.version],
        href=site.find_version_folder(leaderboard.version),
        runs=len(runs),
        models=leaderboard.count_models(),
        tool=benchmark.imported.format.tool if benchmark.imported else None,
        guidelines_tokens=find_guidelines_tokens(site, benchmark),
        current=leaderboard.version == site.front,
        graded_again=describe_graded_again(site, benchmark),
    )


def build_version_changes(site: SiteData) -> list[VersionChange]:
    """Return the changes of each version from the previous version of the same source."""
    benchmarks = [leaderboard.benchmark for leaderboard in site.leaderboards.values()]
    changes: list[VersionChange] = []
    for at, benchmark in enumerate(benchmarks):
        origin = _find_origin(benchmark)
        older = [other for other in benchmarks[at + 1 :] if _find_origin(other) == origin]
        changes.append(_build_change(site, benchmark, older[0] if older else None))
    return changes


def _find_origin(benchmark: Benchmark) -> tuple[str | None, str | None]:
    """Return the source of a version, with the benchmark's name if it is of another tool."""
    return benchmark.source, benchmark.imported.name if benchmark.imported else None


def _build_change(site: SiteData, benchmark: Benchmark, before: Benchmark | None) -> VersionChange:
    return VersionChange(
        version=benchmark.version,
        title=site.titles[benchmark.version],
        names_only=all(
            digests.task is None and digests.grader is None for digests in benchmark.evals.values()
        ),
        before=site.titles[before.version] if before else None,
        parts=_describe_parts(benchmark, before) if before else [],
        evals=_group_changed_evals(site, benchmark, before) if before else [],
    )


def _describe_parts(benchmark: Benchmark, before: Benchmark) -> list[str]:
    """Return in words which of prompt, guidelines and protocol changed, if both are known."""
    pairs = {
        "system prompt": (benchmark.system_prompt, before.system_prompt),
        "guidelines": (benchmark.guidelines, before.guidelines),
        "grading protocol": (benchmark.protocol, before.protocol),
    }
    return [
        f"{'the same' if now == then else 'changed'} {part}"
        for part, (now, then) in pairs.items()
        if now is not None and then is not None
    ]


def _group_changed_evals(
    site: SiteData, benchmark: Benchmark, before: Benchmark
) -> list[ChangedEvals]:
    now, then = benchmark.evals, before.evals
    both = sorted(now.keys() & then.keys())

    def find_differing(part: str) -> list[str]:
        pairs = {name: (getattr(now[name], part), getattr(then[name], part)) for name in both}
        return [name for name, (new, old) in pairs.items() if None not in {new, old} and new != old]

    ways = {
        "Added": sorted(now.keys() - then.keys()),
        "Removed": sorted(then.keys() - now.keys()),
        "Another task": find_differing("task"),
        "Another grader": find_differing("grader"),
        "Other settings": find_differing("config"),
    }
    return [
        ChangedEvals(
            heading, [Link(build_eval_path(name), find_eval_title(site, name)) for name in names]
        )
        for heading, names in ways.items()
        if names
    ]
