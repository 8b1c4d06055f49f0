"""Markdown to HTML that may stand on a page: rendered, then sanitised."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urljoin

from records.text.escaping import trusted
from records.text.highlight import CODE_CLASSES, highlight_block
from records.text.visible import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_TAGS: Final = {
    *("p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em"),
    *("strong", "s", "a", "hr", "br", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_ATTRIBUTES: Final = {"a": {"href", "title"}} | {f"h{level}": {"id"} for level in range(2, 7)}
_SCHEMES: Final = {"http", "https", "mailto"}
_REL: Final = "nofollow noopener noreferrer"
_DEEPEST: Final = 6
_NESTED: Final = 100
"""Levels of nested tokens (a list is two, a quote one): deeper tokens are left out, and a sentence
stands in their place. The parser calls itself for each level; far more would pass Python's limit on
recursion."""
_BRACKETS: Final = 20
"""Brackets within one another in which links are looked for."""
_CUT: Final = "<p><em>Lists and quotes are nested too deeply; the rest is not shown.</em></p>\n"


class Heading(NamedTuple):
    """A heading of the second level."""

    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Rendered markdown."""

    html: str
    sections: Sequence[Heading]
    title: str | None
    """Its first heading of the first level, which is left out of ``html``."""


def markdown(text: str) -> str:
    """Return markdown as HTML: a filter of templates."""
    return prose(text).html


def prose(text: str, *, base: str | None = None) -> Prose:
    """Render markdown below a page's own first-level heading; HTML in it is shown as text.

    Relative links are taken from ``base``, and lose their address where that is None.
    """
    title, tokens = _without_title(_parser().parse(visible(text)))
    sections = _named(tokens, demote=title is None)
    return Prose(_render(_parser(), tokens, base), sections, title)


def render_passage(text: str) -> str:
    """Render markdown that stands within a page, with coloured code; HTML in it is shown as text.

    All its headings are of the fourth level, below those of the page. Relative links lose their
    address.
    """
    parser = _parser(is_code_coloured=True)
    tokens = parser.parse(visible(text))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h4"
    return _render(parser, tokens, None)


def _render(parser: "MarkdownIt", tokens: "list[Token]", base: str | None) -> str:
    """Return sanitised HTML of parsed markdown; a sentence stands for text nested too deeply."""
    import nh3  # noqa: PLC0415 - only pages with markdown pay for it

    _link_pictures(tokens)
    _resolve(tokens, base)
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
    # A link whose address was refused has none, and then HTML allows no rel.
    return trusted(clean.replace(f'<a rel="{_REL}">', "<a>"))


@cache
def _parser(*, is_code_coloured: bool = False) -> "MarkdownIt":
    """Return the parser: CommonMark with tables and strikethrough, HTML in it shown as text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only pages with markdown pay for it

    options: dict[str, object] = {"html": False, "maxNesting": _NESTED}
    if is_code_coloured:
        options["highlight"] = highlight_block
    made = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    made.inline.ruler.before("link", "brackets", _pass_over_bracket)
    return made


def _pass_over_bracket(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    """Take a bracket for text where no link can begin, before the parser looks for the link's end.

    It looks through all brackets after the first, and for each of these again.
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


def _without_title(tokens: "list[Token]") -> "tuple[str | None, list[Token]]":
    """Take a first-level heading off the front."""
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":  # noqa: PLR2004 - open, text, close
        return tokens[1].content, tokens[3:]
    return None, tokens


def _named(tokens: "list[Token]", *, demote: bool) -> list[Heading]:
    """Give headings ids, and lower them below the page's own where the text has a first level."""
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    lower = 1 if demote and 1 in levels else 0
    used: dict[str, int] = {}
    sections: list[Heading] = []
    for number, token in enumerate(tokens):
        if token.type not in {"heading_open", "heading_close"}:
            continue
        token.tag = f"h{min(_DEEPEST, max(2, int(token.tag[1]) + lower))}"
        if token.type == "heading_open":
            words = tokens[number + 1].content
            anchor = _anchor(words, used)
            token.attrSet("id", anchor)
            if token.tag == "h2":
                sections.append(Heading(anchor, re.sub(r"[`*_]", "", words)))
    return sections


def _anchor(words: str, used: dict[str, int]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:60] or "section"
    used[plain] = used.get(plain, 0) + 1
    number = f"-{used[plain]}" if used[plain] > 1 else ""
    # The prefix keeps a text's anchors apart from the page's own.
    return f"text-{plain}{number}"


def _link_pictures(tokens: "list[Token]") -> None:
    """Put a link with its alternative text in place of each picture, which no page loads."""
    for token in tokens:
        if token.children is not None:
            token.children = [part for child in token.children for part in _without_picture(child)]


def _without_picture(child: "Token") -> "list[Token]":
    from markdown_it.token import Token  # noqa: PLC0415 - see above

    if child.type != "image":
        return [child]
    source = str(child.attrGet("src") or "")
    words = Token("text", "", 0, content=f"picture: {child.content or source}")
    return [Token("link_open", "a", 1, {"href": source}), words, Token("link_close", "a", -1)]


def _resolve(tokens: "list[Token]", base: str | None) -> None:
    for token in tokens:
        for child in token.children or ():
            href = child.attrGet("href") if child.type == "link_open" else None
            if isinstance(href, str) and not re.match(r"[a-z][a-z0-9+.-]*:", href, re.IGNORECASE):
                child.attrs.pop("href")
                if base is not None:
                    child.attrSet("href", urljoin(base, href))
