"""Standard output and standard error of every command, and the exit codes.

Control characters in all text are made visible (`records.text.visible`), because names, reasons and
evidence in records come from models, providers and pull requests. A closed pipe or a full disk does
not end a command, so a run of hours goes on without its lines.
"""

import errno
import io
import json
import os
import shutil
import sys
from collections.abc import Iterable
from enum import IntEnum
from time import monotonic
from typing import TYPE_CHECKING, TextIO

import click

from records.text.visible import make_visible

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ExitCode(IntEnum):
    """The exit codes, which `EXIT_CODES` explains."""

    DONE = 0
    CHECK_FAILED = 1
    BAD_USAGE = 2
    INFRASTRUCTURE = 3
    INTERRUPTED = 130


EXIT_CODES = """\b
Exit codes:
  0    done, whatever the verdicts on models are
  1    a check found a fault
  2    something to fix: usage, a key, a file, a disk or an output that is full
  3    infrastructure: attempts without a verdict, or a bug in this program
  130  Ctrl-C; after the first Ctrl-C a run finishes gradings under way and ends with 3

A closed output (`| head`) ends no command and changes no exit code.
"""
"""The help text on the exit codes; its first line keeps click from joining the lines."""


class _Output(io.FileIO):
    """A file descriptor that hides failed writes from its callers."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.lost: OSError | None = None
        """The error of the first write that failed; None if none failed."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.lost = self.lost or error
            return memoryview(data).nbytes


class _Visible(io.TextIOWrapper):
    """A text stream without control sequences for a terminal."""

    past: TextIO | None = None
    """A second, unfiltered stream; kept, because its deletion would close the shared buffer."""

    def write(self, text: str, /) -> int:
        return super().write(make_visible(text))


class Streams:
    """The replacements of both standard streams; made once, before the first output."""

    def __init__(self) -> None:
        self._out = _Output(_ensure_open(1))
        self._error = _Output(_ensure_open(2))
        # A character that the terminal's encoding lacks is shown as "?", and raises no error.
        sys.stdout = _wrap_output(self._out, sys.stdout, errors="replace")
        sys.stderr = _wrap_output(self._error, sys.stderr, errors="backslashreplace")

    def describe_loss(self) -> str | None:
        """Return why standard output is incomplete; None if it is complete, or a closed pipe."""
        sys.stdout.flush()
        error = self._out.lost
        if error is None or error.errno == errno.EPIPE:
            return None
        return f"standard output: {error.strerror}; the output is incomplete"


def say(line: object = "", *, err: bool = False) -> None:
    """Print a line at once; with ``err`` on standard error.

    click.echo is not used, because it writes UTF-8 even to terminals with the encoding ASCII.
    """
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{line}\n")
    stream.flush()


def say_json(value: object) -> None:
    """Print ``value`` as JSON, in ASCII."""
    say(json.dumps(value, indent=2))


JSON = "leaderboard.json"
"""The key of the fact, among those of a command's context, that standard output has JSON."""


def is_json() -> bool:
    """Return whether the command prints JSON, and nothing else, on standard output."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(JSON))


def say_aside(line: object = "") -> None:
    """Print a line beside the result: on standard error if standard output has JSON."""
    say(line, err=is_json())


def say_result(value: object, lines: Iterable[object]) -> None:
    """Print the result of a command: as JSON, or as lines for people."""
    if is_json():
        say_json(value)
        return
    for line in lines:
        say(line)


def find_terminal_width() -> int | None:
    """Return the width of standard output in characters; None if it is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def find_terminal() -> TextIO | None:
    """Return unfiltered standard output for code that draws on a terminal; None if it is none.

    Also None if TERM is dumb or NO_COLOR is set, because bold text and moves of the cursor need
    control characters. The caller must make those in text from outside visible.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("NO_COLOR"):
        return None
    stream = sys.stdout
    if not isinstance(stream, _Visible):
        return stream
    if stream.past is None:
        stream.past = io.TextIOWrapper(
            stream.buffer, encoding=stream.encoding, errors=stream.errors
        )
    return stream.past


def _ensure_open(descriptor: int) -> int:
    """Return the descriptor; if it is closed, open it as the null device first.

    Otherwise the next opened file, such as a journal, would get this number, and the output.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
    return descriptor


def _wrap_output(output: _Output, before: TextIO | None, *, errors: str) -> _Visible:
    encoding = "utf-8"
    if before is not None:
        before.flush()
        encoding = before.encoding
    return _Visible(
        io.BufferedWriter(output), encoding=encoding, errors=errors, line_buffering=output.isatty()
    )


def ask(question: str, *, agreed: bool) -> None:
    """Ask the user in a terminal, unless ``agreed``.

    Raises:
        Abort: the user does not agree.
        UsageError: there is no terminal to ask in.
    """
    if agreed:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nothing was changed: without a terminal, --yes gives the consent")
    click.confirm(question, abort=True, err=is_json())


def is_quiet() -> bool:
    """Return whether `-q` was given before the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("quiet"))


def say_starting() -> None:
    """Print that the command has begun, because its imports take seconds; not with `-q`."""
    if not is_quiet():
        say_aside("Starting …")


_FIRST_S = 1
_EVERY_S = 2


class ProgressLines:
    """A printer of progress: no line for short work, else a line every two seconds.

    Each line begins with the name of the work, then the counts.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._next = monotonic() + _FIRST_S
        self._printed = False

    def __call__(self, done: int, total: int) -> None:
        """Print a line with the counts if it is time for one."""
        is_last = done >= total and self._printed
        now = monotonic()
        if now >= self._next or is_last:
            say(f"{self._name}: {done:,} of {total:,}", err=True)
            self._next = now + _EVERY_S
            self._printed = not is_last
