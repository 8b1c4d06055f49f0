"""Markdown and code as safe HTML for pages: rendered, highlighted, then sanitised."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from markupsafe import escape

from records.text.escaping import escape_html, mark_safe
from records.text.visible import make_visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from pygments.lexer import Lexer
    from pygments.token import _TokenType  # pyright: ignore[reportPrivateUsage] - its only name

_TAGS = {
    *("p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em"),
    *("strong", "s", "a", "hr", "br", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_ATTRIBUTES = {"a": {"href", "title"}} | {f"h{level}": {"id"} for level in range(2, 7)}
_SCHEMES = {"http", "https", "mailto"}
_REL = "nofollow noopener noreferrer"
_DEEPEST = 6
_NESTED = 100
"""Levels of nested tokens; a list has two levels, a quote one. Deeper tokens are replaced by one
sentence. The parser calls itself for each level, and Python limits recursion."""
_BRACKETS = 20
"""Levels of nested brackets in which the parser looks for links."""
_CUT = "<p><em>Lists and quotes are nested too deeply; the rest is not shown.</em></p>\n"
_LONGEST_LINE = 2_000
_LEXERS = {
    **dict.fromkeys(("ts", "typescript", "mts", "cts"), "typescript"),
    **dict.fromkeys(("js", "javascript", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("sh", "bash", "shell"), "bash"),
    **dict.fromkeys(("py", "python"), "python"),
    **dict.fromkeys(("yml", "yaml"), "yaml"),
    **{name: name for name in ("tsx", "jsx", "json", "css", "html", "diff")},
}
"""Names of lexers by the languages of code blocks in markdown."""
_LONGEST_BLOCK = 60_000
"""Characters of a block; a longer block is not coloured."""
CODE_CLASSES = {"k-c", "k-k", "k-s", "k-n", "k-f"}
"""Classes of coloured code in the style sheet."""


def highlight_block(code: str, language: str, _attributes: str = "") -> str:
    """Return a block of code as HTML, coloured if its language is known and it is not too long."""
    name = _LEXERS.get(language.lower())
    longest_line = max(map(len, code.split("\n")))
    if name is None or len(code) > _LONGEST_BLOCK or longest_line > _LONGEST_LINE:
        return str(escape(code))
    lines: list[list[str]] = [[]]
    for token, value in _get_lexer(name).get_tokens(code):
        kind = _find_class(token)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                plain = escape_html(piece)
                lines[-1].append(f'<span class="{kind}">{plain}</span>' if kind else plain)
    return "\n".join("".join(line) for line in lines)


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


class Heading(NamedTuple):
    """A heading of the second level."""

    anchor: str
    words: str


class Prose(NamedTuple):
    """Rendered markdown."""

    html: str
    sections: Sequence[Heading]
    title: str | None
    """The text of a first-level heading at the beginning, which is not in ``html``; else None."""


def render_markdown(text: str) -> str:
    """Return markdown as HTML, as a filter of templates."""
    return render_prose(text).html


def render_prose(text: str, *, base: str | None = None) -> Prose:
    """Return markdown rendered for a page that has a first-level heading of its own.

    HTML in ``text`` is shown as text. Relative links are resolved against ``base``; if that is
    None, they lose their address.
    """
    title, tokens, sections = _read(text)
    return Prose(_render(_make_parser(), tokens, base), sections, title)


def list_anchors(text: str) -> frozenset[str]:
    """Return the anchors of all headings, of every level, that `render_prose` gives a text."""
    _, tokens, _ = _read(text)
    return frozenset(str(token.attrGet("id")) for token in tokens if token.type == "heading_open")


def render_passage(text: str) -> str:
    """Return markdown as HTML for a passage of a page, with coloured code.

    HTML in ``text`` is shown as text. All headings get the fourth level, below those of the page.
    Relative links lose their address.
    """
    parser = _make_parser(is_code_coloured=True)
    tokens = parser.parse(make_visible(text))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h4"
    return _render(parser, tokens, None)


def _render(parser: "MarkdownIt", tokens: "list[Token]", base: str | None) -> str:
    """Return sanitised HTML of parsed markdown; a sentence replaces too deeply nested text."""
    import nh3  # noqa: PLC0415 - only pages with markdown pay for it

    for token in tokens:
        if token.children is not None:
            token.children = [part for child in token.children for part in _link_picture(child)]
        for child in token.children or ():
            href = child.attrGet("href") if child.type == "link_open" else None
            if isinstance(href, str) and not re.match(r"[a-z][a-z0-9+.-]*:", href, re.IGNORECASE):
                child.attrs.pop("href")
                if base is not None:
                    child.attrSet("href", urljoin(base, href))
    rendered = parser.renderer.render(tokens, parser.options, {})
    if any(token.level >= _NESTED - 1 for token in tokens):
        rendered += _CUT
    clean = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes={"span": CODE_CLASSES},
        url_schemes=_SCHEMES,
        link_rel=_REL,
    )
    # nh3 removes refused addresses of links, and HTML allows no rel without an address.
    return mark_safe(clean.replace(f'<a rel="{_REL}">', "<a>"))


@cache
def _make_parser(*, is_code_coloured: bool = False) -> "MarkdownIt":
    """Return a parser of CommonMark with tables and strikethrough, which shows HTML as text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only pages with markdown pay for it

    options: dict[str, object] = {"html": False, "maxNesting": _NESTED}
    if is_code_coloured:
        options["highlight"] = highlight_block
    made = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    made.inline.ruler.before("link", "brackets", _pass_over_bracket)
    return made


def _pass_over_bracket(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    """Take a bracket as text if no link can begin there; return whether it was taken.

    This rule comes before the parser's rule for links. For each bracket, that rule goes through all
    brackets after it, which takes too long for many nested brackets.
    """
    size = 2 if state.src.startswith("![", state.pos) else 1
    if size == 1 and state.src[state.pos] != "[":
        return False
    if state.level > _BRACKETS:
        state.pos = state.posMax  # as the parser itself does at its own limit
        return True
    if "last bracket" not in state.env or state.env["last bracket"][0] is not state.src:
        state.env["last bracket"] = state.src, state.src.rfind("]")
    if state.env["last bracket"][1] > state.pos:
        return False
    if not silent:
        state.pending += state.src[state.pos : state.pos + size]
    state.pos += size
    return True


def _read(text: str) -> "tuple[str | None, list[Token], list[Heading]]":
    """Return the title of a text, its other tokens, and its headings of the second level.

    Headings get ids. If the text has no title, but headings of the first level, all go one down.
    """
    title, tokens = None, _make_parser().parse(make_visible(text))
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        _, heading, _, *tokens = tokens
        title = heading.content
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    lower = 1 if title is None and 1 in levels else 0
    used: dict[str, int] = {}
    sections: list[Heading] = []
    for number, token in enumerate(tokens):
        if token.type not in {"heading_open", "heading_close"}:
            continue
        token.tag = f"h{min(_DEEPEST, max(2, int(token.tag[1]) + lower))}"
        if token.type == "heading_open":
            words = tokens[number + 1].content
            plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:60] or "section"
            used[plain] = used.get(plain, 0) + 1
            # With the prefix, no anchor of a text is equal to an anchor of the page.
            anchor = f"text-{plain}" + (f"-{used[plain]}" if used[plain] > 1 else "")
            token.attrSet("id", anchor)
            if token.tag == "h2":
                sections.append(Heading(anchor, re.sub(r"[`*_]", "", words)))
    return title, tokens, sections


def _link_picture(child: "Token") -> "list[Token]":
    """Return a link with its alternative text for a picture, because pages load no pictures."""
    from markdown_it.token import Token  # noqa: PLC0415 - see above

    if child.type != "image":
        return [child]
    source = str(child.attrGet("src") or "")
    words = Token("text", "", 0, content=f"picture: {child.content or source}")
    return [Token("link_open", "a", 1, {"href": source}), words, Token("link_close", "a", -1)]
