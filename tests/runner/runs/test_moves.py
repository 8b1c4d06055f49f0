"""Published runs that move to a new version: what counts there, what is kept, and after a kill."""

import shutil
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from records.archives.archive import Archive, compute_artifact_digest, write_archive
from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.reader import read_benchmarks, read_run
from records.shapes.attempt import Attempt, CarriedOver, Outcome, StepName
from records.shapes.run import Run, Withdrawal
from records.writer import write_run
from runner.evals.discovery import discover
from runner.grading import grade
from runner.grading.answer_steps import GradingSettings
from runner.python_toolchain import find_grading_toolchain
from runner.runs import regrade
from runner.suite.mint import make_benchmark, mint
from tests.records import examples
from tests.runner.growing_graders import pass_at_once
from tests.runner.small_eval import EVALS, write_eval

pytestmark = pytest.mark.unit

NAMES = tuple(f"000-fundamentals/{number:03}-task" for number in range(10))
FIRST, *_, LAST = NAMES
RUNS = ("a" * 32, "b" * 32)


class Graders:
    """Graders by which every answer passes."""

    window = threads = 1

    def __init__(self, grading: regrade.Grading) -> None:
        """Begin without a submission."""
        self.grading = grading
        self.graded: list[str] = []

    def submit(self, submission: grade.Submission) -> Future[grade.GradingResult]:
        """Return the verdict at once."""
        self.graded.append(submission.evaluation.name)
        evaluation, toolchain = submission.evaluation, self.grading.toolchain
        verdict = replace(
            pass_at_once(),
            steps=(),
            tests=(),
            files=examples.FILES,
            key=grade.compute_grading_key(evaluation, examples.FILES, toolchain, "embedded"),
            graded_at=examples.NOON,
        )
        result: Future[grade.GradingResult] = Future()
        result.set_result(verdict)
        return result


class Project:
    """A suite of ten evals, minted, and two published runs of a model that failed everything."""

    def __init__(self, folder: Path) -> None:
        """Write the suite, and mint it."""
        self.evals, self.data = folder / "evals", DataFolder(folder / "data")
        self.evals.mkdir()
        (self.evals / "guidelines.md").write_text("# Guidelines\n\n## Values\n\nChoose one.\n")
        shutil.copy(EVALS / "package.json", self.evals / "package.json")
        (self.evals / "node_modules").symlink_to(EVALS / "node_modules")
        for name in NAMES:
            write_eval(self.evals / name, f"Return the value for {name}.")
        self.before = mint(discover(self.evals), self.data)
        for run_id in RUNS:
            self.publish(run_id, self.make_attempt)

    def make_attempt(self, name: str) -> Attempt:
        """Return a failed attempt, graded by today's graders."""
        evaluation = next(each for each in discover(self.evals).evals if each.name == name)
        toolchain = find_grading_toolchain(self.evals)
        key = grade.compute_grading_key(evaluation, examples.FILES, toolchain, "embedded")
        artifact = compute_artifact_digest(examples.make_artifact(name))
        attempt = examples.make_attempt(name, outcome=Outcome.FAILED)
        return attempt.model_copy(update={"key": key, "artifact": artifact})

    def publish(self, run_id: str, make: Callable[[str], Attempt], **changes: object) -> None:
        """Publish a run."""
        facts = {"planned": NAMES, "benchmark_version": self.before.version, **changes}
        run = examples.with_attempts(examples.make_run(run_id), map(make, NAMES), **facts)
        path = self.data.get_artifact_file(*run.key)
        write_archive(path, map(examples.make_artifact, NAMES))
        write_run(self.data, run)

    def append(self, path: str, text: str) -> None:
        """Add text to a file of the suite."""
        with (self.evals / path).open("a") as file:
            file.write(text)

    def plan(self) -> tuple[list[regrade.Move], dict[str, str], regrade.Grading]:
        """Return the moves to the suite as it is, and why other runs stay."""
        suite = discover(self.evals)
        grading = regrade.Grading(
            make_benchmark(suite),
            {evaluation.name: evaluation for evaluation in suite.evals},
            find_grading_toolchain(self.evals),
            GradingSettings(),
        )
        moving, left = regrade.plan_moves(
            self.data, read_benchmarks(self.data), self.before, grading
        )
        return moving, {run.run_id: why for run, why in left}, grading

    def move(self, *, proven: bool = True) -> list[str]:
        """Move what moves; return the evals that were graded."""
        moving, _, grading = self.plan()
        graders = Graders(grading)
        for move in moving:
            regrade.grade_copy(self.data, move, graders, grading, proven=proven)
        now = mint(discover(self.evals), self.data, follows=self.before.version)
        regrade.write_moves(self.data, moving, now.version, "mends of a month")
        return graders.graded

    def read(self, run_id: str = RUNS[0]) -> Run:
        """Return a published run."""
        return read_run(self.data.get_run_file(examples.SLUG, run_id))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project whose first grader was mended and whose last task was changed."""
    project = Project(tmp_path)
    project.append(f"{FIRST}/grader.py", "\n# Mended.\n")
    project.append(f"{LAST}/TASK.txt", "And one thing more.\n")
    return project


def test_a_run_keeps_its_row_without_the_changed_question(project: Project) -> None:
    """Only the mended eval is graded; the answer to the old task is kept beside, and is checked."""
    before = project.read()
    assert project.move() == [FIRST, FIRST]
    after = project.read()
    assert (after.planned, after.asked_version) == (NAMES[:-1], before.benchmark_version)
    assert after.benchmark_version == make_benchmark(discover(project.evals)).version
    assert after.outdated == before.attempts[-1:]
    assert after.attempts[1:] == before.attempts[1:-1]
    (old,) = after.attempts[0].earlier_verdicts
    assert (old.outcome, old.replaced_because) == (Outcome.FAILED, "mends of a month")
    assert after.attempts[0].outcome is Outcome.PASSED
    assert after.totals.cost_usd == 0.25 * 9
    assert check_data(project.data) == []

    # The old words again: the answer counts again.
    project.before = read_benchmarks(project.data)[after.benchmark_version]
    task = project.evals / LAST / "TASK.txt"
    task.write_text(task.read_text().replace("And one thing more.\n", ""))
    project.append(f"{NAMES[1]}/grader.py", "\n# Mended, too.\n")
    assert project.move() == [NAMES[1]] * 2
    again = project.read()
    assert (again.planned, again.outdated) == (NAMES, ())
    assert again.attempts[-1] == before.attempts[-1]
    assert again.asked_version == before.benchmark_version
    assert check_data(project.data) == []


def test_an_archive_without_the_outdated_answer_is_reported(project: Project) -> None:
    """The answer to the old task is still published."""
    project.move()
    run = project.read()
    path = project.data.get_artifact_file(*run.key)
    with Archive(path) as archive:
        kept = [archive.read(*place) for place in archive.list_places()]
    write_archive(path, kept[:-1])
    assert any(LAST in problem.reason for problem in check_data(project.data))
    write_run(project.data, run.model_copy(update={"asked_version": "feedfacecafe"}))
    assert "asked_version" in {problem.field for problem in check_data(project.data)}


def test_other_tools_are_proven_by_all_stored_answers(project: Project) -> None:
    """Unless they are proven, each answer with the key of other tools is graded again."""
    run = project.read()
    attempts = [
        attempt.model_copy(update={"key": attempt.key.model_copy(update={"toolchain": "0" * 64})})
        for attempt in run.attempts
        if attempt.key is not None
    ]
    write_run(project.data, run.model_copy(update={"attempts": tuple(attempts)}))
    assert sorted(project.move(proven=False)) == sorted([*NAMES[:-1], FIRST])
    changed = [*regrade.list_changed_verdicts(run, project.read())]
    assert [old.outcome for old, _ in changed] == [Outcome.FAILED] * 9
    assert {new.failed_step for _, new in changed} == {None}
    assert {old.failed_step for old, _ in changed} == {StepName.TESTS}


def test_runs_that_lose_too_much_stay(project: Project) -> None:
    """Of ten evals a run may lose one; withdrawn and unfinished runs stay, too."""
    withdrawal = Withdrawal(by="me", reason="wrong key")
    project.publish(RUNS[1], project.make_attempt, withdrawn=withdrawal)
    project.publish("c" * 32, project.make_attempt, status="running")
    moving, left, _ = project.plan()
    assert [move.run.run_id for move in moving] == [RUNS[0]]
    assert "has not ended" in left["c" * 32]
    project.append(f"{NAMES[5]}/TASK.txt", "And one thing more.\n")
    moving, left, _ = project.plan()
    assert moving == []
    assert left[RUNS[0]] == "8 of 10 evals ask what it was asked"


def test_a_run_whose_answers_a_later_run_has_stays(project: Project) -> None:
    """In the new version each answer counts once."""
    asked = project.read()
    assert asked.started_at is not None
    origin = CarriedOver(run=RUNS[0], asked_from=asked.started_at, prompt="a" * 64)
    project.publish(
        RUNS[1],
        lambda name: project.make_attempt(name).model_copy(update={"carried_over": origin}),
        carry_over_days=90,
    )
    moving, left, _ = project.plan()
    assert [move.run.run_id for move in moving] == [RUNS[1]]
    assert left == {RUNS[0]: "run bbbbbbbb took over its answers"}


@pytest.mark.parametrize("writes", range(9))
def test_a_move_that_stops_at_any_file_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """No verdict is lost, none is reached twice, and the end is that of a move in one go."""
    left = [writes]

    def stop_at(name: str) -> None:
        original = getattr(regrade, name)

        def write(*arguments: object, **more: object) -> object:
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return original(*arguments, **more)

        monkeypatch.setattr(regrade, name, write)

    stop_at("write_run")
    stop_at("open_atomic_file")
    graded: list[str] = []
    submit = Graders.submit

    def note(self: Graders, submission: grade.Submission) -> Future[grade.GradingResult]:
        graded.append(submission.evaluation.name)
        return submit(self, submission)

    monkeypatch.setattr(Graders, "submit", note)
    ended = False
    try:
        project.move()
        ended = True
    except KeyboardInterrupt:
        pass
    assert ended == (writes >= 8)
    monkeypatch.undo()
    if not ended:
        graded += project.move()
    assert graded == [FIRST] * 2
    for run_id in RUNS:
        run = project.read(run_id)
        assert [len(attempt.earlier_verdicts) for attempt in run.attempts] == [1, *[0] * 8]
        assert [attempt.eval for attempt in run.outdated] == [LAST]
    assert not (project.data.local.root / "minting").exists()
    assert check_data(project.data) == []
