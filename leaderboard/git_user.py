"""The name of the user who gives a command, for records that name their author."""

import shutil
import subprocess

import click


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
