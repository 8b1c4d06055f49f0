"""Evals that changed since a git revision."""

import subprocess

import click

from runner.evals.discovery import Suite


def changed_evals(suite: Suite, revision: str) -> frozenset[str]:
    """Return the evals of which git says that a file changed since ``revision``.

    Raises:
        UsageError: there is no such revision, or the suite is in no repository of git.
    """
    arguments = ["diff", "--name-only", "--relative", "--end-of-options", revision, "--", "."]
    done = subprocess.run(
        ["git", "-C", str(suite.root), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise click.UsageError(f"--since {revision}: {done.stderr.strip()}")
    touched = {"/".join(line.split("/")[:2]) for line in done.stdout.splitlines()}
    return frozenset(one.name for one in suite.evals if one.name in touched)
