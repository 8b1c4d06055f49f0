"""Standard output and error, as every command writes to them.

What is written is made visible on its way (`records.showing`), whoever wrote it: names, reasons
and evidence in records come from models, providers and pull requests. A reader that goes away and
a disk that is full end no command: a run of hours goes on without its lines.
"""

import errno
import io
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

from records.showing import visible

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Output(io.FileIO):
    """A file descriptor of which every write seems to succeed."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.lost: OSError | None = None
        """The first write that failed."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.lost = self.lost or error
            return memoryview(data).nbytes


class _Visible(io.TextIOWrapper):
    """Text in which nothing is left for a terminal to obey."""

    past: TextIO | None = None
    """The way past it. Kept here: a wrapper that is dropped closes what both write to."""

    def write(self, text: str, /) -> int:
        return super().write(visible(text))


class Streams:
    """Puts both streams in place of Python's own; made once, before anything is printed."""

    def __init__(self) -> None:
        self._out = _Output(_opened(1))
        self._error = _Output(_opened(2))
        # A character that the terminal's encoding lacks is shown as "?" instead of raising an
        # error.
        sys.stdout = _shown(self._out, sys.stdout, errors="replace")
        sys.stderr = _shown(self._error, sys.stderr, errors="backslashreplace")

    def lost(self) -> str | None:
        """Say why output is incomplete; None where it is whole, or nobody reads it any more."""
        sys.stdout.flush()
        error = self._out.lost
        if error is None or error.errno == errno.EPIPE:
            return None
        return f"standard output: {error.strerror}; what stands there is incomplete"


def say(line: object = "", *, err: bool = False) -> None:
    """Print a line, at once; on standard error where ``err``.

    Not by click.echo, which writes UTF-8 to terminals that say they understand ASCII only.
    """
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{line}\n")
    stream.flush()


def say_json(value: object) -> None:
    """Print ``value`` for machines, in ASCII."""
    say(json.dumps(value, indent=2))


def terminal_width() -> int | None:
    """Return the characters of a line of standard output; None where it is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def terminal() -> TextIO | None:
    """Return standard output as it is, for what draws on it; None where it is no terminal.

    Nor where TERM is dumb, or NO_COLOR is set: bold text and moves of the cursor are escapes, too.
    Whoever draws must make text from outside visible.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("NO_COLOR"):
        return None
    shown = sys.stdout
    if not isinstance(shown, _Visible):
        return shown
    if shown.past is None:
        shown.past = io.TextIOWrapper(shown.buffer, encoding=shown.encoding, errors=shown.errors)
    return shown.past


def _opened(descriptor: int) -> int:
    """Return the descriptor, opened to nowhere if whoever started this program had it closed.

    The next file to be opened would get its number otherwise: output would end up in a journal.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
    return descriptor


def _shown(output: _Output, before: TextIO | None, *, errors: str) -> _Visible:
    encoding = "utf-8"
    if before is not None:
        before.flush()
        encoding = before.encoding
    return _Visible(
        io.BufferedWriter(output), encoding=encoding, errors=errors, line_buffering=output.isatty()
    )
