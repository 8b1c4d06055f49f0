"""The importers of results from other publishers, by name. Sessions have other importers.

An importer is a module with one function ``import_<subject>(source, folder) -> list[Path]``. The
function refuses a source that contradicts itself, and keeps a copy of the source in
``data/imports/`` (see `import_source`). It writes the records of the runs, of their benchmark
versions and of reports, if there are any, and returns the paths of these files.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from records.files.data_folder import DataFolder
from runner.published_results.published_analyses import import_published_analyses

Importer = Callable[[Path, DataFolder], list[Path]]

IMPORTERS: Final[Mapping[str, Importer]] = {"published_analyses": import_published_analyses}
"""Importers by their names in records of imported runs."""
