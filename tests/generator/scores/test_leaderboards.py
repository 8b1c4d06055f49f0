"""The runs of a leaderboard: selected from summaries as the method says."""

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.read.summaries import EvalResult, Results, RunSummary
from generator.scores.leaderboards import build_leaderboards
from generator.site_data import SiteData
from records.files.data_folder import DataFolder
from records.suites.benchmark import Benchmark
from tests.generator.contexts import gather_site
from tests.generator.scores.making import change_head
from tests.site.corpus import write_corpus

pytestmark = pytest.mark.unit

_UNJUDGED = EvalResult(0, 0, 1, None, None)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteData:
    """Return summaries whose runs all plan the whole version."""
    data = DataFolder(tmp_path_factory.mktemp("data"))
    write_corpus(data)
    return gather_site(data)


class PairedChange(NamedTuple):
    """The differences between a run and the run that it was made from."""

    status: str
    withdrawn: str | None
    judged: bool
    days: int


_CHANGES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.builds(
            PairedChange,
            st.sampled_from(["completed", "completed", "completed", "aborted"]),
            st.sampled_from([None, None, None, "its grader was wrong"]),
            st.booleans(),
            st.integers(0, 3),
        ),
    ),
    min_size=1,
    max_size=40,
)
"""The run to change, and the change."""


@given(changes=_CHANGES)
def test_a_leaderboard_counts_the_latest_runs_that_can(
    site: SiteData, changes: list[tuple[int, PairedChange]]
) -> None:
    """The latest ten of each model and condition that are whole, judged and not withdrawn."""
    originals = [run for run in site.summaries.runs if run.head.withdrawn is None][:4]
    runs = [
        _change_run(originals[which], number, change)
        for number, (which, change) in enumerate(changes)
    ]
    runs.sort(key=lambda run: (run.head.began, run.run_id), reverse=True)
    summaries = replace(site.summaries, runs=runs, reports=())
    for version, benchmark in summaries.benchmarks.items():
        leaderboard = build_leaderboards(summaries, site.texts, {})[version]
        counted = {run.run_id for entry in leaderboard.entries for run in entry.runs}
        assert counted == _select_runs(benchmark, runs)


def _change_run(run: RunSummary, number: int, change: PairedChange) -> RunSummary:
    changed = replace(
        change_head(
            run,
            run_id=f"{number:026}",
            status=change.status,
            withdrawn=change.withdrawn,
            date=run.date + timedelta(days=change.days),
            started_at=None,
        ),
        digest=str(number),
        archive_digest=None,
    )
    if change.judged:
        return changed
    values = run.results.values()
    tally = run.tally._replace(judged=run.tally.judged - values[0].judged)
    return replace(
        changed, results=Results(run.results.plan, (_UNJUDGED, *values[1:])), tally=tally
    )


def _is_ended_well(run: RunSummary) -> bool:
    return run.head.status == "completed" and run.head.withdrawn is None


def _select_runs(benchmark: Benchmark, runs: list[RunSummary]) -> set[str]:
    """Return the ids of the runs that count; ``runs`` come newest first."""
    by_key: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for run in runs:
        judged = all(run.results[name].judged == run.results[name].planned for name in run.results)
        if run.version == benchmark.version and _is_ended_well(run) and judged:
            by_key[run.slug, run.experiment].append(run.run_id)
    return {run_id for alike in by_key.values() for run_id in alike[:10]}
