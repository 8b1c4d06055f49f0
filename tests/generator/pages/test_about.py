"""Audits of the graders on the method page and in the tables."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from generator.sources import Sources
from generator.tables.published_tables import TABLES
from records.files.data_folder import DataFolder
from records.writer import write_record
from tests.generator.conftest import MakeProject
from tests.generator.editable_project import EditableProject
from tests.records.sessions.audits import make_audit, make_audit_item, make_status_event
from tests.site.serving import serve_folder

pytestmark = pytest.mark.unit


@pytest.fixture
def project(make_project: MakeProject) -> EditableProject:
    """Return a small project."""
    return make_project(1)


def read_method_page(project: EditableProject, out: Path) -> LexborHTMLParser:
    """Build the site and return its method page."""
    build(project.sources, out)
    return LexborHTMLParser((out / "about" / "index.html").read_text("utf-8"))


def read_main_text(page: LexborHTMLParser) -> str:
    """Return the text of the page's main part."""
    main, *_ = page.css("main")
    return " ".join(main.text().split())


def write_labels(data: DataFolder, number: int, *statuses: str) -> None:
    """Let a different reviewer give each status to a session."""
    record = data.sessions.get_file(f"session-{number:04}")
    record.parent.mkdir(parents=True, exist_ok=True)
    record.touch()  # its place decides about its log; builds do not read it
    log = data.get_label_file(f"session-{number:04}")
    events = [
        make_status_event(judgement, reviewer=f"p{reviewer}")
        for reviewer, judgement in enumerate(statuses)
    ]
    log.write_text("".join(f"{judgement.model_dump_json()}\n" for judgement in events))


def test_without_an_audit_no_rate_is_shown(project: EditableProject, tmp_path: Path) -> None:
    """A sentence stands in place of a table, not even with 0."""
    section = read_method_page(project, tmp_path / "site").css_first(
        "section[aria-labelledby=audits]"
    )
    assert section is not None
    assert "Nothing has been audited yet" in section.text()
    assert section.css("table") == []


def test_an_audit_shows_rates_intervals_and_agreement(
    project: EditableProject, tmp_path: Path
) -> None:
    """The page follows later labels; a row without a judgement has no number."""
    items = [make_audit_item(n, reviewers=2) for n in range(20)]
    write_record(project.data.audits, make_audit(*items, make_audit_item(20, "passed")))
    for number in range(19):
        write_labels(project.data, number, "incorrect", "incorrect")
    out = tmp_path / "site"
    tree = read_method_page(project, out)
    rows = [[c.text(strip=True) for c in row.css("th, td")] for row in tree.css("#audits ~ * tr")]
    table = {row[0]: row[1:] for row in rows}
    assert table["Failed attempts that are right"][0] == "0.0"
    assert table["Failed attempts that are right"][2:] == ["0", "19", "20", "40"]
    assert table["Passed attempts that are wrong"][:2] == ["\N{EN DASH}", "not judged"]
    assert table["All attempts judged wrongly"][:2] == ["\N{EN DASH}", "not judged"]
    assert "agreement is told from 20 on" in read_main_text(tree)

    write_labels(project.data, 19, "correct", "golden")
    write_labels(project.data, 20, "incorrect")
    text = read_main_text(read_method_page(project, out))
    assert "judged 20 attempts and agreed on 95.0%" in text
    assert "Krippendorff's alpha" in text
    assert "on 1 reviewers differ" in text
    measures = json.loads((out / "api" / "v1" / "audits.json").read_text())["rows"]
    values = {(row["measure"], row["step"]): row["value"] for row in measures}
    assert values["false_fail", None] == values["false_fail", "tests"] == 0.05
    assert values["false_pass", None] == 1
    assert values["agreement", None] == 0.95
    cases = json.loads((out / "api" / "v1" / "audited-attempts.json").read_text())["rows"]
    assert len(cases) == 21
    failed = [(row["verdict"], row["message"]) for row in cases if row["result"] == "failed"]
    assert failed == [("failed", "false_fail"), ("passed", "false_pass")]
    assert "p0" not in (out / "api" / "v1" / "audited-attempts.json").read_text()


def test_an_audit_of_local_runs_is_shown_on_previews_only(
    project: EditableProject, tmp_path: Path
) -> None:
    """Audits follow the rule of the local runs themselves."""
    write_record(project.data.local.audits, make_audit(make_audit_item(0)))
    assert (
        read_method_page(project, tmp_path / "preview").css_first("#audit-9fdfa625ac2f-7")
        is not None
    )
    published = Sources(project.data, project.templates, project.evals, local=False)
    build(published, tmp_path / "site")
    assert "9fdfa625ac2f-7" not in (tmp_path / "site" / "about" / "index.html").read_text()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LexborHTMLParser]:
    """The page of a small site, served at its own address."""
    project = EditableProject(tmp_path_factory.mktemp("data-page"), seed=7)
    out = project.root / "served"
    out.mkdir()
    with serve_folder(out) as address:
        build(replace(project.sources, address=address), out)
        yield LexborHTMLParser((out / "data" / "index.html").read_text("utf-8"))


def _read_text(page: LexborHTMLParser, selector: str) -> str:
    node, *_ = page.css(selector)
    return node.text()


def test_every_column_of_every_table_is_there_with_its_meaning(page: LexborHTMLParser) -> None:
    """The columns are those of the contract behind the files, in the same order."""
    heads = [head.text() for head in page.css("h3")]
    assert heads == [table.name for table in TABLES]
    for table, details in zip(TABLES, page.css("h3 + p + details"), strict=True):
        rows = details.css("tbody tr")
        assert [row.css("th")[0].text() for row in rows] == list(table.names)
        for row in rows:
            holds, meaning = (cell.text().strip() for cell in row.css("td"))
            assert holds
            assert meaning


@pytest.mark.integration
def test_the_examples_run_as_they_stand(page: LexborHTMLParser) -> None:
    """The examples run against the site itself: curl prints the table, pandas reads it."""
    shell = _read_text(page, "#example-shell")
    printed = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert printed.stdout.startswith("benchmark_version,experiment,model,")
    script = _read_text(page, "#example-pandas")
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "score" in completed.stdout
