"""File storage: uploads, downloads, files in functions, and the data of the deployment."""

import base64
import hashlib
import json

import pytest

from runner.backends.client import BackendClient

pytestmark = pytest.mark.integration


def download(client: BackendClient, file: str) -> tuple[int, bytes]:
    """Fetch a stored file by the address that the project's own query gives."""
    answer = client.send_http("GET", client.call("query", "files:url", {"id": file}))
    return answer.status, answer.body


def test_a_function_stores_and_reads(client: BackendClient) -> None:
    """A file that an action stores is read by an action and a browser, with its type."""
    file = client.call("action", "files:write", {"text": "grüße"})
    assert client.call("action", "files:read", {"id": file}) == "grüße"
    answer = client.send_http("GET", client.call("query", "files:url", {"id": file}))
    assert (answer.status, answer.body.decode()) == (200, "grüße")
    assert answer.headers["content-type"].startswith("text/plain")


def test_a_client_uploads_to_the_url_it_is_given(client: BackendClient) -> None:
    """A POST to an upload URL stores the body, and answers its id."""
    url = client.call("mutation", "files:uploadUrl")
    answer = client.send_http("POST", url, body=b"\x00\x01", headers={"content-type": "image/png"})
    assert answer.status == 200
    (file,) = client.list_documents("_storage")
    digest = hashlib.sha256(b"\x00\x01").hexdigest()
    assert (file["size"], file["contentType"], file["sha256"]) == (2, "image/png", digest)
    assert file["_id"].encode() in answer.body
    assert download(client, file["_id"]) == (200, b"\x00\x01")


def test_nobody_uploads_without_a_token(client: BackendClient) -> None:
    """An upload URL cannot be made up."""
    url = client.call("mutation", "files:uploadUrl")
    assert client.send_http("POST", url + "x", body=b"").status >= 400


def test_an_upload_address_is_used_for_an_hour(controlled: BackendClient) -> None:
    """Before its end it takes files, afterwards it is refused as expired, and others as invalid."""
    url = controlled.call("mutation", "files:uploadUrl")
    controlled.advance_to(controlled.read_time() + 3500)
    assert controlled.send_http("POST", url, body=b"").status == 200
    controlled.advance_to(controlled.read_time() + 100)
    late = controlled.send_http("POST", url, body=b"")
    unknown = controlled.send_http("POST", f"{url}x", body=b"")
    assert (late.status, json.loads(late.body)["code"]) == (401, "StorageTokenExpired")
    assert (unknown.status, json.loads(unknown.body)["code"]) == (401, "StorageTokenInvalid")


def test_a_page_of_any_origin_uploads_with_credentials(controlled: BackendClient) -> None:
    """The preflight and the upload itself name the page's origin."""
    url = controlled.call("mutation", "files:uploadUrl")
    for method in ("OPTIONS", "POST"):
        headers = {"origin": "https://page.test", "access-control-request-headers": "content-type"}
        answer = controlled.send_http(method, url, body=b"", headers=headers)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "https://page.test"
        assert answer.headers["access-control-allow-credentials"] == "true"


def test_functions_see_the_stored_facts_of_a_file(client: BackendClient) -> None:
    """The system table has a file's size, type and digest."""
    file = client.store(b"abc", "text/csv")
    metadata = client.call("query", "files:metadata", {"id": file})
    assert {"size": 3, "contentType": "text/csv"}.items() <= metadata.items()


def test_a_deleted_file_is_gone(client: BackendClient) -> None:
    """The address of the file answers 404, and functions return no address any more."""
    file = client.store(b"abc")
    url = client.call("query", "files:url", {"id": file})
    client.call("mutation", "files:remove", {"id": file})
    assert client.send_http("GET", url).status == 404
    assert client.call("query", "files:url", {"id": file}) is None
    assert client.list_documents("_storage") == []


@pytest.mark.parametrize(
    ("asked", "status", "body"),
    [("bytes=2-4", 206, b"234"), ("bytes=7-", 206, b"789"), ("bytes=90-", 416, b"")],
    ids=["middle", "tail", "beyond"],
)
def test_a_part_of_a_file_can_be_fetched(
    client: BackendClient, asked: str, status: int, body: bytes
) -> None:
    """A range of bytes gets the status and the bytes of the range."""
    url = client.call("query", "files:url", {"id": client.store(b"0123456789")})
    answer = client.send_http("GET", url, headers={"range": asked})
    assert (answer.status, answer.body) == (status, body)


def test_a_file_with_another_digest_is_not_stored(controlled: BackendClient) -> None:
    """The digest that an upload or a function names must be the file's."""
    url = controlled.call("mutation", "files:uploadUrl")
    right = base64.b64encode(hashlib.sha256(b"abc").digest()).decode()
    answer = controlled.send_http("POST", url, body=b"abd", headers={"digest": f"sha-256={right}"})
    assert (answer.status, controlled.list_documents("_storage")) == (400, [])
    answer = controlled.send_http("POST", url, body=b"abc", headers={"digest": f"sha-256={right}"})
    assert (answer.status, len(controlled.list_documents("_storage"))) == (200, 1)


def test_a_malformed_address_is_no_missing_file(controlled: BackendClient) -> None:
    """An address that no file can have answers 400."""
    url = controlled.call("query", "files:url", {"id": controlled.store(b"abc")})
    assert controlled.send_http("GET", f"{url}x").status == 400
