"""The stub of a reference answer: files with the same exports that deploy and do nothing.

The exports of each module have the same kinds as those of the reference. Handlers take any
arguments and return null, tables take any documents, and there are no indexes, crons or routes.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from tree_sitter import Node

from records.suites.given_app import is_deletion, split_step
from runner.answers.rules import is_script
from runner.answers.syntax import get_node_text, parse_source, resolve_variable, walk_descendants
from runner.answers.typescript import describe_calls, list_exports

_BUILDERS = (
    "query",
    "mutation",
    "action",
    "internalQuery",
    "internalMutation",
    "internalAction",
)
_FUNCTION = "export {head}{builder}({{ args: v.any(), handler: () => Promise.resolve(null) }});"
_HTTP_ACTION = "export {head}httpAction(() => Promise.resolve(new Response(null)));"
_DECLARED = {
    "convex/crons.ts": (
        'import { cronJobs } from "convex/server";\n\nconst crons = cronJobs();\n'
        "export default crons;\n"
    ),
    "convex/http.ts": (
        'import { httpRouter } from "convex/server";\n\nconst http = httpRouter();\n'
        "export default http;\n"
    ),
    "convex/convex.config.ts": (
        'import { defineApp } from "convex/server";\n\nexport default defineApp();\n'
    ),
    "convex/auth.config.ts": "export default { providers: [] };\n",
}


def stub_answer(reference: Mapping[str, str]) -> dict[str, str]:
    """Return the files of ``reference`` with the same exports, without what they do.

    Files that are not TypeScript or JavaScript, such as package.json, are unchanged.
    """
    stubs: dict[str, str] = {}
    for path, text in reference.items():
        if not is_script(path) or is_deletion(text):
            stubs[path] = text
            continue
        inside, root = split_step(path)[1], parse_source(path, text)
        if inside == "convex/schema.ts":
            stubs[path] = _stub_schema(root)
        elif inside in _DECLARED:
            stubs[path] = _DECLARED[inside]
        elif inside.startswith("convex/"):
            depth = len(PurePosixPath(path).parts) - 2
            generated = f"{'../' * depth or './'}_generated"
            functions = [
                (name, builder)
                for name, node in list_exports(root)
                if (builder := _find_builder(node)) is not None
            ]
            lines = ['"use node";\n\n'] if re.match(r"\s*[\"']use node[\"']", text) else []
            builders = sorted({builder for _, builder in functions})
            if builders:
                takes_arguments = builders != ["httpAction"]
                lines.append('import { v } from "convex/values";\n' if takes_arguments else "")
                lines.append(f'import {{ {", ".join(builders)} }} from "{generated}/server";\n')
            for name, builder in functions:
                head = "default " if name == "default" else f"const {name} = "
                function = _HTTP_ACTION if builder == "httpAction" else _FUNCTION
                lines.append(f"\n{function.format(head=head, builder=builder)}\n")
            stubs[path] = "".join(lines) or "export {};\n"
        else:
            # Components and hooks return null.
            lines = list[str]()
            for name, node in list_exports(root):
                if node.type in {"function_declaration", "arrow_function", "function_expression"}:
                    own = node.child_by_field_name("name")
                    called = name
                    if name == "default":
                        called = "Nothing" if own is None else get_node_text(own)
                    head = "default " if name == "default" else ""
                    lines.append(f"export {head}function {called}() {{\n  return null;\n}}\n")
            stubs[path] = "\n".join(lines) or "export {};\n"
    return stubs


def _stub_schema(root: Node) -> str:
    """Return the source of a schema with the same tables, which take any documents."""
    tables = [
        f"  {get_node_text(key)}: defineTable(v.any()),\n"
        for pair in walk_descendants(root)
        if pair.type == "pair"
        for key, value in ((pair.child_by_field_name("key"), pair.child_by_field_name("value")),)
        if key is not None and value is not None
        for made in (resolve_variable(value),)
        if made.type == "call_expression"
        and next(describe_calls("", made)).chain[0] == "defineTable"
    ]
    return (
        'import { defineSchema, defineTable } from "convex/server";\n'
        'import { v } from "convex/values";\n\n'
        f"export default defineSchema({{\n{''.join(tables)}}});\n"
    )


def _find_builder(node: Node) -> str | None:
    """Return the constructor of a function, such as ``query``; None if ``node`` is no function.

    A wrapper's name shows the constructor, such as ``authedQuery`` for ``query``.
    """
    if node.type != "call_expression":
        return None
    called = next(describe_calls("", node)).name
    if called in {*_BUILDERS, "httpAction"}:
        return called
    kinds = [kind for kind in ("query", "mutation", "action") if called.lower().endswith(kind)]
    if not kinds:
        return None
    return f"internal{kinds[0].capitalize()}" if "internal" in called.lower() else kinds[0]
