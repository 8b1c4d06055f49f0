"""Lengths of the guidelines in tokens: by sections and their evals, and placebos of equal length.

A placebo is a text about neither Convex nor programs. It replaces a section of the guidelines and
has the same form, a heading of the second level and a list. So a prompt keeps its length, and loses
only the content of the section.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Final

from records.guidelines.sections import GuidelinesTokens, parse_sections, replace_section
from records.suites.benchmark import compute_texts_digest
from runner.errors import BadSelectionError
from runner.evals.discovery import Suite
from runner.models import tokens

LARGEST: Final = 8000
"""The most tokens that the whole text may have: every prompt contains it."""

HEADING: Final = "## apple-orchards"
_PADDING: Final = " fruit"
"""A word that is one token, also when repeated. It fills the last sentence up to the length."""
_LONGEST_PADDING: Final = 8

_SENTENCES: Final = (
    "Apple trees rest in winter, and most of them are pruned then, before the buds swell.",
    "Cut crossing branches first, so that light and wind reach the middle of the crown.",
    "A ladder stands safest on level grass, with both feet on a plank where the soil is soft.",
    "Old trunks grow moss on their northern side, which does them no harm.",
    "Blossom opens in late spring, pink at the rim and white inside.",
    "Bees fly from noon onward, when the grass has dried and the air is warm.",
    "One cold night in May may ruin half of a harvest; growers light small fires between the rows.",
    "Hens and geese keep the grass low, and eat the grubs that live in fallen fruit.",
    "Thin the fruit in early summer: two apples on a twig ripen better than five.",
    "Water young trees slowly and deeply in dry weeks, and leave the old ones to their roots.",
    "Mulch of straw or bark keeps the ground cool, as long as it stays away from the bark.",
    "Wasps come for the sweetest pears; hang bottles of cider far from the picnic bench.",
    "Lift an apple and turn it gently: a ripe one comes away in the palm with its stalk.",
    "Bruised fruit goes to the cider press on the same evening.",
    "Lay sound apples on wooden trays in a cool cellar, so that none touches its neighbour.",
    "Walk along the trays each week, and carry away whatever smells of wine.",
    "Russets keep until March, early red varieties hardly until October.",
    "Good cider needs sharp, sweet and bitter apples, pressed slowly through cloth.",
    "Scions are cut in January, wrapped in damp moss and grafted when the sap rises.",
    "A graft is tied with bast and sealed with wax; after one summer nobody sees the seam.",
    "Hedges of hazel and hawthorn around an orchard break the wind and shelter robins.",
    "Starlings steal cherries at dawn, blackbirds all day long.",
    "Plums crack after heavy rain, so gather them the day before if the sky darkens.",
    "Quinces look like pears, smell like roses, and are far too hard to eat raw.",
    "Grandmothers bake them with honey, cinnamon and a little lemon.",
    "Snow on the branches looks pretty and breaks weak forks: shake it off with a broom.",
    "Hares gnaw young bark in hard winters; a sleeve of wire around the trunk stops them.",
    "Whitewash on the trunk keeps the February sun from splitting it.",
    "Sheep graze beneath tall trees from April onward, and leave the grass short and even.",
    "Every village once had a variety of its own, named after a farmer, a saint or a hill.",
    "An orchard planted by one generation feeds the two that follow.",
)


@dataclass(frozen=True, slots=True)
class SectionSize:
    """A section of the guidelines with its tokens and evals."""

    slug: str
    tokens: int
    evals: Sequence[str]
    """The evals that exercise the section, sorted by name."""


@dataclass(frozen=True, slots=True)
class GuidelinesSize:
    """The sections and tokens of the guidelines."""

    sections: Sequence[SectionSize]
    tokens: int
    """The tokens of the whole text: of all sections and of the text before the first section."""

    @property
    def problems(self) -> list[str]:
        """A line for each fault: a section that no eval exercises, too many tokens."""
        faults = [
            f"no eval exercises the section {section.slug}: name it in an eval.toml, or delete it"
            for section in self.sections
            if not section.evals
        ]
        if self.tokens > LARGEST:
            faults.append(f"{self.tokens} tokens: at most {LARGEST} are allowed")
        return faults


def record_tokens(suite: Suite, size: GuidelinesSize) -> GuidelinesTokens:
    """Return ``size`` as the record that is stored beside the guidelines of ``suite``."""
    return GuidelinesTokens(
        digest=compute_texts_digest(suite.guidelines),
        encoding=tokens.ENCODING,
        tokens=size.tokens,
        sections={section.slug: section.tokens for section in size.sections},
    )


def measure_guidelines(suite: Suite) -> GuidelinesSize:
    """Return the sizes of the guidelines of ``suite``."""
    return GuidelinesSize(
        sections=[
            SectionSize(
                slug=slug,
                tokens=tokens.count_tokens(text),
                evals=[each.name for each in suite.evals if slug in each.config.guidelines],
            )
            for slug, text in parse_sections(suite.guidelines).items()
        ],
        tokens=tokens.count_tokens(suite.guidelines),
    )


def with_placebo(text: str, slug: str) -> str:
    """Return the guidelines ``text`` with a placebo instead of a section, and as many tokens.

    If the section is longer than all sentences of the placebo, they are repeated.

    Raises:
        KeyError: there is no such section.
        BadSelectionError: the section is shorter than the placebo's heading.
    """
    length = count_sent_tokens(text)

    def make_edition(words: int, padding: int) -> str:
        pieces = "".join(islice(_generate_pieces(), words))
        return replace_section(text, slug, f"{HEADING}\n\n{pieces}{_PADDING * padding}\n")

    def measure_length(words: int) -> int:
        return count_sent_tokens(make_edition(words, 0))

    most = (
        bisect_right(
            range(tokens.count_tokens(parse_sections(text)[slug])), length, key=measure_length
        )
        - 1
    )
    # A word may be several tokens, and a line end may share a token with the word before it. So
    # words are removed and words of one token added, until the sum is right.
    for words in range(most, -1, -1):
        for padding in range(_LONGEST_PADDING):
            candidate = make_edition(words, padding)
            if (counted := count_sent_tokens(candidate)) == length:
                return candidate
            if counted > length:
                break
    raise BadSelectionError(f"the section {slug} is too short for a placebo of its length")


def count_sent_tokens(text: str) -> int:
    """Return the number of tokens of guidelines in a prompt, without blanks at their ends."""
    return tokens.count_tokens(text.strip())


def _generate_pieces() -> Iterator[str]:
    """Yield the words of the list, without end; the first word of a line has the list's mark."""
    begins = "- "
    for sentence in cycle(_SENTENCES):
        head, *words = sentence.split()
        yield f"{begins}{head}"
        begins = "\n- "
        yield from (f" {word}" for word in words)
