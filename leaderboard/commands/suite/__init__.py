"""`leaderboard suite`: write, prove and mint the suite."""

import click

from leaderboard.commands.suite import check, guidelines, lint, mint, mutate, new


@click.group("suite")
def command() -> None:
    """Write evals, prove that their graders judge rightly, and give the suite a version."""


for _module in (check, guidelines, lint, mint, mutate, new):
    command.add_command(_module.command)
