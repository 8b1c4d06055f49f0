"""The components that a project installs by its ``convex.config.ts`` files.

The files are parsed and never run, so names that they compute are unknown.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tree_sitter import Node

from runner.answers.syntax import (
    find_key_name,
    get_node_text,
    list_arguments,
    parse_source,
    resolve_constant,
    walk_descendants,
)

_CONFIG: Final = re.compile(r"convex\.config\.[mc]?[jt]s")
_CONFIG_IMPORT: Final = re.compile(r"/convex\.config(?:\.[mc]?[jt]s)?$")
_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_TYPES: Final = {
    "string": "string",
    "number": "number",
    "float64": "number",
    "int64": "bigint",
    "boolean": "boolean",
    "any": "any",
}
"""The types of validators without arguments, by the methods of ``v`` that make them."""
_DEFINITIONS: Final = ("defineApp", "defineComponent")


@dataclass(frozen=True, slots=True)
class Child:
    """An installed component with its name."""

    name: str
    source: str | Path
    """The npm package, or the folder within the project."""


def find_components(functions: Path) -> list[Path]:
    """Return the folders of a project's own components, sorted.

    ``functions`` is the project's folder of functions. The components are below it, or elsewhere in
    the project if a ``convex.config`` file imports them.
    """
    project = functions.parent.resolve()
    below = {path.parent.resolve() for path in functions.rglob("*") if _is_config(path)}
    waiting = [functions.resolve(), *below]
    folders = set(waiting)
    while waiting:
        folder = waiting.pop()
        for source in _find_imports(_parse_config(folder), folder).values():
            if isinstance(source, Path) and source not in folders and _is_within(source, project):
                folders.add(source)
                waiting.append(source)
    return sorted(folders - {functions.resolve()})


def is_component(folder: Path) -> bool:
    """Return true if a folder defines a component or the app."""
    return any(_is_config(path) for path in folder.iterdir())


def read_env(folder: Path) -> dict[str, str | None] | None:
    """Return the types of the variables that the definition in a folder declares, by their names.

    A type is None if it is computed; the whole is None if a name is computed.
    """
    for call in _find_calls(_parse_config(folder), *_DEFINITIONS):
        for argument in list_arguments(call):
            if argument.type != "object":
                continue
            for key, value in _list_entries(argument):
                if key == "env":
                    return _read_env_types(value)
    return {}


def _read_env_types(declared: Node) -> dict[str, str | None] | None:
    types: dict[str, str | None] = {}
    for name, validator in _list_entries(declared):
        if name is None or not _VARIABLE.fullmatch(name):
            return None
        types[name] = _read_validator_type(validator)
    return types if declared.type == "object" else None


def _read_validator_type(node: Node, levels: int = 3) -> str | None:
    """Return the type of a validator such as ``v.optional(v.string())``; None if it is computed.

    It is also None if the validator has more ``levels``, one in another.
    """
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    method = function.child_by_field_name("property") if function else None
    name = get_node_text(method) if method else ""
    arguments = list_arguments(node) if method else []
    if name in _PLAIN_TYPES:
        return _PLAIN_TYPES[name]
    if name == "literal" and len(arguments) == 1 and arguments[0].type == "string":
        text = resolve_constant(arguments[0])
        return None if text is None else json.dumps(text)
    if name not in {"optional", "union"} or levels == 0:
        return None
    types = [_read_validator_type(argument, levels - 1) for argument in arguments]
    types += ["undefined"] if name == "optional" else []
    known = [text for text in types if text is not None]
    return " | ".join(known) if len(known) == len(types) else None


def read_children(folder: Path) -> list[Child] | None:
    """Return the components that the definition in a folder installs; None if a name is computed.

    None also if a component is used that is not imported from a ``convex.config`` file.
    """
    tree = _parse_config(folder)
    imports = _find_imports(tree, folder)
    children: list[Child] = []
    for call in _find_calls(tree, "use"):
        definition, options = [*list_arguments(call), None, None][:2]
        source = imports.get(get_node_text(definition)) if definition else None
        if source is None:
            return None
        name = _find_name(options, source) if options else _find_default_name(source)
        if name is None:
            return None
        children.append(Child(name, source))
    return children


def _find_name(options: Node, source: str | Path) -> str | None:
    """Return the name by the options of ``use``, else the default name; None if it is computed."""
    if options.type != "object":
        return None
    name = _find_default_name(source)
    for key, value in _list_entries(options):
        if key is None:
            return None
        if key == "name":
            name = _as_name(value)
    return name


def _find_default_name(source: str | Path) -> str | None:
    """Return the default name of a definition; None if it is computed."""
    if isinstance(source, Path):
        call = next(_find_calls(_parse_config(source), "defineComponent"), None)
        arguments = list_arguments(call) if call else []
        return _as_name(arguments[0]) if arguments else None
    # A package's component has the name of the package.
    first, *other_words = source.rsplit("/", 1)[-1].split("-")
    return first + "".join(part.capitalize() for part in other_words)


def _as_name(node: Node) -> str | None:
    text = resolve_constant(node) if node.type == "string" else None
    return text if text is not None and _NAME.fullmatch(text) else None


def _find_calls(tree: Node, *names: str) -> Iterator[Node]:
    """Yield the calls of functions or methods with any of these names, in the order of the text."""
    for node in walk_descendants(tree):
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is None:
            continue
        method = function.child_by_field_name("property")
        if get_node_text(method or function) in names:
            yield node


def _list_entries(options: Node) -> Iterator[tuple[str | None, Node]]:
    """Yield the keys and values of an object; the key is None if it is computed or spread."""
    for node in options.named_children:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if node.type == "pair" and key and value:
            yield find_key_name(key), value
        elif node.type == "shorthand_property_identifier":
            yield get_node_text(node), node
        elif node.type != "comment":
            yield None, node


def _find_imports(tree: Node, folder: Path) -> dict[str, str | Path]:
    """Return the packages and folders whose definitions a file imports, by variable."""
    imports: dict[str, str | Path] = {}
    for node in walk_descendants(tree):
        if node.type != "import_clause" or node.parent is None:
            continue
        specifier = node.parent.child_by_field_name("source")
        module = (resolve_constant(specifier) if specifier else None) or ""
        variable = next((part for part in node.named_children if part.type == "identifier"), None)
        if variable is not None and _CONFIG_IMPORT.search(module):
            source = _CONFIG_IMPORT.sub("", module)
            local = source.startswith(".")
            imports[get_node_text(variable)] = (folder / source).resolve() if local else source
    return imports


def _is_config(path: Path) -> bool:
    return _CONFIG.fullmatch(path.name) is not None and path.is_file()


def _is_within(folder: Path, project: Path) -> bool:
    return folder.is_relative_to(project) and folder.is_dir() and is_component(folder)


def _parse_config(folder: Path) -> Node:
    """Return the syntax tree of the definition in a folder; an empty tree if there is none."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    path = next((path for path in paths if _is_config(path)), None)
    text = path.read_text("utf-8", errors="replace") if path else ""
    return parse_source(path.name if path else "convex.config.ts", text)
