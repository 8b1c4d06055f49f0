"""The hooks of pre-commit, installed and run in a repository made for the test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import yaml

pytestmark = pytest.mark.integration

ROOT: Final = Path(__file__).parents[2]
_CONFIGURATION: Final = ROOT / ".pre-commit-config.yaml"
_BIN: Final = Path(sys.executable).parent


class Repository:
    """A repository with our hooks, our settings of ruff, and a stand-in for JavaScript checks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        (self.folder / "scripts").mkdir(parents=True)
        for name in (_CONFIGURATION.name, "pyproject.toml"):
            shutil.copy(ROOT / name, self.folder)
        (self.folder / ".venv").symlink_to(_BIN.parent)
        self._environment = os.environ | {
            "PRE_COMMIT_HOME": str(folder / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.set_javascript_checks(passing=True)
        self.run("git", "init", "--quiet", ".")
        self.run(_BIN / "pre-commit", "install")

    def set_javascript_checks(self, *, passing: bool) -> None:
        """Make the stand-in for scripts/check-javascript pass or fail."""
        script = self.folder / "scripts" / "check-javascript"
        script.write_text(f"#!/bin/sh\nexit {0 if passing else 1}\n")
        script.chmod(0o755)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a program in the repository."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def commit(self, name: str, text: str) -> subprocess.CompletedProcess[str]:
        """Write a file and try to commit it."""
        (self.folder / name).write_text(text)
        self.run("git", "add", name)
        author = ("-c", "user.name=a", "-c", "user.email=a@b")
        return self.run("git", *author, "commit", "--message", name)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository in which `pre-commit install` was called."""
    return Repository(tmp_path_factory.mktemp("hooks"))


def test_a_clean_commit_passes(repository: Repository) -> None:
    """Formatted Python without findings is committed."""
    run = repository.commit("clean.py", '"""A module."""\n\nNUMBER = 1\n')
    assert run.returncode == 0, run.stderr
    assert repository.run("git", "log", "--format=%s", "-1").stdout == "clean.py\n"


@pytest.mark.parametrize(
    ("text", "hook"),
    [
        ('"""A module."""\n\nimport missing\n', "lint of Python"),
        ('"""A module."""\n\nNUMBER  =  1\n', "format of Python"),
    ],
    ids=["lint", "format"],
)
def test_a_commit_with_a_fault_is_refused(repository: Repository, text: str, hook: str) -> None:
    """The hook that found it is named, and nothing is committed."""
    run = repository.commit("faulty.py", text)
    assert run.returncode == 1
    (line,) = [line for line in run.stderr.splitlines() if line.startswith(hook)]
    assert line.endswith("Failed")
    assert repository.run("git", "log", "--format=%s", "--", "faulty.py").stdout == ""
    repository.run("git", "rm", "--quiet", "--force", "faulty.py")


def test_javascript_that_its_checks_refuse_is_refused(repository: Repository) -> None:
    """A script, a style sheet or a setting of the checkers calls scripts/check-javascript."""
    repository.set_javascript_checks(passing=False)
    assert repository.commit("page.mjs", "export const a = 1;\n").returncode == 1
    repository.set_javascript_checks(passing=True)
    run = repository.commit("page.mjs", "export const a = 1;\n")
    assert run.returncode == 0, run.stderr


def test_hooks_are_of_this_repository() -> None:
    """No hook is fetched: each is local and calls a program that the set-up installed."""
    configuration = yaml.safe_load(_CONFIGURATION.read_text("utf-8"))
    assert [repository["repo"] for repository in configuration["repos"]] == ["local"]
    for hook in configuration["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith((".venv/bin/", "scripts/"))
