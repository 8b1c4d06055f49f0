# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Scans of deeds: uploaded by a browser or fetched by the server, and linked by mutations."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

SCAN = b"\xff\xd8\xff\xe0" + bytes(range(256))
SCANNER = "https://scanner.archive.test/scans/"


def deed(convex: Convex, shelfmark: str = "A7") -> str:
    """File a deed."""
    return convex.insert("deeds", {"title": "Of the mill", "shelfmark": shelfmark})


def attach(convex: Convex, deed_id: str, file: str) -> object:
    """Attach a file to a deed."""
    return convex.mutation("deeds:attach", {"deed": deed_id, "file": file})


def request(convex: Convex, deed_id: str) -> object:
    """Ask for a scan from the reading room."""
    return convex.mutation("deeds:requestScan", {"deed": deed_id})


def state(convex: Convex, deed_id: str) -> tuple[object, object]:
    """Tell a deed's scan and its order."""
    document = convex.document("deeds", deed_id)
    assert document is not None, "the deed is gone"
    assert None not in document.values()
    return document.get("scan"), document.get("order")


def served(convex: Convex, deed_id: str) -> bytes:
    """Fetch the scan as a browser would."""
    shown = cast("dict[str, Any] | None", convex.query("deeds:get", {"deed": deed_id}))
    assert shown is not None, "the deed is not found"
    assert shown == {"title": "Of the mill", "url": shown.get("url"), "order": None}
    assert isinstance(shown["url"], str), "there is no address"
    response = convex.http("GET", shown["url"])
    assert response.status == 200
    return response.body


def files(convex: Convex) -> set[object]:
    """Tell which files are in the storage."""
    return {file.id for file in convex.files()}


def reason(convex: Convex, function: str, **arguments: str) -> object:
    """Demand that a call is refused and changes nothing, and tell why."""
    before = convex.table("deeds"), files(convex)
    with pytest.raises(FunctionFailed) as refusal:
        convex.mutation(f"deeds:{function}", arguments)
    assert (convex.table("deeds"), files(convex)) == before
    return refusal.value.data


def test_an_uploaded_file_becomes_the_scan(convex: Convex) -> None:
    """What a browser uploads is linked as it is, and served; other deeds stay without."""
    address = convex.mutation("deeds:startUpload")
    assert isinstance(address, str), "there is no address to upload to"
    reply = convex.http("POST", address, body=SCAN, headers={"content-type": "image/png"})
    file = reply.json()["storageId"]
    other, mill = deed(convex), deed(convex)
    assert attach(convex, mill, file) is None
    assert (state(convex, mill), state(convex, other)) == ((file, None), (None, None))
    assert served(convex, mill) == SCAN
    assert [(each.id, each.content_type) for each in convex.files()] == [(file, "image/png")]


def test_a_new_scan_takes_the_place_of_the_old(convex: Convex) -> None:
    """The former file is deleted, and no other is."""
    mill, other = deed(convex), deed(convex)
    first, kept, second = (convex.store(SCAN + bytes([n])) for n in range(3))
    attach(convex, mill, first)
    attach(convex, other, kept)
    assert attach(convex, mill, second) is None
    assert (state(convex, mill), state(convex, other)) == ((second, None), (kept, None))
    assert files(convex) == {kept, second}


def test_only_a_stored_file_that_nobody_has_is_linked(convex: Convex) -> None:
    """A file that was deleted, a file that a deed has, and what is no file are refused."""
    mill, other = deed(convex), deed(convex)
    gone, old, new = (convex.store(SCAN) for _ in range(3))
    attach(convex, mill, gone)
    attach(convex, mill, old)
    for each in (mill, other):
        assert reason(convex, "attach", deed=each, file=gone) == "no file"
        assert reason(convex, "attach", deed=each, file=old) == "in use"
        reason(convex, "attach", deed=each, file=mill)
    assert attach(convex, other, new) is None


def test_a_requested_scan_is_fetched_afterwards(convex: Convex) -> None:
    """The request answers and waits; then the scanner is asked once, and its image is the scan."""
    convex.stub_fetch(SCANNER + "*", body=SCAN, headers={"content-type": "text/html"})
    mill, other = deed(convex, "A/7 ?#ü"), deed(convex)
    assert request(convex, mill) is None
    convex.clock.advance(60)
    (file,) = convex.files()
    assert (file.content_type, file.sha256) == ("image/jpeg", sha256(SCAN).hexdigest())
    assert (state(convex, mill), state(convex, other)) == ((file.id, None), (None, None))
    assert served(convex, mill) == SCAN
    (asked,) = convex.fetches()
    assert (asked.method, asked.url) == ("GET", SCANNER + "A%2F7%20%3F%23%C3%BC")


@pytest.mark.parametrize("how", ["missing", "created", "no_answer"])
def test_a_scan_that_does_not_come_has_failed(convex: Convex, how: str) -> None:
    """Another status, or no answer, stores nothing; asked for again, the scan may come."""
    status = {"missing": 404, "created": 201}.get(how, 200)
    convex.stub_fetch(SCANNER + "*", status=status, body=SCAN, fail=how == "no_answer")
    mill = deed(convex)
    request(convex, mill)
    convex.clock.advance(60)
    assert state(convex, mill) == (None, "failed")
    shown = convex.query("deeds:get", {"deed": mill})
    assert shown == {"title": "Of the mill", "url": None, "order": "failed"}
    assert len(convex.fetches()) == 1
    assert files(convex) == set()
    convex.stub_fetch(SCANNER + "*", body=SCAN)
    assert request(convex, mill) is None
    convex.clock.advance(60)
    assert served(convex, mill) == SCAN


def test_a_waiting_deed_is_not_fetched_again(convex: Convex) -> None:
    """The request waits for a minute; asking again meanwhile changes nothing."""
    convex.stub_fetch(SCANNER + "*", body=SCAN)
    mill = deed(convex)
    assert [request(convex, mill) for _ in range(3)] == [None] * 3
    convex.clock.advance(50)
    assert request(convex, mill) is None
    assert state(convex, mill) == (None, "waiting")
    shown = convex.query("deeds:get", {"deed": mill})
    assert shown == {"title": "Of the mill", "url": None, "order": "waiting"}
    assert convex.fetches() == []
    convex.clock.advance(70)
    assert len(convex.fetches()) == len(files(convex)) == 1


def test_a_scan_that_nobody_waits_for_is_not_kept(convex: Convex) -> None:
    """A deed that is gone, or has got a scan meanwhile, leaves no file of the request behind."""
    convex.stub_fetch(SCANNER + "*", body=SCAN)
    mill, gone, kept = (deed(convex) for _ in range(3))
    for each in (mill, gone, kept):
        request(convex, each)
    uploaded = convex.store(SCAN + b"!")
    attach(convex, mill, uploaded)
    convex.delete("deeds", gone)
    convex.clock.advance(60)
    fetched, order = state(convex, kept)
    assert order is None
    assert state(convex, mill) == (uploaded, None)
    assert files(convex) == {uploaded, fetched}
    assert len(convex.table("deeds")) == 2


def test_deeds_that_are_gone_or_have_a_scan_are_refused(convex: Convex) -> None:
    """A request for a deed with a scan is refused, and everything for one that is gone."""
    mill, gone = deed(convex), deed(convex)
    convex.delete("deeds", gone)
    file = convex.store(SCAN)
    assert reason(convex, "attach", deed=gone, file=file) == "no deed"
    assert reason(convex, "requestScan", deed=gone) == "no deed"
    assert convex.query("deeds:get", {"deed": gone}) is None
    attach(convex, mill, file)
    assert reason(convex, "requestScan", deed=mill) == "has scan"
    assert reason(convex, "attach", deed=gone, file=file) == "no deed"
    convex.clock.advance(60)
    assert (convex.fetches(), files(convex)) == ([], {file})


def test_other_deeds_are_not_read(convex: Convex) -> None:
    """A file is attached however many deeds there are, and only four functions are public."""
    stored = [convex.store(SCAN) for _ in range(2)]
    crowd = [{"title": f"Deed {n}", "shelfmark": f"{n}"} for n in range(60)]
    convex.insert_many("deeds", [*crowd, {**crowd[0], "scan": stored[0]}])
    mill = deed(convex)
    convex.limit(documents_read=20)
    assert reason(convex, "attach", deed=mill, file=stored[0]) == "in use"
    assert attach(convex, mill, stored[1]) is None
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    mutations = {f"deeds:{name}": "mutation" for name in ("attach", "requestScan", "startUpload")}
    assert public == {**mutations, "deeds:get": "query"}
