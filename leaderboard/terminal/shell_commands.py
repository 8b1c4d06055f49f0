"""Shell commands in the output, to be copied: the name of this program and quoted arguments."""

import os
import shlex
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import cast

import click
from click.core import ParameterSource

from leaderboard.terminal.streams import is_json, say

OF_THE_RUN = frozenset(
    """
    models pattern categories levels experiment samples failed_only plan sections placebo before
    resume_or_start anew carry_over_days
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Parameters that define a run; for a resumed run they come from its record."""

OF_THE_COMMAND = frozenset({"resume", "more_runs", "as_json", "out", "templates"})
"""Parameters that a resumed run does not need."""

_NAME = "leaderboard"


def format_command_line(*arguments: str) -> str:
    """Return a shell command that calls this program as the user called it."""
    return f"{_find_program()} {shlex.join(arguments)}"


def format_command_line_elsewhere(*arguments: str) -> str:
    """Return a shell command that calls this program from another folder than the current one."""
    program = _find_program()
    called = Path(sys.argv[0])
    is_relative = program == shlex.quote(str(called)) and not called.is_absolute()
    whole = shlex.quote(str(called.absolute())) if is_relative and os.sep in program else program
    return f"{whole} {shlex.join(arguments)}"


def list_given_options(context: click.Context) -> list[click.Option]:
    """Return the options that are given on the command line, and not by the environment."""
    return [
        option
        for option in context.command.get_params(context)
        if isinstance(option, click.Option)
        and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
    ]


def list_options_to_keep(context: click.Context) -> list[str]:
    """Return the arguments of the command line that a resumed run needs as well."""
    arguments: list[str] = []
    for option in list_given_options(context):
        name = option.name or ""
        if name in OF_THE_RUN | OF_THE_COMMAND:
            continue
        parameter: object = context.params[name]
        for value in cast("tuple[object, ...]", parameter) if option.multiple else (parameter,):
            arguments += [max(option.opts, key=len), *([] if option.is_flag else [str(value)])]
    return arguments


def with_budget(options: Sequence[str], budget_usd: float | None) -> list[str]:
    """Return the options of a command with another budget; unchanged if ``budget_usd`` is None."""
    if budget_usd is None:
        return list(options)
    amount = f"{budget_usd:.2f}"
    if "--budget" not in options:
        return [*options, "--budget", amount]
    index = list(options).index("--budget") + 1
    return [*options[:index], amount, *options[index + 1 :]]


def refuse_beside_resume(
    context: click.Context, what: str = "a run", said_by: Collection[str] = OF_THE_RUN
) -> None:
    """Refuse options that define a run together with the option that resumes a run.

    Args:
        context: the context of the command.
        what: the words for the thing to resume, by default a run.
        said_by: the parameters that define the thing.

    Raises:
        UsageError: the command line has such options.
    """
    contradicting = [option for option in list_given_options(context) if option.name in said_by]
    if contradicting:
        names = ", ".join(option.opts[-1] for option in contradicting)
        raise click.UsageError(f"--resume goes on with {what} as it began: leave out {names}")


def _find_program() -> str:
    """Return the call of this program; its name alone if the shell finds the same file by it."""
    called = Path(sys.argv[0])
    executable = shutil.which(_NAME)
    if called.name != _NAME:
        return shlex.join([sys.executable, "-m", _NAME])
    if executable is not None and Path(executable).resolve() == called.resolve():
        return _NAME
    return shlex.quote(str(called))


def say_next(lines: Iterable[str]) -> None:
    """Print commands below a heading; print nothing without commands, and with JSON."""
    all_lines = list(lines)
    if all_lines and not is_json():
        say("\nNext:")
        for line in all_lines:
            say(f"  {line}")


def suggest_commit(files: Sequence[Path], message: str) -> list[str]:
    """Return the commands of git that commit ``files``."""
    return [
        f"git add {shlex.join(map(str, files))}",
        f"git commit -m {shlex.quote(message)}",
    ]
