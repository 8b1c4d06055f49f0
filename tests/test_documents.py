"""Documents name files that are there, and lead to places that are there."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
DOCUMENTS: Final = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")],
)
_FENCED: Final = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_PATH: Final = re.compile(
    r"`((?:docs|evals|generator|leaderboard|records|requirements|review|runner|scripts"
    r"|site_templates|tests)/[\w./-]*[\w/])`"
)
_LINK: Final = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def ids(path: Path) -> str:
    """Name a document in the tests' list."""
    return path.relative_to(ROOT).as_posix()


def test_documents_name_paths_and_link() -> None:
    """What the two tests below look for is there to be found."""
    texts = [_FENCED.sub("", document.read_text("utf-8")) for document in DOCUMENTS]
    assert sum(len(_PATH.findall(text)) for text in texts) > len(DOCUMENTS)
    assert sum(len(_LINK.findall(text)) for text in texts) > len(DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_paths_that_a_document_names_are_there(document: Path) -> None:
    """A path in backquotes that begins with a folder of ours leads to a file or a folder."""
    text = _FENCED.sub("", document.read_text("utf-8"))
    missing = [path for path in _PATH.findall(text) if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    """A link without a scheme leads to a file or a folder beside the document."""
    text = _FENCED.sub("", document.read_text("utf-8"))
    links = [link for link in _LINK.findall(text) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []
