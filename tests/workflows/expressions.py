"""Evaluates the expressions of workflows, as far as this repository's use them.

GitHub's page "Evaluate expressions in workflows and actions" has the language. A name, function or
sign that is not known here is an error, and no empty text.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

Value = Any
Contexts = Mapping[str, Value]
Status = Mapping[str, bool]
"""Results of ``success()``, ``failure()`` and ``cancelled()``."""

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_][\w.-]*)"
    r"|(?P<sign>\|\||&&|==|!=|!|\(|\)|,))"
)
_WORDS: Final[Mapping[str, Value]] = {"true": True, "false": False, "null": None}
_INSERTED: Final = re.compile(r"\$\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)


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
    parser = _Parser(text, contexts, status or {"success": True})
    value = parser.evaluate_either()
    parser.end()
    return value


def to_text(value: Value) -> str:
    """Return a value as GitHub writes it into a text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value)


class _Parser:
    """Evaluates while it reads; both sides of ``&&`` and ``||`` are evaluated."""

    def __init__(self, text: str, contexts: Contexts, status: Status) -> None:
        self._contexts = contexts
        self._status = status
        self._tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text.rstrip()):
            token = _TOKEN.match(text, position)
            if token is None:
                raise ValueError(f"{text!r}: cannot be read at {text[position:]!r}")
            self._tokens.append((token.lastgroup or "", token[token.lastgroup or ""]))
            position = token.end()
        self._text = text
        self._place = 0

    def evaluate_either(self) -> Value:
        value = self._evaluate_both()
        while self._take("||"):
            other = self._evaluate_both()
            value = value or other
        return value

    def end(self) -> None:
        if self._place < len(self._tokens):
            raise ValueError(f"{self._text!r}: goes on after its end")

    def _evaluate_both(self) -> Value:
        value = self._evaluate_equal()
        while self._take("&&"):
            other = self._evaluate_equal()
            value = value and other
        return value

    def _evaluate_equal(self) -> Value:
        value = self._evaluate_one()
        if self._take("=="):
            return _is_same(value, self._evaluate_one())
        if self._take("!="):
            return not _is_same(value, self._evaluate_one())
        return value

    def _evaluate_one(self) -> Value:
        if self._take("!"):
            return not self._evaluate_one()
        if self._take("("):
            value = self.evaluate_either()
            self._need(")")
            return value
        kind, token = self._tokens[self._place]
        self._place += 1
        if kind == "text":
            return token[1:-1].replace("''", "'")
        if kind == "number":
            return float(token)
        if kind != "name":
            raise ValueError(f"{self._text!r}: {token} stands where a value belongs")
        if self._take("("):
            return self._evaluate_call(token)
        return _WORDS[token] if token in _WORDS else self._look_up(token)

    def _evaluate_call(self, name: str) -> Value:
        arguments: list[Value] = []
        while not self._take(")"):
            arguments.append(self.evaluate_either())
            self._take(",")
        functions: dict[str, Callable[..., Value]] = {
            "always": lambda: True,
            "success": lambda: self._status.get("success", False),
            "failure": lambda: self._status.get("failure", False),
            "cancelled": lambda: self._status.get("cancelled", False),
            "format": _format_text,
            "fromJSON": json.loads,
            "toJSON": json.dumps,
            "hashFiles": lambda *_: "0" * 64,
        }
        value: Value = functions[name](*arguments)
        return value

    def _look_up(self, name: str) -> Value:
        first, *parts = name.split(".")
        value: Value = self._contexts[first]
        for part in parts:
            value = cast("Contexts", value).get(part) if isinstance(value, Mapping) else None
        return value

    def _take(self, sign: str) -> bool:
        if self._place < len(self._tokens) and self._tokens[self._place] == ("sign", sign):
            self._place += 1
            return True
        return False

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise ValueError(f"{self._text!r}: {sign} is missing")


def _format_text(text: str, *values: Value) -> str:
    return text.format(*map(to_text, values))


def _is_same(left: Value, right: Value) -> bool:
    """Compare as GitHub does: case does not matter, and null equals an empty text."""
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    return (left or "") == (right or "")
