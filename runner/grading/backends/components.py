"""The components that a project installs, as its ``convex.config.ts`` files write them.

The files are read and never run: names that they compute stay unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_CONFIG: Final = re.compile(r"convex\.config\.[mc]?[jt]s")
_CONFIG_IMPORT: Final = re.compile(r"/convex\.config(?:\.[mc]?[jt]s)?$")
_TEXT_OR_COMMENT: Final = re.compile(
    r"""("(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"""
)
_IMPORT: Final = re.compile(r"""\bimport\s+([\w$]+)\s+from\s*["']([^"'\n]+)["']""")
_USE: Final = re.compile(r"\.\s*use\s*\(\s*(?:([\w$]+)\s*([,)]))?")
_TOKEN: Final = re.compile(
    r""""(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?|\.\.\.|[\w$]+|\S"""
)
_DEPTHS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_DEFINED: Final = re.compile(r"""\bdefineComponent\s*(?:<[^()]*>\s*)?\(\s*["'](\w+)["']""")
_DECLARES_ENV: Final = re.compile(r"\bdefine(?:App|Component)\s*+\([^()]*?\benv\b")


@dataclass(frozen=True, slots=True)
class Child:
    """A component under the name by which it is installed."""

    name: str
    source: str | Path
    """The npm package, or the folder within the project."""


def find_components(functions: Path) -> list[Path]:
    """Find the folders of the components that belong to the project of a functions folder.

    They lie below it, or beside it where a ``convex.config`` file imports them.
    """
    project = functions.parent.resolve()
    below = {path.parent.resolve() for path in functions.rglob("*") if _is_config(path)}
    waiting = [functions.resolve(), *below]
    folders = set(waiting)
    while waiting:
        folder = waiting.pop()
        for source in _imports(_config_text(folder), folder).values():
            if isinstance(source, Path) and source not in folders and _is_within(source, project):
                folders.add(source)
                waiting.append(source)
    return sorted(folders - {functions.resolve()})


def is_component(folder: Path) -> bool:
    """Check whether a folder defines a component, or the app."""
    return any(_is_config(path) for path in folder.iterdir())


def declares_env(folder: Path) -> bool:
    """Check whether the definition in a folder names variables."""
    return _DECLARES_ENV.search(_config_text(folder)) is not None


def read_children(folder: Path) -> list[Child] | None:
    """Read the children that the definition in a folder installs; None where a name is computed."""
    text = _config_text(folder)
    imports = _imports(text, folder)
    children: list[Child] = []
    for use in _USE.finditer(text):
        source = imports.get(use[1] or "")
        if source is None:
            return None
        name = _name_of(source)
        if use[2] == ",":
            name = _name_in(list(_arguments(text, use.end())), name)
        if name is None:
            return None
        children.append(Child(name, source))
    return children


def _name_in(options: list[str], default: str | None) -> str | None:
    """Return the name that an object of options has; None where it is computed."""
    if options[:1] != ["{"]:
        return default if not options else None
    depth = 0
    for at, part in enumerate(options):
        depth += _DEPTHS.get(part, 0)
        if depth != 1 or options[at - 1 : at] not in (["{"], [","]):
            continue
        if part == "...":
            return None
        if part.strip("\"'") == "name":
            match options[at + 1 : at + 4]:
                case [":", value, "," | "}"] if value[0] in "\"'":
                    return value[1:-1]
                case _:
                    return None
    return default


def _name_of(source: str | Path) -> str | None:
    if isinstance(source, Path):
        defined = _DEFINED.search(_config_text(source))
        return defined[1] if defined else None
    # A package names its component as it is named itself.
    first, *others = source.rsplit("/", 1)[-1].split("-")
    return first + "".join(part.capitalize() for part in others)


def _arguments(text: str, start: int) -> Iterator[str]:
    """Yield the tokens of a call up to its closing bracket."""
    depth = 1
    for token in _TOKEN.finditer(text, start):
        depth += _DEPTHS.get(token[0], 0)
        if depth == 0:
            return
        yield token[0]


def _imports(text: str, folder: Path) -> dict[str, str | Path]:
    """Return the definitions that a definition's file imports, by their variables."""
    imports: dict[str, str | Path] = {}
    for name, specifier in _IMPORT.findall(text):
        if not _CONFIG_IMPORT.search(specifier):
            continue
        source = _CONFIG_IMPORT.sub("", specifier)
        imports[name] = (folder / source).resolve() if source.startswith(".") else source
    return imports


def _is_config(path: Path) -> bool:
    return _CONFIG.fullmatch(path.name) is not None and path.is_file()


def _is_within(folder: Path, project: Path) -> bool:
    return folder.is_relative_to(project) and folder.is_dir() and is_component(folder)


def _config_text(folder: Path) -> str:
    """Read the definition in a folder without its comments; nothing where there is none."""
    if not folder.is_dir():
        return ""
    for path in sorted(folder.iterdir()):
        if _is_config(path):
            text = path.read_text("utf-8", errors="replace")
            return _TEXT_OR_COMMENT.sub(lambda found: found[1] or " ", text)
    return ""
