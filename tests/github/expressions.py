"""Evaluates the expressions of workflows, as far as this repository's use them.

GitHub's page "Evaluate expressions in workflows and actions" has the language. An expression is
turned into Python, whose `and` and `or` keep the value of a side, as `&&` and `||` do. A name
without a value is an empty text, as null is to GitHub; an unknown context or function is an error.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

Value = Any
Contexts = Mapping[str, Value]
Status = Mapping[str, bool]
"""Results of ``success()``, ``failure()`` and ``cancelled()``."""

_TOKEN = re.compile(
    r"'(?:[^']|'')*'|[0-9.]+|(?P<name>[A-Za-z_][\w.-]*)(?P<call>\()?|\|\||&&|[=!]=|!|[(),]|\s+|(?P<other>.)"
)
_WORDS = {
    "||": " or ",
    "&&": " and ",
    "!": " not ",
    "true": "True",
    "false": "False",
    "null": "''",
}
_INSERTED = re.compile(r"\$\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)


def insert(text: str, contexts: Contexts, status: Status | None = None) -> Value:
    """Return a text of YAML with its expressions evaluated; a lone one keeps its type."""
    alone = _INSERTED.fullmatch(text.strip())
    if alone is not None:
        return evaluate(alone[1], contexts, status)
    return _INSERTED.sub(lambda match: to_text(evaluate(match[1], contexts, status)), text)


def holds(condition: str | bool | None, contexts: Contexts, status: Status) -> bool:  # noqa: FBT001 - as YAML has it
    """Return whether an ``if`` lets its step or job run; by default only after success."""
    text = str(condition if condition is not None else "success()").strip()
    alone = _INSERTED.fullmatch(text)
    text = alone[1] if alone else text
    if re.search(r"\b(?:always|success|failure|cancelled)\(", text) is None:
        text = f"success() && ({text})"
    return bool(evaluate(text, contexts, status))


def evaluate(text: str, contexts: Contexts, status: Status | None = None) -> Value:
    """Return the value of one expression."""
    results = status or {"success": True}

    def make_check(name: str) -> Callable[[], bool]:
        return lambda: results.get(name, False)

    functions: dict[str, Callable[..., Value]] = {
        "always": lambda: True,
        **{name: make_check(name) for name in ("success", "failure", "cancelled")},
        "format": _format_text,
        "fromJSON": json.loads,
        "hashFiles": lambda *_: "0" * 64,  # pyright: ignore[reportUnknownLambdaType] - paths
    }

    def look_up(name: str) -> Value:
        first, *parts = name.split(".")
        value = contexts[first]
        for part in parts:
            value = cast("Contexts", value).get(part, "") if isinstance(value, Mapping) else ""
        return value

    def translate(token: re.Match[str]) -> str:
        word = token[0]
        if token["other"]:
            raise ValueError(f"{text!r}: cannot be read at {word!r}")
        if word.startswith("'"):
            return repr(word[1:-1].replace("''", "'"))
        if token["call"]:
            return f"functions[{token['name']!r}]("
        if word in _WORDS or not token["name"]:
            return _WORDS.get(word, word)
        return f"look_up({word!r})"

    python = _TOKEN.sub(translate, text).strip()
    return eval(python, {"functions": functions, "look_up": look_up})  # noqa: S307 - our own workflows


def to_text(value: Value) -> str:
    """Return a value as GitHub writes it into a text."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value)


def _format_text(text: str, *values: Value) -> str:
    return text.format(*map(to_text, values))
