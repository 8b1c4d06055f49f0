# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Glacier reports, each kept as a file: published, read, linked and withdrawn."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Response

TEXTS = {
    "plain": "The tongue has drawn back eleven metres.\nNo new crevasses.\n",
    "empty": "",
    "scripts": "Gletscherspalten über 40 m — 氷河, ледник, هیمشی, 🧊🏔️",
    "blanks": "  \t\r\n leading and trailing \u00a0\n\n",
    "like_json": '{"text": "\\u0000 \\"quoted\\""}',
}
# Twice what a document may hold.
LONG = "firn and ice, " * 150_000


def publish(convex: Convex, text: str, title: str = "Aletsch, June") -> str:
    """Publish a report."""
    report = convex.action("reports:publish", {"title": title, "text": text})
    assert isinstance(report, str)
    return report


def read(convex: Convex, report: str) -> object:
    """Read a report."""
    return convex.action("reports:read", {"report": report})


def link(convex: Convex, report: str) -> object:
    """Ask for a report's address."""
    return convex.query("reports:link", {"report": report})


def withdraw(convex: Convex, report: str) -> object:
    """Withdraw a report."""
    return convex.mutation("reports:withdraw", {"report": report})


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_report_reads_as_it_was_published(convex: Convex, text: str) -> None:
    """The text of a report comes back character by character."""
    assert read(convex, publish(convex, text)) == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_the_text_is_kept_as_a_file(convex: Convex, text: str) -> None:
    """There is one file of plain text, which holds the text in UTF-8."""
    publish(convex, text)
    (file,) = convex.files()
    body = text.encode()
    assert (file.size, (file.content_type or "").split(";")[0]) == (len(body), "text/plain")
    assert hashlib.sha256(body).hexdigest() == file.sha256


def test_the_document_describes_the_file(convex: Convex) -> None:
    """The document has the title, the file and the number of characters, and its id is returned."""
    text = TEXTS["scripts"]
    report = publish(convex, text, "Hielo Patagónico")
    (document,) = convex.table("reports")
    (file,) = convex.files()
    assert document == {
        "_id": report,
        "_creationTime": document["_creationTime"],
        "title": "Hielo Patagónico",
        "file": file.id,
        "characters": len(text.encode("utf-16-le")) // 2,
    }


def test_a_report_may_be_longer_than_a_document(convex: Convex) -> None:
    """Text of two million characters is published, read and fetched."""
    report = publish(convex, LONG)
    assert read(convex, report) == LONG
    assert fetch(convex, link(convex, report)) == (200, LONG)


def get(convex: Convex, address: object) -> Response:
    """Fetch an address as a browser would."""
    assert isinstance(address, str), "there is no address"
    assert address.startswith("http"), f"{address[:60]} is no address of a file"
    return convex.http("GET", address)


def fetch(convex: Convex, address: object) -> tuple[int, str]:
    """Fetch an address as a browser would, and tell the status and the text."""
    response = get(convex, address)
    return response.status, response.text


def test_a_browser_can_fetch_the_report(convex: Convex) -> None:
    """The link leads to the report's text, as plain text."""
    response = get(convex, link(convex, publish(convex, TEXTS["scripts"])))
    assert (response.status, response.text) == (200, TEXTS["scripts"])
    assert response.headers["content-type"].split(";")[0] == "text/plain"


def test_reports_do_not_mix(convex: Convex) -> None:
    """Each report has its own text and link, also among reports of the same title."""
    texts = [f"Observation {n}" for n in range(5)]
    reports = [publish(convex, text) for text in texts]
    assert [read(convex, report) for report in reversed(reports)] == texts[::-1]
    assert [fetch(convex, link(convex, report))[1] for report in reports] == texts
    assert len(set(reports)) == len(convex.files()) == 5


def test_a_withdrawn_report_is_gone(convex: Convex) -> None:
    """After it is withdrawn, neither document nor file is left, and its old link serves nothing."""
    report = publish(convex, TEXTS["plain"])
    address = link(convex, report)
    assert withdraw(convex, report) is True
    assert (convex.table("reports"), convex.files()) == ([], [])
    assert (read(convex, report), link(convex, report)) == (None, None)
    assert get(convex, address).status == 404


@pytest.mark.parametrize("withdrawn", [0, 1, 2], ids=["first", "middle", "last"])
def test_withdrawing_leaves_other_reports(convex: Convex, withdrawn: int) -> None:
    """Withdrawing one report leaves the others, even those with the same title and text."""
    reports = [publish(convex, TEXTS["plain"]) for _ in range(3)]
    withdraw(convex, reports.pop(withdrawn))
    assert [read(convex, report) for report in reports] == [TEXTS["plain"]] * 2
    assert [fetch(convex, link(convex, report)) for report in reports] == [
        (200, TEXTS["plain"])
    ] * 2
    assert len(convex.files()) == 2


def test_withdrawing_twice_is_no_error(convex: Convex) -> None:
    """Withdrawing a report that is gone answers false."""
    report = publish(convex, TEXTS["plain"])
    assert [withdraw(convex, report) for _ in range(3)] == [True, False, False]


def test_the_long_text_is_not_in_the_document(convex: Convex) -> None:
    """The table holds what describes the report, not its text."""
    publish(convex, TEXTS["plain"])
    (document,) = convex.table("reports")
    assert {"_id", "_creationTime", "title", "file", "characters"} == set(document)


@pytest.mark.parametrize("wrong", [{"title": 1.0}, {"file": "a file"}, {"characters": "many"}])
def test_documents_describe_a_file(convex: Convex, wrong: dict[str, str | float]) -> None:
    """A document whose title is no text, or whose file is no stored file, cannot be stored."""
    file = convex.store(b"firn", "text/plain")
    right = {"title": "Aletsch, June", "file": file, "characters": 4.0}
    convex.insert("reports", right)
    with pytest.raises(FunctionFailed):
        convex.insert("reports", {**right, **wrong})


def test_arguments_are_as_described(convex: Convex) -> None:
    """A title or text that is no text is refused, and no file is left of it."""
    for wrong in ({"title": 1.0, "text": "firn"}, {"title": "Aletsch", "text": 1.0}):
        with pytest.raises(FunctionFailed):
            convex.action("reports:publish", wrong)
    assert (convex.table("reports"), convex.files()) == ([], [])


def test_only_four_functions_are_public(convex: Convex) -> None:
    """The public can call `publish`, `read`, `link` and `withdraw`, and nothing else."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {
        "reports:publish": "action",
        "reports:read": "action",
        "reports:link": "query",
        "reports:withdraw": "mutation",
    }
