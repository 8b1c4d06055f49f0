# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Posters of festivals: uploaded as files, hung, swapped, served and taken down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(255, -1, -1))
LARGEST = 50_000


def upload(convex: Convex, body: bytes = PNG, content_type: str | None = "image/png") -> str:
    """Upload a file as a browser does, and tell its id."""
    address = convex.mutation("posters:startUpload")
    assert isinstance(address, str), "there is no address to upload to"
    headers = {} if content_type is None else {"content-type": content_type}
    reply = convex.http("POST", address, body=body, headers=headers)
    assert reply.status == 200, reply.text
    return reply.json()["storageId"]


def hang(convex: Convex, file: str, festival: str = "Aurillac") -> object:
    """Hang a poster, and tell the answer."""
    return convex.mutation("posters:hang", {"festival": festival, "file": file})


def hung(convex: Convex, body: bytes = PNG, festival: str = "Aurillac") -> str:
    """Upload and hang a poster, and tell its id."""
    answer = cast("dict[str, Any]", hang(convex, upload(convex, body), festival))
    assert answer == {"ok": True, "poster": answer.get("poster")}
    assert isinstance(answer["poster"], str)
    return answer["poster"]


def swap(convex: Convex, poster: str, file: str) -> object:
    """Give a poster another file, and tell the answer."""
    return convex.mutation("posters:swap", {"poster": poster, "file": file})


def refused(reason: str) -> dict[str, object]:
    """Tell how a file is refused."""
    return {"ok": False, "reason": reason}


def shown(convex: Convex, festival: str = "Aurillac") -> list[dict[str, Any]]:
    """List the posters of a festival."""
    return cast("list[dict[str, Any]]", convex.query("posters:list", {"festival": festival}))


def fetch(convex: Convex, url: object) -> tuple[int, bytes]:
    """Fetch an address as a browser would."""
    assert isinstance(url, str), "there is no address"
    response = convex.http("GET", url)
    return response.status, response.body


def contents(convex: Convex, festival: str = "Aurillac") -> list[tuple[int, bytes]]:
    """Fetch the files of a festival's posters."""
    return [fetch(convex, poster["url"]) for poster in shown(convex, festival)]


def state(convex: Convex) -> tuple[list[dict[str, Any]], set[str]]:
    """Tell the stored posters, and the files in the storage."""
    return convex.table("posters"), {file.id for file in convex.files()}


@pytest.mark.parametrize(
    ("body", "content_type"), [(PNG, "image/png"), (JPEG, "image/jpeg")], ids=["png", "jpeg"]
)
def test_an_uploaded_file_is_served(convex: Convex, body: bytes, content_type: str) -> None:
    """What was uploaded and hung is listed, and served byte by byte as what it is."""
    file = upload(convex, body, content_type)
    answer = hang(convex, file)
    (document,) = convex.table("posters")
    assert answer == {"ok": True, "poster": document["_id"]}
    (poster,) = shown(convex)
    assert poster == {
        "poster": document["_id"],
        "url": poster["url"],
        "contentType": content_type,
        "size": len(body),
    }
    response = convex.http("GET", poster["url"])
    assert (response.status, response.body) == (200, body)
    assert response.headers["content-type"] == content_type


def test_the_document_refers_to_the_file(convex: Convex) -> None:
    """A document has the festival and the file's id, and nothing that the storage knows."""
    file = upload(convex)
    hang(convex, file)
    (document,) = convex.table("posters")
    assert set(document) == {"_id", "_creationTime", "festival", "file"}
    assert (document["festival"], document["file"]) == ("Aurillac", file)


def test_festivals_do_not_mix(convex: Convex) -> None:
    """Each festival has its own posters, in the order in which they were hung."""
    late = upload(convex, PNG + b"late")
    bodies = [PNG + b"2", PNG, PNG + b"1"]
    for body in bodies:
        hung(convex, body)
        hung(convex, body + b"!", "Chalon")
    hang(convex, late)
    assert contents(convex) == [(200, body) for body in [*bodies, PNG + b"late"]]
    assert contents(convex, "Chalon") == [(200, body + b"!") for body in bodies]
    assert shown(convex, "Namur") == []


@pytest.mark.parametrize(
    ("size", "content_type", "reason"),
    [
        (9, "image/gif", "not_an_image"),
        (9, "text/html", "not_an_image"),
        (9, None, "not_an_image"),
        (LARGEST + 1, "application/pdf", "not_an_image"),
        (LARGEST + 1, "image/png", "too_large"),
    ],
    ids=["gif", "html", "no_type", "large_pdf", "large_png"],
)
def test_other_files_are_refused_and_deleted(
    convex: Convex, size: int, content_type: str | None, reason: str
) -> None:
    """What is no image, or too large, is neither hung nor swapped for one, nor kept."""
    poster = hung(convex)
    before = state(convex)
    assert hang(convex, upload(convex, b"x" * size, content_type)) == refused(reason)
    assert swap(convex, poster, upload(convex, b"x" * size, content_type)) == refused(reason)
    assert state(convex) == before
    assert contents(convex) == [(200, PNG)]


def test_a_file_of_just_the_largest_size_is_taken(convex: Convex) -> None:
    """50,000 bytes are not too large."""
    poster = hung(convex, b"x" * LARGEST)
    assert swap(convex, poster, upload(convex, b"y" * LARGEST)) == {"ok": True, "poster": poster}
    assert contents(convex) == [(200, b"y" * LARGEST)]


def test_a_file_that_is_gone_or_in_use_is_refused(convex: Convex) -> None:
    """A deleted file cannot be hung, and a poster's file is neither taken nor deleted."""
    first, second = hung(convex), hung(convex, JPEG)
    used = [cast("str", document["file"]) for document in convex.table("posters")]
    gone = upload(convex, b"text", "text/plain")
    assert hang(convex, gone) == refused("not_an_image")
    before = state(convex)
    assert hang(convex, gone) == refused("gone")
    assert swap(convex, first, gone) == refused("gone")
    for file in used:
        assert hang(convex, file, "Chalon") == refused("in_use")
        assert swap(convex, second, file) == refused("in_use")
    assert state(convex) == before
    assert contents(convex) == [(200, PNG), (200, JPEG)]


def test_a_swapped_file_takes_the_place_of_the_old_one(convex: Convex) -> None:
    """The poster stays and has the new file; the old one is deleted with its address."""
    poster, other = hung(convex), hung(convex)
    old = shown(convex)[0]["url"]
    file = upload(convex, JPEG, "image/jpeg")
    assert swap(convex, poster, file) == {"ok": True, "poster": poster}
    assert [entry["poster"] for entry in shown(convex)] == [poster, other]
    assert (shown(convex)[0]["contentType"], shown(convex)[0]["size"]) == ("image/jpeg", len(JPEG))
    assert contents(convex) == [(200, JPEG), (200, PNG)]
    assert fetch(convex, old)[0] == 404
    assert len(convex.files()) == 2


def test_a_poster_that_was_taken_down_is_gone(convex: Convex) -> None:
    """Document and file are deleted, its address serves nothing, and others stay."""
    posters = [hung(convex, PNG + b"1"), hung(convex, PNG + b"2"), hung(convex, PNG + b"3")]
    url = shown(convex)[1]["url"]
    assert convex.mutation("posters:takeDown", {"poster": posters[1]}) is True
    assert contents(convex) == [(200, PNG + b"1"), (200, PNG + b"3")]
    assert (fetch(convex, url)[0], len(convex.files())) == (404, 2)
    assert convex.mutation("posters:takeDown", {"poster": posters[1]}) is False
    before = state(convex)
    assert swap(convex, posters[1], upload(convex)) == refused("no_poster")
    large = upload(convex, b"x" * (LARGEST + 1))
    assert swap(convex, posters[1], large) == refused("too_large")
    assert state(convex) == before


def test_five_functions_are_public(convex: Convex) -> None:
    """The public can do these five things and nothing else."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {
        "posters:startUpload": "mutation",
        "posters:hang": "mutation",
        "posters:swap": "mutation",
        "posters:list": "query",
        "posters:takeDown": "mutation",
    }


def test_the_table_is_as_described(convex: Convex) -> None:
    """A festival is a text, and a file refers to a stored one: nothing else can be stored."""
    hung(convex)
    (poster,) = convex.table("posters")
    good = {"festival": "Chalon", "file": cast("str", poster["file"])}
    convex.insert("posters", good)
    for wrong in ({"festival": 7.0}, {"file": "poster.png"}, {"file": cast("str", poster["_id"])}):
        with pytest.raises(FunctionFailed):
            convex.insert("posters", good | wrong)


def test_other_posters_are_not_read(convex: Convex) -> None:
    """What a call costs does not grow with the posters of other festivals."""
    file = convex.store(PNG, "image/png")
    convex.insert_many("posters", [{"festival": "Chalon", "file": file} for _ in range(200)])
    convex.limit(documents_read=50)
    poster = hung(convex)
    assert swap(convex, poster, upload(convex, JPEG)) == {"ok": True, "poster": poster}
    assert contents(convex) == [(200, JPEG)]
