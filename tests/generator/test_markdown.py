"""Markdown is parsed as markdown-it-py parses it, only sooner."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from generator.render.markdown_rules import parser

_PIECES = (
    *"\n\t #=-*+_>|`~\\[]()!<&1$:é\u00a0\u2028",
    *("word", "    ", "\n\n", "  \n", "12. ", "***", "```", "~~", "| a | b |", "|---|---|", ":-"),
    *("[a]: /b 'c'", "[a](b)", "![a](b 'c')", "<b>", "<http://a.b>", "</div>", "&amp;", "&#35;"),
)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
@example("a\n:-\n\n| x |\n|---|\n| `|` |")
@example("- a\n\n  b\n1) c\n> - d\n> ***\ne\n===")
@example("[a]: <b>\n[a] ![x][a] \\[a] ~~*b*~~ <c@d.e> &lt;")
def test_tokens_are_those_of_the_plain_parser(text: str) -> None:
    """Leaving out rules that cannot begin with a letter changes nothing of what comes out."""
    plain = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    expected = [token.as_dict() for token in plain.parse(text)]
    assert expected == [token.as_dict() for token in parser().parse(text)]


@given(st.text(max_size=60))
def test_any_text_is_parsed_as_by_the_plain_parser(text: str) -> None:
    """So it is for text of any letters."""
    plain = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    assert plain.render(text) == parser().render(text)
