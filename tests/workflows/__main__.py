"""Runs the shell of every job as the runner's user, on a machine without the job's packages.

``python -m tests.workflows [WORKFLOW[/JOB]...] [--list] [--minutes N] [--logs FOLDER]``

Each job gets a clone of the last commit, a home of its own, and the programs of this machine
without bubblewrap and browsers. Root becomes the user `nobody`. ``sudo``, ``gh`` and actions are
recorded and not run; a package that ``sudo apt-get install`` names is there from then on, if this
machine has it. `comment` finds pull request 7 on a server on loopback: the last commit, against the
commit before it. A job that its ``if`` or its matrix leaves out without keys is not run:
`periodic/run`, which `tests/github/test_periodic.py` runs. Prints a table of jobs, steps, exit
codes and recorded calls; ends with 1 where a step failed.
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

from tests.github.hosting import Repository, serve_repository
from tests.github.storage import Storage, serve_storage
from tests.workflows.expressions import holds
from tests.workflows.machine import (
    ROOT,
    WORKFLOWS,
    Machine,
    StepResult,
    list_combinations,
    read_workflow,
)

PROGRAMS_OF: Final = {
    "bubblewrap": ("bwrap",),
    "chromium-browser": ("chromium-headless-shell", "chromium", "chromium-browser"),
}
"""Programs of each package that workflows install; they are hidden until then."""
USER: Final = "nobody"
PULL: Final = 7
"""Number of the pull request that `serve_repository` serves."""
RUN: Final = "12"
"""Id of the run whose results `serve_repository` has."""
KEPT: Final = ("LANG", "PIP_", "UV_", "NPM_CONFIG_", "npm_config_", "SSL_", "REQUESTS_", "NODE_")
"""Beginnings of variables that packages of this machine's mirrors need."""
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
        """Make the folders below ``folder``."""
        self.home = folder / f"job-{number}"
        self.home.mkdir()
        self.clone = self.home / "work"
        self.programs = self.home / "programs"
        self.log = self.home / "calls"
        self.log.touch()
        subprocess.run(
            ["git", "clone", "--quiet", "--bare", ROOT, self.home / "origin"], check=True
        )
        pull = ["update-ref", f"refs/pull/{PULL}/head", "HEAD"]
        subprocess.run(["git", "-C", self.home / "origin", *pull], check=True)
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

    def make_runner_environment(self, api: str) -> dict[str, str]:
        """Return the environment of the runner: without keys and without rights on GitHub."""
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

    def read_calls(self) -> list[str]:
        """Return the recorded calls so far."""
        return self.log.read_text().splitlines()


def _link_programs(programs: Path, packages: Path) -> None:
    """Link every program of this machine; programs that workflows install lie in a folder apart."""
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
    """Return whether any user may run a program: the home of root is closed to other users."""
    if ".venv" in program.parts or not program.is_file():
        return False
    return all(path.stat().st_mode & stat.S_IXOTH for path in (program, *program.parents))


@dataclass(frozen=True, slots=True)
class GitHub:
    """The servers on loopback that stand for GitHub's API."""

    storage: Storage
    """Storage of artifacts; it is empty."""
    pull_requests: Repository
    """Server for the workflow `comment`."""

    def choose_address(self, workflow: str) -> str:
        """Return the address of the server for a workflow."""
        return self.pull_requests.address if workflow == "comment" else self.storage.address

    def upload(self, workflow: str, action: str, folder: Path) -> None:
        """Give the description of the pull request from one job of `comment` to the next."""
        if workflow == "comment" and action.startswith("actions/upload-artifact@"):
            self.pull_requests.files = {
                path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()
            }


def run_job(
    place: Place, name: str, workflow: Mapping[str, Any], minutes: float, github: GitHub
) -> Recorded:
    """Run one job."""
    file, _, job_name = name.partition("/")
    job = workflow["jobs"][job_name]
    recorded = Recorded(file, job_name)

    def use(action: str, inputs: Mapping[str, str]) -> None:
        recorded.calls.append(f"uses {action.partition('@')[0]}")
        github.upload(file, action, place.clone / inputs.get("path", ""))

    machine = Machine(
        folder=place.clone,
        files=place.home / "files",
        environment=place.make_runner_environment(github.choose_address(file)),
        use=use,
        user=USER if os.getuid() == 0 else None,
        longest_s=60 * min(minutes, job["timeout-minutes"]),
        contexts=make_contexts(),
    )
    needed = job.get("needs")
    if needed is not None:
        machine.contexts["needs"] = {needed: {"outputs": {"runs": "[]"}, "result": "success"}}
    status = {"success": True}
    matrix = next(list_combinations(job, machine.contexts), None)
    if matrix is None or not holds(job.get("if"), machine.contexts, status):
        recorded.steps = [StepResult("(left out by its if)", None)]
        return recorded
    machine.contexts["matrix"] = matrix
    recorded.steps = machine.run({**job, "env": {**workflow.get("env", {}), **job.get("env", {})}})
    recorded.calls += place.read_calls()
    return recorded


def _find_commit(name: str) -> str:
    """Return the id of a commit of this repository."""
    return subprocess.run(
        ["git", "-C", ROOT, "rev-parse", name], capture_output=True, text=True, check=True
    ).stdout.strip()


def make_contexts() -> dict[str, Any]:
    """Return the contexts of expressions: an event of each kind, no secret, no variable."""
    head = _find_commit("HEAD")
    source = {"full_name": "stranger/board", "owner": {"login": "stranger"}}
    event = {
        "pull_request": {"base": {"sha": _find_commit("HEAD~1")}, "number": PULL},
        "workflow_run": {
            "event": "pull_request",
            "id": RUN,
            "head_repository": source,
            "head_branch": "fix",
            "head_sha": head,
        },
        "release": {"tag_name": "v0"},
    }
    github = {
        "event": event,
        "ref": "refs/heads/main",
        "ref_name": "main",
        "run_id": RUN,
        "token": "secret",
    }
    return {
        "github": github,
        "inputs": {},
        "matrix": {},
        "runner": {"os": "Linux"},
        "secrets": {},
        "vars": {},
    }


def format_table(jobs: Sequence[Recorded]) -> str:
    """Return the results, a line for each step and each recorded call."""
    lines: list[str] = []
    for recorded in jobs:
        lines.append(f"{recorded.workflow}/{recorded.job}")
        for step in recorded.steps:
            code = "not run" if step.code is None else f"exit {step.code}"
            lines.append(f"  {code:<8} {step.name[:90]}")
        lines += [f"           recorded: {call}" for call in recorded.calls]
    return "\n".join(lines)


def main() -> int:
    """Run the named jobs, or all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("jobs", nargs="*", metavar="WORKFLOW[/JOB]")
    parser.add_argument("--list", action="store_true", help="only print the names of all jobs")
    parser.add_argument("--minutes", type=float, default=360, help="longest time of a step")
    parser.add_argument("--logs", type=Path, help="a folder for the output of each job")
    options = parser.parse_args()
    workflows = {path.stem: read_workflow(path.stem) for path in sorted(WORKFLOWS.glob("*.yml"))}
    names = [f"{file}/{job}" for file, workflow in workflows.items() for job in workflow["jobs"]]
    chosen = [
        name
        for name in names
        if not options.jobs or name in options.jobs or name.partition("/")[0] in options.jobs
    ]
    if options.list or not chosen:
        sys.stdout.write("\n".join(names) + "\n")
        return 0 if options.list else 2
    jobs: list[Recorded] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_storage() as storage,
        serve_repository() as repository,
    ):
        Path(folder).chmod(0o755)
        repository.head, repository.base = map(_find_commit, ("HEAD", "HEAD~1"))
        github = GitHub(storage, repository)
        for number, name in enumerate(chosen):
            job_place = Place(Path(folder), number)
            workflow = workflows[name.partition("/")[0]]
            recorded = run_job(job_place, name, workflow, options.minutes, github)
            jobs.append(recorded)
            recorded.calls += [f"commented: {comment}" for comment in take_comments(repository)]
            sys.stdout.write(format_table([recorded]) + "\n")
            sys.stdout.flush()
            _write_log(options.logs, recorded)
            shutil.rmtree(job_place.home, ignore_errors=True)
    return int(any(step.is_failed for job in jobs for step in job.steps))


def take_comments(repository: Repository) -> list[str]:
    """Return the first sentence of each comment and the conclusion of each check, once."""
    lines = [comment["body"].splitlines()[1] for comment in repository.comments]
    lines += [f"check: {check['conclusion']}" for check in repository.checks]
    repository.comments.clear()
    repository.checks.clear()
    return lines


def _write_log(folder: Path | None, recorded: Recorded) -> None:
    """Write all output of a job's steps; on standard error the output of failed steps."""
    text = "\n".join(f"## {step.name}\n{step.printed}" for step in recorded.steps)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{recorded.workflow}-{recorded.job}.log").write_text(text)
    for step in recorded.steps:
        if step.is_failed:
            sys.stderr.write(f"{step.name}:\n{step.printed[-2000:]}\n")


if __name__ == "__main__":
    sys.exit(main())
