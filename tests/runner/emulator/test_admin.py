"""The data and operations of a deployment for the holders of its key."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from runner import emulator
from runner.backends.backend import Deployment
from runner.backends.client import ADMIN, BackendClient, FunctionError
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import list_tables, post_json

pytestmark = pytest.mark.integration


def test_documents_are_inserted_past_functions_but_not_past_the_schema(
    client: BackendClient,
) -> None:
    """All documents are inserted in order, or none where a document does not fit."""
    fitting = [{"text": "a", "rank": 1.0}, {"text": "b", "rank": 2.0, "marks": {"x": 1.0}}]
    ids = client.insert("notes", fitting)
    assert [row["_id"] for row in client.list_documents("notes")] == ids
    with pytest.raises(FunctionError, match="does not match the schema"):
        client.insert("notes", [{"text": "c", "rank": 3.0}, {"text": "d"}])
    assert [row["text"] for row in client.list_documents("notes")] == ["a", "b"]


def test_a_record_is_validated_by_its_values(client: BackendClient) -> None:
    """Values of another type are refused, in a record too."""
    with pytest.raises(FunctionError, match="does not match the schema"):
        client.insert("notes", [{"text": "a", "rank": 1.0, "marks": {"x": "one"}}])


def test_documents_are_found_and_deleted_by_id(client: BackendClient) -> None:
    """A document is there by its id until it is deleted."""
    (note,) = client.insert("notes", [{"text": "a", "rank": 1.0}])
    document = Convex(client).document("notes", note)
    assert document is not None
    assert document["text"] == "a"
    Convex(client).delete("notes", note)
    assert Convex(client).document("notes", note) is None


def test_tables_are_listed(client: BackendClient) -> None:
    """Every table of the schema is there."""
    assert {"notes", "samples", "anything"} <= set(list_tables(client))


def test_functions_are_listed_with_kind_visibility_and_validators(client: BackendClient) -> None:
    """The specification equals the output of `npx convex function-spec`."""
    entries = client.call_system("query", "cli/modules:apiSpec")
    spec = {entry["identifier"]: entry for entry in entries if "identifier" in entry}
    add = spec["notes.js:add"]
    assert (add["functionType"], add["visibility"]) == ("Mutation", {"kind": "public"})
    assert add["args"]["value"]["rank"] == {"fieldType": {"type": "number"}, "optional": False}
    assert add["returns"] == {"type": "id", "tableName": "notes"}
    assert spec["notes.js:secret"]["visibility"] == {"kind": "internal"}
    assert spec["hashes.js:sha256"]["functionType"] == "Action"
    routes = [entry for entry in entries if entry["functionType"] == "HttpAction"]
    assert {(route["method"], route["path"]) for route in routes} >= {("GET", "/stream/*")}


def test_the_schema_has_its_indexes(client: BackendClient) -> None:
    """The schema has tables, validators and indexes of every kind."""
    tables = Convex(client).schema.tables
    assert tables["notes"].indexes[0].fields == ("rank",)
    assert tables["notes"].search_indexes[0].search_field == "text"
    assert tables["samples"].vector_indexes[0].dimensions == 2


def test_crons_are_reported_in_the_backends_units(client: BackendClient) -> None:
    """Intervals are in seconds, days of the week are numbers from Sunday."""
    crons = Convex(client).crons
    assert {name: cron.schedule for name, cron in crons.items()} == {
        "often": {"type": "interval", "seconds": 5400},
        "daily": {"type": "daily", "hourUTC": 4, "minuteUTC": 30},
        "weekly": {"type": "weekly", "dayOfWeek": 1, "hourUTC": 1, "minuteUTC": 2},
        "by string": {"type": "cron", "cronExpr": "15 3 1 * *"},
    }
    assert crons["often"].path == "notes:store"
    assert crons["often"].args == {"text": "often"}


def test_a_table_is_scanned_from_the_newest_and_cleared_from_the_oldest(
    client: BackendClient,
) -> None:
    """The scan is a list; the reply of clearing has the deleted number and a mark for more rows."""
    client.insert("notes", [{"text": text, "rank": 1.0} for text in "abc"])
    scanned = client.call(
        "query", "_system/frontend/listTableScan", {"table": "notes", "limit": 2.0}, ADMIN
    )
    assert [row["text"] for row in scanned] == ["c", "b"]
    assert client.call("query", "_system/frontend/tableSize", {"tableName": "notes"}, ADMIN) == 3
    client.insert("anything", [{"a": 1.0}])
    assert client.call("query", "_system/frontend/tableSize:sizeOfAllTables", {}, ADMIN) == 4
    page = {"tableName": "notes", "cursor": None}
    cleared = client.call("mutation", "_system/frontend/clearTablePage", page, ADMIN)
    assert (cleared["deleted"], cleared["hasMore"]) == (3, False)
    assert client.list_documents("notes") == []


def read_page(client: BackendClient, **filters: object) -> list[dict[str, Any]]:
    """Return the page of notes that the dashboard shows with filters."""
    text = base64.b64encode(json.dumps({"clauses": [], **filters}).encode()).decode()
    options = {"numItems": 100.0, "cursor": None}
    args = {"table": "notes", "filters": text, "paginationOpts": options}
    return client.call("query", "_system/frontend/paginatedTableDocuments", args, ADMIN)["page"]


def filter_ranks(client: BackendClient, *clauses: dict[str, Any], **others: object) -> list[float]:
    """Return the ranks of the notes that pass the filters."""
    return [row["rank"] for row in read_page(client, clauses=clauses, **others)]


def make_clause(op: str, field: str, value: object, *, enabled: bool = True) -> dict[str, Any]:
    """Return a filter of the dashboard."""
    return {"op": op, "field": field, "value": value, "enabled": enabled}


def test_the_dashboard_filters_documents(controlled: BackendClient) -> None:
    """Comparisons, lists and types select documents, the newest first by default."""
    client = controlled
    client.insert("notes", [{"text": f"note {n}", "rank": float(n)} for n in range(4)])
    client.insert("notes", [{"text": "with marks", "rank": 9.0, "marks": {"x": 1.0}}])
    assert filter_ranks(client) == [9, 3, 2, 1, 0]
    assert filter_ranks(client, order="asc") == [0, 1, 2, 3, 9]
    assert filter_ranks(client, make_clause("gte", "rank", 2), make_clause("neq", "rank", 9)) == [
        3,
        2,
    ]
    assert filter_ranks(client, make_clause("eq", "rank", 1, enabled=False)) == [9, 3, 2, 1, 0]
    assert filter_ranks(client, make_clause("anyOf", "rank", [0, 3, 7])) == [3, 0]
    assert filter_ranks(client, make_clause("noneOf", "rank", [0, 3])) == [9, 2, 1]
    assert filter_ranks(client, make_clause("noneOf", "rank", [])) == [9, 3, 2, 1, 0]
    assert filter_ranks(client, make_clause("type", "marks", "object")) == [9]
    assert filter_ranks(client, make_clause("notype", "marks", "unset")) == [9]
    assert filter_ranks(client, make_clause("type", "_id", "id"), make_clause("lt", "rank", 1)) == [
        0
    ]
    (first, *_) = client.list_documents("notes")
    assert filter_ranks(client, make_clause("eq", "_id", first["_id"])) == [first["rank"]]


def test_the_dashboard_reads_by_an_index(controlled: BackendClient) -> None:
    """A range or a search selects documents; a wrong range gives its problem as the page."""
    client = controlled
    client.insert("notes", [{"text": f"note {n}", "rank": float(n)} for n in range(4)])
    ranged = {"type": "indexRange", "enabled": True, "lowerOp": "gt", "lowerValue": 0}
    ranged |= {"upperOp": "lte", "upperValue": 2}
    index: dict[str, Any] = {"name": "by_rank", "clauses": [ranged]}
    assert filter_ranks(client, index=index) == [2, 1]
    assert filter_ranks(client, index=index, order="asc") == [1, 2]
    assert filter_ranks(client, make_clause("neq", "rank", 1), index=index) == [2]
    equal = {"type": "indexEq", "enabled": True, "value": 3}
    assert filter_ranks(client, index={"name": "by_rank", "clauses": [equal]}) == [3]
    assert filter_ranks(client, index={"name": "by_creation_time", "clauses": []}) == [3, 2, 1, 0]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"name": "by_rank", "clauses": [equal, equal, equal]}, "has 2 fields, but"),
        ({"name": "by_rank", "clauses": [equal | {"enabled": False}, equal]}, "after an disabled"),
        ({"name": "by_rank", "clauses": [ranged, equal]}, "range filter after"),
        ({"name": "by_rank", "search": "note", "clauses": []}, "is not a search index"),
        ({"name": "by_text", "search": "note", "clauses": []}, "in descending order"),
    ]
    for wrong_index, words in wrong:
        (problem,) = read_page(client, index=wrong_index)
        assert words in problem["error"]
    search: dict[str, Any] = {"name": "by_text", "search": "note 2", "clauses": []}
    assert len(filter_ranks(client, index=search, order="asc")) == 4
    ranked = {"field": "rank", "value": 2, "enabled": True}
    assert filter_ranks(client, index=search | {"clauses": [ranked]}, order="asc") == [2]
    (problem,) = read_page(
        client, index=search | {"clauses": [ranked | {"field": "text"}]}, order="asc"
    )
    assert "for field `text` which is not part" in problem["error"]


def test_files_are_counted_listed_by_their_time_and_deleted(controlled: BackendClient) -> None:
    """The dashboard lists the files of a time, and deletes several at once."""
    client = controlled
    ids = [client.store(content) for content in (b"a", b"b", b"c")]
    times = [float(file["_creationTime"]) for file in client.list_documents("_storage")]
    filters = {"minCreationTime": times[1], "maxCreationTime": times[1]}
    args = {"paginationOpts": {"numItems": 10.0, "cursor": None}, "filters": filters}
    listed = client.call("query", "_system/frontend/fileStorageV2:fileMetadata", args, ADMIN)[
        "page"
    ]
    assert [file["_id"] for file in listed] == [ids[1]]
    count = "_system/frontend/fileStorageV2:numFiles"
    assert client.call("query", count, {}, ADMIN) == 3
    deleted = {"storageIds": ids[:2]}
    assert (
        client.call("mutation", "_system/frontend/fileStorageV2:deleteFiles", deleted, ADMIN)
        is None
    )
    assert [file["_id"] for file in client.list_documents("_storage")] == ids[2:]


def test_variables_are_set_listed_and_removed_by_the_key(
    controlled: BackendClient, contract: Deployment
) -> None:
    """The deployment's API takes changes of variables and lists the current variables."""
    listing = f"{contract.address.origin}/api/v1/list_environment_variables"

    def change(**values: str | None) -> int:
        changes = [{"name": name, "value": value} for name, value in values.items()]
        body = {"changes": changes}
        return post_json(contract, "update_environment_variables", body, ADMIN).status

    def list_variables() -> object:
        return controlled.send_http("GET", listing, caller=ADMIN).json()

    assert change(COLOUR="red", SIZE="7") == 200
    assert list_variables() == {"environmentVariables": {"COLOUR": "red", "SIZE": "7"}}
    assert change(COLOUR=None, SIZE=None) == 200
    assert list_variables() == {"environmentVariables": {}}
    assert change(**{"no name": "x"}) == 400
    assert controlled.send_http("GET", listing).status == 403


def test_the_emulator_answers_its_version(controlled: BackendClient, contract: Deployment) -> None:
    """The answer is the version in the emulator's version.mjs."""
    text = (Path(emulator.__file__).parent / "version.mjs").read_text("utf-8")
    version = controlled.send_http("GET", f"{contract.address.origin}/version").text
    assert f'export const VERSION = "{version}";' in text


def test_variables_are_listed_without_the_rest_of_a_document(controlled: BackendClient) -> None:
    """Variables of the real backend have an id and a time of creation, too."""
    client = controlled
    client.call_control("env", {"name": "SIZE", "value": "7"})
    client.call_control("env", {"name": "COLOUR", "value": "red"})
    colour = {"name": "COLOUR", "value": "red"}
    for path in (
        "_system/cli/queryEnvironmentVariables",
        "_system/frontend/listEnvironmentVariables",
    ):
        assert client.call("query", path, {}, ADMIN) == [colour, {"name": "SIZE", "value": "7"}]
    path = "_system/cli/queryEnvironmentVariables:get"
    assert client.call("query", path, {"name": "COLOUR"}, ADMIN) == colour


def test_jobs_that_are_over_are_listed_too(controlled: BackendClient) -> None:
    """The real backend lists only pending and running jobs, as it stores them."""
    client = controlled
    client.call("mutation", "notes:later", {"text": "a", "ms": 1000.0})
    jobs = "_system/frontend/paginatedScheduledJobs"
    args = {"paginationOpts": {"numItems": 10.0, "cursor": None}}
    states: list[str] = []
    for seconds in (0, 2):
        client.advance_to(client.read_time() + seconds)
        (job,) = client.call("query", jobs, args, ADMIN)["page"]
        states.append(job["state"]["kind"])
    assert states == ["pending", "success"]


def test_when_a_cron_ran_is_not_known(controlled: BackendClient) -> None:
    """Only the real backend has the last run, and the line of a function in its file."""
    client = controlled
    client.advance_to(client.read_time() + 7 * 24 * 3600)
    crons = client.call("query", "_system/frontend/listCronJobs", {}, ADMIN)
    assert [cron["lastRun"] for cron in crons] == [None] * 4
    modules = dict(client.call("query", "_system/frontend/modules:list", {}, ADMIN))
    assert "creationTime" not in modules["notes.js"]
    (add,) = [each for each in modules["notes.js"]["functions"] if each["name"] == "add"]
    assert (add["udfType"], "lineno" in add) == ("Mutation", False)
    assert {name for name, _spec in modules["crons.js"]["cronSpecs"]} == {
        "often",
        "daily",
        "weekly",
        "by string",
    }


def test_system_functions_need_the_key(client: BackendClient) -> None:
    """Without the key no system function answers."""
    with pytest.raises(Exception, match="permission"):
        client.call(
            "query", "_system/cli/tables", {"paginationOpts": {"numItems": 1, "cursor": None}}
        )
