"""Names that a grader demands and the task does not mention.

Only literals that name a part of the answer count: paths of functions and files, tables, fields of
arguments and documents, indexes, error texts, labels on a page. A text that the grader first passes
to the answer, and then expects as a text or as a key of a record, is data. The task need not
mention data, nor Convex's own names.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from runner.evals.discovery import Eval
from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import (
    Function,
    Module,
    get_literal,
    list_calls,
    list_parameters,
    spell_called_name,
    spell_name,
)

_FUNCTION: Final = re.compile(r"([a-z]\w*(?:/\w+)*):([A-Za-z_]\w*)")
_MODULE: Final = re.compile(r"([a-z]\w*(?:/\w+)*):")
_FILE: Final = re.compile(r"[\w./-]+\.(?:ts|tsx|js|mjs|json)")
_INDEX: Final = re.compile(r"by_\w+")
_FIELD: Final = re.compile(r"[a-z_]\w*")
_WORD: Final = re.compile(r"\w+")

_TABLE_CALLS: Final = ("insert", "insert_many", "table", "document", "delete")
_DOCUMENT_CALLS: Final = ("query", "mutation", "action", "insert", "insert_many")
_PAGE_CALLS: Final = ("click", "fill", "wait_for", "wait_gone", "is_checked", "wait_checked")

CONVEX_NAMES: Final = (
    *("_id", "_creationTime", "package.json"),
    *("type", "value", "fieldType", "optional", "tableName", "keys", "values"),
    *("seconds", "minutes", "hours", "hourUTC", "minuteUTC", "dayOfWeek", "day", "cronExpr"),
    *("subject", "issuer", "tokenIdentifier"),
    *("paginationOpts", "numItems", "cursor", "id", "page", "isDone", "continueCursor"),
    *("storageId", "_storage", "sha256", "size", "contentType"),
)
"""Convex's own names: of documents, validators, schedules, identities, pagination and uploads."""


@dataclass(frozen=True, slots=True)
class _Demand:
    """A literal that names a part of the answer."""

    module: Module
    node: ast.AST
    kind: str
    name: str
    phrase: bool = False
    """True to search the task for the name as a text, false to search for it as a word."""


def find_unmentioned_demands(evaluation: Eval, modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield a finding for each name that the grader demands and the task does not mention."""
    words = {*_WORD.findall(evaluation.task), *CONVEX_NAMES}
    text = _normalize_text(evaluation.task)
    reported: set[str] = set()
    for demand in _find_demands(modules):
        is_mentioned = demand.name in words or (
            demand.phrase and _normalize_text(demand.name) in text
        )
        if not is_mentioned and demand.name not in reported:
            reported.add(demand.name)
            advice = (
                f"the task does not mention the {demand.kind} {demand.name!r}: "
                "name it there, or do not demand it"
            )
            yield demand.module.make_finding(demand.node, "unmentioned-name", advice)


def _find_demands(modules: Sequence[Module]) -> Iterator[_Demand]:
    # If the grader compares a text with the data of an error, it demands the text. All other texts
    # that are used as values are the grader's own data.
    data = _count_data_texts(modules)
    data.subtract(text for module in modules for text in _list_error_values(module.tree))
    spreading = _find_spreading_functions(modules)
    for module in modules:
        constants = _find_constants(module.tree)
        documents = _find_documents(module.tree)
        for node in ast.walk(module.tree):
            for kind, name, phrase in _find_node_demands(node, constants):
                if not (kind in {"label", "text", "field", "error value"} and data[name] > 0):
                    yield _Demand(module, node, kind, name, phrase)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for name in _list_spread_fields(node, spreading):
                    yield _Demand(module, node, "field", name)
            if isinstance(node, ast.Dict) and id(node) in documents:
                for key in node.keys:
                    name = get_literal(key)
                    if name and _FIELD.fullmatch(name) and (documents[id(node)] or data[name] <= 0):
                        yield _Demand(module, key or node, "field", name)


def _find_node_demands(
    node: ast.AST, constants: Mapping[str, str]
) -> Iterator[tuple[str, str, bool]]:
    """Yield the demands of a node: kind, name, and true if the name is searched as a text."""
    if (text := get_literal(node)) is not None:
        yield from _find_form_demands(text)
    elif isinstance(node, ast.JoinedStr) and node.values:
        if module_path := _MODULE.match(get_literal(node.values[0]) or ""):
            yield "module", module_path[1].rpartition("/")[2], False
    elif isinstance(node, ast.Subscript) and (name := get_literal(node.slice)):
        if not spell_name(node.value).endswith("headers") and _FIELD.fullmatch(name):
            yield "field", name, False
    elif isinstance(node, ast.Compare):
        yield from _find_error_demands(node, constants)
    elif isinstance(node, ast.Call):
        yield from _find_call_demands(node, constants)


def _find_form_demands(text: str) -> Iterator[tuple[str, str, bool]]:
    if function_path := _FUNCTION.fullmatch(text):
        yield "module", function_path[1].rpartition("/")[2], False
        if function_path[2] != "default":
            yield "function", function_path[2], False
    elif _FILE.fullmatch(text):
        yield "file", text.rpartition("/")[2], True
    elif _INDEX.fullmatch(text):
        yield "index", text, False


def _find_error_demands(
    node: ast.Compare, constants: Mapping[str, str]
) -> Iterator[tuple[str, str, bool]]:
    """Yield the texts that an error's data must equal or contain, as demands."""
    sides = [node.left, *node.comparators]
    if any(_is_error_data(side) for side in sides):
        for side in sides:
            if text := _find_text(side, constants):
                yield "error", text, True
            for value in _list_values(side):
                if text := _find_text(value, constants):
                    yield "error value", text, True


def _list_error_values(tree: ast.Module) -> Iterator[str]:
    """Return the literal texts in dicts that are compared with the data of an error."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_is_error_data(side) for side in sides):
                yield from filter(
                    None, (get_literal(v) for side in sides for v in _list_values(side))
                )


def _is_error_data(node: ast.expr) -> bool:
    """Return true if a side of a comparison is the data of an error, or a field of the data."""
    if isinstance(node, ast.Subscript):
        return _is_error_data(node.value)
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _list_values(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the values of a dict, and of the dicts in it."""
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield value
            yield from _list_values(value)


def _find_call_demands(
    node: ast.Call, constants: Mapping[str, str]
) -> Iterator[tuple[str, str, bool]]:
    name = spell_called_name(node)
    first = node.args[0] if node.args else None
    on_object = isinstance(node.func, ast.Attribute)
    text = _find_text(first, constants)
    if name in _TABLE_CALLS and on_object and text:
        yield "table", text, False
    elif name == "set_env" and text:
        yield "variable", text, False
    elif name in _PAGE_CALLS and on_object and text and not re.search(r"\d", text):
        yield "label" if name in {"click", "fill"} else "text", text, True
    elif name == "http" and len(node.args) > 1:
        path = _find_text(node.args[1], constants) or _find_beginning(node.args[1])
        if path and path.startswith("/") and (segment := _WORD.search(path)):
            yield "route", segment[0], False
    elif name == "raises":
        for keyword in node.keywords:
            if keyword.arg == "match" and (text := _find_text(keyword.value, constants)):
                yield "error", text.replace("\\", "").strip("^$"), True


def _find_documents(tree: ast.Module) -> dict[int, bool]:
    """Return the dicts whose keys may name fields, by the id of their nodes.

    True: the keys are certainly fields, because the dict is passed as arguments or as a document.
    False: the keys may be data, because the dict is in another dict, or is an expected value.
    """
    handed: list[ast.expr] = []
    compared: list[ast.expr] = []
    passed = _list_passed_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call() if spell_called_name(node) in _DOCUMENT_CALLS:
                handed += node.args
            case ast.Assign(targets=targets, value=value) if set(map(spell_name, targets)) & passed:
                handed.append(value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) if (
                spell_name(target) in passed
            ):
                handed.append(value)
            case ast.Compare(left=left, comparators=[right]):
                compared += [left, right]
            case ast.Return(value=ast.Dict() as value):
                compared.append(value)
            case _:
                pass
    surely = {id(each): True for value in handed for each in _list_outer_dicts(value)}
    perhaps = {
        id(each): False for value in (*handed, *compared) for each in _list_inner_dicts(value)
    }
    return perhaps | surely


def _list_inner_dicts(node: ast.AST) -> Iterator[ast.Dict]:
    """Yield the dicts in a value, without those in the arguments of calls."""
    if isinstance(node, ast.Dict):
        yield node
    if not isinstance(node, ast.Call):
        for inner in ast.iter_child_nodes(node):
            yield from _list_inner_dicts(inner)


def _find_spreading_functions(modules: Sequence[Module]) -> dict[str, list[str]]:
    """Return the functions that take further fields as ``**changes``, with their parameters."""
    return {
        function.name: list_parameters(function)
        for module in modules
        for function in module.list_functions()
        if function.args.kwarg is not None and not _goes_over(function, function.args.kwarg.arg)
    }


def _goes_over(function: Function, name: str) -> bool:
    """Return true if a function iterates over a mapping, and does not only pass it on."""
    apart = {f"{name}.items", f"{name}.keys", f"{name}.values"}
    return any(spell_name(call.func) in apart for call in list_calls(function))


def _list_spread_fields(call: ast.Call, spreading: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the names of fields that a call passes as keywords."""
    parameters = spreading.get(spell_called_name(call))
    if parameters is not None:
        yield from (each.arg for each in call.keywords if each.arg and each.arg not in parameters)


def _list_outer_dicts(node: ast.expr) -> list[ast.Dict]:
    """Return the dict that ``node`` is, or the dicts of the list that it is."""
    match node:
        case ast.Dict():
            return [node]
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return [each for inner in elts for each in _list_outer_dicts(inner)]
        case ast.ListComp(elt=inner):
            return _list_outer_dicts(inner)
        case _:
            return []


def _list_passed_names(tree: ast.Module) -> set[str]:
    """Return the names of variables that are passed to a function of the deployment, or spread."""
    names: set[str] = set()
    for call in list_calls(tree):
        if spell_called_name(call) in _DOCUMENT_CALLS:
            within = (each for argument in call.args for each in ast.walk(argument))
            names |= {each.id for each in within if isinstance(each, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            names |= {
                spell_name(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if not key
            }
    return names - {""}


def _count_data_texts(modules: Sequence[Module]) -> Counter[str]:
    """Count how often a string is used as a value: an argument, an element, a field's content."""
    counts: Counter[str] = Counter()
    for module in modules:
        for node in ast.walk(module.tree):
            match node:
                case ast.Call():
                    page = (
                        spell_called_name(node) in _PAGE_CALLS
                        or spell_called_name(node) in _TABLE_CALLS
                    )
                    values = [] if page else [*node.args, *(each.value for each in node.keywords)]
                case ast.List() | ast.Tuple():
                    values = node.elts
                case ast.Dict():
                    values = node.values
                case ast.arguments():
                    values = [*node.defaults, *node.kw_defaults]
                case _:
                    continue
            counts.update(filter(None, map(get_literal, values)))
    return counts


def _find_constants(tree: ast.Module) -> dict[str, str]:
    """Return the string constants of a module by name."""
    return {
        spell_name(target): text
        for node in tree.body
        if isinstance(node, ast.Assign) and (text := get_literal(node.value))
        for target in node.targets
    }


def _find_text(node: ast.AST | None, constants: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    return get_literal(node)


def _find_beginning(node: ast.AST) -> str | None:
    return get_literal(node.values[0]) if isinstance(node, ast.JoinedStr) and node.values else None


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split())
