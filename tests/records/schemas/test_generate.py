import json
from pathlib import Path

import pytest

from records.schemas.generate import find_outdated, generate_files, main, write_docs

pytestmark = pytest.mark.unit

DOCS = Path(__file__).parents[3] / "docs"


def test_the_documents_are_current() -> None:
    """After a change of a record, `python -m records.schemas.generate` writes them anew."""
    assert find_outdated(DOCS) == []


def test_every_field_has_a_line_of_help() -> None:
    """The page and the schemas have the meaning of each field."""
    schemas = [json.loads(text) for name, text in generate_files().items() if "schemas/" in name]
    nodes = [node for schema in schemas for node in (schema, *schema.get("$defs", {}).values())]
    fields = [
        (f"{node['title']}.{name}", field.get("description"))
        for node in nodes
        for name, field in node.get("properties", {}).items()
    ]
    assert len(fields) > 100
    assert [name for name, help_line in fields if not help_line] == []


def test_outdated_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed, a missing and a left-over file are each found by --check."""
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    write_docs(docs)
    assert main(["--check"]) == 0

    (docs / "data-format.md").write_text("old")
    (docs / "schemas" / "run.json").unlink()
    (docs / "schemas" / "gone.json").write_text("{}")

    assert main(["--check"]) == 1
    stderr = capsys.readouterr().err
    for name in ("data-format.md", "schemas/run.json", "schemas/gone.json"):
        assert f"{name} is not current" in stderr
    assert main([]) == 0
    assert main(["--chekc"]) == 2


def test_values_of_enumerations_are_explained() -> None:
    """The schema of a run has each value with its help, and the page leads to the schema."""
    files = generate_files()
    assert (
        "`infrastructure`: A failure of this program or of the provider; never scored."
        in (json.loads(files["schemas/run.json"])["$defs"]["Outcome"]["description"])
    )
    assert "[Fields](schemas/run.json)" in files["data-format.md"]
