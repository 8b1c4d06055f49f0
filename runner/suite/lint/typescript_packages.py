"""Packages that a reference answer declares and never imports."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from runner.answers.rules import is_script
from runner.answers.typescript import is_of_package, list_imports

_TOOLS: Final = frozenset({"convex", "typescript", "prettier", "eslint", "vite", "vitest"})
"""The packages that programs use although the answer does not import them."""
_TYPES: Final = "@types/"
_MANIFEST: Final = "package.json"


class _Manifest(BaseModel):
    dependencies: dict[str, Any] = {}


def find_unused_packages(answer: Mapping[str, str]) -> Iterator[str]:
    """Yield a line of advice for each package that is declared and never imported."""
    declared = _read_dependencies(answer.get(_MANIFEST, "{}"))
    imported = {
        item.module
        for path, text in answer.items()
        if is_script(path)
        for item in list_imports(path, text)
    }
    for package in sorted(declared):
        is_tool = package in _TOOLS or package.startswith(_TYPES)
        if not is_tool and not any(is_of_package(module, package) for module in imported):
            yield f"{package} is declared and never imported: import it, or take it out"


def _read_dependencies(text: str) -> Mapping[str, Any]:
    """Return the packages under `dependencies`; empty if the file is malformed."""
    try:
        return _Manifest.model_validate_json(text).dependencies
    except ValidationError:
        return {}
