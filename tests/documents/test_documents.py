"""Each check of documents, templates and prose finds its fault, and passes what is right."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.documents.blocks import find_block_faults
from tests.documents.commands import find_command_faults
from tests.documents.fault import Fault
from tests.documents.glossary import find_glossary_faults
from tests.documents.links import find_link_faults
from tests.documents.markdown import parse_document
from tests.documents.prose import count_module_prose, count_page_prose, find_prose_faults
from tests.documents.template_lines import LONGEST, find_template_faults

pytestmark = pytest.mark.integration

FILE = Path("docs/page.md")
PAGE = """# What is it?

[right](other.md#twice-1) [a](none.md) [b](#none) `scripts/none`

```sh
leaderboard check && echo a
leaderboard walk
echo )
```

```json
{"a": }
```
"""


def list_lines(faults: Iterable[Fault]) -> list[tuple[int, str]]:
    """Return the lines of some faults, and their first words."""
    return [(fault.line, fault.words.partition(":")[0]) for fault in faults]


def test_a_page_with_faults_of_all_kinds(tmp_path: Path) -> None:
    """Links, paths, blocks and commands that lead nowhere or do not parse are found."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.md").write_text("## Twice\n\n## Twice\n", "utf-8")
    page = parse_document(PAGE)
    assert list_lines(find_link_faults(tmp_path, FILE, page)) == [
        (3, "the link to none.md leads nowhere"),
        (3, "#none"),
        (3, "there is no scripts/none"),
    ]
    blocks = list_lines(find_block_faults(FILE, page))
    assert (8, "bash") in blocks
    assert (12, "JSON") in blocks
    ((line, words),) = find_command_faults("leaderboard check\nleaderboard run -m a --bugdet 5")
    assert (line, "No such option '--bugdet'" in words) == (2, True)


def test_faults_of_templates_prose_and_the_glossary() -> None:
    """A long line, a habit above twice its limit, and a word that is defined twice are found."""
    assert list_lines(find_template_faults(FILE, f"{'a' * LONGEST}\n{'b' * (LONGEST + 1)}\n")) == [
        (2, "161 characters in a line; 160 are the most")
    ]
    page = count_page_prose("what it is, and what it does, or what\n\n`what` it is\n")
    assert [fault.words[:15] for fault in find_prose_faults(FILE, page)] == ["prose: 'clause'"]
    module = count_module_prose(
        ['def f():\n    """Say it."""\n    found = 1  # noqa: A001 - says\n']
    )
    assert {*+module.hits} == {"say", "empty names"}
    table = "| word | means |\n|---|---|\n| run | a |\n| step, Run | b |\n"
    (fault,) = find_glossary_faults(FILE, table)
    assert fault.line == 4
