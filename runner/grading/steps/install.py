"""The step install: package.json declares packages that are available, and they are linked."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from semantic_version import (  # pyright: ignore[reportMissingTypeStubs]
    NpmSpec,
    Version,
)

from records.foreign.fields import as_fields
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


class _UnusableManifestError(Exception):
    """The file package.json has a fault, which the message describes."""


def install(
    workspace: Workspace, toolchain: Toolchain, *, admits_unused: bool = False
) -> StepResult:
    """Check the answer's package.json, and link the toolchain's packages into the workspace.

    With ``admits_unused``, every package may be declared that no file imports, else only those of
    the toolchain's list.
    """
    clock, project = StepClock(StepName.INSTALL), workspace.project
    available, admitted = dict(toolchain.packages), toolchain.read_admitted_packages()
    notes: list[str] = []
    log = ""
    try:
        declared = list(_read_declared(project, admits_unused=admits_unused))
        if not any(name == "convex" for _, name, _ in declared):
            return clock.fail_step(f'{_MANIFEST}: "convex" is not among the dependencies')
        for field, name, wanted in declared:
            version = available.get(name)
            log += f"{name} {wanted} -> {version or 'left out'}\n"
            if version is not None:
                if not is_satisfied(wanted, version):
                    notes.append(f"{name} {version} was used, not {wanted}")
            elif field != "dependencies":
                notes.append(f"{name} is not available, and was left out")
            elif (importing := find_import(project, name)) or not (
                admits_unused or name in admitted
            ):
                imported = f"; {importing} imports it" if importing else ""
                listed = ", ".join(sorted(admitted & available.keys()))
                others = f". {ADMITTED} lists: {listed}" if listed else ""
                reason = f"{field}.{name}: {_NOT_AVAILABLE}{imported}{others}"
                return clock.fail_step(f"{_MANIFEST}: {reason}")
            else:
                notes.append(f"{name} is not available; nothing imports it, and it was left out")
    except _UnusableManifestError as error:
        return clock.fail_step(f"{_MANIFEST}: {error}")
    # Programs outside of jails use this link; in jails the packages are at the root.
    (workspace.root / "node_modules").symlink_to(toolchain.node_modules)
    return clock.pass_step("; ".join(notes) or None, log)


def _read_declared(project: Path, *, admits_unused: bool) -> Iterator[tuple[str, str, str]]:
    """Yield field, name and range of each package that package.json declares.

    Raises _UnusableManifestError.
    """
    try:
        content: object = json.loads((project / _MANIFEST).read_text("utf-8"))
    except FileNotFoundError:
        raise _UnusableManifestError("the file is missing") from None
    except ValueError as error:
        raise _UnusableManifestError(f"not valid JSON: {error}") from None
    except RecursionError:
        raise _UnusableManifestError("not valid JSON: nested too deeply") from None
    if not isinstance(content, dict):
        raise _UnusableManifestError("it must hold an object")
    manifest = cast("dict[str, object]", content)
    for field in _REPLACING:
        for entry in _list_texts(manifest.get(field)):
            if _ELSEWHERE.search(entry.strip()):
                raise _make_range_error(field, entry)
    for field in _FIELDS:
        packages = manifest.get(field, {})
        if not isinstance(packages, dict):
            raise _UnusableManifestError(f"{field} must be an object")
        for name, entry in cast("dict[str, object]", packages).items():
            if not isinstance(entry, str):
                raise _UnusableManifestError(f"{field}.{name} must be a string")
            # The answer's files are only searched for a package that is taken from elsewhere.
            if _ELSEWHERE.search(entry.strip()) and (
                not admits_unused or find_import(project, name) is not None
            ):
                raise _make_range_error(f"{field}.{name}", entry)
            yield field, name, entry


def _make_range_error(field: str, wanted: str) -> _UnusableManifestError:
    return _UnusableManifestError(f"{field}: {wanted!r} is not a version of a registry")


def _list_texts(value: object) -> Iterator[str]:
    """Yield all texts in nested objects."""
    if isinstance(value, str):
        yield value
    for inner in as_fields(value).values():
        yield from _list_texts(inner)


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
