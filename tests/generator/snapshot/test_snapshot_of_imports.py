"""The snapshot of results of other tools: it states no fact that is not in their files."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from generator.snapshot.snapshot import Snapshot, take_snapshot
from generator.sources import Sources
from records.files.data_folder import DataFolder
from records.shapes.run import Imported
from tests.generator.contexts import TEMPLATES
from tests.generator.snapshot.contents import read_document, read_parquet_rows
from tests.runner.published_results.results import FILES, import_files, read_runs

pytestmark = pytest.mark.unit

TABLE = "model,task,sample,outcome\nlab/a,reading,q1,1\nlab/a,reading,q2,0\n"
"""A file of results without any day."""


def take_import_snapshot(folder: Path, *paths: Path) -> Snapshot:
    """Take a snapshot of imported files, in a folder without a suite."""
    data = DataFolder(folder / "data")
    data.root.mkdir()
    for path in paths:
        import_files(data, path)
    sources = Sources(data, TEMPLATES, folder / "evals", local=False)
    return take_snapshot(sources, folder / "snapshot")


def take_table_snapshot(folder: Path) -> Snapshot:
    """Take a snapshot of the file without days."""
    (folder / "table.csv").write_text(TABLE)
    return take_import_snapshot(folder, folder / "table.csv")


def read_documents(snapshot: Snapshot, ending: str) -> list[dict[str, Any]]:
    """Return the lines of the files for Every Eval Ever that have this ending."""
    documents: list[dict[str, Any]] = []
    for path in (snapshot.folder / "every-eval-ever").iterdir():
        with tarfile.open(path) as archive:
            for entry in archive:
                file = archive.extractfile(entry)
                assert file is not None
                if entry.name.endswith(ending):
                    documents += [json.loads(line) for line in file.read().splitlines()]
    return documents


def test_the_name_of_a_tool_is_no_address_and_no_organization(tmp_path: Path) -> None:
    """Where the source is a tool's name, the addresses and the publisher are those of the site."""
    snapshot = take_import_snapshot(tmp_path, FILES / "promptfoo-sums.json")
    aggregates = read_documents(snapshot, ".json")
    assert aggregates
    for aggregate in aggregates:
        source = aggregate["source_metadata"]
        assert source["source_organization_url"] == "https://leaderboard.example/"
        assert source["source_organization_name"] == "Leaderboard"
        assert source["evaluator_relationship"] == "other"
        for result in aggregate["evaluation_results"]:
            (address,) = result["source_data"]["url"]
            assert address.startswith("https://leaderboard.example/")
    creators = read_document(snapshot, "croissant.json")["creator"]
    assert [creator["name"] for creator in creators] == ["Leaderboard"]


def test_the_readme_promises_no_code(tmp_path: Path) -> None:
    """Imports have verdicts only, so the pages show no answers."""
    text = (take_table_snapshot(tmp_path).folder / "README.md").read_text("utf-8")
    assert "The pages: <https://leaderboard.example/>." in text
    assert "code" not in text


def test_the_interaction_in_lines_of_other_tools_is_assumed(tmp_path: Path) -> None:
    """The schema demands one of three kinds; the metadata marks it as assumed."""
    rows = read_documents(take_table_snapshot(tmp_path), "_samples.jsonl")
    assert len(rows) == 2
    assert all("assumed" in row["metadata"]["interaction_type_is"] for row in rows)


def test_the_day_of_an_import_is_not_the_day_of_a_run(tmp_path: Path) -> None:
    """Runs without a day are marked in each format, and the snapshot as a whole has no day."""
    snapshot = take_table_snapshot(tmp_path)
    (aggregate,) = read_documents(snapshot, ".json")
    details = aggregate["source_metadata"]["additional_details"]
    assert "day of the import" in details["timestamp_is"]
    assert details["day_of_import"] == "true"
    assert "date" not in details
    assert "evaluation_timestamp" not in aggregate
    assert all("evaluation_timestamp" not in each for each in aggregate["evaluation_results"])
    (row,) = read_parquet_rows(snapshot, "runs")
    assert row["day_of_import"] is True
    (listed,) = read_document(snapshot, "tables/runs.json")["rows"]
    assert listed["day_of_import"] is True
    _assert_no_day(snapshot)


def test_a_day_of_import_is_known_as_such_by_the_next_importer(tmp_path: Path) -> None:
    """Files for Every Eval Ever that another board imports give it no day of a run, either."""
    snapshot = take_table_snapshot(tmp_path)
    (archive,) = (snapshot.folder / "every-eval-ever").iterdir()
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "files", filter="data")
    paths = [path for path in (tmp_path / "files").rglob("*") if path.is_file()]
    board = DataFolder(tmp_path / "board")
    import_files(board, *paths)
    (run,) = read_runs(board)
    assert isinstance(run.provenance, Imported)
    assert run.provenance.day_of_import


def test_a_snapshot_without_runs_has_no_day(tmp_path: Path) -> None:
    """A project before its first run does not date its results to 1970."""
    _assert_no_day(take_import_snapshot(tmp_path))


def _assert_no_day(snapshot: Snapshot) -> None:
    """Check that neither the lists nor the archive's folder name a day."""
    description = read_document(snapshot, "croissant.json")
    assert not {"datePublished", "version"} & description.keys()
    assert read_document(snapshot, "manifest.json")["newest_run"] is None
    text = (snapshot.folder / "README.md").read_text("utf-8") + description["citeAs"]
    assert "results up to" not in text
    with tarfile.open(snapshot.folder / "snapshot.tar.gz") as archive:
        roots = {entry.name.partition("/")[0] for entry in archive}
    assert roots == {description["name"]}
