"""Graders whose verdicts may differ each time: sleeps, randomness, the clock, skipped tests."""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import Module, spell_name

_CLOCKS: Final = (
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.perf_counter",
)
_CHANCE: Final = ("uuid1", "uuid4", "urandom", "SystemRandom")
_UNSEEDED: Final = ("Random", "default_rng")
_SKIPS: Final = ("skip", "skipif", "xfail", "importorskip", "exit")


def find_wavering_code(modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for code that may change a verdict from one grading to the next."""
    for module in modules:
        full_names = _find_full_names(module.tree)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute):
                yield from _find_unstable_names(module, node, _spell_full_name(node, full_names))
            elif isinstance(node, ast.Call):
                yield from _find_missing_seed(module, node, _spell_full_name(node.func, full_names))
            elif isinstance(node, ast.ExceptHandler):
                yield from _find_broad_except(module, node)


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
    elif name in {f"pytest.{skip}" for skip in _SKIPS} or name.startswith("pytest.mark.skip"):
        advice = f"{name} leaves an answer unjudged: let the test run, or take it out"
        yield module.make_finding(node, "skip", advice)
    elif name == "pytest.mark.xfail":
        yield module.make_finding(node, "skip", "no test may be expected to fail")


def _find_missing_seed(module: Module, call: ast.Call, name: str) -> Iterator[Finding]:
    if name.rpartition(".")[2] in _UNSEEDED and not call.args and not call.keywords:
        yield module.make_finding(call, "unseeded", f"{name}() needs a seed: {name}(1)")
    elif name == "random.seed" and not call.args:
        yield module.make_finding(
            call, "unseeded", "random.seed() uses the clock: give it a number"
        )


def _find_broad_except(module: Module, handler: ast.ExceptHandler) -> Iterator[Finding]:
    """Yield a finding for a handler that turns any failure of the grader into a success."""
    broad = handler.type is None or spell_name(handler.type) in {"Exception", "BaseException"}
    if broad and not any(isinstance(node, ast.Raise) for node in ast.walk(handler)):
        advice = "hides every failure, the test's own too: catch FunctionFailed only"
        yield module.make_finding(handler, "broad-except", advice)


def _find_full_names(tree: ast.Module) -> dict[str, str]:
    """Return the full names of imported names, such as ``time.sleep`` for ``sleep``."""
    stand_for: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                stand_for[each.asname or each.name] = f"{node.module}.{each.name}"
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.asname:
                    stand_for[each.asname] = each.name
    return stand_for


def _spell_full_name(node: ast.AST, taken: dict[str, str]) -> str:
    """Return the dotted name of a node, beginning with the module that it is imported from."""
    head, dot, tail = spell_name(node).partition(".")
    return f"{taken.get(head, head)}{dot}{tail}"
