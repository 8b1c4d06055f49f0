"""A grader is mended: earlier answers are graded again, and everybody can verify the verdicts."""

import json
import random
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from records.archives.archive import Archive, write_archive
from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from records.shapes.attempt import Outcome, StepName
from records.shapes.run import Run
from records.writer import write_run
from runner.evals.discovery import discover
from runner.suite.mint import make_benchmark, mint
from tests.runner.small_eval import write_eval
from tests.support.git import commit_all, run_git
from tests.support.warm_command import ROOT, Ended, WarmCommand, run_command

pytestmark = pytest.mark.integration

EVALS = (
    "000-fundamentals/000-dome_functions",
    "000-fundamentals/001-greenhouse_crons",
    "002-queries/009-telegram_counts",
)
DOME = EVALS[0]
WHY = "nothing was good enough"
DIFFERENT = "sample 1: differs (with another toolchain); published: passed; here: failed at tests"
STRICT = '''

def test_that_is_too_strict() -> None:
    """Nothing is good enough."""
    assert False
'''


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with data/ and a suite of three small evals; one grader is too strict.

    The data are the runs of two baselines, published under a minted version.
    """
    folder = tmp_path_factory.mktemp("graded")
    root, data = folder / "evals", DataFolder(folder / "data")
    root.mkdir()
    data.root.mkdir()
    (root / "guidelines.md").write_text("# Guidelines\n\n## Values\n\nChoose one.\n")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "evals" / name, root / name)
    (root / "node_modules").symlink_to(ROOT / "evals" / "node_modules")
    for name in EVALS:
        write_eval(root / name, f"Return the value for {name.rpartition('/')[2]}.")
    with (root / DOME / "grader.py").open("a", encoding="utf-8") as grader:
        grader.write(STRICT)
    run_on_data(data, root, "suite", "mint")
    run_on_data(data, root, "run", "-m", "oracle,stub", "--publish", "--why", "a test's own runs")
    return folder


@pytest.fixture
def suite(graded: Path, tmp_path: Path) -> Path:
    """Return a copy of the suite."""
    return Path(shutil.copytree(graded / "evals", tmp_path / "evals", symlinks=True))


@pytest.fixture
def data(graded: Path, tmp_path: Path) -> DataFolder:
    """Return a copy of the data."""
    return DataFolder(Path(shutil.copytree(graded / "data", tmp_path / "data")))


def run_on_data(data: DataFolder, suite: Path, *arguments: str, code: int = 0) -> Ended:
    """Run a command over ``data`` and ``suite``; it must end with ``code``."""
    return run_command(*arguments, "--data", data.root, "--evals", suite, code=code)


def mend(suite: Path) -> None:
    """Remove the too strict test."""
    grader = suite / DOME / "grader.py"
    grader.write_text(grader.read_text("utf-8").replace(STRICT, ""), encoding="utf-8")


def read_published_runs(data: DataFolder) -> Mapping[str, Run]:
    """Return the published runs by the names of their baselines."""
    runs = map(read_run, data.list_run_files())
    return {run.model.slug.partition("/")[2]: run for run in runs}


def test_a_grader_is_mended(data: DataFolder, suite: Path) -> None:
    """Its eval is graded again, after consent; both verdicts and the reason stay; verify passes."""
    before = read_published_runs(data)
    assert before["oracle"].attempts[0].outcome is Outcome.FAILED
    mend(suite)
    refused = run_on_data(data, suite, "suite", "mint", code=2)
    assert refused.stdout.count("1 of 3 graded again") == 2
    assert "3 of 3 evals, 2 passed before, 3 now" in refused.stdout
    assert f"{DOME} sample 1: failed at tests: Nothing is good enough." in refused.stdout
    assert "--yes gives the consent" in refused.stderr
    assert (read_published_runs(data), len([*data.benchmarks.list_files()])) == (before, 1)
    done = run_on_data(data, suite, "suite", "mint", "--yes", "--json", "--why", WHY)
    assert done.stderr.count("0 of 3 graded again") == 2
    report = json.loads(done.stdout)
    assert report["changes"] == {"another judge": [DOME]}
    assert [len(row["changed"]) for row in report["rows"]] == [1, 0]
    after = read_published_runs(data)
    dome, *remaining = after["oracle"].attempts
    assert dome.outcome is Outcome.PASSED
    (earlier,) = dome.earlier_verdicts
    assert earlier.outcome is Outcome.FAILED
    assert earlier.replaced_because == WHY
    assert tuple(remaining) == before["oracle"].attempts[1:]
    assert after["oracle"].benchmark_version == report["version"]
    assert after["oracle"].asked_version == before["oracle"].benchmark_version
    assert after["oracle"].finished_at == before["oracle"].finished_at
    assert check_data(data) == []
    assert "nothing to grade again" in run_on_data(data, suite, "regrade", "--all").stdout
    assert json.loads(run_on_data(data, suite, "regrade", "--all", "--json").stdout) == []
    rows = json.loads(run_on_data(data, suite, "verify", "--all", "--json").stdout)
    assert [row["result"] for row in rows] == ["reproduced"] * 6


@pytest.mark.night
def test_only_evals_that_changed_since_a_revision(data: DataFolder, suite: Path) -> None:
    """Only evals that changed later are graded again; an unknown revision is named."""
    (suite / ".gitignore").write_text("node_modules\n")
    run_git(suite, "init", "-q")
    mend(suite)
    commit_all(suite, "mended")
    with (suite / EVALS[2] / "grader.py").open("a", encoding="utf-8") as grader:
        grader.write("\n# In other words.\n")
    mint(discover(suite), data)
    refused = run_on_data(data, suite, "regrade", "--all", "--since", "no-such", code=2)
    assert "--since no-such" in refused.stderr
    done = run_on_data(data, suite, "regrade", "--all", "--since", "HEAD", "--json")
    assert "1 of 3 to grade again" in done.stderr
    for row in json.loads(done.stdout):
        run = read_run(Path(row["record"]))
        assert (row["run_id"], row["benchmark_version"]) == (run.run_id, run.benchmark_version)
        assert row["benchmark_version_before"] != row["benchmark_version"]
        (attempt,) = row["attempts"]
        regraded = run.attempts[2]
        assert (attempt["eval"], attempt["reached"]) == (regraded.eval, True)
        assert attempt["outcome"] == regraded.outcome.value
    dome, crons, counts = read_published_runs(data)["oracle"].attempts
    assert dome.outcome is Outcome.FAILED
    assert [len(judged.earlier_verdicts) for judged in (dome, crons, counts)] == [0, 0, 1]
    run_on_data(data, suite, "regrade", "--all")
    dome, *_ = read_published_runs(data)["oracle"].attempts
    assert dome.outcome is Outcome.PASSED
    rows = json.loads(run_on_data(data, suite, "verify", "--all", "--sample", "2", "--json").stdout)
    assert [row["result"] for row in rows] == ["reproduced"] * 2


def plant_pass(run: Run) -> Run:
    """Return ``run`` with a pass at its second eval, given by an earlier program."""
    attempt = run.attempts[1]
    assert attempt.key is not None
    passed = attempt.model_copy(
        update={
            "key": attempt.key.model_copy(update={"toolchain": "0" * 64}),
            "outcome": Outcome.PASSED,
            "failed_step": None,
            "reason": None,
            "steps": tuple(
                step.model_copy(update={"outcome": Outcome.PASSED, "message": None})
                for step in attempt.steps or ()
            ),
            "tests": (),
        }
    )
    return run.model_copy(update={"attempts": (run.attempts[0], passed, run.attempts[2])})


@pytest.mark.more
def test_a_program_that_changes_a_published_verdict_is_found(data: DataFolder, suite: Path) -> None:
    """The attempt is named; graded again, its run stays in its version, which was replaced."""
    run = read_published_runs(data)["stub"]
    write_run(data, plant_pass(run))
    with (suite / DOME / "TASK.txt").open("a", encoding="utf-8") as task:
        task.write("\nAnd one thing more.\n")
    done = run_on_data(data, suite, "verify", "--all", code=1)
    assert f"{EVALS[1]} {DIFFERENT}" in done.stdout
    assert "6 attempts: 5 reproduced, 1 differs" in done.stdout
    run_on_data(data, suite, "regrade", run.run_id[:8], "--why", "the program was mended")
    regraded = read_published_runs(data)["stub"]
    assert regraded.benchmark_version == run.benchmark_version
    assert [attempt.outcome for attempt in regraded.attempts] == [Outcome.FAILED] * 3
    assert [len(attempt.earlier_verdicts) for attempt in regraded.attempts] == [0, 1, 0]
    done = run_on_data(data, suite, "verify", "--all")
    assert done.stdout == "6 attempts: 6 reproduced\n"


@pytest.mark.night
def test_a_tampered_record_is_red(data: DataFolder, suite: Path) -> None:
    """An edited verdict is not reproduced; an edited archive is reported as tampered with."""
    run = read_published_runs(data)["stub"]
    write_run(data, plant_pass(run))
    done = run_on_data(data, suite, "verify", run.run_id[:8], code=1)
    assert f"{EVALS[1]} {DIFFERENT}" in done.stdout
    write_run(data, run)
    path = data.get_artifact_file(*run.key)
    with Archive(path) as archive:
        artifacts = [archive.read(name, 1) for name in run.planned]
    forged = artifacts[2].model_copy(update={"reply": "another reply"})
    write_archive(path, (*artifacts[:2], forged))
    done = run_on_data(data, suite, "verify", run.run_id[:8], code=1)
    assert f"{EVALS[2]} sample 1: tampered" in done.stdout
    refused = run_on_data(data, suite, "regrade", run.run_id[:8], code=2)
    assert "is not what was graded" in refused.stderr


def test_one_doubted_attempt_is_verified(data: DataFolder, suite: Path) -> None:
    """-f selects its eval; a pattern without an eval, or an invalid pattern, is a mistake."""
    run = read_published_runs(data)["oracle"]
    done = run_on_data(data, suite, "verify", run.run_id[:8], "-f", "telegram_counts")
    assert done.stdout == "1 attempt: 1 reproduced\n"
    for wrong, why in (("no-such-eval", "keep no answer"), ("(", "no regular expression")):
        refused = run_on_data(data, suite, "verify", run.run_id[:8], "-f", wrong, code=2)
        assert why in refused.stderr


def test_answers_to_other_tasks_are_left_alone(data: DataFolder, suite: Path) -> None:
    """A new task asks another question: a verdict on the old answer would mean nothing."""
    with (suite / DOME / "TASK.txt").open("a", encoding="utf-8") as task:
        task.write("\nAnd one thing more.\n")
    run = read_published_runs(data)["oracle"]
    refused = run_on_data(data, suite, "regrade", run.run_id[:8], code=2)
    assert f"the task of {DOME} changed" in refused.stderr
    result = run_on_data(data, suite, "regrade", "--all")
    assert result.stdout.count("left as it is") == 2
    refused = run_on_data(data, suite, "suite", "mint", code=2)
    assert f"another question (1): {DOME}\n" in refused.stdout
    assert refused.stdout.count(f"stays in {run.benchmark_version}: 2 of 3 evals ask what") == 2
    run_on_data(data, suite, "suite", "mint", "--yes")
    assert read_published_runs(data)["oracle"] == run
    assert run_on_data(data, suite, "suite", "mint").stdout.count("\n") == 2


def test_published_runs_need_a_minted_version(data: DataFolder, suite: Path) -> None:
    """A version that is not minted is unknown to readers. A refused run is told before it."""
    mend(suite)
    for path in data.list_artifact_files():
        path.write_bytes(b"no archive: reading it would be told first")
    refused = run_on_data(data, suite, "regrade", "--all", code=2)
    assert "leaderboard suite mint" in refused.stderr
    stub = read_published_runs(data)["stub"]
    write_run(data, stub.model_copy(update={"status": "running", "finished_at": None}))
    reason = f"run {stub.run_id} has not ended"
    refused = run_on_data(data, suite, "regrade", "--all", code=2)
    assert f"left as it is: {reason}" in refused.stdout
    assert "leaderboard suite mint" in refused.stderr
    ids = [run.run_id for run in read_published_runs(data).values()]
    named = run_on_data(data, suite, "regrade", *ids, code=2)
    assert reason in named.stderr


@pytest.mark.parametrize("arguments", [(), ("abc", "--all")])
def test_runs_are_named_or_all(data: DataFolder, suite: Path, arguments: tuple[str, ...]) -> None:
    """Runs together with --all are a mistake, and so is neither."""
    assert "which runs?" in run_on_data(data, suite, "regrade", *arguments, code=2).stderr


@pytest.mark.more
@pytest.mark.parametrize("kills", [2, pytest.param(8, marks=pytest.mark.night)])
def test_a_mint_that_is_killed_goes_on(data: DataFolder, suite: Path, kills: int) -> None:
    """Killed at any moment, it loses no verdict, and the next call ends it."""
    mend(suite)
    dice = random.Random(20261124)  # noqa: S311 - no secret
    folders = ["--data", str(data.root), "--evals", str(suite)]
    for _ in range(kills):
        process = WarmCommand(["suite", "mint", "--yes", *folders])
        time.sleep(dice.uniform(0.5, 5.0))
        process.kill()
        process.wait()
        for run in read_published_runs(data).values():
            assert len(run.attempts) == 3
            assert len(run.attempts[0].earlier_verdicts) <= 1
    run_on_data(data, suite, "suite", "mint", "--yes")
    after = read_published_runs(data)
    assert after["oracle"].attempts[0].outcome is Outcome.PASSED
    assert {len(run.attempts[0].earlier_verdicts) for run in after.values()} == {1}
    assert {run.benchmark_version for run in after.values()} == {
        make_benchmark(discover(suite)).version
    }
    assert not (data.local.root / "minting").exists()
    assert check_data(data) == []


@pytest.mark.more
def test_other_tools_keep_the_version_unless_they_change_a_verdict(
    data: DataFolder, suite: Path
) -> None:
    """Known and stored answers are graded first; a changed verdict gives its eval a new digest."""
    change_tools(suite, "left-pad")
    wrong = run_on_data(data, suite, "suite", "mint", "--yes", code=1)
    assert f"WRONG {DOME} reference: must be passed" in wrong.stdout
    mend(suite)
    run_on_data(data, suite, "suite", "mint", "--yes")
    before, version = read_published_runs(data), make_benchmark(discover(suite)).version
    change_tools(suite, "right-pad")
    same = run_on_data(data, suite, "suite", "mint")
    assert "no verdict changes: the version stays" in same.stdout
    assert read_published_runs(data) == before
    again = run_on_data(data, suite, "suite", "mint")
    assert "checking" not in again.stdout

    change_tools(suite, "up-pad")
    answer = before["oracle"].attempts[1]
    write_run(data, with_outcome(before["oracle"], 1, Outcome.FAILED))
    other = json.loads(run_on_data(data, suite, "suite", "mint", "--yes", "--json").stdout)
    after = read_published_runs(data)["oracle"]
    assert (after.attempts[1].outcome, after.benchmark_version) == (
        answer.outcome,
        other["version"],
    )
    assert other["version"] == make_benchmark(discover(suite)).version != version
    digests = read_benchmark(data.benchmarks.get_file(other["version"])).evals
    assert [name for name, each in digests.items() if each.tools is not None] == [EVALS[1]]
    assert check_data(data) == []


def change_tools(suite: Path, package: str) -> None:
    """Admit a package, by which all tools have another digest, and no verdict changes."""
    (suite / "admitted_packages.json").write_text(json.dumps([package]))


def with_outcome(run: Run, number: int, outcome: Outcome) -> Run:
    """Return ``run`` as if other tools had given an attempt this verdict."""
    attempt = run.attempts[number]
    assert attempt.key is not None
    key = attempt.key.model_copy(update={"toolchain": "0" * 64})
    changes = {"key": key, "outcome": outcome, "failed_step": StepName.TESTS}
    judged = attempt.model_copy(update=changes)
    return run.model_copy(
        update={"attempts": (*run.attempts[:number], judged, *run.attempts[number + 1 :])}
    )
