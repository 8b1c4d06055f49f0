"""The checks of `publish` in `run --publish`: before the first request, and at the end."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from tests.leaderboard.conftest import Serve
from tests.runner.conftest import FIRST_STEP_ONLY
from tests.support.git import commit_all, run_git
from tests.support.warm_command import Ended, make_command_environment, run_command

pytestmark = pytest.mark.integration

PROSE = {"text": "Prose, no files."}
REFUSED = {"kind": "status", "status": 400, "body": '{"error": {"message": "too long"}}'}


@pytest.fixture
def data(suite: Path, tmp_path: Path) -> DataFolder:
    """Return a data folder in which the suite's version is minted."""
    folder = tmp_path / "data"
    minted = run_command("suite", "mint", "--evals", str(suite), "--data", str(folder))
    assert minted.returncode == 0, minted.stderr
    return DataFolder(folder)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return a clean work tree that git takes for the work tree of this program."""
    tree = tmp_path / "program"
    (tree / "data").mkdir(parents=True)
    (tree / "data" / "record.json").write_text("")
    (tree / "file.py").write_text("")
    run_git(tree, "init", "-q")
    commit_all(tree, "begin")
    return tree


def make_git_environment(tree: Path) -> Mapping[str, str]:
    """Return an environment in which git takes ``tree`` for the program's work tree."""
    return make_command_environment(GIT_DIR=str(tree / ".git"), GIT_WORK_TREE=str(tree))


def run(program: Path, suite: Path, data: DataFolder, *arguments: str) -> Ended:
    """Run models over the suite; answers fail at the first step."""
    folders = ("--evals", str(suite), "--data", str(data.root))
    command = ("run", *arguments, *folders)
    return run_command(*command, env=make_git_environment(program), before=FIRST_STEP_ONLY)


def read_only_run(folder: DataFolder) -> Run:
    """Return the only run of a folder."""
    (path,) = folder.list_run_files()
    return read_run(path)


def test_a_whole_run_is_published_at_its_end(
    program: Path, suite: Path, data: DataFolder, serve: Serve
) -> None:
    """No file is left in the local folder, and the files to commit are listed."""
    provider = serve({"default": PROSE})
    options = ("-m", "openai/m", "--api-base", provider.address, "--publish")
    done = run(program, suite, data, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    record = read_only_run(data)
    assert (record.status, record.published_because) == ("completed", None)
    assert list(data.local.list_run_files()) == []
    assert list(data.local.list_artifact_files()) == []
    path = data.get_run_file(*record.key)
    assert f"\n  {path}\n" in done.stdout
    assert "1 new run" in done.stdout
    assert f"git add {data.get_artifact_file(*record.key)} {path}" in done.stdout


def test_a_part_of_the_suite_is_refused_before_anybody_is_asked(
    program: Path, suite: Path, data: DataFolder, serve: Serve
) -> None:
    """No answer is paid for; with a reason the run is published, and its record has the reason."""
    provider = serve({"default": PROSE})
    options = ("-m", "openai/m", "--api-base", provider.address, "--publish", "-f", "000-task")
    refused = run(program, suite, data, *options, "--samples", "2")
    assert refused.returncode == 2
    assert "it is of a part of the suite: 1 of 3 evals" in refused.stderr
    assert provider.list_asked() == []
    assert [
        *data.list_run_files(),
        *data.local.list_run_files(),
        *data.local.list_journal_files(),
    ] == []
    done = run(program, suite, data, *options, "--why", "a first look at one task")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_only_run(data).published_because == "a first look at one task"


def test_a_changed_program_is_refused_before_anybody_is_asked(
    program: Path, suite: Path, data: DataFolder
) -> None:
    """`publish` refuses the local run of it with the same words."""
    (program / "data" / "record.json").write_text("{}")
    assert run(program, suite, data, "-m", "stub", "--publish").returncode == 0, "no program's file"
    (program / "file.py").write_text("# x\n")
    refused = run(program, suite, data, "-m", "stub", "--publish")
    assert refused.returncode == 2
    (reason,) = re.findall(r"files of this program differed from commit \w{40}", refused.stderr)
    assert run(program, suite, data, "-m", "stub").returncode == 0
    record = read_only_run(data.local)
    later = run_command("publish", record.run_id[:8], "--data", str(data.root))
    assert later.returncode == 2
    assert reason in later.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--publish",), "is not minted: leaderboard suite mint"),
        (("--why", "a first look"), "give --publish"),
    ],
)
def test_what_publishing_needs_is_named(
    program: Path, suite: Path, tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    """The message names the command that mints a version, or the option that a reason needs."""
    refused = run(program, suite, DataFolder(tmp_path / "other"), "-m", "stub", *options)
    assert refused.returncode == 2
    assert reason in refused.stderr


def test_a_run_without_some_verdict_stays_local(
    program: Path, suite: Path, data: DataFolder, serve: Serve
) -> None:
    """Two commands are printed: to resume and publish, and to publish now with a reason."""
    rules = [{"match": "<1>", "steps": [REFUSED], "then": PROSE}]
    provider = serve({"rules": rules, "default": PROSE})
    options = ("-m", "openai/m", "--api-base", provider.address, "--publish")
    ended = run(program, suite, data, *options)
    assert ended.returncode == 3
    assert list(data.list_run_files()) == []
    record = read_only_run(data.local)
    short = record.run_id[:8]
    assert f"Run {short} stays local: it is incomplete: 2 of 3 attempts" in ended.stdout
    publish = f"publish {short} --data {data.root} --why TEXT"
    assert publish in ended.stdout
    resume = shlex.split(ended.stdout.partition("Go on with:\n")[2].splitlines()[0])
    assert "--publish" in resume
    again = resume[resume.index("run") :]
    done = run_command(*again, env=make_git_environment(program), before=FIRST_STEP_ONLY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(data.local.list_run_files()) == []
    published = read_only_run(data)
    assert (published.unjudged, published.published_because) == (0, None)


def test_a_reason_publishes_runs_without_a_verdict(
    program: Path, suite: Path, data: DataFolder, serve: Serve
) -> None:
    """The record has the reason; the run goes on in its published place."""
    rules = [{"match": "<1>", "steps": [REFUSED], "then": PROSE}]
    provider = serve({"rules": rules, "default": PROSE})
    options = ("-m", "openai/m", "--api-base", provider.address)
    ended = run(program, suite, data, *options, "--publish", "--why", "asked again tomorrow")
    assert ended.returncode == 3
    record = read_only_run(data)
    assert record.published_because == "asked again tomorrow"
    assert {attempt.outcome for attempt in record.attempts} == {
        Outcome.FAILED,
        Outcome.INFRASTRUCTURE,
    }
    again = run(program, suite, data, "--resume", record.run_id[:8], *options[2:])
    assert again.returncode == 0, again.stdout + again.stderr
    assert read_only_run(data).unjudged == 0


def test_next_commands_are_printed(program: Path, suite: Path, data: DataFolder) -> None:
    """Each next command runs as it is printed, except the report, which needs an author.

    The last command serves the table of the run, over all evals or over the selected evals.
    """
    done = run(program, suite, data, "-m", "stub")
    listed = done.stdout.partition("\nNext:\n")[2].splitlines()
    record = read_only_run(data.local)
    short, name = record.run_id[:8], record.planned[0]
    starts = ["runs", "evals status --failed", f"report {short}", f"publish {short}"]
    *listed, served = listed
    assert "leaderboard serve --evals" in served
    assert re.search(r"# their table: /benchmarks/\w+/$", served)
    assert len(listed) == len(starts)
    for line, start in zip(listed, starts, strict=True):
        words = shlex.split(line)
        arguments = words[words.index(start.split()[0]) :]
        assert " ".join(arguments).startswith(start)
        author = ("--author", "me") if start.startswith("report") else ()
        followed = run_command(*arguments, *author, env=make_git_environment(program))
        assert followed.returncode == 0, followed.stderr
    selected = run(program, suite, data, "-m", "stub", "-f", name)
    assert re.search(r"# their table: /benchmarks/\w+/parts/1-\w{8}/\n$", selected.stdout)
