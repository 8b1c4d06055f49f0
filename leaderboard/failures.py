"""From an error that ended a command to one line for the user and an exit code."""

import errno
import traceback
from collections.abc import Iterator
from typing import Final, cast

import click

from leaderboard.exits import BAD_USAGE, DONE, INFRASTRUCTURE
from leaderboard.streams import say
from records.showing import one_line

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""Of writing to a file that is open already: the error does not name it."""


def told(error: Exception) -> int:
    """Say what went wrong on standard error; return the exit code.

    One line for each thing the user must fix or that broke outside of this program. Anything else
    is a fault of this program, and told with its traceback.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.ctx.get_help())
        return DONE
    if isinstance(error, click.ClickException):
        _say_usage(error)
        return BAD_USAGE
    leaves = list(_leaves(error))
    found = [_line(leaf) for leaf in leaves]
    lines = [line for line, _ in found if line is not None]
    if len(lines) < len(found):
        say("".join(traceback.format_exception(error)).rstrip(), err=True)
        say("leaderboard: this program broke; what stands above tells where", err=True)
        return INFRASTRUCTURE
    for line in dict.fromkeys(lines):
        say(f"leaderboard: {one_line(line)}", err=True)
    for detail in dict.fromkeys(detail for leaf in leaves for detail in _details(leaf)):
        # Blanks at the beginning tell what stands below what.
        indent = detail[: len(detail) - len(detail.lstrip(" "))]
        say(f"  {indent}{one_line(detail)}", err=True)
    return max(code for _, code in found)


def _details(error: Exception) -> tuple[str, ...]:
    """Return lines that belong below the message of ``error``."""
    from records.errors import RecordsError  # noqa: PLC0415 - needed only when a command failed

    return error.details if isinstance(error, RecordsError) else ()


def _leaves(error: Exception) -> Iterator[Exception]:
    """Yield the errors of which a group is made: tasks that ran at once end in one."""
    if isinstance(error, ExceptionGroup):
        group = cast("ExceptionGroup[Exception]", error)
        for one in group.exceptions:
            yield from _leaves(one)
    else:
        yield error


def _line(error: Exception) -> tuple[str | None, int]:
    """Return what to say of ``error`` and its exit code; no line where nobody foresaw it."""
    # Imported here: the error trees are needed only when a command failed.
    from generator.errors import GeneratorError  # noqa: PLC0415
    from leaderboard.extras import describe_missing_package  # noqa: PLC0415
    from records.errors import RecordsError  # noqa: PLC0415
    from review.errors import ReviewError  # noqa: PLC0415
    from runner.errors import InfrastructureError, RunnerError  # noqa: PLC0415

    if isinstance(error, InfrastructureError):
        return str(error), INFRASTRUCTURE
    if isinstance(error, RecordsError | RunnerError | GeneratorError | ReviewError):
        return str(error), BAD_USAGE
    if isinstance(error, OSError) and error.filename is not None:
        # A file or folder that the user named, or one in it, that cannot be read or written.
        return f"{error.filename}: {error.strerror}", BAD_USAGE
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"{error.strerror}, while writing; what was reported before is kept", BAD_USAGE
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        line = describe_missing_package(error.name)
        return line, BAD_USAGE if line else INFRASTRUCTURE
    return None, INFRASTRUCTURE


def _say_usage(error: click.ClickException) -> None:
    """Say what click says, by our own way to standard error."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        say(error.ctx.get_usage(), err=True)
        say(f"Try '{error.ctx.command_path} --help' for help.\n", err=True)
    say(f"Error: {error.format_message()}", err=True)
