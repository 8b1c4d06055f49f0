"""A question in a terminal before something is changed."""

import sys

import click


def ask(question: str, *, agreed: bool, err: bool = False) -> None:
    """Ask in a terminal, unless it is agreed already; ``err`` asks on standard error.

    Raises:
        Abort: the answer is no.
        UsageError: there is no terminal.
    """
    if agreed:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nothing was changed: --yes agrees where no terminal can be asked")
    click.confirm(question, abort=True, err=err)
