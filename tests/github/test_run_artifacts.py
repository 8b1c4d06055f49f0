"""Artifacts of runs: stored whole, trusted only from the periodic workflow, restored with care."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.entries import Generated, Graded, make_opening_entry
from records.reader import read_run
from records.runs.run_lookup import list_stored_runs
from records.writer import write_run
from runner.runs.history import find_unfinished
from tests.github.storage import Storage, serve_storage
from tests.records import examples
from tests.support.git import commit_all, run_git
from tests.support.warm_command import ROOT, make_command_environment
from tests.support.zips import pack_zip

pytestmark = pytest.mark.more

NAME = "run_maker_model_default"
ON_GITHUB = {
    "GITHUB_REPOSITORY": "us/board",
    "GITHUB_REF_NAME": "main",
    "GITHUB_TOKEN": "secret",
}


def run_script(
    folder: Path, *arguments: str, script: str = "run_artifacts", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in a clone."""
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / f"{script}.py", *arguments],
        cwd=folder,
        env=make_command_environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )


class Clones:
    """A project whose only run ended incomplete, and clones of it."""

    def __init__(self, folder: Path, storage: Storage) -> None:
        """Commit the run."""
        self.folder, self.storage = folder, storage
        self.origin = folder / "origin"
        self.origin.mkdir()
        self.run = examples.with_model(examples.make_run("a" * 32), slug="maker/model")
        write_run(DataFolder(self.origin / "data"), self.run)
        run_git(self.origin, "init", "--quiet", "--initial-branch=main", ".")
        self.commit("begin")

    def commit(self, message: str) -> None:
        """Commit all that is in the project."""
        commit_all(self.origin, message)

    def clone(self, name: str) -> Path:
        """Return a clone of the project as it is now."""
        run_git(self.folder, "clone", "--quiet", "origin", name)
        return self.folder / name

    def keep(self, clone: Path, run: int) -> Path:
        """Save the changed files of a clone, and upload them; return their folder."""
        saved = clone.parent / f"{clone.name}-kept"
        saved.mkdir()
        done = run_script(clone, "keep", str(saved))
        assert done.returncode == 0, done.stderr
        self.storage.upload(run, NAME, saved)
        return saved

    def fetch(self, clone: Path, code: int = 0) -> str:
        """Fetch the artifact into a clone; return the output."""
        done = run_script(
            clone,
            *("fetch", "maker/model", "default"),
            **ON_GITHUB,
            GITHUB_API_URL=self.storage.address,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def read_record_bytes(self, clone: Path) -> bytes:
        """Return the record in a clone."""
        return DataFolder(clone / "data").get_run_file("maker/model", self.run.run_id).read_bytes()

    def go_on(self, clone: Path) -> Path:
        """Change the record and begin a journal, as a killed resume does; return the journal."""
        data = DataFolder(clone / "data")
        path = data.get_journal_file("maker/model", self.run.run_id)
        examples.create_journal(path, make_opening_entry(self.run)).close()
        write_run(data, make_opening_entry(self.run).run)
        return path


@pytest.fixture
def clones(tmp_path: Path) -> Iterator[Clones]:
    """The project, with GitHub's artifacts."""
    with serve_storage() as storage:
        yield Clones(tmp_path, storage)


def test_an_unfinished_run_is_kept_and_taken_out(clones: Clones) -> None:
    """A commit after it has no journal, and the record in its earlier state."""
    clone = clones.clone("first")
    journal = clones.go_on(clone)
    before, begun = clones.read_record_bytes(clones.origin), clones.read_record_bytes(clone)
    saved = clones.keep(clone, clones.storage.begin_run())
    assert not journal.exists()
    assert clones.read_record_bytes(clone) == before
    assert clones.read_record_bytes(saved) == begun
    second = clones.clone("second")
    assert "is restored from an earlier night: 2 files" in clones.fetch(second)
    assert clones.read_record_bytes(second) == begun
    assert (second / journal.relative_to(clone)).exists()
    assert clones.storage.authorized == {""}


def record_unfinished(clone: Path) -> str:
    """Record the runs that were killed in a clone; return the output."""
    done = run_script(clone, script="record_unfinished")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("verdicts", [0, 1, 3])
def test_a_local_run_that_was_killed_is_published_with_its_verdicts(
    clones: Clones, verdicts: int
) -> None:
    """Its journal moves with it, and goes on; without a verdict all stays local."""
    data = DataFolder(clones.clone("first") / "data")
    run = clones.run.model_copy(update={"run_id": "b" * 32})
    local = data.local.get_journal_file("maker/model", run.run_id)
    plan = make_opening_entry(run)
    with examples.create_journal(local, plan) as journal:
        for name in run.planned[:verdicts]:
            attempt = examples.make_attempt(name)
            reply = Generated(
                eval=name,
                sample=1,
                messages=(),
                reply="x",
                generation=attempt.generation,
                fault=None,
            )
            journal.append(reply)
            journal.append(Graded(attempt=attempt, files=examples.FILES, logs={}))
    printed = record_unfinished(data.root.parent)
    published = data.get_run_file("maker/model", run.run_id)
    journal_beside = data.get_journal_file("maker/model", run.run_id)
    assert (published.exists(), local.exists()) == (verdicts > 0, verdicts == 0), printed
    assert journal_beside.exists() == (0 < verdicts < len(run.planned))
    if verdicts:
        record = read_run(published)
        assert record.status == ("completed" if verdicts == len(run.planned) else "aborted")
        assert not data.local.get_run_file("maker/model", run.run_id).exists()
        unfinished = find_unfinished(list_stored_runs(data), record, record.date)
        questions = () if unfinished is None else unfinished.questions
        assert questions == run.planned[verdicts:]
    clones.keep(data.root.parent, clones.storage.begin_run())
    assert not journal_beside.exists()


def test_the_record_of_a_run_that_was_stopped_is_committed(clones: Clones) -> None:
    """Only the journal is taken out: it goes on from the artifact, and the verdicts are in git."""
    clone = clones.clone("first")
    journal = clones.go_on(clone)
    record_unfinished(clone)
    stopped = clones.read_record_bytes(clone)
    assert b'"status": "aborted"' in stopped
    clones.keep(clone, clones.storage.begin_run())
    assert not journal.exists()
    assert clones.read_record_bytes(clone) == stopped
    commit_all(clone, "stopped")
    run_git(clones.origin, "pull", "--quiet", str(clone), "main")
    second = clones.clone("second")
    assert "is restored from an earlier night" in clones.fetch(second)
    assert (second / journal.relative_to(clone)).exists()
    assert clones.fetch(second) == ""


def test_a_local_run_is_kept_and_not_put_back_once_it_is_published(clones: Clones) -> None:
    """Git ignores local runs; a published run of the same id is its later state."""
    (clones.origin / ".gitignore").write_text("/data/local/\n")
    clones.commit("ignore")
    clone = clones.clone("first")
    other = clones.run.model_copy(update={"run_id": "b" * 32})
    write_run(DataFolder(clone / "data").local, other)
    clones.keep(clone, clones.storage.begin_run())
    record = DataFolder(clone / "data").local.get_run_file("maker/model", other.run_id)
    assert record.exists()
    second = clones.clone("second")
    assert "run bbbbbbbb is restored" in clones.fetch(second)
    assert (second / record.relative_to(clone)).read_bytes() == record.read_bytes()
    published = other.model_copy(update={"budget_usd": 5.0})
    write_run(DataFolder(clones.origin / "data"), published)
    clones.commit("published")
    third = clones.clone("third")
    assert "run bbbbbbbb was changed in git since the artifact" in clones.fetch(third)
    assert not (third / record.relative_to(clone)).exists()


def test_a_former_path_with_a_colon_is_kept_without_it(clones: Clones) -> None:
    """GitHub refuses a whole artifact for one colon; the file returns to its former path."""
    former = clones.origin / "data/runs/maker/model:free" / f"{'c' * 32}.json"
    former.parent.mkdir(parents=True)
    former.write_text("{}")
    clones.commit("by an earlier version")
    clone = clones.clone("first")
    record = clone / former.relative_to(clones.origin)
    record.write_text('{"status": "completed"}')
    kept = clones.keep(clone, clones.storage.begin_run())
    assert not [path for path in kept.rglob("*") if ":" in str(path.relative_to(kept))]
    second = clones.clone("second")
    assert "run cccccccc is restored" in clones.fetch(second)
    restored = second / former.relative_to(clones.origin)
    assert restored.read_bytes() == record.read_bytes()
    assert [path.name for path in restored.parent.parent.iterdir() if "free" in path.name] == [
        "model:free"
    ]


def test_nothing_is_kept_where_nothing_was_written(clones: Clones) -> None:
    """There is no artifact then, and an earlier artifact stays the newest."""
    clone = clones.clone("first")
    (clone / "data" / "other.txt").write_text("of no run")
    clones.keep(clone, clones.storage.begin_run())
    assert clones.storage.artifacts == []
    assert clones.fetch(clone) == ""


def test_a_record_that_git_has_changed_since_stays(clones: Clones) -> None:
    """A person published, withdrew or regraded the run in between."""
    clone = clones.clone("first")
    clones.go_on(clone)
    clones.keep(clone, clones.storage.begin_run())
    later = clones.run.model_copy(update={"budget_usd": 5.0})
    write_run(DataFolder(clones.origin / "data"), later)
    clones.commit("by hand")
    second = clones.clone("second")
    assert "was changed in git since the artifact: not restored" in clones.fetch(second)
    assert clones.read_record_bytes(second) == clones.read_record_bytes(clones.origin)


@pytest.mark.parametrize(
    "stranger",
    [
        {"path": ".github/workflows/pr.yml"},
        {"event": "pull_request"},
        {"head_branch": "fix"},
        {"head_repository": {"full_name": "stranger/board"}},
        {"head_repository": None},
    ],
)
def test_an_artifact_of_another_origin_is_passed_over(
    clones: Clones, stranger: dict[str, object]
) -> None:
    """A pull request may choose any name for its artifact; the newest of ours counts."""
    clone = clones.clone("first")
    clones.go_on(clone)
    clones.keep(clone, clones.storage.begin_run())
    forged = pack_zip(("data/models.toml", "forged"))
    clones.storage.add(clones.storage.begin_run(**stranger), NAME, forged)
    second = clones.clone("second")
    assert "is restored" in clones.fetch(second)
    clones.storage.artifacts = clones.storage.artifacts[1:]
    assert clones.fetch(clones.clone("third")) == ""


@pytest.mark.parametrize(
    "path", ["data/models.toml", "../data/runs/x", "data/runs/maker/model/../../a.json"]
)
def test_an_artifact_with_another_file_is_refused(clones: Clones, path: str) -> None:
    """Nothing but records, journals and archives of runs is ever written."""
    packed = pack_zip((path, "x"), ("kept.json", json.dumps({"before": {path: None}})))
    clones.storage.add(clones.storage.begin_run(), NAME, packed)
    assert "not the files of a run" in clones.fetch(clones.clone("first"), code=1)


def test_a_server_that_fails_stops_the_night(clones: Clones) -> None:
    """Without the artifact a run would begin again, and be paid twice."""
    done = run_script(
        clones.clone("first"),
        *("fetch", "maker/model", "default"),
        **ON_GITHUB,
        GITHUB_API_URL="http://127.0.0.1:9",
    )
    assert done.returncode != 0
