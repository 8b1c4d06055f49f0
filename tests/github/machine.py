"""Runs the steps of a job in a clone: shell as GitHub does, actions by functions of the caller."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from tests.github.expressions import holds, insert, to_text

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
Action = Callable[[str, Mapping[str, str]], None]
"""Function that gets the name of an action and its inputs."""


def read_workflow(name: str) -> dict[str, Any]:
    """Return a workflow by the name of its file; YAML takes its key `on` for true."""
    text = (WORKFLOWS / f"{name}.yml").read_text("utf-8")
    return {"on" if key is True else key: value for key, value in yaml.safe_load(text).items()}


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step."""

    name: str
    code: int | None
    """Exit code, or minus the signal that ended the step; None for a step that was left out."""
    printed: str = ""

    @property
    def is_failed(self) -> bool:
        """True for a step that ran, and did not succeed."""
        return self.code not in {None, 0}


@dataclass
class Machine:
    """A machine for one job: the folder of its steps, their user, and the actions."""

    folder: Path
    """The clone in which steps run; made before, or by the first action."""
    files: Path
    """A folder for outputs and summaries."""
    environment: Mapping[str, str]
    use: Action
    leave_out: Callable[[str], bool] = lambda _: False
    """Function of a step's script: True leaves the step out."""
    pass_fds: tuple[int, ...] = ()
    longest_s: float = 3600
    is_over: Callable[[str], bool] = lambda _: False
    """Function of the active step's name: True ends the step at once, as at a time limit."""
    contexts: dict[str, Any] = field(default_factory=dict[str, Any])

    def run(self, job: Mapping[str, Any]) -> list[StepResult]:
        """Run the steps of a job; return the result of each."""
        self.files.mkdir(parents=True, exist_ok=True)
        steps: dict[str, Any] = {}
        self.contexts["steps"] = steps
        results: list[StepResult] = []
        failed = False
        for step in job["steps"]:
            name = str(step.get("name") or step.get("uses") or step["run"].strip().splitlines()[0])
            status = {"success": not failed, "failure": failed}
            if not holds(step.get("if"), self.contexts, status):
                results.append(StepResult(name, None))
                continue
            result = self._run_step(name, step, job.get("env", {}))
            failed = failed or result.is_failed
            results.append(result)
            if "id" in step:
                steps[step["id"]] = {"outputs": self._read_outputs()}
        return results

    def compute_job_outputs(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs of a job that has run."""
        return {
            name: insert(value, self.contexts) for name, value in job.get("outputs", {}).items()
        }

    def read_summary(self) -> str:
        """Return the summaries of all steps."""
        path = self.files / "summary"
        return path.read_text("utf-8") if path.exists() else ""

    def _run_step(
        self, name: str, step: Mapping[str, Any], job_environment: Mapping[str, Any]
    ) -> StepResult:
        if "uses" in step:
            inputs = {
                key: to_text(insert(str(value), self.contexts))
                for key, value in step.get("with", {}).items()
            }
            self.use(step["uses"], inputs)
            return StepResult(name, 0)
        if self.leave_out(step["run"]):
            return StepResult(name, None)
        written = {**job_environment, **step.get("env", {})}
        own = {key: to_text(insert(str(value), self.contexts)) for key, value in written.items()}
        (self.files / "output").write_text("")
        (self.files / "output").chmod(0o666)
        (self.files / "summary").touch()
        (self.files / "summary").chmod(0o666)
        of_runner = {
            "GITHUB_OUTPUT": str(self.files / "output"),
            "GITHUB_STEP_SUMMARY": str(self.files / "summary"),
            "RUNNER_TEMP": str(self.files),
        }
        # GitHub calls the shell like this for a step that names none.
        running = subprocess.Popen(
            ["bash", "-e", "-c", step["run"]],
            cwd=self.folder,
            env={**self.environment, **of_runner, **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
            pass_fds=self.pass_fds,
        )
        return StepResult(name, *self._wait(name, running))

    def _wait(self, name: str, running: subprocess.Popen[str]) -> tuple[int, str]:
        """Wait for a step, or end it with all its processes; return code and output."""
        ends_at = time.monotonic() + self.longest_s
        while True:
            try:
                printed, _ = running.communicate(timeout=0.1)
            except subprocess.TimeoutExpired:
                if self.is_over(name) or time.monotonic() > ends_at:
                    os.killpg(running.pid, signal.SIGKILL)
            else:
                return running.returncode, printed

    def _read_outputs(self) -> dict[str, str]:
        lines = (self.files / "output").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)


def list_combinations(
    job: Mapping[str, Any], contexts: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the values of a job's matrix; a single empty combination if it has no matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    axes = {
        name: insert(values, contexts) if isinstance(values, str) else values
        for name, values in matrix.items()
    }
    for values in product(*axes.values()):
        yield json.loads(json.dumps(dict(zip(axes, values, strict=True))))
