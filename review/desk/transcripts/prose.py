"""Texts of a transcript as HTML: markdown with highlighted code, sanitised, for it is hostile."""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from records.text.visible import visible

if TYPE_CHECKING:
    from pygments.token import _TokenType  # pyright: ignore[reportPrivateUsage] - its only name

_TAGS: Final = {
    *("p", "h4", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "a"),
    *("hr", "br", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_KINDS: Final = {"k-c", "k-k", "k-s", "k-n", "k-f"}
"""Classes of highlighted code, as the style sheet colours them."""
_REL: Final = "nofollow noopener noreferrer"
_LEXERS: Final = {
    **dict.fromkeys(("ts", "typescript", "mts", "cts"), "typescript"),
    **dict.fromkeys(("js", "javascript", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("sh", "bash", "shell"), "bash"),
    **dict.fromkeys(("py", "python"), "python"),
    **dict.fromkeys(("yml", "yaml"), "yaml"),
    **{name: name for name in ("tsx", "jsx", "json", "css", "html", "diff")},
}
"""Lexers by the languages that blocks of code name."""
_LONGEST_CODE: Final = 60_000
"""Characters of a block that is highlighted; a longer block is shown plain."""
_LONGEST_LINE: Final = 2_000


def prose(text: str) -> Markup:
    """Return markdown as HTML that may stand on a page; HTML in it is shown as text.

    All its headings are of the fourth level, below those of the page.
    """
    parser = _parser()
    tokens = parser.parse(visible(text))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h4"
    clean = nh3.clean(
        parser.renderer.render(tokens, parser.options, {}),
        tags=_TAGS,
        attributes={"a": {"href", "title"}},
        allowed_classes={"span": _KINDS},
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel=_REL,
    )
    # A link whose address was refused has none, and then HTML allows no rel.
    clean = clean.replace(f'<a rel="{_REL}">', "<a>")
    return Markup(clean)  # noqa: S704 - sanitised just now


@cache
def _parser() -> MarkdownIt:
    """Return the parser: pictures stay addresses, for nothing is loaded from another site."""
    options = {"html": False, "highlight": _highlighted}
    parser = MarkdownIt("commonmark", options)
    return parser.enable(["table", "strikethrough"]).disable(["image"])


def _highlighted(code: str, language: str, _attributes: str) -> str:
    name = _LEXERS.get(language.lower())
    long = len(code) > _LONGEST_CODE or any(len(line) > _LONGEST_LINE for line in code.split("\n"))
    if name is None or long:
        return str(escape(code))
    from pygments.lexers import (  # noqa: PLC0415 - only for sessions with code
        get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType] - untyped options
    )

    lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    pieces: list[str] = []
    for token, value in lexer.get_tokens(code):
        kind = _class_of(token)
        plain = str(escape(value))
        pieces.append(f'<span class="{kind}">{plain}</span>' if kind else plain)
    return "".join(pieces)


def _class_of(token: "_TokenType") -> str:
    """Name the few kinds of tokens that the style sheet colours."""
    from pygments.token import Comment, Keyword, Name, Number, String  # noqa: PLC0415

    kinds = {
        Comment: "k-c",
        Keyword: "k-k",
        String: "k-s",
        Number: "k-n",
        Name.Function: "k-f",
        Name.Class: "k-f",
        Name.Tag: "k-f",
    }
    return next((name for kind, name in kinds.items() if token in kind), "")


def first_line(text: str, longest: int = 90) -> str:
    """Return the beginning of a text on one line, for a summary."""
    line = visible(re.sub(r"\s+", " ", text[: 4 * longest])).strip()
    return line if len(line) <= longest and len(text) <= 4 * longest else line[:longest] + "…"
