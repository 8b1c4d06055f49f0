"""The export dialog of the desk: its counts are those of the file."""

import io
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from selectolax.lexbor import LexborHTMLParser

from records.sessions.session import EvalStatus
from review.datasets import make_version
from review.exports.formats import FORMATS
from review.store import SessionStore
from tests.review.corpus import SECRET, make_message, make_session, store_of
from tests.review.desking import make_desk_client, make_every_kind, make_talk
from tests.review.exports.exporting import export_sessions
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit
ONE = "sessions/session-0100"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SessionStore:
    """The store of the desk, which no test here changes."""
    return store_of(tmp_path_factory.mktemp("desk") / "data", make_every_kind())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("options", ["", "&tools=no&parts=last&system=no", "&redact=no"])
def test_the_dialog_counts_the_rows_of_the_file(
    client: httpx.Client, name: str, options: str
) -> None:
    """Counts are exact for each format; the first rows are the file's; secrets are in neither."""
    query = f"format={name}&examples=no{options}"
    page = LexborHTMLParser(client.get(f"export?{query}").text)
    stated = int(page.css("main h2")[0].text().split()[0].replace(",", ""))
    file = client.get(f"export/file?{query}")
    assert file.headers["content-disposition"].startswith("attachment; filename=")
    assert str(_count_rows(file, name)) == str(stated)
    first = page.css("pre.row")
    assert len(first) == min(stated, 3)
    if FORMATS[name].layout == "lines":
        assert first[0].text()[:200] == file.text.splitlines()[0][:200]
    of_judged_ones = name in {
        "openai-evals",
        "inspect-scores",
    }  # the secret is in no judged session
    text = str(_read_table(file).to_pylist()) if name == "parquet" else file.text
    assert (SECRET in text) is (options.endswith("redact=no") and not of_judged_ones)


def _count_rows(file: httpx.Response, name: str) -> int:
    match FORMATS[name].layout:
        case "array":
            return len(json.loads(file.text))
        case "lines":
            return len(file.text.splitlines())
        case "parquet":
            return _read_table(file).num_rows
        case _:
            return file.text.count("## Session: ")


def _read_table(file: httpx.Response) -> Any:  # noqa: ANN401 - pyarrow has no types
    parquet: Any = import_module("pyarrow.parquet")
    return parquet.read_table(io.BytesIO(file.content))


@pytest.mark.parametrize("name", FORMATS)
@given(text=st.text(max_size=60) | st.sampled_from(["sk-ant-" + "a1b2" * 6, "anna@example.org"]))
def test_taking_secrets_out_leaves_every_row(name: str, text: str) -> None:
    """The dialog may therefore count with secrets."""
    record = make_talk(1).model_copy(
        update={
            "messages": (make_message("user", text), make_message("assistant", text)),
            "expected_output": text,
            "eval_status": EvalStatus.CORRECT,
        }
    )
    without, whole = (export_sessions(name, [record], redact=redact)[1] for redact in (True, False))
    assert (without.rows, without.skipped) == (whole.rows, whole.skipped)


def test_sessions_that_are_named_are_exported(client: httpx.Client) -> None:
    """They need no mark, and no others are exported; the page keeps them in its form."""
    ids = [make_talk(1).id, make_talk(2).id]
    query = f"format=huggingface&ids={ids[0]}&ids={ids[1]}"
    file = client.get(f"export/file?{query}")
    assert [json.loads(line)["id"] for line in file.text.splitlines()] == ids
    page = LexborHTMLParser(client.get(f"export?{query}").text)
    assert [field.attributes["value"] for field in page.css("input[name=ids]")] == ids
    assert client.get("export?ids=../x").status_code == 400


def test_sessions_that_cannot_be_exported_are_named(tmp_path: Path) -> None:
    """The page names a damaged file, and an expected output without a row.

    The file is refused with 409 until the request accepts the other rows.
    """
    lost = make_session(8, make_message("assistant", "A"), expected_output="IDEAL")
    new_store = store_of(tmp_path / "data", [make_talk(1), make_talk(2), lost])
    new_store.folder.get_session_file(make_talk(2).id).write_text("{broken")
    with make_desk_client(new_store) as client:
        dialog = client.get("export?examples=no").text
        assert lost.id in dialog
        assert str(new_store.folder.get_session_file(make_talk(2).id)) in dialog
        refused = client.get("export/file?examples=no")
        assert refused.status_code == 409
        assert lost.id in refused.text
        rows = client.get("export/file?examples=no&others=yes").json()
        assert {row["source_file"] for row in rows} == {make_talk(1).id}


def test_strings_that_look_secret_are_listed_before_the_file(tmp_path: Path) -> None:
    """Strings that stay are listed with their session; a secret that is taken out is not."""
    random = "Xq7Rk2Lm9Tz4Vb8Nc3Wd"
    shady = make_session(8, make_message("user", f"use {random}"), make_message("assistant", "A"))
    secret = make_session(
        9, make_message("user", "sk-ant-api03-" + "a1B2c3D4" * 8), make_message("assistant", "A")
    )
    with make_desk_client(store_of(tmp_path / "data", [make_talk(1), shady, secret])) as client:
        page = LexborHTMLParser(client.get("export?examples=no").text)
        (item,) = page.css("ul.lookalikes li")
        assert random in item.text()
        link = item.css("a")[0].attributes["href"] or ""
        assert link == f"/review/sessions/{shady.id}?find={random}"
        assert "1 string looks like a secret and stays in" in page.css("main")[0].text()
        assert random in client.get(link.removeprefix("/review/")).text
        other_page = LexborHTMLParser(client.get(f"export?ids={secret.id}").text)
        assert not other_page.css("ul.lookalikes")


def test_a_version_is_exported_with_its_labels(tmp_path: Path) -> None:
    """Later judgements do not change the version."""
    new_store = store_of(tmp_path / "data", [make_talk(1, eval_status="golden")])
    make_version(new_store.folder, "first", [new_store.read(make_talk(1).id)])
    give_labels(new_store, make_talk(1).id, {"evalStatus": "incorrect"})
    with make_desk_client(new_store) as client:
        assert "first" in client.get("export").text
        (row,) = client.get("export/file?version=first").json()
        assert row["additional_metadata"]["status"] == "golden"
        assert client.get("export?version=second").status_code == 400


@pytest.mark.integration
def test_another_format_changes_counts_and_button_at_once(page: Page, address: str) -> None:
    """No other key or click is needed; the file follows the current choices."""
    page.goto(f"{address}export?examples=no")
    button = page.get_by_role("button", name="Download")
    expect(button).to_have_text("Download sessions-deepeval.json")
    before = page.locator("main h2").first.inner_text()
    with page.expect_navigation():
        page.select_option("#x-format", "openai-evals")
    expect(button).to_have_text("Download sessions-openai-evals.jsonl")
    assert page.locator("main h2").first.inner_text() != before
    with page.expect_download() as download:
        button.click()
    assert download.value.suggested_filename == "sessions-openai-evals.jsonl"
    rows = download.value.path().read_text("utf-8").splitlines()
    assert page.locator("main h2").first.inner_text().startswith(f"{len(rows)} row")
    assert all("ideal" in json.loads(row) for row in rows)
