"""Facts of git: changed evals, texts of earlier revisions, the user's name."""

import shutil
import subprocess
from pathlib import Path

import click

from records.text.visible import make_one_line
from runner.evals.discovery import Suite


def find_changed_evals(suite: Suite, revision: str) -> frozenset[str]:
    """Return the evals with a file that changed since ``revision``, according to git.

    Raises:
        ClickException: there is no such revision, or the suite is in no git repository.
    """
    option = f"--since {revision}"
    commit = resolve_commit(suite.root, revision, "--since")
    output = _read_git_output(
        suite.root, ["diff", "--name-only", "--relative", commit, "--", "."], option
    )
    touched = {"/".join(line.split("/")[:2]) for line in output.splitlines()}
    return frozenset(evaluation.name for evaluation in suite.evals if evaluation.name in touched)


def resolve_commit(folder: Path, revision: str, option: str) -> str:
    """Return the whole name of the commit that ``revision``, the value of ``option``, names.

    Raises:
        ClickException: there is no such revision, or the folder is in no git repository.
    """
    arguments = ["rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"]
    return _read_git_output(folder, arguments, f"{option} {revision}").strip()


def read_guidelines_at(suite: Path, commit: str) -> str:
    """Return the text that the guidelines of a suite had at a commit.

    Raises:
        ClickException: the file did not exist then, or the folder is in no git repository.
    """
    name = "guidelines.md"
    return _read_git_output(suite, ["show", f"{commit}:./{name}"], f"{name} at {commit[:12]}")


def is_in_repository(folder: Path) -> bool:
    """Return whether a folder is in the work tree of a git repository."""
    return any((parent / ".git").exists() for parent in (folder, *folder.absolute().parents))


def _read_git_output(folder: Path, arguments: list[str], what: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise click.ClickException(f"{what}: {explain_git_failure(folder, done.stderr)}")
    return done.stdout


def explain_git_failure(folder: Path, stderr: str) -> str:
    """Return in one line why a command of git failed; git may print a page of usage.

    A refusal of a folder of another owner is whole, because its last words are the remedy.
    """
    if not is_in_repository(folder):
        return f"{folder} is in no repository of git"
    if "Needed a single revision" in stderr:
        return "git knows no such revision here"
    if "safe.directory" in stderr:
        return make_one_line(stderr.removeprefix("fatal: "))
    lines = stderr.strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else "git failed and gave no reason"


def read_git_user(option: str) -> str:
    """Return the user.name of git.

    Raises:
        UsageError: git has no name; the message suggests ``option`` instead.
    """
    git = shutil.which("git")
    if git is not None:
        result = subprocess.run(
            [git, "config", "user.name"], capture_output=True, text=True, check=False
        )
        if result.stdout.strip():
            return result.stdout.strip()
    raise click.UsageError(f"who does this? Use {option} NAME, or set user.name of git")
