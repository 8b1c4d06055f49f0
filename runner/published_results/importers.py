"""The importers of results that others published, by name; sessions have others.

An importer is one module with one function ``import_<what>(source, folder) -> list[Path]``: it
refuses a source that contradicts itself, keeps a copy of it in ``data/imports/`` (see `source`),
writes imported run records, the benchmark versions they belong to and reports where there are
any, and returns what it wrote.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from records.folder import DataFolder
from runner.published_results.published_analyses import import_published_analyses

Importer = Callable[[Path, DataFolder], list[Path]]

IMPORTERS: Final[Mapping[str, Importer]] = {"published_analyses": import_published_analyses}
"""By the name that records of imported runs carry."""
