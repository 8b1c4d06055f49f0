"""`leaderboard ablate`: sections left out, and the text of a revision against the present text."""

import hashlib
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.journal.journal import read
from records.reader import read_record, read_run
from records.runs.run_lookup import find_run
from records.shapes.attempt import AttemptKey, Outcome
from records.shapes.trial import GuidelinesTrial
from runner.evals.discovery import discover
from runner.runs.trials import find_changed_sections
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.conftest import Serve
from tests.records import examples
from tests.runner.conftest import Host, SlowProvider, write_prose_suite
from tests.support.git import commit_all, run_git
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration

EVALS = 9
KINDS_MARK = "KINDSMARK"
_KINDS = f"- Remember {KINDS_MARK}, and choose the right kind of function, always.\n"
_SHAPES = "- Remember SHAPESMARK, and give every table the right shape, always.\n"
GUIDELINES = f"# Guidelines\n\nBegin.\n\n## Kinds\n\n{3 * _KINDS}\n## Shapes\n\n{4 * _SHAPES}"
PASSING = """\
# Files
## package.json
```json
{"name": "answer", "dependencies": {"convex": "^1.17.0"}}
```
## convex/a.ts
```ts
export const a = 1;
```
"""
PROSE = "Prose, no files."


def write_marked_suite(root: Path) -> Path:
    """Write the suite; its evals name the section kinds."""
    write_prose_suite(root, EVALS)
    for config in root.glob("*/*/eval.toml"):
        # The verdict is that of the files alone: nothing is deployed for any of the answers.
        config.write_text(config.read_text().replace('"full"', '"static"'))
    (root / "guidelines.md").write_text(GUIDELINES)
    return root


def make_script_needing_kinds(evals: int, model: str | None = None) -> Mapping[str, object]:
    """Answer every task correctly, but the first ``evals`` only with the mark of kinds.

    ``model`` is the model that needs the mark; None for every model.
    """
    return {
        "rules": [
            {"match": f"<{number}>", "unless": KINDS_MARK, "model": model, "then": {"text": PROSE}}
            for number in range(evals)
        ],
        "default": {"text": PASSING},
    }


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine evals and guidelines of two sections."""
    return write_marked_suite(tmp_path_factory.mktemp("marked") / "suite")


def build_options(suite: Path, data: Path) -> list[str]:
    """Return the options for suite and data."""
    return ["--evals", str(suite), "--data", str(data), "--graders", "2"]


def read_only_trial(data: DataFolder) -> GuidelinesTrial:
    """Return the only trial of the development results."""
    (path,) = data.local.trials.list_files()
    return read_record(GuidelinesTrial, path)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a data folder that is not there yet."""
    return DataFolder(tmp_path / "data")


@pytest.mark.more
def test_the_section_without_which_evals_are_lost_is_named_and_the_placebo_agrees(
    data: DataFolder, suite: Path, serve: Serve
) -> None:
    """Eight evals pass only where the section is read; the other section changes nothing."""
    provider = serve(make_script_needing_kinds(8))
    done = run_command(
        *("ablate", "-m", "openai/scripted", "--api-base", provider.address, "--placebo", "--json"),
        *build_options(suite, data.root),
        timeout=5 * PATIENCE_S,
        code=0,
    )
    result = json.loads(done.stdout)
    verdicts = {
        (entry["edition"], entry["section"]): (
            len(entry["lost"]),
            len(entry["gained"]),
            entry["conclusion"],
        )
        for entry in result["effects"]
    }
    assert verdicts == {
        ("left_out", "kinds"): (8, 0, "worse"),
        ("placebo", "kinds"): (8, 0, "worse"),
        ("left_out", "shapes"): (0, 0, "noise"),
        ("placebo", "shapes"): (0, 0, "noise"),
    }
    assert {entry["sections"] for entry in result["effects"]} == {2}
    assert check_data(data.local, shared=data) == []

    trial = read_only_trial(data)
    runs = {entry.edition: find_run(data.local, entry.run_id).read() for entry in trial.runs[:3]}
    names = [run.experiment.name for run in runs.values()]
    assert names == ["default", "ablated-kinds", "placebo-kinds"]
    texts = [run.experiment.guidelines for run in runs.values()]
    assert texts[0] == hashlib.sha256(GUIDELINES.encode()).hexdigest()
    assert len(set(texts)) == 3
    assert trial.runs[0].tokens == trial.runs[2].tokens > trial.runs[1].tokens

    refused = run_command(
        "run", "--resume", trial.runs[1].run_id[:8], *build_options(suite, data.root), code=2
    )
    assert f"leaderboard ablate --resume {trial.trial_id[:8]}" in refused.stderr


@pytest.mark.more
def test_runs_take_turns_at_each_eval(
    suite: Path, serve: Serve, host: Host, tmp_path: Path
) -> None:
    """Asked one thing at a time, the provider hears of an eval from all texts before the next."""
    provider = serve({"default": {"text": "Prose, no files."}})
    host.start(
        [
            *("ablate", "-m", "openai/scripted", "--api-base", provider.address),
            *("--concurrency", "1", *build_options(suite, tmp_path / "data")),
        ]
    )
    assert host.wait() == 0
    assert provider.list_asked() == [number for number in range(EVALS) for _ in range(3)]


@pytest.mark.night
def test_killed_in_the_middle_it_goes_on_and_asks_nothing_twice(
    data: DataFolder, suite: Path, serve: Serve, host: Host
) -> None:
    """After three kills -9, no answer that was on the disk is asked for again."""
    provider = serve({"default": {"text": "Prose, no files.", "delay_s": 0.1, "piece": 4}})
    again = ["--api-base", provider.address, "--concurrency", "2", *build_options(suite, data.root)]
    child = host.start(["ablate", "-m", "openai/scripted", "--placebo", *again])
    times: dict[str, int] = {}
    for number in (4, 14, 25):
        provider.wait_until_asked(number)
        os.kill(child, signal.SIGKILL)
        assert host.wait() == -signal.SIGKILL
        digests = list_asked_digests(provider)
        times = {digest: digests.count(digest) for digest in list_answered_digests(data)} | times
        child = host.start(["ablate", "--resume", read_only_trial(data).trial_id[:8], *again])
    assert host.wait() == 0
    digests = list_asked_digests(provider)
    assert len(times) > 10
    assert {digest: digests.count(digest) for digest in times} == times
    assert len(set(digests)) == 5 * EVALS
    trial = read_only_trial(data)
    runs = [find_run(data.local, trial_run.run_id).read() for trial_run in trial.runs]
    assert [run.status for run in runs] == ["completed"] * 5
    assert len(list(data.local.list_run_files())) == 5
    assert check_data(data.local, shared=data) == []
    before = len(digests)
    host.start(["ablate", "--resume", trial.trial_id, *again])
    assert host.wait() == 0
    assert len(list_asked_digests(provider)) == before


@pytest.mark.more
def test_one_budget_holds_over_all_runs_and_resumes_also_where_some_have_ended(
    suite: Path, serve: Serve, host: Host, tmp_path: Path
) -> None:
    """A reply costs up to a dollar, and its cost is unknown: ended runs count with the most."""
    prose = {"text": "Prose, no files.", "report_usage": False}
    refused = {"kind": "status", "status": 400}
    once = {"match": "<1>", "unless": KINDS_MARK, "steps": [refused], "then": prose}
    provider = serve({"rules": [once], "default": prose})
    data = DataFolder(tmp_path / "data")
    again = [
        *("--api-base", provider.address, "--price", "0/1000", "--max-tokens", "1000"),
        *("--concurrency", "1", *build_options(suite, data.root)),
    ]
    host.start(["ablate", "-m", "openai/scripted", "-f", "00[01]-task", "--budget", "7", *again])
    assert host.wait() == 3
    assert len(provider.list_asked()) == 6
    trial = read_only_trial(data)
    assert trial.budget_usd == 7
    assert list(data.local.list_journal_files()) == []  # four answers are in runs that have ended

    host.start(["ablate", "--resume", trial.trial_id, "--budget", "5", *again])
    assert host.wait() == 3
    assert len(provider.list_asked()) == 6

    host.start(["ablate", "--resume", trial.trial_id, "--budget", "20", *again])
    assert host.wait() == 0
    assert len(provider.list_asked()) == 7
    assert read_only_trial(data).budget_usd == 20


@pytest.mark.more
def test_a_run_that_a_kill_kept_from_beginning_begins_on_the_resume(
    data: DataFolder, suite: Path, serve: Serve, host: Host
) -> None:
    """The trial's record names it; it is made as its siblings were."""
    provider = serve({"default": {"text": "Prose, no files."}})
    again = ["--api-base", provider.address, *build_options(suite, data.root)]
    host.start(["ablate", "-m", "openai/scripted", "-f", "000-task", *again])
    assert host.wait() == 0
    trial = read_only_trial(data)
    last = trial.runs[-1]
    data.local.get_run_file(last.model, last.run_id).unlink()
    data.local.get_artifact_file(last.model, last.run_id).unlink()
    host.start(["ablate", "--resume", trial.trial_id, *again])
    assert host.wait() == 0
    run = find_run(data.local, last.run_id).read()
    assert (run.status, run.experiment.name) == ("completed", last.experiment)
    assert provider.list_asked() == [0] * 4


def test_a_plan_states_the_cost_of_each_text_and_asks_nobody(suite: Path, tmp_path: Path) -> None:
    """The plan has a line for each run, and their sum."""
    done = run_command(
        *("ablate", "-m", "openai/m", "--api-base", "http://127.0.0.1:9/v1", "--plan"),
        *("--price", "1/10", "--max-tokens", "1000", "--placebo", *build_options(suite, tmp_path)),
        code=0,
    )
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[1:-1]] == [
        "local/m default",
        "local/m ablated-kinds",
        "local/m placebo-kinds",
        "local/m ablated-shapes",
        "local/m placebo-shapes",
    ]
    assert lines[-1].startswith("Together 5 runs: an unknown amount, at most $")
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("kind", "--section kind: the guidelines have no such section; close to it: kinds"),
        ("zz", "--section zz: the guidelines have no such section; they have kinds, shapes"),
    ],
)
def test_a_wrong_name_of_a_section_is_reported_in_one_line(
    section: str, line: str, suite: Path, tmp_path: Path
) -> None:
    """The line has close matches, if any; no model is asked, and no file is written."""
    done = run_command(
        "ablate", "-m", "oracle", "--section", section, *build_options(suite, tmp_path), code=2
    )
    assert done.stderr.splitlines() == [f"leaderboard: {line}"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("models", [["-m", "oracle,empty"], ["-m", "oracle", "-m", "empty"]])
def test_several_models_are_refused(models: list[str], suite: Path, tmp_path: Path) -> None:
    """Several models in one option are refused, too; no model is asked, no file is written."""
    done = run_command("ablate", *models, *build_options(suite, tmp_path), code=2)
    assert "-m: give one model" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_names_of_editions_are_kept_for_trials(suite: Path, tmp_path: Path) -> None:
    """The name of an edition does not hide a user's own text from leaderboards."""
    text = tmp_path / "ablated-text.md"
    text.write_text("Write well.\n")
    for options in (["-e", "placebo-x"], []):
        run_command(
            *("run", "-m", "oracle", *options, "--guidelines", str(text)),
            *build_options(suite, tmp_path / "data"),
            code=2,
        )


def list_answered_digests(data: DataFolder) -> set[str]:
    """Return the digest of each question with an answer in a journal."""
    digests: set[str] = set()
    for path in data.local.list_journal_files():
        state = read(path)
        for key in [
            *examples.list_ungraded(state),
            *(AttemptKey(*judged) for judged in state.attempts),
        ]:
            generated = state.find_generation(key)
            assert generated is not None
            last = generated.messages[-1].content
            digests.add(hashlib.sha256(last.encode()).hexdigest())
    return digests


def list_asked_digests(provider: SlowProvider) -> list[str]:
    """Return the digest of each question that the provider was asked."""
    lines = [json.loads(line) for line in provider.log.read_text().splitlines()]
    return [line["digest"] for line in lines if line["event"] == "received"]


EDITED = GUIDELINES.replace(KINDS_MARK, "nothing")


@pytest.fixture
def tracked_suite(tmp_path: Path) -> Path:
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


def run_guidelines_check(tracked_suite: Path, data: Path, *arguments: str, code: int) -> Ended:
    """Run `leaderboard ablate`, which must end with ``code``."""
    folders = ("--evals", tracked_suite, "--data", data)
    return run_command("ablate", *arguments, *folders, timeout=5 * PATIENCE_S, code=code)


def test_a_change_that_breaks_evals_beyond_noise_fails_where_that_is_asked_for(
    data: DataFolder, tracked_suite: Path, provider: SlowProvider
) -> None:
    """The section lost its mark: eight evals are lost, and the exit code is 1."""
    (tracked_suite / "guidelines.md").write_text(EDITED)
    done = run_guidelines_check(
        *(tracked_suite, data.root, "--before", "HEAD", "--fail-on", "regression", "--json"),
        *("-m", "openai/scripted", "--api-base", provider.address),
        code=1,
    )
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
        *(tracked_suite, data.root, "--resume", trial.trial_id[:8], "--fail-on", "regression"),
        *("--api-base", provider.address),
        code=1,
    )
    assert "8 lost, 0 gained of 9 evals" in resumed.stdout
    assert len(provider.list_asked()) == requests


@pytest.mark.night
def test_each_of_two_models_has_an_effect_of_its_own(
    data: DataFolder, tracked_suite: Path, serve: Serve
) -> None:
    """Only the first model needs the removed line: both effects are reported, it fails CI."""
    (tracked_suite / "guidelines.md").write_text(EDITED)
    provider = serve(make_script_needing_kinds(8, "needing"))
    done = run_guidelines_check(
        *(tracked_suite, data.root, "--before", "HEAD", "--fail-on", "regression", "--json"),
        *("-m", "openai/needing", "-m", "openai/knowing", "--api-base", provider.address),
        code=1,
    )
    requests = provider.list_asked()
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
    resumed = run_guidelines_check(tracked_suite, data.root, "--resume", path.stem[:8], code=0)
    needing, knowing = resumed.stdout.split("local/knowing with")
    assert "8 lost, 0 gained of 9 evals" in needing
    assert "0 lost, 0 gained of 9 evals" in knowing


def test_unchanged_sections_and_sections_without_an_eval_ask_nobody(
    tracked_suite: Path, tmp_path: Path
) -> None:
    """The same text passes; sections without evals and wrong revisions are refused."""
    data = tmp_path / "data"
    since_head = ("--before", "HEAD", "-m", "oracle")
    same = run_guidelines_check(tracked_suite, data, *since_head, code=0)
    assert "guidelines.md is as it was at HEAD: nothing to check" in same.stdout
    (tracked_suite / "guidelines.md").write_text(GUIDELINES.replace("right shape", "round shape"))
    unnamed = run_guidelines_check(tracked_suite, data, *since_head, code=2)
    assert "no chosen eval exercises the changed text: shapes" in unnamed.stderr
    wrong = run_guidelines_check(tracked_suite, data, "--before", "no-such", "-m", "oracle", code=2)
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
    tracked_suite: Path, before: str, sections: tuple[str, ...], *, rest: bool
) -> None:
    """Edited, added and removed sections count; text before the first is about every eval."""
    changed = find_changed_sections(before, discover(tracked_suite))
    assert (tuple(changed.sections), changed.rest) == (sections, rest)
    assert (not changed.sections and not changed.rest) is (before == GUIDELINES)
    affected = changed.select_evals(discover(tracked_suite).evals)
    assert len(affected) == (9 if rest or "kinds" in sections else 0)
