"""The build of the site: read, score, gather contexts, render changed pages, publish.

The order matters: no file of the site changes before all sources are read and all pages are
rendered. This module imports nothing slow, so that a build without changes ends at once.
"""

import gc
import os
import shutil
import threading
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from generator import output_folder
from generator.errors import GeneratorError
from generator.output_folder import CACHE, Cache, CachedPage, load_cache, store_cache
from generator.sources import (
    Sources,
    check_data,
    compute_program_digest,
    find_inputs,
    stamp_there,
)

if TYPE_CHECKING:
    from generator.phases import Phases

__all__ = ["Builder", "Sources", "build", "freeze_objects"]


def build(sources: Sources, out: Path) -> output_folder.Written:
    """Build the site into ``out``.

    Raises:
        RecordsError: a record is invalid; nothing was written.
        GeneratorError: settings, suite texts or the output folder cannot be used.
    """
    return Builder(sources, out).build()


class Builder:
    """The builder of a site; it keeps values in memory from one build to the next."""

    def __init__(self, sources: Sources, out: Path) -> None:
        self._sources = sources
        self._out = out
        folder = Path(os.path.realpath(out))  # the real name, also of `.` and of a link
        self._beside = folder.parent / f".{folder.name}.build"
        made_by = compute_program_digest()
        self._cache = self._beside / CACHE
        self._program = f"{made_by} {sources}"
        # Like Python's compiled files: beside the sources, in a folder for each program version.
        self._compiled = sources.templates / "__pycache__" / made_by
        self._kept_phases: Phases | None = None
        self._abandoned = threading.Event()

    def build(self) -> output_folder.Written:
        """Bring the output up to date.

        Raises:
            RecordsError: a record is invalid; nothing was written.
            GeneratorError: settings, suite texts or the output folder cannot be used.
            AbandonedError: another thread called `abandon`; nothing was written.
        """
        self._abandoned.clear()
        check_data(self._sources)
        output_folder.check_output_folder(self._sources, self._out)
        with output_folder.hold_lock(self._beside), _without_garbage_collection():
            before, inputs = load_cache(self._cache, self._program), find_inputs(self._sources)
            if not all(page.is_in_place(self._out, path) for path, page in before.pages.items()):
                before.pages = {}  # somebody changed a page: all are rendered again
            if before.pages and before.files == inputs.collect_files():
                return output_folder.Written(len(before.pages), (), (), before.notices)
            phases = self._load_phases()
            with output_folder.Staging(
                self._beside / "staged", self._out, self._abandoned.is_set
            ) as staging:
                # Pages of runs are rendered while their records are in memory, which cannot hold
                # the records of all runs; all other pages are made from summaries.
                reader = phases.begin(inputs)
                runs, rendered = reader.render(before, staging)
                site = phases.score_runs(reader.basics, runs)
                rendered += phases.render(reader.templates, site, before, staging, rendered)
                if self._sources.for_programs:
                    # Imported here: most builds write no snapshot.
                    from generator.page_twins import write_page_twins  # noqa: PLC0415
                    from generator.snapshot.snapshot import stage_downloads  # noqa: PLC0415

                    rendered += write_page_twins(rendered, before, staging, site)
                    rendered += stage_downloads(site, reader, staging)
                inputs.check_unchanged()
                files: dict[str, output_folder.RenderedFile] = {}
                for file in rendered:
                    if file.path in files:
                        raise GeneratorError(
                            f"{file.path}: two records or reports want their page there"
                        )
                    files[file.path] = file
                try:
                    removed = staging.publish(files)
                    pages = {
                        path: CachedPage(stamp_there(self._out, path) or "", file.digest, file.key)
                        for path, file in files.items()
                    }
                    phases.store(self._beside, self._program)
                    after = Cache(inputs.collect_files(), pages, site.notices)
                    store_cache(self._cache, self._program, after)
                except OSError as error:
                    raise GeneratorError(f"{self._out}: cannot be written: {error}") from error
            written = tuple(file.path for file in rendered if file.staged)
            return output_folder.Written(len(rendered), written, tuple(removed), after.notices)

    def abandon(self) -> None:
        """End the build that runs in another thread, if any, at its next page."""
        self._abandoned.set()

    def render_ahead(self, wanted: Collection[str]) -> Mapping[str, bytes]:
        """Return the bytes of the ``wanted`` pages, rendered from the present sources.

        Nothing is written. Other files, and pages of pairs of runs, are left out.

        Raises:
            RecordsError: a record or report is invalid.
            GeneratorError: settings, suite texts or a template cannot be used.
        """
        with _without_garbage_collection():
            return self._load_phases().render_ahead(find_inputs(self._sources), wanted)

    def _load_phases(self) -> "Phases":
        if self._kept_phases is None:
            # The workers keep all processors busy. Threads of numpy's BLAS would make them wait for
            # one another, and take twice the processor time. numpy reads this variable on import.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            # Imported here, because this takes half a second, which a build without changes saves.
            from generator.phases import Phases  # noqa: PLC0415

            for other in self._compiled.parent.glob("[0-9a-f]" * len(self._compiled.name)):
                if other != self._compiled:
                    shutil.rmtree(other, ignore_errors=True)
            self._kept_phases = Phases(self._sources, self._compiled)
            self._kept_phases.load(self._beside, self._program)
        return self._kept_phases


@contextmanager
def freeze_objects() -> Generator[None]:
    """Exclude the objects made inside the context from garbage collection for good.

    For a process that ends after its build, or that goes on using the records it has read.
    """
    with _without_garbage_collection():
        yield
        gc.freeze()


@contextmanager
def _without_garbage_collection() -> Generator[None]:
    """Collect no garbage: that takes a tenth of a build, which needs its objects to the end."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
