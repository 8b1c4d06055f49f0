"""The generated files of a project in ``convex/_generated``, as `npx convex codegen` writes them.

They have types and references. They differ between projects in the lists of modules and
components, and if a project has a schema or declares environment variables.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from runner.backends.components import (
    Child,
    find_components,
    is_component,
    read_children,
    read_env,
)

GENERATED_FILES: Final = frozenset(
    {"server.js", "api.js", "server.d.ts", "api.d.ts", "dataModel.d.ts", "component.d.ts"}
)
"""The names of the files in a folder ``_generated``."""
_SOURCE: Final = re.compile(r"\.(?:m|c)?(?:j|t)sx?$")
_NOT_FUNCTIONS: Final = {"schema", "convex.config", "auth.config"}

_SERVER_JS: Final = """\
import {
  actionGeneric, httpActionGeneric, internalActionGeneric, internalMutationGeneric,
  internalQueryGeneric, mutationGeneric, queryGeneric,
} from "convex/server";
export const query = queryGeneric;
export const internalQuery = internalQueryGeneric;
export const mutation = mutationGeneric;
export const internalMutation = internalMutationGeneric;
export const action = actionGeneric;
export const internalAction = internalActionGeneric;
export const httpAction = httpActionGeneric;
export const env = process.env;
"""

_SERVER_TYPES: Final = """\
import type {
  ActionBuilder, GenericActionCtx, GenericDatabaseReader, GenericDatabaseWriter,
  GenericMutationCtx, GenericQueryCtx, HttpActionBuilder, MutationBuilder, QueryBuilder,
} from "convex/server";
import type { DataModel } from "./dataModel.js";
export declare const query: QueryBuilder<DataModel, "public">;
export declare const internalQuery: QueryBuilder<DataModel, "internal">;
export declare const mutation: MutationBuilder<DataModel, "public">;
export declare const internalMutation: MutationBuilder<DataModel, "internal">;
export declare const action: ActionBuilder<DataModel, "public">;
export declare const internalAction: ActionBuilder<DataModel, "internal">;
export declare const httpAction: HttpActionBuilder;
{ENV}
export type QueryCtx = GenericQueryCtx<DataModel>;
export type MutationCtx = GenericMutationCtx<DataModel>;
export type ActionCtx = GenericActionCtx<DataModel>;
export type DatabaseReader = GenericDatabaseReader<DataModel>;
export type DatabaseWriter = GenericDatabaseWriter<DataModel>;
"""

_ENV_TYPES: Final = """\
type Env = {
  readonly CONVEX_CLOUD_URL: string;
  readonly CONVEX_SITE_URL: string;
{MEMBERS}}{COMPUTED};
export declare const env: Env;\
"""
_COMPUTED_ENV: Final = """\
import type { EnvFromDefinition } from "convex/server";
import type definition from "../convex.config.js";
type Declared = EnvFromDefinition<(typeof definition)["__env"]>;
"""
"""The type of variables whose names or types are computed, and so unknown here."""

# As in Convex's own files, ids become strings and functions become internal in these types.
_COMPONENT_TYPES: Final = """\
import type { ApiFromModules, FilterApi, FunctionReference } from "convex/server";
import type { GenericId } from "convex/values";
{IMPORTS}declare const fullApi: ApiFromModules<{
{ENTRIES}}>;
type Public = FilterApi<typeof fullApi, FunctionReference<any, "public">>;
type Plain<T> = 0 extends 1 & T ? T
  : T extends GenericId<any> ? string
  : T extends string | number | bigint | boolean | null | undefined | ArrayBuffer ? T
  : T extends (infer Item)[] ? Plain<Item>[]
  : { [Key in keyof T]: Plain<T[Key]> };
type Exported<T, Name extends string | undefined> =
  T extends FunctionReference<infer Kind, "public", infer Args, infer Returns, any>
    ? FunctionReference<Kind, "internal", Plain<Args>, Plain<Returns>, Name>
    : { [Key in keyof T]: Exported<T[Key], Name> };
export type ComponentApi<Name extends string | undefined = string | undefined> =
  Exported<Public, Name>;
"""

_API_JS: Final = """\
import { anyApi, componentsGeneric } from "convex/server";
export const api = anyApi;
export const internal = anyApi;
export const components = componentsGeneric();
"""

_DATA_MODEL: Final = """\
import type {
  DataModelFromSchemaDefinition, DocumentByName, SystemTableNames, TableNamesInDataModel,
} from "convex/server";
import type { GenericId } from "convex/values";
import schema from "../schema.js";
export type TableNames = TableNamesInDataModel<DataModel>;
export type Doc<TableName extends TableNames> = DocumentByName<DataModel, TableName>;
export type Id<TableName extends TableNames | SystemTableNames> = GenericId<TableName>;
export type DataModel = DataModelFromSchemaDefinition<typeof schema>;
"""

_DATA_MODEL_WITHOUT_SCHEMA: Final = """\
import type { AnyDataModel } from "convex/server";
import type { GenericId } from "convex/values";
export type TableNames = string;
export type Doc<TableName extends string = string> = any;
export type Id<TableName extends TableNames = TableNames> = GenericId<TableName>;
export type DataModel = AnyDataModel;
"""


def write_generated(project: Path) -> None:
    """Write the generated files of the project and its components; they replace the model's."""
    functions = project / "convex"
    functions.mkdir(parents=True, exist_ok=True)
    _write_folder(functions, _generate_files(functions))
    for component in find_components(functions):
        types = {"component.d.ts": _format_component_types(sorted(_list_modules(component)))}
        _write_folder(component, _generate_files(component) | types)


def _generate_files(functions: Path) -> dict[str, str]:
    """Return the generated files of a folder of functions."""
    has_schema = any(path.stem == "schema" for path in functions.glob("schema.*"))
    return {
        "server.js": _SERVER_JS,
        "server.d.ts": _SERVER_TYPES.replace("{ENV}", _format_env_types(read_env(functions))),
        "api.js": _API_JS,
        "api.d.ts": _format_api_types(
            sorted(_list_modules(functions)), _format_components_type(functions)
        ),
        "dataModel.d.ts": _DATA_MODEL if has_schema else _DATA_MODEL_WITHOUT_SCHEMA,
    }


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


def _format_env_types(variables: dict[str, str | None] | None) -> str:
    """Return the type ``Env``, with a member for each variable."""
    members = "".join(
        f"  readonly {name}: {text or f'Declared[{name!r}]'};\n"
        for name, text in (variables or {}).items()
    )
    is_computed = variables is None or None in variables.values()
    computed = " & Declared" if variables is None else ""
    types = _ENV_TYPES.replace("{MEMBERS}", members).replace("{COMPUTED}", computed)
    return f"{_COMPUTED_ENV if is_computed else ''}{types}"


def _format_api_types(modules: list[str], components: str) -> str:
    imports, entries = _format_imports(modules)
    return (
        f"{imports}"
        "import type { AnyComponents, ApiFromModules, FilterApi, FunctionReference }"
        ' from "convex/server";\n'
        f"declare const fullApi: ApiFromModules<{{\n{entries}}}>;\n"
        'export declare const api: FilterApi<typeof fullApi, FunctionReference<any, "public">>;\n'
        "export declare const internal: "
        'FilterApi<typeof fullApi, FunctionReference<any, "internal">>;\n'
        f"export declare const components: {components};\n"
    )


def _format_component_types(modules: list[str]) -> str:
    imports, entries = _format_imports(modules)
    return _COMPONENT_TYPES.replace("{IMPORTS}", imports).replace("{ENTRIES}", entries)


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
    if children == []:
        return "AnyComponents"
    if children is None:
        # The definition computes a name, which is unknown here, so the type accepts every name.
        return "Record<string, any>"
    types = "".join(
        f'  "{child.name}": {_format_api_type(child, functions)};\n' for child in children
    )
    return f"{{\n{types}}}"


def _format_api_type(child: Child, functions: Path) -> str:
    """Return the type of a component's functions, as an import in the ``_generated`` folder."""
    source = child.source
    if isinstance(source, Path):
        source = Path(os.path.relpath(source, functions.resolve() / "_generated")).as_posix()
    return f'import("{source}/_generated/component.js").ComponentApi<"{child.name}">'


def _make_identifier(module: str) -> str:
    return "m_" + re.sub(r"\W", lambda match: f"_{ord(match[0]):x}_", module)
