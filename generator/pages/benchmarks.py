"""The list of all benchmark versions, with their changes and the links to their tables."""

from generator.blocks import benchmark_versions
from generator.facts.site_data import SiteData
from generator.facts.urls import build_page_frame
from generator.render.environment import PageContext, Row


def build_benchmarks_page(site: SiteData) -> PageContext:
    """Return the list of benchmark versions, newest first."""
    versions: list[Row] = []
    for version, leaderboard in site.leaderboards.items():
        benchmark = leaderboard.benchmark
        versions.append(
            Row(
                benchmark=benchmark,
                title=site.titles[version],
                href=site.find_version_folder(version),
                runs=sum(run.version == version for run in site.summaries.runs),
                models=leaderboard.count_models(),
                tool=benchmark.imported.format.tool if benchmark.imported else None,
                guidelines_tokens=benchmark_versions.find_guidelines_tokens(site, benchmark),
                current=version == site.front,
                graded_again=benchmark_versions.describe_graded_again(site, benchmark),
            )
        )
    return PageContext(
        "pages/benchmarks.html",
        frame=build_page_frame(
            "Benchmark versions",
            "benchmarks/",
            "Every version of the benchmark. Scores are comparable within one version only.",
            "benchmarks",
        ),
        versions=versions,
        changes=benchmark_versions.build_version_changes(site),
    )
