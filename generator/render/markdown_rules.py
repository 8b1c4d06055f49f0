"""The parser of markdown, which asks at each letter only those rules that can begin with it.

markdown-it-py asks every rule at every line and at every letter that may mean something; nearly all
answer no at the first look. The rules and their order are its own: what comes out is the same, in
two thirds of the time.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, TypeVar

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.parser_inline import RuleFuncInlineType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_BLOCKS: Final = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*-+0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""Letters that a line begins with for a rule to match; a rule that is not named may match any."""

_INLINES: Final = {
    "newline": "\n",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "image": "!",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
}

_PLAIN: Final = re.compile(rf"[^{re.escape(''.join(_INLINES.values()))}]+")

Rule = TypeVar("Rule")


@cache
def parser() -> MarkdownIt:
    """Return the parser: CommonMark with tables and strikethrough, HTML in it shown as text."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.block.ruler = _Chosen(made.block.ruler, _BLOCKS, _at_line)
    made.inline.ruler = _Chosen(made.inline.ruler, _INLINES, _at_letter)
    made.core.ruler.at("inline", _inlines)
    # Reports link to the same few pages again and again.
    made.normalizeLink = lru_cache(maxsize=1 << 10)(made.normalizeLink)
    return made


class _Chosen(Ruler[Rule]):
    """The rules of another ruler, each chain of them as one rule."""

    def __init__(
        self,
        rules: Ruler[Rule],
        letters: Mapping[str, str],
        chosen: Callable[[Mapping[str, Sequence[Rule]], Sequence[Rule]], Rule],
    ) -> None:
        super().__init__()
        self._names = rules.get_active_rules()
        asked = dict(zip(rules.getRules(), map(letters.get, self._names), strict=True))
        self._chains: dict[str, list[Rule]] = {}
        for chain in ("", "paragraph", "reference", "blockquote", "list"):
            of_chain = rules.getRules(chain)
            anywhere = [rule for rule in of_chain if asked[rule] is None]
            begun = {
                letter: [rule for rule in of_chain if letter in (asked[rule] or letter)]
                for letter in "".join(letters.values())
            }
            self._chains[chain] = [chosen(begun, anywhere)]

    def getRules(self, chainName: str = "") -> list[Rule]:  # noqa: N802, N803 - markdown-it-py's names
        """Return the one rule that stands for all of a chain."""
        return self._chains[chainName]

    def get_active_rules(self) -> list[str]:
        """Return the names of the rules that it stands for: some ask whether others are there."""
        return self._names


def _inlines(state: StateCore) -> None:
    """Parse the text of each block; one in which no rule begins is a text as it stands."""
    for token in state.tokens:
        if token.type == "inline":
            if _PLAIN.fullmatch(token.content):
                token.children = [Token("text", "", 0, content=token.content)]
            else:
                token.children = []
                state.md.inline.parse(token.content, state.md, state.env, token.children)


def _at_line(
    begun: Mapping[str, Sequence[RuleFuncBlockType]], anywhere: Sequence[RuleFuncBlockType]
) -> RuleFuncBlockType:
    def rule(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as rules are called
        start = state.bMarks[line] + state.tShift[line]
        for one in begun.get(state.src[start : start + 1], anywhere):
            if one(state, line, end, silent):
                return True
        return False

    return rule


def _at_letter(
    begun: Mapping[str, Sequence[RuleFuncInlineType]], anywhere: Sequence[RuleFuncInlineType]
) -> RuleFuncInlineType:
    def rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as rules are called
        for one in begun.get(state.src[state.pos], anywhere):  # noqa: SIM110 - a generator costs more
            if one(state, silent):
                return True
        return False

    return rule
