"""The sentences on an ablation: what was left out of the text, and what was not tried."""

from datetime import date

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.render.templates import Row
from tests.generator.contexts import render_block

pytestmark = pytest.mark.unit


def render_answer(sections: int, in_text: int | None, tried_tokens: int) -> str:
    """Return the first sentence on an ablation of a text of 1,000 tokens."""
    finding = Row(
        href="",
        model="A",
        day=date(2026, 11, 1),
        sections=sections,
        in_text=in_text,
        tried_tokens=tried_tokens,
        tokens=1000,
        missed=[],
        better_without=[],
        unclear=0,
        unjudged=0,
    )
    html = render_block("ablation_answer", finding, macro="tried")
    return " ".join(LexborHTMLParser(html).text().split())


@pytest.mark.parametrize(
    ("sections", "in_text", "tokens", "expected"),
    [
        (2, None, 1000, "2 sections, one at a time (1,000 of the text's 1,000 tokens)."),
        (
            2,
            None,
            900,
            (
                "2 sections, one at a time (900 of the text's 1,000 tokens); the rest of the text"
                " was not tried."
            ),
        ),
        (1, None, 1000, "1 section (1,000 of the text's 1,000 tokens)."),
        (1, 1, 990, "the text's only section (990 of the text's 1,000 tokens)."),
        (2, 2, 990, "2 of 2 sections, one at a time (990 of the text's 1,000 tokens)."),
        (
            1,
            2,
            500,
            "1 of 2 sections (500 of the text's 1,000 tokens); the other was not tried.",
        ),
    ],
)
def test_only_the_rest_of_the_text_was_not_tried(
    sections: int, in_text: int | None, tokens: int, expected: str
) -> None:
    """No rest is named where every section or token was tried; a single section is no "1 of 1"."""
    assert render_answer(sections, in_text, tokens) == f"A was asked without {expected}"
