"""Measures how plain the prose of documents and modules is, and finds texts above the limits."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.documents.fault import Fault

HABITS = {
    "clause": re.compile(r"\b(?:what|whatever|whoever|whichever)\b", re.IGNORECASE),
    "vague": re.compile(
        r"\b(?:that which"
        r"|(?:those|anything|everything|nothing|nobody|somebody|someone) (?:that|who))\b",
        re.IGNORECASE,
    ),
    "say": re.compile(r"\b(?:says?|said|tells?|told)\b", re.IGNORECASE),
    "one": re.compile(
        r"\bones\b"
        r"|\b(?:the|this|that|each|other|another|first|last|same|every|which) one\b"
        r"|\bone (?:that|which|who|is|was|has)\b"
        r"|\bone(?=[.,;:)])",
        re.IGNORECASE,
    ),
}
LIMITS = {
    "clause": 3.0,
    "vague": 0.5,
    "say": 1.5,
    "one": 2.0,
    "fragments": 3.0,
    "empty names": 3.0,
}
"""Per thousand words; fragments per hundred docstrings, empty names per hundred functions."""
UNITS = {"fragments": "hundred docstrings", "empty names": "hundred functions"}
MOST = 2
"""How many times a limit a package or a page may reach."""
FREE = 2
"""Hits that are no fault in any text, however short."""

FRAGMENT = re.compile(r"(?:of|as|those|it|whether|to)\b", re.IGNORECASE)
EMPTY_NAMES = {
    *("one", "ones", "found", "said", "known", "kept", "given", "shown", "told", "asked", "left"),
    *("taken", "named", "rest", "others", "place", "what", "thing", "things", "res", "obj"),
    "wanted",
}
_CODE = re.compile(r"`+[^`]*`+|\bhttps?://\S+")
_WORD = re.compile(r"[A-Za-z']+")
_FENCE = re.compile(r" *(`{3,}|~{3,})")
_PRAGMA = re.compile(r"noqa|(?:type|pyright): *ignore|^#!")
_SCRIPT_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/|(?<![:\w\"])//.*")
_SCRIPT_NAME = re.compile(
    r"\b(?:const|let) ([\w\[\]{}, ]+?) ?(?:=|of\b)|\(([\w, ]*)\) ?(?:=>|\{)|\b(\w+) =>"
)
_NAME = re.compile(r"\w+")
_TEST_NAME = re.compile(r"(?m)^(?:async )?def test_(\w+)")
SCRIPT_NAMES = {"one", "found", "said", "place", "told", "what", "thing"}
"""Empty names of scripts: the words of scripts are fewer, and some of Python's are right there."""
_PRINTERS = frozenset({"say", "echo", "print"})


class Prose(NamedTuple):
    """The counts of one or several files."""

    hits: Counter[str]
    """How often each habit occurs."""
    units: Counter[str]
    """Words, docstrings and functions, by the habit that is measured on them."""


def count_page_prose(text: str) -> Prose:
    """Count a Markdown page, without its code and its headings that ask a question."""
    hits, units = Counter[str](), Counter[str]()
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and not (line.startswith("#") and line.rstrip().endswith("?")):
            _count_words(line, hits, units)
    return Prose(hits, units)


def count_module_prose(texts: Sequence[str]) -> Prose:
    """Count the docstrings, comments, messages and local names of Python modules."""
    hits, units = Counter[str](), Counter[str]()
    for text in texts:
        tree = ast.parse(text)
        nodes = list(ast.walk(tree))
        docstrings = list(_find_docstrings(nodes))
        units["fragments"] += len(docstrings)
        hits["fragments"] += sum(FRAGMENT.match(words.strip()) is not None for words in docstrings)
        for words in (*docstrings, *_find_messages(nodes), *_find_comments(text)):
            _count_words(words, hits, units)
        for function in _find_outer_functions(tree):
            units["empty names"] += 1
            hits["empty names"] += _has_empty_name(function)
    return Prose(hits, units)


def count_script_prose(text: str) -> Prose:
    """Count the comments and local names of a script or a style sheet of pages."""
    hits, units = Counter[str](), Counter[str]()
    for comment in _SCRIPT_COMMENT.findall(text):
        _count_words(comment, hits, units)
    names = [name for match in _SCRIPT_NAME.findall(text) for name in _NAME.findall("".join(match))]
    units["empty names"] += len(names)
    hits["empty names"] += sum(name in SCRIPT_NAMES for name in names)
    return Prose(hits, units)


def count_test_names(texts: Sequence[str]) -> Prose:
    """Count the names of tests of Python modules."""
    hits, units = Counter[str](), Counter[str]()
    for text in texts:
        for name in _TEST_NAME.findall(text):
            _count_words(name.replace("_", " "), hits, units)
    return Prose(hits, units)


def sum_prose(parts: Sequence[Prose]) -> Prose:
    """Return the counts of all ``parts`` together."""
    return Prose(
        sum((part.hits for part in parts), Counter[str]()),
        sum((part.units for part in parts), Counter[str]()),
    )


def find_prose_faults(file: Path, prose: Prose, times: float = MOST) -> Iterator[Fault]:
    """Yield each habit of ``file`` that is above its limit as many ``times``."""
    for habit, limit in LIMITS.items():
        unit, size = UNITS.get(habit, "thousand words"), prose.units[habit]
        scale = 100 if habit in UNITS else 1000
        if prose.hits[habit] > max(FREE, times * limit * size / scale):
            rate = scale * prose.hits[habit] / size
            words = f"prose: {habit!r} {rate:.1f} per {unit}; {times * limit:g} are the most"
            yield Fault(file, 1, f"{words} (habits: tests/documents/prose.py)")


def _count_words(text: str, hits: Counter[str], units: Counter[str]) -> None:
    plain = _CODE.sub(" ", text)
    words = len(_WORD.findall(plain))
    for habit, pattern in HABITS.items():
        hits[habit] += len(pattern.findall(plain))
        units[habit] += words


def _find_docstrings(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the docstrings, also of constants."""
    for node in nodes:
        if isinstance(node, ast.Expr):
            match node.value:
                case ast.Constant(value=str(text)):
                    yield text
                case _:
                    pass


def _find_messages(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the texts of errors, of helps of options, and of printed lines."""
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from _find_texts(node.exc)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            helps = [keyword.value for keyword in node.keywords if keyword.arg == "help"]
            for argument in node.args if name in _PRINTERS else helps:
                yield from _find_texts(argument)


def _find_texts(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str) and " " in child.value:
            yield child.value


def _find_comments(text: str) -> Iterator[str]:
    if "# " not in text:
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not _PRAGMA.search(token.string):
            yield token.string.lstrip("# ")


def _find_outer_functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods that stand in no other function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _find_outer_functions(child)


def _has_empty_name(function: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY_NAMES
        for node in ast.walk(function)
    )
