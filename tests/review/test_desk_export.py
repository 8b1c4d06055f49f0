"""The desk's export dialog: its counts are the file's."""

import io
import json
from importlib import import_module
from typing import Any, Final

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from records.session import EvalStatus
from review.exports.formats import FORMATS, ExportCounts, exported
from review.exports.rows import ExportOptions
from review.store import SessionStore
from tests.review.corpus import SECRET, said
from tests.review.desking import of_every_kind, store_of, talk

pytestmark = pytest.mark.unit

ONE: Final = "sessions/session-0100"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SessionStore:
    """The store of the desk, which no test here changes."""
    return store_of(tmp_path_factory.mktemp("desk") / "data", of_every_kind())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("options", ["", "&tools=no&parts=last&system=no", "&redact=no"])
def test_the_dialog_counts_what_the_file_holds(
    client: httpx.Client, name: str, options: str
) -> None:
    """Exactly, for each format; its first rows are the file's, and secrets are in neither."""
    query = f"format={name}&examples=no{options}"
    page = LexborHTMLParser(client.get(f"export?{query}").text)
    told = int(page.css("main h2")[0].text().split()[0].replace(",", ""))
    file = client.get(f"export/file?{query}")
    assert file.headers["content-disposition"].startswith("attachment; filename=")
    assert str(_rows(file, name)) == str(told)
    first = page.css("pre.row")
    assert len(first) == min(told, 3)
    if FORMATS[name].layout == "lines":
        assert first[0].text()[:200] == file.text.splitlines()[0][:200]
    of_judged_ones = name in {
        "openai-evals",
        "inspect-scores",
    }  # the secret is in no judged session
    text = str(_table(file).to_pylist()) if name == "parquet" else file.text
    assert (SECRET in text) is (options.endswith("redact=no") and not of_judged_ones)


def _rows(file: httpx.Response, name: str) -> int:
    match FORMATS[name].layout:
        case "array":
            return len(json.loads(file.text))
        case "lines":
            return len(file.text.splitlines())
        case "parquet":
            return _table(file).num_rows
        case _:
            return file.text.count("## Session: ")


def _table(file: httpx.Response) -> Any:  # noqa: ANN401 - pyarrow has no types
    parquet: Any = import_module("pyarrow.parquet")
    return parquet.read_table(io.BytesIO(file.content))


@pytest.mark.parametrize("name", FORMATS)
@given(text=st.text(max_size=60) | st.sampled_from(["sk-ant-" + "a1b2" * 6, "anna@example.org"]))
def test_taking_secrets_out_leaves_every_row(name: str, text: str) -> None:
    """So the dialog may count without it."""
    one = talk(1).model_copy(
        update={
            "messages": (said("user", text), said("assistant", text)),
            "expected_output": text,
            "eval_status": EvalStatus.CORRECT,
        }
    )
    counts: list[tuple[int, object]] = []
    for redact in (True, False):
        found = ExportCounts()
        for _ in exported([one], FORMATS[name], ExportOptions(redact=redact), found):
            pass
        counts.append((found.rows, found.skipped))
    assert counts[0] == counts[1]
