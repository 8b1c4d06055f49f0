"""The Node toolchain that grades: Node itself and the pinned packages beside the suite."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from runner.errors import ToolchainMissingError
from runner.jail import HARNESS, NODE, NODE_MODULES, Bind
from runner.version import PROTOCOL

_OLDEST_NODE = 20
_ASK_NODE = "JSON.stringify({ path: process.execPath, version: process.versions.node })"
_HERE = Path(__file__).parent
_JUDGES = ("backends", "convex", "grader", "steps", "ui", "vitest")
"""The folders of this package whose programs a verdict depends on."""
_JUDGING_FILES = (
    *("answer_rules.py", "fences.py", "grading.py", "programs.py", "reply_paths.py"),
    *("reply_reader.py", "reply_worker.py", "response.py"),
)
"""The modules, likewise."""
_PROGRAMS = {".cjs", ".py", ".mjs", ".json"}


_Manifest = TypeVar("_Manifest", bound=BaseModel)


class _Node(BaseModel):
    path: Path
    version: str


class _Package(BaseModel):
    model_config = ConfigDict(extra="ignore")
    version: str


class _Pins(BaseModel):
    model_config = ConfigDict(extra="ignore")
    dependencies: dict[str, str]


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Node and the pinned packages, as found on this machine."""

    root: Path
    node: Path
    node_version: str
    packages: tuple[tuple[str, str], ...]
    """Names and versions that evals/package.json pins, sorted by name: what an answer may use."""

    @property
    def node_modules(self) -> Path:
        """The folder of the installed packages."""
        return self.root / "node_modules"

    def binds(self) -> tuple[Bind, ...]:
        """Show Node and the packages to a jailed program, where every jail has them."""
        return Bind(self.node, NODE), Bind(self.node_modules, NODE_MODULES)

    def harness(self, folder: str) -> Bind:
        """Show one of our own folders of programs, such as ``convex``, below /harness."""
        return Bind(_HERE / folder, f"{HARNESS}/{folder}")

    def versions(self) -> dict[str, str]:
        """Return the version of Node and of each pinned package, by name."""
        return {"node": self.node_version, **dict(self.packages)}

    def digest(self) -> str:
        """Digest all that a verdict depends on beside the answer and its grader: SHA-256, in hex.

        That is the grading protocol, every version above, and our own programs that deploy, check
        and test.
        """
        return _digest(self)


@cache
def find_toolchain(evals: Path) -> Toolchain:
    """Find Node and the packages of ``evals/package.json``.

    Raises ToolchainMissingError, naming the command to run, when Node is missing or older than
    version 20, or when a package is missing or not at the version pinned.
    """
    node = _find_node()
    pins = _read(evals / "package.json", _Pins).dependencies
    for name, pinned in pins.items():
        manifest = evals / "node_modules" / name / "package.json"
        installed = _read(manifest, _Package).version
        # An alias, such as npm:typescript@7.0.2, ends with its version.
        wanted = pinned.rpartition("@")[2]
        if installed != wanted:
            raise ToolchainMissingError(
                f"{name} is installed at {installed}, evals/package.json pins {wanted}: "
                "run `make setup`"
            )
    packages = ((name, pinned.rpartition("@")[2]) for name, pinned in pins.items())
    return Toolchain(evals.resolve(), node.path, node.version, tuple(sorted(packages)))


def _find_node() -> _Node:
    needed = f"Node {_OLDEST_NODE} or newer is needed: install it, then run `make setup`"
    if shutil.which("node") is None:
        raise ToolchainMissingError(f"the command `node` is not installed; {needed}")
    # Asked, not looked up: on PATH stands a shim where a version manager is used.
    asked = subprocess.run(["node", "-p", _ASK_NODE], capture_output=True, text=True, check=False)
    try:
        node = _Node.model_validate_json(asked.stdout)
    except ValidationError as error:
        raise ToolchainMissingError(
            f"`node` does not work: {asked.stderr.strip()}; {needed}"
        ) from error
    if int(node.version.partition(".")[0]) < _OLDEST_NODE:
        raise ToolchainMissingError(f"`node` is version {node.version}; {needed}")
    return _Node(path=node.path.resolve(), version=node.version)


def _read(path: Path, kind: type[_Manifest]) -> _Manifest:
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ToolchainMissingError(f"{path} is missing: run `make setup`") from None
    except ValidationError as error:
        raise ToolchainMissingError(f"{path} is not what npm writes: run `make setup`") from error


def _programs() -> Iterator[Path]:
    yield from (_HERE / name for name in _JUDGING_FILES)
    for folder in _JUDGES:
        found = (_HERE / folder).rglob("*")
        yield from sorted(path for path in found if path.suffix in _PROGRAMS and path.is_file())


@cache
def _digest(toolchain: Toolchain) -> str:
    stated = {"protocol": PROTOCOL, "versions": toolchain.versions()}
    digest = hashlib.sha256(json.dumps(stated, sort_keys=True).encode())
    for path in _programs():
        if path.exists():
            name = path.relative_to(_HERE).as_posix().encode()
            digest.update(b"\0" + name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
