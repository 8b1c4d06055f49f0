"""The documents on uses of datasets: their commands run as they stand, with the same output.

Commands that need the consumer of a file (DeepEval, Inspect) are run by
`tests/programs/consumers.py`.
"""

from pathlib import Path

import pytest

from tests.support.shell_blocks import parse_files, parse_shell_blocks, run
from tests.support.warm_command import BIN, make_warm_program, start_server

pytestmark = pytest.mark.integration

DOCUMENTS = sorted((Path(__file__).parents[2] / "docs").glob("use-*.md"))


@pytest.mark.more
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_commands_of_a_document_work_as_described(document: Path, tmp_path: Path) -> None:
    """Commands run in a folder with the document's files; each prints the text below it."""
    text = document.read_text("utf-8")
    for name, content in parse_files(text).items():
        (tmp_path / name).write_text(content)
    programs = (make_warm_program().parent, BIN)
    ran = compared = 0
    for block in parse_shell_blocks(text):
        if not block.is_ours:
            break  # later commands need this block, and tests/programs/consumers.py runs them all
        printed = run(block, tmp_path, *programs, pass_fds=[start_server().fileno()])
        ran += 1
        if block.printed is not None:
            assert printed == block.printed
            compared += 1
    assert ran
    assert compared
