"""Version ranges as npm reads them."""

from typing import cast

from semantic_version import (  # pyright: ignore[reportMissingTypeStubs]
    NpmSpec,
    Version,
)


def is_satisfied(wanted: str, version: str) -> bool:
    """Tell whether a version is what a dependency asks for; a tag such as ``latest`` always is.

    A text that npm's grammar does not know is asked for by no version.
    """
    wanted = " ".join(wanted.split())
    if wanted.startswith("npm:"):
        wanted = wanted.rpartition("@")[2]
    try:
        spec = NpmSpec(wanted)
    except (ValueError, AttributeError):  # semantic_version raises the latter on `1 - ^`
        return wanted.isalpha()
    return cast("bool", spec.match(Version(version)))  # pyright: ignore[reportUnknownMemberType]
