"""Downloads for machines: every table is there in both forms, matches its schema, and agrees."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from PIL import Image

from generator.exports.cards import BOARD_CARDS, describe_comparison_card, make_board_card
from generator.exports.files import export_files, make_page_list
from generator.exports.formats import export_tables, make_table_files
from generator.tables import published_tables
from generator.tables.columns import ResultTable
from records.files.data_folder import DataFolder
from records.suites.canary import GUID
from tests.generator.contexts import gather_published_site, gather_site
from tests.generator.pages.small_boards import write_board

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


@cache
def make_downloads() -> dict[str, bytes]:
    """Return the downloads of the published data."""
    site = gather_published_site()
    made = [file for make in export_files(site) for file in make()]
    listed = make_page_list(site, ["index.html", "about/index.html", "404.html"])
    return dict([*made, *export_tables(site), *listed])


def parse_table(table: str) -> dict[str, Any]:
    """A table's JSON."""
    return json.loads(make_downloads()[f"api/v1/{table}.json"])


@pytest.mark.parametrize("table", published_tables.TABLES)
def test_json_and_csv_hold_the_same_rows(table: ResultTable) -> None:
    """Both forms have the declared fields, and the number of rows in the list of tables."""
    rows = parse_table(table.name)["rows"]
    reader = csv.DictReader(io.StringIO(make_downloads()[f"api/v1/{table.name}.csv"].decode()))
    lines = list(reader)
    # The published data has no audit and no ablation.
    assert rows or table.columns in {
        published_tables.AblationRow,
        published_tables.AuditRow,
        published_tables.AuditedAttemptRow,
    }
    assert len(lines) == len(rows)
    assert list(reader.fieldnames or ()) == list(table.names)
    assert [set(row) for row in rows] == [set(table.names)] * len(rows)
    [listed] = [
        entry
        for entry in json.loads(make_downloads()["api/v1/index.json"])["tables"]
        if entry["table"] == table.name
    ]
    assert listed["rows"] == len(rows)


def test_the_list_of_tables_names_the_terms() -> None:
    """Whoever takes tables by the list learns the licence, and the canary of the suite."""
    listed = json.loads(make_downloads()["api/v1/index.json"])
    assert listed["licence"] == "Apache-2.0"
    assert GUID in listed["canary"]


@pytest.mark.parametrize("table", published_tables.TABLES)
def test_a_table_is_valid_by_its_schema(table: ResultTable) -> None:
    """Each value has the declared type, and the schema describes each column."""
    schema = json.loads(make_downloads()[f"api/v1/schemas/{table.name}.json"])
    validator: Any = Draft202012Validator(schema, format_checker=FormatChecker())
    validator.validate(parse_table(table.name))
    fields = schema["properties"]["rows"]["items"]["properties"]
    assert set(fields) == set(table.names)
    assert all("description" in field for field in fields.values())


def test_the_published_pair_shows_the_effect_of_the_guidelines() -> None:
    """55 of 66 with and 47 of 66 without guidelines is a difference of 8 evals."""
    rows = parse_table("guidelines")["rows"]
    (effect,) = [row for row in rows if row["model"] == "openai/gpt-5.2-codex"]
    assert round(effect["difference"] * effect["evals"]) == 8
    assert effect["fixed"] - effect["broken"] == 8
    assert effect["conclusion"] == "noise"
    assert round(100 * effect["attributed_difference"], 1) == 9.5


def test_one_archive_has_every_csv_file() -> None:
    """Its files are those of the tables, byte for byte."""
    downloads = make_downloads()
    with ZipFile(io.BytesIO(downloads["api/v1/tables.zip"])) as archive:
        packed = {f"api/v1/{name}": archive.read(name) for name in archive.namelist()}
    assert packed == {path: data for path, data in downloads.items() if path.endswith(".csv")}


def test_unknown_values_are_null_and_never_zero() -> None:
    """Costs of imported runs were not published."""
    assert {row["cost_usd_per_attempt"] for row in parse_table("leaderboard")["rows"]} == {None}
    assert {row["cost_usd"] for row in parse_table("runs")["rows"]} == {None}


def test_a_spreadsheet_runs_nothing() -> None:
    """Text that begins like a formula is quoted in CSV."""
    row = {"benchmark_version": "v", "experiment": "=1+1", "model": "@cmd", "eval": "e"}
    made = dict(make_table_files(published_tables.MATRIX, [{**row, "pass_rate": 0.5}]))
    assert b"'=1+1" in made["api/v1/matrix.csv"]
    assert b"'@cmd" in made["api/v1/matrix.csv"]


def test_the_wide_matrix_has_a_row_per_eval_and_a_column_per_model() -> None:
    """A model that was not asked an eval of another version has an empty cell, not a 0."""
    lines = list(csv.DictReader(io.StringIO(make_downloads()["api/v1/matrix-wide.csv"].decode())))
    rows = parse_table("matrix")["rows"]
    assert len(lines) == len({(row["benchmark_version"], row["eval"]) for row in rows})
    filled = sum(line["openai/gpt-5.2-codex default"] != "" for line in lines)
    assert filled == 66
    assert len(lines) > 66


def test_feed_and_sitemap_are_well_formed_and_absolute() -> None:
    """Every link in them begins with the site's address; error pages are not listed."""
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring(make_downloads()["feed.xml"])  # noqa: S314 - our own bytes
    links = [link.attrib["href"] for link in feed.iter(f"{atom}link")]
    sitemap = ET.fromstring(make_downloads()["sitemap.xml"])  # noqa: S314 - our own bytes
    listed = [text for text in sitemap.itertext() if text.strip()]
    assert len(feed.findall(f"{atom}entry")) >= 10
    assert all(link.startswith("https://") for link in [*links, *listed])
    assert len(listed) == 2


def test_the_feed_lists_runs_and_reports() -> None:
    """Both kinds of entries link to their pages, newest first."""
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring(make_downloads()["feed.xml"])  # noqa: S314 - our own bytes
    entries = feed.findall(f"{atom}entry")
    folders = [entry.findtext(f"{atom}id", "").split("/")[3] for entry in entries]
    days = [entry.findtext(f"{atom}updated", "") for entry in entries]
    assert set(folders) == {"runs", "reports", "models"}
    assert days == sorted(days, reverse=True)


def test_each_model_with_a_row_is_new_once() -> None:
    """Its entry leads to its page, on the day of its first run, and says its score."""
    entries = _read_feed_entries("models")
    listed = {row["model"] for row in parse_table("leaderboard")["rows"]}
    models = {slug for slug in listed if not slug.startswith("baseline/")}
    assert {path.removeprefix("models/").removesuffix("/") for path, _, _ in entries} == models
    [codex] = [entry for entry in entries if entry[0] == "models/openai/gpt-5.2-codex/"]
    assert codex[1] == "New on the board: GPT-5.2 Codex"
    assert "83% of 66 evals passed" in codex[2]


def test_an_entry_of_the_feed_says_why_evals_failed() -> None:
    """A run has its first failed evals with their reasons, a report its failures by class."""
    runs, reports = _read_feed_entries("runs"), _read_feed_entries("reports")
    assert any(" Failed: " in summary and "more eval" in summary for _, _, summary in runs)
    assert all("model fault" in summary or "0 failures" in summary for _, _, summary in reports)


def _read_feed_entries(folder: str) -> list[tuple[str, str, str]]:
    """Return path, title and summary of the entries whose pages are in ``folder``."""
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring(make_downloads()["feed.xml"])  # noqa: S314 - our own bytes
    entries = [
        (
            entry.findtext(f"{atom}id", "").split("/", 3)[3],
            entry.findtext(f"{atom}title", ""),
            entry.findtext(f"{atom}summary", ""),
        )
        for entry in feed.iter(f"{atom}entry")
    ]
    return [entry for entry in entries if entry[0].startswith(f"{folder}/")]


@pytest.mark.parametrize(
    "name", ["two-equal", "one-model", "none-ranked-baseline", "two-pass-none"]
)
def test_a_board_without_differences_has_a_card_or_none(tmp_path: Path, name: str) -> None:
    """Equal models have an axis, too; without two models or an effect there is no card."""
    write_board(DataFolder(tmp_path), name)
    site = gather_site(DataFolder(tmp_path))
    for describe in BOARD_CARDS.values():
        card = describe(site)
        assert card is None or make_board_card(card).startswith(b"\x89PNG")
        assert card is None or card.start < card.end
    assert (describe_comparison_card(site) is None) == (not name.startswith("two"))


def test_each_model_has_a_badge_and_a_card() -> None:
    """A badge is an SVG that names its model; a card is a picture of the size previews want."""
    badge = make_downloads()["badges/openai/gpt-5.2-codex.svg"]
    assert b"83% of 66" in badge
    assert ET.fromstring(badge).attrib["role"] == "img"  # noqa: S314 - our own bytes
    for name in ("openai/gpt-5.2-codex", "site", "compare", "guidelines"):
        with Image.open(io.BytesIO(make_downloads()[f"cards/{name}.png"])) as card:
            assert card.size == (1200, 630)
