"""A new version of the suite: only evals whose prompt changed are asked again."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Run
from runner.errors import NotPublishableError
from runner.evals.discovery import discover
from runner.runs.publish import publish
from runner.suite.mint import mint
from tests.runner.conftest import FIRST_STEP_ONLY, SlowProvider, write_prose_suite
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration

KEY = "LEADERBOARD_STORY_KEY"
PROSE = {"text": "Prose, no files."}
SCRIPT = {
    "rules": [{"match": "refuses", "steps": [{"kind": "status", "status": 400}], "then": PROSE}],
    "default": PROSE,
}
CHANGED = "000-fundamentals/001-task"


@dataclass
class Story:
    """A suite of three evals that a model was asked once, its data folder and its provider."""

    suite: Path
    data: DataFolder
    provider: SlowProvider
    before: int = 0
    """Requests that the provider had before."""

    def run_leaderboard(
        self, *arguments: str, code: int = 0, key: bool = True, before: str | None = None
    ) -> Ended:
        """Run a command over suite and data, after ``before``; it must end with ``code``."""
        folders = ["--data", str(self.data.root)]
        if arguments[0] in {"run", "regrade", "verify", "build"}:
            folders += ["--evals", str(self.suite)]
        keys = {KEY: "a-key-of-the-story"} if key else {}
        return run_command(*arguments, *folders, variables=keys, before=before, code=code)

    def run(self, *arguments: str, code: int = 0, key: bool = True, is_graded: bool = False) -> Run:
        """Run the model over the suite; return the record, which is local.

        Every answer fails at the first step, for which the grading is opened if ``is_graded``.
        """
        before = {path.stem for path in self.data.local.list_run_files()}
        first_step = None if is_graded else FIRST_STEP_ONLY
        command = ("run", "-m", "maker/m", "--graders", "1", *arguments)
        self.run_leaderboard(*command, code=code, key=key, before=first_step)
        (path,) = (path for path in self.data.local.list_run_files() if path.stem not in before)
        return read_run(path)

    def find_first_run(self) -> Run:
        """Return the run that asked all."""
        return min(self.read_local_runs(), key=lambda run: run.began)

    def read_local_runs(self) -> list[Run]:
        """Return all local runs."""
        return [read_run(path) for path in self.data.local.list_run_files()]

    def publish(self, run: Run) -> None:
        """Publish a run, also if this program has uncommitted changes."""
        publish(self.data, run, "a story")

    def change_task(self, text: str) -> None:
        """Change the task of one eval, and mint the version."""
        (self.suite / CHANGED / "TASK.txt").write_text(text)
        self.mint()

    def change_grader(self, name: str = CHANGED) -> None:
        """Change the grader of one eval, and mint the version."""
        with (self.suite / name / "grader.py").open("a", encoding="utf-8") as grader:
            grader.write("\n\nLATER = 1\n")
        self.mint()

    def mint(self) -> None:
        """Define the version of the suite."""
        mint(discover(self.suite), self.data)

    def list_asked(self) -> list[int]:
        """Return the numbers of the evals that the model was asked since the first run."""
        return self.provider.list_asked()[self.before :]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Return a suite, minted, and a run of all of it; nobody changes these."""
    folder = tmp_path_factory.mktemp("begun")
    suite, data = write_prose_suite(folder / "evals", 3), DataFolder(folder / "data")
    data.root.mkdir()
    provider = SlowProvider(folder, SCRIPT)
    data.models_file.write_text(
        'schema_version = 1\n[[models]]\nslug = "maker/m"\nname = "M"\nprovider = "Maker"\n'
        f'litellm_id = "openai/m"\napi_base = "{provider.address}"\napi_key_env = "{KEY}"\n'
        "limits = { max_output_tokens = 4096 }\nprice = { input = 1, output = 10 }\n"
    )
    story = Story(suite, data, provider)
    story.mint()
    story.run(is_graded=True)
    assert sorted(provider.list_asked()) == [0, 1, 2]
    yield story
    provider.end()


@pytest.fixture
def story(begun: Story, tmp_path: Path) -> Story:
    """Return a copy to change."""
    suite = Path(shutil.copytree(begun.suite, tmp_path / "evals", symlinks=True))
    data = DataFolder(Path(shutil.copytree(begun.data.root, tmp_path / "data")))
    return Story(suite, data, begun.provider, len(begun.provider.list_asked()))


def find_origins(run: Run) -> dict[str, str | None]:
    """Return by eval the run that asked for its answer; None where ``run`` did."""
    return {
        attempt.eval: attempt.carried_over and attempt.carried_over.run for attempt in run.attempts
    }


@pytest.fixture
def first(story: Story) -> Run:
    """Return the run that asked all."""
    return story.find_first_run()


def test_only_the_changed_eval_is_asked_again(first: Run, story: Story, tmp_path: Path) -> None:
    """The other answers are carried over, shown with their run, and cost nothing again."""
    story.publish(first)
    story.change_task("Write answer number <1> in other words.\n")
    second = story.run("--carry-over", "30")
    assert story.list_asked() == [1]
    sources = {entry.eval: first.run_id for entry in first.attempts}
    assert find_origins(second) == sources | {CHANGED: None}
    assert second.carry_over_days == 30
    assert (second.totals.cost_known_for, second.totals.generation_known_for) == (1, 1)
    assert [entry.generation for entry in second.attempts if entry.carried_over] == [
        entry.generation for entry in first.attempts if entry.eval != CHANGED
    ]
    story.publish(second)
    assert check_all(story.data) == []

    site = tmp_path / "site"
    addresses = ("--address", "https://board.dev", "--repository", "https://github.com/a/b")
    story.run_leaderboard("build", "--strict", "--out", str(site), *addresses)
    page = (site / "runs" / second.run_id / "index.html").read_text("utf-8")
    assert "2 of 3 answers were carried over" in page
    assert f"runs/{first.run_id}/" in page
    attempts = site / "runs" / second.run_id / "000-fundamentals" / "index.html"
    tree = LexborHTMLParser(attempts.read_text("utf-8"))
    carried, changed = (
        tree.css_first(f'[id="{name.partition("/")[2]}/"]')
        for name in ("000-fundamentals/000-task", CHANGED)
    )
    assert carried is not None
    assert f"runs/{first.run_id}/#000-fundamentals-000-task" in (carried.html or "")
    assert changed is not None
    assert "carried over" not in changed.text()
    rows = json.loads((site / "api" / "v1" / "runs.json").read_text("utf-8"))
    assert {entry["run_id"]: entry["carried_over"] for entry in rows["rows"]} == {
        first.run_id: 0,
        second.run_id: 2,
    }


def test_a_plan_lists_carried_answers(first: Run, story: Story) -> None:
    """A plan has the source of carried answers, the questions with reasons, and their cost."""
    story.change_task("Write answer number <1> in other words.\n")
    plan = ("run", "-m", "maker/m", "--carry-over", "--plan")
    (row,) = json.loads(story.run_leaderboard(*plan, "--json", key=False).stdout)
    assert row["carried_over"] == {first.run_id: 2}
    assert (row["asked"], row["asked_because"]) == (1, {"with another prompt": 1})
    assert first.totals.cost_usd is not None
    assert row["expected_usd"] == pytest.approx(first.totals.cost_usd / 3, rel=0.2)
    other = story.data.models_file.read_text().replace("max_output_tokens = 4096", "timeout_s = 9")
    story.data.models_file.write_text(other)
    output = story.run_leaderboard(*plan, key=False).stdout
    assert f"nothing is carried over from run {first.run_id[:8]}: it sent other param" in output


def test_a_run_that_asks_for_nothing_needs_no_key(first: Run, story: Story) -> None:
    """Only a grader changed: all answers are carried over and graded by today's graders."""
    story.change_grader()
    second = story.run("--carry-over", key=False, is_graded=True)
    assert story.list_asked() == []
    assert set(find_origins(second).values()) == {first.run_id}
    assert second.totals.cost_usd is None
    before = {attempt.eval: attempt.key for attempt in first.attempts}
    after = {attempt.eval: attempt.key for attempt in second.attempts}
    assert [name for name in before if before[name] != after[name]] == [CHANGED]
    assert check_all(story.data) == []

    # A third run of this version is a repeat, for which each question is asked.
    needs = story.run_leaderboard("run", "-m", "maker/m", "--carry-over", code=2, key=False)
    assert KEY in needs.stderr


def find_due_row(story: Story, *options: str, key: bool = True) -> dict[str, Any] | None:
    """Return the row of `models --due` for the run with guidelines; None if it is not due."""
    folders = ("--evals", str(story.suite))
    done = story.run_leaderboard("models", "--due", "--json", *options, *folders, key=key)
    rows = [row for row in json.loads(done.stdout) if row["experiment"] == "default"]
    return next(iter(rows), None)


def test_a_model_is_due_until_its_answers_are_carried_over(story: Story) -> None:
    """Answers to an earlier version do not make it current; the run that takes them over does."""
    story.publish(story.find_first_run())
    assert find_due_row(story) is None
    story.change_task("Write answer number <1> in other words.\n")
    whole = find_due_row(story, "--budget", "5")
    assert whole is not None
    assert (whole["decision"], whole["questions"], whole["carried_over"]) == ("asked", 3, 0)
    part = find_due_row(story, "--budget", "5", "--carry-over")
    assert part is not None
    assert (part["decision"], part["questions"], part["carried_over"]) == ("asked", 1, 2)
    assert 0 < part["most_usd"] < whole["most_usd"] / 2
    story.publish(story.run("--carry-over"))
    assert story.list_asked() == [1]
    assert find_due_row(story) is None


def test_a_run_without_a_question_is_planned_without_a_key(story: Story) -> None:
    """A run without questions costs nothing; a model with questions waits for its key."""
    story.publish(story.find_first_run())
    story.change_grader()
    row = find_due_row(story, "--night-budget", "5", "--carry-over", key=False)
    assert row is not None
    assert (row["decision"], row["questions"], row["tonight_usd"]) == ("asked", 0, 0)
    asking = find_due_row(story, key=False)
    assert asking is not None
    assert asking["decision"] == "no_key"


def test_a_run_is_published_after_those_that_asked(first: Run, story: Story) -> None:
    """Without the source run a reader could not find the answer; a withdrawal names its users."""
    story.change_grader()
    second = story.run("--carry-over", key=False)
    with pytest.raises(NotPublishableError, match=f"publish run {first.run_id} first"):
        story.publish(second)
    story.publish(first)
    story.publish(second)
    assert check_all(story.data) == []
    third = second.model_copy(update={"run_id": "a" * 32})
    with pytest.raises(NotPublishableError, match="scores would count them twice"):
        story.publish(third)
    done = story.run_leaderboard(
        "withdraw", first.run_id, "--yes", "--why", "wrong model", "--by", "me"
    )
    assert f"run {second.run_id[:8]} carried over its answers" in done.stderr


@pytest.mark.more
def test_carried_answers_are_verified_and_graded_again(first: Run, story: Story) -> None:
    """Each of these commands takes the answers from the run's own archive."""
    story.change_grader()
    second = story.run("--carry-over", key=False, is_graded=True)
    assert "3 attempts: 3 reproduced" in story.run_leaderboard("verify", second.run_id).stdout
    refused = story.run_leaderboard("regrade", first.run_id, code=2)
    assert f"run {second.run_id} of version" in refused.stderr
    story.change_grader("000-fundamentals/000-task")
    story.run_leaderboard("regrade", second.run_id)
    (again,) = (run for run in story.read_local_runs() if run.run_id == second.run_id)
    assert len(again.attempts[0].earlier_verdicts) == 1
    assert find_origins(again) == find_origins(second)
    assert check_all(story.data) == []
    compared = story.run_leaderboard("diff", first.run_id, second.run_id)
    assert "answers carried over" in compared.stdout


def test_an_interrupted_run_keeps_carried_answers(first: Run, story: Story) -> None:
    """The provider fails at the only question: a resume repeats that question, and no other."""
    story.change_task("Write answer number <1> in words that the provider refuses.\n")
    begun = story.run("--carry-over", code=3)
    assert begun.unjudged == 1
    story.run_leaderboard("run", "--resume", begun.run_id, "--graders", "1", before=FIRST_STEP_ONLY)
    assert story.list_asked() == [1, 1]
    (ended,) = (run for run in story.read_local_runs() if run.run_id == begun.run_id)
    assert ended.unjudged == 0
    assert set(find_origins(ended).values()) == {None, first.run_id}
    assert check_all(story.data) == []
