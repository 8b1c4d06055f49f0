"""The way from a pull request to its comment, by the scripts of comment.yml and a repository."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.github import hosting
from tests.leaderboard.changes.scratch import EVAL, Scratch
from tests.support.git import run_git
from tests.support.warm_command import ROOT, make_warm_program, start_server

pytestmark = pytest.mark.more

SCRIPTS = ROOT / "scripts"


@dataclass(frozen=True, slots=True)
class Hosted:
    """A repository with pull request 7, as GitHub has it, and a checkout of its default branch."""

    scratch: Scratch
    """The clone of the pull request's author."""
    checkout: Path
    api: hosting.Repository
    out: Path

    def send(self) -> None:
        """Push the author's branch, as the pull request's head."""
        self.scratch.commit()
        run_git(self.scratch.root, "push", "--quiet", "--force", "origin", "head:refs/pull/7/head")
        self.api.head = self.api.event_sha = run_git(self.scratch.root, "rev-parse", "head")

    def locate(self) -> dict[str, str]:
        """Run the step that finds the pull request; return its output for GitHub."""
        output = self.out.with_suffix(".output")
        output.write_text("")
        subprocess.run(
            [sys.executable, SCRIPTS / "locate_pull_request.py", self.out / "results"],
            env=hosting.build_comment_environment(self.api) | {"GITHUB_OUTPUT": str(output)},
            check=True,
            capture_output=True,
        )
        return dict(line.split("=") for line in output.read_text().splitlines())

    def describe(self, pull_request: dict[str, str]) -> None:
        """Run the step that describes the pull request."""
        results = self.out / "results" / "suite-check.json"
        done = subprocess.run(
            [
                *(SCRIPTS / "describe-pull-request", pull_request["number"], pull_request["base"]),
                *(self.api.event_sha, results, self.out / "out", hosting.PREVIEW),
            ],
            cwd=self.checkout,
            env=os.environ | {"LEADERBOARD": str(make_warm_program()), "GITHUB_TOKEN": "secret"},
            check=False,
            capture_output=True,
            text=True,
            pass_fds=[start_server().fileno()],
        )
        assert done.returncode == 0, done.stderr

    def read_description(self) -> dict[str, bytes]:
        """Return the artifact of the description."""
        return {path.name: path.read_bytes() for path in (self.out / "out").glob("*")}


@pytest.fixture
def pull(tmp_path: Path) -> Generator[Hosted]:
    """Host a scratch repository with a pull request of a stranger."""
    scratch = Scratch.make(tmp_path / "author")
    run_git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git")
    run_git(scratch.root, "remote", "add", "origin", str(tmp_path / "origin.git"))
    run_git(scratch.root, "push", "--quiet", "origin", "main")
    run_git(tmp_path, "clone", "--quiet", "origin.git", "checkout")
    with hosting.serve_repository() as api:
        api.base = run_git(scratch.root, "rev-parse", "main")
        (tmp_path / "run").mkdir()
        yield Hosted(scratch, tmp_path / "checkout", api, tmp_path / "run")


def test_a_pull_request_is_described_by_our_own_program(pull: Hosted) -> None:
    """Its files are only data; the verdicts on graders are of its own job, and labelled so."""
    mark = pull.out / "mark"
    program = f"import pathlib\n\npathlib.Path({str(mark)!r}).touch()\n"
    pull.scratch.append(f"evals/{EVAL}/grader.py", program)
    pull.scratch.write("scripts/pull_request_comment.py", program)
    pull.send()
    row = {"eval": EVAL, "answer": "reference", "holds": True, "left_out": False}
    pull.api.files = {"suite-check.json": json.dumps([row]).encode(), "comparison.md": b"FORGED"}
    pull_request = pull.locate()
    assert pull_request == {"number": "7", "base": pull.api.base}
    pull.describe(pull_request)
    assert not mark.exists()
    assert run_git(pull.checkout, "status", "--porcelain") == ""
    assert not (pull.checkout / "scripts").exists()
    pull.api.files = pull.read_description()
    assert hosting.run_comment_script(pull.api).returncode == 0
    (posted,) = pull.api.comments
    assert "**Merging: 1 eval changed; 1 published verdict stale.**" in posted["body"]
    assert "as computed by this pull request" in posted["body"]
    assert "1 right, 0 wrong" in posted["body"]
    assert "FORGED" not in posted["body"]
    assert "secret" not in posted["body"]
    (check,) = pull.api.checks
    assert check["output"]["title"].startswith("Merging: 1 eval changed")


def test_a_branch_that_moved_on_is_left_to_the_next_run(pull: Hosted) -> None:
    """The branch may move between the two steps, or before them."""
    pull.scratch.append("evals/README.md", "More.\n")
    pull.send()
    pull_request = pull.locate()
    earlier = pull.api.event_sha
    pull.scratch.append("evals/README.md", "More.\n")
    pull.send()
    pull.api.event_sha = earlier
    pull.describe(pull_request)
    assert pull.read_description() == {}
    assert pull.locate() == {}


def test_results_that_are_a_bomb_are_refused_unpacked(pull: Hosted) -> None:
    """The step fails, and the comment names a failure of our program."""
    pull.send()
    pull.api.files = {"suite-check.json": b" " * (9 * 1024 * 1024)}
    with pytest.raises(subprocess.CalledProcessError, match="locate_pull_request"):
        pull.locate()
