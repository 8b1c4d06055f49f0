"""A snapshot: complete, described, the same bytes each time, and never over somebody's files."""

import csv
import gzip
import io
import json
import shutil
import sys
import tarfile
import tomllib
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import create_model
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from generator.errors import GeneratorError
from generator.output_folder import SNAPSHOT_MARK
from generator.snapshot.snapshot import Snapshot, take_snapshot
from generator.sources import Sources
from generator.tables.columns import Columns, ResultTable
from generator.tables.published_tables import TABLES
from generator.tables.run_columns import PARQUET_TABLES
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.suites.canary import GUID
from tests.generator.conftest import MakeProject
from tests.generator.contexts import TEMPLATES
from tests.generator.editable_project import EditableProject, read_site_files
from tests.generator.snapshot.contents import read_document, read_parquet_rows

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot of the published records."""
    sources = Sources(DataFolder(ROOT / "data"), TEMPLATES, ROOT / "evals", local=False)
    return take_snapshot(sources, tmp_path_factory.mktemp("published") / "snapshot")


def test_every_file_is_listed_with_its_checksum(snapshot: Snapshot) -> None:
    """The manifest, the list of checksums and the archive have all files, and agree with them."""
    written = read_site_files(snapshot.folder)
    mark = written.pop(SNAPSHOT_MARK).decode().split()
    assert {file.path for file in snapshot.files} == written.keys() == {*mark}
    lists = {"manifest.json", "SHA256SUMS", "snapshot.tar.gz", "snapshot.tar.gz.sha256"}
    listed = {file["path"]: file for file in read_document(snapshot, "manifest.json")["files"]}
    assert listed.keys() == written.keys() - lists
    for path, file in listed.items():
        assert (file["bytes"], file["sha256"]) == (
            len(written[path]),
            sha256(written[path]).hexdigest(),
        )
    lines = [line.split("  ") for line in written["SHA256SUMS"].decode().splitlines()]
    sums = {path: digest for digest, path in lines}
    assert sums == {path: sha256(written[path]).hexdigest() for path in [*listed, "manifest.json"]}
    with tarfile.open(snapshot.folder / "snapshot.tar.gz") as archive:
        packed = {entry.name.partition("/")[2]: archive.extractfile(entry) for entry in archive}
        contents = {path: file.read() for path, file in packed.items() if file}
    boards = {path for path in listed if path.startswith("boards/")}
    without = [*(listed.keys() - boards), "manifest.json", "SHA256SUMS"]
    assert contents == {path: written[path] for path in without}
    digest = sha256(written["snapshot.tar.gz"]).hexdigest()
    assert written["snapshot.tar.gz.sha256"].decode() == f"{digest}  snapshot.tar.gz\n"


def test_each_board_is_one_archive(snapshot: Snapshot) -> None:
    """The archives of boards have the record of each published run, and the archives of answers."""
    packed: dict[str, bytes] = {}
    for board in (snapshot.folder / "boards").iterdir():
        with tarfile.open(board) as archive:
            for entry in archive:
                file = archive.extractfile(entry)
                version, _, path = entry.name.partition("/")
                assert board.name == f"{version}.tar.gz"
                packed[path] = file.read() if file else b""
    data = DataFolder(ROOT / "data")
    paths = [*data.list_run_files(), *data.list_artifact_files()]
    assert packed == {path.relative_to(data.root).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("table", PARQUET_TABLES)
def test_parquet_has_the_declared_types(snapshot: Snapshot, table: ResultTable) -> None:
    """Each row is valid by its columns: every column has its type, and unknown is null."""
    rows = read_parquet_rows(snapshot, table.name)
    assert rows
    assert list(rows[0]) == list(table.names)
    fields = {name: (table.columns.model_fields[name].annotation, ...) for name in table.names}
    row_model = create_model("Row", __base__=Columns, **cast("Any", fields))
    for row in rows[:: max(1, len(rows) // 3000)]:
        row_model.model_validate(row, strict=True)


def test_parquet_has_every_attempt_and_test_of_the_records(snapshot: Snapshot) -> None:
    """Ends, tests, tokens and costs are those of the records; nothing unknown became a number."""
    attempts = {
        (row["run_id"], row["eval"], row["sample"]): row
        for row in read_parquet_rows(snapshot, "attempts")
    }
    runs = {row["run_id"]: row for row in read_parquet_rows(snapshot, "runs")}
    tests = Counter(
        (row["run_id"], row["eval"], row["sample"]) for row in read_parquet_rows(snapshot, "tests")
    )
    records = [read_run(path) for path in DataFolder(ROOT / "data").list_run_files()]
    assert runs.keys() == {record.run_id for record in records}
    assert len(attempts) == sum(len(record.attempts) for record in records)
    for record in records:
        ends = Counter(attempt.outcome.value for attempt in record.attempts)
        row = runs[record.run_id]
        assert {name: row[name] for name in ends} == ends
        assert row["cost_usd"] == record.totals.cost_usd
        for attempt in record.attempts:
            key = record.run_id, attempt.eval, attempt.sample
            reply = attempt.generation
            assert attempts[key]["outcome"] == attempt.outcome
            assert attempts[key]["generation_s"] == (reply and reply.duration_s)
            assert attempts[key]["input_tokens"] == (reply and reply.tokens.input)
            assert attempts[key]["tests"] == (None if attempt.tests is None else len(attempt.tests))
            assert tests[key] == len(attempt.tests or ())


def test_archives_for_every_eval_ever_have_the_runs_that_count(snapshot: Snapshot) -> None:
    """Each has two files for a run at its path in their store; a withdrawn run has none."""
    count = 0
    listed = {file.path: file for file in snapshot.files}
    for path in sorted((snapshot.folder / "every-eval-ever").iterdir()):
        with tarfile.open(path) as archive:
            names = [entry.name for entry in archive]
            assert all(name.startswith("data/") and ".." not in name for name in names)
            aggregates = [name for name in names if name.endswith(".json")]
            assert sorted(names) == sorted(
                [*aggregates, *(f"{name[:-5]}_samples.jsonl" for name in aggregates)]
            )
        assert listed[f"every-eval-ever/{path.name}"].rows == len(aggregates)
        gzip.decompress(path.read_bytes())  # whole, though of several packed parts
        count += len(aggregates)
    runs = read_parquet_rows(snapshot, "runs")
    judged = [row for row in runs if row["passed"] + row["failed"] and row["withdrawn"] is None]
    assert count == len(judged)


def test_each_column_is_described(snapshot: Snapshot) -> None:
    """The dictionary and croissant.json have every column of every table, with its meaning."""
    dictionary = read_document(snapshot, "data-dictionary.json")
    by_file = {table["file"]: table["columns"] for table in dictionary["tables"]}
    described = read_document(snapshot, "croissant.json")
    objects = {each["@id"]: each for each in described["distribution"]}
    assert len(by_file) == len(TABLES) + len(PARQUET_TABLES) == len(described["recordSet"])
    for record_set in described["recordSet"]:
        columns: dict[str, list[str]] = {}
        for field in record_set["field"]:
            source = field["source"]
            columns.setdefault(source["fileObject"]["@id"], []).append(source["extract"]["column"])
            assert field["description"]
            assert field["@id"].startswith(f"{record_set['@id']}/")
        ((file, names),) = columns.items()
        assert names == [column["name"] for column in by_file[file]] == _read_head(snapshot, file)
        data = (snapshot.folder / file).read_bytes()
        assert objects[file]["sha256"] == sha256(data).hexdigest()
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    required = {"name", "description", "license", "url", "creator", "datePublished", "version"}
    assert required <= described.keys()
    assert all(column["about"] for columns in by_file.values() for column in columns)


def _read_head(snapshot: Snapshot, file: str) -> list[str]:
    """The names of the columns in a file itself."""
    data = (snapshot.folder / file).read_bytes()
    if file.endswith(".csv"):
        return next(csv.reader(io.StringIO(data.decode())))
    parquet: Any = import_module("pyarrow.parquet")
    return parquet.read_schema(io.BytesIO(data)).names


def test_licence_and_canary_are_in_every_description(snapshot: Snapshot) -> None:
    """Each file alone has the terms of use; Parquet files have them in their schema."""
    for name in ("manifest.json", "data-dictionary.json", "croissant.json", "README.md"):
        text = (snapshot.folder / name).read_text("utf-8")
        assert GUID in text
        assert "LICENSE-2.0" in text
    parquet: Any = import_module("pyarrow.parquet")
    for table in PARQUET_TABLES:
        path = snapshot.folder / f"parquet/{table.name}.parquet"
        assert GUID.encode() in parquet.read_schema(path).metadata[b"canary"]


def test_the_canary_is_that_of_the_suite(place: EditableProject) -> None:
    """Results of another team's suite have that suite's canary everywhere, and never ours."""
    text = (ROOT / "examples/plain-python/evals/suite.toml").read_text("utf-8")
    (place.evals / "suite.toml").write_text(text)
    suite = tomllib.loads(text)
    guid: str = suite["canary"]
    snapshot = take_snapshot(place.sources, place.root / "theirs")
    for path in ("manifest.json", "data-dictionary.json", "croissant.json", "README.md"):
        assert f"canary: {suite['name']} {guid}" in (snapshot.folder / path).read_text("utf-8")
    packed = [*(snapshot.folder / "every-eval-ever").iterdir()]
    unpacked = b"".join(gzip.decompress(path.read_bytes()) for path in packed)
    parquet = b"".join(path.read_bytes() for path in (snapshot.folder / "parquet").iterdir())
    assert guid.encode() in unpacked
    assert guid.encode() in parquet
    assert GUID.encode() not in unpacked + parquet


@pytest.mark.more
def test_equal_records_give_equal_bytes(place: EditableProject) -> None:
    """A second snapshot into the same folder replaces the first, and is the same.

    Local runs are not in it, even if the sources have them.
    """
    out = place.root / "results"
    first = take_snapshot(place.sources, out)
    before = read_site_files(out)
    assert take_snapshot(place.sources, out).files == first.files
    assert read_site_files(out) == before
    published = {read_run(path).run_id for path in place.data.list_run_files()}
    assert {row["run_id"] for row in read_parquet_rows(first, "runs")} == published
    assert read_site_files(place.root / ".results.build").keys() == {"lock"}


def test_an_invalid_record_leaves_the_earlier_snapshot(place: EditableProject) -> None:
    """The error names the record; the snapshot of before stays whole."""
    out = place.root / "kept"
    take_snapshot(place.sources, out)
    before = read_site_files(out)
    path = next(place.data.list_run_files())
    path.write_text("{")
    with pytest.raises(RecordsError, match=path.name):
        take_snapshot(place.sources, out)
    assert read_site_files(out) == before


def test_without_its_package_the_extra_is_named(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parquet is not left out in silence."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(GeneratorError, match="extra datasets"):
        take_snapshot(place.sources, place.root / "none")


@pytest.mark.more
def test_unchanged_downloads_of_a_site_stay_as_they_are(make_project: MakeProject) -> None:
    """A build after a change of the style sheet writes none of them, without a run some."""
    project = make_project(7)
    out = project.root / "site"
    sources = replace(project.sources, local=False, for_programs=True)
    build(sources, out)
    before = read_site_files(out / "downloads")
    project.change_asset()
    changed = build(sources, out).changed
    assert changed
    assert not [path for path in changed if path.startswith("downloads/")]
    assert read_site_files(out / "downloads") == before
    next(project.data.list_run_files()).unlink()
    assert "downloads/manifest.json" in build(sources, out).changed
    alone = take_snapshot(sources, project.root / "alone")
    (alone.folder / SNAPSHOT_MARK).unlink()
    assert read_site_files(alone.folder) == read_site_files(out / "downloads")


def test_a_snapshot_leaves_no_compiled_templates(place: EditableProject) -> None:
    """A snapshot renders no page, so there is no folder of compiled templates afterwards."""
    compiled = place.templates / "__pycache__"
    shutil.rmtree(compiled, ignore_errors=True)
    take_snapshot(place.sources, place.root / "results")
    assert not compiled.exists()


def test_the_site_has_downloads_where_they_are_asked_for(make_project: MakeProject) -> None:
    """With them, all links of the page of the data lead to files; a build without removes them."""
    project = make_project(7)
    out = project.root / "site"
    sources = replace(project.sources, local=False)
    build(replace(sources, for_programs=True), out)
    page = LexborHTMLParser((out / "data" / "index.html").read_text("utf-8"))
    links = [link.attributes["href"] or "" for link in page.css("main a")]
    below = [link for link in links if link.startswith("../downloads/")]
    assert len(below) > 7
    assert all((out / "data" / link).is_file() for link in below)
    manifest = json.loads((out / "downloads" / "manifest.json").read_text("utf-8"))
    assert manifest["runs"] == len([*project.data.list_run_files()])
    build(sources, out)
    assert not (out / "downloads").exists()
    page = LexborHTMLParser((out / "data" / "index.html").read_text("utf-8"))
    assert "leaderboard snapshot" in page.text()
