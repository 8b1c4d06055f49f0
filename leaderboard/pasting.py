"""Commands that are printed to be pasted: they name this program and quote what needs it."""

import shlex
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, cast

import click
from click.core import ParameterSource

OF_THE_RUN: Final = frozenset(
    {
        *("models", "pattern", "categories", "experiment", "samples", "failed", "plan"),
        *("sections", "placebo", "before", "resume_or_start", "anew", "carry_over"),
    }
)
"""Parameters that say what a run is; a resumed one has that from its record."""

OF_THE_COMMAND: Final = frozenset({"resume", "more_runs", "as_json", "out", "templates"})
"""Parameters that a resumed run has no use for."""

_NAME: Final = "leaderboard"


def command_line(*arguments: str) -> str:
    """Return a line of shell that calls this program, as whoever reads it can call it."""
    return f"{_program()} {shlex.join(arguments)}"


def given(context: click.Context) -> list[click.Option]:
    """Return the options that stand on the command line; those of the environment do not."""
    return [
        option
        for option in context.command.params
        if isinstance(option, click.Option)
        and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
    ]


def options_to_keep(context: click.Context) -> list[str]:
    """Return what of the command line a resumed run needs as well."""
    kept: list[str] = []
    for option in given(context):
        name = option.name or ""
        if name in OF_THE_RUN | OF_THE_COMMAND:
            continue
        value: object = context.params[name]
        for one in cast("tuple[object, ...]", value) if option.multiple else (value,):
            kept += [max(option.opts, key=len), *([] if option.is_flag else [str(one)])]
    return kept


def with_budget(options: Sequence[str], budget_usd: float | None) -> list[str]:
    """Return the options of a command with another budget; None leaves them as they are."""
    if budget_usd is None:
        return list(options)
    amount = f"{budget_usd:.2f}"
    if "--budget" not in options:
        return [*options, "--budget", amount]
    place = list(options).index("--budget") + 1
    return [*options[:place], amount, *options[place + 1 :]]


def refuse_beside_resume(
    context: click.Context, what: str = "a run", said_by: Collection[str] = OF_THE_RUN
) -> None:
    """Refuse options that say what a run is beside the one that goes on with a run.

    Args:
        context: the command's.
        what: what is gone on with, where that is no run.
        said_by: parameters that say what it is.

    Raises:
        UsageError: some are given.
    """
    contradicting = [option for option in given(context) if option.name in said_by]
    if contradicting:
        names = ", ".join(option.opts[-1] for option in contradicting)
        raise click.UsageError(f"--resume goes on with {what} as it was begun: leave out {names}")


def _program() -> str:
    """Return how this program was called; its bare name where the shell finds the same by it."""
    called = Path(sys.argv[0])
    found = shutil.which(_NAME)
    if called.name != _NAME:
        return shlex.join([sys.executable, "-m", _NAME])
    if found is not None and Path(found).resolve() == called.resolve():
        return _NAME
    return shlex.quote(str(called))
