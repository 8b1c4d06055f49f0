"""The importers of results from other publishers, by name; sessions have other importers.

An importer is one module with one function ``import_<what>(source, folder) -> list[Path]``: it
refuses a source that contradicts itself, keeps a copy of it in ``data/imports/`` (see `source`),
writes imported run records, the benchmark versions they belong to and reports where there are
any, and returns the paths of these files.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from records.files.data_folder import DataFolder
from runner.published_results.published_analyses import import_published_analyses

Importer = Callable[[Path, DataFolder], list[Path]]

IMPORTERS: Final[Mapping[str, Importer]] = {"published_analyses": import_published_analyses}
"""Importers by their names in records of imported runs."""
