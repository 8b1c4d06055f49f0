# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The register of mining claims, used by programs that look at the status first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from runner.grader import Convex, Response

CLAIM: dict[str, Any] = {"number": "KV-1084", "holder": "Ádám & Sons", "hectares": 12.5}
OTHER: dict[str, Any] = {"number": "KV-10", "holder": "Ida", "hectares": 3.0}
DESCRIPTION = {"holder": "Ádám & Sons", "hectares": 12.5}
NO_NUMBERS = {
    "empty": "",
    "small_letters": "kv-1084",
    "one_letter": "K-1084",
    "three_letters": "KVA-1084",
    "no_digits": "KV-",
    "seven_digits": "KV-1234567",
    "a_letter_behind": "KV-1084a",
    "further_slash": "KV-1084/",
    "further_segment": "KV-1084/KV-1085",
    "other_script": "%C3%81V-1084",
}
BAD_CLAIMS = {
    "nothing": "",
    "no_json": "{",
    "null": "null",
    "list": "[]",
    "text": '"Ida"',
    "no_hectares": '{"holder": "Ida"}',
    "no_holder": '{"hectares": 3}',
    "empty_holder": '{"holder": "", "hectares": 3}',
    "holder_as_number": '{"holder": 7, "hectares": 3}',
    "hectares_as_text": '{"holder": "Ida", "hectares": "3"}',
    "no_area": '{"holder": "Ida", "hectares": 0}',
    "negative": '{"holder": "Ida", "hectares": -3}',
    "null_as_number": '{"holder": "Ida", "hectares": null}',
}
JSON_TYPES = {
    "plain": "application/json",
    "with_parameter": "application/json; charset=utf-8",
    "capitals": "Application/JSON;charset=UTF-8",
}


def keep(convex: Convex, *claims: dict[str, Any]) -> None:
    """Enter claims without the interface."""
    convex.insert_many("claims", claims)


def entered(convex: Convex) -> list[dict[str, Any]]:
    """Return the register, sorted by number."""
    rows = [
        {name: value for name, value in row.items() if not name.startswith("_")}
        for row in convex.table("claims")
    ]
    return sorted(rows, key=lambda row: str(row["number"]))


def put(convex: Convex, number: str, body: object) -> Response:
    """Put a claim."""
    return convex.http("PUT", f"/claims/{number}", json=body)


def said(answer: Response) -> tuple[int, Any]:
    """Tell the status and the JSON of an answer, and demand that it says to be JSON."""
    assert answer.headers["content-type"].split(";")[0] == "application/json"
    return answer.status, answer.json()


def is_error(answer: Response, status: int, text: str) -> None:
    """Demand that an answer is this error."""
    assert said(answer) == (status, {"error": text})


def test_the_list_is_by_number(convex: Convex) -> None:
    """The list has every claim with its three fields, by number as a text, at most 100."""
    assert said(convex.http("GET", "/claims")) == (200, [])
    keep(convex, CLAIM, OTHER, {**OTHER, "number": "AB-9"})
    assert said(convex.http("GET", "/claims")) == (200, [{**OTHER, "number": "AB-9"}, OTHER, CLAIM])
    keep(convex, *({**OTHER, "number": f"ZZ-{n}"} for n in range(150)))
    numbers = [row["number"] for row in entered(convex)]
    assert [row["number"] for row in convex.http("GET", "/claims").json()] == numbers[:100]


def test_a_claim_is_read_by_its_number(convex: Convex) -> None:
    """A claim has three fields; one that begins the same is another."""
    keep(convex, {**CLAIM, "number": "KV-108"}, CLAIM, {**CLAIM, "number": "KV-10840"})
    assert said(convex.http("GET", "/claims/KV-1084")) == (200, CLAIM)
    assert said(convex.http("GET", "/claims/KV-1084?lang=hu")) == (200, CLAIM)
    is_error(convex.http("GET", "/claims/KV-1085"), 404, "not found")


@pytest.mark.parametrize("content_type", JSON_TYPES.values(), ids=JSON_TYPES.keys())
def test_a_new_claim_is_created(convex: Convex, content_type: str) -> None:
    """A claim that was not there is entered: 201, where it is, and what it is."""
    keep(convex, OTHER)
    body = '{"holder": "Ádám & Sons", "hectares": 12.5, "number": "XX-1", "debts": 3}'
    headers = {"Content-Type": content_type}
    answer = convex.http("PUT", "/claims/KV-1084", body=body, headers=headers)
    assert said(answer) == (201, CLAIM)
    assert answer.headers["location"] == "/claims/KV-1084"
    assert entered(convex) == [OTHER, CLAIM]


def test_a_claim_is_replaced(convex: Convex) -> None:
    """A claim that was there is changed, not entered twice: 200, and what it is now."""
    keep(convex, CLAIM, OTHER)
    for holder, hectares in (("Eve", 0.25), ("Bob", 100.0), ("Bob", 100.0)):
        claim = {"number": "KV-1084", "holder": holder, "hectares": hectares}
        assert said(put(convex, "KV-1084", {"holder": holder, "hectares": hectares})) == (
            200,
            claim,
        )
        assert entered(convex) == [OTHER, claim]


def test_a_claim_is_deleted(convex: Convex) -> None:
    """What is deleted is gone: 204 and no body, then 404, and it can be entered as new."""
    keep(convex, CLAIM, OTHER)
    answer = convex.http("DELETE", "/claims/KV-1084")
    assert (answer.status, answer.body) == (204, b"")
    assert entered(convex) == [OTHER]
    is_error(convex.http("DELETE", "/claims/KV-1084"), 404, "not found")
    assert put(convex, "KV-1084", DESCRIPTION).status == 201


@pytest.mark.parametrize("number", NO_NUMBERS.values(), ids=NO_NUMBERS.keys())
def test_what_is_no_number_is_not_found(convex: Convex, number: str) -> None:
    """A path that names no claim is not found, whatever the method and the body."""
    keep(convex, CLAIM)
    for method in ("GET", "PUT", "DELETE", "POST", "PATCH"):
        is_error(convex.http(method, f"/claims/{number}", body="?"), 404, "not found")
    is_error(put(convex, number, DESCRIPTION), 404, "not found")
    assert entered(convex) == [CLAIM]


@pytest.mark.parametrize(
    ("path", "methods", "served"),
    [
        ("/claims", ["POST", "PUT", "DELETE", "PATCH"], {"GET"}),
        ("/claims/KV-1084", ["POST", "PATCH"], {"GET", "PUT", "DELETE"}),
        ("/claims/AA-1", ["POST", "PATCH"], {"GET", "PUT", "DELETE"}),
    ],
    ids=["list", "claim", "claim_not_entered"],
)
def test_other_methods_are_not_allowed(
    convex: Convex, path: str, methods: list[str], served: set[str]
) -> None:
    """A method that is not served says so, and which ones are; nothing changes."""
    keep(convex, CLAIM)
    for method in methods:
        answer = convex.http(method, path, json=DESCRIPTION)
        is_error(answer, 405, "method not allowed")
        assert {each.strip() for each in answer.headers["allow"].split(",")} == served
    assert entered(convex) == [CLAIM]


@pytest.mark.parametrize(
    "content_type",
    [None, "text/plain", "application/jsonp", "text/json", "application/xml; json"],
    ids=["missing", "text", "jsonp", "text_json", "xml"],
)
def test_only_json_is_taken(convex: Convex, content_type: str | None) -> None:
    """A body of another content type is refused before it is looked at."""
    headers = {"Content-Type": content_type} if content_type else {}
    for body in (b'{"holder": "Ida", "hectares": 3}', b"\xff"):
        is_error(
            convex.http("PUT", "/claims/KV-10", body=body, headers=headers), 415, "json wanted"
        )
    assert entered(convex) == []


@pytest.mark.parametrize("body", BAD_CLAIMS.values(), ids=BAD_CLAIMS.keys())
def test_a_bad_claim_is_refused(convex: Convex, body: str) -> None:
    """A body that describes no claim is refused, and the register stays as it is."""
    keep(convex, CLAIM)
    headers = {"Content-Type": "application/json"}
    for number in ("KV-1084", "KV-10"):
        answer = convex.http("PUT", f"/claims/{number}", body=body, headers=headers)
        is_error(answer, 400, "bad claim")
    assert entered(convex) == [CLAIM]


def test_other_claims_are_not_read(convex: Convex) -> None:
    """No call reads more claims than it answers with or changes, however many there are."""
    keep(convex, *({**OTHER, "number": f"AB-{n}"} for n in range(200)), CLAIM)
    convex.limit(documents_read=130)
    assert len(convex.http("GET", "/claims").json()) == 100
    assert said(convex.http("GET", "/claims/KV-1084")) == (200, CLAIM)
    answers = [
        put(convex, "KV-1084", DESCRIPTION),
        put(convex, "KV-1085", DESCRIPTION),
        convex.http("DELETE", "/claims/KV-1085"),
        convex.http("DELETE", "/claims/KV-1085"),
    ]
    assert [answer.status for answer in answers] == [200, 201, 204, 404]


def test_nothing_but_the_routes_is_public(convex: Convex) -> None:
    """No query, mutation or action can be called from outside."""
    assert {fn.kind for fn in convex.functions.values() if fn.visibility == "public"} <= {"http"}
