"""Each kind of fault in a document or a template is found, at its line."""

from pathlib import Path

import pytest

from tests.documents.__main__ import find_repository_faults
from tests.documents.blocks import PARSERS, find_block_faults
from tests.documents.commands import find_command_faults
from tests.documents.fault import Fault
from tests.documents.glossary import find_glossary_faults
from tests.documents.links import find_link_faults
from tests.documents.markdown import parse_document
from tests.documents.prose import count_module_prose, count_page_prose, find_prose_faults, sum_prose
from tests.documents.template_lines import LONGEST, find_template_faults
from tests.support.git import run_git

pytestmark = pytest.mark.unit

FILE = Path("docs/page.md")
OTHER = """# Other page

## What `run` does, and why

## Twice

## Twice

<a id="own"></a>
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with two documents; the second is yet to be written."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.md").write_text(OTHER, "utf-8")
    (tmp_path / "scripts").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "link",
    [
        "other.md",
        "other.md#what-run-does-and-why",
        "other.md#twice-1",
        "other.md#own",
        "/docs/other.md",
        "../docs/",
        "#page",
        "https://example.org/nowhere",
        "mailto:somebody@example.org",
    ],
)
def test_links_that_lead_somewhere_are_no_faults(root: Path, link: str) -> None:
    """Links to files, folders, headings, own anchors and out of the repository pass."""
    document = parse_document(f"# Page\n\n[link]({link})\n")
    assert list(find_link_faults(root, FILE, document)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[a]\n(b)\n[link](none.md)", Fault(FILE, 5, "the link to none.md leads nowhere")),
        ("![picture](none.png)", Fault(FILE, 3, "the link to none.png leads nowhere")),
        ("[link][ref]\n\n[ref]: none.md", Fault(FILE, 3, "the link to none.md leads nowhere")),
        ("| a |\n|---|\n| [b](x.md) |", Fault(FILE, 5, "the link to x.md leads nowhere")),
        ("[link](#none)", Fault(FILE, 3, "#none: there is no such heading")),
        (
            "[link](other.md#twice-2)",
            Fault(FILE, 3, "other.md#twice-2: there is no such heading"),
        ),
        ("first\nthen `scripts/none`", Fault(FILE, 4, "there is no scripts/none")),
    ],
)
def test_links_and_paths_that_lead_nowhere(root: Path, text: str, fault: Fault) -> None:
    """A target, a heading or a path in backquotes that is missing is found at its line."""
    assert list(find_link_faults(root, FILE, parse_document(f"# Page\n\n{text}\n"))) == [fault]


def test_links_and_paths_inside_fenced_blocks_are_text(root: Path) -> None:
    """Text in a block is no link."""
    document = parse_document("```text\n[link](none.md) `scripts/none`\n```\n")
    assert list(find_link_faults(root, FILE, document)) == []


@pytest.mark.parametrize(
    ("block", "line", "words"),
    [
        ("\nwords\n", 1, "the block names no language"),
        ("pyhton\n1\n", 1, "there is no language pyhton"),
        ("python\na = 1\na +\n", 3, "Python: invalid syntax"),
        ("python check.py\n(\n", 2, "Python: '(' was never closed"),
        ('json\n{\n"a": }\n', 3, "JSON: Expecting value"),
        ("jsonl chats.jsonl\n{}\n{\n", 3, "JSON: Expecting property name"),
        ("toml\na = 1\na = 2\n", 3, "TOML: Cannot overwrite a value"),
        ("yaml\na: b\nc: : d\n", 3, "YAML: mapping values are not allowed here"),
        ("ts\nconst a = 1;\nconst = 2;\n", 3, "TypeScript: this is no syntax of its"),
        pytest.param(
            "sh\necho a\necho )\n", 3, "bash: syntax error", marks=pytest.mark.integration
        ),
        pytest.param(
            "sh\necho a\nleaderboard walk\n",
            3,
            "leaderboard walk: leaderboard has no command 'walk'",
            marks=pytest.mark.integration,
        ),
    ],
)
def test_blocks_that_do_not_parse(block: str, line: int, words: str) -> None:
    """A block without a language, with an unknown language, or of wrong syntax is found."""
    (fault,) = find_block_faults(FILE, parse_document(f"```{block}```\n"))
    assert fault.line == line
    assert fault.words.startswith(words)


@pytest.mark.parametrize(
    "block",
    [
        "text\nanything (\n",
        "nginx\nserver {\n",
        "python\nprint(1)\n",
        'json\n{"a": [1, null]}\n',
        "jsonl\n{}\n[]\n",
        'toml\n[a]\nb = "c"\n',
        "yaml\na: [b]\n---\nc: d\n",
        "ts\nexport const a = query({ handler: async (ctx) => null });\n",
        "tsx\nexport const A = () => <b>{1}</b>;\n",
        pytest.param("sh\nfor a in b; do echo; done\n", marks=pytest.mark.integration),
    ],
)
def test_blocks_that_parse(block: str) -> None:
    """Blocks of each language pass where they parse; those of other languages always."""
    assert list(find_block_faults(FILE, parse_document(f"```{block}```\n"))) == []


def test_every_language_that_is_parsed_is_tried() -> None:
    """The tests above have each language, `bash` being `sh` by another name."""
    assert {*PARSERS} == {"sh", "bash", "python", "json", "jsonl", "toml", "yaml", "ts", "tsx"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("echo\nleaderboard races -m a", 2, "leaderboard has no command 'races'"),
        ("leaderboard session lable 1", 1, "leaderboard session has no command 'lable'"),
        ("leaderboard run -m a --bugdet 5", 1, "No such option '--bugdet'"),
        ("leaderboard run -m", 1, "Option '-m' requires an argument."),
        ("leaderboard check\\\n  --nothing", 1, "No such option '--nothing'"),
        ("leaderboard export --format docx", 1, "'docx' is not one of"),
        ("leaderboard check && A=1 leaderboard walk", 1, "leaderboard has no command 'walk'"),
        ("docker run image leaderboard walk", 1, "leaderboard has no command 'walk'"),
        (".venv/bin/leaderboard walk", 1, "leaderboard has no command 'walk'"),
        ("leaderboard check data here", 1, "leaderboard check takes no argument"),
    ],
)
def test_commands_of_ours_that_do_not_exist(text: str, line: int, words: str) -> None:
    """An unknown command, option, choice or argument is found, wherever the call stands."""
    ((where, fault),) = find_command_faults(text)
    assert where == line
    assert words in fault


@pytest.mark.parametrize(
    "text",
    [
        "leaderboard",
        "leaderboard run -m anthropic/claude-opus-5.5 --budget 5   # words (of any kind",
        "leaderboard run -m MODEL --report-to https://scores.example.org",
        "leaderboard session label 9fdfa625ac2f-1/7 --status golden --notes 'as the task asks'",
        "leaderboard export --format FORMAT | grep a > b; other --nothing",
        "leaderboard --version",
    ],
)
def test_commands_of_ours_that_exist(text: str) -> None:
    """Comments, capitals that stand for a value, and other programs' options pass."""
    assert list(find_command_faults(text)) == []


def test_long_lines_of_templates() -> None:
    """A line is found where it has a character too many."""
    text = f"{'a' * LONGEST}\n{'b' * (LONGEST + 1)}\n"
    assert list(find_template_faults(FILE, text)) == [
        Fault(FILE, 2, "161 characters in a line; 160 are the most")
    ]


def test_a_page_above_twice_a_limit() -> None:
    """Code, a heading that asks, and two hits in a short page are no faults; a third hit is."""
    page = "# What is it?\n\n```text\nwhat what\n```\n\n`what` and what it does, and what it is\n"
    assert list(find_prose_faults(FILE, count_page_prose(page))) == []
    (fault,) = find_prose_faults(FILE, count_page_prose(f"{page}or what\n"))
    assert fault.words.startswith("prose: 'clause' 300.0 per thousand words; 6 are the most")


@pytest.mark.parametrize(
    ("module", "habit"),
    [
        ('def f():\n    """Say it."""\n', "say"),
        ("# Those that stay.\n", "vague"),
        ('raise ValueError("take another one")\n', "one"),
        ('option(help="what it is")\n', "clause"),
        ('print("what it is")\n', "clause"),
        ('"""Of a thing."""\n', "fragments"),
        ("class A:\n    def f():\n        found = 1\n", "empty names"),
    ],
)
def test_habits_of_modules(module: str, habit: str) -> None:
    """Docstrings, comments, messages and local names are counted, and add up over files."""
    prose = count_module_prose([module])
    assert prose.hits[habit] == 1
    (fault,) = find_prose_faults(FILE, sum_prose([prose] * 3))
    assert fault.words.startswith(f"prose: {habit!r}")


def test_other_texts_of_modules_are_not_counted() -> None:
    """Data, exceptions from the linter and names outside of functions are no prose."""
    prose = count_module_prose(['found = "what it says"\nwhat = 1  # noqa: A001 - says\n'])
    assert +prose.hits == {}


@pytest.mark.integration
def test_tracked_files_are_checked_where_they_are_ours(tmp_path: Path) -> None:
    """Documents anywhere but below evals/ and data/, and the templates of the three places."""
    faulty = ["a.md", "docs/a.md", ".github/A/a.md", "tests/b/a.md"]
    for name in (*faulty, "evals/a.md", "data/reports/a.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("[link](none)\n", "utf-8")
    templates = ["site_templates/a.html", "review/desk/templates/a.html", "leaderboard/api/a.html"]
    for name in (*templates, "evals/a.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a" * 161, "utf-8")
    run_git(tmp_path, "init", "--quiet")
    run_git(tmp_path, "add", "--all")
    (tmp_path / "untracked.md").write_text("[link](none)\n", "utf-8")
    (tmp_path / "a.md").unlink()
    faults = find_repository_faults(tmp_path)
    assert sorted(fault.file.as_posix() for fault in faults) == sorted([*faulty[1:], *templates])


def test_a_word_of_the_glossary_is_defined_once() -> None:
    """The second definition is a fault, whatever its table and its capitals; heads are no words."""
    table = "| word | means |\n|---|---|\n"
    text = f"{table}| run | a |\n| step, model | b |\n\n{table}| answer (on a page) | c |\n"
    assert not list(find_glossary_faults(FILE, text))
    (fault,) = find_glossary_faults(FILE, f"{text}| answer, Model | d |\n")
    assert fault == Fault(FILE, 9, "Model is defined in line 4, too: leave one out")
