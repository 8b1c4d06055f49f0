"""The question in a terminal whether something may be changed."""

import sys

import click


def ask(question: str, *, agreed: bool, err: bool = False) -> None:
    """Ask the user in a terminal, unless ``agreed``; with ``err`` on standard error.

    Raises:
        Abort: the user does not agree.
        UsageError: there is no terminal to ask in.
    """
    if agreed:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nothing was changed: without a terminal, --yes gives the consent")
    click.confirm(question, abort=True, err=err)
