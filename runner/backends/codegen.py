"""The generated files of a project in ``convex/_generated``, as `npx convex codegen` writes them.

They have types and references. They differ between projects in the lists of modules and
components, and if a project has a schema or declares environment variables.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tree_sitter import Node

from runner.answers import syntax

_CONFIG = re.compile(r"convex\.config\.[mc]?[jt]s")
_CONFIG_IMPORT = re.compile(r"/convex\.config(?:\.[mc]?[jt]s)?$")
_NAME = re.compile(r"[A-Za-z0-9_]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_TYPES = {
    "string": "string",
    "number": "number",
    "float64": "number",
    "int64": "bigint",
    "boolean": "boolean",
    "any": "any",
}
"""The types of validators without arguments, by the methods of ``v`` that make them."""
_DEFINITIONS = ("defineApp", "defineComponent")
GENERATED_FILES = frozenset(
    {"server.js", "api.js", "server.d.ts", "api.d.ts", "dataModel.d.ts", "component.d.ts"}
)
"""The names of the files in a folder ``_generated``."""
_SOURCE = re.compile(r"\.(?:m|c)?(?:j|t)sx?$")
_NOT_FUNCTIONS = {"schema", "convex.config", "auth.config"}


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
            if not isinstance(source, Path) or source in folders:
                continue
            if source.is_relative_to(project) and source.is_dir() and is_component(source):
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
        for argument in syntax.list_arguments(call):
            if argument.type != "object":
                continue
            for key, value in _list_entries(argument):
                if key != "env":
                    continue
                types: dict[str, str | None] = {}
                for name, validator in _list_entries(value):
                    if name is None or not _VARIABLE.fullmatch(name):
                        return None
                    types[name] = _read_validator_type(validator)
                return types if value.type == "object" else None
    return {}


def _read_validator_type(node: Node, levels: int = 3) -> str | None:
    """Return the type of a validator such as ``v.optional(v.string())``; None if it is computed.

    It is also None if the validator has more ``levels``, one in another.
    """
    function = syntax.find_called(node)
    method = function.child_by_field_name("property") if function else None
    name = syntax.get_node_text(method)
    arguments = syntax.list_arguments(node) if method else []
    if name in _PLAIN_TYPES:
        return _PLAIN_TYPES[name]
    if name == "literal" and len(arguments) == 1 and arguments[0].type == "string":
        text = syntax.resolve_constant(arguments[0])
        return None if text is None else json.dumps(text)
    if name not in {"optional", "union"} or levels == 0:
        return None
    types = [_read_validator_type(argument, levels - 1) for argument in arguments]
    types += ["undefined"] if name == "optional" else []
    member_types = [text for text in types if text is not None]
    return " | ".join(member_types) if len(member_types) == len(types) else None


def read_children(folder: Path) -> dict[str, str | Path] | None:
    """Return the sources of the installed components by their names; None if a name is computed.

    A source is an npm package, or a folder within the project. The result is None also if a
    component is used that is not imported from a ``convex.config`` file.
    """
    tree = _parse_config(folder)
    imports = _find_imports(tree, folder)
    children: dict[str, str | Path] = {}
    for call in _find_calls(tree, "use"):
        definition, options = [*syntax.list_arguments(call), None, None][:2]
        source = imports.get(syntax.get_node_text(definition))
        if source is None:
            return None
        name = _find_name(options, source) if options else _find_default_name(source)
        if name is None:
            return None
        children[name] = source
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
        arguments = syntax.list_arguments(call) if call else []
        return _as_name(arguments[0]) if arguments else None
    # A package's component has the name of the package.
    first, *other_words = source.rsplit("/", 1)[-1].split("-")
    return first + "".join(part.capitalize() for part in other_words)


def _as_name(node: Node) -> str | None:
    text = syntax.resolve_constant(node) if node.type == "string" else None
    return text if text is not None and _NAME.fullmatch(text) else None


def _find_calls(tree: Node, *names: str) -> Iterator[Node]:
    """Yield the calls of functions or methods with any of these names, in the order of the text."""
    for node in syntax.walk_descendants(tree):
        function = syntax.find_called(node)
        method = function.child_by_field_name("property") if function else None
        if syntax.get_node_text(method or function) in names:
            yield node


def _list_entries(options: Node) -> Iterator[tuple[str | None, Node]]:
    """Yield the keys and values of an object; the key is None if it is computed or spread."""
    for node in options.named_children:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if node.type == "pair" and key and value:
            yield syntax.find_key_name(key), value
        elif node.type == "shorthand_property_identifier":
            yield syntax.get_node_text(node), node
        elif node.type != "comment":
            yield None, node


def _find_imports(tree: Node, folder: Path) -> dict[str, str | Path]:
    """Return the packages and folders whose definitions a file imports, by variable."""
    imports: dict[str, str | Path] = {}
    for node in syntax.walk_descendants(tree):
        if node.type != "import_clause" or node.parent is None:
            continue
        specifier = node.parent.child_by_field_name("source")
        module = (syntax.resolve_constant(specifier) if specifier else None) or ""
        variable = next((part for part in node.named_children if part.type == "identifier"), None)
        if variable is not None and _CONFIG_IMPORT.search(module):
            source = _CONFIG_IMPORT.sub("", module)
            local = source.startswith(".")
            imports[syntax.get_node_text(variable)] = (
                (folder / source).resolve() if local else source
            )
    return imports


def _is_config(path: Path) -> bool:
    return _CONFIG.fullmatch(path.name) is not None and path.is_file()


def _parse_config(folder: Path) -> Node:
    """Return the syntax tree of the definition in a folder; an empty tree if there is none."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    path = next((path for path in paths if _is_config(path)), None)
    text = path.read_text("utf-8", errors="replace") if path else ""
    return syntax.parse_source(path.name if path else "convex.config.ts", text)


def write_generated(project: Path) -> None:
    """Write the generated files of the project and its components; they replace the model's."""
    functions = project / "convex"
    functions.mkdir(parents=True, exist_ok=True)
    _write_folder(functions, _generate_files(functions))
    for component in find_components(functions):
        imports, entries = _format_imports(sorted(_list_modules(component)))
        types = _read_text("component_types").replace("{IMPORTS}", imports)
        types = types.replace("{ENTRIES}", entries)
        _write_folder(component, {**_generate_files(component), "component.d.ts": types})


def _generate_files(functions: Path) -> dict[str, str]:
    """Return the generated files of a folder of functions."""
    has_schema = any(path.stem == "schema" for path in functions.glob("schema.*"))
    variables = read_env(functions)
    members = "".join(
        f"  readonly {name}: {text or f'Declared[{name!r}]'};\n"
        for name, text in (variables or {}).items()
    )
    computed = " & Declared" if variables is None else ""
    env_types = _read_text("env_types").replace("{MEMBERS}", members)
    env_types = env_types.replace("{COMPUTED}", computed)
    if variables is None or None in variables.values():
        env_types = _read_text("computed_env") + env_types
    imports, entries = _format_imports(sorted(_list_modules(functions)))
    return {
        "server.js": _read_text("server_js"),
        "server.d.ts": _read_text("server_types").replace("{ENV}", env_types),
        "api.js": _read_text("api_js"),
        "api.d.ts": (
            f"{imports}"
            "import type { AnyComponents, ApiFromModules, FilterApi, FunctionReference }"
            ' from "convex/server";\n'
            f"declare const fullApi: ApiFromModules<{{\n{entries}}}>;\n"
            "export declare const api: "
            'FilterApi<typeof fullApi, FunctionReference<any, "public">>;\n'
            "export declare const internal: "
            'FilterApi<typeof fullApi, FunctionReference<any, "internal">>;\n'
            f"export declare const components: {_format_components_type(functions)};\n"
        ),
        "dataModel.d.ts": _read_text("data_model" if has_schema else "data_model_without_schema"),
    }


@cache
def _read_text(name: str) -> str:
    """Return a text of the file ``codegen.toml``."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[name]


def _write_folder(functions: Path, files: dict[str, str]) -> None:
    folder = functions / "_generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        # A file that has these bytes is not written again: the type checker may be reading it.
        if not path.is_file() or path.read_bytes() != text.encode():
            path.write_text(text, encoding="utf-8")


def _list_modules(functions: Path) -> Iterator[str]:
    """Yield the modules that may have functions, such as ``messages`` or ``tasks/list``."""
    components = {path for path in functions.rglob("*") if path.is_dir() and is_component(path)}
    for path in functions.rglob("*"):
        inside = path.relative_to(functions)
        if inside.parts[0] == "_generated" or not path.is_file() or not _SOURCE.search(path.name):
            continue
        if not components.isdisjoint(path.parents):
            continue
        module = _SOURCE.sub("", inside.as_posix())
        if "." not in path.name.removesuffix(path.suffix) and module not in _NOT_FUNCTIONS:
            yield module


def _format_imports(modules: list[str]) -> tuple[str, str]:
    """Return the imports of modules, and their entries in the type of an API."""
    imports = "".join(
        f'import type * as {_make_identifier(module)} from "../{module}.js";\n'
        for module in modules
    )
    entries = "".join(f'  "{module}": typeof {_make_identifier(module)};\n' for module in modules)
    return imports, entries


def _format_components_type(functions: Path) -> str:
    children = read_children(functions)
    if children == {}:
        return "AnyComponents"
    if children is None:
        # The definition computes a name, which is unknown here, so the type accepts every name.
        return "Record<string, any>"
    # The type of a component's functions is an import in its ``_generated`` folder.
    here, types = functions.resolve() / "_generated", ""
    for name, source in children.items():
        where = source
        if isinstance(source, Path):
            where = Path(os.path.relpath(source, here)).as_posix()
        types += f'  "{name}": import("{where}/_generated/component.js")'
        types += f'.ComponentApi<"{name}">;\n'
    return f"{{\n{types}}}"


def _make_identifier(module: str) -> str:
    return "m_" + re.sub(r"\W", lambda match: f"_{ord(match[0]):x}_", module)
