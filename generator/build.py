"""Builds the site: find what changed, read it, gather and render what follows from it, write.

In this order: nothing is written before everything was read and rendered. What was read and made
is kept beside the output, so that the next build begins where this one ended. This module imports
nothing that takes time: a build that finds nothing changed answers at once.
"""

import gc
import os
import shutil
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cache import STATE, State, StateFile
from generator.errors import OutputFolderError
from generator.output import (
    MARK,
    RenderedFile,
    Staging,
    Written,
    check_apart,
    check_claim,
    intact,
    stamp_there,
    turn,
)
from generator.sources import (
    Inputs,
    Sources,
    Stamp,
    check_data,
    find_inputs,
    look_again,
    program,
)

if TYPE_CHECKING:
    from generator.maker import Maker

__all__ = ["Builder", "Sources", "build", "for_good"]


def build(sources: Sources, out: Path) -> Written:
    """Build the site into ``out``.

    Raises:
        RecordsError: a record is invalid; nothing was written.
        GeneratorError: settings, suite texts or the output folder are not as they must be.
    """
    return Builder(sources, out).build()


@dataclass(frozen=True, slots=True)
class _Memory:
    """What a builder knows of its last build, which went through."""

    inputs: Inputs
    state: State
    left: tuple[Stamp | None, ...]
    """By what it shows that nobody else has built since, or removed what was built."""


class Builder:
    """Builds one site, once or again and again."""

    def __init__(self, sources: Sources, out: Path) -> None:
        self._sources = sources
        self._out = out
        place = Path(os.path.realpath(out))  # `.` has a name too, and a link the folder's own
        self._beside = place.parent / f".{place.name}.build"
        made_by = program()
        self._file = StateFile(self._beside / STATE, f"{made_by} {sources}")
        # As Python keeps its own: beside the sources, and by who compiled them.
        self._compiled = sources.templates / "__pycache__" / made_by
        self._memory: _Memory | None = None
        self._maker: Maker | None = None

    def build(self, changed: Iterable[str] | None = None) -> Written:
        """Make the output what it must be by now.

        With ``changed``, absolute paths, only what these say is looked for: nothing else is thought
        to have changed since the last build.

        Raises:
            RecordsError: a record is invalid; nothing was written.
            GeneratorError: settings, suite texts or the output folder are not as they must be.
        """
        check_data(self._sources)
        check_claim(self._out)
        check_apart(self._sources, self._out)
        with turn(self._beside), _keeping_all():
            known = self._recalled()
            again = look_again(self._sources, known.inputs, changed) if known and changed else None
            inputs = again or find_inputs(self._sources)
            written, state = self._build(inputs, known.state if known else self._loaded())
            self._memory = _Memory(inputs, state, self._left())
        return written

    def _recalled(self) -> _Memory | None:
        """Return what still holds of the last build; until one has gone through again, nothing."""
        known, self._memory = self._memory, None
        return known if known and known.left == self._left() else None

    def _left(self) -> tuple[Stamp | None, ...]:
        return stamp_there(self._out, MARK), stamp_there(self._beside, STATE)

    def _loaded(self) -> State:
        """Return the last state, less what somebody else changed in the output since."""
        for other in self._compiled.parent.glob("[0-9a-f]" * len(self._compiled.name)):
            if other != self._compiled:
                shutil.rmtree(other, ignore_errors=True)
        return intact(self._out, self._file.load())

    def _build(self, inputs: Inputs, before: State) -> tuple[Written, State]:
        if before.pages and before.whole and before.stamps() == inputs.all():
            return Written(len(before.pages), (), (), tuple(before.notices)), before
        with Staging(self._beside / "staged", self._out) as staging:
            after, made = self._made().make(inputs, before, staging)
            removed = self._published(staging, made, after)
        changed = tuple(one.path for one in made if one.staged)
        return Written(len(after.pages), changed, tuple(removed), tuple(after.notices)), after

    def _published(self, staging: Staging, made: list[RenderedFile], after: State) -> list[str]:
        """Put what was made in place, and remember it; return what was removed."""
        try:
            removed = staging.publish(made, after.pages)
            after.see(staging.stamp, [one.path for one in made])
            self._file.keep(after)
        except (OSError, sqlite3.Error) as error:
            raise OutputFolderError(f"{self._out}: cannot be written: {error}") from error
        return removed

    def _made(self) -> "Maker":
        if self._maker is None:
            # Imported here: records, templates and statistics take half a second to import, and a
            # build that finds nothing changed needs none of them.
            from generator.maker import Maker  # noqa: PLC0415

            self._maker = Maker(self._sources, self._compiled)
        return self._maker


@contextmanager
def for_good() -> Generator[None]:
    """Keep what is made meanwhile from ever being searched for garbage.

    For a process that ends after it has built, or goes on with what it has read.
    """
    with _keeping_all():
        yield
        gc.freeze()


@contextmanager
def _keeping_all() -> Generator[None]:
    """Look for no garbage: what a build reads it needs to its end, and looking takes a tenth."""
    looking = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looking:
            gc.enable()
