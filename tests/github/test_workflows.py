"""The workflows: what they may do, and the shell in them, run."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

pytestmark = pytest.mark.integration

ROOT: Final = Path(__file__).parents[2]
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED: Final = re.compile(r"[\w./-]+@[0-9a-f]{40}")


def parsed(path: Path) -> dict[str, Any]:
    """Return a workflow; YAML takes its key `on` for true."""
    return yaml.safe_load(path.read_text("utf-8"))


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all steps of all jobs."""
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


JOBS: Final = [
    pytest.param(job, id=f"{path.stem}-{name}")
    for path in WORKFLOWS
    for name, job in parsed(path)["jobs"].items()
]
CALLED_BY_HAND: Final = {
    name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
}
"""The environment without what make tells the commands that it calls."""
NEEDS_JAIL: Final = re.compile(
    r"\bmake (setup|test|test-all|check|demo|suite)\b|leaderboard (run|suite|verify|regrade|demo)\b"
)


@pytest.mark.parametrize("job", JOBS)
def test_the_jail_is_installed_before_a_step_needs_it(job: dict[str, Any]) -> None:
    """GitHub's machines have no bubblewrap, and set-up ends there for everybody but root."""
    scripts = [step.get("run", "") for step in job["steps"]]
    needing = [place for place, script in enumerate(scripts) if NEEDS_JAIL.search(script)]
    if needing:
        before = scripts[: needing[0]]
        assert any("apt-get install -y bubblewrap" in script for script in before), needing


def test_set_up_asks_for_the_jail_before_it_downloads() -> None:
    """Else an ordinary user waits for all packages, and then hears that bubblewrap is missing."""
    planned = subprocess.run(
        ["make", "--dry-run", "--always-make", "setup"],
        env=CALLED_BY_HAND,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    commands = planned.stdout.splitlines()
    assert commands[0] == "scripts/system-packages bwrap"
    packages = subprocess.run(
        ["make", "--dry-run", "--always-make", "packages"],
        env=CALLED_BY_HAND,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "bwrap" not in packages.stdout


def git(folder: Path, *arguments: str) -> str:
    """Run git in ``folder``; return what it prints."""
    return subprocess.run(
        ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_keep_no_credentials(path: Path) -> None:
    """A tag can be moved to other code; a token in .git could be read by a pull request's code."""
    workflow = parsed(path)
    assert "permissions" in workflow
    for step in steps(workflow):
        uses = step.get("uses")
        if uses is not None:
            assert PINNED.fullmatch(uses), uses
        if uses is not None and uses.startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        # What GitHub puts into a script before the shell reads it could be a stranger's text.
        assert "${{" not in step.get("run", "")


def test_what_runs_a_strangers_code_may_only_read() -> None:
    """pr.yml has no secret and no right to write; comment.yml never checks out the pull request."""
    pr = (ROOT / ".github" / "workflows" / "pr.yml").read_text("utf-8")
    assert "secrets." not in pr
    assert parsed(ROOT / ".github" / "workflows" / "pr.yml")["permissions"] == {"contents": "read"}
    comment = parsed(ROOT / ".github" / "workflows" / "comment.yml")
    (checkout,) = [one for one in steps(comment) if "checkout" in one.get("uses", "")]
    assert "ref" not in checkout["with"]


def test_zizmor_finds_nothing() -> None:
    """Nothing but what a comment beside it explains."""
    done = subprocess.run(
        [Path(sys.executable).with_name("zizmor"), "--offline", "--quiet", ROOT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_two_results_arrive_though_one_push_is_rejected(tmp_path: Path) -> None:
    """Two runs that end at once commit to one branch: the later push goes on top of the first."""
    bare, seed = tmp_path / "bare.git", tmp_path / "seed"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "bare.git")
    git(tmp_path, "clone", "--quiet", "bare.git", "seed")
    (seed / "data").mkdir()
    (seed / "data" / "models.toml").write_text("schema_version = 1\n")
    git(seed, "checkout", "--quiet", "-b", "main")
    git(seed, "add", ".")
    git(seed, "commit", "--quiet", "--message", "begin")
    git(seed, "push", "--quiet", "origin", "main")
    clones = [tmp_path / name for name in ("one", "two")]
    for clone in clones:
        git(tmp_path, "clone", "--quiet", "bare.git", clone.name)
        (clone / "data" / "runs").mkdir()
        (clone / "data" / "runs" / f"{clone.name}.json").write_text("{}\n")

    def commit(clone: Path) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if key != "GITHUB_TOKEN"}
        return subprocess.run(
            [ROOT / "scripts" / "commit-results", f"model {clone.name}"],
            cwd=clone,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(commit, clones))
    assert [one.returncode for one in done] == [0, 0], [one.stderr for one in done]
    listed = git(bare, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert listed == ["data/models.toml", "data/runs/one.json", "data/runs/two.json"]
    subjects = git(bare, "log", "--format=%s", "main").splitlines()
    assert sorted(subjects) == ["begin", "data: model one", "data: model two"]
    assert "nothing to commit" in commit(clones[0]).stdout


def test_due_models_are_a_matrix() -> None:
    """As GitHub reads it: a JSON list; names given by hand are taken as they are."""
    script = ROOT / "scripts" / "due-models"
    given = subprocess.run(
        [script],
        env=os.environ | {"MODELS": "a/b, c/d"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert given.stdout == 'models=["a/b", "c/d"]\n'
    environment = {key: value for key, value in os.environ.items() if key != "MODELS"}
    due = subprocess.run(
        [script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    name, _, listed = due.stdout.strip().partition("=")
    assert name == "models"
    assert all("/" in slug for slug in json.loads(listed))


def test_a_comparison_is_computed(tmp_path: Path) -> None:
    """As pr.yml does: three files, and the summary of the step."""
    summary = tmp_path / "summary.md"
    done = subprocess.run(
        [ROOT / "scripts" / "compare-revisions", "HEAD", "HEAD", tmp_path / "out"],
        cwd=ROOT,
        env=os.environ | {"GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "comparison.json").read_text("utf-8"))["pairs"] == []
    assert (tmp_path / "out" / "comparison.html").read_text("utf-8").startswith("<!doctype html>")
    assert "No published result" in summary.read_text("utf-8")


def test_release_assets(tmp_path: Path) -> None:
    """The guidelines, the records, and digests of both."""
    subprocess.run([ROOT / "scripts" / "release-assets", tmp_path], cwd=ROOT, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "SHA256SUMS",
        "convex-guidelines.md",
        "data.tar.gz",
    ]
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_netlify_leaves_a_build_out_only_where_nothing_can_have_changed(tmp_path: Path) -> None:
    """A change of the docs builds nothing; the method, which is a page, and records do.

    So do a first build and an unknown commit.
    """
    git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    commits: list[str] = []
    for path in ("data/models.toml", "docs/a.md", "data/runs/a.json", "docs/method.md"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text\n")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "--quiet", "--message", path)
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    first, docs, records, method = commits

    def builds(before: str | None, now: str) -> bool:
        known = {} if before is None else {"CACHED_COMMIT_REF": before}
        script = ROOT / "scripts" / "netlify-ignore"
        environment = {"PATH": os.environ["PATH"], "COMMIT_REF": now, **known}
        return subprocess.run([script], cwd=tmp_path, env=environment, check=False).returncode == 1

    assert not builds(first, docs)
    assert builds(docs, records)
    assert builds(records, method)
    assert builds(first, first)
    assert builds(None, first)
    assert builds("0" * 40, records)
