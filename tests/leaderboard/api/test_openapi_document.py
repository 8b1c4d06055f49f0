"""The OpenAPI document and the routes: the document is complete, and true of each route."""

import re
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.api import guarded_routes
from leaderboard.api.app import build_api_app
from records.files.data_folder import DataFolder
from tests.leaderboard.api.serving import make_server, serve_api

pytestmark = pytest.mark.integration


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    """Return the document of the API over an empty folder."""
    return guarded_routes.build_openapi_document(build_api_app(DataFolder(tmp_path)))


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    """Every reference has a shape, every shape is used, and paths have their parts."""
    text = str(document)
    names = set(re.findall(r"#/components/schemas/([A-Za-z]+)", text))
    assert names == set(document["components"]["schemas"])
    for path, item in document["paths"].items():
        for operation in item.values():
            parts = [entry["name"] for entry in operation["parameters"] if entry["in"] == "path"]
            assert sorted(parts) == sorted(re.findall(r"\{(\w+)\}", path))
            assert operation["summary"].endswith(".")
    identities = [
        entry["operationId"] for item in document["paths"].values() for entry in item.values()
    ]
    assert len(set(identities)) == len(identities)


def test_every_field_is_described(document: dict[str, Any]) -> None:
    """The docstring below a field describes it."""
    for name, schema in document["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            assert described.get("description"), (name, field)


def test_the_page_shows_every_operation_and_shape(document: dict[str, Any]) -> None:
    """The page has links to each, and loads no script and no file from elsewhere."""
    tree = LexborHTMLParser(guarded_routes.render_document_page(document))
    sections = {entry.attributes["id"] for entry in tree.css("section")}
    operations = {
        entry["operationId"] for item in document["paths"].values() for entry in item.values()
    }
    assert sections == operations | set(document["components"]["schemas"])
    links = [entry.attributes["href"] or "" for entry in tree.css("nav a")]
    assert {link.removeprefix("#") for link in links} == operations
    assert tree.css("script, style, [style], [onclick], img") == []
    assert "://" not in guarded_routes.read_style_sheet()


def test_only_public_parts_need_no_key(tmp_path: Path) -> None:
    """The document, its page and the page's style need no key."""
    made = make_server(tmp_path)
    with serve_api(made) as client:
        del client.headers["Authorization"]
        for path, item in client.get("/openapi.json").json()["paths"].items():
            for method, operation in item.items():
                if operation["security"]:
                    continue
                answer = client.request(method, path)
                assert answer.status_code == 200
                assert answer.headers["x-content-type-options"] == "nosniff"
        page_answer = client.get("/api/docs")
        assert "default-src 'none'" in page_answer.headers["content-security-policy"]
        assert client.get("/api/nothing").json()["error"]
