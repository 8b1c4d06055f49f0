"""The files that a build reads, found and stamped without reading them.

This module imports nothing slow, so that a build without changes ends at once.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from generator.errors import GeneratorError, SourceChangedError
from records.files.data_folder import DataFolder
from records.files.plain_files import Stamp, format_stamp
from records.suites.given_app import GIVEN

DIGITS = 32
"""The hexadecimal digits of SHA-256 that distinguish sources; too few to prove who made them."""


def compute_digest(data: bytes) -> str:
    """Return a digest that distinguishes sources."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def compute_key(*parts: object) -> str:
    """Return a digest of texts, numbers, None, and lists and tuples of these."""
    return compute_digest(repr(parts).encode("utf-8", "surrogatepass"))


_SKIPPED = frozenset({"_generated", "node_modules", "__pycache__"})
_UNFIT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_PACKAGES = Path(__file__).parents[1]
_METHOD_OF_OTHERS = _PACKAGES / "docs" / "method-of-imports.md"


@dataclass(frozen=True, slots=True)
class Sources:
    """The folders and settings of a build."""

    data: DataFolder
    templates: Path
    evals: Path
    local: bool
    """Runs and drafts of reports in `data/local/` are shown beside published records."""
    address: str | None = None
    """The address of the published site; None takes the setting of `site.toml`."""
    repository: str | None = None
    """The repository's address; None takes the setting of `site.toml`."""
    texts: Path | None = None
    """The folder of a project's `site.toml` and `method.md`; None takes those of this program."""
    steady_assets: bool = False
    """Assets keep the names of their files, so that a changed style sheet changes no page.

    If false, each asset is named by its digest, so that browsers may cache it forever."""
    for_programs: bool = False
    """What only programs read is written, too: a snapshot of the published results below
    `/downloads/`, and each page as Markdown."""

    @property
    def settings_folder(self) -> Path:
        """The folder with `site.toml`."""
        return self.templates if self.texts is None else self.texts

    @property
    def method(self) -> Path:
        """The text of the method page; without texts, `docs/method.md` beside the templates."""
        if self.texts is not None:
            return self.texts / "method.md"
        # Links are not resolved, and `a/..` is dropped as text.
        templates = Path(os.path.abspath(self.templates))  # noqa: PTH100 - see above
        return templates.parent / "docs" / "method.md"

    @property
    def methods_of_others(self) -> tuple[Path, Path]:
        """The texts of the method page of a site that only shows benchmarks of other tools.

        The first that exists counts: beside the method of a suite, else that of this program.
        """
        return self.method.with_name(_METHOD_OF_OTHERS.name), _METHOD_OF_OTHERS

    def __post_init__(self) -> None:
        """Replace `.` by its absolute path; else `./runs` and `runs` would count as two files."""
        for name, folder in (("templates", self.templates), ("evals", self.evals)):
            object.__setattr__(self, name, _name_current_folder(folder))
        object.__setattr__(self, "data", DataFolder(_name_current_folder(self.data.root)))

    @property
    def folders(self) -> list[DataFolder]:
        """The data folders that are read."""
        return [self.data, self.data.local] if self.local else [self.data]


class Inputs(NamedTuple):
    """The stamps of all files that a build reads, by path; each group is sorted."""

    benchmarks: dict[str, Stamp]
    runs: dict[str, Stamp]
    artifacts: dict[str, Stamp]
    reports: dict[str, Stamp]
    trials: dict[str, Stamp]
    suites: dict[str, Stamp]
    """Descriptions of suites whose evals are in other repositories."""
    rest: dict[str, Stamp]
    """The registry, templates, assets, texts of the suite, `method.md`, audits and label logs."""

    def select_files_below(self, path: Path) -> dict[str, Stamp]:
        """Return the files of `rest` at or below a path."""
        at, below = str(path), f"{path}/"
        return {p: s for p, s in self.rest.items() if p == at or p.startswith(below)}

    def collect_files(self) -> dict[str, Stamp]:
        """Return every file."""
        records = self.benchmarks | self.runs | self.artifacts | self.reports | self.trials
        return records | self.suites | self.rest

    def check_unchanged(self) -> None:
        """Compare the files with those that were found.

        Runs, their archives and reports are checked when they are read, not here.

        Raises:
            SourceChangedError: a file changed since.
        """
        records = self.benchmarks | self.trials | self.suites
        changed = [path for path, stamp in self.rest.items() if _stamp(path) != stamp]
        changed += [path for path, stamp in records.items() if _stamp(path, follow=False) != stamp]
        if changed:
            raise SourceChangedError(Path(changed[0]))


def check_data(sources: Sources) -> None:
    """Refuse a folder without records, because an empty site would replace the present site.

    Raises:
        GeneratorError: the folder is missing, or has other content than records.
    """
    wrong = sources.data.describe_misfit()
    if wrong is not None:
        raise GeneratorError(f"{sources.data.root}: {wrong}; choose another --data")


def find_inputs(sources: Sources) -> Inputs:
    """Find the files that a build from ``sources`` reads.

    Raises:
        GeneratorError: a name has control characters, or is not UTF-8.
    """

    def find(list_files: Callable[[DataFolder], Iterable[Path]]) -> dict[str, Stamp]:
        """Return the files of each folder, sorted; links are not followed for the stamp."""
        return {
            str(path): format_stamp(path.lstat())
            for folder in sources.folders
            for path in sorted(list_files(folder), key=str)
        }

    settings = sources.settings_folder / "site.toml"
    single = (sources.data.models_file, sources.method, *sources.methods_of_others, settings)
    other_files = [
        *((path, _stamp(path)) for path in map(str, single)),
        *_list_template_files(str(sources.templates)),
        *_list_suite_files(str(sources.evals)),
    ]
    audits = find(lambda folder: folder.audits.list_files())
    if audits:  # no page shows labels otherwise
        labels = find(lambda folder: folder.labels.list_files())
        other_files += [*audits.items(), *labels.items()]
    inputs = Inputs(
        benchmarks=find(lambda folder: folder.benchmarks.list_files()),
        runs=find(DataFolder.list_run_files),
        artifacts=find(DataFolder.list_artifact_files),
        reports=find(DataFolder.list_report_files),
        trials=find(lambda folder: folder.trials.list_files()),
        suites=find(lambda folder: folder.suites.list_files()),
        rest={path: stamp for path, stamp in other_files if stamp is not None},
    )
    for path in inputs.collect_files():
        if _UNFIT.search(path):  # addresses cannot contain it
            raise GeneratorError(f"{path!r}: control characters or not UTF-8; rename it")
    return inputs


def _name_current_folder(folder: Path) -> Path:
    """Return the folder, and the current folder `.` by its absolute path."""
    return folder if folder.parts else folder.absolute()


def compute_program_digest() -> str:
    """Return a digest of the program: its sources, and the versions of installed packages."""
    digest = hashlib.blake2b(digest_size=16)
    for package in ("generator", "records"):
        for path, _ in sorted(list_files_below(f"{_PACKAGES / package}")):
            if path.endswith(".py"):
                digest.update(Path(path).read_bytes())
    jinja = find_spec("jinja2")
    if jinja is not None and jinja.origin is not None:
        installed = Path(jinja.origin).parents[1].glob("*-info")
        digest.update("\n".join(sorted(info.name for info in installed)).encode())
    return digest.hexdigest()


def stamp_there(folder: Path, path: str) -> Stamp | None:
    """Return the stamp of a file in a folder; None if the file is missing or unreadable."""
    try:
        return format_stamp(os.stat(f"{folder}/{path}"))  # noqa: PTH116 - for thousands, no objects
    except OSError:
        return None


def list_files_below(folder: str) -> Iterator[tuple[str, Stamp]]:
    """Yield every file below a folder, except broken links, hidden files and `_SKIPPED`."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name in _SKIPPED or entry.name.startswith("."):
                    continue
                if entry.is_dir():
                    yield from list_files_below(entry.path)
                elif stamp := _stamp(entry.path):
                    yield entry.path, stamp
    except (FileNotFoundError, NotADirectoryError):
        return


def _list_template_files(folder: str) -> Iterator[tuple[str, Stamp | None]]:
    """Yield the templates, settings and assets; other files of the folder are not read."""
    for path in _list_children(folder):
        if path.endswith((".html", ".toml")):
            yield path, _stamp(path)
    for name in ("assets", "blocks", "pages"):
        yield from list_files_below(f"{folder}/{name}")


def _list_suite_files(root: str) -> Iterator[tuple[str, Stamp | None]]:
    """Yield the files of the suite that are read: guidelines, settings, the files of each eval."""
    for path in _list_children(root):
        if path.startswith((f"{root}/guidelines.", f"{root}/suite.toml")):
            yield path, _stamp(path)
    for category in filter(_is_numbered, _list_children(root)):
        for folder in filter(_is_numbered, _list_children(category)):
            for name in ("eval.toml", "TASK.txt", "grader.py", "calibration/calibration.toml"):
                yield f"{folder}/{name}", _stamp(f"{folder}/{name}")
            yield from list_files_below(f"{folder}/answer")
            yield from list_files_below(f"{folder}/{GIVEN}")
            for path in _list_children(f"{folder}/grader"):
                if path.endswith(".py"):
                    yield path, _stamp(path)


def _list_children(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if not entry.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_numbered(path: str) -> bool:
    """Return whether a folder is a category or an eval; folders of the toolchain have no number."""
    return os.path.basename(path)[:1].isdigit()  # noqa: PTH119 - thousands of texts, no objects


def _stamp(path: str, *, follow: bool = True) -> Stamp | None:
    try:
        return format_stamp(os.stat(path, follow_symlinks=follow))  # noqa: PTH116 - see above
    except (FileNotFoundError, NotADirectoryError):
        return None
