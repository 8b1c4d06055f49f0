"""The step install: package.json declares packages that are available, and they are linked."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from semantic_version import (  # pyright: ignore[reportMissingTypeStubs]
    NpmSpec,
    Version,
)

from records.shapes.attempt import StepName
from runner.answers.rules import is_script
from runner.answers.typescript import is_of_package, list_imports
from runner.grading.steps.step import StepClock, StepResult
from runner.toolchain import ADMITTED, Toolchain
from runner.workspace import Workspace

_MANIFEST = "package.json"
_ELSEWHERE = re.compile(r"[:/\\]|^\.|\.(?:tgz|tar\.gz|tar)$", re.IGNORECASE)
"""Marks of texts that for npm are addresses or paths, not versions or tags of a registry
(``npm help package-spec``)."""
_REPLACING = ("overrides", "resolutions")
"""Fields of package.json that replace the versions of packages in other fields."""
_FIELDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_NOT_AVAILABLE = "this package is not available to answers"


@dataclass(frozen=True, slots=True)
class _DeclaredPackage:
    field: str
    name: str
    range: str


class _UnusableManifestError(Exception):
    """The file package.json has a fault, which the message describes."""


def install(
    workspace: Workspace, toolchain: Toolchain, *, admits_unused: bool = False
) -> StepResult:
    """Check the answer's package.json, and link the toolchain's packages into the workspace.

    With ``admits_unused``, every package may be declared that no file imports, else only those of
    the toolchain's list.
    """
    clock = StepClock(StepName.INSTALL)
    project = workspace.project

    def is_checked(package: str) -> bool:
        return not admits_unused or find_import(project, package) is not None

    try:
        packages = list(_read_manifest(project / _MANIFEST, is_checked))
    except _UnusableManifestError as error:
        return clock.fail_step(f"{_MANIFEST}: {error}")
    if not any(package.name == "convex" for package in packages):
        return clock.fail_step(f'{_MANIFEST}: "convex" is not among the dependencies')
    return _link_packages(clock, workspace, toolchain, packages, admits_unused=admits_unused)


def _read_manifest(path: Path, is_checked: Callable[[str], bool]) -> Iterator[_DeclaredPackage]:
    try:
        manifest: object = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise _UnusableManifestError("the file is missing") from None
    except ValueError as error:
        raise _UnusableManifestError(f"not valid JSON: {error}") from None
    except RecursionError:
        raise _UnusableManifestError("not valid JSON: nested too deeply") from None
    if not isinstance(manifest, dict):
        raise _UnusableManifestError("it must hold an object")
    return _list_packages(cast("dict[str, object]", manifest), is_checked)


def _list_packages(
    manifest: Mapping[str, object], is_checked: Callable[[str], bool]
) -> Iterator[_DeclaredPackage]:
    for field in _REPLACING:
        for version_range in _list_texts(manifest.get(field)):
            if _is_elsewhere(version_range):
                raise _make_version_error(field, version_range)
    for field in _FIELDS:
        packages = manifest.get(field, {})
        if not isinstance(packages, dict):
            raise _UnusableManifestError(f"{field} must be an object")
        for name, version_range in cast("dict[str, object]", packages).items():
            if not isinstance(version_range, str):
                raise _UnusableManifestError(f"{field}.{name} must be a string")
            if _is_elsewhere(version_range) and is_checked(name):
                raise _make_version_error(f"{field}.{name}", version_range)
            yield _DeclaredPackage(field, name, version_range)


def _is_elsewhere(version_range: str) -> bool:
    return _ELSEWHERE.search(version_range.strip()) is not None


def _make_version_error(field: str, version_range: str) -> _UnusableManifestError:
    return _UnusableManifestError(f"{field}: {version_range!r} is not a version of a registry")


def _list_texts(value: object) -> Iterator[str]:
    """Yield all texts in nested objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _list_texts(inner)


def _link_packages(
    clock: StepClock,
    workspace: Workspace,
    toolchain: Toolchain,
    packages: list[_DeclaredPackage],
    *,
    admits_unused: bool,
) -> StepResult:
    available = dict(toolchain.packages)
    admitted = toolchain.read_admitted_packages()
    notes: list[str] = []
    for package in packages:
        entry = f"{_MANIFEST}: {package.field}.{package.name}"
        version = available.get(package.name)
        if version is None and package.field == "dependencies":
            importing = find_import(workspace.project, package.name)
            if importing or not (admits_unused or package.name in admitted):
                imported = f"; {importing} imports it" if importing else ""
                reason = (
                    f"{_NOT_AVAILABLE}{imported}{_describe_admitted(admitted & available.keys())}"
                )
                return clock.fail_step(f"{entry}: {reason}")
            notes.append(
                f"{package.name} is not available; nothing imports it, and it was left out"
            )
        elif version is None:
            notes.append(f"{package.name} is not available, and was left out")
        elif not is_satisfied(package.range, version):
            notes.append(f"{package.name} {version} was used, not {package.range}")
    # Programs outside of jails use this link; in jails the packages are at the root.
    (workspace.root / "node_modules").symlink_to(toolchain.node_modules)
    log = "".join(
        f"{package.name} {package.range} -> {available.get(package.name, 'left out')}\n"
        for package in packages
    )
    return clock.pass_step("; ".join(notes) or None, log)


def _describe_admitted(packages: Collection[str]) -> str:
    """Return the end of a message, which lists packages; empty if there are none."""
    return f". {ADMITTED} lists: {', '.join(sorted(packages))}" if packages else ""


def is_satisfied(wanted: str, version: str) -> bool:
    """Return true if a version satisfies a dependency's range, or the range is a tag.

    A tag is a word such as ``latest``. False if the range is not in npm's grammar.
    """
    wanted = " ".join(wanted.split())
    if wanted.startswith("npm:"):
        wanted = wanted.rpartition("@")[2]
    try:
        spec = NpmSpec(wanted)
    except (ValueError, AttributeError):  # semantic_version raises AttributeError on `1 - ^`
        return wanted.isalpha()
    return cast("bool", spec.match(Version(version)))  # pyright: ignore[reportUnknownMemberType]


def find_import(project: Path, package: str) -> str | None:
    """Return the path of the first file of a project that imports a package, or None."""
    for path in sorted(project.rglob("*")):
        relative_path = path.relative_to(project).as_posix()
        if not is_script(relative_path) or not path.is_file():
            continue
        text = path.read_text("utf-8")
        if package in text and any(
            is_of_package(item.module, package) for item in list_imports(relative_path, text)
        ):
            return relative_path
    return None
