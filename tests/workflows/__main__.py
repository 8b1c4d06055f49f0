"""Runs the shell of every job as the runner's user would, on a machine without what it installs.

``python -m tests.workflows [WORKFLOW[/JOB]...] [--list] [--minutes N] [--logs FOLDER]``

Each job gets a clone of the last commit, a home of its own, and the programs of this machine
without bubblewrap and browsers. Root becomes the user `nobody`. ``sudo``, ``gh`` and actions are
recorded and not run; a package that ``sudo apt-get install`` names is there from then on, if this
machine has it. A job that its ``if`` or its matrix leaves out here, without keys and events, is not
run. Prints a table of jobs, steps, exit codes and recorded calls; ends with 1 where a step failed.
"""

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.github.storage import storing
from tests.workflows.expressions import holds
from tests.workflows.machine import (
    ROOT,
    WORKFLOWS,
    Machine,
    StepResult,
    combinations,
    read_workflow,
)

PROGRAMS_OF: Final = {
    "bubblewrap": ("bwrap",),
    "chromium-browser": ("chromium", "chromium-browser"),
}
"""Of each package that workflows install, the programs that are hidden until then."""
USER: Final = "nobody"
KEPT: Final = ("LANG", "PIP_", "UV_", "NPM_CONFIG_", "npm_config_", "SSL_", "REQUESTS_", "NODE_")
"""How variables begin that packages of this machine's mirrors need."""
RECORDER: Final = """\
#!/bin/bash
echo "{name} $*" >> {log}
for word in "$@"; do
  [ -d {packages}/"$word" ] && cp -P {packages}/"$word"/* {programs}/
done
exit 0
"""


@dataclass
class Recorded:
    """One job on its machine."""

    workflow: str
    job: str
    steps: list[StepResult] = field(default_factory=list[StepResult])
    calls: list[str] = field(default_factory=list[str])


class Place:
    """The folders of one job: clone, home, programs."""

    def __init__(self, folder: Path, number: int) -> None:
        """Make them below ``folder``."""
        self.home = folder / f"job-{number}"
        self.home.mkdir()
        self.clone = self.home / "work"
        self.programs = self.home / "programs"
        self.log = self.home / "calls"
        self.log.touch()
        subprocess.run(
            ["git", "clone", "--quiet", "--bare", ROOT, self.home / "origin"], check=True
        )
        subprocess.run(["git", "clone", "--quiet", self.home / "origin", self.clone], check=True)
        _link_programs(self.programs, self.home / "packages")
        for name in ("sudo", "gh"):
            recorder = self.programs / name
            recorder.unlink(missing_ok=True)
            recorder.write_text(
                RECORDER.format(
                    name=name,
                    log=self.log,
                    packages=self.home / "packages",
                    programs=self.programs,
                )
            )
            recorder.chmod(0o755)
        if os.getuid() == 0:
            for path in (self.home, *self.home.rglob("*")):
                if not path.is_symlink():
                    shutil.chown(path, USER)

    def environment(self, api: str) -> dict[str, str]:
        """Return the environment of the runner: no key, no right on GitHub."""
        mirrors = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        return {
            **mirrors,
            "PATH": str(self.programs),
            "HOME": str(self.home),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": api,
            "GITHUB_REPOSITORY": "us/board",
            "GITHUB_REF_NAME": "main",
            "GITHUB_RUN_NUMBER": "1",
        }

    def calls(self) -> list[str]:
        """Return the recorded calls so far."""
        return self.log.read_text().splitlines()


def _link_programs(programs: Path, packages: Path) -> None:
    """Link every program of this machine, those that workflows install in a place apart."""
    hidden = {name: package for package, names in PROGRAMS_OF.items() for name in names}
    programs.mkdir()
    for package in PROGRAMS_OF:
        (packages / package).mkdir(parents=True)
    for folder in os.environ["PATH"].split(":"):
        for path in sorted(Path(folder).glob("*")) if folder else ():
            home = packages / hidden[path.name] if path.name in hidden else programs
            if not (home / path.name).is_symlink() and _may_be_run_by_others(path.resolve()):
                (home / path.name).symlink_to(path.resolve())


def _may_be_run_by_others(program: Path) -> bool:
    """Tell whether any user may run a program: those in the home of root are closed to others."""
    if ".venv" in program.parts or not program.is_file():
        return False
    return all(path.stat().st_mode & stat.S_IXOTH for path in (program, *program.parents))


def run_job(
    place: Place, name: str, workflow: Mapping[str, Any], minutes: float, api: str
) -> Recorded:
    """Run one job; ``api`` is the address of a server that knows no artifacts."""
    file, _, job_name = name.partition("/")
    job = workflow["jobs"][job_name]
    recorded = Recorded(file, job_name)
    machine = Machine(
        folder=place.clone,
        files=place.home / "files",
        environment=place.environment(api),
        use=lambda action, _: recorded.calls.append(f"uses {action.partition('@')[0]}"),
        user=USER if os.getuid() == 0 else None,
        longest_s=60 * min(minutes, job["timeout-minutes"]),
        contexts=_contexts(),
    )
    needed = job.get("needs")
    if needed is not None:
        machine.contexts["needs"] = {needed: {"outputs": {"runs": "[]"}}}
    status = {"success": True}
    matrix = next(combinations(job, machine.contexts), None)
    if matrix is None or not holds(job.get("if"), machine.contexts, status):
        recorded.steps = [StepResult("(left out by its if)", None)]
        return recorded
    machine.contexts["matrix"] = matrix
    recorded.steps = machine.run(job)
    recorded.calls += place.calls()
    return recorded


def _contexts() -> dict[str, Any]:
    head = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    event = {
        "pull_request": {"base": {"sha": head}, "number": 1},
        "workflow_run": {"event": "push"},
        "release": {"tag_name": "v0"},
    }
    github = {"event": event, "ref": "refs/heads/main", "ref_name": "main", "token": "secret"}
    return {
        "github": github,
        "inputs": {},
        "matrix": {},
        "runner": {"os": "Linux"},
        "secrets": {},
        "vars": {},
    }


def table(jobs: Sequence[Recorded]) -> str:
    """Return what happened, a line for each step and each recorded call."""
    lines: list[str] = []
    for recorded in jobs:
        lines.append(f"{recorded.workflow}/{recorded.job}")
        for step in recorded.steps:
            code = "not run" if step.code is None else f"exit {step.code}"
            lines.append(f"  {code:<8} {step.name[:90]}")
        lines += [f"           recorded: {call}" for call in recorded.calls]
    return "\n".join(lines)


def main() -> int:
    """Run the jobs that are named, or all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("jobs", nargs="*", metavar="WORKFLOW[/JOB]")
    parser.add_argument("--list", action="store_true", help="only print the names of all jobs")
    parser.add_argument("--minutes", type=float, default=360, help="longest time of a step")
    parser.add_argument("--logs", type=Path, help="a folder for the output of each job")
    given = parser.parse_args()
    workflows = {path.stem: read_workflow(path.stem) for path in sorted(WORKFLOWS.glob("*.yml"))}
    names = [f"{file}/{job}" for file, workflow in workflows.items() for job in workflow["jobs"]]
    chosen = [
        name
        for name in names
        if not given.jobs or name in given.jobs or name.partition("/")[0] in given.jobs
    ]
    if given.list or not chosen:
        sys.stdout.write("\n".join(names) + "\n")
        return 0 if given.list else 2
    jobs: list[Recorded] = []
    with tempfile.TemporaryDirectory() as folder, storing() as storage:
        Path(folder).chmod(0o755)
        for number, name in enumerate(chosen):
            place = Place(Path(folder), number)
            workflow = workflows[name.partition("/")[0]]
            recorded = run_job(place, name, workflow, given.minutes, storage.address)
            jobs.append(recorded)
            sys.stdout.write(table([recorded]) + "\n")
            sys.stdout.flush()
            _write_log(given.logs, recorded)
            shutil.rmtree(place.home, ignore_errors=True)
    return int(any(step.is_failed for job in jobs for step in job.steps))


def _write_log(folder: Path | None, recorded: Recorded) -> None:
    """Write all that the steps of a job printed; on standard error what a failed step did."""
    text = "\n".join(f"## {step.name}\n{step.printed}" for step in recorded.steps)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{recorded.workflow}-{recorded.job}.log").write_text(text)
    for step in recorded.steps:
        if step.is_failed:
            sys.stderr.write(f"{step.name}:\n{step.printed[-2000:]}\n")


if __name__ == "__main__":
    sys.exit(main())
