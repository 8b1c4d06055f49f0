"""The files that `npx convex codegen` writes to ``convex/_generated``: types and references.

The files are the same for every project but for the list of its modules.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

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
export declare const env: Record<string, string | undefined>;
export type QueryCtx = GenericQueryCtx<DataModel>;
export type MutationCtx = GenericMutationCtx<DataModel>;
export type ActionCtx = GenericActionCtx<DataModel>;
export type DatabaseReader = GenericDatabaseReader<DataModel>;
export type DatabaseWriter = GenericDatabaseWriter<DataModel>;
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
    """Write the generated files of the project; what the model put there is replaced."""
    functions = project / "convex"
    folder = functions / "_generated"
    folder.mkdir(parents=True, exist_ok=True)
    has_schema = any(path.stem == "schema" for path in functions.glob("schema.*"))
    files = {
        "server.js": _SERVER_JS,
        "server.d.ts": _SERVER_TYPES,
        "api.js": _API_JS,
        "api.d.ts": _api_types(sorted(_modules(functions))),
        "dataModel.d.ts": _DATA_MODEL if has_schema else _DATA_MODEL_WITHOUT_SCHEMA,
    }
    for name, text in files.items():
        path = folder / name
        # A file with the same bytes is left alone: the type checker may be reading it.
        if not path.is_file() or path.read_bytes() != text.encode():
            path.write_text(text, encoding="utf-8")


def _modules(functions: Path) -> Iterator[str]:
    """Yield the modules that may hold functions, such as ``messages`` or ``tasks/list``."""
    for path in functions.rglob("*"):
        inside = path.relative_to(functions)
        if inside.parts[0] == "_generated" or not path.is_file() or not _SOURCE.search(path.name):
            continue
        module = _SOURCE.sub("", inside.as_posix())
        if "." not in path.name.removesuffix(path.suffix) and module not in _NOT_FUNCTIONS:
            yield module


def _api_types(modules: list[str]) -> str:
    imports = "".join(
        f'import type * as {_identifier(module)} from "../{module}.js";\n' for module in modules
    )
    entries = "".join(f'  "{module}": typeof {_identifier(module)};\n' for module in modules)
    return (
        f"{imports}"
        "import type { AnyComponents, ApiFromModules, FilterApi, FunctionReference }"
        ' from "convex/server";\n'
        f"declare const fullApi: ApiFromModules<{{\n{entries}}}>;\n"
        'export declare const api: FilterApi<typeof fullApi, FunctionReference<any, "public">>;\n'
        "export declare const internal: "
        'FilterApi<typeof fullApi, FunctionReference<any, "internal">>;\n'
        "export declare const components: AnyComponents;\n"
    )


def _identifier(module: str) -> str:
    return "m_" + re.sub(r"\W", lambda found: f"_{ord(found[0]):x}_", module)
