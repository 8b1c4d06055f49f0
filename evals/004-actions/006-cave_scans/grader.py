# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Scans of caves: sent by HTTP, kept as files, and served again byte by byte."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Response

SCAN = b"E57\x00\xff\xfe\x80 points\r\n"
LARGEST = 100_000
BODIES = {
    "text": b"x,y,z\n1,2,3\n",
    "every_byte": bytes(range(256)),
    "no_utf8": b"\xc3\x28\xf0\x9f\x00\xed\xa0\x80",
    "marked_utf8": b"\xef\xbb\xbfx,y,z",
    "one_byte": b"\x00",
    "like_json": b'{ "points" :  [ ] }',
    "largest": b"\xf7\x00" * (LARGEST // 2),
}


def send(
    convex: Convex, body: bytes = SCAN, cave: str = "Lechuguilla", content_type: str | None = None
) -> Response:
    """Send a scan as a scanner does."""
    headers = {"Content-Type": content_type} if content_type else {}
    return convex.http("POST", f"/scans?cave={quote(cave, safe='')}", body=body, headers=headers)


def sent(
    convex: Convex, body: bytes = SCAN, cave: str = "Lechuguilla", content_type: str | None = None
) -> str:
    """Send a scan that is accepted, and return its id."""
    answer = send(convex, body, cave, content_type)
    assert answer.status == 201
    (name, value), *others = answer.json().items()
    assert (name, others) == ("id", [])
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.headers["location"] == f"/scans?id={value}"
    assert isinstance(value, str)
    return value


def fetch(convex: Convex, scan: str) -> Response:
    """Fetch a scan as a survey program does."""
    return convex.http("GET", f"/scans?id={quote(scan, safe='')}")


def refused(answer: Response, status: int, text: str) -> None:
    """Demand that a request was refused so."""
    assert (answer.status, answer.text) == (status, text)
    assert answer.headers["content-type"].split(";")[0] == "text/plain"


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_scan_comes_back_byte_by_byte(convex: Convex, body: bytes) -> None:
    """What is fetched is what was sent, whatever bytes it has."""
    answer = fetch(convex, sent(convex, body))
    assert answer.status == 200
    assert answer.body == body


def test_a_scan_is_kept_as_a_file(convex: Convex) -> None:
    """There is one file with the bytes, and a document that describes it."""
    scan = sent(convex, SCAN, "Krubera", "model/e57")
    (file,) = convex.files()
    (document,) = convex.table("scans")
    assert (file.sha256, file.size) == (hashlib.sha256(SCAN).hexdigest(), len(SCAN))
    assert file.content_type == "model/e57"
    assert document == {
        "_id": scan,
        "_creationTime": document["_creationTime"],
        "cave": "Krubera",
        "file": file.id,
        "contentType": "model/e57",
    }


@pytest.mark.parametrize(
    ("sent_as", "served_as"),
    [
        ("model/e57", "model/e57"),
        ("text/csv; charset=iso-8859-1", "text/csv; charset=iso-8859-1"),
        ("application/json", "application/json"),
        (None, "application/octet-stream"),
    ],
    ids=["model", "with_parameter", "json", "without"],
)
def test_the_content_type_is_kept(convex: Convex, sent_as: str | None, served_as: str) -> None:
    """A scan is stored and served with the content type that it was sent with."""
    scan = sent(convex, content_type=sent_as)
    assert fetch(convex, scan).headers["content-type"] == served_as
    assert [row["contentType"] for row in convex.table("scans")] == [served_as]
    assert [file.content_type for file in convex.files()] == [served_as]


@pytest.mark.parametrize("cave", ["Lechuguilla", "Škocjanske jame", "A&B=c?/#%+ d", "猛犸洞"])
def test_the_name_of_the_cave_is_kept(convex: Convex, cave: str) -> None:
    """The cave's name is decoded, stored, and given back percent-encoded."""
    scan = sent(convex, cave=cave)
    assert [row["cave"] for row in convex.table("scans")] == [cave]
    assert fetch(convex, scan).headers["x-cave"] == quote(cave, safe="-_.!~*'()")


def test_scans_do_not_mix(convex: Convex) -> None:
    """Each request stores a scan of its own, also when two are equal."""
    bodies = [b"first", b"second", b"first"]
    scans = [sent(convex, body) for body in bodies]
    assert len({*scans}) == len(convex.files()) == 3
    assert [fetch(convex, scan).body for scan in reversed(scans)] == bodies[::-1]


@pytest.mark.parametrize(
    ("address", "size", "status", "text"),
    [
        ("/scans", 5, 400, "no cave"),
        ("/scans?cave=", 5, 400, "no cave"),
        ("/scans?grotto=Krubera", 5, 400, "no cave"),
        ("/scans?cave=Krubera", LARGEST + 1, 413, "too large"),
        ("/scans?cave=Krubera", 0, 400, "no scan"),
        ("/scans", LARGEST + 1, 400, "no cave"),
        ("/scans?cave=", 0, 400, "no cave"),
    ],
    ids=["missing", "empty", "other_name", "too_large", "no_scan", "both_large", "both_empty"],
)
def test_what_is_refused_is_not_stored(
    convex: Convex, address: str, size: int, status: int, text: str
) -> None:
    """A request that is refused says why, and leaves neither a file nor a document."""
    refused(convex.http("POST", address, body=b"\xfe" * size), status, text)
    assert (convex.files(), convex.table("scans")) == ([], [])


@pytest.mark.parametrize("scan", ["", "17", "../scans", "null", "ĳs 50 m", "x" * 300])
def test_what_is_no_id_finds_nothing(convex: Convex, scan: str) -> None:
    """Any text may be asked for; what is no scan is not found, and that is no server error."""
    sent(convex)
    refused(fetch(convex, scan), 404, "no such scan")
    refused(convex.http("GET", "/scans"), 404, "no such scan")


def test_other_ids_find_nothing(convex: Convex) -> None:
    """The id of a file, or of a scan with more behind it, is no id of a scan."""
    scan = sent(convex)
    (file,) = convex.files()
    for other in (file.id, scan + "0", scan[:-1]):
        refused(fetch(convex, other), 404, "no such scan")
    assert fetch(convex, scan).status == 200


def test_a_scan_that_is_deleted_is_not_found(convex: Convex) -> None:
    """Without its document a scan is not found; others are."""
    scan, other = sent(convex, b"first"), sent(convex, b"second")
    convex.delete("scans", scan)
    refused(fetch(convex, scan), 404, "no such scan")
    assert fetch(convex, other).body == b"second"


def test_a_scan_without_its_file_is_not_found(convex: Convex) -> None:
    """A document whose file is gone is not found either; others are."""
    for body in (b"first", b"second", b"third"):
        sent(convex, body)
    gone = convex.files()[-1].id
    convex.clear()
    other = sent(convex, b"first")
    scan = convex.insert("scans", {"cave": "Krubera", "file": gone, "contentType": "model/e57"})
    refused(fetch(convex, scan), 404, "no such scan")
    assert fetch(convex, other).body == b"first"


def test_only_the_routes_are_public(convex: Convex) -> None:
    """Two routes can be called from outside, and no function."""
    public = {fn.kind for fn in convex.functions.values() if fn.visibility == "public"}
    assert public <= {"http"}
    assert {"POST /scans", "GET /scans"} <= set(convex.functions)


@pytest.mark.parametrize("wrong", [{"cave": 1.0}, {"file": "a file"}, {"contentType": 1.0}])
def test_scans_are_as_described(convex: Convex, wrong: dict[str, float | str]) -> None:
    """A document without a text as cave, a stored file or a content type cannot be stored."""
    file = convex.store(SCAN, "model/e57")
    right = {"cave": "Krubera", "file": file, "contentType": "model/e57"}
    convex.insert("scans", right)
    with pytest.raises(FunctionFailed):
        convex.insert("scans", {**right, **wrong})
