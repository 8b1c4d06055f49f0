"""Pages are valid HTML, by a validator that knows the elements' content models."""

import json
import subprocess
from pathlib import Path

import pytest

from runner.toolchain import find_node
from tests.site.example_site import ROOT, BuiltSite, list_page_kinds

pytestmark = pytest.mark.integration

_CHECKERS = ROOT / "tests" / "checkers"
_PROGRAM = _CHECKERS / "node_modules" / ".bin" / "html-validate"


def test_a_page_of_every_kind_is_valid_html(site: BuiltSite) -> None:
    """The validator finds no fault on any page kind, including those with hostile content."""
    files = sorted({_find_file(site.folder, path) for path in list_page_kinds(site).values()})
    assert list_complaints(files) == []


def _find_file(folder: Path, path: str) -> Path:
    page = folder / path.partition("?")[0]
    return page if page.suffix == ".html" else page / "index.html"


def list_complaints(files: list[Path]) -> list[str]:
    """Return the validator's complaints about pages."""
    if not _PROGRAM.exists():
        pytest.skip("needs the validator: make tests/checkers/node_modules/.ready")
    config = str(_CHECKERS / ".htmlvalidate.json")
    result = subprocess.run(
        [find_node(), _PROGRAM, "--config", config, "--formatter=json", *map(str, files)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.stderr == ""
    return [
        f"{page['filePath']}:{message['line']}: {message['ruleId']}: {message['message']}"
        for page in json.loads(result.stdout)
        for message in page["messages"]
    ]
