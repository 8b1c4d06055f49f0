"""Git with an invented author, in the repositories that tests make."""

import subprocess
from pathlib import Path


def run_git(folder: Path, *arguments: str) -> str:
    """Run git in ``folder``; return its output."""
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.symlinks=true")
    return subprocess.run(
        ["git", "-C", folder, *settings, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


def commit_all(folder: Path, message: str) -> None:
    """Commit everything in ``folder``."""
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", "--message", message)
