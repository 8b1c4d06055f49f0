"""Colouring of code by its syntax, as HTML."""

from functools import cache
from typing import TYPE_CHECKING, Final

from markupsafe import escape

from records.text.escaping import escape_html, mark_safe

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType  # pyright: ignore[reportPrivateUsage] - its only name

_LONGEST_LINE: Final = 2_000
_LEXERS: Final = {
    **dict.fromkeys(("ts", "typescript", "mts", "cts"), "typescript"),
    **dict.fromkeys(("js", "javascript", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("sh", "bash", "shell"), "bash"),
    **dict.fromkeys(("py", "python"), "python"),
    **dict.fromkeys(("yml", "yaml"), "yaml"),
    **{name: name for name in ("tsx", "jsx", "json", "css", "html", "diff")},
}
"""Names of lexers by the languages of code blocks in markdown."""
_LONGEST_BLOCK: Final = 60_000
"""Characters of a block; a longer block is not coloured."""
CODE_CLASSES: Final = {"k-c", "k-k", "k-s", "k-n", "k-f"}
"""Classes of coloured code in the style sheet."""


def highlight_block(code: str, language: str, _attributes: str = "") -> str:
    """Return a block of code as HTML, coloured if its language is known and it is not too long."""
    name = _LEXERS.get(language.lower())
    longest_line = max(map(len, code.split("\n")))
    if name is None or len(code) > _LONGEST_BLOCK or longest_line > _LONGEST_LINE:
        return str(escape(code))
    return "\n".join(_highlight_with_pygments(name, code))


def _highlight_with_pygments(name: str, text: str) -> list[str]:
    lines: list[list[str]] = [[]]
    for token, value in _get_lexer(name).get_tokens(text):
        kind = _find_class(token)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                plain = escape_html(piece)
                lines[-1].append(f'<span class="{kind}">{plain}</span>' if kind else plain)
    return [mark_safe("".join(line)) for line in lines]


@cache
def _get_lexer(name: str) -> "Lexer":
    from pygments.lexers import (  # noqa: PLC0415 - only for blocks with a language
        get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType] - untyped options
    )

    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


@cache
def _find_class(token: "_TokenType") -> str:
    """Return the class in `CODE_CLASSES` of a token; empty if the token has no colour."""
    from pygments.token import Comment, Keyword, Literal, Name, Number, String  # noqa: PLC0415

    kinds = {
        Comment: "k-c",
        Keyword: "k-k",
        String: "k-s",
        Number: "k-n",
        Literal: "k-s",
        Name.Function: "k-f",
        Name.Class: "k-f",
        Name.Tag: "k-f",
    }
    return next((name for kind, name in kinds.items() if token in kind), "")
