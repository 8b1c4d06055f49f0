"""The phases of a build: a site of cached records is that of the records themselves."""

from pathlib import Path

import pytest

from generator.cache import Cache
from generator.output_folder import Staging
from generator.phases import Phases
from generator.sources import Sources, find_inputs
from tests.generator.conftest import MakeProject
from tests.generator.contexts import cached_runs

pytestmark = pytest.mark.unit


def test_what_is_known_of_cached_records_is_what_was_read(
    make_project: MakeProject, tmp_path: Path
) -> None:
    """The pages' data are the same with the cache of a build and of the tests' own reader."""
    project = make_project(7)
    sources = Sources(project.data, project.templates, project.evals, local=False)
    inputs, after = find_inputs(sources), Cache()
    phases = Phases(sources, tmp_path / "compiled")
    with Staging(tmp_path / "staged", tmp_path / "site") as staging:
        read, _ = phases.read(inputs, Cache(), after, staging)
    site = phases.score(read)
    cached = cached_runs(project.data, inputs)
    assert cached.files == {path: after.files[path] for path in inputs.runs}
    assert cached.plans == after.plans
    assert site.summaries.runs
    for cache in (after, cached):
        site_data = Phases(sources, tmp_path / "compiled").known(inputs, cache)
        assert [(run.run_id, run.tally) for run in site_data.summaries.runs] == [
            (run.run_id, run.tally) for run in site.summaries.runs
        ]
        assert site_data.leaderboards.keys() == site.leaderboards.keys()
        assert site_data.front == site.front
