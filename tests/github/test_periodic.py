"""The periodic workflow over several nights: its own shell, a bare repository, a local provider."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.journal.journal import read
from records.reader import read_run
from records.shapes.run import Run
from tests.github.expressions import holds
from tests.github.machine import Machine, StepResult, list_combinations, read_workflow
from tests.github.storage import Storage, serve_storage
from tests.leaderboard.conftest import Serve
from tests.leaderboard.conftest import serve as serve  # noqa: PLC0414 - a fixture of this module
from tests.runner.conftest import SlowProvider, write_prose_suite
from tests.support import warm_command
from tests.support.git import commit_all, run_git

pytestmark = pytest.mark.night

PROSE = {"text": "Prose, no files."}
HANGING = {"match": "<2>", "steps": [{"kind": "hang"}], "then": PROSE}
SET_UP = ("make ", "sudo ")
MODELS = """\
schema_version = 1

[[models]]
slug = "maker/one"
name = "One"
provider = "Maker"
litellm_id = "openai/one"
api_base = "{address}"
api_key_env = "OPENAI_API_KEY"
limits = {{ max_output_tokens = 1000 }}
price = {{ input = 1, output = 10 }}

[[models]]
slug = "maker/two"
name = "Two"
provider = "Maker"
litellm_id = "openai/two"
api_base = "{address}"
api_key_env = "MISTRAL_API_KEY"
price = {{ input = 1, output = 10 }}
"""


@dataclass
class Night:
    """The results of one run of the workflow."""

    plan: list[StepResult] = field(default_factory=list[StepResult])
    runs: dict[str, list[StepResult]] = field(default_factory=dict[str, list[StepResult]])
    """The steps of each job, by its experiment."""
    summary: str = ""

    def list_failed_steps(self, experiment: str) -> list[str]:
        """Return the steps of a job that failed."""
        return [step.name for step in self.runs[experiment] if step.is_failed]


class Repository:
    """A bare repository of a project, with the artifacts of its workflow and one provider."""

    def __init__(self, folder: Path, storage: Storage, provider: SlowProvider) -> None:
        """Write a project of three evals and two models, minted, and push it."""
        self.folder, self.storage, self.provider = folder, storage, provider
        self.bare = folder / "bare.git"
        self.work = folder / "work"
        run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "bare.git")
        run_git(folder, "clone", "--quiet", "bare.git", "work")
        run_git(self.work, "checkout", "--quiet", "-b", "main")
        write_prose_suite(self.work / "evals", 3)
        (self.work / "data").mkdir()
        (self.work / "data" / "models.toml").write_text(MODELS.format(address=provider.address))
        (self.work / ".gitignore").write_text("/.venv\n/scripts\n/kept\n/data/local/\n")
        self._mint("begin")
        self._nights = 0

    def change_task(self) -> None:
        """Change the words of a task, and publish that version of the suite."""
        run_git(self.work, "pull", "--quiet", "--rebase", "origin", "main")
        task = next((self.work / "evals").glob("*/000-task/TASK.txt"))
        task.write_text("Write answer number <0>, please.\n")
        self._mint("another task")

    def _mint(self, message: str) -> None:
        """Mint the suite as it is in the working clone, commit and push."""
        folders = ("--evals", self.work / "evals", "--data", self.work / "data")
        done = warm_command.run_command("suite", "mint", "--yes", *folders)
        assert done.returncode == 0, done.stderr
        commit_all(self.work, message)
        run_git(
            self.work, "pull", "--quiet", "--rebase", "origin", "main"
        ) if message != "begin" else None
        run_git(self.work, "push", "--quiet", "origin", "main")

    def refuse_pushes(self, *, refuse: bool) -> None:
        """Let the server refuse pushes, as rules of a branch do, or accept them."""
        hook = self.bare / "hooks" / "pre-receive"
        hook.write_text(f"#!/bin/sh\nexit {int(refuse)}\n")
        hook.chmod(0o755)

    def read_published_runs(self) -> list[Run]:
        """Return the runs on the branch."""
        run_git(self.work, "pull", "--quiet", "--rebase", "origin", "main")
        return [read_run(path) for path in DataFolder(self.work / "data").list_run_files()]

    def take_asked(self) -> list[int]:
        """Return the numbers of the evals that were asked since the last call."""
        numbers = sorted(self.provider.list_asked())
        self.provider.log.unlink(missing_ok=True)
        return numbers

    def run_night(self, *, kill: str | None = None, **limits: str) -> Night:
        """Run the workflow; the job of the experiment ``kill`` is killed at its last question."""
        self._nights += 1
        workflow = read_workflow("periodic")
        run = self.storage.begin_run()
        night = Night()
        planning = self.make_machine("plan", run, limits)
        night.plan = planning.run(workflow["jobs"]["plan"])
        night.summary = planning.read_summary()
        outputs = planning.compute_job_outputs(workflow["jobs"]["plan"])
        contexts = planning.contexts | {"needs": {"plan": {"outputs": outputs}}}
        succeeded = not any(step.is_failed for step in night.plan)
        job = workflow["jobs"]["run"]
        if not succeeded or not holds(job["if"], contexts, {"success": True}):
            return night
        for matrix in list_combinations(job, contexts):
            experiment = matrix["run"]["experiment"]
            machine = self.make_machine(experiment, run, limits, is_killed=experiment == kill)
            machine.contexts |= {"matrix": matrix}
            night.runs[experiment] = machine.run(job)
            night.summary += machine.read_summary()
        return night

    def make_machine(
        self, name: str, run: int, limits: Mapping[str, str], *, is_killed: bool = False
    ) -> Machine:
        """Return a machine for a job of a run of the workflow; its first action makes the clone."""
        program = warm_command.get_installed_program(
            "scripts close the connection to a warm server; a limit kills all"
        )
        clone = self.folder / f"night-{self._nights}-{name}"

        def use(action: str, inputs: Mapping[str, str]) -> None:
            if action.startswith("actions/checkout@"):
                assert inputs["ref"] == "main"
                address = f"file://{self.bare}"
                run_git(self.folder, "clone", "--quiet", "--depth", "1", address, clone.name)
                for link in (".venv", "scripts"):
                    (clone / link).symlink_to(warm_command.ROOT / link)
            elif action.startswith("actions/upload-artifact@"):
                self.storage.upload(run, inputs["name"], clone / inputs["path"])
            else:
                assert action.startswith("actions/setup-python@")

        return Machine(
            folder=clone,
            files=self.folder / f"{clone.name}-files",
            environment=warm_command.make_command_environment(
                LEADERBOARD=str(program),
                GITHUB_API_URL=self.storage.address,
                GITHUB_REPOSITORY="us/board",
                GITHUB_REF_NAME="main",
                TRIES="1",
            ),
            use=use,
            leave_out=lambda script: script.startswith(SET_UP),
            longest_s=300,
            is_over=_make_last_question_test(clone) if is_killed else lambda _: False,
            contexts={
                "github": {"ref_name": "main", "token": "secret"},
                "inputs": {"models": ""},
                "secrets": {"OPENAI_API_KEY": "sk-test"},
                "vars": dict(limits),
            },
        )


def _make_last_question_test(clone: Path) -> Callable[[str], bool]:
    """Return a test for the step that asks: true if its journal lacks a single verdict."""

    def is_over(step: str) -> bool:
        if step != "Ask and grade":
            return False
        for path in DataFolder(clone / "data").local.list_journal_files():
            with suppress(RecordsError):
                state = read(path)
                keys = list(state.header.run.iterate_places())
                return sum(key in state.attempts for key in keys) == len(keys) - 1
        return False

    return is_over


@pytest.fixture
def storage() -> Iterator[Storage]:
    """GitHub's artifacts."""
    with serve_storage() as stored:
        yield stored


def test_nothing_is_paid_twice_and_everything_is_published(
    tmp_path: Path, serve: Serve, storage: Storage
) -> None:
    """There is a killed job, a refused push, a missing key, and a new version of the suite."""
    provider = serve({"rules": [HANGING], "default": PROSE})
    repository = Repository(tmp_path, storage, provider)

    repository.refuse_pushes(refuse=True)
    first = repository.run_night(kill="default")
    assert [step for step in first.plan if step.is_failed] == []
    (notice,) = [step for step in first.plan if "::notice" in step.printed]
    assert "maker/two: the environment `models` has no secret MISTRAL_API_KEY" in notice.printed
    assert "maker/two" in first.summary
    assert first.list_failed_steps("default") == ["Ask and grade", "Commit the record"]
    assert first.list_failed_steps("no_guidelines") == ["Commit the record"]
    assert "not published: the push was refused" in first.summary
    assert repository.take_asked() == [0, 0, 1, 1, 2, 2]
    assert repository.read_published_runs() == []
    names = {artifact["name"] for artifact in storage.artifacts}
    assert names == {"run_maker_one_default", "run_maker_one_no_guidelines"}

    repository.refuse_pushes(refuse=False)
    second = repository.run_night()
    assert "| `maker/one` | default | 1 | $" in second.summary
    assert "results of an earlier night: published" in second.summary
    assert list(second.runs) == ["default"]
    assert second.list_failed_steps("default") == []
    assert "3 failed" in second.summary
    statuses = run_git(
        repository.bare, "log", "--reverse", "-p", "--format=", "main", "--", "data/runs"
    )
    history = re.findall(r'^\+  "status": "(\w+)"', statuses, re.MULTILINE)
    assert sorted(history[:2]) == ["aborted", "completed"]
    assert history[2:] == ["completed"]
    assert repository.take_asked() == [2]
    runs = repository.read_published_runs()
    assert sorted(run.experiment.name for run in runs) == ["default", "no_guidelines"]
    assert [run.unjudged for run in runs] == [0, 0]
    assert storage.authorized == {""}

    third = repository.run_night()
    assert third.runs == {}
    assert repository.take_asked() == []

    repository.change_task()
    fourth = repository.run_night(NIGHT_BUDGET_USD="0.03", BUDGET_USD="0.03")
    assert list(fourth.runs) == ["default"]
    assert "| default | 1 | $0.02 | a new run, 2 answers carried over |" in fourth.summary
    assert "of the night are left; its turn comes in the next night" in fourth.summary
    assert repository.take_asked() == [0]
    assert len(repository.read_published_runs()) == 3


@pytest.mark.more
def test_the_plan_is_a_matrix_with_notices_and_a_table(
    tmp_path: Path, serve: Serve, storage: Storage
) -> None:
    """GitHub can read the matrix; models that are named by hand are planned the same way."""
    repository = Repository(tmp_path, storage, serve({"default": PROSE}))
    machine = repository.make_machine("plan", storage.begin_run(), {"NIGHT_BUDGET_USD": "0.05"})
    job = read_workflow("periodic")["jobs"]["plan"]
    (planning,) = [step for step in job["steps"] if step.get("id") == "plan"]
    results = machine.run({**job, "steps": [job["steps"][0], planning]})
    assert [step.code for step in results] == [0, 0], results[-1].printed
    (row,) = json.loads(machine.compute_job_outputs(job)["runs"])
    assert row["model"] == "maker/one"
    assert row["experiment"] == "default"
    assert row["artifact"] == "run_maker_one_default"
    assert 0 < float(row["budget"]) <= 0.05
    assert results[-1].printed.count("::notice title=Not asked::") == 2
    assert "(default, no_guidelines)" in results[-1].printed
    assert "of $0.05" in machine.read_summary()
    assert machine.read_summary().count("| not asked |") == 3

    machine.contexts["inputs"] = {"models": "maker/two"}
    by_hand = machine.run({**job, "steps": [planning]})
    assert [step.code for step in by_hand] == [0]
    assert machine.compute_job_outputs(job)["runs"] == "[]"
    machine.contexts["inputs"] = {"models": "maker/nobody"}
    assert machine.run({**job, "steps": [planning]})[0].code == 2


def test_a_run_is_stopped_gently_at_its_limit(
    tmp_path: Path, serve: Serve, storage: Storage
) -> None:
    """Its verdicts are recorded to be committed, and the summary has the missing attempts."""
    repository = Repository(tmp_path, storage, serve({"rules": [HANGING], "default": PROSE}))
    machine = repository.make_machine("run", storage.begin_run(), {})
    run = {"model": "maker/one", "experiment": "default", "budget": "1", "artifact": "a"}
    machine.contexts["matrix"] = {"run": run}
    job = read_workflow("periodic")["jobs"]["run"]
    (asking,) = [step for step in job["steps"] if "ask_model.py" in step.get("run", "")]
    soon = {**asking, "env": {**asking["env"], "ASK_MINUTES": "1"}}
    (recording,) = [step for step in job["steps"] if "record_unfinished" in step.get("run", "")]
    results = machine.run({**job, "steps": [job["steps"][0], soon, recording]})
    assert [result.code for result in results] == [0, 3, 0], results[-2].printed
    assert "stopped at its limit of time; 2 failed, 1 not_run" in machine.read_summary()
    (path,) = DataFolder(machine.folder / "data").list_run_files()
    assert read_run(path).status == "aborted"
