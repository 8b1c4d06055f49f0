"""Tests of a grader that never run."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import (
    Function,
    Module,
    is_fixture,
    is_test,
    list_methods,
    list_used_names,
    spell_name,
)

_RULE = "left-out-test"


def find_unused_code(modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for tests that pytest does not collect, and functions that are never used."""
    used = list_used_names(modules)
    for module in modules:
        yield from _find_redefined_functions(module)
        yield from _find_ignored_tests(module)
        yield from _find_unused_functions(module, used)
    yield from _find_unimported_tests(modules)


def _find_redefined_functions(module: Module) -> Iterator[Finding]:
    scopes = [module.list_functions(), *(list_methods(group) for group in module.list_classes())]
    for scope in scopes:
        last = {function.name: function for function in scope}
        for function in scope:
            if last[function.name] is not function:
                later = last[function.name].lineno
                advice = f"{function.name} is defined again in line {later}: rename one"
                yield module.make_finding(function, _RULE, advice)


def _find_ignored_tests(module: Module) -> Iterator[Finding]:
    """Yield findings for tests that pytest ignores, in functions or in classes.

    pytest collects only classes named ``Test...`` without ``__init__``.
    """
    for function in module.list_functions():
        for inner in ast.walk(function):
            inside = isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
            if inside and inner is not function and is_test(inner):
                advice = f"{inner.name} is inside {function.name}: move it to the top level"
                yield module.make_finding(inner, _RULE, advice)
    for group in module.list_classes():
        names = {function.name for function in list_methods(group)}
        if not any(name.startswith("test") for name in names):
            continue
        if not group.name.startswith("Test"):
            advice = f"tests of {group.name} are not collected: its name must begin with Test"
            yield module.make_finding(group, _RULE, advice)
        elif "__init__" in names:
            yield module.make_finding(group, _RULE, f"{group.name} has __init__: not collected")


def _find_unused_functions(module: Module, used: set[str]) -> Iterator[Finding]:
    for function in module.list_functions():
        if is_test(function) or function.name in used or is_fixture(function):
            continue
        advice = f"{function.name} is never used: a test's name begins with test_; delete others"
        yield module.make_finding(function, _RULE, advice)


def _find_unimported_tests(modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for tests of check modules that grader.py does not import by name."""
    checks = {module.name: module for module in modules if not module.is_grader}
    graders = [module for module in modules if module.is_grader]
    imported = Counter[tuple[str, str]]()
    for grader in graders:
        own = {function.name for function in grader.list_functions()}
        for statement, name in _list_imports(grader.tree):
            source = checks.get((statement.module or "").rpartition(".")[2])
            if source is None:
                continue
            yield from _find_wrong_name(grader, statement, name, source, own)
            imported[source.name, name.name] += 1
    for module in checks.values():
        for test in module.list_tests():
            if not imported[module.name, test.name] and not imported[module.name, "*"]:
                if _is_in_imported_class(module, test, imported):
                    continue
                advice = f"grader.py does not import {test.name} from {module.name}: it never runs"
                yield module.make_finding(test, _RULE, advice)


def _list_imports(tree: ast.Module) -> Iterator[tuple[ast.ImportFrom, ast.alias]]:
    for statement in ast.walk(tree):
        if isinstance(statement, ast.ImportFrom):
            for name in statement.names:
                yield statement, name


def _find_wrong_name(
    grader: Module, statement: ast.ImportFrom, name: ast.alias, source: Module, own: set[str]
) -> Iterator[Finding]:
    defined = _list_defined_names(source)
    if name.name != "*" and name.name not in defined:
        advice = f"{source.path.name} has no {name.name}: its tests are left out"
        yield grader.make_finding(statement, _RULE, advice)
    under = name.asname or name.name
    if name.name.startswith("test") and not under.startswith("test"):
        advice = f"{name.name} is imported as {under}, which pytest does not collect"
        yield grader.make_finding(statement, _RULE, advice)
    if under in own and under.startswith("test"):
        yield grader.make_finding(
            statement, _RULE, f"{under} is hidden by a test of that name here"
        )


def _list_defined_names(module: Module) -> set[str]:
    names = {group.name for group in module.list_classes()} | {
        function.name for function in module.list_functions()
    }
    for node in module.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        names |= {spell_name(target) for target in targets}
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {each.asname or each.name for each in node.names}
    return names


def _is_in_imported_class(module: Module, test: Function, taken: Counter[tuple[str, str]]) -> bool:
    return any(
        test in list_methods(group) and taken[module.name, group.name]
        for group in module.list_classes()
    )
