"""Builds the site: read, score, gather contexts, render changed pages, publish.

In this order: no file is put in place before all are read and rendered. This module imports
nothing that takes time: a build that finds nothing changed answers at once.
"""

import gc
import os
import shutil
import sqlite3
import threading
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cache import CACHE, Cache, CachedFile, CachedPage, CacheFile
from generator.errors import ClashError, OutputFolderError, SourceChangedError
from generator.output_folder import (
    RenderedFile,
    Staging,
    Written,
    check_apart,
    check_claim,
    turn,
)
from generator.sources import Inputs, Sources, check_data, find_inputs, program, stamp_there

if TYPE_CHECKING:
    from generator.phases import Phases

__all__ = ["Builder", "Sources", "build", "for_good"]


def build(sources: Sources, out: Path) -> Written:
    """Build the site into ``out``.

    Raises:
        RecordsError: a record is invalid; nothing was written.
        GeneratorError: settings, suite texts or the output folder are not as they must be.
    """
    return Builder(sources, out).build()


class Builder:
    """Builds one site, once or again and again."""

    def __init__(self, sources: Sources, out: Path) -> None:
        self._sources = sources
        self._out = out
        folder = Path(os.path.realpath(out))  # `.` has a name too, and a link the folder's own
        self._beside = folder.parent / f".{folder.name}.build"
        made_by = program()
        self._cache = CacheFile(self._beside / CACHE, f"{made_by} {sources}")
        # As Python keeps its own: beside the sources, and by who compiled them.
        self._compiled = sources.templates / "__pycache__" / made_by
        self._kept_phases: Phases | None = None
        self._abandoned = threading.Event()

    def build(self) -> Written:
        """Bring the output up to date.

        Raises:
            RecordsError: a record is invalid; nothing was written.
            GeneratorError: settings, suite texts or the output folder are not as they must be.
            AbandonedError: another thread called `abandon`; nothing was written.
        """
        self._abandoned.clear()
        check_data(self._sources)
        check_claim(self._out)
        check_apart(self._sources, self._out)
        with turn(self._beside), _without_garbage_collection():
            before, inputs = self._intact(self._cache.load()), find_inputs(self._sources)
            if before.holds(inputs.all()):
                return Written(len(before.pages), (), (), before.notices)
            staged, abandoned = self._beside / "staged", self._abandoned.is_set
            with Staging(staged, self._out, abandoned) as staging:
                return self._built(inputs, before, staging)

    def abandon(self) -> None:
        """Let the build that goes on in another thread end at its next page, if one goes on."""
        self._abandoned.set()

    def ahead(self, wanted: Collection[str]) -> Mapping[str, bytes]:
        """Render single files of the site by the templates of now; nothing is written.

        Raises:
            RecordsError: a record or report is invalid.
            GeneratorError: settings, suite texts or a template are not as they must be.
        """
        with _without_garbage_collection():
            before, inputs = self._cache.load(), find_inputs(self._sources)
            return self._phases().ahead(inputs, before, wanted)

    def _intact(self, cache: Cache) -> Cache:
        """Return ``cache``, without its pages if somebody else changed one in the output."""
        pages = cache.pages.items()
        if any(stamp_there(self._out, path) != page.stamp for path, page in pages):
            cache.pages = {}
        return cache

    def _built(self, inputs: Inputs, before: Cache, staging: Staging) -> Written:
        phases, after = self._phases(), Cache(plans=dict(before.plans))
        project, rendered = phases.read(inputs, before, after, staging)
        site = phases.score(project)
        rendered += phases.render(project, site, before, staging)
        rendered += phases.list_pages(project, rendered, staging)
        if (changed := inputs.changed()) is not None:
            raise SourceChangedError(Path(changed))
        for path, stamp in inputs.all().items():
            after.files.setdefault(path, CachedFile(stamp, ""))
        after.effects, after.notices = phases.simulated_effects(), site.notices
        removed = self._published(staging, _by_path(rendered), before, after)
        written = tuple(file.path for file in rendered if file.staged)
        return Written(len(rendered), written, tuple(removed), after.notices)

    def _published(
        self, staging: Staging, files: Mapping[str, RenderedFile], before: Cache, after: Cache
    ) -> list[str]:
        """Put rendered files in place, and cache them; return the removed paths."""
        try:
            removed = staging.publish(files)
            for path, file in files.items():
                cached = None if file.staged else before.pages.get(path)
                stamp = cached.stamp if cached else stamp_there(self._out, path)
                after.pages[path] = CachedPage(stamp or "", file.key)
            self._cache.store(after)
        except (OSError, sqlite3.Error) as error:
            raise OutputFolderError(f"{self._out}: cannot be written: {error}") from error
        return removed

    def _phases(self) -> "Phases":
        if self._kept_phases is None:
            # The workers keep all processors busy; threads of numpy's BLAS would make each wait for
            # the others, and take twice the processor time. It is asked when numpy is imported.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            # Imported here: it takes half a second, which a build that finds nothing changed saves.
            from generator.phases import Phases  # noqa: PLC0415

            for other in self._compiled.parent.glob("[0-9a-f]" * len(self._compiled.name)):
                if other != self._compiled:
                    shutil.rmtree(other, ignore_errors=True)
            self._kept_phases = Phases(self._sources, self._compiled)
        return self._kept_phases


def _by_path(rendered: Iterable[RenderedFile]) -> dict[str, RenderedFile]:
    """Return files by path.

    Raises:
        ClashError: two of them have the same.
    """
    by_path: dict[str, RenderedFile] = {}
    for file in rendered:
        if file.path in by_path:
            raise ClashError(f"{file.path}: two records or reports want their page there")
        by_path[file.path] = file
    return by_path


@contextmanager
def for_good() -> Generator[None]:
    """Exclude the objects that are made meanwhile from garbage collection for good.

    For a process that ends after its build, or goes on with the records that it has read.
    """
    with _without_garbage_collection():
        yield
        gc.freeze()


@contextmanager
def _without_garbage_collection() -> Generator[None]:
    """Collect no garbage, which takes a tenth of a build: it needs all its objects to its end."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
