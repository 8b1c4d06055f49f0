"""Prints the faults of all tracked documents, templates and prose; ends with 1 after any fault."""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.documents import prose
from tests.documents.blocks import find_block_faults
from tests.documents.fault import Fault
from tests.documents.markdown import Document, parse_document

GLOSSARY = Path("docs/glossary.md")


def find_glossary_faults(file: Path, text: str) -> Iterator[Fault]:
    """Yield the second definition of each word of a glossary: two texts would differ in time."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split("|")
        if len(cells) < len(("", "word", "means", "")) or set(cells[1]) <= set("- "):
            continue
        for word in (part.strip() for part in cells[1].split(",")):
            if word == "word":
                continue
            first = lines.setdefault(word.lower(), number)
            if first != number:
                yield Fault(file, number, f"{word} is defined in line {first}, too: leave one out")


LONGEST = 160
"""Characters of a line."""


def find_template_faults(file: Path, text: str) -> Iterator[Fault]:
    """Yield the lines of the template ``file`` that are too long."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST:
            yield Fault(file, number, f"{len(line)} characters in a line; {LONGEST} are the most")


_PATH = re.compile(
    r"(?:docs|evals|generator|leaderboard|records|requirements|review|runner|scripts"
    r"|site_templates|tests)/[\w./-]*[\w/]"
)


def find_link_faults(root: Path, file: Path, document: Document) -> Iterator[Fault]:
    """Yield the faults of the links and paths of ``file``, which is relative to ``root``."""
    for line, link in document.links:
        if words := _find_fault(root, file, document, link):
            yield Fault(file, line, words)
    for line, code in document.codes:
        if _PATH.fullmatch(code) and not (root / code).exists():
            yield Fault(file, line, f"there is no {code}")


def _find_fault(root: Path, file: Path, document: Document, link: str) -> str | None:
    """Return the fault of a link; None where it leads somewhere or out of the repository."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path)
    target = root / path.lstrip("/") if path.startswith("/") else root / file.parent / path
    if path and not target.exists():
        return f"the link to {link} leads nowhere"
    if not parts.fragment or (path and target.suffix != ".md"):
        return None
    anchors = _read_anchors(target) if path else document.anchors
    return None if unquote(parts.fragment) in anchors else f"{link}: there is no such heading"


@cache
def _read_anchors(file: Path) -> frozenset[str]:
    return parse_document(file.read_text("utf-8")).anchors


_ROOT = Path(__file__).parents[2]
_DOCUMENTS = ("*.md", ":!evals", ":!data")
"""Tasks and reports are data: texts of others stay unchanged."""
_PROSE = (*_DOCUMENTS, ":!docs/demo", ":!tests/review/session_imports/formats")
"""Pages that are written here; the other two folders have recorded conversations."""
_PACKAGES = (
    *("generator", "leaderboard", "records", "review", "runner"),
    *("scripts", "tests"),
)
_SCRIPTS = tuple(
    f"{folder}/*.{ending}"
    for folder in ("site_templates", "review/desk", "leaderboard")
    for ending in ("js", "css")
)
_FOREIGN = ":!site_templates/assets/prism.js"
_TEMPLATES = ("site_templates/*.html", "review/*.html", "leaderboard/*.html")


def find_repository_faults(root: Path) -> Iterator[Fault]:
    """Yield the faults of the documents and templates that git tracks below ``root``."""
    for file in _list_tracked(root, _DOCUMENTS):
        document = parse_document((root / file).read_text("utf-8"))
        yield from find_link_faults(root, file, document)
        yield from find_block_faults(file, document)
    if (root / GLOSSARY).exists():
        yield from find_glossary_faults(GLOSSARY, (root / GLOSSARY).read_text("utf-8"))
    for file in _list_tracked(root, _TEMPLATES):
        yield from find_template_faults(file, (root / file).read_text("utf-8"))
    for file in _list_tracked(root, _PROSE):
        yield from prose.find_prose_faults(
            file, prose.count_page_prose((root / file).read_text("utf-8"))
        )
    for file in _list_tracked(root, (*_SCRIPTS, _FOREIGN)):
        yield from prose.find_prose_faults(
            file, prose.count_script_prose((root / file).read_text("utf-8"))
        )
    yield from _find_package_faults(root)


def _find_package_faults(root: Path) -> Iterator[Fault]:
    """Yield the packages above twice a limit, and the limits that all together exceed."""
    parts: list[prose.Prose] = []
    for package in _PACKAGES:
        modules = _list_tracked(root, (f"{package}/*.py",))
        parts.append(
            prose.count_module_prose([(root / module).read_text("utf-8") for module in modules])
        )
        yield from prose.find_prose_faults(Path(package), parts[-1])
    yield from prose.find_prose_faults(Path(), prose.sum_prose(parts), times=1)
    tests = _list_tracked(root, ("tests/*.py",))
    names = prose.count_test_names([(root / test).read_text("utf-8") for test in tests])
    yield from prose.find_prose_faults(Path("tests"), names, times=1)


def _list_tracked(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """Return the tracked files of some patterns, without those that were just deleted."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--", *patterns],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [Path(name) for name in listed.split("\0") if name and (root / name).exists()]


def main() -> int:
    """Print every fault and return the code to exit with."""
    faults = sorted(find_repository_faults(_ROOT))
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
