"""Runs are published whole and once, by `publish` or by `run`; doubtful runs need a reason."""

import json
import re
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.writer import write_run
from runner.suite.mint import find_version_beside
from tests.leaderboard.commanding import AskedSuite, Terminal, parse_next_command
from tests.leaderboard.conftest import AskSuite
from tests.records import examples
from tests.runner.command_suite import write_command_suite
from tests.support.git import commit_all, run_git
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def write_local_run(data: DataFolder, run_id: str, **changes: object) -> Run:
    """Write a local run of all evals of the example version, with its archive."""
    run = examples.with_harness(examples.make_run(run_id), git_commit=COMMIT)
    run = examples.write_answers(data.local, run).model_copy(update=changes)
    write_run(data.local, run)
    return run


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a data folder with a minted version."""
    return examples.write_runs(DataFolder(tmp_path / "data"))


def run_on_data(data: DataFolder, *arguments: str, code: int | None = None) -> Ended:
    """Run the command over ``data``."""
    return run_command(*arguments, "--data", data.root, code=code)


@pytest.fixture
def run(data: DataFolder) -> Run:
    """Return a local run of all evals."""
    return write_local_run(data, "a" * 32)


def test_a_run_is_published_and_withdrawn(run: Run, data: DataFolder) -> None:
    """A run moves whole, its effect is printed, and a withdrawal keeps its reason."""
    done = run_on_data(data, "publish", "aaaa", code=0)
    path = data.get_run_file(*run.key)
    assert done.stdout.splitlines()[0] == str(path)
    assert "Scores and ranks that moved" in done.stdout
    assert "`after`" not in done.stdout
    assert "1 new run" in done.stdout
    (staged,) = [line for line in done.stdout.splitlines() if line.startswith("  git add ")]
    assert str(path) in staged
    assert str(data.get_artifact_file(*run.key)) in staged
    assert read_run(path) == run
    assert list(data.local.list_run_files()) == []
    assert list(data.local.list_artifact_files()) == []
    assert check_all(data) == []
    gone = run_on_data(
        data, "withdraw", "aaaa", "--why", "wrong key", "--by", "me", "--yes", code=0
    )
    withdrawn = read_run(path).withdrawn
    assert withdrawn is not None
    assert (withdrawn.by, withdrawn.reason) == ("me", "wrong key")
    assert withdrawn.at is not None
    assert f"{run.model.slug}, default, {run.date}" in gone.stdout
    assert "Scores and ranks that moved:" in gone.stdout
    again = run_on_data(data, "withdraw", "aaaa", "--why", "once more", "--by", "me", "--yes")
    assert (again.returncode, "is withdrawn already: wrong key" in again.stderr) == (2, True)


def test_machines_read_publications_and_withdrawals(run: Run, data: DataFolder) -> None:
    """Standard output is one JSON document; scores that move are in it."""
    done = json.loads(run_on_data(data, "publish", "aaaa", "--json").stdout)
    path = data.get_run_file(*run.key)
    assert done["published"] == [{"run_id": run.run_id, "record": str(path)}]
    assert str(path) in done["files"]
    (moved,) = done["moved"]
    assert (moved["slug"], moved["score_before"]) == (run.model.slug, None)
    withdraw = ("withdraw", "aaaa", "--why", "wrong key", "--by", "me", "--json")
    refused = run_on_data(data, *withdraw)
    assert (refused.returncode, refused.stdout) == (2, "")
    gone = run_on_data(data, *withdraw, "--yes")
    assert "This run is withdrawn" in gone.stderr
    row = json.loads(gone.stdout)
    assert row["withdrawn"]["reason"] == "wrong key"
    assert row["moved"][0]["score_after"] is None
    back = json.loads(run_on_data(data, *withdraw, "--undo", "--yes").stdout)
    assert (back["withdrawn"], back["run_id"]) == (None, run.run_id)
    assert back["undone_withdrawals"][0]["undone_because"] == "wrong key"
    assert back["record"] == str(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"benchmark_version": "ba9876543210"}, "is not minted"),
        ({"harness": None}, "does not name the commit of this program: run again"),
    ],
)
def test_doubtful_runs_need_a_reason(
    data: DataFolder, changes: dict[str, object], reason: str
) -> None:
    """A doubtful run is refused with the doubt, and published with the reason in its record."""
    run = write_local_run(data, "a" * 32, **changes)
    refused = run_on_data(data, "publish", "aaaa", code=2)
    assert reason in refused.stderr
    assert list(data.list_run_files()) == []
    run_on_data(data, "publish", "aaaa", "--why", "an early look", code=0)
    published = read_run(data.get_run_file(*run.key))
    assert published.published_because == "an early look"


def test_a_suite_that_changed_since_the_run_is_reported(data: DataFolder) -> None:
    """A version that can no longer be minted is not proposed; that of today's suite is named."""
    suite = write_command_suite(data.root.parent / "evals")
    before = find_version_beside(data)
    write_local_run(data, "a" * 32, benchmark_version=before)
    refused = run_on_data(data, "publish", "aaaa")
    assert f"version {before} is not minted: leaderboard suite mint" in refused.stderr
    (suite / "guidelines.md").write_text("# Guidelines\n\n## Sums\n\nAdd with care.\n")
    later = run_on_data(data, "publish", "aaaa")
    assert f"version {before} is not minted, and the suite has changed since" in later.stderr
    assert f"would mint version {find_version_beside(data)}" in later.stderr


def test_a_part_of_the_suite_is_doubtful(run: Run, data: DataFolder) -> None:
    """A run of a part of the suite is refused with that doubt."""
    part = run.model_copy(
        update={"planned": run.planned[:-1], "attempts": run.attempts[:-1], "totals": run.totals}
    )
    write_run(data.local, part)
    refused = run_on_data(data, "publish", "aaaa")
    assert "it is of a part of the suite" in refused.stderr


def test_a_changed_archive_is_refused_with_any_reason(run: Run, data: DataFolder) -> None:
    """Readers would see an answer that was not judged."""
    first, *others = run.planned
    forged = examples.make_artifact(first, reply="forged")
    examples.write_answers(data.local, run, [forged, *map(examples.make_artifact, others)])
    refused = run_on_data(data, "publish", "aaaa", "--why", "I say so", code=2)
    assert "was changed" in refused.stderr


@pytest.mark.more
def test_two_processes_publish_a_hundred_runs(data: DataFolder) -> None:
    """Each publishes fifty at the same time: all are there, and valid."""
    letters = "abcdefghijklmnopqrstuvwxyz234567"
    ids = [f"{letters[n // 32]}{letters[n % 32]}" + "a" * 30 for n in range(100)]
    for run_id in ids:
        write_local_run(data, run_id)
    halves = (ids[:50], ids[50:])
    with ThreadPoolExecutor(2) as threads:
        started = [threads.submit(run_on_data, data, "publish", *half) for half in halves]
        done = [item.result() for item in started]
    assert [item.returncode for item in done] == [0, 0], [item.stderr for item in done]
    assert sorted(path.stem for path in data.list_run_files()) == sorted(ids)
    assert list(data.local.list_run_files()) == []
    assert check_all(data) == []


def test_a_withdrawal_is_undone(run: Run, data: DataFolder) -> None:
    """The run counts again; the record keeps who withdrew it and who took that back, with dates."""
    run_on_data(data, "publish", "aaaa")
    undo = ("withdraw", "aaaa", "--undo", "--by", "you", "--yes")
    refused = run_on_data(data, *undo, "--why", "nothing to undo")
    assert (refused.returncode, "is not withdrawn" in refused.stderr) == (2, True)
    run_on_data(data, "withdraw", "aaaa", "--why", "the wrong key", "--by", "me", "--yes")
    done = run_on_data(data, *undo, "--why", "it was right", code=0)
    assert "by me: the wrong key" in done.stdout
    again = read_run(data.get_run_file(*run.key))
    assert again.withdrawn is None
    (undone,) = again.undone_withdrawals
    assert (undone.by, undone.reason) == ("me", "the wrong key")
    assert (undone.undone_by, undone.undone_because) == ("you", "it was right")
    assert undone.at is not None
    assert undone.at <= undone.undone_at
    assert check_all(data) == []


def test_nothing_is_withdrawn_without_consent(run: Run, data: DataFolder) -> None:
    """Without a terminal, --yes is needed; the run to withdraw is shown all the same."""
    run_on_data(data, "publish", "aaaa")
    refused = run_on_data(data, "withdraw", "aaaa", "--why", "the wrong key", "--by", "me", code=2)
    assert "--yes" in refused.stderr
    assert run.model.slug in refused.stdout
    assert read_run(data.get_run_file(*run.key)).withdrawn is None


@pytest.mark.parametrize(("key", "withdrawn"), [("y", True), ("n", False)])
def test_a_terminal_is_asked(run: Run, data: DataFolder, key: str, *, withdrawn: bool) -> None:
    """Only the answer y withdraws the run."""
    run_on_data(data, "publish", "aaaa")
    words = ("withdraw", "aaaa", "--why", "the wrong key", "--by", "me", "--data", str(data.root))
    with Terminal(words) as terminal:
        terminal.wait_for("[y/N]")
        terminal.type(f"{key}\n")
        assert terminal.wait_for_end() == (0 if withdrawn else 130)
    record = read_run(data.get_run_file(*run.key))
    assert (record.withdrawn is not None) == withdrawn


@pytest.mark.parametrize("arguments", [("withdraw", "aaaa", "--yes"), ("publish", "aaaa")])
@pytest.mark.parametrize("reason", ["x", "naïveté"])
def test_a_reason_has_content(data: DataFolder, arguments: tuple[str, ...], reason: str) -> None:
    """A reason has 8 characters, however many bytes these are: the record keeps it for ever."""
    refused = run_on_data(data, *arguments, "--why", f" {reason} ", code=2)
    assert f"{reason!r} is too short for a reason" in refused.stderr
    assert "at least 8 characters" in refused.stderr


def test_local_runs_are_not_withdrawn(data: DataFolder) -> None:
    """Local runs are in no score."""
    write_local_run(data, "a" * 32)
    refused = run_on_data(data, "withdraw", "aaaa", "--why", "the wrong key", "--by", "me", "--yes")
    assert (refused.returncode, "is local" in refused.stderr) == (2, True)


def test_a_published_run_is_not_published_again(run: Run, data: DataFolder) -> None:
    """The message names its record; a publication that was killed is completed."""
    run_on_data(data, "publish", "aaaa")
    path = data.get_run_file(*run.key)
    again = run_on_data(data, "publish", "aaaa", code=2)
    assert f"is published already: {path}" in again.stderr
    write_local_run(data, "a" * 32)
    run_on_data(data, "publish", "aaaa", code=0)
    assert list(data.local.list_run_files()) == []


def test_an_unfinished_run_names_the_command_that_goes_on(data: DataFolder) -> None:
    """The command has the run's id and the data folder."""
    write_local_run(data, "a" * 32, status="running", finished_at=None)
    refused = run_on_data(data, "publish", "aaaa", "--why", "an early look", code=2)
    assert f"run --resume aaaaaaaa --data {data.root}" in refused.stderr


def test_nothing_is_published_where_a_run_cannot_be(data: DataFolder) -> None:
    """All runs are checked before the first is moved."""
    write_local_run(data, "a" * 32)
    write_local_run(data, "b" * 32, harness=None)
    run_on_data(data, "publish", "aaaa", "bbbb", code=2)
    assert list(data.list_run_files()) == []


def test_ambiguous_ids_are_listed(data: DataFolder) -> None:
    """Runs with the same beginning of their ids are listed with model, date and place."""
    write_local_run(data, "aaaab" + "a" * 27)
    run_on_data(data, "publish", "aaaab")
    write_local_run(data, "aaaac" + "a" * 27)
    for name in ("publish", "withdraw", "report", "regrade", "verify", "send"):
        more = ("--why", "some reason", "--yes") if name == "withdraw" else ()
        refused = run_on_data(data, name, "aaaa", *more, code=2)
        published, local = sorted(
            line.split() for line in refused.stderr.splitlines() if line.startswith("  ")
        )
        assert (published[0], published[-1]) == ("aaaabaaa", "published")
        assert (local[0], local[-1]) == ("aaaacaaa", "local")


PROSE = {"text": "Prose, no files."}
REFUSED = {"kind": "status", "status": 400, "body": '{"error": {"message": "too long"}}'}


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


@dataclass(frozen=True, slots=True)
class Publishing:
    """A suite whose version is minted, and runs over it by a program of a given state."""

    asking: AskedSuite
    program: Path

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run models over the suite; return all output."""
        return self.call("run", *arguments, *self.asking.options, code=code)

    def call(self, *arguments: str, code: int = 0) -> str:
        """Run a command; git takes ``program`` for its work tree."""
        tree = {"GIT_DIR": str(self.program / ".git"), "GIT_WORK_TREE": str(self.program)}
        return self.asking.call(*arguments, code=code, variables=tree)

    def read_only_run(self, *, is_local: bool = False) -> Run:
        """Return the only published run, or the only local one; no other run is there."""
        data = self.asking.data
        (path,) = [*data.list_run_files(), *data.local.list_run_files()]
        assert is_local == path.is_relative_to(data.local.root)
        return read_run(path)


@pytest.fixture
def publish(ask_suite: AskSuite, program: Path) -> Callable[..., Publishing]:
    """The maker of a minted suite, whose provider refuses the questions of this number once."""

    def make(*refused: int) -> Publishing:
        rules = [{"match": f"<{number}>", "steps": [REFUSED], "then": PROSE} for number in refused]
        asking = ask_suite({"rules": rules, "default": PROSE})
        asking.call("suite", "mint", *asking.folders)
        return Publishing(asking, program)

    return make


Publish = Callable[..., Publishing]
MODEL = ("-m", "openai/m")


def test_a_whole_run_is_published_at_its_end(publish: Publish) -> None:
    """No file is left in the local folder, and the files to commit are listed."""
    project = publish()
    printed = project.run(*MODEL, "--publish")
    record = project.read_only_run()
    assert (record.status, record.published_because) == ("completed", None)
    data = project.asking.data
    assert list(data.local.list_artifact_files()) == []
    path = data.get_run_file(*record.key)
    assert f"\n  {path}\n" in printed
    assert "1 new run" in printed
    archive = data.get_artifact_file(*record.key)
    assert shlex.join(["git", "add", str(archive), str(path)]) in printed


def test_a_part_of_the_suite_is_refused_before_anybody_is_asked(publish: Publish) -> None:
    """No answer is paid for; with a reason the run is published, and its record has the reason."""
    project = publish()
    options = (*MODEL, "--publish", "-f", "000-task")
    refused = project.run(*options, "--samples", "2", code=2)
    assert "it is of a part of the suite: 1 of 3 evals" in refused
    assert project.asking.take_asked() == []
    data = project.asking.data
    assert [
        *data.list_run_files(),
        *data.local.list_run_files(),
        *data.local.list_journal_files(),
    ] == []
    project.run(*options, "--why", "a first look at one task")
    assert project.read_only_run().published_because == "a first look at one task"


def test_a_changed_program_is_refused_before_anybody_is_asked(
    publish: Publish, program: Path
) -> None:
    """`publish` refuses the local run of it with the same words; data are no program's files."""
    project = publish()
    (program / "data" / "record.json").write_text("{}")
    project.run("-m", "stub", "--publish")
    (program / "file.py").write_text("# x\n")
    refused = project.run("-m", "stub", "--publish", code=2)
    (reason,) = re.findall(r"files of this program differed from commit \w{40}", refused)
    project.run("-m", "stub")
    (record,) = project.asking.read_local_runs()
    folders = ("--data", str(project.asking.data.root))
    assert reason in project.asking.call("publish", record.run_id[:8], *folders, code=2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--publish",), "is not minted: leaderboard suite mint"),
        (("--why", "a first look"), "give --publish"),
    ],
)
def test_what_publishing_needs_is_named(
    ask_suite: AskSuite, program: Path, options: tuple[str, ...], reason: str
) -> None:
    """The message names the command that mints a version, or the option that a reason needs."""
    project = Publishing(ask_suite({"default": PROSE}), program)
    assert reason in project.run("-m", "stub", *options, code=2)


def test_a_run_without_some_verdict_stays_local(publish: Publish) -> None:
    """Two commands are printed: to resume and publish, and to publish now with a reason."""
    project = publish(1)
    printed = project.run(*MODEL, "--publish", code=3)
    short = project.read_only_run(is_local=True).run_id[:8]
    assert f"Run {short} stays local: it is incomplete: 2 of 3 attempts" in printed
    data = shlex.quote(str(project.asking.data.root))
    assert f"publish {short} --data {data} --why TEXT" in printed
    again = parse_next_command(printed)
    assert "--publish" in again
    project.call(*again)
    published = project.read_only_run()
    assert (published.unjudged, published.published_because) == (0, None)


def test_a_reason_publishes_runs_without_a_verdict(publish: Publish) -> None:
    """The record has the reason; the run goes on in its published place."""
    project = publish(1)
    project.run(*MODEL, "--publish", "--why", "asked again tomorrow", code=3)
    record = project.read_only_run()
    assert record.published_because == "asked again tomorrow"
    assert {attempt.outcome for attempt in record.attempts} == {
        Outcome.FAILED,
        Outcome.INFRASTRUCTURE,
    }
    project.run("--resume", record.run_id[:8])
    assert project.read_only_run().unjudged == 0


def test_next_commands_are_printed(publish: Publish) -> None:
    """Each next command runs as it is printed, except the report, which needs an author.

    The last command serves the table of the run, over all evals or over the selected evals.
    """
    project = publish()
    *listed, served = project.run("-m", "stub").partition("\nNext:\n")[2].splitlines()
    record = project.read_only_run(is_local=True)
    short, name = record.run_id[:8], record.planned[0]
    starts = ["runs", "evals status --failed", f"report {short}", f"publish {short}"]
    assert "leaderboard serve --evals" in served
    assert re.search(r"# their table: /benchmarks/\w+/$", served)
    assert len(listed) == len(starts)
    for line, start in zip(listed, starts, strict=True):
        words = shlex.split(line)
        arguments = words[words.index(start.split()[0]) :]
        assert " ".join(arguments).startswith(start)
        author = ("--author", "me") if start.startswith("report") else ()
        project.call(*arguments, *author)
    selected = project.run("-m", "stub", "-f", name)
    assert re.search(r"# their table: /benchmarks/\w+/parts/1-\w{8}/\n$", selected)
