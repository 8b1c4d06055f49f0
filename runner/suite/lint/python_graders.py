"""Rules for graders in Python, by their syntax: names, titles, wavering verdicts.

Gradings show all other faults: a wrong variant or a mutant passes a test that cannot fail, and the
reference does not pass a test that is skipped or misuses a fixture.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node

from runner.answers.rules import is_script
from runner.answers.syntax import get_node_text, parse_source, walk_descendants
from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval
from runner.suite.lint.eval_files import FIXTURES, Finding

Function = ast.FunctionDef | ast.AsyncFunctionDef
_KINDS = (ast.FunctionDef, ast.AsyncFunctionDef)

CONVEX_NAMES = tuple(
    """
    _id _creationTime package.json
    type value fieldType optional tableName keys values
    seconds minutes hours hourUTC minuteUTC dayOfWeek day cronExpr
    subject issuer tokenIdentifier
    paginationOpts numItems cursor id page isDone continueCursor
    storageId _storage sha256 size contentType
    method headers application/json
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Names of Convex and HTTP: of documents, validators, schedules, identities, pages, uploads."""

_WORD = re.compile(r"\w+")
_FUNCTION = re.compile(r"[\w/]+:\w*")
"""The path of a function, such as ``messages:list``."""
_TEXT_NODES = frozenset({"string_fragment", "jsx_text"})
_DEFINITIONS = frozenset(
    {
        *((parent, "property_identifier") for parent in ("pair", "property_signature")),
        *(("pair_pattern", "property_identifier"), ("method_definition", "property_identifier")),
        *(("object", "shorthand_property_identifier"), ("function_declaration", "identifier")),
        ("object_pattern", "shorthand_property_identifier_pattern"),
    }
)
"""Kinds of nodes that define a name, below the kinds of their parents."""

_CLOCKS = (
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.perf_counter",
)
_CHANCE = ("uuid1", "uuid4", "urandom", "SystemRandom")
_UNSEEDED = ("Random", "default_rng")


class Module(NamedTuple):
    """A parsed Python file of a grader."""

    evaluation: Eval
    path: Path
    tree: ast.Module

    def make_finding(self, node: ast.AST, rule: str, advice: str) -> Finding:
        """Return a finding at the line of a node."""
        line: int = getattr(node, "lineno", 1)
        return Finding(self.evaluation.name, self.path.name, line, rule, advice)

    def list_tests(self) -> list[Function]:
        """Return the functions and methods that pytest collects as tests from this module."""
        groups = (node for node in self.tree.body if isinstance(node, ast.ClassDef))
        bodies = (self.tree.body, *(each.body for each in groups if each.name.startswith("Test")))
        functions = (node for body in bodies for node in body if isinstance(node, _KINDS))
        return [function for function in functions if function.name.startswith("test")]


def read_modules(evaluation: Eval) -> list[Module]:
    """Return the parsed Python files of an eval's grader.

    Raises:
        InvalidEvalError: a file is not Python; the message names it.
    """
    modules: list[Module] = []
    for path in evaluation.collect_grader_files():
        try:
            modules.append(Module(evaluation, path, ast.parse(path.read_text(encoding="utf-8"))))
        except SyntaxError as error:
            position = f"line {error.lineno}: " if error.lineno else ""
            raise InvalidEvalError(f"{path}: {position}is not Python: {error.msg}") from error
        except (ValueError, RecursionError) as error:
            raise InvalidEvalError(f"{path}: is not Python: {error}") from error
    return modules


def list_used_fixtures(modules: Sequence[Module]) -> frozenset[str]:
    """Return the fixtures that the functions of a grader have as parameters."""
    nodes = (node for module in modules for node in module.tree.body)
    functions = (node.args for node in nodes if isinstance(node, _KINDS))
    return FIXTURES.intersection(
        parameter.arg
        for given in functions
        for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs)
    )


def spell_name(node: ast.AST) -> str:
    """Return a name or dotted attribute as text; empty for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = spell_name(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def find_unmentioned_names(evaluation: Eval, modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield a finding for each name that the grader demands and the task does not mention.

    A grader demands a name if it writes the name, and the reference defines it: a file, a function,
    a field, or a text such as a table, an index, an error or a label. The marks of tests are data.
    """
    answer = evaluation.read_answer()
    # The names that the answer defines, and the texts in its code.
    names = {name for path in answer for name in (*_WORD.findall(path), path.rpartition("/")[2])}
    texts: set[str] = set()
    for path, text in answer.items():
        for node in walk_descendants(parse_source(path, text)) if is_script(path) else ():
            parent = node.parent
            if node.type in _TEXT_NODES:
                texts.add(" ".join(get_node_text(node).split()))
            elif parent is not None and _defines_name(node, parent):
                names.add(get_node_text(node))
    app = evaluation.read_given()
    prompt = "\n".join([evaluation.task, *app, *app.values()])
    words = {*_WORD.findall(prompt), *CONVEX_NAMES}
    task = _normalize(prompt)
    reported: set[str] = set()
    for module in modules:
        for node, text in _list_texts(module.tree):
            if text.rpartition("/")[2] in names:
                demanded = [text.rpartition("/")[2]]
            elif _FUNCTION.fullmatch(text):
                demanded = [name for name in _WORD.findall(text) if name in names]
            else:
                is_defined = " " in text and any(text in defined for defined in texts)
                demanded = [text] if is_defined or text in texts else []
            for name in demanded:
                is_mentioned = name in words or (
                    not name.isidentifier() and _normalize(name) in task
                )
                if not is_mentioned and name not in reported:
                    reported.add(name)
                    advice = (
                        f"the task does not mention {name!r}: name it there, or do not demand it"
                    )
                    yield module.make_finding(node, "unmentioned-name", advice)


def _defines_name(node: Node, parent: Node) -> bool:
    """Return true if a node is the name of a field, a function, a variable or exported constant."""
    if parent.type != "variable_declarator" or parent.parent is None:
        is_variable = get_node_text(parent).startswith("process.env.")
        return is_variable or (parent.type, node.type) in _DEFINITIONS
    statement = parent.parent.parent
    is_exported = statement is not None and statement.type == "export_statement"
    return is_exported and node == parent.child_by_field_name("name")


def _list_texts(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield the string constants of a grader, and the names of keywords, without docstrings."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield node, " ".join(text.split())
            case ast.keyword(arg=str(name), value=value):
                yield value, name
            case ast.Expr(value=ast.Constant()):
                continue  # a docstring
            case _ if isinstance(tree, _KINDS) and node in tree.decorator_list:
                continue  # a mark
            case _:
                pass
        yield from _list_texts(node)


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())


_GRANT = re.compile(r"(?:whatever|any) (?:further fields|else)\b[^.]*", re.IGNORECASE)
"""The words by which a task lets an answer add fields to a table."""
_MAY_BE_ABSENT = re.compile(r"\b(?:may|can) be left out\b")
_TABLE = re.compile(r"`(\w+)`")


def find_inserted_forms(evaluation: Eval, modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for documents of a table that a grader writes out, field by field.

    If the task grants further fields, an answer may require them, and its schema then refuses such
    a document. A copy of a stored document has them all.
    """
    open_tables: set[str] = set()
    for line in evaluation.task.splitlines():
        grant = _GRANT.search(line)
        named = _TABLE.search(line)
        if grant and named and not _MAY_BE_ABSENT.search(grant[0]):
            open_tables.add(named[1])
    for module in modules:
        for function in (node for node in ast.walk(module.tree) if isinstance(node, _KINDS)):
            assigned = {
                target.id: node.value
                for node in ast.walk(function)
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for node in ast.walk(function):
                match node:
                    case ast.Call(
                        func=ast.Attribute(attr="insert" | "insert_many"),
                        args=[ast.Constant(value=str(table)), document, *_],
                    ) if table in open_tables and _is_written_out(document, assigned):
                        advice = (
                            f"an answer may require further fields of {table}: copy a stored "
                            "document, or say in the task that these fields may be left out"
                        )
                        yield module.make_finding(node, "further-fields", advice)
                    case _:
                        pass


def _is_written_out(node: ast.expr, known: Mapping[str, ast.expr]) -> bool:
    """Return true if a document, or one of a list, has no fields of another document."""
    match node:
        case ast.Dict(keys=keys, values=values):
            parts = zip(keys, values, strict=True)
            return all(key is not None or _is_written_out(value, known) for key, value in parts)
        case ast.BinOp(left=left, right=right):
            return _is_written_out(left, known) and _is_written_out(right, known)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return any(_is_written_out(item, known) for item in items)
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
            return _is_written_out(item, known)
        case ast.Name(id=name) if name in known:
            further = {other: value for other, value in known.items() if other != name}
            return _is_written_out(known[name], further)
        case _:
            return False


def find_untitled_and_wavering(modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for tests without a title, and for code that may change a verdict.

    The docstring of a test is its title on the site. A verdict must be the same each time.
    """
    for module in modules:
        for test in module.list_tests():
            if ast.get_docstring(test) is None:
                advice = f"{test.name} has no docstring: its title"
                yield module.make_finding(test, "untitled-test", advice)
        # The full names of imported names, such as ``time.sleep`` for ``sleep``.
        full_names: dict[str, str] = {}
        for node in ast.walk(module.tree):
            match node:
                case ast.ImportFrom(module=str(source), names=names):
                    full_names |= {
                        each.asname or each.name: f"{source}.{each.name}" for each in names
                    }
                case ast.Import(names=names):
                    full_names |= {each.asname: each.name for each in names if each.asname}
                case _:
                    pass
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute):
                yield from _find_unstable_names(module, node, _spell_full_name(node, full_names))
            elif isinstance(node, ast.Call):
                name = _spell_full_name(node.func, full_names)
                is_bare = not node.args and not node.keywords
                if name.rpartition(".")[2] in _UNSEEDED and is_bare:
                    yield module.make_finding(node, "unseeded", f"{name}() needs a seed: {name}(1)")
                elif name == "random.seed" and not node.args:
                    advice = "random.seed() uses the clock: give it a number"
                    yield module.make_finding(node, "unseeded", advice)


def _find_unstable_names(module: Module, node: ast.AST, name: str) -> Iterator[Finding]:
    last = name.rpartition(".")[2]
    if name in {"time.sleep", "asyncio.sleep"}:
        advice = "do not sleep: move convex.clock, or wait for what the page shows"
        yield module.make_finding(node, "sleep", advice)
    elif any(name == clock or name.endswith(f".{clock}") for clock in _CLOCKS):
        advice = f"{name} is different each time: use a fixed moment, or convex.clock"
        yield module.make_finding(node, "clock", advice)
    elif last in _CHANCE or name.startswith("secrets."):
        advice = f"{name} is different each time: use fixed values, or random.Random(seed)"
        yield module.make_finding(node, "unseeded", advice)
    elif name.startswith("random.") and last not in {"Random", "seed"}:
        advice = f"{name} depends on what ran before: use random.Random(seed)"
        yield module.make_finding(node, "unseeded", advice)


def _spell_full_name(node: ast.AST, taken: dict[str, str]) -> str:
    """Return the dotted name of a node, beginning with the module that it is imported from."""
    head, dot, tail = spell_name(node).partition(".")
    return f"{taken.get(head, head)}{dot}{tail}"
