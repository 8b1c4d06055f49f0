"""Lengths of the guidelines by section, and placebos of the same length without their content."""

import re
from pathlib import Path

import pytest

from records.guidelines.sections import parse_sections, remove_sections, replace_section
from runner.errors import BadSelectionError
from runner.evals.discovery import discover
from runner.models import tokens
from runner.suite.guidelines_texts import HEADING, measure_guidelines, with_placebo

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
GUIDELINES = discover(ROOT / "evals").guidelines
SLUG = HEADING.removeprefix("## ")
ORDINARY = frozenset(
    {"a", "after", "all", "and", "at", "by", "first", "for", "from", "in", "is", "of", "or"}
    | {"as", "before", "on", "one", "to", "with"}
)
"""Words that occur in code, and in any other English text as well."""


SLUGS = list(parse_sections(GUIDELINES))


@pytest.mark.parametrize(
    "slug", [*SLUGS[:3], *(pytest.param(slug, marks=pytest.mark.night) for slug in SLUGS[3:])]
)
def test_a_placebo_keeps_the_length_of_the_prompt_to_the_token(slug: str) -> None:
    """The whole text has the same number of tokens, and every other section is unchanged."""
    text = with_placebo(GUIDELINES, slug)
    assert tokens.count_tokens(text.strip()) == tokens.count_tokens(GUIDELINES.strip())
    before, after = parse_sections(GUIDELINES), parse_sections(text)
    assert list(after) == [SLUG if name == slug else name for name in before]
    for name in before.keys() - {slug}:
        assert after[name] == before[name]
    assert remove_sections(text) == remove_sections(GUIDELINES)
    characters = len(after[SLUG]) / len(before[slug])
    assert 0.6 < characters < 2


def test_a_placebo_has_none_of_the_words_of_convex() -> None:
    """A placebo has no word of the guidelines' code, no section name and no term of the product."""
    longest = max(
        parse_sections(GUIDELINES), key=lambda name: len(parse_sections(GUIDELINES)[name])
    )
    placebo_words = split_words(parse_sections(with_placebo(GUIDELINES, longest))[SLUG])
    code = [
        *re.findall(r"`([^`\n]+)`", GUIDELINES),
        *re.findall(r"```.*?```", GUIDELINES, re.DOTALL),
    ]
    forbidden = split_words(" ".join([*code, *parse_sections(GUIDELINES), *TERMS])) - ORDINARY
    assert len(forbidden) > 250
    assert placebo_words & forbidden == set()


TERMS = (
    "convex database backend document documents table tables field fields index indexes schema",
    "function functions module code program query queries mutation mutations action actions",
    "validator argument type types typescript javascript react hook client server storage search",
    "transaction cursor page pagination cron schedule scheduler http api key token user component",
)


def split_words(text: str) -> set[str]:
    """Return the words of a text in small letters, names in camel case taken apart."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return set(re.findall(r"[a-z]{2,}|[a-z]", apart.lower()))


def test_the_sentences_begin_again_where_a_section_is_longer_than_all_of_them() -> None:
    """A section of 3,000 tokens is replaced to the token, too."""
    long = "# G\n\n## long\n\n" + "- Read documents by an index.\n" * 500
    text = with_placebo(long, "long")
    assert tokens.count_tokens(text.strip()) == tokens.count_tokens(long.strip())
    assert text.count("Apple trees rest in winter") > 1


def test_a_section_that_is_shorter_than_a_heading_has_no_placebo() -> None:
    """The section is refused by name, and no longer text replaces it."""
    with pytest.raises(BadSelectionError, match="section a is too short"):
        with_placebo("# G\n\n## a\n\n## b\n\nText of some length stands here.\n", "a")


def test_a_section_left_out_leaves_the_others_as_they_were() -> None:
    """The last section and a section with a heading in its code can also be left out."""
    for slug in parse_sections(GUIDELINES):
        shortened = replace_section(GUIDELINES, slug, None)
        assert [name for name in parse_sections(GUIDELINES) if name != slug] == list(
            parse_sections(shortened)
        )
        assert remove_sections(shortened) == remove_sections(GUIDELINES)
    coded = "# G\n\n## a\n\n```md\n## b\n```\n\n## c\n\nC.\n"
    assert replace_section(coded, "a", None) == "# G\n\n## c\n\nC.\n"
    with pytest.raises(KeyError):
        replace_section(coded, "b", None)


def test_sections_are_measured(root: Path) -> None:
    """Each section has its tokens, and the whole text has more than all sections."""
    size = measure_guidelines(discover(root))
    assert list(size.sections) == ["function-kinds", "validators-and-types"]
    assert all(size.sections.values())
    assert size.tokens > sum(size.sections.values())


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("read", 1), ("ctx.db.query", 3), ("<|endoftext|>", 7)]
)
def test_tokens_are_counted_without_the_network(text: str, expected: int) -> None:
    """Counts are those of the vocabulary cl100k_base; its special words count as normal text."""
    assert tokens.count_tokens(text) == expected
