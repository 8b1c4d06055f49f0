"""`leaderboard ablate`: the text at a revision of git against the working tree's."""

import json
from pathlib import Path

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.reader import read_record, read_run
from records.shapes.attempt import Outcome
from records.shapes.trial import GuidelinesTrial
from runner.evals.discovery import discover
from runner.runs.trials import find_changed_sections
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.conftest import Serve
from tests.leaderboard.trials.marked_suite import (
    GUIDELINES,
    KINDS_MARK,
    make_script_needing_kinds,
    write_marked_suite,
)
from tests.runner.conftest import SlowProvider
from tests.support.git import commit_all, run_git
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration

EDITED = GUIDELINES.replace(KINDS_MARK, "nothing")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite in a repository of git, as it was committed."""
    root = write_marked_suite(tmp_path / "suite")
    (root / ".gitignore").write_text("node_modules\n")
    run_git(root, "init", "-q")
    commit_all(root, "suite")
    return root


@pytest.fixture
def provider(serve: Serve) -> SlowProvider:
    """A provider that needs the mark of the section kinds for eight of nine evals."""
    return serve(make_script_needing_kinds(8))


def run_guidelines_check(suite: Path, data: Path, *arguments: str) -> Ended:
    """Run `leaderboard ablate` as a user would."""
    return run_command(
        "ablate", *arguments, "--evals", suite, "--data", data, timeout=5 * PATIENCE_S
    )


def test_a_change_that_breaks_evals_beyond_noise_fails_where_that_is_asked_for(
    suite: Path, provider: SlowProvider, tmp_path: Path
) -> None:
    """The section lost its mark: eight evals are lost, and the exit code is 1."""
    (suite / "guidelines.md").write_text(EDITED)
    data = DataFolder(tmp_path / "data")
    done = run_guidelines_check(
        *(suite, data.root, "--before", "HEAD", "--fail-on", "regression", "--json"),
        *("-m", "openai/scripted", "--api-base", provider.address),
    )
    assert done.returncode == 1, done.stderr
    (effect,) = json.loads(done.stdout)["effects"]
    assert (effect["edition"], effect["conclusion"]) == ("before", "worse")
    assert [name[-8:] for name in effect["lost"]] == [f"{number:03}-task" for number in range(8)]
    assert effect["gained"] == []

    (path,) = data.local.trials.list_files()
    trial = read_record(GuidelinesTrial, path)
    assert trial.changed == ("kinds",)
    assert trial.revision is not None
    experiments = [entry.experiment for entry in trial.runs]
    assert experiments == ["default", f"before-{trial.revision[:12]}"]
    assert (
        len({read_run(entry).experiment.guidelines for entry in data.local.list_run_files()}) == 2
    )
    assert check_data(data.local, shared=data) == []

    requests = len(provider.list_asked())
    resumed = run_guidelines_check(
        *(suite, data.root, "--resume", trial.trial_id[:8], "--fail-on", "regression"),
        *("--api-base", provider.address),
    )
    assert resumed.returncode == 1, resumed.stderr
    assert "8 lost, 0 gained of 9 evals" in resumed.stdout
    assert len(provider.list_asked()) == requests


@pytest.mark.night
def test_each_of_two_models_has_an_effect_of_its_own(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """Only the first model needs the removed line: both effects are reported, it fails CI."""
    (suite / "guidelines.md").write_text(EDITED)
    data = DataFolder(tmp_path / "data")
    provider = serve(make_script_needing_kinds(8, "needing"))
    done = run_guidelines_check(
        *(suite, data.root, "--before", "HEAD", "--fail-on", "regression", "--json"),
        *("-m", "openai/needing", "-m", "openai/knowing", "--api-base", provider.address),
    )
    requests = provider.list_asked()
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    effects = {item["model"]: (item["conclusion"], len(item["lost"])) for item in result["effects"]}
    assert effects == {"local/needing": ("worse", 8), "local/knowing": ("noise", 0)}
    assert sorted(requests) == sorted(4 * list(range(9)))
    passed = [
        sum(item.outcome is Outcome.PASSED for item in read_run(path).attempts)
        for path in data.local.list_run_files()
    ]
    assert sorted(passed) == [1, 9, 9, 9]

    (path,) = data.local.trials.list_files()
    resumed = run_guidelines_check(suite, data.root, "--resume", path.stem[:8])
    assert resumed.returncode == 0, resumed.stderr
    needing, knowing = resumed.stdout.split("local/knowing with")
    assert "8 lost, 0 gained of 9 evals" in needing
    assert "0 lost, 0 gained of 9 evals" in knowing


def test_unchanged_sections_and_sections_without_an_eval_ask_nobody(
    suite: Path, tmp_path: Path
) -> None:
    """The same text passes; sections without evals and wrong revisions are refused."""
    data = tmp_path / "data"
    same = run_guidelines_check(suite, data, "--before", "HEAD", "-m", "oracle")
    assert same.returncode == 0
    assert "guidelines.md is as it was at HEAD: nothing to check" in same.stdout
    (suite / "guidelines.md").write_text(GUIDELINES.replace("right shape", "round shape"))
    unnamed = run_guidelines_check(suite, data, "--before", "HEAD", "-m", "oracle")
    assert unnamed.returncode == 2
    assert "no chosen eval exercises the changed text: shapes" in unnamed.stderr
    wrong = run_guidelines_check(suite, data, "--before", "no-such", "-m", "oracle")
    assert wrong.returncode == 2
    assert "--before no-such" in wrong.stderr
    assert not data.exists()


@pytest.mark.parametrize(
    ("before", "sections", "rest"),
    [
        (GUIDELINES, (), False),
        (EDITED, ("kinds",), False),
        (GUIDELINES.partition("## Shapes")[0], ("shapes",), False),
        (f"{GUIDELINES}\n## Third\n\nMore.\n", ("third",), False),
        (GUIDELINES.replace("Begin.", "Start."), (), True),
    ],
)
def test_which_sections_changed(
    suite: Path, before: str, sections: tuple[str, ...], *, rest: bool
) -> None:
    """Edited, added and removed sections count; text before the first is about every eval."""
    changed = find_changed_sections(before, discover(suite))
    assert (tuple(changed.sections), changed.rest) == (sections, rest)
    assert changed.is_nothing is (before == GUIDELINES)
    affected = changed.select_evals(discover(suite).evals)
    assert len(affected) == (9 if rest or "kinds" in sections else 0)
